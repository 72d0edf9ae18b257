//! Nonsmooth contact dynamics (NSCD) of rigid bodies with domain decomposition.
//!
//! Collections of bodies with unilateral contact, Coulomb friction and impact, by the Contact Dynamics method of
//! Moreau and Jean: an implicit time-stepping scheme in which all contacts of a step are solved together by
//! nonlinear Gauss-Seidel sweeps. Space is cut into subdomains; each detects and sweeps its own contacts, and
//! bodies that several subdomains hold are reconciled after every half-sweep.
//!
//! # One idea
//! The subdomain is the unit of everything: the set of contacts solved together, the cache-sized block, the task
//! of a thread, the party to an exchange. Their number belongs to the scene, never to the machine, and where a
//! subdomain is computed changes nothing in what it computes. So the same scene gives the same bits on any number
//! of threads.
//!
//! # One direction
//! A module uses only modules to its left (a test holds that):
//!
//! ```text
//! pages -> list -> error -> dim -> comm -> state -> contactor -> law -> model -> integrator -> interaction -> solver -> domain -> io -> post -> picture -> strategy -> report -> scale -> cli
//! ```
//!
//! | module | what it is |
//! |---|---|
//! | [`pages`] | large pieces of memory in huge pages |
//! | [`list`] | lists of numbers that take turns in the same memory |
//! | [`error`] | what can go wrong, and exit codes |
//! | [`dim`] | two dimensions or three: vectors, spins, orientations; nothing else knows the difference |
//! | [`comm`] | processes and their messages; sums that no order can change; nothing else knows MPI |
//! | [`state`] | all that outlives a step: a row of bytes per body, and the impulses of contacts |
//! | [`contactor`] | shapes: a closed enum, with exact mass properties |
//! | [`law`] | interaction laws: a trait, one file a law, each reduced to one small record |
//! | [`model`] | shapes, materials, laws, loads and prescribed motions together |
//! | [`integrator`] | the theta scheme: free motion, and the update |
//! | [`interaction`] | rough and fine detection |
//! | [`solver`] | the contact problem of one subdomain as a value, its sweeps and its certificate |
//! | [`domain`] | what exists because there is more than one subdomain |
//! | [`io`] | scenes in; history, frames, final state and summary out |
//! | [`picture`] | pictures of a moment: marks in the plane, rays in space |
//! | [`post`] | measures of the bodies and contacts of a moment: stress, fabric, profiles; as tables and plots |
//! | [`strategy`] | the step on one page, and the run |
//! | [`report`] | a whole run as one page for a browser |
//! | [`scale`] | runs on more and more processes: tables, a model, predictions |
//! | [`cli`] | the command line |
//!
//! # One step
//! [`strategy::Simulation::step`] walks the modules once: *predict* the free motion, *detect* contacts at
//! mid-step, *assemble* a problem for every subdomain, *solve* them together until the certificate holds,
//! *update* states and remember impulses.

// These panic where their reader has gone away: `cli::print` and `error::say` do not.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod cli;
pub mod comm;
pub mod contactor;
pub mod dim;
pub mod domain;
pub mod error;
pub mod integrator;
pub mod interaction;
pub mod io;
pub mod law;
pub mod list;
pub mod model;
pub mod pages;
pub mod picture;
pub mod post;
pub mod report;
pub mod scale;
pub mod solver;
pub mod state;
pub mod strategy;
