//! Time that a process spends blocked in communication.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Wall time that this process has spent blocked in the calls of a communicator; clones share the clock.
#[derive(Clone, Debug, Default)]
pub struct WaitingTime(Arc<AtomicU64>);

impl WaitingTime {
    /// The time since the communicator was created.
    pub fn total(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }

    /// Adds to it.
    #[cfg(any(feature = "mpi", test))]
    pub(super) fn add(&self, time: Duration) {
        self.0.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }
}
