//! Bodies held by several subdomains: how their copies become one, sweep after sweep.
//!
//! After the subdomains of a colour have swept, a shared body V held by K of them becomes V + sum over K of
//! (v_k - V)/f, in subdomain order; where K is one, simply its copy. With f = |K| that is the mean of the
//! copies: the gluing of the published method. Copies may live in other processes: then their velocities come by
//! message, one for each pair of processes and colour, laid out when the contacts of the step are known and
//! replayed every sweep.
//!
//! The lines of all subdomains of a process lie in one array, those of shared bodies first. Where K is one subdomain here, it
//! sweeps the shared line itself, and nothing is copied; else its subdomains have lines of their own for the body.

use std::sync::atomic::AtomicU32;

use rayon::prelude::*;

use super::copy_stiffness::CopyStiffness;
use crate::base::scratch::ScratchVec;
use crate::comm::{AllToAll, Comm, HaloExchange};
use crate::dim::{Dim, Vector};
use crate::solver::{BodyVelocity, Velocity, extrapolate, keep};

/// Shared bodies that a thread takes at a time.
const BLOCK: usize = 256;

/// A copy of a shared body.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitCopy {
    /// Where it is.
    pub(super) at: CopyPlace,
    /// Factor on its inverse mass.
    pub(super) factor: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum CopyPlace {
    /// In the problem of a subdomain here, in the line of this number.
    Here { slot: u32, place: u32, line: u32 },
    /// In the messages of a peer, from this number on.
    There { peer: u32, from: u32 },
}

/// A body with more than one holder.
#[derive(Clone, Copy, Debug)]
pub(super) struct InterfaceBody {
    pub(super) body: u32,
    /// Range of its copies, sorted by colour, then subdomain.
    pub(super) from: u32,
    pub(super) to: u32,
    /// First copy of the second colour.
    pub(super) second: u32,
    /// For each colour: is its only copy here, and swept in place?
    pub(super) in_place: [bool; 2],
}

/// A copy here whose velocity goes to another process.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentCopy {
    pub(super) slot: u32,
    pub(super) place: u32,
    pub(super) line: u32,
    pub(super) peer: u32,
    pub(super) from: u32,
}

/// A subdomain that holds a shared body, and where.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyHolder {
    pub(super) body: u32,
    pub(super) colour: u8,
    pub(super) number: u32,
    pub(super) at: CopyPlace,
}

/// Lists that finding shared bodies takes, kept for the next time.
#[derive(Default)]
pub(super) struct InterfaceScratch {
    /// Of each body of this process: how many subdomains hold it; then where the next holder of a shared one goes; and at last
    /// one more than the number of a line that a subdomain here has for it, or zero where none holds it.
    pub(super) by_body: Vec<AtomicU32>,
    pub(super) holders: Vec<CopyHolder>,
    /// Processes that hold something shared, and those that hold one body.
    pub(super) ranks: Vec<u32>,
    pub(super) partners: Vec<u32>,
    /// What pushes each copy, and the messages that say so.
    pub(super) pushes: Vec<CopyStiffness>,
    pub(super) extra: [HaloExchange; 2],
    /// Messages that say who holds what, and the holders in other processes: body, subdomain and rank.
    pub(super) all_to_all: AllToAll,
    pub(super) remote: Vec<(u32, u32, u32)>,
}

/// What a process has to send in every sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterfaceTraffic {
    /// Bodies of its subdomains that others hold too, here or elsewhere.
    pub shared: u64,
    /// Processes it sends to.
    pub neighbours: u64,
    /// Bytes.
    pub bytes: u64,
}

/// All shared bodies of this process; the line of each is that of its number.
pub(super) struct Interface<X: Dim> {
    pub(super) shared: Vec<InterfaceBody>,
    pub(super) copies: Vec<SplitCopy>,
    /// Their velocities before the last sweep, where there is momentum.
    old: ScratchVec<Velocity<X>>,
    /// What finding them takes.
    pub(super) finding: InterfaceScratch,
    /// For each colour: the messages, and what goes into them.
    pub(super) mail: [HaloExchange; 2],
    pub(super) packs: [Vec<SentCopy>; 2],
}

impl<X: Dim> Default for Interface<X> {
    fn default() -> Self {
        Self {
            shared: Vec::new(),
            copies: Vec::new(),
            old: ScratchVec::default(),
            finding: InterfaceScratch::default(),
            mail: [HaloExchange::default(), HaloExchange::default()],
            packs: [Vec::new(), Vec::new()],
        }
    }
}

impl<X: Dim> Interface<X> {
    /// What this process has to send.
    pub(super) fn traffic(&self) -> InterfaceTraffic {
        let peers = self.mail.iter().flat_map(|mail| &mail.peers);
        let bytes = peers.map(|peer| 8 * peer.out.len() as u64).sum();
        InterfaceTraffic { shared: self.shared.len() as u64, neighbours: self.mail[0].peers.len() as u64, bytes }
    }

    /// The copies of `colour` that others wait for are on their way.
    pub(super) fn post(&mut self, lines: &[BodyVelocity<X>], colour: u8, comm: &dyn Comm) {
        let colour = usize::from(colour);
        for pack in &self.packs[colour] {
            let line = &lines[pack.line as usize];
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

    /// Shared bodies move as `free` says.
    pub(super) fn set_free(&self, lines: &mut [BodyVelocity<X>], free: &(impl Fn(u32) -> Velocity<X> + Sync)) {
        let pairs = lines.par_iter_mut().zip(&self.shared).with_min_len(BLOCK);
        pairs.for_each(|(line, shared)| line.set_twist(&free(shared.body)));
    }

    /// The subdomains of the first colour have added to the free velocities what their guessed impulses do: that is kept, and
    /// those of the second begin from the free velocities too.
    pub(super) fn set_aside(&mut self, lines: &mut [BodyVelocity<X>], free: &(impl Fn(u32) -> Velocity<X> + Sync)) {
        keep(&mut self.old, lines[..self.shared.len()].iter());
        self.set_free(lines, free);
    }

    /// So have those of the second: all together.
    pub(super) fn start(&self, lines: &mut [BodyVelocity<X>], free: &(impl Fn(u32) -> Velocity<X> + Sync)) {
        let Self { shared, copies, mail, old, .. } = self;
        let count = shared.len() as u32;
        let (lines, others) = lines.split_at_mut(shared.len());
        let aside = lines.par_iter_mut().zip(shared).zip(&**old).with_min_len(BLOCK);
        aside.for_each(|((line, shared), first)| {
            let (second, start) = (line.twist(), free(shared.body));
            line.set_twist(&start);
            for k in shared.from..shared.to {
                let (copy, colour) = (&copies[k as usize], usize::from(k >= shared.second));
                let own = match (shared.in_place[colour], colour) {
                    (true, 0) => *first,
                    (true, _) => second,
                    (false, _) => read(copy, others, count, &mail[colour]),
                };
                add_delta(line, &start, copy, &own);
            }
        });
    }

    /// The next sweep begins: velocities move on by `factor` times their last change, none before the `first` one.
    pub(super) fn extrapolate(&mut self, lines: &mut [BodyVelocity<X>], factor: f64, first: bool) {
        let Self { shared, old, .. } = self;
        let lines = &mut lines[..shared.len()];
        if first {
            keep(old, lines.iter());
        }
        let pairs = lines.par_iter_mut().zip(&mut **old).with_min_len(BLOCK);
        pairs.for_each(|(line, old)| extrapolate(line, old, factor));
    }

    /// The subdomains of `colour` have swept: their copies become one velocity.
    pub(super) fn combine(&mut self, lines: &mut [BodyVelocity<X>], colour: u8) {
        let colour = usize::from(colour);
        let Self { shared, copies, mail, .. } = self;
        let (mail, first) = (&mail[colour], shared.len() as u32);
        let (lines, others) = lines.split_at_mut(shared.len());
        let split = lines.par_iter_mut().zip(shared).with_min_len(BLOCK).filter(|(_, s)| !s.in_place[colour]);
        split.for_each(|(line, shared)| {
            let (from, to) = if colour == 0 { (shared.from, shared.second) } else { (shared.second, shared.to) };
            match &copies[from as usize..to as usize] {
                [] => {}
                [copy] => line.set_twist(&read(copy, others, first, mail)),
                several => {
                    let start = line.twist();
                    several.iter().for_each(|copy| add_delta(line, &start, copy, &read(copy, others, first, mail)));
                }
            }
        });
    }

    /// Bodies of this process whose first copy lives elsewhere.
    pub(super) fn spoken_for_elsewhere(&self) -> impl Iterator<Item = usize> {
        let elsewhere =
            |shared: &&InterfaceBody| matches!(self.copies[shared.from as usize].at, CopyPlace::There { .. });
        self.shared.iter().filter(elsewhere).map(|shared| shared.body as usize)
    }
}

/// The velocities of a copy with a line of its own, which is among the `others` from number `first` on, or elsewhere.
#[inline]
fn read<X: Dim>(copy: &SplitCopy, others: &[BodyVelocity<X>], first: u32, mail: &HaloExchange) -> Velocity<X> {
    match copy.at {
        CopyPlace::Here { line, .. } => others[(line - first) as usize].twist(),
        CopyPlace::There { peer, from } => {
            let numbers = &mail.peers[peer as usize].into[from as usize..];
            Velocity { velocity: X::Vector::read(numbers), spin: X::Spin::read(&numbers[X::D..]) }
        }
    }
}

/// line + (v - start)/f.
#[inline]
fn add_delta<X: Dim>(line: &mut BodyVelocity<X>, start: &Velocity<X>, copy: &SplitCopy, own: &Velocity<X>) {
    let share = 1.0 / copy.factor;
    line.velocity += (own.velocity - start.velocity) * share;
    line.spin += (own.spin - start.spin) * share;
}
