//! Active contacts as links of force chains, sent to the processes that hold their bodies in file order.

use super::rows::IdRanges;
use crate::body::{Bodies, BodyId, State};
use crate::comm::{Reader, Writer, exchange};
use crate::dim::{Dim, Vector};
use crate::domain::Domain;
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
        let mut out = vec![Writer::default(); self.comm().size()];
        for subdomain in self.subdomains() {
            for k in 0..subdomain.contact_count() {
                let impulse = subdomain.impulse(k);
                let mut pair = subdomain.ends(k).map(|v| &bodies.states()[subdomain.body(v)]);
                if !is_shown(pair[0]) {
                    pair.swap(0, 1);
                }
                if impulse == X::Vector::zero() || !is_shown(pair[0]) {
                    continue;
                }
                let contact = self.contact(subdomain, k, bodies);
                let message = &mut out[shares.host(pair[0].id)];
                pair.iter().for_each(|state| message.u64(state.id.0));
                message.u32(subdomain.number);
                message.u32(k as u32);
                // A contact is given relative to its first body; an unbounded body is its own image.
                let homes = pair.map(|state| model.home(state, time));
                let is_near = seen_from(homes[0], homes[1]) == contact.image;
                message.u32(u32::from(is_shown(pair[1]) && is_near));
                let way = model.cell.as_ref().map_or(X::Vector::zero(), |cell| cell.shift(homes[0], time));
                [contact.point + way, contact.normal, impulse].iter().for_each(|v| message.numbers(v.as_slice()));
            }
        }
        let mut all = Vec::new();
        for bytes in exchange(&**self.comm(), out) {
            let mut message = Reader(&bytes);
            while !message.is_done() {
                let bodies = [BodyId(message.u64()), BodyId(message.u64())];
                let order = (message.u32(), message.u32());
                let between = message.u32() == 1;
                let [point, normal, impulse] = [0; 3].map(|_| X::Vector::from_fn(|_| message.number()));
                all.push((order, ForceChainLink { bodies, between, point, normal, impulse }));
            }
        }
        all.sort_unstable_by_key(|(order, chain)| (chain.bodies, *order));
        all.into_iter().map(|(_, chain)| chain).collect()
    }
}
