//! The solve of a step: sweeps in all subdomains, interleaved with the interface, until the certificate holds.
//!
//! Red-black: the subdomains of one colour sweep side by side, their shared bodies are reconciled, then the other
//! colour. Subdomains that share bodies with another process go first, and the others sweep while the messages travel.
//! Sums over subdomains are exact, so neither their order nor where they were computed shows.

use std::time::Instant;

use rayon::prelude::*;

use super::{Domain, Scheme, Subdomain};
use crate::comm::{ExactSum, sum_exactly};
use crate::dim::Dim;
use crate::solver::{Certificate, Change, Residual, Settings, SolvedStep, first_check, is_check, is_glance};

impl<X: Dim> Domain<X> {
    /// Sweeps until converged or the cap is hit.
    pub fn solve(&mut self, settings: &Settings) -> Certificate {
        self.subdomains.par_iter_mut().for_each(|s| s.problem.apply_impulses());
        self.interface.start(&self.subdomains, &*self.comm);
        self.load_and_mark();
        let mut watch = SolvedStep::default();
        for sweep in 1..=settings.max_sweeps {
            self.sweep(settings);
            let fixed_point = is_glance(sweep, settings.max_sweeps) && self.change().is_fixed_point(settings);
            if is_check(sweep, settings.max_sweeps, fixed_point) {
                let (residual, norms) = self.measure();
                if watch.check(sweep, settings, fixed_point, residual, norms) {
                    return watch.certificate();
                }
            } else if sweep + 10 == first_check() {
                self.load_and_mark();
            }
        }
        watch.certificate()
    }

    /// One sweep over all contacts: a half-sweep for each colour.
    fn sweep(&mut self, settings: &Settings) {
        let colours = match self.settings.interface {
            Scheme::RedBlack if self.cuts.parts() > 1 => 2,
            Scheme::RedBlack | Scheme::Glue => 1,
        };
        for colour in 0..colours {
            self.half_sweep(settings, colour, true);
            self.interface.post(&self.subdomains, colour, &*self.comm);
            self.half_sweep(settings, colour, false);
            self.interface.complete(colour, &*self.comm);
            self.interface.combine(&self.subdomains, colour);
        }
    }

    /// The subdomains of a colour that share bodies with other processes, or those that do not.
    fn half_sweep(&mut self, settings: &Settings, colour: u8, remote: bool) {
        let interface = &self.interface;
        let chosen = |s: &&mut Subdomain<X>| s.colour == colour && s.is_remote == remote;
        self.subdomains.par_iter_mut().with_max_len(1).filter(chosen).for_each(|subdomain| {
            let start = Instant::now();
            interface.load(subdomain);
            subdomain.change = subdomain.problem.sweep(settings.local, settings.relaxation);
            subdomain.cost += start.elapsed().as_nanos() as u64;
        });
    }

    /// What the last sweep changed, everywhere.
    fn change(&self) -> Change {
        let mut sums = [ExactSum::default(), ExactSum::default()];
        for subdomain in &self.subdomains {
            sums[0].add(subdomain.change.corrections);
            sums[1].add(subdomain.change.impulses);
        }
        let [corrections, impulses] = sum_exactly(&*self.comm, sums);
        Change { corrections, impulses }
    }

    /// All copies take the present velocities, which become those of the last check.
    fn load_and_mark(&mut self) {
        let interface = &self.interface;
        self.subdomains.par_iter_mut().for_each(|subdomain| {
            interface.load(subdomain);
            subdomain.checked.clone_from(&subdomain.problem.lines);
        });
    }

    /// Residual and norms with velocities consistent with the impulses; marks the check.
    fn measure(&mut self) -> (Residual, [f64; 2]) {
        let interface = &self.interface;
        let parts: Vec<(Residual, [f64; 2])> = self
            .subdomains
            .par_iter_mut()
            .map(|subdomain| {
                interface.load(subdomain);
                let speaks = &subdomain.speaks;
                let norms = subdomain.problem.norms(&subdomain.checked, &subdomain.free, |place| speaks[place]);
                subdomain.checked.clone_from(&subdomain.problem.lines);
                (subdomain.problem.residual(), norms)
            })
            .collect();
        let mut sums: [ExactSum; 6] = std::array::from_fn(|_| ExactSum::default());
        let mut worst = [0.0f64];
        for (residual, norms) in &parts {
            let Residual { violation, impulses, contacts, active, .. } = *residual;
            let terms = [violation, impulses, contacts as f64, active as f64, norms[0], norms[1]];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
            worst[0] = worst[0].max(residual.worst);
        }
        self.comm.max(&mut worst);
        let [violation, impulses, contacts, active, changed, moved] = sum_exactly(&*self.comm, sums);
        let residual =
            Residual { violation, impulses, worst: worst[0], contacts: contacts as u64, active: active as u64 };
        (residual, [changed, moved])
    }
}
