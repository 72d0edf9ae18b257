//! Nonsmooth contact dynamics (NSCD) of rigid and deformable bodies with domain decomposition.
//!
//! Simulates collections of bodies with unilateral contact, Coulomb friction and impact by the Contact Dynamics method
//! of Moreau and Jean: an implicit time-stepping scheme in which nonlinear Gauss-Seidel (NLGS) sweeps solve all
//! contacts of a step together. Space is cut into subdomains; each detects and sweeps its own contacts, and bodies
//! shared by several subdomains are reconciled after every half-sweep.
//!
//! # One idea
//! The subdomain is the unit of computation: the set of contacts solved together, the cache-sized block, the task of a
//! thread, the partner of an exchange. The number of subdomains belongs to the scene, never to the machine, and the
//! place where a subdomain is computed does not change its result. The same scene therefore gives the same bits on any
//! number of threads.
//!
//! # One direction
//! A module uses only modules to its left; `tests/program/architecture.rs` enforces it:
//!
//! ```text
//! base -> dim -> comm -> contactor -> body -> fem -> law -> model -> integrator -> interaction -> solver -> domain -> population -> simulation -> output -> generate -> scene -> graphics -> measure -> picture -> report -> scale -> run -> cli
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`base`] | errors and exit codes, index types, scratch memory, exact sums, random numbers |
//! | [`dim`] | two or three dimensions: vectors, spins, orientations; nothing else distinguishes them |
//! | [`comm`] | communicators and message exchange; nothing else calls MPI |
//! | [`contactor`] | shapes: a closed enum with exact mass properties |
//! | [`body`] | the state of a body: one row of bytes |
//! | [`fem`] | finite elements: meshes, elements, elastic operators |
//! | [`law`] | interaction laws: a trait, one file per law, each reduced to one small record |
//! | [`model`] | shapes, materials, laws, links, prescribed motions, periodic cell, membranes |
//! | [`integrator`] | the theta scheme: predicted motion and update |
//! | [`interaction`] | contact detection (broad and narrow phase) and the contact history |
//! | [`solver`] | the contact problem of one subdomain as a value, its sweeps and its certificate |
//! | [`domain`] | domain decomposition: cuts, placement, ownership, ghosts, interface |
//! | [`population`] | feeds, sinks, removals, stop conditions |
//! | [`simulation`] | the step on one page and its report |
//! | [`output`] | checkpoints, frames, history, contact problems, summary |
//! | [`generate`] | packings, masonry, arches, columns |
//! | [`scene`] | scene files: keys, checks, messages; from a scene to a simulation |
//! | [`graphics`] | one SVG writer, charts, an embedded font; PNG and PDF |
//! | [`measure`] | stress, fabric, forces, profiles, as tables and plots |
//! | [`picture`] | pictures of bodies and forces: vector graphics in 2D, ray casting in 3D |
//! | [`report`] | a run as one HTML page |
//! | [`scale`] | scaling studies: tables, a performance model, predictions |
//! | [`run`] | the time loop with its schedules; resuming |
//! | [`cli`] | the command line |
//!
//! # One step
//! [`simulation::Simulation::step`] calls each module once: it *predicts* the free motion, *detects* contacts at
//! mid-step, *assembles* a contact problem for every subdomain, *solves* them together until the certificate holds,
//! *updates* the states and stores the contact history.

// These macros panic on a closed pipe; `cli::print` and `error::say` do not.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod base;
pub mod body;
pub mod cli;
pub mod comm;
pub mod contactor;
pub mod dim;
pub mod domain;
pub mod fem;
pub mod generate;
pub mod graphics;
pub mod integrator;
pub mod interaction;
pub mod law;
pub mod measure;
pub mod model;
pub mod output;
pub mod picture;
pub mod population;
pub mod report;
pub mod run;
pub mod scale;
pub mod scene;
pub mod simulation;
pub mod solver;
