//! A request to stop in the middle of a step: asked often, agreed upon by all processes, and the step is then abandoned.
//!
//! Detection and sweeps look at the request as they go. Processes agree where they add up anyway: at the checks of a solve, and once after
//! detection. An abandoned step leaves no trace: bodies and what their contacts remember are those of its start.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Domain;
use super::ownership::{MigratingBody, Ownership};
use crate::body::Bodies;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::model::Model;

/// The bodies that a process owns, with what their contacts remember.
pub struct SavedBodies<X: Dim>(Vec<MigratingBody<X>>);

impl<X: Dim> Domain<X> {
    /// Steps from now on end early once `stop` is set; never if there is none.
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

    /// Has this process been asked to stop?
    pub(super) fn is_asked_to_stop(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Collective. Abandon the step if any process has been asked to.
    pub(super) fn agree_to_stop(&mut self) {
        if self.stop.is_some() || self.comm.size() > 1 {
            let mut asked = [f64::from(u8::from(self.is_asked_to_stop()))];
            self.comm.max(&mut asked);
            self.halted |= asked[0] > 0.0;
        }
    }

    /// The bodies of this process, to be put back should the step be abandoned.
    pub fn set_aside(&self, model: &Model<X>, bodies: &Bodies<X>, history: &ContactHistory<X>) -> SavedBodies<X> {
        SavedBodies(self.ownership.pack_owned(bodies, history, |state| model.is_prescribed(state)))
    }

    /// Everything is again as it was set aside.
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

    /// The contacts of an abandoned step serve nothing.
    pub fn discard_candidates(&mut self) {
        self.skin.clear();
    }
}
