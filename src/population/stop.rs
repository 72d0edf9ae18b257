//! What ends a run before its time: conditions on sums that no order can change, so that every process sees them hold after
//! the same step.

use crate::scene::{StopEntry, axis_number};

/// A condition, and how long it must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// The condition.
    pub condition: Condition,
    /// Not before this time, s.
    after: f64,
    /// Steps on end for which it must hold; at least one.
    steps: u64,
    /// The same in words.
    words: String,
}

/// What must be so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Condition {
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
pub struct Findings {
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

impl Condition {
    /// How far things have moved that were at `start` and are at `now`.
    pub fn moved(&self, now: f64, start: f64) -> f64 {
        match self {
            Self::Strained { .. } => (now - start) / start.abs(),
            _ => now - start,
        }
    }
}

impl Stop {
    /// As the scene has it, in `dimension` dimensions and steps of `h`.
    pub(crate) fn new(entry: &StopEntry, dimension: usize, h: f64) -> Self {
        let mut steps = 1;
        let (condition, words) = if let Some(energy) = &entry.kinetic_energy {
            steps = ((energy.lasting / h - 1e-9).ceil() as u64).max(1);
            let words = format!("kinetic energy below {} J for {} s", energy.below, energy.lasting);
            (Condition::Energy(energy.below), words)
        } else if let Some(stop) = &entry.displacement {
            let words = format!("body {} moved along {} beyond {} m", stop.body, stop.axis, stop.beyond);
            let moved = |axis| Condition::Moved { body: stop.body, axis, beyond: stop.beyond };
            (axis_number(&stop.axis, dimension).map_or(Condition::Never, moved), words)
        } else if let Some(stop) = &entry.strain {
            let [a, b] = stop.between;
            let words = format!("strain along {} between bodies {a} and {b} beyond {}", stop.axis, stop.beyond);
            let strained = |axis| Condition::Strained { between: stop.between, axis, beyond: stop.beyond };
            (axis_number(&stop.axis, dimension).map_or(Condition::Never, strained), words)
        } else {
            let limits = entry.bodies.as_ref().map(|bodies| (bodies.below, bodies.above));
            match limits {
                Some((Some(below), _)) => (Condition::Fewer(below), format!("fewer than {below} bodies")),
                Some((None, Some(above))) => (Condition::More(above), format!("more than {above} bodies")),
                _ => (Condition::Never, String::new()),
            }
        };
        Self { condition, after: entry.after, steps, words }
    }

    /// Is it so now? `held` counts the steps for which it has been so on end; the words of the condition when it ends the run.
    pub fn judge(&self, findings: &Findings, held: &mut u64) -> Option<&str> {
        let holds = match self.condition {
            Condition::Energy(below) => findings.kinetic_energy < below,
            Condition::Fewer(below) => findings.bodies < below,
            Condition::More(above) => findings.bodies > above,
            Condition::Moved { beyond, .. } | Condition::Strained { beyond, .. } => {
                findings.moved.is_some_and(|moved| if beyond < 0.0 { moved < beyond } else { moved > beyond })
            }
            Condition::Never => false,
        };
        *held = if holds && findings.time >= self.after { *held + 1 } else { 0 };
        self.ends(*held)
    }

    /// The words of the condition if it has `held` long enough.
    pub fn ends(&self, held: u64) -> Option<&str> {
        (held >= self.steps).then_some(&self.words[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{DisplacementStop, EnergyStop, StrainStop};

    const NOTHING: StopEntry =
        StopEntry { kinetic_energy: None, bodies: None, displacement: None, strain: None, after: 0.0 };

    fn findings(step: u32, kinetic_energy: f64) -> Findings {
        Findings { time: f64::from(step) * 0.1, kinetic_energy, bodies: 3, moved: None }
    }

    #[test]
    fn rest_must_last_and_begins_anew_when_it_is_disturbed() {
        let kinetic_energy = Some(EnergyStop { below: 1.0, lasting: 0.3 });
        let stop = Stop::new(&StopEntry { kinetic_energy, ..NOTHING }, 2, 0.1);
        let mut held = 0;
        let energies = [0.5, 0.5, 2.0, 0.5, 0.5, 0.5];
        let ends: Vec<bool> =
            (0..).zip(energies).map(|(step, e)| stop.judge(&findings(step, e), &mut held).is_some()).collect();
        assert_eq!(ends, [false, false, false, false, false, true]);
    }

    #[test]
    fn a_strain_is_a_part_of_the_distance_at_the_start() {
        let strain = Some(StrainStop { between: [1, 2], axis: "y".into(), beyond: -0.1 });
        let press = Stop::new(&StopEntry { strain, ..NOTHING }, 2, 0.1);
        assert!((press.condition.moved(1.9, 2.0) + 0.05).abs() < 1e-15);
        assert!((press.condition.moved(-1.9, -2.0) - 0.05).abs() < 1e-15);
        let moved = |moved| Findings { moved: Some(moved), ..findings(1, 0.0) };
        assert!(press.judge(&moved(-0.11), &mut 0).is_some() && press.judge(&moved(-0.09), &mut 0).is_none());
    }

    #[test]
    fn a_distance_counts_on_its_own_side_and_not_before_its_time() {
        let displacement = |beyond| Some(DisplacementStop { body: 1, axis: "y".into(), beyond });
        let back = Stop::new(&StopEntry { displacement: displacement(-0.5), after: 0.2, ..NOTHING }, 2, 0.1);
        let moved = |step, moved| Findings { moved: Some(moved), ..findings(step, 0.0) };
        let holds = |stop: &Stop, f| stop.judge(&f, &mut 0).is_some();
        assert!(!holds(&back, moved(1, -0.6)) && holds(&back, moved(2, -0.6)));
        assert!(!holds(&back, moved(2, 0.6)) && !holds(&back, findings(2, 0.0)));
    }
}
