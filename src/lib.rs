//! Nonsmooth contact dynamics with domain decomposition.

pub mod contactor;
pub mod dim;
pub mod domain;
pub mod error;
pub mod integrator;
pub mod interaction;
pub mod io;
pub mod law;
pub mod model;
pub mod solver;
pub mod state;
pub mod strategy;
