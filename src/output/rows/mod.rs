//! TODO output::rows

pub(crate) mod chunk;
pub(crate) mod id_ranges;
pub(crate) mod packed_runs;
pub(crate) mod redistribution;
pub(crate) mod sorted_runs;
pub(crate) mod source;

pub use chunk::RowChunk;
pub use id_ranges::{IdRanges, RowPartition, before};
pub use redistribution::{RowRedistribution, has_help};
pub use sorted_runs::IdIndex;
