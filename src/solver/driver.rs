//! The NLGS driver: sweep, check, accelerate, decide, until the certificate holds or the sweep limit is reached.
//!
//! In: a [`SweptProblem`], which is one problem that stands alone or the problems of all subdomains, and the settings.
//! Out: the certificate; the problem holds the impulses, and velocities consistent with them.
//!
//! Tests and checks are reductions in two parts, start and finish, so that a reduction over many processes overlaps
//! with the next sweep. Where the driver does not wait for a check, that sweep is speculative: if the check reports
//! convergence, it is rolled back. Waiting changes the cost, not the outcome.

use super::{
    Certificate, Change, CheckSums, CheckVerdict, ConvergenceMonitor, Momentum, NextAction, SolverSettings, SweepKind,
};

/// A problem that the driver sweeps. All methods are collective where the problem extends over several processes.
pub trait SweptProblem {
    /// Adds the effect of the initial impulses to the free velocities, which the bodies must have.
    fn start(&mut self);
    /// Sets the velocities to the free ones plus the effect of the impulses: momentum amplifies rounding errors.
    fn recompute(&mut self);
    /// Multiplies every impulse by `scale`.
    fn scale_impulses(&mut self, scale: f64);
    /// Sets the state before the last sweep to the present one, before the first sweep with momentum.
    fn start_momentum(&mut self);

    /// One sweep over all contacts without momentum.
    fn sweep(&mut self, settings: &SolverSettings);
    /// One sweep from a state extrapolated by `factor` times its last change; `is_first` if nothing has changed yet.
    fn sweep_on(&mut self, settings: &SolverSettings, factor: f64, is_first: bool);

    /// Starts the sums of the last sweep that decide whether the momentum restarts.
    fn start_restart_test(&mut self);
    /// Waits for these sums.
    fn finish_restart_test(&mut self) -> Change;
    /// Starts the quick check: corrections of the last sweep, and norm of the impulses.
    fn start_quick_check(&mut self);
    /// Waits for the quick check: did the sweep change almost nothing?
    fn finish_quick_check(&mut self, settings: &SolverSettings) -> bool;
    /// Starts the sums of the certificate.
    fn start_check(&mut self);
    /// Waits for these sums.
    fn finish_check(&mut self) -> CheckSums;

    /// Keeps the impulses as the best so far.
    fn keep_best(&mut self);
    /// Returns to the best impulses, and the velocities that follow from them.
    fn go_back(&mut self);

    /// Replaces the impulses by those of ADMM if their certificate holds; the velocities follow from them. Else changes
    /// nothing and returns `false`.
    fn polish(&mut self, _settings: &SolverSettings) -> bool {
        false
    }

    /// Does the driver wait for the check after sweep `sweep`? Otherwise a speculative sweep follows.
    fn waits_for_check(&self, _sweep: u32, _settings: &SolverSettings) -> bool {
        true
    }
    /// Saves impulses and velocities before a speculative sweep.
    fn save_iterate(&mut self) {}
    /// Rolls back a speculative sweep: restores the saved impulses and velocities.
    fn roll_back(&mut self) {}
    /// Keeps the saved impulses as the best so far.
    fn keep_saved(&mut self) {}

    /// Is there a request to abandon the solve? Called before every sweep.
    fn is_stop_requested(&mut self) -> bool {
        false
    }
    /// Has a check or a restart test reported such a request?
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Sweeps until convergence or the sweep limit, starting from the impulses and free velocities of the problem.
pub fn sweep_to_convergence(problem: &mut impl SweptProblem, settings: &SolverSettings) -> Certificate {
    let mut solve = NlgsSolve::start(problem, settings);
    if solve.is_solved_at_start() {
        return solve.finish();
    }
    while solve.sweep < settings.max_sweeps && !solve.problem.is_stop_requested() {
        solve.advance();
        let verdict = solve.finish_pending();
        if verdict.is_end() || solve.problem.is_stopped() {
            break;
        }
        // After a return to the best impulses the next sweep replaces the discarded one.
        if verdict != CheckVerdict::GoBack && solve.start_due().is_end() {
            break;
        }
    }
    solve.finish()
}

/// A solve between two sweeps.
struct NlgsSolve<'a, P> {
    problem: &'a mut P,
    settings: &'a SolverSettings,
    /// Settings of smoothing sweeps.
    smoothing: SolverSettings,
    monitor: ConvergenceMonitor,
    momentum: Option<Momentum>,
    /// Number of sweeps so far.
    sweep: u32,
    /// The check, quick or not, whose reduction runs during the next sweep.
    pending: NextAction,
    /// Is a restart test pending?
    is_test_pending: bool,
    /// The number of sweeps after which ADMM is tried, once.
    polish_after: Option<u32>,
}

impl<'a, P: SweptProblem> NlgsSolve<'a, P> {
    fn start(problem: &'a mut P, settings: &'a SolverSettings) -> Self {
        problem.start();
        if settings.warm_start && settings.method.guards_impulses() {
            rescale(problem);
        }
        let momentum = settings.method.has_momentum().then(Momentum::default);
        if momentum.is_some() {
            problem.start_momentum();
        }
        Self {
            problem,
            settings,
            smoothing: settings.smoothing(),
            monitor: ConvergenceMonitor::new(settings),
            momentum,
            sweep: 0,
            pending: NextAction::Nothing,
            is_test_pending: false,
            polish_after: settings.polishes_after(),
        }
    }

    /// Do the impulses of the last step satisfy this one? Asked where ADMM left a margin, without which errors of slow
    /// modes would add up from step to step.
    fn is_solved_at_start(&mut self) -> bool {
        if !self.settings.warm_start || self.settings.method.polishes_after().is_none() {
            return false;
        }
        self.problem.start_check();
        let sums = self.problem.finish_check();
        self.monitor.check_solved(0, self.settings, &sums)
    }

    /// The next sweep.
    fn advance(&mut self) {
        let Self { problem, settings, monitor, sweep, .. } = self;
        *sweep += 1;
        let Some(momentum) = &mut self.momentum else { return problem.sweep(settings) };
        match momentum.next(monitor, *sweep) {
            SweepKind::Plain => problem.sweep(settings),
            SweepKind::Smoothing => problem.sweep(&self.smoothing),
            SweepKind::Extrapolated(factor) => {
                problem.sweep_on(settings, factor, *sweep == 1);
                if std::mem::replace(&mut self.is_test_pending, true) {
                    momentum.restart_test(&problem.finish_restart_test());
                }
                problem.start_restart_test();
            }
        }
    }

    /// Finishes the check of the previous sweep that was reduced while the last one ran, and follows its verdict.
    fn finish_pending(&mut self) -> CheckVerdict {
        match std::mem::replace(&mut self.pending, NextAction::Nothing) {
            NextAction::Check => {
                let verdict = self.monitor.check(self.sweep - 1, self.settings, &self.problem.finish_check());
                match verdict {
                    CheckVerdict::GoOn => {}
                    CheckVerdict::Keep => self.problem.keep_saved(),
                    CheckVerdict::Stop => self.problem.roll_back(),
                    CheckVerdict::GoBack | CheckVerdict::StopAtBest => {
                        self.problem.go_back();
                        self.sweep -= 1;
                    }
                }
                verdict
            }
            // The previous sweep changed almost nothing: evaluate the certificate now, and wait for it.
            NextAction::QuickCheck if self.problem.finish_quick_check(self.settings) => {
                self.problem.start_check();
                // This check may only end the solve; all other verdicts are left to the regular checks.
                let verdict = self.monitor.check(self.sweep, self.settings, &self.problem.finish_check());
                if verdict.is_end() { verdict } else { CheckVerdict::GoOn }
            }
            NextAction::QuickCheck | NextAction::Nothing => CheckVerdict::GoOn,
        }
    }

    /// Starts the check that is due after the last sweep; if it waits for the result, follows the verdict.
    fn start_due(&mut self) -> CheckVerdict {
        let due = self.monitor.due(self.sweep);
        match due {
            NextAction::Check => {
                self.problem.start_check();
                let polishes = self.polish_after.is_some_and(|sweep| self.sweep >= sweep);
                if polishes || self.problem.waits_for_check(self.sweep, self.settings) {
                    let verdict = self.finish_check();
                    return if polishes { self.polish(verdict) } else { verdict };
                }
                self.problem.save_iterate();
            }
            NextAction::QuickCheck => self.problem.start_quick_check(),
            NextAction::Nothing => {}
        }
        self.pending = due;
        CheckVerdict::GoOn
    }

    /// Waits for the check of the last sweep and follows its verdict.
    fn finish_check(&mut self) -> CheckVerdict {
        let verdict = self.monitor.check(self.sweep, self.settings, &self.problem.finish_check());
        match verdict {
            CheckVerdict::GoOn | CheckVerdict::Stop => {}
            CheckVerdict::Keep => self.problem.keep_best(),
            CheckVerdict::GoBack | CheckVerdict::StopAtBest => self.problem.go_back(),
        }
        verdict
    }

    /// Tries ADMM if the solve has not converged; the verdict was that of the last check.
    fn polish(&mut self, verdict: CheckVerdict) -> CheckVerdict {
        if self.monitor.certificate().converged {
            return verdict;
        }
        self.polish_after = None;
        if !self.problem.polish(self.settings) {
            return verdict;
        }
        self.problem.start_check();
        let sums = self.problem.finish_check();
        if self.monitor.check_solved(self.sweep, self.settings, &sums) {
            return CheckVerdict::Stop;
        }
        // Rounding made the difference: these impulses are still the best.
        self.problem.start_momentum();
        CheckVerdict::GoOn
    }

    fn finish(self) -> Certificate {
        if self.is_test_pending {
            self.problem.finish_restart_test();
        }
        if self.momentum.is_some() {
            self.problem.recompute();
        }
        self.monitor.certificate()
    }
}

/// Scales down initial impulses that increase the energy, by the factor that minimises it over all contacts.
fn rescale(problem: &mut impl SweptProblem) {
    problem.start_check();
    let CheckSums { residual, moved, .. } = problem.finish_check();
    let scale = residual.best_scale(moved);
    if scale < 1.0 {
        problem.scale_impulses(scale);
        problem.recompute();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{Residual, SolverMethod};

    /// A problem whose residual shrinks by a tenth in every sweep.
    struct Shrinking {
        residual: f64,
        saved: f64,
        /// Residual when the pending check started.
        checked: f64,
        swept: u32,
        waits_for_check: bool,
        is_stopped: bool,
    }

    impl SweptProblem for Shrinking {
        fn start(&mut self) {}
        fn recompute(&mut self) {}
        fn scale_impulses(&mut self, _: f64) {}
        fn start_momentum(&mut self) {}
        fn sweep(&mut self, _: &SolverSettings) {
            self.residual *= 0.9;
            self.swept += 1;
        }
        fn sweep_on(&mut self, settings: &SolverSettings, _: f64, _: bool) {
            self.sweep(settings);
        }
        fn start_restart_test(&mut self) {}
        fn finish_restart_test(&mut self) -> Change {
            Change::default()
        }
        fn start_quick_check(&mut self) {}
        fn finish_quick_check(&mut self, _: &SolverSettings) -> bool {
            false
        }
        fn start_check(&mut self) {
            self.checked = self.residual;
        }
        fn finish_check(&mut self) -> CheckSums {
            let violation = self.checked * self.checked;
            let residual = Residual { violation, impulses: 1.0, contacts: 1, active: 1, ..Residual::default() };
            CheckSums { corrections: 1.0, residual, moved: 1.0, motion: 0.0 }
        }
        fn keep_best(&mut self) {}
        fn go_back(&mut self) {}
        fn waits_for_check(&self, _: u32, _: &SolverSettings) -> bool {
            self.waits_for_check
        }
        fn save_iterate(&mut self) {
            self.saved = self.residual;
        }
        fn roll_back(&mut self) {
            self.residual = self.saved;
        }
        fn is_stop_requested(&mut self) -> bool {
            self.is_stopped
        }
    }

    fn solved(waits_for_check: bool, is_stopped: bool) -> (Shrinking, Certificate) {
        let mut problem = Shrinking { residual: 1.0, saved: 0.0, checked: 0.0, swept: 0, waits_for_check, is_stopped };
        let settings = SolverSettings { method: SolverMethod::Nlgs, ..SolverSettings::default() };
        let certificate = sweep_to_convergence(&mut problem, &settings);
        (problem, certificate)
    }

    #[test]
    fn a_speculative_sweep_after_convergence_is_rolled_back() {
        let [(waiting, waited), (speculating, speculated)] = [true, false].map(|waits| solved(waits, false));
        assert!(waited.converged && waited == speculated);
        // Checks come after sweeps 30, 40, 50, 60 and 70, and 0.9^70 is the first below a thousandth.
        assert_eq!((waited.sweeps, waiting.swept, speculating.swept), (70, 70, 71));
        assert_eq!(waiting.residual, speculating.residual);
    }

    #[test]
    fn a_solve_with_a_stop_request_does_not_sweep() {
        let (problem, certificate) = solved(true, true);
        assert!(problem.swept == 0 && !certificate.converged);
    }
}
