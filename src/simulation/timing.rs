//! Wall time by phase, measured by a wrapper around the work so that no early exit leaves a clock running.

use std::time::{Duration, Instant};

/// Phases of a step, and output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Update the population, sort the bodies, repartition space.
    Rearrange,
    /// Predict the free motion.
    Predict,
    /// Broad and narrow phase, migration and ghosts.
    Detect,
    /// Build the contact problems.
    Assemble,
    /// Sweeps and interface exchange.
    Solve,
    /// Read velocities, impulses and sums from the solved problems.
    Remember,
    /// Correct overlaps.
    Separate,
    /// Update the states.
    Update,
    /// Write files.
    Output,
}

impl Phase {
    /// All phases, in the order of a step.
    pub const ALL: [Phase; 9] = [
        Phase::Rearrange,
        Phase::Predict,
        Phase::Detect,
        Phase::Assemble,
        Phase::Solve,
        Phase::Remember,
        Phase::Separate,
        Phase::Update,
        Phase::Output,
    ];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Rearrange => "rearrange",
            Phase::Predict => "predict",
            Phase::Detect => "detect",
            Phase::Assemble => "assemble",
            Phase::Solve => "solve",
            Phase::Remember => "remember",
            Phase::Separate => "separate",
            Phase::Update => "update",
            Phase::Output => "output",
        }
    }
}

/// Wall time spent in each phase since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    spent: [Duration; 9],
}

impl Timing {
    /// Performs `work` and adds its wall time to `phase`.
    pub fn phase<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.spent[phase as usize] += start.elapsed();
        result
    }

    /// Time spent in a phase, s.
    pub fn seconds(&self, phase: Phase) -> f64 {
        self.spent[phase as usize].as_secs_f64()
    }

    /// Time spent in all phases, s.
    pub fn total(&self) -> f64 {
        self.spent.iter().sum::<Duration>().as_secs_f64()
    }
}
