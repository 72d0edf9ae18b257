//! What a run loses against ideal scaling, and where: memory that the processes share, uneven work, waiting, messages, and
//! work that more processes add.
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
    /// What independent copies lose: shared memory and clock frequency. `None` without copies: then it is a part of
    /// `added`.
    pub memory: Option<f64>,
    /// Waiting that uneven work explains.
    pub imbalance: f64,
    /// Other waiting for slower processes: the work of single sweeps and steps differs.
    pub waiting: f64,
    /// Messages.
    pub messages: f64,
    /// Work that more processes add, or that is not divided: copies of interface bodies, ghosts, serial work.
    pub added: f64,
}

impl Losses {
    /// Of the run `p` relative to the run `first`, on one process.
    pub fn of(kind: ScalingKind, first: &ScalingPoint, p: &ScalingPoint) -> Option<Self> {
        if first.processes != 1 || p.processes == 1 || p.is_oversubscribed {
            return None;
        }
        let share = match kind {
            ScalingKind::Strong => 1.0 / p.processes as f64,
            // A larger problem needs more sweeps.
            ScalingKind::Weak => p.sweeps.max(1.0) / first.sweeps.max(1.0),
        };
        let of_step = |seconds: f64| seconds / p.times.seconds;
        let ideal = of_step(first.times.seconds * share);
        let memory = p.copies.map(|copies| of_step(copies * share) - ideal);
        let [imbalance, waiting, messages] =
            [p.times.uneven, p.times.wait - p.times.uneven, p.times.exchange].map(of_step);
        let added = 1.0 - ideal - memory.unwrap_or(0.0) - imbalance - waiting - messages;
        Some(Self { ideal, memory, imbalance, waiting, messages, added })
    }

    /// Time of the copies, divided by the processes in strong scaling, over that of the run.
    pub fn of_copies(&self) -> Option<f64> {
        self.memory.map(|memory| self.ideal + memory)
    }
}

/// Table of the losses of all runs on several processes; empty without any.
pub(super) fn text(kind: ScalingKind, points: &[ScalingPoint]) -> String {
    let mut text = String::new();
    for p in points {
        let Some(losses) = Losses::of(kind, &points[0], p) else { continue };
        if text.is_empty() {
            text += "% of a step    ideal  memory  imbalance  waiting  messages  added work  efficiency against independent copies\n";
        }
        let measured = |part: Option<f64>| part.map_or_else(|| "-".to_owned(), |part| format!("{:.1}", 100.0 * part));
        let _ = writeln!(
            text,
            "{:>5} ranks{:>9.1}{:>8}{:>11.1}{:>9.1}{:>10.1}{:>12.1}{:>9}{}",
            p.processes,
            100.0 * losses.ideal,
            measured(losses.memory),
            100.0 * losses.imbalance,
            100.0 * losses.waiting,
            100.0 * losses.messages,
            100.0 * losses.added,
            measured(losses.of_copies()),
            if losses.memory.is_some() { " %" } else { "" }
        );
    }
    text
}

/// Table of the time that processes are blocked in communication, by phase; empty for a single process.
pub(super) fn waited_text(points: &[ScalingPoint]) -> String {
    let mut text = String::new();
    for p in points.iter().filter(|p| p.processes > 1) {
        if text.is_empty() {
            text += "blocked, ms a step    detect  assemble     solve    update    output\n";
        }
        let waited = &p.times.waited;
        let _ = writeln!(
            text,
            "{:>5} ranks{:>17.3}{:>10.3}{:>10.3}{:>10.3}{:>10.3}",
            p.processes,
            1e3 * waited.detect,
            1e3 * waited.assemble,
            1e3 * waited.solve,
            1e3 * waited.update,
            1e3 * waited.output
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::{MeanTimes, WaitedTimes};

    fn point(processes: usize, seconds: f64, sweeps: f64, copies: Option<f64>) -> ScalingPoint {
        let waited = WaitedTimes { detect: 0.002, solve: 0.25 * seconds, ..WaitedTimes::default() };
        let [exchange, wait, uneven] = [0.1, 0.15, 0.05].map(|part| part * seconds);
        let times = MeanTimes { seconds, exchange, wait, uneven, waited, ..MeanTimes::default() };
        ScalingPoint { processes, sweeps, times, copies, ..ScalingPoint::default() }
    }

    #[test]
    fn losses_sum_to_one_and_independent_copies_tell_the_part_of_the_memory() {
        let first = point(1, 8.0, 10.0, None);
        for (kind, p) in [
            (ScalingKind::Strong, point(4, 4.0, 10.0, Some(12.0))),
            (ScalingKind::Weak, point(4, 32.0, 20.0, Some(12.0))),
        ] {
            let losses = Losses::of(kind, &first, &p).unwrap();
            let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
            assert!(near(losses.ideal, 0.5) && near(losses.of_copies().unwrap(), 0.75));
            assert!(near(losses.memory.unwrap(), 0.25) && near(losses.messages, 0.1));
            assert!(near(losses.imbalance, 0.05) && near(losses.waiting, 0.1));
            let Losses { ideal, memory, imbalance, waiting, messages, added } = losses;
            assert!(near(ideal + memory.unwrap() + imbalance + waiting + messages + added, 1.0));
            let line = "    4 ranks     50.0    25.0        5.0     10.0      10.0         0.0     75.0 %";
            let lines = text(kind, &[first.clone(), p]).replace("-0.0", " 0.0");
            assert!(lines.contains(line), "{lines}");
        }
    }

    #[test]
    fn without_copies_the_memory_is_a_part_of_the_added_work() {
        let (first, p) = (point(1, 8.0, 10.0, None), point(4, 4.0, 10.0, None));
        let losses = Losses::of(ScalingKind::Strong, &first, &p).unwrap();
        assert!(losses.memory.is_none() && (losses.added - 0.25).abs() < 1e-12);
        assert!(text(ScalingKind::Strong, &[first.clone(), p.clone()]).contains("    4 ranks     50.0       -  "));
        assert_eq!(text(ScalingKind::Weak, std::slice::from_ref(&first)), "");
        let oversubscribed = ScalingPoint { is_oversubscribed: true, ..p.clone() };
        assert!(Losses::of(ScalingKind::Strong, &first, &oversubscribed).is_none(), "it says nothing about scaling");
        let line = "    4 ranks            2.000     0.000  1000.000     0.000     0.000\n";
        assert!(waited_text(&[first.clone(), p]).ends_with(line));
        assert_eq!(waited_text(&[first]), "");
    }
}
