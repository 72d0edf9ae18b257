//! Active contacts as links of force chains, sent to the processes that hold their bodies in file order.

use super::rows::IdRanges;
use crate::body::{Bodies, BodyId, State};
use crate::comm::Exchange;
use crate::dim::{Dim, Vector};
use crate::domain::{Domain, SolvedContact};
use crate::interaction::DetectedContact;
use crate::model::{Model, seen_from};

/// A contact with an impulse: a link of a force chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceChainLink<X: Dim> {
    /// The body it is shown with, and the other.
    pub bodies: [BodyId; 2],
    /// True if the other body is shown at this contact, not only an image of it.
    pub between: bool,
    /// Contact point, m.
    pub point: X::Vector,
    /// Unit normal from the body with the lower id to the other.
    pub normal: X::Vector,
    /// Impulse of the last step on the body with the higher id, N s.
    pub impulse: X::Vector,
}

/// A link in a message: its bodies, its subdomain and number there, whether it is between them, and its vectors.
type SentLink<V> = ([BodyId; 2], (u32, u32), bool, [V; 3]);

impl<X: Dim> Domain<X> {
    /// Collective. Active contacts of the last step, each on the process where `shares` has the first of its two bodies
    /// that `is_shown`, at the position where it is shown at `time`; sorted by that body, the other, and the order of
    /// contacts.
    pub fn chains(
        &self,
        model: &Model<X>,
        bodies: &Bodies<X>,
        shares: &IdRanges,
        is_shown: impl Fn(&State<X>) -> bool,
        time: f64,
    ) -> Vec<ForceChainLink<X>> {
        let mut out = Exchange::default();
        let contacts = self.subdomains().iter().flat_map(|subdomain| self.contacts(subdomain, bodies));
        for contact in contacts.filter(SolvedContact::is_active) {
            let mut pair = contact.bodies;
            if !is_shown(pair[0]) {
                pair.swap(0, 1);
            }
            if !is_shown(pair[0]) {
                continue;
            }
            let DetectedContact { normal, point, image, .. } = contact.detected;
            // A contact is given relative to its first body; an unbounded body is its own image.
            let homes = pair.map(|state| model.home(state, time));
            let between = is_shown(pair[1]) && seen_from(homes[0], homes[1]) == image;
            let shift = model.cell.as_ref().map_or(X::Vector::zero(), |cell| cell.shift(homes[0], time));
            let ids = pair.map(|state| state.id);
            out.to(shares.host(ids[0])).write(&(
                ids,
                contact.place(),
                between,
                [point + shift, normal, contact.impulse],
            ));
        }
        let mut all: Vec<SentLink<X::Vector>> = out.swap_items(&**self.comm());
        all.sort_unstable_by_key(|(bodies, order, ..)| (*bodies, *order));
        let all = all.into_iter().map(|(bodies, _, between, [point, normal, impulse])| ForceChainLink {
            bodies,
            between,
            point,
            normal,
            impulse,
        });
        all.collect()
    }
}
