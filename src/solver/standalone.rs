//! A problem that stands alone, solved. Many subdomains are solved together elsewhere, by the same sweeps.

use super::{
    Certificate, Change, ConvergenceMonitor, Findings, Kind, Method, Momentum, MomentumState, NextAction, Problem,
    Settings, Twist, Verdict, keep, restore,
};
use crate::base::scratch::ScratchVec;
use crate::dim::Dim;

impl<X: Dim> Problem<X> {
    /// Sweeps until converged or `settings.max_sweeps`, starting from the guessed impulses.
    pub fn solve(&mut self, settings: &Settings) -> Certificate {
        let mut free = ScratchVec::default();
        keep(&mut free, self.lines.iter());
        self.order = settings.order;
        self.apply_impulses();
        if settings.warm_start && settings.guards_impulses() {
            let Findings { residual, moved, .. } = self.findings(&free, &Change::default());
            self.rescale(residual.best_scale(moved), &free);
        }
        let mut watch = ConvergenceMonitor::new(settings);
        let (mut was_calm, mut best) = (false, Vec::new());
        let mut momentum = (settings.method == Method::Accelerated).then(Momentum::default);
        let mut memory = MomentumState::default();
        if momentum.is_some() {
            memory.start(self);
        }
        let smoothing = settings.smoothing();
        let mut felt = None;
        for sweep in 1..=settings.max_sweeps {
            let asks = std::mem::take(&mut was_calm);
            let change = match momentum.as_mut().map_or(Kind::Plain, |m| m.next(&watch, sweep)) {
                Kind::Plain => self.sweep_by(settings),
                Kind::Smoothing => self.sweep_by(&smoothing),
                Kind::Extrapolated(factor) => {
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
                        Verdict::GoOn | Verdict::Stop => {}
                        Verdict::Keep => self.keep_impulses(&mut best),
                        Verdict::GoBack | Verdict::StopAtBest => {
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

    /// What a check finds after a sweep that made this change.
    fn findings(&mut self, free: &[Twist<X>], change: &Change) -> Findings {
        self.fetch_impulses();
        let moved = self.moved(|place| free[place], |_| true);
        Findings { corrections: change.corrections, residual: self.residual(), moved }
    }

    /// Velocities are the free ones and what the impulses add.
    fn start_from(&mut self, free: &[Twist<X>]) {
        restore(&mut self.lines, free);
        self.apply_impulses();
    }

    /// So much of the impulses, and velocities that follow from them.
    fn rescale(&mut self, scale: f64, free: &[Twist<X>]) {
        if scale < 1.0 {
            self.scale_impulses(scale);
            self.start_from(free);
        }
    }
}
