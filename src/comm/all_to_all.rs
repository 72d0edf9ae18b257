//! Reusable buffers for messages between all processes.

use super::{Comm, Writer};

/// Message buffers: one to and one from each process.
#[derive(Default)]
pub struct AllToAll {
    out: Vec<Writer>,
    sent: Vec<Vec<u8>>,
    received: Vec<Vec<u8>>,
}

impl AllToAll {
    /// Returns an empty message to each of `size` processes.
    pub fn begin(&mut self, size: usize) -> &mut [Writer] {
        self.out.resize_with(size, Writer::default);
        self.out.iter_mut().for_each(|message| message.0.clear());
        &mut self.out
    }

    /// Collective. Sends the messages and returns those received, in rank order.
    pub fn swap(&mut self, comm: &dyn Comm) -> &[Vec<u8>] {
        self.sent.resize_with(self.out.len(), Vec::new);
        self.sent.iter_mut().zip(&mut self.out).for_each(|(sent, message)| std::mem::swap(sent, &mut message.0));
        comm.exchange(&mut self.sent, &mut self.received);
        &self.received
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::thread_comms;

    #[test]
    fn messages_arrive_as_written_in_every_exchange() {
        let exchange_rounds = |comm: &dyn Comm| {
            let mut buffers = AllToAll::default();
            let mut received = Vec::new();
            for round in 0..4u64 {
                for (to, message) in (0..).zip(buffers.begin(comm.size())) {
                    (0..=round).for_each(|_| message.u64(100 * round + 10 * comm.rank() as u64 + to));
                }
                received.extend(buffers.swap(comm).iter().map(|bytes| (bytes.len() as u64, bytes[0] as u64)));
            }
            received
        };
        for (rank, received) in (0..).zip(thread_comms(3, exchange_rounds)) {
            let expected = (0..4u64)
                .flat_map(|round| (0..3).map(move |from| (8 * (round + 1), (100 * round + 10 * from + rank) % 256)));
            assert!(received.into_iter().eq(expected), "{rank}");
        }
    }
}
