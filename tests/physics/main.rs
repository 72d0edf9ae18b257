//! Tests of the library against known physics. A single test program, since each one links the whole library.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

#[path = "../support/long.rs"]
mod long;

#[path = "../support/program.rs"]
#[allow(dead_code)]
mod program;

mod acd2;
mod allocations;
mod blocks;
mod certificate;
mod coupling;
mod deformable;
mod deformable_biaxial;
mod deformable_buildings;
mod deformable_files;
mod deformable_hertz;
mod deformable_impact;
mod deformable_loads;
mod deformable_mixed;
mod deformable_momentum;
mod deformable_patch;
mod deformable_restored;
mod deformable_rigid_limit;
mod deformable_self_contact;
mod deformable_sweeps;
mod energy;
mod exact_facts_many_bodies;
mod exact_facts_one_body;
mod impacts;
mod inconsistency;
mod inconsistency_few;
mod laws;
mod laws_area;
mod laws_cohesive;
mod laws_friction;
mod laws_scenes;
mod laws_soft;
mod links;
mod masonry;
mod measures;
mod membranes;
mod meshed;
mod meshed_sliding;
mod periodic;
mod population;
mod problem_alone;
mod processes;
mod rocking;
mod rolling;
mod same_bits;
mod scenes;
mod shapes;
mod subdomains;
