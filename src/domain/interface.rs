//! Bodies held by several subdomains: how their copies become one, sweep after sweep.
//!
//! After the subdomains of a colour have swept, a shared body V held by K of them becomes V + sum over K of
//! (v_k - V)/f, in subdomain order; where K is one, simply its copy. With f = |K| that is the mean of the
//! copies: the gluing of the published method. Copies may live in other processes: then their velocities come by
//! message, one for each pair of processes and colour, laid out when the contacts of the step are known and
//! replayed every sweep.

use rayon::prelude::*;

use super::Subdomain;
use crate::comm::{Comm, Mail};
use crate::dim::{Dim, Vector};
use crate::solver::{Line, Twist, extrapolate, keep};

/// A copy of a shared body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    /// Where it is.
    pub(super) at: At,
    /// Factor on its inverse mass.
    pub(super) factor: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    /// In the problem of a subdomain here.
    Here { slot: u32, place: u32 },
    /// In the messages of a peer, from this number on.
    There { peer: u32, from: u32 },
}

/// A body with more than one holder.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shared {
    pub(super) body: u32,
    /// Range of its copies, sorted by colour, then subdomain.
    pub(super) from: u32,
    pub(super) to: u32,
    /// First copy of the second colour.
    pub(super) second: u32,
}

/// A copy here whose velocity goes to another process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pack {
    pub(super) slot: u32,
    pub(super) place: u32,
    pub(super) peer: u32,
    pub(super) from: u32,
}

/// What a process has to send in every sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bodies of its subdomains that others hold too, here or elsewhere.
    pub shared: u64,
    /// Processes it sends to.
    pub neighbours: u64,
    /// Bytes.
    pub bytes: u64,
}

/// All shared bodies of this process with their present velocities.
pub(super) struct Interface<X: Dim> {
    pub(super) shared: Vec<Shared>,
    pub(super) copies: Vec<Copy>,
    pub(super) lines: Vec<Line<X>>,
    /// Their velocities before the last sweep, where there is momentum.
    old: Vec<Twist<X>>,
    /// For each colour: the messages, and what goes into them.
    pub(super) mail: [Mail; 2],
    pub(super) packs: [Vec<Pack>; 2],
}

impl<X: Dim> Default for Interface<X> {
    fn default() -> Self {
        Self {
            shared: Vec::new(),
            copies: Vec::new(),
            lines: Vec::new(),
            old: Vec::new(),
            mail: [Mail::default(), Mail::default()],
            packs: [Vec::new(), Vec::new()],
        }
    }
}

impl<X: Dim> Interface<X> {
    /// What this process has to send.
    pub(super) fn traffic(&self) -> Traffic {
        let peers = self.mail.iter().flat_map(|mail| &mail.peers);
        let bytes = peers.map(|peer| 8 * peer.out.len() as u64).sum();
        Traffic { shared: self.shared.len() as u64, neighbours: self.mail[0].peers.len() as u64, bytes }
    }

    /// The copies of `colour` that others wait for are on their way.
    pub(super) fn post(&mut self, subdomains: &[Subdomain<X>], colour: u8, comm: &dyn Comm) {
        let colour = usize::from(colour);
        for pack in &self.packs[colour] {
            let line = &subdomains[pack.slot as usize].problem.lines[pack.place as usize];
            let out = &mut self.mail[colour].peers[pack.peer as usize].out[pack.from as usize..];
            out[..X::D].copy_from_slice(line.velocity.as_slice());
            out[X::D..X::D + X::R].copy_from_slice(line.spin.as_slice());
        }
        comm.post(&mut self.mail[colour]);
    }

    /// Those that we wait for have come.
    pub(super) fn complete(&mut self, colour: u8, comm: &dyn Comm) {
        comm.complete(&mut self.mail[usize::from(colour)]);
    }

    /// Start from the `free` velocities plus what the guessed impulses of all subdomains do.
    pub(super) fn start(
        &mut self,
        subdomains: &[Subdomain<X>],
        free: &(impl Fn(u32) -> Twist<X> + Sync),
        comm: &dyn Comm,
    ) {
        (0..2).for_each(|colour| self.post(subdomains, colour, comm));
        (0..2).for_each(|colour| self.complete(colour, comm));
        let Self { shared, copies, mail, lines, .. } = self;
        let here = |copy: &Copy| match copy.at {
            At::Here { slot, place } => {
                let Twist { velocity, spin } = free(subdomains[slot as usize].held[place as usize]);
                Some(Line::new(velocity, 0.0, spin))
            }
            At::There { .. } => None,
        };
        lines.clear();
        lines.par_extend(shared.par_iter().map(|shared| {
            let all = &copies[shared.from as usize..shared.to as usize];
            // A shared body has a copy here; all copies start from the same free velocity.
            let mut line = all.iter().find_map(here).unwrap_or_else(Line::zero);
            let start = line;
            for (k, copy) in (shared.from..).zip(all) {
                let colour = usize::from(k >= shared.second);
                add_delta(&mut line, &start, copy, &read(copy, subdomains, &mail[colour]));
            }
            line
        }));
    }

    /// The next sweep begins: velocities move on by `factor` times their last change, none before the `first` one.
    pub(super) fn extrapolate(&mut self, factor: f64, first: bool) {
        let Self { lines, old, .. } = self;
        if first {
            keep(old, lines);
        }
        let pairs = lines.par_iter_mut().zip(old).with_min_len(256);
        pairs.for_each(|(line, old)| extrapolate(line, old, factor));
    }

    /// The subdomains of `colour` have swept: their copies become one velocity.
    pub(super) fn combine(&mut self, subdomains: &[Subdomain<X>], colour: u8) {
        let Self { shared, copies, mail, lines, .. } = self;
        let mail = &mail[usize::from(colour)];
        lines.par_iter_mut().zip(shared).with_min_len(256).for_each(|(line, shared)| {
            let (from, to) = if colour == 0 { (shared.from, shared.second) } else { (shared.second, shared.to) };
            match &copies[from as usize..to as usize] {
                [] => {}
                [copy] => *line = read(copy, subdomains, mail),
                several => {
                    let start = *line;
                    several.iter().for_each(|copy| add_delta(line, &start, copy, &read(copy, subdomains, mail)));
                }
            }
        });
    }

    /// Give the `own` lines of a subdomain the present velocities of its copies.
    pub(super) fn load(&self, copies: &[[u32; 2]], own: &mut [Line<X>]) {
        for &[place, shared] in copies {
            let (line, own) = (&self.lines[shared as usize], &mut own[place as usize]);
            own.velocity = line.velocity;
            own.spin = line.spin;
        }
    }

    /// Bodies of this process whose first copy lives elsewhere.
    pub(super) fn spoken_for_elsewhere(&self) -> impl Iterator<Item = usize> {
        let elsewhere = |shared: &&Shared| matches!(self.copies[shared.from as usize].at, At::There { .. });
        self.shared.iter().filter(elsewhere).map(|shared| shared.body as usize)
    }
}

/// The velocities of a copy, wherever it is.
#[inline]
fn read<X: Dim>(copy: &Copy, subdomains: &[Subdomain<X>], mail: &Mail) -> Line<X> {
    match copy.at {
        At::Here { slot, place } => subdomains[slot as usize].problem.lines[place as usize],
        At::There { peer, from } => {
            let numbers = &mail.peers[peer as usize].into[from as usize..];
            Line::new(X::Vector::read(numbers), 0.0, X::Spin::read(&numbers[X::D..]))
        }
    }
}

/// line + (v - start)/f.
#[inline]
fn add_delta<X: Dim>(line: &mut Line<X>, start: &Line<X>, copy: &Copy, own: &Line<X>) {
    let share = 1.0 / copy.factor;
    line.velocity += (own.velocity - start.velocity) * share;
    line.spin += (own.spin - start.spin) * share;
}
