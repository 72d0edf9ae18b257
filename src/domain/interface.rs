//! Bodies held by several subdomains: who holds them, how their copies are weighted, and how copies become one.
//!
//! After the subdomains of a colour have swept, a shared body V held by K of them becomes V + sum over K of
//! (v_k - V)/f, in subdomain order; where K is one, simply its copy. With f = |K| that is the mean of the
//! copies: the gluing of the published method.

use rayon::prelude::*;

use super::split::{Pushes, factor};
use super::{Scheme, Subdomain};
use crate::dim::Dim;
use crate::solver::Line;

/// What weighing copies needs to know of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) mass: f64,
    pub(super) is_ball: bool,
}

/// Where a copy of a shared body lives.
#[derive(Clone, Copy, Debug)]
struct Copy {
    subdomain: u32,
    place: u32,
}

/// A body with more than one holder.
#[derive(Clone, Copy, Debug)]
struct Shared {
    /// Range of its copies, sorted by colour, then subdomain.
    from: u32,
    to: u32,
    /// First copy of the second colour.
    second: u32,
}

/// All shared bodies of this process with their present velocities.
pub(super) struct Interface<X: Dim> {
    shared: Vec<Shared>,
    copies: Vec<Copy>,
    lines: Vec<Line<X>>,
}

impl<X: Dim> Default for Interface<X> {
    fn default() -> Self {
        Self { shared: Vec::new(), copies: Vec::new(), lines: Vec::new() }
    }
}

impl<X: Dim> Interface<X> {
    /// Number of shared bodies.
    pub(super) fn len(&self) -> usize {
        self.shared.len()
    }

    /// Find the shared bodies among what the subdomains hold, and decide how their copies are weighted.
    pub(super) fn build(&mut self, subdomains: &mut [Subdomain<X>], bodies: &[Held], scheme: Scheme) {
        self.find(subdomains, bodies.len());
        for (number, shared) in self.shared.iter().enumerate() {
            for (k, copy) in self.copies[shared.from as usize..shared.to as usize].iter().enumerate() {
                let subdomain = &mut subdomains[copy.subdomain as usize];
                subdomain.copies.push([copy.place, number as u32]);
                subdomain.speaks[copy.place as usize] = k == 0;
            }
        }
        match scheme {
            Scheme::Glue => self.weigh(subdomains, |copies, _| copies.len() as f64),
            Scheme::RedBlack => {
                let pushes = self.pushes(subdomains, bodies);
                self.weigh(
                    subdomains,
                    |copies, from| {
                        if copies.len() > 1 { factor(&pushes[from..from + copies.len()]) } else { 1.0 }
                    },
                );
            }
        }
    }

    /// Shared bodies in body order, copies in (colour, subdomain) order.
    fn find(&mut self, subdomains: &[Subdomain<X>], bodies: usize) {
        let mut holders = vec![0u32; bodies];
        for subdomain in subdomains {
            subdomain.held[1..].iter().for_each(|&body| holders[body as usize] += 1);
        }
        self.shared.clear();
        let mut next = 0;
        for count in &mut holders {
            if *count > 1 {
                self.shared.push(Shared { from: next, to: next, second: next });
                next += *count;
                *count = self.shared.len() as u32; // From now on: number of the shared body, plus one.
            } else {
                *count = 0;
            }
        }
        self.copies.clear();
        self.copies.resize(next as usize, Copy { subdomain: 0, place: 0 });
        for colour in 0..2u8 {
            for (number, subdomain) in subdomains.iter().enumerate().filter(|(_, s)| s.colour == colour) {
                for (place, &body) in subdomain.held.iter().enumerate().skip(1) {
                    if holders[body as usize] > 0 {
                        let shared = &mut self.shared[holders[body as usize] as usize - 1];
                        self.copies[shared.to as usize] = Copy { subdomain: number as u32, place: place as u32 };
                        shared.to += 1;
                        shared.second = if colour == 0 { shared.to } else { shared.second };
                    }
                }
            }
        }
    }

    /// For every copy: the contacts of its subdomain that push it. A body counts as split in a subdomain when
    /// another subdomain of the same colour holds it too.
    fn pushes(&self, subdomains: &[Subdomain<X>], bodies: &[Held]) -> Vec<Pushes> {
        let mut split: Vec<Vec<bool>> = subdomains.iter().map(|s| vec![false; s.held.len()]).collect();
        for shared in &self.shared {
            for group in self.groups(shared) {
                for copy in group.iter().filter(|_| group.len() > 1) {
                    split[copy.subdomain as usize][copy.place as usize] = true;
                }
            }
        }
        let counted: Vec<Vec<Pushes>> = subdomains
            .par_iter()
            .zip(&split)
            .map(|(subdomain, split)| count_pushes(subdomain, split, bodies))
            .collect();
        self.copies.iter().map(|c| counted[c.subdomain as usize][c.place as usize]).collect()
    }

    /// The copies of a shared body, one slice for each colour.
    fn groups(&self, shared: &Shared) -> [&[Copy]; 2] {
        [
            &self.copies[shared.from as usize..shared.second as usize],
            &self.copies[shared.second as usize..shared.to as usize],
        ]
    }

    /// Give the copies of each body and colour the factor that `rule(copies, first copy)` says.
    fn weigh(&self, subdomains: &mut [Subdomain<X>], rule: impl Fn(&[Copy], usize) -> f64) {
        for shared in &self.shared {
            for (group, from) in self.groups(shared).into_iter().zip([shared.from, shared.second]) {
                let f = rule(group, from as usize);
                for copy in group {
                    subdomains[copy.subdomain as usize].factors[copy.place as usize] = f;
                }
            }
        }
    }

    /// Start from the free velocities plus what the guessed impulses of all subdomains do.
    pub(super) fn start(&mut self, subdomains: &[Subdomain<X>]) {
        let copies = &self.copies;
        self.lines.clear();
        self.lines.par_extend(self.shared.par_iter().map(|shared| {
            let all = &copies[shared.from as usize..shared.to as usize];
            let mut line = subdomains[all[0].subdomain as usize].free[all[0].place as usize];
            add_deltas(&mut line, all, subdomains);
            line
        }));
    }

    /// The subdomains of `colour` have swept: their copies become one velocity.
    pub(super) fn combine(&mut self, subdomains: &[Subdomain<X>], colour: u8) {
        let copies = &self.copies;
        self.lines.par_iter_mut().zip(&self.shared).with_min_len(256).for_each(|(line, shared)| {
            let (from, to) = if colour == 0 { (shared.from, shared.second) } else { (shared.second, shared.to) };
            match &copies[from as usize..to as usize] {
                [] => {}
                [copy] => *line = subdomains[copy.subdomain as usize].problem.lines[copy.place as usize],
                several => add_deltas(line, several, subdomains),
            }
        });
    }

    /// Give a subdomain the present velocities of its copies.
    pub(super) fn load(&self, subdomain: &mut Subdomain<X>) {
        for &[place, shared] in &subdomain.copies {
            let (line, own) = (&self.lines[shared as usize], &mut subdomain.problem.lines[place as usize]);
            own.velocity = line.velocity;
            own.spin = line.spin;
        }
    }
}

/// V + sum of (v_k - V)/f_k, in the order of the copies.
fn add_deltas<X: Dim>(line: &mut Line<X>, copies: &[Copy], subdomains: &[Subdomain<X>]) {
    let start = *line;
    for copy in copies {
        let subdomain = &subdomains[copy.subdomain as usize];
        let own = &subdomain.problem.lines[copy.place as usize];
        let share = 1.0 / subdomain.factors[copy.place as usize];
        line.velocity += (own.velocity - start.velocity) * share;
        line.spin += (own.spin - start.spin) * share;
    }
}

fn count_pushes<X: Dim>(subdomain: &Subdomain<X>, split: &[bool], bodies: &[Held]) -> Vec<Pushes> {
    let mut pushes = vec![Pushes::default(); subdomain.held.len()];
    for contact in &subdomain.contacts {
        let [a, b] = [contact.a, contact.b].map(|v| subdomain.places[v as usize] as usize);
        for (own, other) in [(a, b), (b, a)] {
            if own == 0 || !split[own] {
                continue;
            }
            let pushed = &mut pushes[own];
            let body = |place: usize| &bodies[subdomain.held[place] as usize];
            pushed.is_round &= body(own).is_ball && (other == 0 || body(other).is_ball);
            if other == 0 || split[other] {
                pushed.stiff += 1;
            } else {
                pushed.soft += 1;
                pushed.ratio = pushed.ratio.min(body(own).mass / body(other).mass);
            }
        }
    }
    pushes
}
