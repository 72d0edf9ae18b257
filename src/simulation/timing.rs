//! Wall time by phase, and the part of it in which the process waits for others, measured by a wrapper around the work so
//! that no early exit leaves a clock running.

use std::time::{Duration, Instant};

use crate::comm::{Comm, WaitingTime};

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
    /// Update the states, report the step.
    Update,
    /// Write files, agree on whether to stop or to save.
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

/// Wall time spent in each phase since the start, and the time blocked in communication.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    spent: [Duration; 9],
    waited: [Duration; 9],
    waiting: WaitingTime,
}

impl Timing {
    /// No time yet, of a process of `comm`.
    pub fn new(comm: &dyn Comm) -> Self {
        Self { waiting: comm.waiting(), ..Self::default() }
    }

    /// Performs `work` and adds its wall time to `phase`.
    pub fn phase<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let (start, waited) = (Instant::now(), self.waiting.total());
        let result = work();
        self.spent[phase as usize] += start.elapsed();
        self.waited[phase as usize] += self.waiting.total() - waited;
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
    /// The part of it blocked in communication, s.
    pub fn waited(&self, phase: Phase) -> f64 {
        self.waited[phase as usize].as_secs_f64()
    }

    /// Time blocked in communication in all phases, s.
    pub fn total_waited(&self) -> f64 {
        self.waited.iter().sum::<Duration>().as_secs_f64()
    }

    /// Time that the process has been blocked in communication since it started, in phases or not, s.
    pub fn waited_since_start(&self) -> f64 {
        self.waiting.total().as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::thread_comms;

    /// Time that the second process is late in each phase.
    const LATE: Duration = Duration::from_millis(20);

    #[test]
    fn waiting_is_booked_in_the_phase_in_which_a_process_waits() {
        let timings = thread_comms(2, |comm| {
            let mut timing = Timing::new(comm);
            comm.sum(&mut [0]);
            let before = timing.waited_since_start();
            for phase in [Phase::Detect, Phase::Solve, Phase::Solve] {
                timing.phase(phase, || {
                    if comm.rank() == 1 {
                        std::thread::sleep(LATE);
                    }
                    comm.sum(&mut [0]);
                });
            }
            timing.phase(Phase::Update, || std::thread::sleep(LATE));
            let all = timing.waited_since_start() - before;
            assert!((timing.total_waited() - all).abs() < 1e-9, "all waiting was in a phase");
            timing
        });
        let late = LATE.as_secs_f64();
        let [early, last] = &timings[..] else { panic!("two processes") };
        // The clocks of threads that share cores are late themselves: only lower bounds hold.
        assert!(early.waited(Phase::Detect) > 0.5 * late && early.waited(Phase::Solve) > late);
        let work = |timing: &Timing, phase| timing.seconds(phase) - timing.waited(phase);
        assert!(work(last, Phase::Detect) >= 0.9 * late && work(last, Phase::Solve) >= 1.8 * late);
        for timing in &timings {
            assert!(timing.waited(Phase::Update) == 0.0 && timing.seconds(Phase::Update) >= 0.9 * late);
            assert!(Phase::ALL.iter().all(|&phase| timing.waited(phase) <= timing.seconds(phase)));
        }
    }
}
