//! The solve of a step: sweeps in all subdomains alternate with the interface until the certificate holds.
//!
//! Red-black scheme: the subdomains of one colour sweep in parallel, their interface bodies are reconciled, then the
//! other colour follows. Subdomains that share bodies with another process sweep first; the others sweep while the
//! messages are in transit.
//!
//! A check is one exact sum over all processes, so that it depends neither on the order of the subdomains nor on their
//! placement. The reduction runs while the next sweep is computed; if it reports convergence, this speculative sweep is
//! rolled back. The outcome is therefore the same as if every check were waited for, and waiting is a matter of cost
//! alone: a single process always waits and never sweeps speculatively; several processes wait only where the solve is
//! likely to end.

use std::time::Instant;

use rayon::prelude::*;

use super::{Domain, InterfaceScheme, StepContext, Subdomain};
use crate::base::ExactSum;
use crate::comm::{Comm, PendingReduction};
use crate::dim::Dim;
use crate::solver::{
    Certificate, Change, CheckSums, CheckVerdict, ContactProblem, ConvergenceMonitor, Momentum, NextAction, Residual,
    SolverMethod, SolverSettings, SweepKind, Velocity, keep, restore,
};

impl<X: Dim> Domain<X> {
    /// Collective. Sweeps until convergence or the sweep limit. The worst contact of the certificate is the worst of
    /// this process until [`outcome`](Self::outcome) reduces it over all processes.
    pub fn solve(&mut self, context: &StepContext<X>) -> Certificate {
        // The sweeps use the memory of the next contact history.
        let mut blocks = self.spare_history.leave();
        for subdomain in &mut self.subdomains {
            subdomain.move_into(std::array::from_fn(|_| blocks.next().unwrap_or_default()));
        }
        drop(blocks);
        let certificate = self.solve_from(&|body| context.twist(body), context.solver);
        let Self { subdomains, spare_history, .. } = self;
        spare_history.move_into(subdomains.iter_mut().map(Subdomain::move_out));
        certificate
    }

    /// The same with the velocities that `free` gives each body, by number, in the variables of the problem.
    pub(super) fn solve_from(
        &mut self,
        free: &(impl Fn(u32) -> Velocity<X> + Sync),
        settings: &SolverSettings,
    ) -> Certificate {
        self.start(free);
        if settings.warm_start && settings.guards_impulses() {
            self.rescale(free);
        }
        let mut watch = ConvergenceMonitor::new(settings);
        let mut asked = NextAction::Nothing;
        let mut momentum = (settings.method == SolverMethod::Accelerated).then(Momentum::default);
        if momentum.is_some() {
            self.subdomains.par_iter_mut().for_each(|s| s.problem.start_momentum(&mut s.memory));
        }
        let smoothing = settings.smoothing();
        let mut sweep = 0;
        while sweep < settings.max_sweeps {
            if self.halted || self.comm.size() == 1 && self.is_asked_to_stop() {
                self.halted = true;
                break;
            }
            sweep += 1;
            match momentum.as_mut().map_or(SweepKind::Plain, |m| m.next(&watch, sweep)) {
                SweepKind::Plain => self.sweep(settings, None),
                SweepKind::Smoothing => self.sweep(&smoothing, None),
                SweepKind::Extrapolated(factor) => {
                    let (interface, lines) = self.lines();
                    interface.extrapolate(lines, factor, sweep == 1);
                    self.sweep(settings, Some(factor));
                    if let Some(momentum) = momentum.as_mut().filter(|_| sweep > 1) {
                        momentum.hear(&self.finish_restart_test());
                    }
                    self.start_restart_test();
                }
            }
            match std::mem::replace(&mut asked, NextAction::Nothing) {
                // The verdict on the previous sweep, reduced while this sweep ran.
                NextAction::Check => {
                    let verdict = watch.check(sweep - 1, settings, &self.finish_check());
                    match verdict {
                        CheckVerdict::GoOn => {}
                        CheckVerdict::Keep => {
                            self.subdomains.iter_mut().for_each(|s| std::mem::swap(&mut s.best, &mut s.kept))
                        }
                        CheckVerdict::Stop => self.roll_back(),
                        CheckVerdict::GoBack | CheckVerdict::StopAtBest => {
                            self.go_back(free);
                            sweep -= 1;
                        }
                    }
                    if verdict.is_end() || self.halted {
                        break;
                    }
                    if verdict == CheckVerdict::GoBack {
                        continue;
                    }
                }
                // The previous sweep changed next to nothing: evaluate the certificate now, and wait for it.
                NextAction::Glance if self.finish_quick_check(settings) => {
                    self.start_check(free);
                    if watch.check(sweep, settings, &self.finish_check()).is_end() {
                        break;
                    }
                }
                NextAction::Glance | NextAction::Nothing => {}
            }
            asked = watch.due(sweep);
            match asked {
                NextAction::Check => {
                    self.start_check(free);
                    if self.comm.size() == 1 || sweep >= self.usual.min(settings.max_sweeps) {
                        asked = NextAction::Nothing;
                        let verdict = watch.check(sweep, settings, &self.finish_check());
                        match verdict {
                            CheckVerdict::GoOn | CheckVerdict::Stop => {}
                            CheckVerdict::Keep => {
                                self.subdomains.par_iter_mut().for_each(|s| s.problem.keep_impulses(&mut s.best));
                            }
                            CheckVerdict::GoBack | CheckVerdict::StopAtBest => self.go_back(free),
                        }
                        if verdict.is_end() {
                            break;
                        }
                    } else {
                        self.subdomains.par_iter_mut().for_each(|s| {
                            keep(&mut s.marked, s.problem.lines.iter());
                            s.problem.keep_impulses(&mut s.kept);
                        });
                    }
                }
                NextAction::Glance => self.start_quick_check(),
                NextAction::Nothing => {}
            }
        }
        if momentum.is_some() {
            if settings.max_sweeps > 0 {
                self.finish_restart_test();
            }
            self.recompute(free);
        }
        let certificate = watch.certificate();
        if certificate.sweeps >= ConvergenceMonitor::FIRST {
            self.usual = certificate.sweeps;
        }
        certificate
    }

    /// Collective. Scales down warm-start impulses that do more harm than good, by the factor that minimises the energy
    /// over all contacts.
    fn rescale(&mut self, free: &(impl Fn(u32) -> Velocity<X> + Sync)) {
        self.start_check(free);
        let CheckSums { residual, moved, .. } = self.finish_check();
        let scale = residual.best_scale(moved);
        if scale < 1.0 {
            self.subdomains.par_iter_mut().for_each(|s| s.problem.scale_impulses(scale));
            self.recompute(free);
        }
    }

    /// Returns to the best impulses and the velocities that follow from them.
    fn go_back(&mut self, free: &(impl Fn(u32) -> Velocity<X> + Sync)) {
        self.subdomains.par_iter_mut().for_each(|s| s.problem.restore_impulses(&s.best));
        self.recompute(free);
    }

    /// One sweep over all contacts: a half-sweep for each colour.
    fn sweep(&mut self, settings: &SolverSettings, momentum: Option<f64>) {
        let colours = match self.settings.interface {
            InterfaceScheme::RedBlack if self.cuts.parts() > 1 => 2,
            InterfaceScheme::RedBlack | InterfaceScheme::Glue => 1,
        };
        for colour in 0..colours {
            self.half_sweep(settings, momentum, colour, true);
            let comm = self.comm.clone();
            let (interface, lines) = self.lines();
            interface.post(lines, colour, &*comm);
            self.half_sweep(settings, momentum, colour, false);
            let start = Instant::now();
            self.interface.complete(colour, &*comm);
            self.waited += start.elapsed();
            let (interface, lines) = self.lines();
            interface.combine(lines, colour);
        }
    }

    /// Sweeps the subdomains of a colour that share bodies with other processes (`remote`), or those that do not.
    fn half_sweep(&mut self, settings: &SolverSettings, momentum: Option<f64>, colour: u8, remote: bool) {
        let chosen = |s: &&mut Subdomain<X>| s.colour == colour && s.is_remote == remote;
        self.subdomains.par_iter_mut().with_max_len(1).filter(chosen).for_each(|subdomain| {
            let start = Instant::now();
            if let Some(factor) = momentum {
                subdomain.memory.extrapolate(subdomain.problem.lines.own(), factor);
            }
            subdomain.load();
            let Subdomain { problem, memory, .. } = subdomain;
            subdomain.change = match momentum {
                None => problem.sweep_by(settings),
                Some(factor) => problem.sweep_on(settings.local, settings.relaxation, factor, memory),
            };
            subdomain.cost += start.elapsed().as_nanos() as u64;
        });
    }

    /// Adds the effect of the initial impulses of all subdomains to the `free` velocities, which the bodies must have.
    fn start(&mut self, free: &(impl Fn(u32) -> Velocity<X> + Sync)) {
        let comm = self.comm.clone();
        let (interface, lines) = self.lines();
        interface.set_free(lines, free);
        for colour in 0..2 {
            self.each_of(colour, |subdomain| {
                subdomain.load();
                subdomain.problem.apply_impulses();
            });
            let (interface, lines) = self.lines();
            interface.post(lines, colour, &*comm);
            if colour == 0 {
                interface.set_aside(lines, free);
            }
        }
        (0..2).for_each(|colour| self.interface.complete(colour, &*comm));
        let (interface, lines) = self.lines();
        interface.start(lines, free);
        self.subdomains.par_iter_mut().for_each(Subdomain::load);
    }

    /// Runs `work` on all subdomains of a colour in parallel.
    fn each_of(&mut self, colour: u8, work: impl Fn(&mut Subdomain<X>) + Send + Sync) {
        self.subdomains.par_iter_mut().filter(|s| s.colour == colour).for_each(work);
    }

    /// Recomputes the velocities from the impulses alone, because momentum amplifies their rounding errors.
    fn recompute(&mut self, free: &(impl Fn(u32) -> Velocity<X> + Sync)) {
        self.subdomains.par_iter_mut().for_each(|subdomain| {
            let Subdomain { problem: ContactProblem { lines, .. }, held, .. } = subdomain;
            for place in 1..held.len() {
                if lines.is_own(place) {
                    lines[place].set_twist(&free(held[place]));
                }
            }
        });
        self.start(free);
    }

    /// Starts the reduction of the terms of the last sweep that decide whether the momentum restarts.
    fn start_restart_test(&mut self) {
        ask(&*self.comm, &mut self.restart_sums, &self.subdomains, |s| [s.change.size, s.change.against]);
    }

    fn finish_restart_test(&mut self) -> Change {
        self.comm.end_sum(&mut self.restart_sums);
        let [size, against] = self.restart_sums.read();
        Change { size, against, ..Change::default() }
    }

    /// Starts the reduction of the quick check: the corrections of the last sweep and the norm of the impulses.
    fn start_quick_check(&mut self) {
        self.subdomains.par_iter_mut().for_each(|s| s.found.residual.impulses = s.problem.impulses2());
        ask(&*self.comm, &mut self.reduction, &self.subdomains, |s| [s.change.corrections, s.found.residual.impulses]);
    }

    /// Waits for the quick check: did the sweep change next to nothing?
    fn finish_quick_check(&mut self, settings: &SolverSettings) -> bool {
        self.comm.end_sum(&mut self.reduction);
        let [corrections, impulses] = self.reduction.read();
        Change { corrections, ..Change::default() }.is_calm(impulses, settings)
    }

    /// Starts the reduction of the terms of the certificate, with velocities consistent with the impulses.
    fn start_check(&mut self, free: &(impl Fn(u32) -> Velocity<X> + Sync)) {
        let asked = f64::from(u8::from(self.is_asked_to_stop()));
        self.subdomains.par_iter_mut().for_each(|subdomain| {
            subdomain.load();
            let Subdomain { problem, held, is_primary, change, .. } = subdomain;
            problem.fetch_impulses();
            let moved = problem.moved(|place| free(held[place]), |place| is_primary[place]);
            subdomain.found = CheckSums { corrections: change.corrections, residual: problem.residual(), moved };
        });
        ask(&*self.comm, &mut self.reduction, &self.subdomains, |subdomain| {
            let CheckSums { corrections, residual, moved } = subdomain.found;
            let Residual { violation, impulses, gap, work, alone, contacts, active, .. } = residual;
            let counts = [contacts as f64, active as f64];
            [corrections, violation, impulses, gap, work, alone, counts[0], counts[1], moved, asked]
        });
    }

    /// Waits for the terms of the certificate; the worst contact is that of this process.
    fn finish_check(&mut self) -> CheckSums {
        self.comm.end_sum(&mut self.reduction);
        let [corrections, violation, impulses, gap, work, alone, contacts, active, moved, asked] =
            self.reduction.read();
        self.halted |= asked > 0.0;
        let worst = self.subdomains.iter().map(|s| s.found.residual.worst).fold(0.0, f64::max);
        let (contacts, active) = (contacts as u64, active as u64);
        let residual = Residual { violation, impulses, worst, gap, work, alone, contacts, active };
        CheckSums { corrections, residual, moved }
    }

    /// Rolls back the last sweep: impulses and velocities become those of the check before it.
    fn roll_back(&mut self) {
        for colour in 0..2 {
            self.each_of(colour, |subdomain| {
                let Subdomain { problem, marked, kept, .. } = subdomain;
                problem.restore_impulses(kept);
                restore(&mut problem.lines, marked);
            });
        }
    }
}

/// Starts the exact sum of `terms` over the subdomains of all processes.
fn ask<X: Dim, const N: usize>(
    comm: &dyn Comm,
    reduction: &mut PendingReduction,
    subdomains: &[Subdomain<X>],
    terms: impl Fn(&Subdomain<X>) -> [f64; N],
) {
    let mut sums: [ExactSum; N] = std::array::from_fn(|_| ExactSum::default());
    for subdomain in subdomains {
        sums.iter_mut().zip(terms(subdomain)).for_each(|(sum, term)| sum.add(term));
    }
    reduction.load(&sums);
    comm.begin_sum(reduction);
}
