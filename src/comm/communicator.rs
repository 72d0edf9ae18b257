//! The communicator: the operations of every kind of process group, and the buffers of its exchanges.

use super::message::Message;
#[cfg(feature = "mpi")]
use super::mpi_request::PendingMessage;
use super::reduction::PendingReduction;
use super::waiting::WaitingTime;

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
    /// Exchanges messages: those of `out` that are not empty go to other processes or to this one, at most one to each.
    /// Those received replace the contents of `into`, in rank order, in its buffers; the contents of `out` become
    /// undefined.
    fn exchange(&self, out: &mut [Message], into: &mut Vec<Message>);
    /// Returns the bytes of all processes, in rank order.
    fn all_gather(&self, own: Vec<u8>) -> Vec<Vec<u8>>;
    /// Returns the bytes of process 0; those of the others are ignored.
    fn broadcast(&self, own: Vec<u8>) -> Vec<u8>;
    /// Starts the messages of `halo`; not collective. Until [`complete`](Self::complete) the buffers must not be
    /// touched.
    fn post(&self, halo: &mut HaloExchange);
    /// Waits until all messages of [`post`](Self::post) have been transferred.
    fn complete(&self, halo: &mut HaloExchange);
    /// The MPI communicator, with which HDF5 writes a file in parallel; `None` for a single process.
    #[cfg(feature = "mpi")]
    fn handle(&self) -> Option<::mpi::ffi::MPI_Comm> {
        None
    }
    /// Starts the sum of `reduction` over all processes and returns at once; [`end_sum`](Self::end_sum) waits for the
    /// result.
    fn begin_sum(&self, reduction: &mut PendingReduction);
    /// Waits for the sum started by [`begin_sum`](Self::begin_sum).
    fn end_sum(&self, reduction: &mut PendingReduction);
    /// Messages sent by this process since it started; not collective.
    fn sent(&self) -> MessageCounts {
        MessageCounts::default()
    }
    /// Clock of the time that this process spends blocked in the calls above; not collective.
    fn waiting(&self) -> WaitingTime {
        WaitingTime::default()
    }
    /// Ends all processes at once; not collective.
    fn abort(&self, code: i32) -> !;
}

/// Number of messages and collective calls of a process. Those of HDF5 when it writes a file are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCounts {
    /// Messages to one other process.
    pub messages: u64,
    /// Collective calls: sums, extrema, broadcasts, and the barriers that end exchanges of messages.
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
    pub(super) requests: Vec<PendingMessage>,
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
