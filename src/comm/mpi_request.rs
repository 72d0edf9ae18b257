//! The handle of a pending MPI request.
#![allow(unsafe_code)]

use mpi::ffi;

/// A pending request of MPI.
#[repr(transparent)]
pub(super) struct PendingMessage(pub(super) ffi::MPI_Request);

// SAFETY: a handle that only the thread of MPI uses, by the contract of `Comm`; other threads merely move it.
unsafe impl Send for PendingMessage {}
// SAFETY: as above.
unsafe impl Sync for PendingMessage {}
