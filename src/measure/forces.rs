//! Distribution of normal forces, and the stress carried by weak and strong contacts.
//!
//! Contacts whose normal force is below the mean form the weak network, the others the strong network (F. Radjai, D. E.
//! Wolf, M. Jean, J. J. Moreau 1998, Bimodal character of stress transmission).
//!
//! pdf(f/mean f) = (contacts in the bin)/(contacts x width of the bin). The stress of a network is the
//! [stress](super::stress) summed over its contacts only. Only contacts with a positive normal force count; links do
//! not.

use super::quantity::{Measure, Quantity};
use super::region::Region;
use super::tensor::{deviator_of, mean_of, ratio};
use crate::dim::Dim;
use crate::scene::ForcesMeasure;
use crate::simulation::{ActiveContact, Snapshot};

/// Distribution of normal forces in a region.
pub(crate) struct Forces<X: Dim> {
    region: Region<X>,
    bins: usize,
    width: f64,
}

impl<X: Dim> Forces<X> {
    pub(crate) fn new(entry: &ForcesMeasure) -> Self {
        let bins = entry.bins as usize;
        Self { region: Region::new(entry.region.as_ref()), bins, width: entry.up_to / bins as f64 }
    }

    fn counts(&self, contact: &ActiveContact<X>) -> bool {
        let is_contact = !contact.is_link() && contact.has_grain();
        is_contact && contact.normal_impulse() > 0.0 && self.region.contains(contact.point)
    }
}

impl<X: Dim> Measure<X> for Forces<X> {
    fn quantities(&self) -> Vec<Quantity> {
        let mut all = vec![
            Quantity::new("contacts", ""),
            Quantity::new("mean_normal_force", "N"),
            Quantity::new("greatest_normal_force", "N"),
            Quantity::new("weak_share", ""),
        ];
        for network in ["weak", "strong"] {
            all.push(Quantity::new(format!("{network}_pressure"), X::STRESS_UNIT));
            all.push(Quantity::new(format!("{network}_deviator"), X::STRESS_UNIT));
        }
        all.push(Quantity::new("share_beyond_bins", ""));
        // A bin is named after its midpoint, in units of the mean force.
        let middle = |k: usize| format!("{:.6}", (k as f64 + 0.5) * self.width);
        let name = |k: usize| format!("pdf_{}", middle(k).trim_end_matches('0').trim_end_matches('.'));
        all.extend((0..self.bins).map(|k| Quantity::new(name(k), "")));
        all
    }

    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>> {
        let force = |contact: &ActiveContact<X>| contact.normal_impulse() / snapshot.now.h;
        let first = snapshot.sum_over_contacts(2, |contact, sums| {
            if self.counts(contact) {
                sums.add_all(0, &[1.0, force(contact)]);
            }
        });
        let own = snapshot.active_contacts.iter().filter(|contact| self.counts(contact)).map(force);
        let mut greatest = [own.fold(0.0, f64::max)];
        snapshot.comm().max(&mut greatest);
        let (contacts, mean) = (first[0], ratio(first[1], first[0]));
        let tensor = X::D * X::D;
        // Layout: number of weak contacts, moments of the two networks, bins, overflow bin.
        let sums = snapshot.sum_over_contacts(1 + 2 * tensor + self.bins + 1, |contact, sums| {
            if !self.counts(contact) {
                return;
            }
            let scaled = force(contact) / mean;
            let is_weak = scaled < 1.0;
            sums.add(0, f64::from(u8::from(is_weak)));
            sums.add_product(1 + if is_weak { 0 } else { tensor }, &snapshot.force(contact), &contact.branch());
            let bin = ((scaled / self.width) as usize).min(self.bins);
            sums.add(1 + 2 * tensor + bin, 1.0);
        });
        let volume = self.region.volume(snapshot);
        let mut row = vec![contacts, mean, greatest[0], ratio(sums[0], contacts)];
        for network in 0..2 {
            let from = 1 + network * tensor;
            let stress: Vec<f64> = sums[from..from + tensor].iter().map(|moment| ratio(*moment, volume)).collect();
            row.extend([mean_of::<X>(&stress), deviator_of::<X>(&stress)]);
        }
        let counts = &sums[1 + 2 * tensor..];
        row.push(ratio(counts[self.bins], contacts));
        row.extend(counts[..self.bins].iter().map(|count| ratio(*count, contacts * self.width)));
        vec![row]
    }
}
