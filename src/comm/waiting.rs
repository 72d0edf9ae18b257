//! Time that a process spends blocked in communication.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Wall time that this process has spent blocked in the calls of a communicator; clones share the clock. By default there
/// is no clock, and no memory for one.
#[derive(Clone, Debug, Default)]
pub struct WaitingTime(Option<Arc<AtomicU64>>);

impl WaitingTime {
    /// A clock that stands at zero.
    #[cfg(any(feature = "mpi", test))]
    pub(super) fn at_zero() -> Self {
        Self(Some(Arc::default()))
    }

    /// The time since the communicator was created; zero without a clock.
    pub fn total(&self) -> Duration {
        self.0.as_ref().map_or(Duration::ZERO, |nanos| Duration::from_nanos(nanos.load(Ordering::Relaxed)))
    }

    /// Adds to it.
    #[cfg(any(feature = "mpi", test))]
    pub(super) fn add(&self, time: Duration) {
        if let Some(nanos) = &self.0 {
            nanos.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        }
    }
}
