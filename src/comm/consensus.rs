//! Exchange of messages by nonblocking consensus (T. Hoefler, C. Siebert and A. Lumsdaine 2010): nobody knows who will
//! send to it, and nothing has the length of the number of processes.
//!
//! Sends are synchronous: one is complete when its message is being received. A process whose sends are complete enters
//! a barrier, and goes on receiving. When all have entered, there is nothing left to receive.

use mpi::Rank;
use mpi::request::multiple_scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Destination, MatchedReceiveVec, Source};

/// Collective. Sends pieces of messages to other processes and passes on those received, with the rank of the sender:
/// those of one sender in their order.
pub(super) fn exchange<'a>(
    world: &SimpleCommunicator,
    tag: i32,
    pieces: impl Iterator<Item = (usize, &'a [u8])>,
    mut receive: impl FnMut(usize, Vec<u8>),
) {
    multiple_scope(0, |scope, sends| {
        for (rank, piece) in pieces {
            sends.add(world.process_at_rank(rank as Rank).immediate_synchronous_send_with_tag(scope, piece, tag));
        }
        let mut sent = Vec::new();
        let mut barrier = None;
        loop {
            if let Some(found) = world.any_process().immediate_matched_probe_with_tag(tag) {
                let (piece, status) = found.matched_receive_vec();
                receive(status.source_rank() as usize, piece);
            }
            barrier = match barrier {
                None => sends.test_all(&mut sent).then(|| world.immediate_barrier()),
                Some(request) => match request.test() {
                    Ok(_) => break,
                    Err(pending) => Some(pending),
                },
            };
        }
    });
}
