//! Jacobi: all contacts are solved at once, each with the velocities that the last sweep left.
//!
//! In: a problem whose velocities belong to its impulses. Out: the same, a sweep further. What n contacts of a body do to it
//! adds up, so each correction is divided by n, the number of contacts of its body with the most of them. With D the local
//! blocks, W <= n D contact by contact: where laws are convex and local solutions exact, the energy that sweeps minimise falls
//! with every one of them as long as `relaxation`, which multiplies 1/n, is below 2. No order of the contacts can show, but for
//! rounding.

use super::momentum::{PlainPolicy, SweepPolicy};
use super::{BodyVelocity, Change, ContactProblem, LocalMap, VelocityView, WORLD};
use crate::dim::Dim;

/// What Jacobi sweeps keep from one to the next.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JacobiState<X: Dim> {
    /// Velocities before the sweep...
    before: Vec<BodyVelocity<X>>,
    /// ...and with what its contacts have done so far.
    after: Vec<BodyVelocity<X>>,
    /// Contacts of each body, with what resists rolling; empty if not counted yet.
    counts: Vec<u32>,
}

impl<X: Dim> Default for JacobiState<X> {
    fn default() -> Self {
        Self { before: Vec::new(), after: Vec::new(), counts: Vec::new() }
    }
}

impl<X: Dim> JacobiState<X> {
    /// The contacts are others from now on.
    pub(super) fn forget(&mut self) {
        self.counts.clear();
    }

    /// The share of its correction that a contact of these bodies may make.
    fn share(&self, bodies: [u32; 2]) -> f64 {
        let [a, b] = bodies.map(|body| self.counts[body as usize]);
        1.0 / f64::from(a.max(b).max(1))
    }

    /// These bodies have the velocities of before the sweep again.
    fn wipe(&self, lines: &mut VelocityView<X>, bodies: [u32; 2]) {
        bodies.into_iter().for_each(|body| lines[body as usize] = self.before[body as usize]);
    }
}

impl<X: Dim> ContactProblem<X> {
    /// One Jacobi sweep over all contacts.
    pub fn sweep_at_once(&mut self, map: LocalMap, relaxation: f64) -> Change {
        self.unpack();
        let mut jacobi = std::mem::take(&mut self.jacobi);
        if jacobi.counts.is_empty() {
            self.count_contacts(&mut jacobi.counts);
        }
        for lines in [&mut jacobi.before, &mut jacobi.after] {
            lines.clear();
            lines.extend(self.lines.iter());
        }
        let Self { lines, masses, round, general, rolling, blocks, glued, .. } = self;
        let (masses, mut pace) = (masses.full(), PlainPolicy::default());
        // Each contact is solved as ever and its trace in the velocities wiped out: the next one must not see it.
        for contact in round.listed() {
            let start = contact.impulse;
            contact.solve(lines, relaxation * jacobi.share(contact.bodies), &mut pace);
            contact.apply(&mut jacobi.after[..], contact.impulse - start);
            jacobi.wipe(lines, contact.bodies);
        }
        let mut glued = glued.iter().peekable();
        for (number, contact) in general.iter_mut().enumerate() {
            let (start, share) = (contact.impulse, relaxation * jacobi.share(contact.bodies));
            match (glued.next_if(|(own, _)| *own as usize == number), map) {
                (Some((_, inverse)), _) => contact.glue(lines, masses, inverse, share, &mut pace),
                (None, LocalMap::Projection) => contact.project(lines, masses, share, &mut pace),
                (None, LocalMap::Exact) => contact.solve(lines, masses, &blocks[number], share, &mut pace),
            }
            contact.apply(&mut jacobi.after[..], masses, contact.impulse - start);
            jacobi.wipe(lines, contact.bodies);
        }
        for rolling in rolling.iter_mut() {
            let (start, contact) = (rolling.impulse, &general[rolling.contact as usize]);
            let share = relaxation * jacobi.share(contact.bodies);
            rolling.solve(lines, masses, contact.normal_impulse(), share, &mut pace);
            rolling.apply(&mut jacobi.after[..], masses, rolling.impulse - start);
            jacobi.wipe(lines, contact.bodies);
        }
        jacobi.after.iter().enumerate().for_each(|(place, &line)| lines[place] = line);
        self.jacobi = jacobi;
        SweepPolicy::<X::Vector>::change(&pace)
    }

    /// How many contacts each body has; the world does not count.
    fn count_contacts(&self, counts: &mut Vec<u32>) {
        counts.resize(self.lines.len(), 0);
        let round = self.round.iter().map(|contact| contact.bodies);
        let general = self.general.iter().map(|contact| contact.bodies);
        let rolling = self.rolling.iter().map(|rolling| self.general[rolling.contact as usize].bodies);
        for body in round.chain(general).chain(rolling).flatten().filter(|&body| body != WORLD) {
            counts[body as usize] += 1;
        }
    }
}
