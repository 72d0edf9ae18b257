//! Files in and out: scenes, histories, frames, final states, summaries; and what a person sees meanwhile.

pub mod columns;
pub mod final_state;
pub mod folder;
pub mod frame;
pub mod generate;
pub mod history;
pub mod memory;
mod outline;
pub mod progress;
pub mod scene;
pub mod setup;
pub mod share;
mod stand_in;
pub mod starting;
pub mod summary;
pub mod timing;
pub mod vtkhdf;
