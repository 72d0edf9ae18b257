//! The communicator of a single process: every operation is local.

use super::{Comm, HaloExchange, Message, PendingReduction};

/// The only process.
#[derive(Clone, Copy, Debug, Default)]
pub struct SerialComm;

impl partitioning::Reduce for SerialComm {
    fn sum(&self, _: &mut [u64]) {}
    fn min(&self, _: &mut [f64]) {}
    fn max(&self, _: &mut [f64]) {}
}

impl Comm for SerialComm {
    fn rank(&self) -> usize {
        0
    }
    fn size(&self) -> usize {
        1
    }
    fn exchange(&self, out: &mut [Message], into: &mut Vec<Message>) {
        into.resize_with(out.len(), Message::default);
        out.swap_with_slice(into);
        into.retain(|message| !message.is_empty());
    }
    fn all_gather(&self, own: Vec<u8>) -> Vec<Vec<u8>> {
        vec![own]
    }
    fn broadcast(&self, own: Vec<u8>) -> Vec<u8> {
        own
    }
    fn post(&self, _: &mut HaloExchange) {}
    fn complete(&self, _: &mut HaloExchange) {}
    fn begin_sum(&self, _: &mut PendingReduction) {}
    fn end_sum(&self, _: &mut PendingReduction) {}
    fn abort(&self, code: i32) -> ! {
        std::process::exit(code)
    }
}
