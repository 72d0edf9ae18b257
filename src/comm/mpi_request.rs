//! Requests of MPI that are pending.
#![allow(unsafe_code)]

use mpi::ffi;

/// A pending request of MPI.
#[repr(transparent)]
pub(crate) struct PendingMessage(pub(super) ffi::MPI_Request);

// SAFETY: a handle that only the thread of MPI uses, by the contract of `Comm`; other threads merely move it.
unsafe impl Send for PendingMessage {}

// SAFETY: as above.
unsafe impl Sync for PendingMessage {}
