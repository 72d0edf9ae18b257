//! Polygons and polyhedra: stacks, walls and heaps.

use crate::support::{Dice, GRAVITY, World, bytes, reaction, run};
use nalgebra::{Vector2, Vector3};
use nscdd::contactor::{Grain, Made, Polytope};
use nscdd::dim::{Dim, Orientation, Plane, Space, Vector};
use nscdd::simulation::Simulation;

/// Ten cubes (squares) stacked on each other.
fn tower<X: Dim>(subdomains: u32) -> Simulation<X> {
    let mut world = World::<X>::new(1e-3).subdomains(subdomains).tolerance(1e-7, 1e-4);
    world.floor();
    for i in 0..10 {
        world.cuboid(X::Vector::axis(X::D - 1) * (0.1 + 0.2 * f64::from(i)), X::Vector::from_fn(|_| 0.1));
    }
    world.build()
}

fn tower_stands<X: Dim>(subdomains: u32, steps: usize) {
    let mut simulation = tower::<X>(subdomains);
    let start = simulation.bodies.by_id();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let weight = start.iter().filter(|s| s.motion != 0).map(|s| s.mass).sum::<f64>() * GRAVITY;
    let floor = -reaction(&simulation, 0)[X::D - 1] / simulation.step_length();
    assert!((floor / weight - 1.0).abs() < 1e-3, "floor carries {floor} N of {weight} N");
    for (now, then) in simulation.bodies.by_id().iter().zip(&start) {
        let drift = (now.position - then.position).norm() / 0.2;
        assert!(drift < 1e-6, "body {:?} drifted by {drift:e} of its side", now.id);
    }
}

#[test]
fn a_stack_of_ten_squares_stands_still_for_ten_thousand_steps() {
    tower_stands::<Plane>(1, 10_000);
}

#[test]
fn a_stack_of_ten_cubes_stands_still_for_ten_thousand_steps() {
    tower_stands::<Space>(1, 10_000);
}

#[test]
fn a_stack_cut_into_subdomains_stands_too() {
    tower_stands::<Plane>(4, 2_000);
    tower_stands::<Space>(4, 2_000);
}

/// Twenty courses of bricks in running bond, with half bricks at the ends of every other course.
#[test]
fn a_brick_wall_of_twenty_courses_stands() {
    let mut world = World::<Space>::new(2e-3).subdomains(2).tolerance(1e-4, 0.1);
    world.floor();
    for course in 0..20 {
        let mut x = 0.0;
        let lengths: &[f64] = if course % 2 == 0 { &[0.4; 5] } else { &[0.2, 0.4, 0.4, 0.4, 0.4, 0.2] };
        for length in lengths {
            let half = Vector3::new(0.5 * length, 0.1, 0.05);
            world.cuboid(Vector3::new(x + 0.5 * length, 0.0, 0.05 + 0.1 * f64::from(course)), half);
            x += length;
        }
    }
    let mut simulation = world.build();
    let start = simulation.bodies.by_id();
    run(&mut simulation, 1.0);
    for (now, then) in simulation.bodies.by_id().iter().zip(&start) {
        assert!((now.position - then.position).norm() < 1e-3, "brick {:?} moved", now.id);
    }
}

#[test]
fn prisms_rest_on_all_their_corners() {
    for sides in [6, 8] {
        let (prism, mass) = Polytope::<Space>::prism(sides, 0.5).unwrap();
        let mut world = World::<Space>::new(1e-3).tolerance(1e-6, 1e-3);
        world.floor();
        // The axis of the prism may be any of its principal axes: find it by its height.
        let extent = |k: usize| prism.vertices.iter().map(|v| v[k]).fold(0.0, f64::max);
        let axis = (0..3).find(|&k| (extent(k) - 0.25).abs() < 1e-12).unwrap();
        let upright = Space::pointing(Vector3::z()).times(&to_first::<Space>(axis));
        for level in [0.25, 0.75] {
            let id = world.block(Vector3::z() * level, &prism, mass, 1.0);
            world.state(id).orientation = upright;
        }
        let mut simulation = world.build();
        let report = simulation.step().unwrap();
        assert_eq!(report.certificate.contacts, 2 * sides as u64, "{sides} sides");
        run(&mut simulation, 0.2);
        for state in simulation.bodies.by_id().iter().filter(|s| s.motion != 0) {
            assert!(state.velocity.norm() < 1e-6 && state.spin.norm() < 1e-6);
        }
    }
}

/// Orientation that rotates axis `k` to the first axis.
fn to_first<X: Dim>(k: usize) -> X::Orientation {
    let quarter = std::f64::consts::FRAC_PI_2;
    match k {
        0 => X::Orientation::identity(),
        1 => X::Orientation::identity().turned(X::Spin::axis(2) * -quarter),
        _ => X::Orientation::identity().turned(X::Spin::axis(1) * quarter),
    }
}

/// `count` falling grains on a loose lattice over a box, in random orientations.
fn grains<X: Dim>(count: u32, subdomains: u32, make: impl Fn(u64) -> Made<X>) -> World<X> {
    let mut world = World::<X>::new(1e-3).subdomains(subdomains).tolerance(1e-3, 0.3);
    world.plan.solver.max_sweeps = 3000;
    let side = if X::R == 1 { 20 } else { 6u32 };
    world.open_box(0.21 * f64::from(side));
    let mut dice = Dice(17);
    for i in 0..count {
        let index = |k: u32| if k + 1 == X::D as u32 { i / side.pow(k) } else { i / side.pow(k) % side };
        let place = X::Vector::from_fn(|k| 0.105 + 0.21 * f64::from(index(k as u32)));
        let (polytope, mass) = make(u64::from(i % 7)).unwrap();
        let id = world.block(place, &polytope, mass, 0.1);
        let turn = X::Spin::from_fn(|_| 3.0 * dice.roll());
        let state = world.state(id);
        state.orientation = state.orientation.turned(turn);
        state.velocity = X::Vector::axis(X::D - 1) * -1.0;
    }
    world
}

/// Checks that all bodies end nearly at rest inside the box; returns the maximum overlap on the way.
fn settles<X: Dim>(world: World<X>, time: f64) -> f64 {
    let mut simulation = world.build();
    let (mut deepest, mut active) = (0.0f64, 0);
    for report in run(&mut simulation, time) {
        deepest = deepest.max(report.totals.max_penetration);
        active = report.certificate.active;
        assert!(report.certificate.converged, "step {}", report.step);
    }
    let free = || simulation.bodies.states().iter().filter(|s| s.motion != 0);
    let speed = free().map(|s| s.velocity.norm()).sum::<f64>() / free().count() as f64;
    println!("deepest {deepest:.1e}, {active} active contacts, mean speed {speed:.3} m/s");
    assert!(speed < 0.05, "still moving at {speed} m/s");
    assert!(active as usize > free().count());
    assert!(free().all(|s| (0..X::D).all(|k| s.position[k] > 0.05)), "a grain left the box");
    deepest
}

#[test]
fn five_hundred_pentagons_settle_with_overlaps_below_a_hundredth() {
    let deepest = settles(grains::<Plane>(500, 2, |_| Polytope::<Plane>::regular(5)), 1.2);
    assert!(deepest < 0.01, "overlap of {deepest} of the inner radius");
}

#[test]
fn three_hundred_polyhedra_settle_with_overlaps_below_a_fiftieth() {
    // An edge that slips past another within a step overlaps by as much as they move in it: 0.006 to 0.012 over four
    // packings, the same with a tenth of the tolerance, and 0.003 to 0.004 with half the step.
    let grain = Grain { corners: 12, aspect: 0.8, irregularity: 0.3 };
    let deepest = settles(grains::<Space>(300, 2, |seed| grain.polyhedron(seed)), 0.8);
    assert!(deepest < 0.02, "overlap of {deepest} of the inner radius");
}

#[test]
fn polygons_and_polyhedra_give_the_same_bits_on_one_and_two_threads_in_any_order() {
    fn agree<X: Dim>(world: impl Fn() -> World<X>) {
        let result = |world: World<X>, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut simulation = world.build();
                run(&mut simulation, 0.25);
                bytes(&simulation)
            })
        };
        let mut reversed = world();
        reversed.states.reverse();
        assert!(result(world(), 1) == result(reversed, 2));
    }
    let grain = Grain { corners: 10, aspect: 0.8, irregularity: 0.3 };
    agree(|| grains::<Plane>(120, 8, |_| Polytope::<Plane>::regular(5)));
    agree(|| grains::<Space>(120, 8, |seed| grain.polyhedron(seed)));
}

#[test]
fn a_pentagon_dropped_on_its_corner_falls_on_a_side() {
    let mut world = World::<Plane>::new(1e-3).tolerance(1e-6, 1e-3);
    world.floor();
    let (pentagon, mass) = Polytope::<Plane>::regular(5).unwrap();
    let id = world.block(Vector2::new(0.0, 0.12), &pentagon, mass, 0.1);
    world.state(id).orientation = nscdd::dim::Angle(-std::f64::consts::FRAC_PI_2 + 0.05);
    let mut simulation = world.build();
    run(&mut simulation, 2.0);
    let body = simulation.bodies.find(id).unwrap();
    let inner = 0.1 * (std::f64::consts::PI / 5.0).cos();
    assert!((body.position.y - inner).abs() < 1e-4, "rests at {} for {inner}", body.position.y);
    assert!(body.velocity.norm() < 1e-6);
}
