//! Tests of the program: commands, files, errors, processes, and the structure of its source.
#![allow(clippy::unwrap_used)]

#[path = "../support/kills.rs"]
mod kills;
#[cfg(feature = "mpi")]
#[path = "../support/long.rs"]
mod long;
#[path = "../support/program.rs"]
mod program;

mod architecture;
mod book;
mod broken_scenes;
mod checkpoints;
mod clients;
mod command_line;
mod deformation;
mod energy;
mod factors;
mod faults;
#[cfg(feature = "mpi")]
mod generated;
mod limits;
mod measures;
mod pictures;
mod population;
mod problems;
#[cfg(feature = "mpi")]
mod processes;
mod report;
#[cfg(feature = "mpi")]
mod scaling;
#[cfg(feature = "mpi")]
mod waiting;
mod warnings;
