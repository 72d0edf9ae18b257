//! A communicator whose processes are threads, for tests of collective functions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Barrier, Mutex};

use super::timed::TimedComm;
use super::{Comm, HaloExchange, Message, PendingReduction, Reader, Writer};

/// The messages of each process.
type MessageBoard = Mutex<Vec<Vec<Message>>>;

struct ThreadComm {
    rank: usize,
    size: usize,
    barrier: Arc<Barrier>,
    board: Arc<MessageBoard>,
}

/// Runs `work` as each of `size` processes and returns the results in rank order. A process that panics ends the test,
/// because the others would wait for it forever.
pub(crate) fn thread_comms<T: Send>(size: usize, work: impl Fn(&dyn Comm) -> T + Sync) -> Vec<T> {
    let barrier = Arc::new(Barrier::new(size));
    let board = Arc::new(Mutex::new(vec![Vec::new(); size]));
    let run = |rank: usize| {
        let comm = ThreadComm { rank, size, barrier: Arc::clone(&barrier), board: Arc::clone(&board) };
        let comm = TimedComm::new(comm);
        catch_unwind(AssertUnwindSafe(|| work(&comm))).unwrap_or_else(|_| std::process::exit(101))
    };
    let run = &run;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..size).map(|rank| scope.spawn(move || run(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

impl ThreadComm {
    /// The messages of all processes, in rank order.
    fn gather(&self, write: impl FnOnce(&mut Writer)) -> Vec<Vec<u8>> {
        let mut message = Writer::default();
        write(&mut message);
        self.all_gather(message.0)
    }

    fn fold(&self, values: &mut [f64], choose: fn(f64, f64) -> f64) {
        for message in self.gather(|message| values.iter().for_each(|value| message.write(value))) {
            let mut read = Reader(&message);
            values.iter_mut().for_each(|value| *value = choose(*value, read.read()));
        }
    }
}

impl partitioning::Reduce for ThreadComm {
    fn sum(&self, values: &mut [u64]) {
        let all = self.gather(|message| values.iter().for_each(|&value| message.u64(value)));
        values.fill(0);
        for message in all {
            let mut read = Reader(&message);
            values.iter_mut().for_each(|value| *value = value.wrapping_add(read.u64()));
        }
    }
    fn min(&self, values: &mut [f64]) {
        self.fold(values, f64::min);
    }
    fn max(&self, values: &mut [f64]) {
        self.fold(values, f64::max);
    }
}

impl Comm for ThreadComm {
    fn rank(&self) -> usize {
        self.rank
    }
    fn size(&self) -> usize {
        self.size
    }
    fn exchange(&self, out: &mut [Message], into: &mut Vec<Message>) {
        self.board.lock().unwrap()[self.rank] = out.iter_mut().map(std::mem::take).collect();
        self.barrier.wait();
        into.clear();
        for (from, sent) in self.board.lock().unwrap().iter_mut().enumerate() {
            let own = sent.iter_mut().filter(|message| message.rank == self.rank && !message.is_empty());
            into.extend(own.map(|message| Message { rank: from, contents: std::mem::take(&mut message.contents) }));
        }
        self.barrier.wait();
    }
    fn all_gather(&self, own: Vec<u8>) -> Vec<Vec<u8>> {
        let message = |rank| Message { rank, contents: Writer(own.clone()) };
        let mut received = Vec::new();
        self.exchange(&mut (0..self.size).map(message).collect::<Vec<_>>(), &mut received);
        received.into_iter().map(|message| message.contents.0).collect()
    }
    fn broadcast(&self, own: Vec<u8>) -> Vec<u8> {
        self.all_gather(own).swap_remove(0)
    }
    fn post(&self, halo: &mut HaloExchange) {
        assert!(halo.peers.is_empty(), "these ranks exchange no messages");
    }
    fn complete(&self, _: &mut HaloExchange) {}
    fn begin_sum(&self, reduction: &mut PendingReduction) {
        partitioning::Reduce::sum(self, &mut reduction.values);
    }
    fn end_sum(&self, _: &mut PendingReduction) {}
    fn abort(&self, code: i32) -> ! {
        std::process::exit(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_exchange_what_processes_would() {
        let received = thread_comms(3, |comm| {
            let rank = comm.rank() as u8;
            let mut sum = [comm.rank() as u64, 10];
            comm.sum(&mut sum);
            let mut most = [f64::from(rank)];
            comm.max(&mut most);
            (comm.all_gather(vec![rank]), comm.broadcast(vec![rank]), sum, most)
        });
        for received in &received {
            assert_eq!(*received, ((0..3).map(|from| vec![from]).collect(), vec![0], [3, 30], [2.0]));
        }
    }
}
