//! Multiple impacts: the velocities of rigid bodies after impacts at several contacts at once, by rules that follow how
//! the impact spreads.
//!
//! In: the velocities before, masses, contacts with their coefficients of restitution. Out: the normal impulse and the
//! normal velocity after at every contact, which the step then demands of its laws. Friction plays no part here: it is
//! left to the sweeps.

mod problem;
mod sequence;
mod stiffness;

use crate::dim::Dim;
use problem::Course;

pub use problem::{Impact, ImpactContact, ImpactProblem};

/// What happens when bodies that touch several others collide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImpactRule {
    /// Moreau's rule: restitution relates the velocities before and after at each contact, all contacts together.
    #[default]
    Moreau,
    /// Impacts of two bodies at a time, that of the fastest approach first, until no contact approaches.
    Sequence,
    /// The contacts are springs of very different or equal `stiffness`, much stiffer than a step can resolve, and the
    /// impact runs its course in them.
    Stiffness,
}

impl<X: Dim> ImpactProblem<X> {
    /// The impacts by this rule, Moreau's needs none, and whether they ended within the work allowed. Springs have forces
    /// proportional to the power `exponent` of their compression.
    pub fn solve(mut self, rule: ImpactRule, exponent: f64) -> (Vec<Impact>, bool) {
        let Course { impulses, has_ended } = match rule {
            ImpactRule::Moreau => Course { impulses: vec![0.0; self.contacts.len()], has_ended: true },
            ImpactRule::Sequence => sequence::solve(&mut self),
            ImpactRule::Stiffness => stiffness::solve(&mut self, exponent),
        };
        let after = |(k, impulse)| Impact { impulse, velocity: self.velocity(k) };
        (impulses.into_iter().enumerate().map(after).collect(), has_ended)
    }
}

#[cfg(test)]
mod tests;
