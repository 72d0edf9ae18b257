//! Stop requests in the middle of a step: polled often, agreed upon by all processes; the step is then abandoned.
//!
//! Detection, sweeps and the diagnosis of a step that did not converge poll the request. The processes agree where they
//! reduce anyway: at the checks and restart tests of a solve, and once after detection and after a diagnosis.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::comm::Comm;

/// An external request to end a step early.
#[derive(Default)]
pub(super) struct StopRequest {
    flag: Option<Arc<AtomicBool>>,
    /// Have all processes agreed to it?
    pub(super) is_agreed: bool,
}

impl StopRequest {
    /// From now on setting `flag` is a request; `None` disables requests.
    pub(super) fn set_flag(&mut self, flag: Option<Arc<AtomicBool>>) {
        *self = Self { flag, is_agreed: false };
    }

    /// The flag that makes a request.
    pub(super) fn flag(&self) -> Option<&AtomicBool> {
        self.flag.as_deref()
    }

    /// Has this process received a request?
    pub(super) fn is_made(&self) -> bool {
        self.flag().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Collective. Agrees to a request that any process has received.
    pub(super) fn agree(&mut self, comm: &dyn Comm) {
        if self.flag.is_some() || comm.size() > 1 {
            let mut requested = [f64::from(u8::from(self.is_made()))];
            comm.max(&mut requested);
            self.is_agreed |= requested[0] > 0.0;
        }
    }
}
