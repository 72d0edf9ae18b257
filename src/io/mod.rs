//! Files in and out: scenes, histories, frames, checkpoints, summaries; and what a person sees meanwhile.

pub mod boundaries;
pub mod checkpoint;
pub mod columns;
mod crowd;
pub mod fclib;
pub mod folder;
pub mod frame;
pub mod generate;
mod halt;
pub mod history;
mod linking;
pub mod machine;
pub mod memory;
mod outline;
pub mod progress;
pub mod ranks;
pub mod restore;
pub mod scene;
pub mod schedule;
pub mod setup;
pub mod share;
#[allow(unsafe_code)] // The calls of HDF5 that move rows; each with its argument.
mod slab;
mod stand_in;
pub mod starting;
pub mod summary;
pub mod timing;
pub mod vtkhdf;
pub mod warnings;
