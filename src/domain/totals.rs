//! Sums over the contacts of a step on all processes: penetration, energy, normal impulse.

use crate::base::ExactSum;
use crate::comm::{Comm, PendingReduction};
use crate::solver::{Dissipation, EnergyTransfers, StepEnergy};

/// Sums over the contacts of a step on all processes; exact, so that they do not depend on the order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactTotals {
    /// Largest penetration over the size of the smaller body.
    pub max_penetration: f64,
    /// Depth of the deepest penetration, m.
    pub deepest: f64,
    /// Sum of the penetrations over the size of the smaller body.
    pub penetration: f64,
    /// Number of contacts.
    pub contacts: u64,
    /// Energy exchanged at the contacts, J.
    pub flows: StepEnergy,
    /// Contacts with Painlevé-like data.
    pub painleve: u64,
    /// Contacts whose overlap is too deep to determine a contact normal.
    pub ambiguous: u64,
    /// Sum of the normal impulses, N s.
    pub normal_impulse: f64,
    /// Number of contacts in that sum: those with a nonzero impulse.
    pub carrying: u64,
}

impl ContactTotals {
    /// Mean penetration over all contacts.
    pub fn mean_penetration(&self) -> f64 {
        if self.contacts > 0 { self.penetration / self.contacts as f64 } else { 0.0 }
    }

    /// Mean normal impulse over the contacts that carry one, N s.
    pub fn mean_impulse(&self) -> f64 {
        if self.carrying > 0 { self.normal_impulse / self.carrying as f64 } else { 0.0 }
    }

    /// Collective. Sums `parts`, the totals of the subdomains here, over all processes. `worst` becomes the maximum
    /// over all.
    pub(super) fn reduce<'a>(
        parts: impl Iterator<Item = &'a Self>,
        worst: &mut f64,
        comm: &dyn Comm,
        reduction: &mut PendingReduction,
    ) -> Self {
        let mut sums: [ExactSum; 13] = std::array::from_fn(|_| ExactSum::default());
        let mut greatest = [0.0f64, *worst, 0.0];
        for part in parts {
            let counts = [part.contacts, part.painleve, part.ambiguous, part.carrying].map(|count| count as f64);
            // The other energy terms do not come from contacts.
            let Dissipation { normal, friction, rolling, links, .. } = part.flows.dissipation;
            let EnergyTransfers { stored, driven, cell, .. } = part.flows.transfers;
            let flows = [normal, friction, rolling, links, stored, driven, cell];
            let terms = [part.penetration, part.normal_impulse].into_iter().chain(counts).chain(flows);
            sums.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
            greatest[0] = greatest[0].max(part.max_penetration);
            greatest[2] = greatest[2].max(part.deepest);
        }
        reduction.load(&sums);
        comm.begin_sum(reduction);
        comm.max(&mut greatest);
        comm.end_sum(reduction);
        let [penetration, normal_impulse, contacts, painleve, ambiguous, carrying, flows @ ..] = reduction.read::<13>();
        let [normal, friction, rolling, links, stored, driven, cell] = flows;
        *worst = greatest[1];
        Self {
            max_penetration: greatest[0],
            deepest: greatest[2],
            penetration,
            flows: StepEnergy {
                dissipation: Dissipation { normal, friction, rolling, links, material: 0.0 },
                transfers: EnergyTransfers { stored, driven, cell, ..EnergyTransfers::default() },
                unresolved: 0.0,
            },
            contacts: contacts as u64,
            painleve: painleve as u64,
            ambiguous: ambiguous as u64,
            normal_impulse,
            carrying: carrying as u64,
        }
    }
}
