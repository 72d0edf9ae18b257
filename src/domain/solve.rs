//! The solve of a step: sweeps in all subdomains, interleaved with the interface, until the certificate holds.
//!
//! Red-black: the subdomains of one colour sweep side by side, their shared bodies are reconciled, then the other
//! colour. Sums over subdomains are taken in subdomain order, whoever computed the parts.

use rayon::prelude::*;

use super::{Domain, Scheme};
use crate::dim::Dim;
use crate::solver::{Certificate, Change, Residual, Settings, SolvedStep, first_check, is_check};

impl<X: Dim> Domain<X> {
    /// Sweeps until converged or the cap is hit.
    pub fn solve(&mut self, settings: &Settings) -> Certificate {
        self.subdomains.par_iter_mut().for_each(|s| s.problem.apply_impulses());
        self.interface.start(&self.subdomains);
        self.load_and_mark();
        let mut watch = SolvedStep::default();
        for sweep in 1..=settings.max_sweeps {
            let change = self.sweep(settings);
            if is_check(sweep, settings.max_sweeps, change.is_fixed_point(settings)) {
                let (residual, norms) = self.measure();
                if watch.check(sweep, settings, change.is_fixed_point(settings), residual, norms) {
                    return watch.certificate();
                }
            } else if sweep + 10 == first_check() {
                self.load_and_mark();
            }
        }
        watch.certificate()
    }

    /// One sweep over all contacts: a half-sweep for each colour.
    fn sweep(&mut self, settings: &Settings) -> Change {
        let colours = match self.settings.interface {
            Scheme::RedBlack if self.subdomains.len() > 1 => 2,
            Scheme::RedBlack | Scheme::Glue => 1,
        };
        for colour in 0..colours {
            let interface = &self.interface;
            self.subdomains.par_iter_mut().with_max_len(1).filter(|s| s.colour == colour).for_each(|subdomain| {
                interface.load(subdomain);
                subdomain.change = subdomain.problem.sweep(settings.local, settings.relaxation);
            });
            self.interface.combine(&self.subdomains, colour);
        }
        self.subdomains.iter().fold(Change::default(), |sum, s| sum.plus(s.change))
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
        parts.into_iter().fold((Residual::default(), [0.0; 2]), |(residual, norms), (r, n)| {
            (residual.plus(r), [norms[0] + n[0], norms[1] + n[1]])
        })
    }
}
