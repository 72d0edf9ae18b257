//! Insertion and removal of bodies between two steps, identical on all processes.
//!
//! The owners decide which bodies are removed; every process gets the list, because the records of a contact may be
//! stored under its other body. Every process has the list of inserted bodies; process 0 owns them until the next
//! migration. After a change the candidates are rebuilt.

use super::Domain;
use super::ownership::{MigratingBody, Ownership};
use crate::body::{Bodies, Node, State};
use crate::comm::all_gather_items;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::model::Model;

impl<X: Dim> Domain<X> {
    /// Collective. Ids and removal reasons of all bodies of all processes for which `reason` gives one, in id order.
    pub fn removal_reasons(&self, bodies: &Bodies<X>, reason: impl Fn(&State<X>) -> Option<u32>) -> Vec<(u64, u32)> {
        let own = bodies.states().iter().enumerate().filter(|(i, _)| self.ownership.counts(*i));
        let own = own.filter_map(|(_, state)| Some((state.id.0, reason(state)?)));
        let mut reasons = all_gather_items(&*self.comm, own);
        reasons.sort_unstable();
        reasons
    }

    /// Collective. States of the `wanted` bodies of all processes, in id order.
    pub fn find_all(&self, bodies: &Bodies<X>, wanted: impl Fn(&State<X>) -> bool) -> Vec<State<X>> {
        let own = bodies.states().iter().enumerate().filter(|(i, _)| self.ownership.counts(*i));
        let own = own.map(|(_, state)| *state).filter(|state| wanted(state));
        let mut states: Vec<State<X>> = all_gather_items(&*self.comm, own);
        states.sort_unstable_by_key(|state| state.id);
        states
    }

    /// Collective. Removes the bodies `removed`, sorted by id, with all their contact records, and inserts the bodies
    /// `inserted`. Both lists are the same on all processes.
    pub fn replace_bodies(
        &mut self,
        model: &Model<X>,
        bodies: &mut Bodies<X>,
        history: &mut ContactHistory<X>,
        removed: &[u64],
        inserted: &[State<X>],
    ) {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let is_removed = |id: u64| removed.binary_search(&id).is_ok();
        let mut all = self.ownership.pack_owned(bodies, history, |state| model.is_prescribed(state));
        if !removed.is_empty() {
            all.retain(|migrating| !is_removed(migrating.state.id.0));
            for migrating in &mut all {
                migrating.records.retain(|record| !is_removed(record.id.a.0) && !is_removed(record.id.b.0));
            }
        }
        if !inserted.is_empty() {
            let weighted_points = self.weighted_points(model, bodies);
            let [min, max] = weighted_points.corners::<X>();
            let inserted_bodies = inserted.iter().map(|state| {
                let key = X::curve_key(state.position, min, max);
                MigratingBody {
                    state: State { key, ..*state },
                    nodes: vec![Node::zero(); model.deformable(state).map_or(0, |operator| operator.nodes())],
                    records: Vec::new(),
                    owner: 0,
                    others: Vec::new(),
                }
            });
            all.extend(inserted_bodies.filter(|_| self.comm.is_root()));
        }
        (self.ownership, *bodies, *history) = Ownership::unpack(rank, all);
        if size == 1 {
            self.ownership = Ownership::new(rank);
        }
        self.skin.clear();
    }
}
