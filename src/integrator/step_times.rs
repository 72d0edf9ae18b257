//! The times of a step.

/// Characteristic times of a step, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTimes {
    /// Start of the step.
    pub start: f64,
    /// Mid-step, at which contacts are detected.
    pub middle: f64,
    /// Time from the start to mid-step.
    pub first: f64,
    /// Length of the step.
    pub step: f64,
}
