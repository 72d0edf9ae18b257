//! Checkpoints: everything a run needs to go on, in one HDF5 file that anyone can read.
//!
//! The file is written by all processes together, rows sorted by id, so that its bytes do not depend on how many there
//! are. `final.h5` is such a file too. Random numbers need no place in it: they depend on seeds in the scene and on ids
//! alone. The format is described in `docs/checkpoints.md`.

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

/// Version of the format; readers refuse others.
pub const FORMAT: u64 = 6;
