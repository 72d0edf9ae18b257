//! Output of a run: history, checkpoints, frames, contact problems, summary; and reading them back.

pub mod schedule;

pub mod checkpoint;
pub mod columns;
pub mod fclib;
pub mod folder;
pub(crate) mod force_chains;
pub mod frame;
pub mod history;
#[allow(unsafe_code)] // The HDF5 calls that transfer rows; each has its SAFETY argument.
pub(crate) mod hyperslab;
pub mod machine;
pub mod memory;
mod nodal_pressure;
pub(crate) mod outline;
pub mod ranks;
pub mod rows;
pub mod summary;
pub mod vtkhdf;

pub use force_chains::ForceChainLink;
