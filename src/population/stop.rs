//! What ends a run before its time: conditions on sums that no order can change, so that every process sees them hold after
//! the same step.

/// A condition, and how long it must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct StopCondition {
    /// The condition.
    pub condition: StopCriterion,
    /// Not before this time, s.
    pub(crate) after: f64,
    /// Steps on end for which it must hold; at least one.
    pub(crate) steps: u64,
    /// The same in words.
    pub(crate) words: String,
}

/// What must be so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopCriterion {
    /// Kinetic energy of all bodies below this, J.
    Energy(f64),
    /// Fewer bodies than this.
    Fewer(u64),
    /// More bodies than this.
    More(u64),
    /// A body has moved so far.
    Moved {
        /// Whose it is.
        body: u64,
        /// Along which axis.
        axis: usize,
        /// How far, m; against the axis where it is negative.
        beyond: f64,
    },
    /// The distance of two bodies has changed by so much.
    Strained {
        /// Whose it is.
        between: [u64; 2],
        /// Along which axis.
        axis: usize,
        /// By which part of what it was; less where it is negative.
        beyond: f64,
    },
    /// Never.
    Never,
}

/// What conditions are about, after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopQuantities {
    /// Simulated time, s.
    pub time: f64,
    /// Kinetic energy of all bodies, J.
    pub kinetic_energy: f64,
    /// Number of bodies.
    pub bodies: u64,
    /// How far the body of this condition has moved, m, or how much the distance of its bodies has grown, as a part of what it
    /// was; `None` if there is no such body.
    pub moved: Option<f64>,
}

impl StopCriterion {
    /// How far things have moved that were at `start` and are at `now`.
    pub fn moved(&self, now: f64, start: f64) -> f64 {
        match self {
            Self::Strained { .. } => (now - start) / start.abs(),
            _ => now - start,
        }
    }
}

impl StopCondition {
    /// Is it so now? `held` counts the steps for which it has been so on end; the words of the condition when it ends the run.
    pub fn judge(&self, findings: &StopQuantities, held: &mut u64) -> Option<&str> {
        let holds = match self.condition {
            StopCriterion::Energy(below) => findings.kinetic_energy < below,
            StopCriterion::Fewer(below) => findings.bodies < below,
            StopCriterion::More(above) => findings.bodies > above,
            StopCriterion::Moved { beyond, .. } | StopCriterion::Strained { beyond, .. } => {
                findings.moved.is_some_and(|moved| if beyond < 0.0 { moved < beyond } else { moved > beyond })
            }
            StopCriterion::Never => false,
        };
        *held = if holds && findings.time >= self.after { *held + 1 } else { 0 };
        self.ends(*held)
    }

    /// The words of the condition if it has `held` long enough.
    pub fn ends(&self, held: u64) -> Option<&str> {
        (held >= self.steps).then_some(&self.words[..])
    }
}
