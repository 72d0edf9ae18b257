//! A communicator with a clock around each call that returns only when other processes have reached it.
//!
//! A blocked call also transfers its messages; starting one does not block, and is work.

use std::time::Instant;

use super::{Comm, HaloExchange, Message, MessageCounts, PendingReduction, WaitingTime};

/// A communicator that measures how long its calls block.
pub(super) struct TimedComm<C> {
    comm: C,
    waiting: WaitingTime,
}

impl<C: Comm> TimedComm<C> {
    pub(super) fn new(comm: C) -> Self {
        Self { comm, waiting: WaitingTime::at_zero() }
    }

    /// Performs a call that blocks.
    fn blocked<T>(&self, call: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = call();
        self.waiting.add(start.elapsed());
        result
    }
}

impl<C: Comm> partitioning::Reduce for TimedComm<C> {
    fn sum(&self, values: &mut [u64]) {
        self.blocked(|| self.comm.sum(values));
    }
    fn min(&self, values: &mut [f64]) {
        self.blocked(|| self.comm.min(values));
    }
    fn max(&self, values: &mut [f64]) {
        self.blocked(|| self.comm.max(values));
    }
}

impl<C: Comm> Comm for TimedComm<C> {
    fn rank(&self) -> usize {
        self.comm.rank()
    }
    fn size(&self) -> usize {
        self.comm.size()
    }
    fn exchange(&self, out: &mut [Message], into: &mut Vec<Message>) {
        self.blocked(|| self.comm.exchange(out, into));
    }
    fn all_gather(&self, own: Vec<u8>) -> Vec<Vec<u8>> {
        self.blocked(|| self.comm.all_gather(own))
    }
    fn broadcast(&self, own: Vec<u8>) -> Vec<u8> {
        self.blocked(|| self.comm.broadcast(own))
    }
    fn post(&self, halo: &mut HaloExchange) {
        self.comm.post(halo);
    }
    fn complete(&self, halo: &mut HaloExchange) {
        self.blocked(|| self.comm.complete(halo));
    }
    #[cfg(feature = "mpi")]
    fn handle(&self) -> Option<::mpi::ffi::MPI_Comm> {
        self.comm.handle()
    }
    fn begin_sum(&self, reduction: &mut PendingReduction) {
        self.comm.begin_sum(reduction);
    }
    fn end_sum(&self, reduction: &mut PendingReduction) {
        self.blocked(|| self.comm.end_sum(reduction));
    }
    fn sent(&self) -> MessageCounts {
        self.comm.sent()
    }
    fn waiting(&self) -> WaitingTime {
        self.waiting.clone()
    }
    fn abort(&self, code: i32) -> ! {
        self.comm.abort(code)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::comm::{SerialComm, thread_comms};

    #[test]
    fn a_process_that_arrives_early_waits_for_the_last_one_in_every_call_that_blocks() {
        const LATE: Duration = Duration::from_millis(20);
        type Call = fn(&dyn Comm);
        let calls: [Call; 7] = [
            |comm| comm.sum(&mut [1]),
            |comm| comm.min(&mut [1.0]),
            |comm| comm.max(&mut [1.0]),
            |comm| comm.exchange(&mut [], &mut Vec::new()),
            |comm| drop(comm.all_gather(vec![1])),
            |comm| drop(comm.broadcast(vec![1])),
            |comm| {
                let mut reduction = PendingReduction::default();
                comm.begin_sum(&mut reduction);
                comm.end_sum(&mut reduction);
            },
        ];
        for (number, call) in calls.into_iter().enumerate() {
            let waited = thread_comms(2, |comm| {
                let before = comm.waiting().total();
                if comm.rank() == 1 {
                    std::thread::sleep(LATE);
                }
                call(comm);
                comm.waiting().total() - before
            });
            // The call that begins a sum blocks only where the processes are threads.
            assert!(number == 6 || waited[0] >= LATE / 2, "call {number}: {waited:?}");
        }
        assert_eq!(SerialComm.waiting().total(), Duration::ZERO);
    }
}
