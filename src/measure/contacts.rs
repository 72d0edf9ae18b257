//! The contact network: coordination number, share of sliding contacts and fabric tensor.
//!
//! Coordination number Z = (ends of active contacts at grains)/(grains), with and without [rattlers](super::rattlers).
//! Fabric F = mean of n (x) n over the contacts (M. Oda 1982, Fabric tensor for discontinuous geological materials). A
//! contact slides if |r_t| >= 0.99 of the bound its law sets; the sliding share refers to the contacts that have a
//! finite positive bound.

use super::quantity::{Measure, Quantity};
use super::rattlers::Backbone;
use super::region::Region;
use super::tensor::{deviator_of, ratio};
use crate::dim::Dim;
use crate::scene::ContactsMeasure;
use crate::simulation::{ActiveContact, Snapshot};

/// Fraction of the bound from which a tangential impulse counts as sliding: solvers stop before the bound is met
/// exactly.
const AT_BOUND: f64 = 0.99;

/// Has the tangential impulse reached the friction bound?
pub(crate) fn slides<X: Dim>(contact: &ActiveContact<X>) -> bool {
    has_bound(contact) && contact.tangential_impulse() >= AT_BOUND * contact.bound
}

/// Does the contact have friction of finite strength?
fn has_bound<X: Dim>(contact: &ActiveContact<X>) -> bool {
    contact.bound > 0.0 && contact.bound.is_finite()
}

/// Coordination, sliding and fabric in a region; contacts are selected by their points, grains by their centres.
pub(crate) struct ContactNetwork<X: Dim> {
    region: Region<X>,
}

impl<X: Dim> ContactNetwork<X> {
    pub(crate) fn new(entry: &ContactsMeasure) -> Self {
        Self { region: Region::new(entry.region.as_ref()) }
    }
}

impl<X: Dim> Measure<X> for ContactNetwork<X> {
    fn quantities(&self) -> Vec<Quantity> {
        let names = [
            "grains",
            "contacts",
            "coordination_number",
            "rattlers",
            "coordination_number_without_rattlers",
            "sliding_share",
        ];
        let mut all: Vec<Quantity> = names.map(|name| Quantity::new(name, "")).into();
        all.extend(Quantity::tensor::<X>("fabric", ""));
        all.push(Quantity::new("fabric_deviator", ""));
        all
    }

    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>> {
        let size = snapshot.comm().size() as u64;
        let backbone = Backbone::new(snapshot, |id| (id.0 % size) as usize, |point| self.region.contains(point));
        let [grains, ends, kept, kept_ends] = backbone.count(snapshot.comm()).map(|count| count as f64);
        let sums = snapshot.sum_over_contacts(3 + X::D * X::D, |contact, sums| {
            if contact.is_link() || !contact.has_grain() || !self.region.contains(contact.point) {
                return;
            }
            let flag = |is_so: bool| f64::from(u8::from(is_so));
            sums.add_all(0, &[1.0, flag(has_bound(contact)), flag(slides(contact))]);
            sums.add_product(3, &contact.normal, &contact.normal);
        });
        let [contacts, bound, sliding] = [0, 1, 2].map(|k| sums[k]);
        let fabric: Vec<f64> = sums[3..].iter().map(|sum| ratio(*sum, contacts)).collect();
        let numbers = [grains, contacts, ratio(ends, grains), grains - kept, ratio(kept_ends, kept)];
        let mut row = numbers.to_vec();
        row.push(ratio(sliding, bound));
        row.extend(&fabric);
        row.push(deviator_of::<X>(&fabric));
        vec![row]
    }
}
