//! Communication between processes: the communicator, exchanges of messages, and exact reductions.
//!
//! Everything above this module is written once, for any number of processes; [`SerialComm`] is a single process and
//! needs no MPI. All calls are collective unless stated otherwise, and made from the thread that started the program.

mod all_to_all;
mod message;
#[cfg(feature = "mpi")]
#[allow(unsafe_code)] // MPI calls on raw buffers, each with its SAFETY argument.
mod mpi;
#[cfg(feature = "mpi")]
mod mpi_request;
mod reduction;
mod serial;
mod shared_memory;
mod shared_rows;
#[cfg(test)]
mod threads;

use std::sync::Arc;

use crate::base::ExactSum;
pub use all_to_all::AllToAll;
pub use message::{MessageItem, Reader, Writer};
pub use reduction::PendingReduction;
pub use serial::SerialComm;
pub use shared_rows::SharedMemoryRows;
#[cfg(test)]
pub(crate) use threads::thread_comms;

/// Rank of the process that writes files and messages on behalf of all.
pub const ROOT: usize = 0;

/// Communicator: the processes that work on one scene.
pub trait Comm: partitioning::Reduce + Send + Sync {
    /// Rank of this process, from 0.
    fn rank(&self) -> usize;
    /// Number of processes.
    fn size(&self) -> usize;
    /// Is this the process that writes files and messages on behalf of all?
    fn is_root(&self) -> bool {
        self.rank() == ROOT
    }
    /// Exchanges messages between all processes: `out[r]` goes to process r, and the message from there arrives in
    /// `into[r]`. The buffers of `into` are reused; afterwards the contents of `out`, its length included, are
    /// undefined, and it may be reused.
    fn exchange(&self, out: &mut Vec<Vec<u8>>, into: &mut Vec<Vec<u8>>);
    /// The same with new buffers: returns the messages from all processes.
    fn all_to_all(&self, mut out: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let mut into = Vec::new();
        self.exchange(&mut out, &mut into);
        into
    }
    /// Starts the messages of `mail`; not collective. Until [`complete`](Self::complete) the buffers must not be
    /// touched.
    fn post(&self, mail: &mut HaloExchange);
    /// Waits until all messages of [`post`](Self::post) have been transferred.
    fn complete(&self, mail: &mut HaloExchange);
    /// The MPI communicator, with which HDF5 writes a file in parallel; `None` for a single process.
    #[cfg(feature = "mpi")]
    fn handle(&self) -> Option<::mpi::ffi::MPI_Comm> {
        None
    }
    /// Starts the sum of `tally` over all processes, which continue to work until [`end_sum`](Self::end_sum) delivers
    /// it.
    fn begin_sum(&self, tally: &mut PendingReduction);
    /// Waits for the sums started by [`begin_sum`](Self::begin_sum).
    fn end_sum(&self, tally: &mut PendingReduction);
    /// Messages sent by this process since it started; not collective.
    fn sent(&self) -> MessageCounts {
        MessageCounts::default()
    }
    /// Ends all processes at once; not collective.
    fn abort(&self, code: i32) -> !;
}

/// Number of messages and collective calls of a process. Those of HDF5 when it writes a file are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// Messages to one other process.
    pub messages: u64,
    /// Collective calls: sums, extrema, and the exchange of message lengths.
    pub collectives: u64,
}

impl MessageCounts {
    /// Counts since `earlier`.
    pub fn since(self, earlier: MessageCounts) -> MessageCounts {
        MessageCounts {
            messages: self.messages - earlier.messages,
            collectives: self.collectives - earlier.collectives,
        }
    }
}

/// Messages between this process and its neighbours, in buffers that are kept from one exchange to the next.
#[derive(Default)]
pub struct HaloExchange {
    /// The neighbours, in rank order.
    pub peers: Vec<Neighbour>,
    #[cfg(feature = "mpi")]
    requests: Vec<mpi_request::PendingMessage>,
}

/// A process that this process exchanges messages with.
#[derive(Clone, Debug, Default)]
pub struct Neighbour {
    /// Its rank.
    pub rank: usize,
    /// Numbers to send; no message if empty.
    pub out: Vec<f64>,
    /// Numbers received, of the expected length; no message if empty.
    pub into: Vec<f64>,
}

/// The communicator of this program: the processes of `mpirun`, or this process alone.
pub fn start() -> Arc<dyn Comm> {
    #[cfg(feature = "mpi")]
    if let Some(world) = mpi::MpiComm::start() {
        return Arc::new(world);
    }
    Arc::new(SerialComm)
}

/// Collective. Returns the bytes of process 0 on all processes; those of the others are ignored.
pub fn broadcast(comm: &dyn Comm, bytes: Vec<u8>) -> Vec<u8> {
    let copies = if comm.is_root() { comm.size() } else { 0 };
    let mut out = vec![bytes; copies];
    out.resize(comm.size(), Vec::new());
    // There is always a process 0.
    comm.all_to_all(out).into_iter().next().unwrap_or_default()
}

/// Collective. Returns the bytes of all processes on all processes, in rank order.
pub fn all_gather(comm: &dyn Comm, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    comm.all_to_all(vec![bytes; comm.size()])
}

/// Collective. Returns the bytes of all processes on process 0, in rank order; elsewhere as many empty messages.
pub(crate) fn gather_on_root(comm: &dyn Comm, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    let mut out = vec![Vec::new(); comm.size()];
    out[ROOT] = bytes;
    comm.all_to_all(out)
}

/// Collective. Returns the items of all processes on all processes, in rank order.
pub(crate) fn all_gather_items<T: MessageItem>(comm: &dyn Comm, own: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut message = Writer::default();
    own.into_iter().for_each(|item| message.write(&item));
    all_gather(comm, message.0).iter().flat_map(|bytes| Reader(bytes).read_all()).collect()
}

/// Collective. Success if all processes succeeded; otherwise, on all processes, the error of the lowest rank that
/// failed.
pub fn all_agree<T>(comm: &dyn Comm, own: Result<T, String>) -> Result<T, String> {
    let mut first = [if own.is_err() { comm.rank() as f64 } else { f64::INFINITY }];
    comm.min(&mut first);
    match own {
        Ok(value) if first[0] == f64::INFINITY => Ok(value),
        own => {
            let word = own.err().map_or(Vec::new(), String::into_bytes);
            let words = all_gather(comm, word);
            Err(String::from_utf8_lossy(&words[first[0] as usize]).into_owned())
        }
    }
}

/// Collective. Exact sums over all processes, independent of their order: `parts` are the sums of this process.
pub fn sum_exactly<const N: usize>(comm: &dyn Comm, parts: [ExactSum; N]) -> [f64; N] {
    if comm.size() == 1 {
        return parts.map(|part| part.value());
    }
    let mut limbs = [[0; ExactSum::LIMBS]; N];
    for (limbs, part) in limbs.iter_mut().zip(&parts) {
        limbs.iter_mut().zip(part.limbs()).for_each(|(own, limb)| *own = limb);
    }
    comm.sum(limbs.as_flattened_mut());
    limbs.map(|limbs| ExactSum::from_limbs(&limbs).value())
}

/// Collective. The same for any number of sums.
pub fn sum_all_exactly(comm: &dyn Comm, parts: &[ExactSum]) -> Vec<f64> {
    let mut tally = PendingReduction::default();
    tally.load(parts);
    comm.sum(&mut tally.values);
    tally.read_all()
}

/// Collective. Sends message `r` of `out` to rank r; returns the messages of all ranks to this one, in rank order.
pub(crate) fn exchange(comm: &dyn Comm, out: Vec<Writer>) -> Vec<Vec<u8>> {
    comm.all_to_all(out.into_iter().map(|message| message.0).collect())
}

/// Collective. The same for messages of items: returns the items sent to this process, in rank order.
pub(crate) fn exchange_items<T: MessageItem>(comm: &dyn Comm, out: Vec<Writer>) -> Vec<T> {
    exchange(comm, out).iter().flat_map(|bytes| Reader(bytes).read_all()).collect()
}
