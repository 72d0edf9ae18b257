//! Exchange of messages: every process sends to those for which it has something, and receives from whoever has
//! something for it.

use super::{Comm, Message, MessageItem, Writer};

/// The messages of an exchange, in buffers that are kept for the next.
#[derive(Default)]
pub struct Exchange {
    out: Vec<Message>,
    received: Vec<Message>,
}

impl Exchange {
    /// Discards what has been written.
    pub fn begin(&mut self) -> &mut Self {
        self.out.iter_mut().for_each(|message| message.contents.0.clear());
        self
    }

    /// The message to process `rank`.
    pub fn to(&mut self, rank: usize) -> &mut Writer {
        let place = match self.out.binary_search_by_key(&rank, |message| message.rank) {
            Ok(place) => place,
            Err(place) => {
                self.out.insert(place, Message { rank, contents: Writer::default() });
                place
            }
        };
        &mut self.out[place].contents
    }

    /// Collective. Sends the messages that are not empty, and returns those received, in rank order.
    pub fn swap(&mut self, comm: &dyn Comm) -> &[Message] {
        comm.exchange(&mut self.out, &mut self.received);
        &self.received
    }

    /// Collective. The same for messages of items: returns the items received, in rank order.
    pub fn swap_items<T: MessageItem>(mut self, comm: &dyn Comm) -> Vec<T> {
        self.swap(comm).iter().flat_map(|message| message.reader().read_all()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::thread_comms;

    #[test]
    fn messages_arrive_as_written_in_every_exchange() {
        let exchange_rounds = |comm: &dyn Comm| {
            let mut exchange = Exchange::default();
            let mut received = Vec::new();
            for round in 0..4u64 {
                exchange.begin();
                for to in 0..comm.size() {
                    let message = exchange.to(to);
                    (0..=round).for_each(|_| message.u64(100 * round + 10 * comm.rank() as u64 + to as u64));
                }
                received.extend(exchange.swap(comm).iter().map(|message| {
                    let bytes = &message.contents.0;
                    (message.rank as u64, bytes.len() as u64, bytes[0] as u64)
                }));
            }
            received
        };
        for (rank, received) in (0..).zip(thread_comms(3, exchange_rounds)) {
            let expected = (0..4u64).flat_map(|round| {
                (0..3).map(move |from| (from, 8 * (round + 1), (100 * round + 10 * from + rank) % 256))
            });
            assert!(received.into_iter().eq(expected), "{rank}");
        }
    }

    #[test]
    fn messages_without_contents_are_not_sent() {
        let ring = |comm: &dyn Comm| {
            let mut exchange = Exchange::default();
            exchange.to(0).u64(1);
            exchange.begin().to((comm.rank() + 1) % comm.size()).u64(comm.rank() as u64);
            exchange.to(comm.rank());
            exchange.swap(comm).iter().map(|message| (message.rank, message.reader().u64())).collect::<Vec<_>>()
        };
        assert_eq!(thread_comms(3, ring), [[(2, 2)], [(0, 0)], [(1, 1)]]);
    }
}
