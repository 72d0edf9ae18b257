//! The lines of all bodies of this process: one array for the problems of all subdomains.
//!
//! Subdomains of one colour have no line in common: a body that several of them hold has a line of its own in each. So they may
//! sweep side by side, and those of the other colour find the velocities where they were left.
#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::assemble::whole_line;
use super::context::StepContext;
use super::interface::{CopyPlace, Interface, SplitCopy};
use super::{Domain, Subdomain};
use crate::dim::Dim;
use crate::solver::{BodyVelocity, VelocityStore};

impl<X: Dim> Domain<X> {
    /// The next problems have so many lines together, those of shared bodies first, which are there. Returns where.
    pub(super) fn make_room(&mut self, lines: usize, context: &StepContext<X>) -> Arc<VelocityStore<X>> {
        match Arc::get_mut(&mut self.field) {
            Some(field) => field.resize(lines),
            // Some problem is still at home in this one.
            None => {
                let mut field = VelocityStore::default();
                field.resize(lines);
                self.field = Arc::new(field);
            }
        }
        let (interface, lines) = self.lines();
        lines.par_iter_mut().zip(&interface.shared).for_each(|(line, shared)| *line = whole_line(context, shared.body));
        self.field.clone()
    }

    /// Shared bodies, and all lines.
    pub(super) fn lines(&mut self) -> (&mut Interface<X>, &mut [BodyVelocity<X>]) {
        // SAFETY: only the problems of the subdomains have joined the field, and those cannot be used while all of `self` is
        // borrowed.
        (&mut self.interface, unsafe { self.field.all() })
    }

    /// When a solve is over: every body that a subdomain here holds, with its line. All its copies say the same.
    pub(super) fn read_held<T: Send>(&mut self, into: &mut [T], put: impl Fn(&mut T, usize, &BodyVelocity<X>) + Sync) {
        let (interface, lines) = self.lines();
        let all = into.par_iter_mut().zip(&interface.finding.by_body).enumerate().with_min_len(1024);
        all.for_each(|(body, (into, line))| {
            if let Some(number) = line.load(Relaxed).checked_sub(1) {
                put(into, body, &lines[number as usize]);
            }
        });
    }
}

impl<X: Dim> Interface<X> {
    /// Shared bodies have the first lines. The only copy of a colour is swept there; then come, subdomain by subdomain, the
    /// lines that are its own: the world, bodies that it alone holds, and other copies. There are so many `bodies`. Returns how
    /// many lines there are.
    pub(super) fn number_lines(&mut self, subdomains: &mut [Subdomain<X>], bodies: usize) -> usize {
        const OWN: u32 = u32::MAX;
        for Subdomain { layout, held, .. } in &mut *subdomains {
            layout.numbers.clear();
            layout.numbers.resize(held.len(), OWN);
            layout.own = 0..held.len() as u32;
        }
        for (number, shared) in self.shared.iter_mut().enumerate() {
            for (colour, group) in [shared.from..shared.second, shared.second..shared.to].into_iter().enumerate() {
                if let [SplitCopy { at: CopyPlace::Here { slot, place, .. }, .. }] =
                    self.copies[group.start as usize..group.end as usize]
                {
                    let layout = &mut subdomains[slot as usize].layout;
                    layout.numbers[place as usize] = number as u32;
                    layout.own.end -= 1;
                    shared.in_place[colour] = true;
                }
            }
        }
        let mut next = self.shared.len() as u32;
        for layout in subdomains.iter_mut().map(|subdomain| &mut subdomain.layout) {
            layout.own = next..next + layout.own.end;
            next = layout.own.end;
        }
        let line_of = &mut self.finding.by_body;
        line_of.clear();
        line_of.resize_with(bodies, AtomicU32::default);
        subdomains.par_iter_mut().for_each(|Subdomain { layout, held, .. }| {
            let own = layout.numbers.iter_mut().zip(held).filter(|(number, _)| **number == OWN);
            for ((number, &mut body), line) in own.zip(layout.own.clone()) {
                *number = line;
                // The world is no body.
                if let Some(own) = line_of.get(body as usize) {
                    own.store(line + 1, Relaxed);
                }
            }
        });
        for shared in &self.shared {
            for copy in &mut self.copies[shared.from as usize..shared.to as usize] {
                if let CopyPlace::Here { slot, place, line } = &mut copy.at {
                    *line = subdomains[*slot as usize].layout.numbers[*place as usize];
                    // That of a copy: a sweep that is taken back is taken back there.
                    *line_of[shared.body as usize].get_mut() = *line + 1;
                }
            }
        }
        next as usize
    }
}

impl<X: Dim> Subdomain<X> {
    /// The problem, empty, has its lines in the `field` from now on, as its layout says.
    pub(super) fn join(&mut self, field: &Arc<VelocityStore<X>>) {
        let Self { problem, layout, .. } = self;
        // SAFETY: the layouts of all subdomains were made together with the field ([`Interface::build`]): own lines are in no
        // other. Only subdomains of different colours have a line in common; whatever changes other than their own lines goes
        // colour by colour, and `Domain` alone has hold of the problems.
        unsafe { problem.lines.join(field, layout) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use crate::domain::interface::InterfaceBody;

    /// A subdomain that holds these bodies.
    fn subdomain(colour: u8, bodies: &[u32]) -> Subdomain<Space> {
        let mut subdomain = Subdomain::new(0);
        (subdomain.colour, subdomain.held) = (colour, [&[u32::MAX], bodies].concat());
        subdomain
    }

    /// One copy in each of these subdomains, by slot, place and colour; and so many in other processes.
    fn shared(interface: &mut Interface<Space>, body: u32, here: &[(u32, u32, u8)], there: u32) {
        let from = interface.copies.len() as u32;
        let first = here.iter().filter(|copy| copy.2 == 0).count() as u32;
        let here = here.iter().map(|&(slot, place, _)| CopyPlace::Here { slot, place, line: 0 });
        let there = (0..there).map(|_| CopyPlace::There { peer: 0, from: 0 });
        interface.copies.extend(here.chain(there).map(|at| SplitCopy { at, factor: 1.0 }));
        let to = interface.copies.len() as u32;
        interface.shared.push(InterfaceBody { body, from, to, second: from + first, in_place: [false; 2] });
    }

    #[test]
    fn only_subdomains_of_different_colours_have_a_line_in_common_and_none_the_worlds() {
        let mut all = [subdomain(0, &[1, 2, 3, 4]), subdomain(0, &[2, 3, 5]), subdomain(1, &[1, 3, 6])];
        let mut interface = Interface::<Space>::default();
        shared(&mut interface, 1, &[(0, 1, 0), (2, 1, 1)], 0);
        shared(&mut interface, 2, &[(0, 2, 0), (1, 1, 0)], 0);
        shared(&mut interface, 3, &[(0, 3, 0), (1, 2, 0), (2, 2, 1)], 0);
        // A subdomain of the second colour elsewhere holds it too.
        shared(&mut interface, 6, &[(2, 3, 1)], 1);
        let count = interface.number_lines(&mut all, 8);
        let numbers: Vec<&[u32]> = all.iter().map(|s| &*s.layout.numbers).collect();
        assert_eq!(numbers, [&[4, 0, 5, 6, 7][..], &[8, 9, 10, 11], &[12, 0, 2, 13]]);
        assert_eq!(all.each_ref().map(|s| s.layout.own.clone()), [4..8, 8..12, 12..14]);
        assert_eq!(count, 14);
        let line_of: Vec<u32> = interface.finding.by_body.iter_mut().map(|line| *line.get_mut()).collect();
        assert_eq!(line_of, [0, 1, 10, 3, 8, 12, 14, 0], "those of copies, and none for who is not held");
        let in_place: Vec<_> = interface.shared.iter().map(|shared| shared.in_place).collect();
        assert_eq!(in_place, [[true, true], [false, false], [false, true], [false, false]]);
        let lines = interface.copies.iter().filter_map(|copy| match copy.at {
            CopyPlace::Here { line, .. } => Some(line),
            CopyPlace::There { .. } => None,
        });
        assert_eq!(lines.collect::<Vec<_>>(), [0, 0, 5, 9, 6, 10, 2, 13]);
    }
}
