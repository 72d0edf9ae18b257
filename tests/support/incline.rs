//! A block of any shape on a slope: its sliding and toppling.

use nscdd::contactor::Polytope;
use nscdd::dim::{Dim, Orientation, Vector};
use nscdd::law::Coulomb;

use super::{World, run};

/// Adds a block that stands on the horizontal plane through the origin to a world; returns its id.
pub trait Stand<X: Dim>: Fn(&mut World<X>) -> u64 {}
impl<X: Dim, F: Fn(&mut World<X>) -> u64> Stand<X> for F {}

/// A box of the given width (along every horizontal axis) and height.
pub fn cuboid<X: Dim>(width: f64, height: f64) -> impl Stand<X> {
    move |world| {
        let half = X::Vector::from_fn(|k| if k == X::D - 1 { 0.5 * height } else { 0.5 * width });
        world.cuboid(X::Vector::axis(X::D - 1) * (0.5 * height), half)
    }
}

/// Convex body with these corners; its lowest corners are level with the origin.
pub fn corners<X: Dim>(corners: Vec<X::Vector>) -> impl Stand<X> {
    move |world| {
        let (polytope, mass) = Polytope::convex(&corners).unwrap();
        let id = world.block(mass.centre, &polytope, mass, 1.0);
        world.state(id).orientation = mass.orientation;
        id
    }
}

/// Acceleration down the incline of a block that starts at rest and is given time to settle.
pub fn acceleration<X: Dim>(block: &impl Stand<X>, slope: f64, friction: f64, subdomains: u32) -> f64 {
    let mut world =
        World::<X>::new(1e-3).tilted(slope.atan()).law(Coulomb { friction, rolling: 0.0 }).subdomains(subdomains);
    world.floor();
    let block = block(&mut world);
    let mut simulation = world.build();
    let start = *simulation.bodies.find(block).unwrap();
    run(&mut simulation, 0.1);
    let before = simulation.bodies.find(block).unwrap().velocity[0];
    run(&mut simulation, 0.5);
    let body = simulation.bodies.find(block).unwrap();
    assert!((body.position - start.position)[X::D - 1].abs() < 1e-9, "the block left the plane");
    (body.velocity[0] - before) / 0.5
}

/// Returns true if the block topples on a slope on which it cannot slide.
pub fn topples<X: Dim>(block: &impl Stand<X>, slope: f64, subdomains: u32) -> bool {
    let mut world =
        World::<X>::new(2e-3).tilted(slope.atan()).law(Coulomb { friction: 5.0, rolling: 0.0 }).tolerance(1e-6, 1e-4);
    world = world.subdomains(subdomains);
    world.floor();
    let block = block(&mut world);
    let mut simulation = world.build();
    let up = X::Vector::axis(X::D - 1);
    let own_up = simulation.bodies.find(block).unwrap().orientation.unrotate(up);
    run(&mut simulation, 1.0);
    // Half a degree: at the critical slope toppling starts slowly, but is not reversed.
    simulation.bodies.find(block).unwrap().orientation.rotate(own_up)[X::D - 1] < 0.9999
}
