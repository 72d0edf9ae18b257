//! Stop conditions: they end a run early. They depend on order-independent sums, so that they are met on every process
//! after the same step.

/// A criterion and how long it must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct StopCondition {
    /// The criterion.
    pub condition: StopCriterion,
    /// Earliest time, s.
    pub(crate) after: f64,
    /// Consecutive steps for which it must hold; at least one.
    pub(crate) steps: u64,
    /// Description in words.
    pub(crate) words: String,
}

/// Criterion on the state after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StopCriterion {
    /// The kinetic energy of all bodies is below this, J.
    Energy(f64),
    /// There are fewer bodies than this.
    Fewer(u64),
    /// There are more bodies than this.
    More(u64),
    /// The displacement of a body exceeds a limit.
    Moved {
        /// Id of the body.
        body: u64,
        /// Axis of the displacement.
        axis: usize,
        /// Limit, m; negative for a displacement against the axis.
        beyond: f64,
    },
    /// The relative change of the distance between two bodies exceeds a limit.
    Strained {
        /// Ids of the bodies.
        between: [u64; 2],
        /// Axis along which the distance is measured.
        axis: usize,
        /// Limit, relative to the distance at the start; negative for a decrease.
        beyond: f64,
    },
    /// Never met.
    Never,
}

/// Quantities after a step that criteria refer to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopQuantities {
    /// Simulated time, s.
    pub time: f64,
    /// Kinetic energy of all bodies, J.
    pub kinetic_energy: f64,
    /// Number of bodies.
    pub bodies: u64,
    /// Displacement of the body of this condition, m, or relative change of the distance between its bodies; `None` if
    /// there is no such body.
    pub moved: Option<f64>,
}

impl StopCriterion {
    /// Displacement, or relative change of distance, from `start` to `now`.
    pub fn moved(&self, now: f64, start: f64) -> f64 {
        match self {
            Self::Strained { .. } => (now - start) / start.abs(),
            _ => now - start,
        }
    }
}

impl StopCondition {
    /// Evaluates the condition after a step; `held` counts the consecutive steps for which it has held. Returns its
    /// description when it ends the run.
    pub fn evaluate(&self, quantities: &StopQuantities, held: &mut u64) -> Option<&str> {
        let holds = match self.condition {
            StopCriterion::Energy(below) => quantities.kinetic_energy < below,
            StopCriterion::Fewer(below) => quantities.bodies < below,
            StopCriterion::More(above) => quantities.bodies > above,
            StopCriterion::Moved { beyond, .. } | StopCriterion::Strained { beyond, .. } => {
                quantities.moved.is_some_and(|moved| if beyond < 0.0 { moved < beyond } else { moved > beyond })
            }
            StopCriterion::Never => false,
        };
        *held = if holds && quantities.time >= self.after { *held + 1 } else { 0 };
        self.ends(*held)
    }

    /// The description of the condition if it has `held` long enough.
    pub fn ends(&self, held: u64) -> Option<&str> {
        (held >= self.steps).then_some(&self.words[..])
    }
}
