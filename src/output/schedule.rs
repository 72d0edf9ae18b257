//! Schedules of output: intervals in steps, simulated time or wall time.

use std::time::{Duration, Instant};

/// Schedule at multiples of a simulated time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Interval, simulated s.
    every: f64,
    next: u64,
}

impl Schedule {
    /// Due every so many seconds, starting at time zero; `None` for never.
    pub fn new(every: Option<f64>) -> Self {
        Self { every: every.unwrap_or(f64::INFINITY), next: 0 }
    }

    /// True if output is due at `time`. The tolerance is half a step, since times are multiples of `h`.
    pub fn is_due(&mut self, time: f64, h: f64) -> bool {
        if self.every == f64::INFINITY || time + 0.5 * h < self.next as f64 * self.every {
            return false;
        }
        while time + 0.5 * h >= self.next as f64 * self.every {
            self.next += 1;
        }
        true
    }
}

/// Intervals between two checkpoints; `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckpointIntervals {
    /// Steps.
    pub steps: Option<u64>,
    /// Simulated time, s.
    pub seconds: Option<f64>,
    /// Wall time, min.
    pub minutes: Option<f64>,
}

/// Schedule of checkpoints.
pub struct CheckpointSchedule {
    every_steps: Option<u64>,
    seconds: Schedule,
    every_wall: Option<Duration>,
    last: Instant,
}

impl CheckpointSchedule {
    /// Schedule of a run at `time`, where no checkpoint is due.
    pub fn new(every: &CheckpointIntervals, time: f64, h: f64) -> Self {
        let mut seconds = Schedule::new(every.seconds);
        seconds.is_due(time, h);
        let minutes = |m: f64| Duration::try_from_secs_f64(60.0 * m).unwrap_or(Duration::MAX);
        let every_wall = every.minutes.map(minutes);
        Self { every_steps: every.steps, seconds, every_wall, last: Instant::now() }
    }

    /// True if one is due by step or simulated time: the same on all processes.
    pub fn is_due(&mut self, step: u64, time: f64, h: f64) -> bool {
        let by_time = self.seconds.is_due(time, h);
        by_time || self.every_steps.is_some_and(|every| step.is_multiple_of(every))
    }

    /// True if one is due by the wall clock of this process.
    pub fn is_overdue(&self) -> bool {
        self.every_wall.is_some_and(|every| self.last.elapsed() >= every)
    }

    /// Notes that a checkpoint was written.
    pub fn done(&mut self) {
        self.last = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_schedule_goes_on_where_the_first_left_off() {
        let h = 0.01;
        let mut whole = Schedule::new(Some(0.03));
        let due: Vec<u32> = (0..20).filter(|&n| whole.is_due(f64::from(n) * h, h)).collect();
        assert_eq!(due, [0, 3, 6, 9, 12, 15, 18]);
        let mut resumed = Schedule::new(Some(0.03));
        resumed.is_due(7.0 * h, h);
        let due: Vec<u32> = (8..20).filter(|&n| resumed.is_due(f64::from(n) * h, h)).collect();
        assert_eq!(due, [9, 12, 15, 18]);
    }

    #[test]
    fn checkpoints_are_due_by_steps_or_by_simulated_time() {
        let every = CheckpointIntervals { steps: Some(5), seconds: Some(0.04), minutes: None };
        let mut schedule = CheckpointSchedule::new(&every, 0.0, 0.01);
        let due: Vec<u64> = (1..=12).filter(|&n| schedule.is_due(n, n as f64 * 0.01, 0.01)).collect();
        assert_eq!(due, [4, 5, 8, 10, 12]);
    }
}
