//! Construction of the interface, once a step when its contacts are known: which bodies are active in several
//! subdomains, how their copies are weighted, and which process sends to which.
//!
//! All processes with a copy of a body agree on the order of its copies (colour, then subdomain), so the messages of a
//! sweep need no labels: sender and receiver traverse the interface bodies in the same order.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::context::NodeRows;
use super::copy_stiffness::{CopyStiffness, factor};
use super::interface::{CopyHolder, CopyLocation, Interface, InterfaceBody, InterfaceScratch, SentCopy, SplitCopy};
use super::interface_copies::CopiedBody;
use super::ownership::Ownership;
use super::{InterfaceScheme, Subdomain};
use crate::base::index::{BodyIndex, FreeRow, IndexVec, InterfaceIndex, SubdomainId, SubdomainSlot, VelocityRow};
use crate::base::trim;
use crate::comm::{Comm, Exchange, Neighbour};
use crate::dim::Dim;
use crate::solver::SolverMethod;

/// What the construction of the interface reads besides the subdomains.
pub(super) struct SharingContext<'a> {
    pub(super) comm: &'a dyn Comm,
    pub(super) ownership: &'a Ownership,
    /// Colours of all subdomains, on whichever process.
    pub(super) colours: &'a IndexVec<SubdomainId, u8>,
    /// Number of bodies of this process.
    pub(super) count: usize,
    /// Velocity rows of the nodes of each body, and the number of all rows of bodies and nodes.
    pub(super) nodes: &'a (dyn Fn(BodyIndex) -> NodeRows + Sync),
    pub(super) rows: usize,
    /// Mass and shape class of each body.
    pub(super) copied: &'a (dyn Fn(FreeRow) -> CopiedBody + Sync),
    /// Ids of the bodies.
    pub(super) ids: &'a dyn Fn(BodyIndex) -> u64,
    pub(super) scheme: InterfaceScheme,
    pub(super) method: SolverMethod,
}

impl SharingContext<'_> {
    /// Is the row one of a deformable body: of its rigid motion or of a node?
    fn is_deformable(&self, row: FreeRow) -> bool {
        self.body(row).is_none_or(|body| (self.nodes)(body).len() > 0)
    }

    /// The body of a row; none for rows of nodes.
    fn body(&self, row: FreeRow) -> Option<BodyIndex> {
        (row.index() < self.count).then_some(BodyIndex(row.0))
    }
}

/// The place of a body that lies in one subdomain only.
const ALONE: u32 = u32::MAX;

impl<X: Dim> Interface<X> {
    /// Collective. Finds the interface bodies, assigns the velocity rows and weights the copies. Returns the total
    /// number of velocity rows.
    pub(super) fn build(&mut self, subdomains: &mut [Subdomain<X>], setting: &SharingContext<'_>) -> usize {
        self.find(subdomains, setting);
        let row_count = self.assign_rows(subdomains, setting.rows);
        self.lay_out();
        for (number, shared) in self.shared.iter().enumerate() {
            for (k, copy) in self.copies[shared.from as usize..shared.to as usize].iter().enumerate() {
                if let CopyLocation::Local { slot, index, row } = copy.at {
                    let subdomain = &mut subdomains[slot.index()];
                    subdomain.copies.add(index, InterfaceIndex::new(number));
                    if row.index() != number {
                        // Row number i of the store is that of interface body number i.
                        subdomain.layout.split.push((index, VelocityRow::new(number)));
                    }
                    subdomain.active.is_primary[index] = k == 0;
                }
            }
        }
        for copy in self.sent.iter().flatten() {
            subdomains[copy.slot.index()].copies.is_remote = true;
        }
        // Momentum diverges unless f is the full number of copies.
        let is_full = setting.scheme == InterfaceScheme::Glue || setting.method.has_momentum();
        if !is_full {
            self.find_stiffness(subdomains, setting);
        }
        for shared in &self.shared {
            for (from, to) in [(shared.from, shared.second), (shared.second, shared.to)] {
                let (from, to) = (from as usize, to as usize);
                let f = match to - from {
                    0 | 1 => 1.0,
                    several if is_full || setting.is_deformable(shared.body) => several as f64,
                    _ => factor(&self.finding.stiffness[from..to]),
                };
                for copy in &mut self.copies[from..to] {
                    copy.factor = f;
                    // In the order in which `copies` of the subdomain was filled.
                    if let CopyLocation::Local { slot, .. } = copy.at {
                        subdomains[slot.index()].copies.add_factor(f);
                    }
                }
            }
        }
        self.trim();
        subdomains.iter_mut().for_each(Subdomain::trim_copies);
        row_count
    }

    /// Frees excess capacity of buffers that have grown over the steps.
    fn trim(&mut self) {
        trim(&mut self.shared);
        trim(&mut self.copies);
        trim(&mut self.finding.by_body);
        trim(&mut self.finding.holders);
        trim(&mut self.finding.stiffness);
        self.sent.iter_mut().for_each(trim);
    }

    /// Lists the interface bodies in body order, with their copies in (colour, subdomain) order.
    fn find(&mut self, subdomains: &[Subdomain<X>], setting: &SharingContext<'_>) {
        let InterfaceScratch { by_body, holders, exchange, remote, .. } = &mut self.finding;
        by_body.clear();
        by_body.resize_with(setting.rows, AtomicU32::default);
        for (_, row) in subdomains.iter().flat_map(|subdomain| subdomain.active.without_world()) {
            *by_body[row.index()].get_mut() += 1;
        }
        remote.clear();
        if setting.comm.size() > 1 {
            find_remote(subdomains, by_body, setting, exchange, remote);
        }
        for &(body, ..) in &*remote {
            *by_body[body.index()].get_mut() += 1;
        }
        let count = first_places(by_body);
        let vacant = CopyHolder {
            body: FreeRow(0),
            colour: 0,
            number: SubdomainId(0),
            at: CopyLocation::Remote { peer: 0, from: 0 },
        };
        holders.clear();
        holders.resize(count as usize, vacant);
        let mut put = |holder: CopyHolder| {
            let next = by_body[holder.body.index()].get_mut();
            if *next != ALONE {
                holders[*next as usize] = holder;
                *next += 1;
            }
        };
        for (slot, &Subdomain { number, colour, ref active, .. }) in subdomains.iter().enumerate() {
            for (index, body) in active.without_world() {
                let slot = SubdomainSlot::new(slot);
                put(CopyHolder { body, colour, number, at: CopyLocation::Local { slot, index, row: VelocityRow(0) } });
            }
        }
        for &(body, number, peer) in &*remote {
            let at = CopyLocation::Remote { peer, from: 0 };
            put(CopyHolder { body, colour: setting.colours[number], number, at });
        }
        self.shared.clear();
        self.copies.clear();
        for group in holders.chunk_by_mut(|a, b| a.body == b.body) {
            group.sort_unstable_by_key(|holder| (holder.colour, holder.number));
            let from = self.copies.len() as u32;
            let first = group.iter().filter(|holder| holder.colour == 0).count() as u32;
            self.copies.extend(group.iter().map(|&CopyHolder { at, .. }| SplitCopy { at, factor: 1.0 }));
            let (to, second) = (from + group.len() as u32, from + first);
            self.shared.push(InterfaceBody { body: group[0].body, from, to, second, in_place: [false; 2] });
        }
    }

    /// Lays out the messages of a sweep: sender and receiver traverse the interface bodies and their copies in the same
    /// order.
    fn lay_out(&mut self) {
        let InterfaceScratch { ranks, partners, .. } = &mut self.finding;
        elsewhere(&self.copies, ranks);
        let width = X::D + X::R;
        for colour in 0..2usize {
            let (sent, peers) = (&mut self.sent[colour], &mut self.halos[colour].peers);
            sent.clear();
            peers.resize_with(ranks.len(), Neighbour::default);
            for (peer, &rank) in peers.iter_mut().zip(&*ranks) {
                peer.rank = rank as usize;
                peer.out.clear();
                peer.into.clear();
            }
            // Appends space for one copy and returns its offset.
            let grow = |numbers: &mut Vec<f64>| {
                let from = numbers.len();
                numbers.resize(from + width, 0.0);
                from as u32
            };
            // Without copies on other processes there are no messages.
            for shared in self.shared.iter().filter(|_| !ranks.is_empty()) {
                let all = shared.from as usize..shared.to as usize;
                elsewhere(&self.copies[all], partners);
                if partners.is_empty() {
                    continue;
                }
                // Every partner is in `ranks`, which was collected from all copies.
                let number = |rank: u32| ranks.binary_search(&rank).unwrap_or(0);
                let own = if colour == 0 { shared.from..shared.second } else { shared.second..shared.to };
                for k in own {
                    match &mut self.copies[k as usize].at {
                        &mut CopyLocation::Local { slot, index, row } => {
                            for &rank in &*partners {
                                let peer = number(rank);
                                let from = grow(&mut peers[peer].out);
                                sent.push(SentCopy { slot, index, row, peer: peer as u32, from });
                            }
                        }
                        CopyLocation::Remote { peer, from } => *from = grow(&mut peers[number(*peer)].into),
                    }
                }
            }
        }
        for copy in &mut self.copies {
            if let CopyLocation::Remote { peer, .. } = &mut copy.at {
                *peer = ranks.binary_search(peer).unwrap_or(0) as u32;
            }
        }
    }

    /// Determines the stiffness of every copy from the contacts of its subdomain. A body counts as split in a subdomain
    /// if it is also active in another subdomain of the same colour.
    fn find_stiffness(&mut self, subdomains: &mut [Subdomain<X>], setting: &SharingContext<'_>) {
        subdomains.par_iter_mut().for_each(|subdomain| subdomain.count_stiffness(setting.copied));
        // In the message layout of a sweep, with four numbers for every copy.
        let Self { shared, copies, halos, sent, finding: InterfaceScratch { stiffness, extra, .. }, .. } = self;
        let width = X::D + X::R;
        for (colour, extra) in extra.iter_mut().enumerate() {
            extra.peers.resize_with(halos[colour].peers.len(), Neighbour::default);
            for (peer, like) in extra.peers.iter_mut().zip(&halos[colour].peers) {
                peer.rank = like.rank;
                peer.out.resize(like.out.len() / width * 4, 0.0);
                peer.into.resize(like.into.len() / width * 4, 0.0);
            }
            for copy in &sent[colour] {
                let own = subdomains[copy.slot.index()].copies.stiffness(copy.index);
                let round = f64::from(u8::from(own.is_round));
                let numbers = [f64::from(own.stiff), f64::from(own.soft), own.ratio, round];
                let from = copy.from as usize / width * 4;
                extra.peers[copy.peer as usize].out[from..from + 4].copy_from_slice(&numbers);
            }
            setting.comm.post(extra);
        }
        extra.iter_mut().for_each(|extra| setting.comm.complete(extra));
        stiffness.clear();
        for shared in shared {
            for k in shared.from..shared.to {
                let colour = usize::from(k >= shared.second);
                stiffness.push(match copies[k as usize].at {
                    CopyLocation::Local { slot, index, .. } => *subdomains[slot.index()].copies.stiffness(index),
                    CopyLocation::Remote { peer, from } => {
                        let from = from as usize / width * 4;
                        let numbers = &extra[colour].peers[peer as usize].into[from..from + 4];
                        let [stiff, soft, ratio, round] = [numbers[0], numbers[1], numbers[2], numbers[3]];
                        CopyStiffness { stiff: stiff as u32, soft: soft as u32, ratio, is_round: round == 1.0 }
                    }
                });
            }
        }
    }
}

/// Overwrites the number of holders of every body by the place of the first of them in a list in which those of a body
/// lie side by side, or by [`ALONE`]; returns the length of the list.
fn first_places(by_body: &mut [AtomicU32]) -> u32 {
    let mut count = 0;
    for entry in by_body.iter_mut().map(AtomicU32::get_mut) {
        let several = Some(*entry).filter(|&holders| holders > 1);
        *entry = several.map_or(ALONE, |_| count);
        count += several.unwrap_or(0);
    }
    count
}

/// Sorted ranks of the copies on other processes.
fn elsewhere(copies: &[SplitCopy], ranks: &mut Vec<u32>) {
    ranks.clear();
    ranks.extend(copies.iter().filter_map(|copy| match copy.at {
        CopyLocation::Remote { peer, .. } => Some(peer),
        CopyLocation::Local { .. } => None,
    }));
    ranks.sort_unstable();
    ranks.dedup();
}

/// Collective. Subdomains of other processes in which bodies are active that are active here too: (body, subdomain,
/// rank).
fn find_remote<X: Dim>(
    subdomains: &[Subdomain<X>],
    counts: &[AtomicU32],
    setting: &SharingContext<'_>,
    exchange: &mut Exchange,
    remote: &mut Vec<(FreeRow, SubdomainId, u32)>,
) {
    exchange.begin();
    for subdomain in subdomains {
        for body in subdomain.active.without_world().filter_map(|(_, row)| setting.body(row)) {
            for &rank in setting.ownership.others(body.index()) {
                exchange.to(rank as usize).write(&((setting.ids)(body), subdomain.number.0));
            }
        }
    }
    for message in exchange.swap(setting.comm) {
        for (id, number) in message.reader().read_all() {
            // The body may be a ghost without contacts here.
            if let Some(body) = setting.ownership.find(id).filter(|&body| counts[body].load(Relaxed) > 0) {
                let body = BodyIndex::new(body);
                let rows = std::iter::once(body.into()).chain((setting.nodes)(body));
                remote.extend(rows.map(|row| (row, SubdomainId(number), message.rank as u32)));
            }
        }
    }
}

impl<X: Dim> Subdomain<X> {
    fn trim_copies(&mut self) {
        self.copies.trim();
        trim(&mut self.layout.split);
        trim(&mut self.layout.rows.raw);
    }

    /// Counts the contacts of each split copy.
    fn count_stiffness(&mut self, body: &dyn Fn(FreeRow) -> CopiedBody) {
        self.copies.count_stiffness(&self.active, &self.contacts, &self.layout.split, body);
    }
}
