//! Communication between processes: the communicator, exchanges of messages, and exact reductions.
//!
//! Everything above this module is written once, for any number of processes; [`SerialComm`] is a single process and
//! needs no MPI. All calls are collective unless stated otherwise, and made from the thread that started the program.

mod all_to_all;
mod communicator;
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
pub use communicator::{Comm, HaloExchange, MessageCounts, Neighbour, ROOT};
pub use message::{MessageItem, Reader, Writer};
pub use reduction::PendingReduction;
pub use serial::SerialComm;
pub use shared_rows::SharedMemoryRows;
#[cfg(test)]
pub(crate) use threads::thread_comms;

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
            let reason = own.err().map_or(Vec::new(), String::into_bytes);
            let reasons = all_gather(comm, reason);
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

/// Collective. Sends message `r` of `out` to rank r; returns the messages of all ranks to this one, in rank order.
pub(crate) fn exchange(comm: &dyn Comm, out: Vec<Writer>) -> Vec<Vec<u8>> {
    comm.all_to_all(out.into_iter().map(|message| message.0).collect())
}

/// Collective. The same for messages of items: returns the items sent to this process, in rank order.
pub(crate) fn exchange_items<T: MessageItem>(comm: &dyn Comm, out: Vec<Writer>) -> Vec<T> {
    exchange(comm, out).iter().flat_map(|bytes| Reader(bytes).read_all()).collect()
}
