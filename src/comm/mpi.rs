//! The MPI communicator: the processes of `mpirun`.
//!
//! Only the thread that started MPI calls it (`Funneled`). A process that panics aborts all, because MPI would wait for
//! it forever.

use std::os::raw::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator, CommunicatorCollectives, Equivalence};

use super::mpi_request::PendingMessage;
use super::{Comm, HaloExchange, MessageCounts, PendingReduction};
use crate::base::error::say;

/// All processes of the job.
pub(super) struct MpiComm {
    world: SimpleCommunicator,
    _universe: Universe,
    messages: AtomicU64,
    collectives: AtomicU64,
    scratch: Mutex<MpiScratch>,
}

/// Buffers of the calls, kept for the next.
#[derive(Default)]
struct MpiScratch {
    /// Number of bytes sent to and expected from each process.
    lengths: Vec<u64>,
    expected: Vec<u64>,
    requests: Vec<PendingMessage>,
    /// Contribution of this process to a reduction.
    counts: Vec<u64>,
    numbers: Vec<f64>,
}

// SAFETY: all calls are made from the thread that started MPI, by the contract of `Comm`; the handles themselves are
// plain numbers or pointers that other threads merely move.
unsafe impl Send for MpiComm {}
// SAFETY: as above.
unsafe impl Sync for MpiComm {}

/// Environment variables by which launchers tell a process that it is one of several.
const LAUNCHED: [&str; 5] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_STEP_ID"];
/// Tag of all messages.
const TAG: c_int = 7;
/// MPI counts are 32-bit: longer messages are sent in pieces.
const LONGEST: usize = 1 << 30;

impl MpiComm {
    /// Starts MPI if this process was started by an MPI launcher.
    pub(super) fn start() -> Option<Self> {
        if LAUNCHED.iter().all(|name| std::env::var_os(name).is_none()) {
            return None;
        }
        let (universe, _) = mpi::initialize_with_threading(mpi::Threading::Funneled)?;
        let world = universe.world();
        let rank = world.rank();
        let size = world.size();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            say(format_args!("nscdd: rank {rank} of {size} failed and ends the job"));
            before(info);
            // SAFETY: ends the process; no memory is touched.
            unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 101) };
        }));
        let [messages, collectives] = [0, 0].map(AtomicU64::new);
        Some(Self { world, _universe: universe, messages, collectives, scratch: Mutex::default() })
    }

    fn scratch(&self) -> MutexGuard<'_, MpiScratch> {
        // No call depends on the contents left by another, so a poisoned lock is harmless.
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reduce<T: Equivalence + Clone>(&self, own: &mut Vec<T>, values: &mut [T], operation: SystemOperation) {
        own.clear();
        own.extend_from_slice(values);
        self.collectives.fetch_add(1, Ordering::Relaxed);
        self.world.all_reduce_into(&own[..], values, operation);
    }
}

impl partitioning::Reduce for MpiComm {
    fn sum(&self, values: &mut [u64]) {
        self.reduce(&mut self.scratch().counts, values, SystemOperation::sum());
    }
    fn min(&self, values: &mut [f64]) {
        self.reduce(&mut self.scratch().numbers, values, SystemOperation::min());
    }
    fn max(&self, values: &mut [f64]) {
        self.reduce(&mut self.scratch().numbers, values, SystemOperation::max());
    }
}

impl Comm for MpiComm {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn exchange(&self, out: &mut Vec<Vec<u8>>, into: &mut Vec<Vec<u8>>) {
        let (size, own) = (self.size(), self.rank());
        let MpiScratch { lengths, expected, requests, .. } = &mut *self.scratch();
        out.resize(size, Vec::new());
        lengths.clear();
        lengths.extend(out.iter().map(|bytes| bytes.len() as u64));
        expected.clear();
        expected.resize(size, 0);
        self.collectives.fetch_add(1, Ordering::Relaxed);
        self.world.all_to_all_into(&lengths[..], &mut expected[..]);
        into.resize(size, Vec::new());
        std::mem::swap(&mut into[own], &mut out[own]);
        expected[own] = into[own].len() as u64;
        // The old contents are overwritten: `resize` zeroes only what a buffer grows by.
        into.iter_mut().zip(&*expected).for_each(|(bytes, &length)| bytes.resize(length as usize, 0));
        requests.clear();
        for rank in (0..size).filter(|&rank| rank != own) {
            // SAFETY: `into` and `out` are neither moved nor touched until all requests are complete, below.
            unsafe {
                let datatype = u8::equivalent_datatype().as_raw();
                for receive in into[rank].chunks_mut(LONGEST) {
                    requests.push(self.receive(rank, receive.as_mut_ptr().cast(), receive.len(), datatype));
                }
                for send in out[rank].chunks(LONGEST) {
                    requests.push(self.send(rank, send.as_ptr().cast(), send.len(), datatype));
                }
            }
        }
        wait(requests);
    }

    fn post(&self, halo: &mut HaloExchange) {
        halo.requests.clear();
        for neighbour in &mut halo.peers {
            // SAFETY: the buffers live in `halo`, which nobody touches until `complete`, by the contract of
            // `Comm::post`.
            unsafe {
                if !neighbour.into.is_empty() {
                    let (at, length) = (neighbour.into.as_mut_ptr().cast(), neighbour.into.len());
                    halo.requests.push(self.receive(neighbour.rank, at, length, f64::equivalent_datatype().as_raw()));
                }
                if !neighbour.out.is_empty() {
                    let (at, length) = (neighbour.out.as_ptr().cast(), neighbour.out.len());
                    halo.requests.push(self.send(neighbour.rank, at, length, f64::equivalent_datatype().as_raw()));
                }
            }
        }
    }

    fn complete(&self, halo: &mut HaloExchange) {
        wait(&mut halo.requests);
    }

    fn handle(&self) -> Option<ffi::MPI_Comm> {
        Some(self.world.as_raw())
    }

    fn begin_sum(&self, reduction: &mut PendingReduction) {
        let PendingReduction { values, own, request } = reduction;
        own.clone_from(values);
        self.collectives.fetch_add(1, Ordering::Relaxed);
        let (datatype, sum) = (u64::equivalent_datatype().as_raw(), SystemOperation::sum().as_raw());
        // SAFETY: null is a valid value of the handle; the call sets it.
        let mut begun = PendingMessage(unsafe { ffi::RSMPI_REQUEST_NULL });
        // SAFETY: both buffers have the same length, live in `reduction`, and nobody touches them until `end_sum`, by
        // the contract of `Comm::begin_sum`.
        unsafe {
            let (from, into) = (own.as_ptr().cast(), values.as_mut_ptr().cast());
            ffi::MPI_Iallreduce(from, into, own.len() as c_int, datatype, sum, self.world.as_raw(), &mut begun.0);
        }
        *request = Some(begun);
    }

    fn end_sum(&self, reduction: &mut PendingReduction) {
        wait(reduction.request.take().as_mut_slice());
    }

    fn sent(&self) -> MessageCounts {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        MessageCounts { messages: read(&self.messages), collectives: read(&self.collectives) }
    }

    fn abort(&self, code: i32) -> ! {
        self.world.abort(code)
    }
}

impl MpiComm {
    /// SAFETY: `at` points to `length` elements that stay in place until the request is complete.
    unsafe fn receive(
        &self,
        rank: usize,
        at: *mut c_void,
        length: usize,
        datatype: ffi::MPI_Datatype,
    ) -> PendingMessage {
        // SAFETY: null is a valid value of the handle; the call sets it.
        let mut request = PendingMessage(unsafe { ffi::RSMPI_REQUEST_NULL });
        // SAFETY: by the contract of this function.
        unsafe {
            ffi::MPI_Irecv(at, length as c_int, datatype, rank as c_int, TAG, self.world.as_raw(), &mut request.0);
        }
        request
    }

    /// SAFETY: as for `receive`.
    unsafe fn send(
        &self,
        rank: usize,
        at: *const c_void,
        length: usize,
        datatype: ffi::MPI_Datatype,
    ) -> PendingMessage {
        self.messages.fetch_add(1, Ordering::Relaxed);
        // SAFETY: null is a valid value of the handle; the call sets it.
        let mut request = PendingMessage(unsafe { ffi::RSMPI_REQUEST_NULL });
        // SAFETY: by the contract of this function.
        unsafe {
            ffi::MPI_Isend(at, length as c_int, datatype, rank as c_int, TAG, self.world.as_raw(), &mut request.0);
        }
        request
    }
}

fn wait(requests: &mut [PendingMessage]) {
    // SAFETY: the requests are active, or null, which counts as complete; statuses are ignored. `PendingMessage` is
    // `repr(transparent)` over the handle.
    unsafe {
        ffi::MPI_Waitall(requests.len() as c_int, requests.as_mut_ptr().cast(), ffi::RSMPI_STATUSES_IGNORE);
    }
}
