//! The MPI communicator: the processes of `mpirun`.
//!
//! Only the thread that started MPI calls it (`Funneled`). A process that panics aborts all, because MPI would wait for
//! it forever.

use std::os::raw::{c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mpi::collective::{Root, SystemOperation};
use mpi::datatype::PartitionMut;
use mpi::environment::Universe;
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Communicator, CommunicatorCollectives, Equivalence, Source};

use super::mpi_request::PendingMessage;
use super::{Comm, HaloExchange, Message, MessageCounts, PendingReduction, ROOT, Writer};
use crate::base::error::say;

/// All processes of the job.
pub(super) struct MpiComm {
    world: SimpleCommunicator,
    _universe: Universe,
    messages: AtomicU64,
    collectives: AtomicU64,
    /// Number of exchanges of messages so far.
    exchanges: AtomicU64,
    scratch: Mutex<MpiScratch>,
}

/// Buffers of the calls, kept for the next.
#[derive(Default)]
struct MpiScratch {
    /// Sends of an exchange, and buffers for what it receives.
    requests: Vec<PendingMessage>,
    buffers: Vec<Vec<u8>>,
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
/// Tag of messages between neighbours; those of exchanges have the next two.
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
        let [messages, collectives, exchanges] = [0, 0, 0].map(AtomicU64::new);
        Some(Self { world, _universe: universe, messages, collectives, exchanges, scratch: Mutex::default() })
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

    /// Nonblocking consensus (T. Hoefler, C. Siebert and A. Lumsdaine 2010): no process knows who will send to it, and
    /// nothing has the length of their number. Sends are synchronous: one is complete when its message is being
    /// received. A process whose sends are complete enters a barrier, and goes on receiving; when all have entered,
    /// there is nothing left to receive.
    fn exchange(&self, out: &mut [Message], into: &mut Vec<Message>) {
        let own = self.rank();
        let MpiScratch { requests, buffers, .. } = &mut *self.scratch();
        buffers.extend(into.drain(..).map(|message| message.contents.0));
        // A process may be ahead of the others by one exchange.
        let number = self.exchanges.fetch_add(1, Ordering::Relaxed);
        let tag = TAG + 1 + (number % 2) as c_int;
        requests.clear();
        for message in out.iter_mut().filter(|message| !message.is_empty()) {
            if message.rank == own {
                let buffer = Writer(buffers.pop().unwrap_or_default());
                into.push(Message { rank: own, contents: std::mem::replace(&mut message.contents, buffer) });
                continue;
            }
            for piece in message.contents.0.chunks(LONGEST) {
                // SAFETY: `out` is neither moved nor touched until all requests are complete, below.
                requests.push(unsafe { self.send_synchronously(message.rank, tag, piece) });
            }
        }
        self.count(&self.collectives);
        let mut barrier = None;
        loop {
            if let Some((message, status)) = self.world.any_process().immediate_matched_probe_with_tag(tag) {
                let mut piece = buffers.pop().unwrap_or_default();
                piece.resize(status.count(u8::equivalent_datatype()) as usize, 0);
                message.matched_receive_into(&mut piece[..]);
                into.push(Message { rank: status.source_rank() as usize, contents: Writer(piece) });
            }
            barrier = match barrier {
                None => are_complete(requests).then(|| self.world.immediate_barrier()),
                Some(entered) => match entered.test() {
                    Ok(_) => break,
                    Err(entered) => Some(entered),
                },
            };
        }
        // The sort is stable: pieces of a message stay in order.
        into.sort_by_key(|message| message.rank);
        into.dedup_by(|piece, message| {
            let is_same = piece.rank == message.rank;
            if is_same {
                message.contents.0.append(&mut piece.contents.0);
            }
            is_same
        });
    }

    fn all_gather(&self, own: Vec<u8>) -> Vec<Vec<u8>> {
        let mut lengths = vec![0u64; self.size()];
        self.count(&self.collectives);
        self.world.all_gather_into(&(own.len() as u64), &mut lengths[..]);
        let total: u64 = lengths.iter().sum();
        if total == 0 {
            return vec![own; self.size()];
        }
        if total > LONGEST as u64 {
            return (0..self.size()).map(|rank| self.broadcast_from(rank, own.clone())).collect();
        }
        let counts: Vec<c_int> = lengths.iter().map(|&length| length as c_int).collect();
        let start = |sum: &mut c_int, &count: &c_int| Some(std::mem::replace(sum, *sum + count));
        let starts: Vec<c_int> = counts.iter().scan(0, start).collect();
        let mut all = vec![0; total as usize];
        self.count(&self.collectives);
        self.world.all_gather_varcount_into(&own[..], &mut PartitionMut::new(&mut all[..], &counts[..], &starts[..]));
        let part = |(&start, &count): (&c_int, &c_int)| all[start as usize..][..count as usize].to_vec();
        starts.iter().zip(&counts).map(part).collect()
    }

    fn broadcast(&self, own: Vec<u8>) -> Vec<u8> {
        self.broadcast_from(ROOT, own)
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
    /// Collective. The bytes of process `rank`.
    fn broadcast_from(&self, rank: usize, mut bytes: Vec<u8>) -> Vec<u8> {
        let root = self.world.process_at_rank(rank as c_int);
        let mut length = bytes.len() as u64;
        root.broadcast_into(&mut length);
        bytes.resize(length as usize, 0);
        bytes.chunks_mut(LONGEST).for_each(|piece| root.broadcast_into(piece));
        self.collectives.fetch_add(2, Ordering::Relaxed);
        bytes
    }

    fn count(&self, calls: &AtomicU64) {
        calls.fetch_add(1, Ordering::Relaxed);
    }

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

    /// Starts a send that is complete when its message is being received.
    ///
    /// SAFETY: `piece` stays in place until the request is complete.
    unsafe fn send_synchronously(&self, rank: usize, tag: c_int, piece: &[u8]) -> PendingMessage {
        self.count(&self.messages);
        // SAFETY: null is a valid value of the handle; the call sets it.
        let mut request = PendingMessage(unsafe { ffi::RSMPI_REQUEST_NULL });
        let (length, datatype) = (piece.len() as c_int, u8::equivalent_datatype().as_raw());
        // SAFETY: by the contract of this function.
        unsafe {
            let (at, world) = (piece.as_ptr().cast(), self.world.as_raw());
            ffi::MPI_Issend(at, length, datatype, rank as c_int, tag, world, &mut request.0);
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

/// Are all requests complete?
fn are_complete(requests: &mut [PendingMessage]) -> bool {
    let mut flag = 0;
    // SAFETY: as in `wait`.
    unsafe {
        let statuses = ffi::RSMPI_STATUSES_IGNORE;
        ffi::MPI_Testall(requests.len() as c_int, requests.as_mut_ptr().cast(), &mut flag, statuses);
    }
    flag != 0
}

fn wait(requests: &mut [PendingMessage]) {
    // SAFETY: the requests are active, or null, which counts as complete; statuses are ignored. `PendingMessage` is
    // `repr(transparent)` over the handle.
    unsafe {
        ffi::MPI_Waitall(requests.len() as c_int, requests.as_mut_ptr().cast(), ffi::RSMPI_STATUSES_IGNORE);
    }
}
