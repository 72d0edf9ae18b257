//! Files in and out: scenes, histories, frames, final states, summaries; and what a person sees meanwhile.

pub mod columns;
pub mod final_state;
pub mod folder;
pub mod frame;
pub mod generate;
pub mod history;
mod outline;
pub mod progress;
pub mod scene;
pub mod setup;
mod stand_in;
pub mod summary;
pub mod timing;
pub mod vtkhdf;
