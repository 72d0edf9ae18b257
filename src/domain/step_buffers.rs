//! Buffers that a step takes over from the previous step.

use super::scratch::ScratchPool;
use crate::comm::Exchange;
use crate::dim::Dim;
use crate::interaction::{ContactHistory, RecordSorting, SearchedRecords};

/// Buffers of a process; their contents do not outlive a phase of the step.
#[derive(Default)]
pub(super) struct StepBuffers<X: Dim> {
    /// Buffers of the threads.
    pub(super) scratch: ScratchPool<X>,
    /// Buffers for the contact counts and the contact history of the next step.
    pub(super) contact_counts: Vec<u32>,
    pub(super) history_buffer: ContactHistory<X>,
    /// Scratch buffers for sorting contact records.
    pub(super) sorting: RecordSorting,
    /// Message buffers, and the contact records received in them.
    pub(super) exchange: Exchange,
    pub(super) received: SearchedRecords<X>,
    /// For each body: does this process have its primary copy?
    pub(super) is_primary: Vec<bool>,
}

impl<X: Dim> StepBuffers<X> {
    /// Frees the buffers that the next step refills.
    pub(super) fn free(&mut self) {
        *self = Self { history_buffer: std::mem::take(&mut self.history_buffer), ..Self::default() };
    }
}
