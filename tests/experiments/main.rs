//! Experiments of the founding papers and laws of granular physics, run by the program on its scenes, with assertions.
//! They take minutes each: `./test --long` runs them, plain `cargo test` does not. docs/gallery/ shows them in detail.
#![allow(clippy::unwrap_used)]

#[path = "../support/kills.rs"]
mod kills;
#[path = "../support/program.rs"]
mod program;

mod arena;
mod beads;
mod biaxial;
mod collapse;
mod column;
mod decomposition;
mod flow;
mod fracture;
mod heavy;
mod indeterminacy;
mod packing;
mod quake;
mod rest;
mod retaining_wall;
mod runs;
mod sandbox;
