//! Rows in file order: bodies and contact records, sorted by id, whichever processes own them.
//!
//! Files do not depend on the number of processes. Ids are cut into ranges, one per process ([`IdRanges`]); rows are
//! sent to the process of their range in chunks, merged there in order, and written by all processes together.

pub(crate) mod chunk;
pub(crate) mod id_ranges;
pub(crate) mod packed_runs;
pub(crate) mod partition;
pub(crate) mod redistribution;
pub(crate) mod sorted_runs;
pub(crate) mod source;

pub use chunk::RowChunk;
pub use id_ranges::{IdRanges, before};
pub use partition::RowPartition;
pub use redistribution::{RowRedistribution, has_idle_core};
pub use sorted_runs::IdIndex;
