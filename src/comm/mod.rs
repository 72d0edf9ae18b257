//! Processes: who they are, what they send each other, and how a sum over all of them stays the same sum.
//!
//! Everything above this module is written once, for any number of processes; [`SerialComm`] is one of them, and needs no
//! MPI. All calls are collective unless said otherwise, and made from the thread that started the program.

mod all_to_all;
mod message;
#[cfg(feature = "mpi")]
#[allow(unsafe_code)] // The calls of MPI that move buffers; each with its argument.
mod mpi;
mod reduction;
mod serial;
mod shared_memory;
mod shared_rows;
#[cfg(test)]
mod threads;

use std::sync::Arc;

use crate::base::ExactSum;
pub use all_to_all::AllToAll;
pub use message::{Reader, Writer};
pub use reduction::PendingReduction;
pub use serial::SerialComm;
pub use shared_rows::SharedMemoryRows;
#[cfg(test)]
pub(crate) use threads::thread_comms;

/// Processes that work on one scene.
pub trait Comm: partitioning::Reduce + Send + Sync {
    /// Number of this process, from 0.
    fn rank(&self) -> usize;
    /// How many there are.
    fn size(&self) -> usize;
    /// What each process has for each other: `out[r]` goes to process r, and what comes from there to `into[r]`. Memory of
    /// messages that came before is used again, and what `out` holds afterwards, its length too, means nothing: it may be used again.
    fn exchange(&self, out: &mut Vec<Vec<u8>>, into: &mut Vec<Vec<u8>>);
    /// The same in fresh memory: returns what came from each.
    fn all_to_all(&self, mut out: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let mut into = Vec::new();
        self.exchange(&mut out, &mut into);
        into
    }
    /// Send what lies in `mail` on its way; not collective. Until [`complete`](Self::complete) the buffers are the
    /// messages' own.
    fn post(&self, mail: &mut HaloExchange);
    /// Wait until everything posted has arrived.
    fn complete(&self, mail: &mut HaloExchange);
    /// The processes as HDF5 wants them, to write a file together; none for a process alone.
    #[cfg(feature = "mpi")]
    fn handle(&self) -> Option<::mpi::ffi::MPI_Comm> {
        None
    }
    /// Start adding up `tally` over all processes; they work on until [`end_sum`](Self::end_sum) brings the sums.
    fn begin_sum(&self, tally: &mut PendingReduction);
    /// Wait for the sums that were begun.
    fn end_sum(&self, tally: &mut PendingReduction);
    /// What this process has sent since it started; not collective.
    fn sent(&self) -> MessageCounts {
        MessageCounts::default()
    }
    /// End all processes at once; not collective.
    fn abort(&self, code: i32) -> !;
}

/// How often a process has talked to others. What HDF5 sends to write a file is not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// Messages to one other process.
    pub messages: u64,
    /// Calls that all processes make together: sums, extremes, and how much each has for each other.
    pub collectives: u64,
}

impl MessageCounts {
    /// What came after `earlier`.
    pub fn since(self, earlier: MessageCounts) -> MessageCounts {
        MessageCounts {
            messages: self.messages - earlier.messages,
            collectives: self.collectives - earlier.collectives,
        }
    }
}

/// Messages between this process and some others, whose buffers stay from one exchange to the next.
#[derive(Default)]
pub struct HaloExchange {
    /// The others, in order of rank.
    pub peers: Vec<Neighbour>,
    #[cfg(feature = "mpi")]
    requests: Vec<mpi::PendingMessage>,
}

/// One of the others.
#[derive(Clone, Debug, Default)]
pub struct Neighbour {
    /// Who.
    pub rank: usize,
    /// What goes there; no message if it is empty.
    pub out: Vec<f64>,
    /// What comes from there, of the length expected; no message if it is empty.
    pub into: Vec<f64>,
}

/// The processes this program was started with: those of `mpirun`, or this one alone.
pub fn start() -> Arc<dyn Comm> {
    #[cfg(feature = "mpi")]
    if let Some(world) = mpi::MpiComm::start() {
        return Arc::new(world);
    }
    Arc::new(SerialComm)
}

/// What process 0 has to say, on all processes; what the others bring does not matter.
pub fn broadcast(comm: &dyn Comm, bytes: Vec<u8>) -> Vec<u8> {
    let copies = if comm.rank() == 0 { comm.size() } else { 0 };
    let mut out = vec![bytes; copies];
    out.resize(comm.size(), Vec::new());
    // Process 0 is always there.
    comm.all_to_all(out).into_iter().next().unwrap_or_default()
}

/// What each process has to say, on all processes, in order of rank.
pub fn all_gather(comm: &dyn Comm, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    comm.all_to_all(vec![bytes; comm.size()])
}

/// Success if all processes had it; else, everywhere, what the first that failed had to say.
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

/// Adds up sums of all processes, whatever the order: `parts` are this process' own.
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

/// The same for as many sums as there are.
pub fn sum_all_exactly(comm: &dyn Comm, parts: &[ExactSum]) -> Vec<f64> {
    let mut tally = PendingReduction::default();
    tally.load(parts);
    comm.sum(&mut tally.values);
    tally.read_all()
}

/// Collective. Message `r` of `out` goes to rank r; returned are the messages of all ranks to this one, in their order.
pub(crate) fn exchange(comm: &dyn Comm, out: Vec<Writer>) -> Vec<Vec<u8>> {
    comm.all_to_all(out.into_iter().map(|message| message.0).collect())
}
