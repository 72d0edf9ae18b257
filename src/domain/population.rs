//! Insertion and removal of bodies between two steps, identical on all processes.
//!
//! The owners decide which bodies are removed and tell all processes, because the records of a contact may be stored
//! under its other body. Inserted bodies are known to all processes and owned by process 0 until the next migration.
//! After a change the candidates are rebuilt.

use super::Domain;
use super::ownership::{MigratingBody, Ownership};
use crate::body::{Bodies, Node, State};
use crate::comm::all_gather_items;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::model::Model;

impl<X: Dim> Domain<X> {
    /// Collective. Ids of all bodies of all processes for which `fate` gives a reason of removal, with the reason, in
    /// id order.
    pub fn removal_reasons(&self, bodies: &Bodies<X>, fate: impl Fn(&State<X>) -> Option<u32>) -> Vec<(u64, u32)> {
        let own = bodies.states().iter().enumerate().filter(|(i, _)| self.ownership.counts(*i));
        let own = own.filter_map(|(_, state)| Some((state.id.0, fate(state)?)));
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

    /// Collective. Removes the bodies `dead`, sorted by id, with all their contact records, and inserts the bodies
    /// `born`. Both lists are the same on all processes.
    pub fn replace_bodies(
        &mut self,
        model: &Model<X>,
        bodies: &mut Bodies<X>,
        history: &mut ContactHistory<X>,
        dead: &[u64],
        born: &[State<X>],
    ) {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let is_dead = |id: u64| dead.binary_search(&id).is_ok();
        let mut all = self.ownership.pack_owned(bodies, history, |state| model.is_prescribed(state));
        if !dead.is_empty() {
            all.retain(|migrating| !is_dead(migrating.state.id.0));
            for migrating in &mut all {
                migrating.records.retain(|record| !is_dead(record.id.a.0) && !is_dead(record.id.b.0));
            }
        }
        if !born.is_empty() {
            let cloud = self.cloud(model, bodies);
            let [min, max] = cloud.corners::<X>();
            let newcomers = born.iter().map(|state| {
                let key = X::curve_key(state.position, min, max);
                MigratingBody {
                    state: State { key, ..*state },
                    nodes: vec![Node::zero(); model.deformable(state).map_or(0, |operator| operator.nodes())],
                    records: Vec::new(),
                    owner: 0,
                    others: Vec::new(),
                }
            });
            all.extend(newcomers.filter(|_| self.comm.is_root()));
        }
        (self.ownership, *bodies, *history) = Ownership::unpack(rank, all);
        if size == 1 {
            self.ownership = Ownership::new(rank);
        }
        self.skin.clear();
    }
}
