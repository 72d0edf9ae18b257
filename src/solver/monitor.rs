//! When a solve is checked, when it is over, and when momentum gives way to plain sweeps.
//!
//! A check is a pass over all contacts and a sum over all processes. The first comes after sweep [`ConvergenceMonitor::FIRST`], the
//! next always k sweeps later, k = sqrt(n) after n sweeps, but at least 10 and at most 50: the sweeps made too many
//! (k/2 on average) then cost as much as the checks (n/k of them, half a sweep each). Before the first check there are
//! glances, after sweeps 1, 2, 4, 8, 16: did the sweep change anything to speak of? If not, there is a check after the next
//! sweep; the sum of the glance travels while that sweep runs. All this follows from the number of sweeps alone.
//!
//! Progress is judged by the *merit* m = max(residual/tolerance, D/velocity_error): a solve has converged at m <= 1. With high
//! friction momentum may stagnate above that, or, past the accuracy it can reach, diverge slowly. So whichever of momentum and
//! plain sweeps makes no progress gives way to the other; impulses ten times worse than the best ones for thirty sweeps are
//! dropped for the best ones, from which plain sweeps go on; and a solve that reaches the cap returns the best impulses.

use super::{Certificate, Change, Residual, SolverSettings};

/// The least number of sweeps between two checks...
const SHORTEST: u32 = 10;
/// ...and the greatest.
const LONGEST: u32 = 50;

/// A merit below this share of the least so far is progress...
const PROGRESS: f64 = 0.9;
/// ...which must come within so many sweeps, or half as many as it took so far.
const HOPE: u32 = 60;

/// A merit of so many times the best one...
const ASTRAY: f64 = 10.0;
/// ...for so many sweeps sends the solve back to the best impulses...
const PATIENCE: u32 = 30;
/// ...from which at least so many plain sweeps are made.
const PLAIN: u32 = 60;
/// Impulses of checks before this sweep are not kept: most solves are over by then.
const KEPT_FROM: u32 = 60;

/// What is to be done after a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextAction {
    /// Nothing.
    Nothing,
    /// Ask whether the sweep changed anything to speak of.
    Glance,
    /// Ask for the certificate.
    Check,
}

/// What a check leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// More sweeps.
    GoOn,
    /// More sweeps; these impulses are the best so far and are to be kept.
    Keep,
    /// More sweeps, from the impulses that were kept.
    GoBack,
    /// The solve is over.
    Stop,
    /// The solve is over, and the impulses that were kept are better.
    StopAtBest,
}

impl CheckVerdict {
    /// Is the solve over?
    pub fn is_end(self) -> bool {
        matches!(self, Self::Stop | Self::StopAtBest)
    }
}

/// What a check finds out, over all contacts and bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckSums {
    /// Sum of |correction|^2 of the last sweep.
    pub corrections: f64,
    /// How far the laws are from being satisfied.
    pub residual: Residual,
    /// ||V - V_free||_M^2, J.
    pub moved: f64,
}

/// The best check so far.
#[derive(Clone, Copy, Debug)]
struct BestIterate {
    sweep: u32,
    merit: f64,
}

/// Watches a solve and decides when it is over.
#[derive(Clone, Copy, Debug)]
pub struct ConvergenceMonitor {
    /// Sweep of the next check.
    next: u32,
    /// The greatest number of sweeps.
    cap: u32,
    /// The sweep of the last check.
    last: u32,
    /// See [`is_support_rising`](Self::is_support_rising), at the last check and at the one before.
    rising: [bool; 2],
    /// The least merit since the last turn.
    best: BestIterate,
    /// The check that turned from momentum to plain sweeps or back, and whether they are plain since.
    turn: (u32, bool),
    /// No turn back to momentum before this sweep.
    plain_until: u32,
    /// Are the best impulses kept at all?
    guards: bool,
    /// The check whose impulses were kept, and its certificate.
    kept: Option<(f64, Certificate)>,
    /// The first check since which all merits are far above the best.
    astray: Option<u32>,
    /// D/velocity_error at the last check.
    velocity: f64,
    certificate: Certificate,
}

impl ConvergenceMonitor {
    /// No check before this sweep, unless sweeps change next to nothing.
    pub const FIRST: u32 = 30;

    /// Before the first sweep.
    pub fn new(settings: &SolverSettings) -> Self {
        Self {
            next: Self::FIRST.min(settings.max_sweeps),
            cap: settings.max_sweeps,
            last: 0,
            rising: [false; 2],
            best: BestIterate { sweep: 0, merit: f64::INFINITY },
            turn: (0, false),
            plain_until: 0,
            guards: settings.guards_impulses(),
            kept: None,
            astray: None,
            velocity: f64::INFINITY,
            certificate: Certificate::default(),
        }
    }

    /// The check after one at sweep `sweep`.
    fn after(&self, sweep: u32) -> u32 {
        (sweep + sweep.isqrt().clamp(SHORTEST, LONGEST)).max(Self::FIRST).min(self.cap)
    }

    /// Will a check be due after sweep `sweep`, which is to be made? The check before may still be on its way.
    fn is_last(&self, sweep: u32) -> bool {
        sweep == if sweep > self.next { self.after(self.next) } else { self.next }
    }

    /// Is sweep `sweep` with momentum to smooth what the sweeps before it left to a check? Not the first.
    pub fn is_smoothing(&self, sweep: u32) -> bool {
        sweep > 1 && self.is_last(sweep)
    }

    /// What is due after sweep `sweep`.
    pub fn due(&self, sweep: u32) -> NextAction {
        match sweep {
            _ if sweep == self.next => NextAction::Check,
            _ if sweep < Self::FIRST && sweep.is_power_of_two() => NextAction::Glance,
            _ => NextAction::Nothing,
        }
    }

    /// Judge the state after sweep `sweep`.
    pub fn check(&mut self, sweep: u32, settings: &SolverSettings, findings: &CheckSums) -> CheckVerdict {
        let CheckSums { corrections, residual, moved } = findings;
        let change = Change { corrections: *corrections, ..Change::default() };
        let fixed_point = change.is_fixed_point(residual.impulses, settings);
        let is_due = sweep >= self.next || change.is_calm(residual.impulses, settings);
        let certificate = Certificate {
            residual: residual.relative(),
            worst: residual.largest(),
            velocity_error: residual.velocity_error(*moved),
            sweeps: sweep,
            converged: false,
            contacts: residual.contacts,
            active: residual.active,
        };
        let is_lawful = certificate.residual <= settings.tolerance;
        let is_near = certificate.velocity_error <= settings.velocity_error;
        let converged = is_due && is_lawful && (is_near || fixed_point);
        self.certificate = Certificate { converged, ..certificate };
        let [law, velocity] =
            [certificate.residual / settings.tolerance, certificate.velocity_error / settings.velocity_error];
        let rising = velocity > law.max(1.0) && velocity <= self.velocity;
        self.velocity = velocity;
        self.rising = [rising, self.rising[0]];
        (self.last, self.next) = (sweep, self.after(sweep));
        if converged || fixed_point {
            return CheckVerdict::Stop;
        }
        if !is_due {
            return CheckVerdict::GoOn;
        }
        self.judge_progress(sweep, law.max(velocity))
    }

    /// Turns between momentum and plain sweeps, and back to the best impulses, by the merit of the check at sweep `sweep`.
    fn judge_progress(&mut self, sweep: u32, merit: f64) -> CheckVerdict {
        if merit < PROGRESS * self.best.merit {
            self.best = BestIterate { sweep, merit };
        } else if sweep > self.best.sweep + HOPE.max(self.best.sweep / 2) && sweep >= self.plain_until {
            (self.best, self.turn) = (BestIterate { sweep, merit }, (sweep, !self.turn.1));
        }
        let kept = self.kept.map_or(f64::INFINITY, |(merit, _)| merit);
        if sweep >= self.cap {
            return match self.kept {
                Some((kept, certificate)) if merit > kept || merit.is_nan() => {
                    self.certificate = Certificate { sweeps: sweep, ..certificate };
                    CheckVerdict::StopAtBest
                }
                _ => CheckVerdict::Stop,
            };
        }
        if self.guards && sweep >= KEPT_FROM && merit < kept {
            (self.kept, self.astray) = (Some((merit, self.certificate)), None);
            return CheckVerdict::Keep;
        }
        if merit <= ASTRAY * kept || self.kept.is_none() {
            self.astray = None;
            return CheckVerdict::GoOn;
        }
        let since = *self.astray.get_or_insert(sweep);
        if sweep < since + PATIENCE {
            return CheckVerdict::GoOn;
        }
        (self.astray, self.best) = (None, BestIterate { sweep, merit: kept });
        // What is on its way is dropped too: the next sweep is plain.
        (self.turn, self.plain_until) = ((sweep - 1, true), sweep + PLAIN);
        CheckVerdict::GoBack
    }

    /// Are velocities in sweep `sweep` farther from what is asked than contacts are from their laws, but coming nearer? A tall
    /// heap feels its floor last at its top, a heavy body on a light one what is below that. As with
    /// [`is_plain`](Self::is_plain) a check counts from the next sweep but one.
    pub fn is_support_rising(&self, sweep: u32) -> bool {
        self.rising[usize::from(sweep < self.last + 2)]
    }

    /// Are plain sweeps to be tried in sweep `sweep`? The answer to a check may be a sweep on its way, so it counts from the
    /// next but one.
    pub fn is_plain(&self, sweep: u32) -> bool {
        let (check, is_plain) = self.turn;
        is_plain != (check > 0 && sweep < check + 2)
    }

    /// The outcome.
    pub fn certificate(&self) -> Certificate {
        self.certificate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lawful, with velocities of this error.
    fn error(error: f64) -> CheckSums {
        let residual = Residual { impulses: 1.0, gap: error * error, contacts: 1, active: 1, ..Residual::default() };
        CheckSums { corrections: 1.0, residual, moved: 1.0 }
    }

    /// With a residual so many times the tolerance.
    fn violation(merit: f64) -> CheckSums {
        let settings = SolverSettings::default();
        let mut findings = error(0.0);
        findings.residual.violation = (merit * settings.tolerance).powi(2);
        findings
    }

    /// Sweeps of the checks of a solve that never converges, with their verdicts.
    fn verdicts(cap: u32, findings: impl Fn(u32) -> CheckSums) -> Vec<(u32, CheckVerdict, bool)> {
        let settings = SolverSettings { max_sweeps: cap, ..SolverSettings::default() };
        let mut watch = ConvergenceMonitor::new(&settings);
        let mut verdicts = Vec::new();
        for sweep in 1..=cap {
            if watch.due(sweep) == NextAction::Check {
                let verdict = watch.check(sweep, &settings, &findings(sweep));
                verdicts.push((sweep, verdict, watch.is_plain(sweep + 2)));
            }
        }
        verdicts
    }

    #[test]
    fn checks_come_ever_farther_apart_and_the_last_at_the_cap() {
        let checks: Vec<u32> = verdicts(1000, |_| error(1.0)).iter().map(|(sweep, ..)| *sweep).collect();
        assert_eq!(checks[..3], [30, 40, 50]);
        assert_eq!(checks.last(), Some(&1000));
        assert!(checks.windows(2).all(|pair| (pair[1] - pair[0] >= 10 && pair[1] - pair[0] <= 50) || pair[1] == 1000));
        assert_eq!(verdicts(20, |_| error(1.0)).len(), 1);
    }

    #[test]
    fn a_solve_has_converged_where_both_parts_of_the_certificate_hold() {
        let settings = SolverSettings::default();
        let (limit, tolerance) = (settings.velocity_error, settings.tolerance);
        for (velocity_error, residual, converged) in
            [(0.9, 0.9, true), (1.1, 0.9, false), (0.9, 1.1, false), (1e3, 0.0, false), (f64::NAN, 0.0, false)]
        {
            let mut findings = error(velocity_error * limit);
            findings.residual.violation = (residual * tolerance).powi(2);
            let mut watch = ConvergenceMonitor::new(&settings);
            assert_eq!(watch.check(30, &settings, &findings).is_end(), converged);
            assert_eq!(watch.certificate().converged, converged);
        }
    }

    #[test]
    fn where_a_merit_stagnates_momentum_and_plain_sweeps_take_turns_from_the_second_sweep_after_a_check() {
        // Falls until sweep 50, and from sweep 300 on.
        let falling = |sweep: u32| 1e6 / f64::from(sweep.min(50) + sweep.saturating_sub(300));
        let found = verdicts(500, |sweep| violation(falling(sweep)));
        let turns: Vec<u32> = found.windows(2).filter(|pair| pair[0].2 != pair[1].2).map(|pair| pair[1].0).collect();
        assert_eq!(turns, [120, 189, 292]);
    }

    #[test]
    fn impulses_far_worse_than_the_best_for_thirty_sweeps_are_dropped_for_plain_sweeps_from_the_best() {
        let found = verdicts(400, |sweep| violation(if sweep <= 100 { 5.0 } else { 60.0 }));
        let kept = found.iter().find(|(_, verdict, _)| *verdict == CheckVerdict::Keep).unwrap().0;
        let back = found.iter().find(|(_, verdict, _)| *verdict == CheckVerdict::GoBack).unwrap();
        assert!(kept == 60 && (130..160).contains(&back.0) && back.2, "{found:?}");
        assert!(found.iter().all(|(sweep, _, plain)| *plain || *sweep < back.0 || *sweep >= back.0 + PLAIN));
        assert_eq!(found.last().unwrap().1, CheckVerdict::StopAtBest);
    }

    #[test]
    fn a_solve_that_reaches_the_cap_has_the_certificate_of_its_best_impulses() {
        let settings = SolverSettings { max_sweeps: 200, ..SolverSettings::default() };
        let mut watch = ConvergenceMonitor::new(&settings);
        for sweep in (1..=200).filter(|sweep| [70, 140, 200].contains(sweep)) {
            watch.check(sweep, &settings, &violation(if sweep == 140 { 2.0 } else { 8.0 }));
        }
        let certificate = watch.certificate();
        assert_eq!((certificate.sweeps, certificate.converged), (200, false));
        assert!((certificate.residual - 2.0 * settings.tolerance).abs() < 1e-12);
    }

    #[test]
    fn before_the_first_check_only_calm_ends_a_solve_and_only_if_the_certificate_holds() {
        let settings = SolverSettings::default();
        let mut watch = ConvergenceMonitor::new(&settings);
        assert!(!watch.check(2, &settings, &error(1e-9)).is_end());
        assert_eq!(watch.due(30), NextAction::Check);
        // Corrections a ten thousandth of the tolerance, squared.
        let calm = |findings: CheckSums| CheckSums { corrections: 0.9e-14, ..findings };
        assert!(!watch.check(3, &settings, &calm(error(0.5))).is_end());
        assert!(!watch.check(5, &settings, &calm(violation(3.0))).is_end());
        assert!(!watch.certificate().converged);
        assert_eq!(watch.due(30), NextAction::Check);
        assert!(watch.check(9, &settings, &calm(error(1e-3))).is_end() && watch.certificate().converged);
    }

    #[test]
    fn a_fixed_point_ends_a_solve_whatever_came_before_it() {
        let settings = SolverSettings::default();
        let mut watch = ConvergenceMonitor::new(&settings);
        assert!(watch.check(3, &settings, &CheckSums { corrections: 0.0, ..error(1.0) }).is_end());
        assert!(watch.certificate().converged);
    }

    #[test]
    fn velocities_that_come_nearer_while_contacts_obey_their_laws_are_rising_two_sweeps_after_a_check() {
        let settings = SolverSettings { max_sweeps: 1000, ..SolverSettings::default() };
        let mut watch = ConvergenceMonitor::new(&settings);
        let mut rising = Vec::new();
        for sweep in 1..=400 {
            if watch.is_support_rising(sweep) {
                rising.push(sweep);
            }
            if watch.due(sweep) == NextAction::Check {
                // Lawful from sweep 60 on; velocities come nearer until sweep 150, and then go away.
                let distance = if sweep < 150 { 1.0 / f64::from(sweep) } else { f64::from(sweep) };
                let mut findings = error(30.0 * distance);
                findings.residual.violation = if sweep < 60 { 1.0 } else { 0.0 };
                watch.check(sweep, &settings, &findings);
            }
        }
        assert_eq!((rising.first(), rising.last()), (Some(&62), Some(&153)));
        assert!(rising.windows(2).all(|pair| pair[1] == pair[0] + 1));
    }
}
