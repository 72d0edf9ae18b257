//! Communication between processes: the communicator, exchanges of messages, and exact reductions.
//!
//! Everything above this module is written once, for any number of processes; [`SerialComm`] is a single process and
//! needs no MPI. All calls are collective unless stated otherwise, and made from the thread that started the program.

mod communicator;
mod exchange;
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
#[cfg(any(feature = "mpi", test))]
mod timed;
mod waiting;

use std::sync::Arc;

use crate::base::ExactSum;
pub use communicator::{Comm, HaloExchange, MessageCounts, Neighbour, ROOT};
pub use exchange::Exchange;
pub use message::{Message, MessageItem, Reader, Writer};
pub use reduction::PendingReduction;
pub use serial::SerialComm;
pub use shared_rows::SharedMemoryRows;
#[cfg(test)]
pub(crate) use threads::thread_comms;
pub use waiting::WaitingTime;

/// The communicator of this program: the processes of `mpirun`, or this process alone.
pub fn start() -> Arc<dyn Comm> {
    #[cfg(feature = "mpi")]
    if let Some(world) = mpi::MpiComm::start() {
        return Arc::new(timed::TimedComm::new(world));
    }
    Arc::new(SerialComm)
}

/// Collective. Returns the bytes of all processes on process 0, in rank order; nothing elsewhere.
pub(crate) fn gather_on_root(comm: &dyn Comm, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    let mut exchange = Exchange::default();
    exchange.to(ROOT).0 = bytes;
    let received = exchange.swap(comm);
    if !comm.is_root() {
        return Vec::new();
    }
    let mut all = vec![Vec::new(); comm.size()];
    received.iter().for_each(|message| all[message.rank].clone_from(&message.contents.0));
    all
}

/// Collective. Returns the items of all processes on all processes, in rank order.
pub(crate) fn all_gather_items<T: MessageItem>(comm: &dyn Comm, own: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut message = Writer::default();
    own.into_iter().for_each(|item| message.write(&item));
    all_gather_if_any(comm, message.0).iter().flat_map(|bytes| Reader(bytes).read_all()).collect()
}

/// Collective. Returns the bytes of all processes on all processes, in rank order; nothing if no process has any, as is
/// often so in a step.
pub(crate) fn all_gather_if_any(comm: &dyn Comm, own: Vec<u8>) -> Vec<Vec<u8>> {
    let mut longest = [own.len() as f64];
    comm.max(&mut longest);
    if longest[0] > 0.0 { comm.all_gather(own) } else { Vec::new() }
}

/// Collective. Success if all processes succeeded; otherwise, on all processes, the error of the lowest rank that
/// failed.
pub fn all_agree<T>(comm: &dyn Comm, own: Result<T, String>) -> Result<T, String> {
    let mut first = [if own.is_err() { comm.rank() as f64 } else { f64::INFINITY }];
    comm.min(&mut first);
    match own {
        Ok(value) if first[0] == f64::INFINITY => Ok(value),
        own => {
            let reason = own.err().map_or(Vec::new(), String::into_bytes);
            let reasons = comm.all_gather(reason);
            Err(String::from_utf8_lossy(&reasons[first[0] as usize]).into_owned())
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
    let mut reduction = PendingReduction::default();
    reduction.load(parts);
    comm.sum(&mut reduction.values);
    reduction.read_all()
}
