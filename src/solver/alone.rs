//! A problem that stands alone, solved. Many subdomains are solved together elsewhere, by the same sweeps.

use super::{Certificate, Due, Findings, Kind, Memory, Method, Momentum, Problem, Settings, Watch, keep, restore};
use crate::dim::Dim;
use crate::list::List;

impl<X: Dim> Problem<X> {
    /// Sweeps until converged or `settings.max_sweeps`, starting from the guessed impulses.
    pub fn solve(&mut self, settings: &Settings) -> Certificate {
        let (mut free, mut before) = (List::default(), List::default());
        keep(&mut free, self.lines.iter());
        self.order = settings.order;
        self.apply_impulses();
        let mut watch = Watch::new(settings);
        keep(&mut before, self.lines.iter());
        let mut was_calm = false;
        let mut momentum = (settings.method == Method::Accelerated).then(Momentum::default);
        let mut memory = Memory::default();
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
                Kind::Onward(factor) => {
                    memory.extrapolate(self.lines.own(), factor);
                    let change = self.sweep_on(settings.local, settings.relaxation, factor, &mut memory);
                    if let (Some(momentum), Some(last)) = (&mut momentum, felt.replace(change)) {
                        momentum.hear(&last);
                    }
                    change
                }
            };
            match watch.due(sweep) {
                due if asks || due == Due::Check => {
                    self.fetch_impulses();
                    let norms = self.norms(&before, |place| free[place], |_| true);
                    let findings = Findings { corrections: change.corrections, residual: self.residual(), norms };
                    keep(&mut before, self.lines.iter());
                    if watch.check(sweep, settings, &findings) {
                        break;
                    }
                }
                Due::Mark => {
                    keep(&mut before, self.lines.iter());
                    watch.mark(sweep);
                }
                Due::Glance => was_calm = change.is_calm(self.impulses2(), settings),
                Due::Check | Due::Nothing => {}
            }
        }
        if momentum.is_some() {
            restore(&mut self.lines, &free);
            self.apply_impulses();
        }
        watch.certificate()
    }
}
