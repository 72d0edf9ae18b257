//! Convergence monitor: when a solve is checked, when it ends, and when momentum gives way to plain sweeps.
//!
//! A check is a pass over all contacts and a reduction over all processes. The first follows sweep
//! [`ConvergenceMonitor::FIRST`], each further one comes k sweeps later, k = sqrt(n) after n sweeps, but at least 10
//! and at most 50: the superfluous sweeps (k/2 on average) then cost as much as the checks (n/k of them, half a sweep
//! each). Before the first check there are quick checks after sweeps 1, 2, 4, 8, 16: did the sweep change anything
//! significant? If not, a check follows the next sweep; the reduction of the quick check overlaps with that sweep. The
//! schedule follows from the number of sweeps alone.
//!
//! Progress is judged by the *merit* m = max(residual/tolerance, D/velocity_error): a solve has converged at m <= 1.
//! With high friction, momentum may stagnate above that or, past its attainable accuracy, diverge slowly. Therefore
//! momentum and plain sweeps replace each other whenever the current one makes no progress; impulses ten times worse
//! than the best ones for thirty sweeps are discarded, and plain sweeps continue from the best ones; and a solve that
//! reaches the greatest number of sweeps returns the best impulses.

use super::{Certificate, Change, Residual, SolverSettings};

/// Least number of sweeps between two checks.
const SHORTEST: u32 = 10;
/// Greatest number of sweeps between two checks.
const LONGEST: u32 = 50;

/// A merit below this fraction of the least so far is progress.
const PROGRESS: f64 = 0.9;
/// Sweeps without progress that count as stagnation; or half as many as the best merit took, if that is more.
const STAGNATION: u32 = 60;

/// A merit beyond this multiple of the best one counts as divergence.
const DIVERGED: f64 = 10.0;
/// Diverged sweeps after which the solve returns to the best impulses.
const PATIENCE: u32 = 30;
/// Least number of plain sweeps after a return to the best impulses.
const PLAIN_SWEEPS: u32 = 60;
/// Error of the velocities, relative to these in the kinetic norm, that is rounding. Where bodies fly side by side, the
/// impulses between them are rounding too, and have no accuracy of their own.
const ROUNDING: f64 = 1e-13;
/// Impulses of checks before this sweep are not kept: most solves have ended by then.
const KEPT_FROM: u32 = 60;

/// What to do after a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextAction {
    /// Nothing.
    Nothing,
    /// A quick check: did the sweep change anything significant?
    QuickCheck,
    /// A check: evaluate the certificate.
    Check,
}

/// Verdict of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckVerdict {
    /// Continue.
    GoOn,
    /// Continue; keep these impulses, the best so far.
    Keep,
    /// Continue from the impulses that were kept.
    GoBack,
    /// End the solve.
    Stop,
    /// End the solve with the impulses that were kept, which are better.
    StopAtBest,
}

impl CheckVerdict {
    /// Is the solve over?
    pub fn is_end(self) -> bool {
        matches!(self, Self::Stop | Self::StopAtBest)
    }
}

/// What a check evaluates, over all contacts and bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckSums {
    /// Sum of |correction|^2 of the last sweep.
    pub corrections: f64,
    /// Residual of the contact laws.
    pub residual: Residual,
    /// ||V - V_free||_M^2, J.
    pub moved: f64,
    /// ||V||_M^2, J.
    pub motion: f64,
}

impl CheckSums {
    /// Are the velocities right up to rounding, whatever the impulses?
    fn is_rounding(&self) -> bool {
        self.residual.gap < ROUNDING * ROUNDING * self.motion
    }

    /// The certificate after this number of sweeps, not yet judged.
    fn certificate(&self, sweeps: u32) -> Certificate {
        let Self { residual, moved, motion, .. } = self;
        let [law, worst, velocity_error] = match self.is_rounding() {
            true => [0.0, 0.0, (residual.gap / motion).sqrt()],
            false => [residual.relative(), residual.largest(), residual.velocity_error(*moved)],
        };
        Certificate {
            residual: law,
            worst,
            velocity_error,
            sweeps,
            converged: false,
            contacts: residual.contacts,
            active: residual.active,
        }
    }
}

/// The best check so far.
#[derive(Clone, Copy, Debug)]
struct BestIterate {
    sweep: u32,
    merit: f64,
}

/// Monitors a solve and decides when it ends.
#[derive(Clone, Copy, Debug)]
pub struct ConvergenceMonitor {
    /// Sweep of the next check.
    next: u32,
    /// The greatest number of sweeps.
    cap: u32,
    /// Sweep of the last check.
    last: u32,
    /// See [`is_support_rising`](Self::is_support_rising), at the last check and at the one before.
    rising: [bool; 2],
    /// Least merit since the last switch.
    best: BestIterate,
    /// Sweep of the check that last switched between momentum and plain sweeps, and whether sweeps are plain since
    /// then.
    switched: (u32, bool),
    /// No switch back to momentum before this sweep.
    plain_until: u32,
    /// Are the best impulses kept at all?
    guards: bool,
    /// Merit and certificate of the check whose impulses were kept.
    kept: Option<(f64, Certificate)>,
    /// Sweep of the first check since which the solve has diverged.
    diverged_since: Option<u32>,
    /// D/velocity_error at the last check.
    velocity: f64,
    certificate: Certificate,
}

impl ConvergenceMonitor {
    /// No check before this sweep, unless a sweep changes almost nothing.
    pub const FIRST: u32 = 30;

    /// A monitor before the first sweep.
    pub fn new(settings: &SolverSettings) -> Self {
        Self {
            next: Self::FIRST.min(settings.max_sweeps),
            cap: settings.max_sweeps,
            last: 0,
            rising: [false; 2],
            best: BestIterate { sweep: 0, merit: f64::INFINITY },
            switched: (0, false),
            plain_until: 0,
            guards: settings.method.guards_impulses(),
            kept: None,
            diverged_since: None,
            velocity: f64::INFINITY,
            certificate: Certificate::default(),
        }
    }

    /// Sweep of the check after one at sweep `sweep`.
    fn after(&self, sweep: u32) -> u32 {
        (sweep + sweep.isqrt().clamp(SHORTEST, LONGEST)).max(Self::FIRST).min(self.cap)
    }

    /// Is a check due after sweep `sweep`, the next one? The previous check may still be pending.
    fn is_last(&self, sweep: u32) -> bool {
        sweep == if sweep > self.next { self.after(self.next) } else { self.next }
    }

    /// Is sweep `sweep`, with momentum, a smoothing sweep before a check? The first never is.
    pub fn is_smoothing(&self, sweep: u32) -> bool {
        sweep > 1 && self.is_last(sweep)
    }

    /// What is due after sweep `sweep`.
    pub fn due(&self, sweep: u32) -> NextAction {
        match sweep {
            _ if sweep == self.next => NextAction::Check,
            _ if sweep < Self::FIRST && sweep.is_power_of_two() => NextAction::QuickCheck,
            _ => NextAction::Nothing,
        }
    }

    /// Evaluates the check of the state after sweep `sweep`.
    pub fn check(&mut self, sweep: u32, settings: &SolverSettings, sums: &CheckSums) -> CheckVerdict {
        let CheckSums { corrections, residual, .. } = sums;
        let change = Change { corrections: *corrections, ..Change::default() };
        let fixed_point = change.is_fixed_point(residual.impulses, settings.tolerance);
        let is_due = sweep >= self.next || change.is_calm(residual.impulses, settings.tolerance);
        let certificate = sums.certificate(sweep);
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
        self.follow_progress(sweep, law.max(velocity))
    }

    /// Evaluates the certificate of impulses that sweeps did not find; returns whether it holds.
    pub fn check_solved(&mut self, sweep: u32, settings: &SolverSettings, sums: &CheckSums) -> bool {
        self.certificate = sums.certificate(sweep);
        self.certificate.converged = self.certificate.residual <= settings.tolerance
            && self.certificate.velocity_error <= settings.velocity_error;
        self.certificate.converged
    }

    /// Switches between momentum and plain sweeps, or returns to the best impulses, by the merit after sweep `sweep`.
    fn follow_progress(&mut self, sweep: u32, merit: f64) -> CheckVerdict {
        if merit < PROGRESS * self.best.merit {
            self.best = BestIterate { sweep, merit };
        } else if sweep > self.best.sweep + STAGNATION.max(self.best.sweep / 2) && sweep >= self.plain_until {
            (self.best, self.switched) = (BestIterate { sweep, merit }, (sweep, !self.switched.1));
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
            (self.kept, self.diverged_since) = (Some((merit, self.certificate)), None);
            return CheckVerdict::Keep;
        }
        if merit <= DIVERGED * kept || self.kept.is_none() {
            self.diverged_since = None;
            return CheckVerdict::GoOn;
        }
        let since = *self.diverged_since.get_or_insert(sweep);
        if sweep < since + PATIENCE {
            return CheckVerdict::GoOn;
        }
        (self.diverged_since, self.best) = (None, BestIterate { sweep, merit: kept });
        // The speculative sweep is discarded too: the next sweep is plain.
        (self.switched, self.plain_until) = ((sweep - 1, true), sweep + PLAIN_SWEEPS);
        CheckVerdict::GoBack
    }

    /// In sweep `sweep`, is the velocity error farther from its tolerance than the residual, but decreasing? In a tall
    /// heap the support of the floor reaches the top last; so does the support from below a light body reach a heavy
    /// body on it. As with [`is_plain`](Self::is_plain), a check takes effect from the second sweep after it.
    pub fn is_support_rising(&self, sweep: u32) -> bool {
        self.rising[usize::from(sweep < self.last + 2)]
    }

    /// Is sweep `sweep` to be plain? The result of a check may arrive one sweep late, so that it takes effect from the
    /// second sweep after the check.
    pub fn is_plain(&self, sweep: u32) -> bool {
        let (check, is_plain) = self.switched;
        is_plain != (check > 0 && sweep < check + 2)
    }

    /// The certificate of the solve.
    pub fn certificate(&self) -> Certificate {
        self.certificate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state that satisfies the laws, with this velocity error.
    fn error(error: f64) -> CheckSums {
        let residual = Residual { impulses: 1.0, gap: error * error, contacts: 1, active: 1, ..Residual::default() };
        CheckSums { corrections: 1.0, residual, moved: 1.0, motion: 0.0 }
    }

    /// A state whose residual is so many times the tolerance.
    fn violation(merit: f64) -> CheckSums {
        let settings = SolverSettings::default();
        let mut sums = error(0.0);
        sums.residual.violation = (merit * settings.tolerance).powi(2);
        sums
    }

    /// Sweeps and verdicts of the checks of a solve that never converges, and whether sweeps are plain afterwards.
    fn verdicts(cap: u32, sums: impl Fn(u32) -> CheckSums) -> Vec<(u32, CheckVerdict, bool)> {
        let settings = SolverSettings { max_sweeps: cap, ..SolverSettings::default() };
        let mut monitor = ConvergenceMonitor::new(&settings);
        let mut verdicts = Vec::new();
        for sweep in 1..=cap {
            if monitor.due(sweep) == NextAction::Check {
                let verdict = monitor.check(sweep, &settings, &sums(sweep));
                verdicts.push((sweep, verdict, monitor.is_plain(sweep + 2)));
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
            let mut sums = error(velocity_error * limit);
            sums.residual.violation = (residual * tolerance).powi(2);
            let mut monitor = ConvergenceMonitor::new(&settings);
            assert_eq!(monitor.check(30, &settings, &sums).is_end(), converged);
            assert_eq!(monitor.certificate().converged, converged);
        }
    }

    #[test]
    fn impulses_that_are_rounding_violate_nothing() {
        let settings = SolverSettings::default();
        // Bodies that fly side by side at 1 m/s: the impulses between them, and what these leave over, are rounding.
        let residual = Residual { violation: 1e-30, impulses: 1e-30, gap: 1e-30, active: 1, ..Residual::default() };
        let sums = CheckSums { corrections: 0.0, residual, moved: 1e-30, motion: 1.0 };
        let mut monitor = ConvergenceMonitor::new(&settings);
        assert_eq!(monitor.check(5, &settings, &sums), CheckVerdict::Stop);
        let Certificate { converged, residual, velocity_error, .. } = monitor.certificate();
        assert!(converged && residual == 0.0 && velocity_error < 1e-14, "{velocity_error}");
        // The same of bodies that hardly move is a violation.
        let mut monitor = ConvergenceMonitor::new(&settings);
        monitor.check(5, &settings, &CheckSums { motion: 1e-10, ..sums });
        assert!(!monitor.certificate().converged);
    }

    #[test]
    fn where_the_merit_stagnates_momentum_and_plain_sweeps_alternate_from_the_second_sweep_after_a_check() {
        // The merit falls until sweep 50, and again from sweep 300 on.
        let falling = |sweep: u32| 1e6 / f64::from(sweep.min(50) + sweep.saturating_sub(300));
        let found = verdicts(500, |sweep| violation(falling(sweep)));
        let turns: Vec<u32> = found.windows(2).filter(|pair| pair[0].2 != pair[1].2).map(|pair| pair[1].0).collect();
        assert_eq!(turns, [120, 189, 292]);
    }

    #[test]
    fn impulses_far_worse_than_the_best_for_thirty_sweeps_are_replaced_by_plain_sweeps_from_the_best() {
        let found = verdicts(400, |sweep| violation(if sweep <= 100 { 5.0 } else { 60.0 }));
        let kept = found.iter().find(|(_, verdict, _)| *verdict == CheckVerdict::Keep).unwrap().0;
        let back = found.iter().find(|(_, verdict, _)| *verdict == CheckVerdict::GoBack).unwrap();
        assert!(kept == 60 && (130..160).contains(&back.0) && back.2, "{found:?}");
        assert!(found.iter().all(|(sweep, _, plain)| *plain || *sweep < back.0 || *sweep >= back.0 + PLAIN_SWEEPS));
        assert_eq!(found.last().unwrap().1, CheckVerdict::StopAtBest);
    }

    #[test]
    fn a_solve_that_reaches_the_cap_has_the_certificate_of_its_best_impulses() {
        let settings = SolverSettings { max_sweeps: 200, ..SolverSettings::default() };
        let mut monitor = ConvergenceMonitor::new(&settings);
        for sweep in (1..=200).filter(|sweep| [70, 140, 200].contains(sweep)) {
            monitor.check(sweep, &settings, &violation(if sweep == 140 { 2.0 } else { 8.0 }));
        }
        let certificate = monitor.certificate();
        assert_eq!((certificate.sweeps, certificate.converged), (200, false));
        assert!((certificate.residual - 2.0 * settings.tolerance).abs() < 1e-12);
    }

    #[test]
    fn before_the_first_check_only_calm_ends_a_solve_and_only_if_the_certificate_holds() {
        let settings = SolverSettings::default();
        let mut monitor = ConvergenceMonitor::new(&settings);
        assert!(!monitor.check(2, &settings, &error(1e-9)).is_end());
        assert_eq!(monitor.due(30), NextAction::Check);
        // Corrections of a ten thousandth of the tolerance, squared.
        let calm = |sums: CheckSums| CheckSums { corrections: 0.9e-14, ..sums };
        assert!(!monitor.check(3, &settings, &calm(error(0.5))).is_end());
        assert!(!monitor.check(5, &settings, &calm(violation(3.0))).is_end());
        assert!(!monitor.certificate().converged);
        assert_eq!(monitor.due(30), NextAction::Check);
        assert!(monitor.check(9, &settings, &calm(error(1e-3))).is_end() && monitor.certificate().converged);
    }

    #[test]
    fn a_fixed_point_ends_a_solve_whatever_came_before_it() {
        let settings = SolverSettings::default();
        let mut monitor = ConvergenceMonitor::new(&settings);
        assert!(monitor.check(3, &settings, &CheckSums { corrections: 0.0, ..error(1.0) }).is_end());
        assert!(monitor.certificate().converged);
    }

    #[test]
    fn velocities_that_come_nearer_while_contacts_obey_their_laws_are_rising_two_sweeps_after_a_check() {
        let settings = SolverSettings { max_sweeps: 1000, ..SolverSettings::default() };
        let mut monitor = ConvergenceMonitor::new(&settings);
        let mut rising = Vec::new();
        for sweep in 1..=400 {
            if monitor.is_support_rising(sweep) {
                rising.push(sweep);
            }
            if monitor.due(sweep) == NextAction::Check {
                // The laws hold from sweep 60 on; velocities improve until sweep 150 and then deteriorate.
                let distance = if sweep < 150 { 1.0 / f64::from(sweep) } else { f64::from(sweep) };
                let mut sums = error(30.0 * distance);
                sums.residual.violation = if sweep < 60 { 1.0 } else { 0.0 };
                monitor.check(sweep, &settings, &sums);
            }
        }
        assert_eq!((rising.first(), rising.last()), (Some(&62), Some(&153)));
        assert!(rising.windows(2).all(|pair| pair[1] == pair[0] + 1));
    }
}
