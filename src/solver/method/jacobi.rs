//! Jacobi sweep: all contacts are solved at once, each with the velocities after the last sweep.
//!
//! In: a problem whose velocities are consistent with its impulses. Out: the same, one sweep further. The effects of
//! the n contacts of a body add up, so each correction is divided by n, the greater number of contacts of its two
//! bodies. With D the local blocks, W <= n D contact by contact: where laws are convex and local
//! solutions exact, the energy that sweeps minimise falls with every sweep as long as `relaxation`, which multiplies
//! 1/n, is below 2. The result does not depend on the order of the contacts, up to rounding.

use super::sweep_method::Method;
use crate::dim::Dim;
use crate::solver::deformable::RigidEnds;
use crate::solver::sweep_policy::{PlainPolicy, SweepPolicy};
use crate::solver::{Change, ContactProblem, LocalMap, WORLD};

/// Jacobi sweeps.
pub(super) struct JacobiMethod;

impl Method for JacobiMethod {
    const WITHOUT_ORDER: Option<&'static str> = Some("Jacobi sweeps update all contacts at once and have no order");

    fn sweep<X: Dim>(problem: &mut ContactProblem<X>, map: LocalMap, relaxation: f64) -> Change {
        problem.sweep_at_once(map, relaxation)
    }
}

impl<X: Dim> ContactProblem<X> {
    /// One Jacobi sweep over all contacts.
    pub fn sweep_at_once(&mut self, map: LocalMap, relaxation: f64) -> Change {
        self.unpack();
        let mut jacobi = std::mem::take(&mut self.sweeps.jacobi);
        if jacobi.counts.is_empty() {
            self.count_contacts(&mut jacobi.counts);
        }
        for copy in [&mut jacobi.before, &mut jacobi.after] {
            copy.clear();
            copy.extend(self.rows.iter());
        }
        let Self { rows, masses, round, general, rolling, blocks, bilateral, ends, .. } = self;
        let (masses, mut policy) = (masses.full(), PlainPolicy::default());
        let indices = |bodies: [u32; 2]| bodies.into_iter().map(|body| body as usize);
        // Each contact is solved as in Gauss-Seidel, and then its effect on the velocities is undone: the next contact
        // must not see it.
        for contact in round.listed() {
            let start = contact.impulse;
            contact.solve(rows, relaxation * jacobi.share(contact.bodies), &mut policy);
            contact.apply(&mut jacobi.after[..], contact.impulse - start);
            jacobi.reset_rows(rows, indices(contact.bodies));
        }
        let (mut bilateral, mut ends) = (bilateral.iter().peekable(), ends.in_order());
        for (number, contact) in general.iter_mut().enumerate() {
            let (start, share) = (contact.impulse, relaxation * jacobi.share(contact.bodies));
            let inverse = bilateral.next_if(|(own, _)| *own as usize == number).map(|(_, inverse)| inverse);
            let how = (map, inverse, blocks.get(number));
            match ends.of(number) {
                None => {
                    contact.update(rows, masses, &RigidEnds, how, share, &mut policy);
                    contact.apply(&mut jacobi.after[..], masses, &RigidEnds, contact.impulse - start);
                }
                Some(ends) => {
                    contact.update(rows, masses, &ends, how, share, &mut policy);
                    contact.apply(&mut jacobi.after[..], masses, &ends, contact.impulse - start);
                    jacobi.reset_rows(rows, ends.rows());
                }
            }
            jacobi.reset_rows(rows, indices(contact.bodies));
        }
        for rolling in rolling.iter_mut() {
            let (start, contact) = (rolling.impulse, &general[rolling.contact as usize]);
            let share = relaxation * jacobi.share(contact.bodies);
            rolling.solve(rows, masses, contact.normal_impulse(), share, &mut policy);
            rolling.apply(&mut jacobi.after[..], masses, rolling.impulse - start);
            jacobi.reset_rows(rows, indices(contact.bodies));
        }
        jacobi.after.iter().enumerate().for_each(|(index, &row)| rows[index] = row);
        self.sweeps.jacobi = jacobi;
        SweepPolicy::<X::Vector>::change(&policy)
    }

    /// Counts the contacts of each body; the world is not counted.
    fn count_contacts(&self, counts: &mut Vec<u32>) {
        counts.resize(self.rows.len(), 0);
        let round = self.round.iter().map(|contact| contact.bodies);
        let general = self.general.iter().map(|contact| contact.bodies);
        let rolling = self.rolling.iter().map(|rolling| self.general[rolling.contact as usize].bodies);
        for body in round.chain(general).chain(rolling).flatten().filter(|&body| body != WORLD.0) {
            counts[body as usize] += 1;
        }
    }
}
