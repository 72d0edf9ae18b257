//! Ownership of bodies: which process owns each body, and which processes have it as a ghost.
//!
//! The owner of a free body is the process that hosts the subdomain of its centre (when the candidates were last
//! built). Other processes whose subdomains the body may touch have a ghost, updated after every step. Obstacles are
//! replicated on every process and moved by each of them identically.

use crate::body::{Bodies, Node, Row, State};
use crate::comm::{ROOT, Reader, Writer};
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::interaction::history::ContactRecord;

/// In place of the rank of an owner: the body is replicated on every process.
const REPLICATED: u32 = u32::MAX;

/// Owners and ghosts of the bodies of this process, in body order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ownership {
    rank: u32,
    /// Rank of the owner of each body; empty with a single process.
    owner: Vec<u32>,
    /// Offset in `others` of the other processes that have each body.
    starts: Vec<u32>,
    others: Vec<u32>,
    /// Body indices by id, sorted.
    by_id: Vec<(u64, u32)>,
}

/// A body with its contact records, packed for migration or reordering.
#[derive(Clone)]
pub(super) struct MigratingBody<X: Dim> {
    pub(super) state: State<X>,
    pub(super) nodes: Vec<Node<X>>,
    pub(super) records: Vec<ContactRecord<X>>,
    pub(super) owner: u32,
    /// Other processes that have it.
    pub(super) others: Vec<u32>,
}

impl Ownership {
    /// Empty ownership on the process of this rank.
    pub(super) fn new(rank: usize) -> Self {
        Self { rank: rank as u32, ..Self::default() }
    }

    /// Does this process own the body?
    #[inline]
    pub(super) fn is_own(&self, body: usize) -> bool {
        self.owner.get(body).is_none_or(|&owner| owner == self.rank)
    }

    /// Does the body count on this process in sums over all bodies? Each body counts on one process, obstacles on rank
    /// 0.
    pub(super) fn counts(&self, body: usize) -> bool {
        self.owner
            .get(body)
            .is_none_or(|&owner| owner == self.rank || (owner == REPLICATED && self.rank as usize == ROOT))
    }

    /// Rank of the owner; `None` for obstacles and with a single process.
    pub(super) fn owner(&self, body: usize) -> Option<usize> {
        self.owner.get(body).filter(|&&owner| owner != REPLICATED).map(|&owner| owner as usize)
    }

    /// Other processes that have the body.
    #[inline]
    pub(super) fn others(&self, body: usize) -> &[u32] {
        if self.starts.is_empty() {
            return &[];
        }
        &self.others[self.starts[body] as usize..self.starts[body + 1] as usize]
    }

    /// Index of the body with this id.
    pub(super) fn find(&self, id: u64) -> Option<usize> {
        let entry = self.by_id.binary_search_by_key(&id, |(own, _)| *own).ok()?;
        Some(self.by_id[entry].1 as usize)
    }

    /// Ids and indices of the bodies that count here, by id; empty with a single process.
    pub(super) fn counted_by_id(&self) -> impl Iterator<Item = (u64, u32)> {
        self.by_id.iter().copied().filter(|&(_, body)| self.counts(body as usize))
    }

    /// Packs the owned bodies and the obstacles with their contact records; ghosts are left out.
    pub(super) fn pack_owned<X: Dim>(
        &self,
        bodies: &Bodies<X>,
        history: &ContactHistory<X>,
        is_obstacle: impl Fn(&State<X>) -> bool,
    ) -> Vec<MigratingBody<X>> {
        let states = bodies.states().iter().enumerate();
        let staying = states.filter(|(i, state)| self.is_own(*i) || is_obstacle(state));
        let pack = |(i, state): (usize, &State<X>)| MigratingBody {
            state: *state,
            nodes: bodies.nodes().of(i).to_vec(),
            records: history.of(i).collect(),
            owner: if is_obstacle(state) { REPLICATED } else { self.rank },
            others: Vec::new(),
        };
        staying.map(pack).collect()
    }

    /// Sorts packed bodies into their order and rebuilds ownership, states and contact history from them.
    pub(super) fn unpack<X: Dim>(
        rank: usize,
        mut migrating: Vec<MigratingBody<X>>,
    ) -> (Self, Bodies<X>, ContactHistory<X>) {
        migrating.sort_unstable_by_key(|t| (t.state.key, t.state.id));
        let mut ownership = Self { rank: rank as u32, starts: vec![0], ..Self::default() };
        let mut records = Vec::new();
        for (i, migrating) in migrating.iter().enumerate() {
            ownership.owner.push(migrating.owner);
            ownership.others.extend(&migrating.others);
            ownership.starts.push(ownership.others.len() as u32);
            ownership.by_id.push((migrating.state.id.0, i as u32));
            records.extend(migrating.records.iter().map(|record| (i as u32, *record)));
        }
        ownership.by_id.sort_unstable();
        let history = ContactHistory::new(migrating.len(), records);
        let nodes = migrating.iter_mut().filter(|t| !t.nodes.is_empty());
        let nodes = nodes.map(|t| (t.state.id, std::mem::take(&mut t.nodes))).collect();
        (ownership, Bodies::with_nodes(migrating.into_iter().map(|t| t.state).collect(), nodes), history)
    }
}

pub(super) fn write_records<X: Dim>(
    message: &mut Writer,
    count: usize,
    records: impl Iterator<Item = ContactRecord<X>>,
) {
    message.u32(count as u32);
    records.for_each(|record| message.write(&record));
}

pub(super) fn read_records<'a, X: Dim>(
    message: &mut Reader<'a>,
) -> impl Iterator<Item = ContactRecord<X>> + use<'a, X> {
    let count = message.u32() as usize;
    ContactRecord::read_rows(message.bytes(count * ContactRecord::<X>::row_bytes()))
}

pub(super) fn write_migrating<X: Dim>(message: &mut Writer, migrating: &MigratingBody<X>, others: &[u32]) {
    message.write(&migrating.state);
    message.u32(migrating.nodes.len() as u32);
    migrating.nodes.iter().for_each(|node| message.write(node));
    message.u32(others.len() as u32);
    others.iter().for_each(|&rank| message.u32(rank));
    write_records(message, migrating.records.len(), migrating.records.iter().copied());
}

/// Reads the bodies sent by `owner`; `own`, the rank of this process, is removed from their `others`.
pub(super) fn read_migrating<X: Dim>(
    mut message: Reader<'_>,
    owner: u32,
    own: u32,
    bodies: &mut Vec<MigratingBody<X>>,
) {
    while !message.is_done() {
        let state = message.read();
        let nodes = (0..message.u32()).map(|_| message.read()).collect();
        let others: Vec<u32> = (0..message.u32()).map(|_| message.u32()).filter(|&rank| rank != own).collect();
        let records = read_records(&mut message).collect();
        bodies.push(MigratingBody { state, nodes, records, owner, others });
    }
}
