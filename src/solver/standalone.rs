//! Solve of a problem that stands alone. `domain` solves the problems of many subdomains together, by the same sweeps.

use super::{
    Certificate, Change, CheckSums, CheckVerdict, ContactProblem, ConvergenceMonitor, Momentum, MomentumState,
    NextAction, SolverMethod, SolverSettings, SweepKind, Velocity, keep, restore,
};
use crate::base::scratch::ScratchVec;
use crate::dim::Dim;

impl<X: Dim> ContactProblem<X> {
    /// Sweeps until convergence or `settings.max_sweeps`, starting from the guessed impulses.
    pub fn solve(&mut self, settings: &SolverSettings) -> Certificate {
        let mut free = ScratchVec::default();
        keep(&mut free, self.lines.iter());
        self.order = settings.order;
        self.apply_impulses();
        if settings.warm_start && settings.guards_impulses() {
            let CheckSums { residual, moved, .. } = self.findings(&free, &Change::default());
            self.rescale(residual.best_scale(moved), &free);
        }
        let mut watch = ConvergenceMonitor::new(settings);
        let (mut was_calm, mut best) = (false, Vec::new());
        let mut momentum = (settings.method == SolverMethod::Accelerated).then(Momentum::default);
        let mut memory = MomentumState::default();
        if momentum.is_some() {
            self.start_momentum(&mut memory);
        }
        let smoothing = settings.smoothing();
        let mut felt = None;
        for sweep in 1..=settings.max_sweeps {
            let asks = std::mem::take(&mut was_calm);
            let change = match momentum.as_mut().map_or(SweepKind::Plain, |m| m.next(&watch, sweep)) {
                SweepKind::Plain => self.sweep_by(settings),
                SweepKind::Smoothing => self.sweep_by(&smoothing),
                SweepKind::Extrapolated(factor) => {
                    memory.extrapolate(self.lines.own(), factor);
                    let change = self.sweep_on(settings.local, settings.relaxation, factor, &mut memory);
                    if let (Some(momentum), Some(last)) = (&mut momentum, felt.replace(change)) {
                        momentum.hear(&last);
                    }
                    change
                }
            };
            match watch.due(sweep) {
                due if asks || due == NextAction::Check => {
                    let verdict = watch.check(sweep, settings, &self.findings(&free, &change));
                    match verdict {
                        CheckVerdict::GoOn | CheckVerdict::Stop => {}
                        CheckVerdict::Keep => self.keep_impulses(&mut best),
                        CheckVerdict::GoBack | CheckVerdict::StopAtBest => {
                            self.restore_impulses(&best);
                            self.start_from(&free);
                        }
                    }
                    if verdict.is_end() {
                        break;
                    }
                }
                NextAction::Glance => was_calm = change.is_calm(self.impulses2(), settings),
                NextAction::Check | NextAction::Nothing => {}
            }
        }
        if momentum.is_some() {
            self.start_from(&free);
        }
        watch.certificate()
    }

    /// Evaluates a check after a sweep with this change.
    fn findings(&mut self, free: &[Velocity<X>], change: &Change) -> CheckSums {
        self.fetch_impulses();
        let moved = self.moved(|place| free[place], |_| true);
        CheckSums { corrections: change.corrections, residual: self.residual(), moved }
    }

    /// Sets the velocities to the free ones plus the effect of the impulses.
    fn start_from(&mut self, free: &[Velocity<X>]) {
        restore(&mut self.lines, free);
        self.apply_impulses();
    }

    /// Scales the impulses down by `scale` and updates the velocities.
    fn rescale(&mut self, scale: f64, free: &[Velocity<X>]) {
        if scale < 1.0 {
            self.scale_impulses(scale);
            self.start_from(free);
        }
    }
}
