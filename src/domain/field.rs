//! The lines of all bodies of this process: one array for the problems of all subdomains.
//!
//! Subdomains of one colour have no line in common: a body that several of them hold has a line of its own in each. So they may
//! sweep side by side, and those of the other colour find the velocities where they were left.
#![allow(unsafe_code)]

use std::sync::Arc;

use rayon::prelude::*;

use super::assemble::{Scenery, whole_line};
use super::interface::Interface;
use super::{Domain, Subdomain};
use crate::dim::Dim;
use crate::solver::{Field, Line};

impl<X: Dim> Domain<X> {
    /// The next problems have so many lines together, those of shared bodies first, which are there. Returns where.
    pub(super) fn make_room(&mut self, lines: usize, scenery: &Scenery<X>) -> Arc<Field<X>> {
        match Arc::get_mut(&mut self.field) {
            Some(field) => field.resize(lines),
            // Some problem is still at home in this one.
            None => {
                let mut field = Field::default();
                field.resize(lines);
                self.field = Arc::new(field);
            }
        }
        let (interface, lines) = self.lines();
        lines.par_iter_mut().zip(&interface.shared).for_each(|(line, shared)| *line = whole_line(scenery, shared.body));
        self.field.clone()
    }

    /// Shared bodies, and all lines.
    pub(super) fn lines(&mut self) -> (&mut Interface<X>, &mut [Line<X>]) {
        // SAFETY: only the problems of the subdomains have joined the field, and those cannot be used while all of `self` is
        // borrowed.
        (&mut self.interface, unsafe { self.field.all() })
    }
}

impl<X: Dim> Subdomain<X> {
    /// The problem, empty, has its lines in the `field` from now on, as its layout says.
    pub(super) fn join(&mut self, field: &Arc<Field<X>>) {
        let Self { problem, layout, .. } = self;
        // SAFETY: the layouts of all subdomains were made together with the field ([`Interface::build`]): own lines are in no
        // other. Only subdomains of different colours have a line in common; whatever changes other than their own lines goes
        // colour by colour, and `Domain` alone has hold of the problems.
        unsafe { problem.lines.join(field, layout) };
    }
}
