//! Checkpoints: everything a run needs to continue, in one HDF5 file that other programs can read.
//!
//! All processes write the file together, with rows sorted by id, so that its bytes do not depend on their number.
//! `final.h5` has the same format. The state of random numbers is not stored: they depend only on the seeds in the
//! scene, on ids and numbers of added bodies, and on steps. `docs/checkpoints.md` describes the format.

mod compare;
mod definitions;
mod read;
mod rows;
mod set;
mod warnings;
mod write;

pub use compare::{Difference, compare};
pub use read::{CheckpointFacts, Restored, facts, read};
pub use set::{Checkpoints, candidates, failed_path, final_path};
pub use write::{CheckpointContent, write};

/// Version of the format; readers refuse all others.
pub const FORMAT: u64 = 9;
