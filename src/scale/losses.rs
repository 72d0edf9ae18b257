//! What a run loses against ideal scaling, and where: memory that the processes share, messages, waiting, and the rest.
//!
//! The memory of a machine is shared by its cores. How much that costs tells a run on one process, repeated by as many
//! independent copies at once: no decomposition on this machine is faster than they are together.

use std::fmt::Write;

use super::{ScalingKind, ScalingPoint};

/// Parts of the time of a step, which sum to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    /// Time with ideal scaling.
    pub ideal: f64,
    /// What independent copies lose: shared memory and clock frequency.
    pub memory: f64,
    /// Messages between sweeps.
    pub messages: f64,
    /// Waiting for slower processes between sweeps.
    pub waiting: f64,
    /// Everything else: copies of interface bodies, waiting in other phases, work that is not divided.
    pub rest: f64,
    /// Time of the copies, divided by the processes in strong scaling, over that of the run.
    pub of_copies: f64,
}

impl Losses {
    /// Of the run `p`, with a time of copies, relative to the run `first`, on one process.
    pub fn of(kind: ScalingKind, first: &ScalingPoint, p: &ScalingPoint) -> Option<Self> {
        let copies = p.copies.filter(|_| first.processes == 1)?;
        let share = match kind {
            ScalingKind::Strong => 1.0 / p.processes as f64,
            // A larger problem needs more sweeps.
            ScalingKind::Weak => p.sweeps.max(1.0) / first.sweeps.max(1.0),
        };
        let of_step = |seconds: f64| seconds / p.times.seconds;
        let (ideal, of_copies) = (of_step(first.times.seconds * share), of_step(copies * share));
        let [messages, waiting] = [p.times.exchange, p.times.wait].map(of_step);
        let rest = 1.0 - of_copies - messages - waiting;
        Some(Self { ideal, memory: of_copies - ideal, messages, waiting, rest, of_copies })
    }
}

/// Table of the losses of all runs with copies; empty without any.
pub(super) fn text(kind: ScalingKind, points: &[ScalingPoint]) -> String {
    let mut text = String::new();
    for p in points {
        let Some(losses) = Losses::of(kind, &points[0], p) else { continue };
        if text.is_empty() {
            text += "% of a step    ideal  memory  messages  waiting    rest  efficiency against independent copies\n";
        }
        let _ = writeln!(
            text,
            "{:>5} ranks{:>9.1}{:>8.1}{:>10.1}{:>9.1}{:>8.1}{:>9.1} %",
            p.processes,
            100.0 * losses.ideal,
            100.0 * losses.memory,
            100.0 * losses.messages,
            100.0 * losses.waiting,
            100.0 * losses.rest,
            100.0 * losses.of_copies
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::MeanTimes;

    fn point(processes: usize, seconds: f64, sweeps: f64, copies: Option<f64>) -> ScalingPoint {
        let times = MeanTimes { seconds, exchange: 0.1 * seconds, wait: 0.05 * seconds, ..MeanTimes::default() };
        ScalingPoint { processes, sweeps, times, copies, ..ScalingPoint::default() }
    }

    #[test]
    fn losses_sum_to_one_and_independent_copies_tell_the_part_of_the_memory() {
        let first = point(1, 8.0, 10.0, None);
        for (kind, p, ideal, of_copies) in [
            (ScalingKind::Strong, point(4, 4.0, 10.0, Some(12.0)), 0.5, 0.75),
            (ScalingKind::Weak, point(4, 32.0, 20.0, Some(12.0)), 0.5, 0.75),
        ] {
            let losses = Losses::of(kind, &first, &p).unwrap();
            assert!((losses.ideal - ideal).abs() < 1e-12 && (losses.of_copies - of_copies).abs() < 1e-12);
            assert!((losses.memory - 0.25).abs() < 1e-12 && (losses.messages - 0.1).abs() < 1e-12);
            let Losses { ideal, memory, messages, waiting, rest, .. } = losses;
            assert!((ideal + memory + messages + waiting + rest - 1.0).abs() < 1e-12);
            assert!(
                text(kind, &[first.clone(), p])
                    .contains("    4 ranks     50.0    25.0      10.0      5.0    10.0     75.0 %")
            );
        }
        assert!(Losses::of(ScalingKind::Weak, &first, &point(4, 1.0, 1.0, None)).is_none());
        assert_eq!(text(ScalingKind::Weak, &[first]), "");
    }
}
