//! Stop requests in the middle of a step: polled often, agreed upon by all processes; the step is then abandoned.
//!
//! Detection and sweeps poll the request. The processes agree where they reduce anyway: at the checks of a solve, and
//! once after detection. An abandoned step leaves no trace: bodies and contact history are those of its start.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Domain;
use super::ownership::{MigratingBody, Ownership};
use crate::body::Bodies;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::model::Model;

/// The bodies that a process owns, and the obstacles, with their contact records.
pub struct SavedBodies<X: Dim>(Vec<MigratingBody<X>>);

impl<X: Dim> Domain<X> {
    /// From now on steps end early once `stop` is set; never if it is `None`.
    pub fn heed(&mut self, stop: Option<Arc<AtomicBool>>) {
        (self.stop, self.halted) = (stop, false);
    }

    /// Can a step end early?
    pub fn heeds(&self) -> bool {
        self.stop.is_some()
    }

    /// Have all processes agreed to abandon the step?
    pub fn is_stopped(&self) -> bool {
        self.halted
    }

    /// Has this process received a stop request?
    pub(super) fn is_asked_to_stop(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Collective. Abandons the step if any process has received a stop request.
    pub(super) fn agree_to_stop(&mut self) {
        if self.stop.is_some() || self.comm.size() > 1 {
            let mut asked = [f64::from(u8::from(self.is_asked_to_stop()))];
            self.comm.max(&mut asked);
            self.halted |= asked[0] > 0.0;
        }
    }

    /// Saves the bodies of this process, to restore them if the step is abandoned.
    pub fn set_aside(&self, model: &Model<X>, bodies: &Bodies<X>, history: &ContactHistory<X>) -> SavedBodies<X> {
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
