//! Periodic cells: the position of the faces does not affect the physics.

use std::path::Path;

use crate::scenes::load;
use crate::support::{Dice, World, bytes, flat, run};
use nscdd::cli::plan;
use nscdd::contactor::Bounds;
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::Coulomb;
use nscdd::model::{Cell, Shear};
use nscdd::scene::Scene;
use nscdd::scene::setup::setup;
use nscdd::simulation::Simulation;

/// A cell of edge one with its lower corner at the origin.
fn unit<X: Dim>(rate: f64) -> Cell<X> {
    let shear = (rate != 0.0).then_some(Shear { along: 0, across: X::D - 1, rate });
    let bounds = Bounds { min: X::Vector::zero(), max: X::Vector::from_fn(|_| 1.0) };
    Cell { bounds, repeats: [true; 3], shear }
}

/// Two bodies about to collide, shifted by `way` and carried by the shear flow, their velocities relative to it
/// multiplied by `speed`: their motion afterwards, relative to the flow.
fn collision<X: Dim>(
    angular: bool,
    speed: f64,
    way: X::Vector,
    rate: f64,
    subdomains: u32,
) -> Vec<(X::Vector, X::Spin)> {
    let mut world = World::<X>::new(1e-3).weightless().subdomains(subdomains).tolerance(1e-14, 1e-7);
    if angular && speed > 1.0 {
        // Fast boxes meet at several points, and friction there has more than one solution.
        world = world.law(Coulomb { friction: 0.0, rolling: 0.0 });
    }
    let cell = unit::<X>(rate);
    let middle = X::Vector::from_fn(|_| 0.5);
    for (place, velocity) in
        [(flat::<X>(-0.08, -0.05), flat::<X>(2.0, 0.3)), (flat::<X>(0.05, 0.1), flat::<X>(-1.0, -2.0))]
    {
        let point = middle + place + way;
        let home = cell.home(point, 0.0);
        let place = point + cell.shift(home, 0.0);
        let id = match angular {
            true => world.cuboid(place, X::Vector::from_fn(|k| 0.05 + 0.01 * k as f64)),
            false => world.ball(place, 0.06),
        };
        let state = world.state(id);
        state.velocity = velocity * speed + cell.flow(place);
        let turning = if velocity[0] > 0.0 { 3.0 } else { -1.1 };
        state.spin = X::Spin::from_fn(|k| turning * (1.0 + k as f64));
    }
    world.cell = Some(cell.clone());
    let mut simulation = world.build();
    // Later, faces lie flat on each other, and which corners touch depends on the last bit.
    let hit = (0..100).find(|_| simulation.step().unwrap().totals.carrying > 0);
    let time = (hit.unwrap() + 1) as f64 * 1e-3;
    let model = &simulation.model;
    let states = simulation.bodies.by_id();
    states
        .iter()
        .map(|s| (model.at_home(s, time).velocity - cell.flow(model.at_home(s, time).position), s.spin))
        .collect()
}

fn faces_do_not_show<X: Dim>() {
    // At 30 times the speed both bodies are fast: they meet in the first step, and each moves by its radius in it.
    let cases = [(false, 0.0), (true, 0.0), (false, 1.7), (true, 1.7)];
    for ((angular, rate), speed) in cases.into_iter().flat_map(|case| [1.0, 30.0].map(|speed| (case, speed))) {
        let inside = collision::<X>(angular, speed, X::Vector::zero(), rate, 1);
        for way in [flat::<X>(0.5, 0.0), flat::<X>(0.0, 0.5), flat::<X>(0.48, 0.52), flat::<X>(-0.51, -0.49)] {
            for subdomains in [1, 4] {
                let moved = collision::<X>(angular, speed, way, rate, subdomains);
                for ((v, spin), (v0, spin0)) in moved.iter().zip(&inside) {
                    let off = (*v - *v0).norm() + (*spin - *spin0).norm();
                    let case = format!("angular {angular}, rate {rate}, speed {speed}, moved by {way:?}");
                    // The sweeps end at a velocity error of 1e-7.
                    let bound = if speed > 1.0 { 1e-6 } else { 1e-9 };
                    assert!(off < bound * speed, "{case}: off by {off}");
                }
            }
        }
    }
}

#[test]
fn a_collision_across_a_face_or_a_corner_of_the_cell_is_the_one_inside() {
    faces_do_not_show::<Plane>();
    faces_do_not_show::<Space>();
}

#[test]
fn a_ball_rolls_down_an_incline_through_one_cell_after_the_other() {
    let mut world = World::<Space>::new(1e-3).tilted(0.3);
    world.plane(flat::<Space>(0.0, 0.0), Vector::axis(2));
    let ball = world.ball(flat::<Space>(0.2, 0.1), 0.1);
    world.cell = Some(Cell { repeats: [true, true, false], ..unit(0.0) });
    let mut simulation = world.build();
    run(&mut simulation, 2.0);
    let state = simulation.bodies.find(ball).unwrap();
    let expected = 5.0 / 7.0 * simulation.model.gravity.x.abs() * 2.0;
    assert!((state.velocity.x.abs() / expected - 1.0).abs() < 1e-3, "{} instead of {expected}", state.velocity.x);
    let place = simulation.model.at_home(state, 2.0).position;
    assert!((place.z - 0.1).abs() < 1e-6 && (0.0..1.0).contains(&place.x), "it is at {place}");
}

/// Bodies at random positions with random velocities.
fn gas<X: Dim>(count: usize, radius: f64, rate: f64, subdomains: u32) -> Simulation<X> {
    let mut world = World::<X>::new(1e-3).weightless().subdomains(subdomains).tolerance(1e-6, 1e-3);
    let cell = unit::<X>(rate);
    let mut dice = Dice(11);
    let mut places: Vec<X::Vector> = Vec::new();
    while places.len() < count {
        let place = X::Vector::from_fn(|_| dice.roll());
        let is_free = |other: &X::Vector| {
            let apart = X::Vector::from_fn(|k| {
                let d = (place[k] - other[k]).abs();
                d.min(1.0 - d)
            });
            apart.norm() > 2.0 * radius
        };
        if places.iter().all(is_free) {
            places.push(place);
        }
    }
    for place in places {
        let id = world.ball(place, radius);
        world.state(id).velocity = X::Vector::from_fn(|_| dice.roll() - 0.5) + cell.flow(place);
    }
    world.cell = Some(cell);
    world.build()
}

fn momentum_stays<X: Dim>(count: usize, radius: f64, rate: f64) {
    let mut simulation = gas::<X>(count, radius, rate, 4);
    let momentum = |s: &Simulation<X>| s.bodies.states().iter().fold(X::Vector::zero(), |p, b| p + b.velocity * b.mass);
    let scale: f64 = simulation.bodies.states().iter().map(|b| b.mass * b.velocity.norm()).sum();
    let start = momentum(&simulation);
    let mut before = start;
    let mut touched = 0;
    for step in 0..300 {
        let report = simulation.step().unwrap();
        touched += report.totals.carrying;
        let now = momentum(&simulation);
        // Every 64 steps bodies are wrapped into the cell; a body that has crossed the sheared face then takes the
        // velocity of its new position.
        if rate == 0.0 || step % 64 != 0 {
            assert!((now - before).norm() < 1e-13 * scale, "step {step}: {:?}", now - before);
        }
        let across = (now - start)[X::D - 1].abs();
        assert!(across < 1e-12 * scale, "step {step}: across the shear {across}");
        before = now;
    }
    assert!(touched > 1000, "{touched} impulses only");
}

#[test]
fn momentum_is_conserved_to_round_off_in_a_periodic_cell_also_when_it_is_sheared() {
    for rate in [0.0, 2.0] {
        momentum_stays::<Plane>(200, 0.025, rate);
        momentum_stays::<Space>(300, 0.06, rate);
    }
}

#[test]
fn a_sheared_cell_gives_the_same_bits_on_any_number_of_threads() {
    let finish = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = gas::<Space>(300, 0.06, 2.0, 8);
            run(&mut simulation, 0.2);
            bytes(&simulation)
        })
    };
    let one = finish(1);
    assert!([2, 3, 5].into_iter().all(|threads| finish(threads) == one));
}

/// Sums over a slice of the cell.
#[derive(Clone, Copy, Default)]
struct Slice {
    bodies: f64,
    mass: f64,
    momentum: f64,
    force: f64,
}

/// A shipped shear scene, evaluated in slices normal to the gradient, from time `from` on.
fn slices<X: Dim, const N: usize>(scene: &str, from: f64, to: f64) -> [Slice; N] {
    let mut simulation = load::<X>(scene, &[]);
    let cell = simulation.model.cell.clone().unwrap();
    let (low, edge) = (cell.bounds.min[X::D - 1], cell.edge(X::D - 1));
    run(&mut simulation, from);
    let mut slices = [Slice::default(); N];
    while simulation.clock.time < to {
        simulation.step().unwrap();
        let time = simulation.clock.time;
        let of = |place: X::Vector| (((place[X::D - 1] - low) / edge * N as f64) as usize).min(N - 1);
        for state in simulation.bodies.states() {
            let home = simulation.model.at_home(state, time);
            let slice = &mut slices[of(home.position)];
            slice.bodies += 1.0;
            slice.mass += home.mass;
            slice.momentum += home.mass * home.velocity[0];
        }
        for subdomain in simulation.domain().subdomains() {
            for (k, contact) in
                subdomain.contact_indices().zip(simulation.domain().contacts(subdomain, &simulation.bodies))
            {
                let point = contact.point + cell.shift(cell.home(contact.point, time), time);
                slices[of(point)].force += subdomain.impulse(k).norm();
            }
        }
    }
    slices
}

fn shear_is_even<X: Dim>(scene: &str, from: f64, to: f64) {
    const N: usize = 8;
    let slices = slices::<X, N>(scene, from, to);
    let mean = |of: fn(&Slice) -> f64| slices.iter().map(of).sum::<f64>() / N as f64;
    let (density, force) = (mean(|s| s.mass), mean(|s| s.force));
    let edge = load::<X>(scene, &[]).model.cell.unwrap().edge(X::D - 1);
    for (k, slice) in slices.iter().enumerate() {
        let expected = edge * ((k as f64 + 0.5) / N as f64 - 0.5);
        let velocity = slice.momentum / slice.mass;
        assert!((velocity - expected).abs() < 0.05 * edge, "{scene}, slice {k}: {velocity} m/s instead of {expected}");
        assert!(
            (slice.mass / density - 1.0).abs() < 0.2,
            "{scene}, slice {k}: {} of the mean density",
            slice.mass / density
        );
        assert!(
            (slice.force / force - 1.0).abs() < 0.35,
            "{scene}, slice {k}: {} of the mean force",
            slice.force / force
        );
    }
    // A slice contains few bodies, and they stay long; those at the two faces are no worse than others.
    let at_faces = |of: fn(&Slice) -> f64| 0.5 * (of(&slices[0]) + of(&slices[N - 1])) / mean(of);
    let (density, force) = (at_faces(|s| s.mass), at_faces(|s| s.force));
    assert!(
        (density - 1.0).abs() < 0.1 && (force - 1.0).abs() < 0.2,
        "{scene}: {density} and {force} of the means at the faces"
    );
}

#[test]
fn a_sheared_cell_of_disks_and_one_of_spheres_flow_evenly_and_have_no_seam() {
    shear_is_even::<Plane>("sheared-disks", 1.0, 5.0);
    shear_is_even::<Space>("sheared-spheres", 1.0, 4.0);
}

/// Two bodies of these shapes about to collide in a cell of edge one, all shifted by `way`: their motion after the
/// impact.
fn met<X: Dim>(shapes: [&str; 2], way: f64) -> Vec<(X::Vector, X::Spin)> {
    let numbers = |values: [f64; 3]| format!("{:?}", &values[..X::D]);
    let spin =
        |turning: f64| if X::R == 1 { format!("{turning}") } else { numbers([turning, 2.0 * turning, -turning]) };
    let mut text = format!(
        "world = {{ dimension = {}, gravity = {} }}\ntime = {{ step = 1e-3, end = 1 }}\nmaterials.m.density = 1000\n\
         cell = {{ min = {}, max = {} }}\nsolver = {{ tolerance = 1e-12, velocity_error = 1e-5, max_sweeps = 20000 }}\n\
         [[laws]]\nbetween = [\"m\", \"m\"]\ncoulomb = {{ friction = 0.5 }}\n",
        X::D,
        numbers([0.0; 3]),
        numbers([0.0; 3]),
        numbers([1.0; 3])
    );
    for (shape, side) in shapes.into_iter().zip([-1.0f64, 1.0]) {
        // Slightly off the axis, so that the result does not depend on the last bit.
        let place =
            [0.5 + 0.13 * side + way, 0.5 + 0.013 * side + way, 0.5 - 0.017 * side + way].map(|x| x.rem_euclid(1.0));
        let velocity = numbers([-2.0 * side, 0.3 * side, 0.1]);
        let (place, spin) = (numbers(place), spin(2.0 - 0.7 * side));
        text += &format!(
            "[[bodies]]\nmaterial = \"m\"\n{shape}\nposition = {place}\nvelocity = {velocity}\nspin = {spin}\n"
        );
    }
    let scene = Scene::parse(&text, "test", Path::new(""), &[]).unwrap();
    let made = setup::<X>(&scene).unwrap();
    let mut simulation = Simulation::new(made.model, made.bodies, made.bounds, plan(&scene));
    assert!((0..100).any(|_| simulation.step().unwrap().totals.carrying > 0), "{shapes:?} never meet");
    simulation.bodies.by_id().iter().map(|state| (state.velocity, state.spin)).collect()
}

fn shapes_meet_across_faces<X: Dim>(shapes: &[&str]) {
    for (k, first) in shapes.iter().enumerate() {
        for second in &shapes[k..] {
            let inside = met::<X>([first, second], 0.0);
            for way in [0.5, 0.37, -0.48] {
                for ((v, spin), (v0, spin0)) in met::<X>([first, second], way).iter().zip(&inside) {
                    let off = (*v - *v0).norm() + (*spin - *spin0).norm();
                    assert!(off < 1e-8, "{first} and {second} moved by {way}: off by {off}");
                }
            }
        }
    }
}

#[test]
fn every_kind_of_shape_meets_every_other_across_the_faces_as_it_does_inside() {
    shapes_meet_across_faces::<Plane>(&[
        "disk = { radius = 0.06 }",
        "box = { size = [0.1, 0.08] }",
        "polygon = { sides = 5, radius = 0.07 }",
        "polygon = { points = 5, inner = 0.03, radius = 0.07 }",
        "compound = [{ box = { size = [0.1, 0.03] } }, { disk = { radius = 0.03 }, position = [0.05, 0] }]",
    ]);
    shapes_meet_across_faces::<Space>(&[
        "sphere = { radius = 0.06 }",
        "box = { size = [0.1, 0.08, 0.06] }",
        "polyhedron = { name = \"icosahedron\", radius = 0.07 }",
        "cylinder = { radius = 0.04, length = 0.09 }",
        "capsule = { radius = 0.03, length = 0.08 }",
        "compound = [{ sphere = { radius = 0.04 } }, { sphere = { radius = 0.03 }, position = [0.05, 0, 0] }]",
    ]);
}
