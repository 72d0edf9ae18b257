//! Wall time by phase. A wrapper around the work, so that no early exit can leave a clock running.

use std::time::{Duration, Instant};

/// The phases of a step, and the writing of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Order of bodies and cuts of space.
    Rearrange,
    /// Free motion.
    Predict,
    /// Rough and fine detection.
    Detect,
    /// Problems from contacts.
    Assemble,
    /// Sweeps and interface.
    Solve,
    /// Velocities, impulses and sums read off.
    Remember,
    /// Overlaps undone.
    Separate,
    /// New states.
    Update,
    /// Files.
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

    /// Its name in tables.
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

/// Time spent in each phase since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    spent: [Duration; 9],
}

impl Timing {
    /// Do the work and count its time.
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
