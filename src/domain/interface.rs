//! The interface: bodies that are active in several subdomains, whose copies are reconciled after every half-sweep.
//!
//! After the subdomains of one colour have swept, an interface body of velocity V with copies v_k in the K subdomains
//! of that colour gets the velocity V + sum over K of (v_k - V)/f, in subdomain order; if K is one, simply that of its
//! copy. With f = |K| this is the mean of the copies: the gluing of the published method. Copies on other processes
//! send their velocities in one message for each pair of processes and colour. The message layout is built once the
//! contacts of the step are known and replayed in every sweep.
//!
//! The velocities of all subdomains of a process lie in one array, the rows of interface bodies first. Where K is a
//! single subdomain of this process, it sweeps the row of the interface body in place and nothing is copied; otherwise
//! each of these subdomains has a row of its own for the body.

use std::sync::atomic::AtomicU32;

use rayon::prelude::*;

use super::copy_stiffness::CopyStiffness;
use crate::base::index::{FreeRow, ProblemBody, SubdomainId, SubdomainSlot, VelocityRow};
use crate::base::scratch::ScratchVec;
use crate::comm::{Comm, Exchange, HaloExchange};
use crate::dim::{Dim, Vector};
use crate::solver::{BodyVelocity, Velocity, extrapolate, keep};

/// Number of interface bodies in a parallel task.
const BLOCK: usize = 256;

/// A copy of an interface body.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitCopy {
    /// Where the copy is stored.
    pub(super) at: CopyLocation,
    /// Factor on its inverse mass.
    pub(super) factor: f64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum CopyLocation {
    /// On this process: subdomain `slot`, index in its problem, row of the velocity store.
    Local { slot: SubdomainSlot, index: ProblemBody, row: VelocityRow },
    /// On another process: offset `from` in the messages of neighbour `peer`.
    Remote { peer: u32, from: u32 },
}

/// A body that is active in more than one subdomain.
#[derive(Clone, Copy, Debug)]
pub(super) struct InterfaceBody {
    pub(super) body: FreeRow,
    /// Range of its copies, sorted by colour, then subdomain.
    pub(super) from: u32,
    pub(super) to: u32,
    /// First copy of the second colour.
    pub(super) second: u32,
    /// For each colour: is its only copy on this process, and swept in place?
    pub(super) in_place: [bool; 2],
}

/// A copy on this process whose velocity is sent to another process.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentCopy {
    pub(super) slot: SubdomainSlot,
    pub(super) index: ProblemBody,
    pub(super) row: VelocityRow,
    pub(super) peer: u32,
    pub(super) from: u32,
}

/// A subdomain in which an interface body is active, and where its copy is.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyHolder {
    pub(super) body: FreeRow,
    pub(super) colour: u8,
    pub(super) number: SubdomainId,
    pub(super) at: CopyLocation,
}

/// Scratch buffers for finding the interface bodies.
#[derive(Default)]
pub(super) struct InterfaceScratch {
    /// For each body of this process, one after the other: the number of subdomains in which it is active; where the
    /// next holder of an interface body is stored; and finally one more than the velocity row that a subdomain here has
    /// for it, or zero if it is active in none.
    pub(super) by_body: Vec<AtomicU32>,
    pub(super) holders: Vec<CopyHolder>,
    /// Ranks with a copy of any interface body, and ranks with a copy of one body.
    pub(super) ranks: Vec<u32>,
    pub(super) partners: Vec<u32>,
    /// Stiffness of each copy, and the messages that exchange it.
    pub(super) stiffness: Vec<CopyStiffness>,
    pub(super) extra: [HaloExchange; 2],
    /// Messages with the subdomains in which bodies are active, and the holders on other processes: body, subdomain and
    /// rank.
    pub(super) exchange: Exchange,
    pub(super) remote: Vec<(FreeRow, SubdomainId, u32)>,
}

/// Messages that a process sends in every sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterfaceTraffic {
    /// Interface bodies: bodies of its subdomains that are also active in others, on any process.
    pub shared: u64,
    /// Processes it sends to.
    pub neighbours: u64,
    /// Bytes sent.
    pub bytes: u64,
}

/// All interface bodies of this process; the body number i has row i of the velocity store.
pub(super) struct Interface<X: Dim> {
    pub(super) shared: Vec<InterfaceBody>,
    pub(super) copies: Vec<SplitCopy>,
    /// Their velocities before the last sweep, if there is momentum.
    old: ScratchVec<Velocity<X>>,
    /// Scratch buffers for finding the interface bodies.
    pub(super) finding: InterfaceScratch,
    /// For each colour: the halo exchange, and the copies that are sent in it.
    pub(super) halos: [HaloExchange; 2],
    pub(super) sent: [Vec<SentCopy>; 2],
}

impl<X: Dim> Default for Interface<X> {
    fn default() -> Self {
        Self {
            shared: Vec::new(),
            copies: Vec::new(),
            old: ScratchVec::default(),
            finding: InterfaceScratch::default(),
            halos: [HaloExchange::default(), HaloExchange::default()],
            sent: [Vec::new(), Vec::new()],
        }
    }
}

impl<X: Dim> Interface<X> {
    /// Messages that this process sends in every sweep.
    pub(super) fn traffic(&self) -> InterfaceTraffic {
        let peers = self.halos.iter().flat_map(|halo| &halo.peers);
        let bytes = peers.map(|peer| 8 * peer.out.len() as u64).sum();
        InterfaceTraffic { shared: self.shared.len() as u64, neighbours: self.halos[0].peers.len() as u64, bytes }
    }

    /// Packs and sends the copies of `colour` that other processes need.
    pub(super) fn post(&mut self, rows: &[BodyVelocity<X>], colour: u8, comm: &dyn Comm) {
        let colour = usize::from(colour);
        for copy in &self.sent[colour] {
            let row = &rows[copy.row.index()];
            let out = &mut self.halos[colour].peers[copy.peer as usize].out[copy.from as usize..];
            out[..X::D].copy_from_slice(row.velocity.as_slice());
            out[X::D..X::D + X::R].copy_from_slice(row.spin.as_slice());
        }
        comm.post(&mut self.halos[colour]);
    }

    /// Waits for the copies of `colour` from other processes.
    pub(super) fn complete(&mut self, colour: u8, comm: &dyn Comm) {
        comm.complete(&mut self.halos[usize::from(colour)]);
    }

    /// Sets the interface bodies to their `free` velocities.
    pub(super) fn set_free(&self, rows: &mut [BodyVelocity<X>], free: &(impl Fn(FreeRow) -> Velocity<X> + Sync)) {
        let pairs = rows.par_iter_mut().zip(&self.shared).with_min_len(BLOCK);
        pairs.for_each(|(row, shared)| row.set_velocities(&free(shared.body)));
    }

    /// The subdomains of the first colour have added the effect of their initial impulses to the free velocities: saves
    /// these sums, and resets the rows so that the second colour starts from the free velocities as well.
    pub(super) fn save_first_colour(
        &mut self,
        rows: &mut [BodyVelocity<X>],
        free: &(impl Fn(FreeRow) -> Velocity<X> + Sync),
    ) {
        keep(&mut self.old, rows[..self.shared.len()].iter());
        self.set_free(rows, free);
    }

    /// After both colours: adds the contributions of all copies to the free velocities.
    pub(super) fn start(&self, rows: &mut [BodyVelocity<X>], free: &(impl Fn(FreeRow) -> Velocity<X> + Sync)) {
        let Self { shared, copies, halos, old, .. } = self;
        let count = shared.len() as u32;
        let (rows, others) = rows.split_at_mut(shared.len());
        let pairs = rows.par_iter_mut().zip(shared).zip(&**old).with_min_len(BLOCK);
        pairs.for_each(|((row, shared), first)| {
            let (second, start) = (row.velocities(), free(shared.body));
            row.set_velocities(&start);
            for k in shared.from..shared.to {
                let (copy, colour) = (&copies[k as usize], usize::from(k >= shared.second));
                let own = match (shared.in_place[colour], colour) {
                    (true, 0) => *first,
                    (true, _) => second,
                    (false, _) => read(copy, others, count, &halos[colour]),
                };
                add_delta(row, &start, copy, &own);
            }
        });
    }

    /// Extrapolates the velocities by `factor` times their last change before the next sweep; before the `first` sweep
    /// there is no change yet.
    pub(super) fn extrapolate(&mut self, rows: &mut [BodyVelocity<X>], factor: f64, first: bool) {
        let Self { shared, old, .. } = self;
        let rows = &mut rows[..shared.len()];
        if first {
            keep(old, rows.iter());
        }
        let pairs = rows.par_iter_mut().zip(&mut **old).with_min_len(BLOCK);
        pairs.for_each(|(row, old)| extrapolate(row, old, factor));
    }

    /// Reconciles the copies of `colour` after its half-sweep.
    pub(super) fn combine(&mut self, rows: &mut [BodyVelocity<X>], colour: u8) {
        let colour = usize::from(colour);
        let Self { shared, copies, halos, .. } = self;
        let (halo, first) = (&halos[colour], shared.len() as u32);
        let (rows, others) = rows.split_at_mut(shared.len());
        let split = rows.par_iter_mut().zip(shared).with_min_len(BLOCK).filter(|(_, s)| !s.in_place[colour]);
        split.for_each(|(row, shared)| {
            let (from, to) = if colour == 0 { (shared.from, shared.second) } else { (shared.second, shared.to) };
            match &copies[from as usize..to as usize] {
                [] => {}
                [copy] => row.set_velocities(&read(copy, others, first, halo)),
                several => {
                    let start = row.velocities();
                    several.iter().for_each(|copy| add_delta(row, &start, copy, &read(copy, others, first, halo)));
                }
            }
        });
    }

    /// Bodies of this process whose primary copy is on another process.
    pub(super) fn primary_elsewhere(&self) -> impl Iterator<Item = usize> {
        let elsewhere =
            |shared: &&InterfaceBody| matches!(self.copies[shared.from as usize].at, CopyLocation::Remote { .. });
        self.shared.iter().filter(elsewhere).map(|shared| shared.body.index())
    }
}

/// Velocity of a split copy: in row `row - first` of `others`, or in the message from another process.
#[inline]
fn read<X: Dim>(copy: &SplitCopy, others: &[BodyVelocity<X>], first: u32, halo: &HaloExchange) -> Velocity<X> {
    match copy.at {
        CopyLocation::Local { row, .. } => others[(row.0 - first) as usize].velocities(),
        CopyLocation::Remote { peer, from } => {
            let numbers = &halo.peers[peer as usize].into[from as usize..];
            Velocity { velocity: X::Vector::read(numbers), spin: X::Spin::read(&numbers[X::D..]) }
        }
    }
}

/// Adds (v - start)/f to the row.
#[inline]
fn add_delta<X: Dim>(row: &mut BodyVelocity<X>, start: &Velocity<X>, copy: &SplitCopy, own: &Velocity<X>) {
    let share = 1.0 / copy.factor;
    row.velocity += (own.velocity - start.velocity) * share;
    row.spin += (own.spin - start.spin) * share;
}
