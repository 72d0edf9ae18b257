//! Abandoned steps: after a step that a stop request ends, bodies and contact history are those of its start.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Domain;
use super::ownership::{MigratingBody, Ownership};
use crate::body::Bodies;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::model::Model;

/// The bodies that a process owns, and the obstacles, with their contact records.
#[derive(Clone)]
pub struct SavedBodies<X: Dim>(Vec<MigratingBody<X>>);

impl<X: Dim> Domain<X> {
    /// From now on steps end early once `stop` is set; `None` disables this.
    pub fn set_stop_flag(&mut self, stop: Option<Arc<AtomicBool>>) {
        self.stop.set_flag(stop);
    }

    /// Can a step end early?
    pub fn can_stop(&self) -> bool {
        self.stop.flag().is_some()
    }

    /// Has this process been asked to abandon the step?
    pub fn is_asked_to_stop(&self) -> bool {
        self.stop.is_made()
    }

    /// Collective. Agrees to abandon the step if any process has been asked to.
    pub fn agree_to_stop(&mut self) {
        self.stop.agree(&*self.comm);
    }

    /// Have all processes agreed to abandon the step?
    pub fn is_stopped(&self) -> bool {
        self.stop.is_agreed
    }

    /// Saves the bodies of this process, to restore them if the step is abandoned.
    pub fn save_bodies(&self, model: &Model<X>, bodies: &Bodies<X>, history: &ContactHistory<X>) -> SavedBodies<X> {
        SavedBodies(self.ownership.pack_owned(bodies, history, |state| model.is_prescribed(state)))
    }

    /// Restores the saved bodies, contact history and ownership.
    pub fn restore_bodies(
        &mut self,
        SavedBodies(all): SavedBodies<X>,
        bodies: &mut Bodies<X>,
        history: &mut ContactHistory<X>,
    ) {
        let rank = self.comm.rank();
        (self.ownership, *bodies, *history) = Ownership::unpack(rank, all);
        if self.comm.size() == 1 {
            self.ownership = Ownership::new(rank);
        }
    }

    /// Discards the candidates, which belong to an abandoned step.
    pub fn discard_candidates(&mut self) {
        self.skin.clear();
    }
}
