//! The experiments of the founding papers and laws of the physics of grains, by the program and its scenes, with assertions.
//! Minutes each: `./test --long` runs them, plain `cargo test` does not. docs/gallery/ shows the same at length.
#![allow(clippy::unwrap_used)]

#[path = "../support/kills.rs"]
mod kills;
#[path = "../support/program.rs"]
mod program;

mod arena;
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
