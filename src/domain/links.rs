//! Links and subdomains: makes both bodies of a link local to every subdomain that may have to detect its contact.
//!
//! A link belongs to the subdomain that contains its midpoint, half-way between its two anchors at mid-step. The
//! midpoint moves no faster than the faster of the two anchors, so as long as no body has used up its margin, it is
//! within the mean of the two margins of where it was when the candidates were built. Both bodies are local to every
//! subdomain that it may reach.

use super::{Domain, Subdomain};
use crate::base::index::{BodyIndex, SubdomainId};
use crate::body::{Bodies, State};
use crate::comm::all_gather_items;
use crate::contactor::{Bounds, PosedShape};
use crate::dim::{Dim, Vector};
use crate::integrator::FreeMotion;
use crate::interaction::history::ContactId;
use crate::interaction::{DetectedContact, DetectionContext};
use crate::model::{HERE, Image, Model};

/// One anchor of a link, and the margin of its body.
type LinkEnd<X> = Option<(<X as Dim>::Vector, f64)>;

/// Box that the midpoint of two anchors cannot leave.
fn midpoint_bounds<X: Dim>(ends: [(X::Vector, f64); 2]) -> Bounds<X> {
    let [(a, margin_a), (b, margin_b)] = ends;
    let middle = (a + b) * 0.5;
    Bounds::at(middle).inflated(0.5 * (margin_a + margin_b))
}

impl<X: Dim> Domain<X> {
    /// Collective. Box of the midpoint of each link; `None` once one of its bodies has been removed. `here` yields the
    /// bodies of this process and all obstacles. Each process sends the anchors on its bodies to all others: about as
    /// much data as the table of links itself, which every process has anyway.
    pub(super) fn link_midpoints<'a, 'b>(
        &self,
        model: &'a Model<X>,
        here: impl Iterator<Item = &'b State<X>>,
        placed: impl Fn(&State<X>) -> (PosedShape<'a, X>, f64),
    ) -> Vec<Option<Bounds<X>>> {
        let links = model.links.all();
        if links.is_empty() {
            return Vec::new();
        }
        let mut ends: Vec<[LinkEnd<X>; 2]> = vec![[None; 2]; links.len()];
        let mut own = Vec::new();
        for state in here {
            for (link, side) in model.links.of(state.id) {
                let (pose, margin) = placed(state);
                let point = links[link as usize].anchor(side as usize, pose.position, pose.orientation);
                ends[link as usize][side as usize] = Some((point, margin));
                if !model.is_prescribed(state) {
                    own.push((link, side, point, margin));
                }
            }
        }
        for (link, side, point, margin) in all_gather_items(&*self.comm, own) {
            ends[link as usize][side as usize] = Some((point, margin));
        }
        let both = |ends: &[LinkEnd<X>; 2]| Some(midpoint_bounds::<X>([ends[0]?, ends[1]?]));
        ends.iter().map(both).collect()
    }

    /// Adds the links of bodies here to the subdomains that their midpoints may reach. If one of the bodies of a link
    /// is not here, its midpoint does not reach a subdomain here.
    pub(super) fn add_linked_bodies(&mut self, model: &Model<X>, bodies: &Bodies<X>, free: &[FreeMotion<X>]) {
        for (number, pair) in model.links.among(bodies.states().iter().map(|state| state.id)) {
            let link = &model.links.all()[number as usize];
            let end = |side: usize| {
                let body = pair[side] as usize;
                let FreeMotion { position, orientation, .. } = free[body];
                (link.anchor(side, position, orientation), self.skin.margins[body])
            };
            let Bounds { min, max } = midpoint_bounds::<X>([end(0), end(1)]);
            self.decomposition.cuts.touching(&min.in_space(), &max.in_space(), |part| {
                if let Some(slot) = self.decomposition.slot(SubdomainId::new(part)) {
                    self.subdomains[slot.index()].local.add_link(number, pair.map(BodyIndex));
                }
            });
        }
    }
}

impl<X: Dim> Subdomain<X> {
    /// Adds the contacts of the links whose midpoint the subdomain `contains`, in the order of the links.
    pub(super) fn detect_links(
        &mut self,
        context: &DetectionContext<'_, X>,
        contains: impl Fn(X::Vector, Image) -> bool,
    ) {
        for &(number, [a, b]) in self.local.links() {
            let [first, second] = [a, b].map(|end| context.placed(self.local.body(end)));
            let stretched = context.model.links.all()[number as usize].between(&first, &second);
            if contains(stretched.point, HERE) {
                self.contacts.push(DetectedContact {
                    a,
                    b,
                    feature: ContactId::link(number),
                    normal: stretched.normal,
                    point: stretched.point,
                    gap: stretched.gap,
                    image: HERE,
                    nodes: 0,
                });
            }
        }
    }
}
