//! The solve of a step: sweeps in all subdomains alternate with the interface until the certificate holds.
//!
//! Red-black scheme: the subdomains of one colour sweep in parallel, their interface bodies are reconciled, then the
//! other colour follows. Subdomains that share bodies with another process sweep first; the others sweep while the
//! messages are in transit.
//!
//! A check is one exact sum over all processes, so that it depends neither on the order of the subdomains nor on their
//! placement. A single process always waits for it and never sweeps speculatively; several processes wait only where
//! the solve is likely to end.

use std::time::Instant;

use rayon::prelude::*;

use super::assembled_problem::AssembledProblem;
use super::solve_state::SolveState;
use super::{Domain, InterfaceScheme, StepContext, Subdomain};
use crate::base::ExactSum;
use crate::base::index::FreeRow;
use crate::comm::{Comm, PendingReduction};
use crate::dim::Dim;
use crate::solver::{
    Certificate, Change, CheckSums, ConvergenceMonitor, Residual, SolverSettings, SweptProblem, Velocity,
    sweep_to_convergence,
};

impl<X: Dim> Domain<X> {
    /// Collective. Sweeps until convergence or the sweep limit. The worst contact of the certificate is the worst of
    /// this process until [`outcome`](Self::outcome) reduces it over all processes.
    pub fn solve(&mut self, context: &StepContext<X>) -> Certificate {
        // The sweeps use the memory of the next contact history.
        let mut blocks = self.buffers.history_buffer.leave();
        for subdomain in &mut self.subdomains {
            subdomain.take_buffers(std::array::from_fn(|_| blocks.next().unwrap_or_default()));
        }
        drop(blocks);
        let certificate = self.solve_from(&|row| context.free_velocity(row), context.solver);
        let Self { subdomains, buffers, .. } = self;
        buffers.history_buffer.take_scratch(subdomains.iter_mut().map(Subdomain::leave_buffers));
        certificate
    }

    /// The same with other free velocities: `free` gives that of each row, in the variables of the problem.
    pub(super) fn solve_from(
        &mut self,
        free: &(impl Fn(FreeRow) -> Velocity<X> + Sync),
        settings: &SolverSettings,
    ) -> Certificate {
        let certificate = sweep_to_convergence(&mut SubdomainProblems { domain: self, free }, settings);
        if certificate.sweeps >= ConvergenceMonitor::FIRST {
            self.solve_state.expected_sweeps = certificate.sweeps;
        }
        certificate
    }

    /// One sweep over all contacts: a half-sweep for each colour.
    fn sweep(&mut self, settings: &SolverSettings, momentum: Option<f64>) {
        let colours = match self.settings.interface {
            InterfaceScheme::RedBlack if self.decomposition.cuts.parts() > 1 => 2,
            InterfaceScheme::RedBlack | InterfaceScheme::Glue => 1,
        };
        for colour in 0..colours {
            self.half_sweep(settings, momentum, colour, true);
            let comm = self.comm.clone();
            self.interface.post(self.store.rows(), colour, &*comm);
            self.half_sweep(settings, momentum, colour, false);
            self.interface.complete(colour, &*comm);
            self.interface.combine(self.store.rows_mut(), colour);
        }
    }

    /// Sweeps the subdomains of a colour that share bodies with other processes (`remote`), or those that do not.
    fn half_sweep(&mut self, settings: &SolverSettings, momentum: Option<f64>, colour: u8, remote: bool) {
        let is_chosen = |s: &Subdomain<X>| s.colour == colour && s.copies.is_remote == remote;
        self.store.each_of_colour(colour, &mut self.subdomains, is_chosen, |subdomain| {
            let start = Instant::now();
            if let Some(factor) = momentum {
                subdomain.saved.momentum.extrapolate(subdomain.assembled.problem.rows.own(), factor);
            }
            subdomain.assembled.problem.rows.load_split_copies();
            let Subdomain { assembled: AssembledProblem { problem, .. }, saved, sums, .. } = subdomain;
            sums.change = match momentum {
                None => settings.sweep(problem),
                Some(factor) => settings.sweep_on(problem, factor, &mut saved.momentum),
            };
            subdomain.cost += start.elapsed().as_nanos() as u64;
        });
    }

    /// Runs `work` on all subdomains of a colour in parallel.
    fn each_of_colour(&mut self, colour: u8, work: impl Fn(&mut Subdomain<X>) + Send + Sync) {
        self.store.each_of_colour(colour, &mut self.subdomains, |s| s.colour == colour, work);
    }
}

/// The problems of all subdomains as one swept problem; `free` gives the free velocity of each row.
struct SubdomainProblems<'a, X: Dim, F> {
    domain: &'a mut Domain<X>,
    free: &'a F,
}

impl<X: Dim, F: Fn(FreeRow) -> Velocity<X> + Sync> SweptProblem for SubdomainProblems<'_, X, F> {
    fn start(&mut self) {
        let Self { domain, free } = self;
        let comm = domain.comm.clone();
        domain.interface.set_free(domain.store.rows_mut(), free);
        for colour in 0..2 {
            domain.each_of_colour(colour, |subdomain| {
                subdomain.assembled.problem.rows.load_split_copies();
                subdomain.assembled.problem.apply_impulses();
            });
            domain.interface.post(domain.store.rows(), colour, &*comm);
            if colour == 0 {
                domain.interface.save_first_colour(domain.store.rows_mut(), free);
            }
        }
        (0..2).for_each(|colour| domain.interface.complete(colour, &*comm));
        domain.interface.start(domain.store.rows_mut(), free);
        domain.store.each(&mut domain.subdomains, |s| s.assembled.problem.rows.load_split_copies());
    }

    fn recompute(&mut self) {
        let free = self.free;
        let Domain { store, subdomains, .. } = &mut *self.domain;
        store.each(subdomains, |subdomain| {
            let Subdomain { assembled, active, .. } = subdomain;
            let rows = &mut assembled.problem.rows;
            for (index, row) in active.without_world() {
                if rows.is_own(index) {
                    rows[index.index()].set_velocities(&free(row));
                }
            }
        });
        self.start();
    }

    fn scale_impulses(&mut self, scale: f64) {
        self.domain.subdomains.par_iter_mut().for_each(|s| s.assembled.problem.scale_impulses(scale));
    }

    fn start_momentum(&mut self) {
        let Domain { store, subdomains, .. } = &mut *self.domain;
        store.each(subdomains, |s| s.assembled.problem.start_momentum(&mut s.saved.momentum));
    }

    fn sweep(&mut self, settings: &SolverSettings) {
        self.domain.sweep(settings, None);
    }

    fn sweep_on(&mut self, settings: &SolverSettings, factor: f64, is_first: bool) {
        let Domain { interface, store, .. } = &mut *self.domain;
        interface.extrapolate(store.rows_mut(), factor, is_first);
        self.domain.sweep(settings, Some(factor));
    }

    /// The sums include whether a process has received a stop request.
    fn start_restart_test(&mut self) {
        let asked = f64::from(u8::from(self.domain.stop.is_made()));
        let Domain { comm, solve_state, subdomains, .. } = &mut *self.domain;
        begin_sum(&**comm, &mut solve_state.restart_test, subdomains, |s| {
            [s.sums.change.size, s.sums.change.against, asked]
        });
    }

    fn finish_restart_test(&mut self) -> Change {
        let Domain { comm, solve_state, stop, .. } = &mut *self.domain;
        comm.end_sum(&mut solve_state.restart_test);
        let [size, against, asked] = solve_state.restart_test.read();
        stop.is_agreed |= asked > 0.0;
        Change { size, against, ..Change::default() }
    }

    fn start_quick_check(&mut self) {
        let Domain { comm, solve_state, subdomains, .. } = &mut *self.domain;
        subdomains.par_iter_mut().for_each(|s| s.sums.check.residual.impulses = s.assembled.problem.impulses2());
        begin_sum(&**comm, &mut solve_state.check, subdomains, |s| {
            [s.sums.change.corrections, s.sums.check.residual.impulses]
        });
    }

    fn finish_quick_check(&mut self, settings: &SolverSettings) -> bool {
        let Domain { comm, solve_state, .. } = &mut *self.domain;
        comm.end_sum(&mut solve_state.check);
        let [corrections, impulses] = solve_state.check.read();
        Change { corrections, ..Change::default() }.is_calm(impulses, settings.tolerance)
    }

    /// The sums include whether a process has received a stop request.
    fn start_check(&mut self) {
        let free = self.free;
        let stop_requested = f64::from(u8::from(self.domain.stop.is_made()));
        let Domain { comm, solve_state, subdomains, store, .. } = &mut *self.domain;
        store.each(subdomains, |subdomain| {
            subdomain.assembled.problem.rows.load_split_copies();
            let Subdomain { assembled: AssembledProblem { problem, .. }, active, sums, .. } = subdomain;
            problem.fetch_impulses();
            let [moved, motion] = problem.moved(|index| free(active.rows[index]), |index| active.is_primary[index]);
            let corrections = sums.change.corrections;
            sums.check = CheckSums { corrections, residual: problem.residual(), moved, motion };
        });
        begin_sum(&**comm, &mut solve_state.check, subdomains, |subdomain| {
            let CheckSums { corrections, residual, moved, motion } = subdomain.sums.check;
            let Residual { violation, impulses, gap, work, alone, contacts, active, .. } = residual;
            let counts = [contacts as f64, active as f64];
            [corrections, violation, impulses, gap, work, alone, counts[0], counts[1], moved, motion, stop_requested]
        });
    }

    /// The worst contact is that of this process.
    fn finish_check(&mut self) -> CheckSums {
        let Domain { comm, solve_state: SolveState { check, .. }, subdomains, stop, .. } = &mut *self.domain;
        comm.end_sum(check);
        let [corrections, violation, impulses, gap, work, alone, contacts, active, moved, motion, stop_requested] =
            check.read();
        stop.is_agreed |= stop_requested > 0.0;
        let worst = subdomains.iter().map(|s| s.sums.check.residual.worst).fold(0.0, f64::max);
        let (contacts, active) = (contacts as u64, active as u64);
        let residual = Residual { violation, impulses, worst, gap, work, alone, contacts, active };
        CheckSums { corrections, residual, moved, motion }
    }

    /// Only where there is one subdomain: its process solves, the others learn whether that succeeded.
    fn polish(&mut self, settings: &SolverSettings) -> bool {
        if self.domain.parts() > 1 {
            return false;
        }
        let free = self.free;
        let Domain { comm, subdomains, store, .. } = &mut *self.domain;
        store.each(subdomains, |subdomain| {
            let start = Instant::now();
            let Subdomain { assembled: AssembledProblem { problem, .. }, active, sums, .. } = subdomain;
            sums.is_polished = problem.polish(|index| free(active.rows[index]), settings);
            subdomain.cost += start.elapsed().as_nanos() as u64;
        });
        let mut solved = [subdomains.iter().filter(|subdomain| subdomain.sums.is_polished).count() as u64];
        comm.sum(&mut solved);
        if solved[0] > 0 {
            self.recompute();
        }
        solved[0] > 0
    }

    fn keep_best(&mut self) {
        self.domain.subdomains.par_iter_mut().for_each(|s| s.saved.keep_best(&s.assembled.problem));
    }

    fn go_back(&mut self) {
        self.domain.subdomains.par_iter_mut().for_each(|s| s.saved.restore_best(&mut s.assembled.problem));
        self.recompute();
    }

    /// A single process always waits; several wait only where the solve is likely to end.
    fn waits_for_check(&self, sweep: u32, settings: &SolverSettings) -> bool {
        self.domain.comm.size() == 1 || sweep >= self.domain.solve_state.expected_sweeps.min(settings.max_sweeps)
    }

    fn save_iterate(&mut self) {
        let Domain { store, subdomains, .. } = &mut *self.domain;
        store.each(subdomains, |s| s.saved.save(&s.assembled.problem));
    }

    fn roll_back(&mut self) {
        for colour in 0..2 {
            self.domain.each_of_colour(colour, |s| s.saved.roll_back(&mut s.assembled.problem));
        }
    }

    fn keep_saved(&mut self) {
        self.domain.subdomains.iter_mut().for_each(|s| s.saved.keep_saved());
    }

    /// Several processes learn of a stop request through the next check or restart test, so that all of them stop at
    /// the same sweep.
    fn is_stop_requested(&mut self) -> bool {
        let Domain { comm, stop, .. } = &mut *self.domain;
        stop.is_agreed |= comm.size() == 1 && stop.is_made();
        stop.is_agreed
    }

    fn is_stopped(&self) -> bool {
        self.domain.stop.is_agreed
    }
}

/// Starts the exact sum of `terms` over the subdomains of all processes.
fn begin_sum<X: Dim, const N: usize>(
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
