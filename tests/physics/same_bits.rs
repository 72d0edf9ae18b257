//! Reproducibility: for a fixed number of subdomains, neither the number of threads nor the order of bodies in the
//! scene changes a bit of the result.

use crate::long::or_long;
use crate::support::{Dice, World, bytes, held};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::domain::{InterfaceScheme, Partitioner};
use nscdd::law::{Capillary, Mean, Orowan, StaticDynamic, Threshold, Viscoelastic};
use nscdd::model::{Control, Signal};

/// Spheres of mixed sizes and a few boxes fall into a box; a driven plate presses its floor up.
fn mixed<X: Dim>(subdomains: u32) -> World<X> {
    let mut world = World::<X>::new(1e-3).subdomains(subdomains).tolerance(1e-3, 0.3);
    world.plan.solver.max_sweeps = 200;
    world.open_box(1.0);
    let mut dice = Dice(5);
    let side = 8i32;
    for cell in 0..320 {
        let index = |k: usize| if k == X::D - 1 { cell / side.pow(k as u32) } else { cell / side.pow(k as u32) % side };
        let place = X::Vector::from_fn(|k| 0.0625 + 0.125 * f64::from(index(k)) + 0.02 * (dice.roll() - 0.5));
        let lift = X::Vector::axis(X::D - 1) * 0.2;
        let id = world.ball(place + lift, 0.02 + 0.03 * dice.roll());
        world.state(id).spin = X::Spin::from_fn(|_| dice.roll());
        world.state(id).velocity = X::Vector::axis(X::D - 1) * -2.0;
    }
    let plate = world.cuboid(flat_centre::<X>(0.05), X::Vector::from_fn(|k| if k == X::D - 1 { 0.02 } else { 0.4 }));
    let mut controls = vec![held(0.0); X::D + X::R];
    controls[X::D - 1] =
        Control::Velocity(Signal::Sinusoid { mean: 0.0, amplitude: 0.2, omega: 50.0, phase: 0.0, ramp: f64::INFINITY });
    world.driven(plate, controls, false);
    // A free block: only spheres and planes can touch it in this world.
    let block = world.cuboid(flat_centre::<X>(3.0), X::Vector::from_fn(|_| 0.1));
    world.state(block).velocity = X::Vector::axis(X::D - 1) * -4.0;
    world
}

/// The same world under laws with internal state.
#[test]
fn laws_with_state_give_the_same_bits_on_one_and_on_three_threads() {
    let wet = Capillary { surface_tension: 5.0, contact_angle: 0.2, volume: 1e-6, friction: 0.3 };
    let stick = StaticDynamic { at_rest: 0.6, in_motion: 0.3, velocity: 0.0 };
    let mean = Orowan { friction: 0.6, threshold: Threshold::Named(Mean::Mean), factor: 0.5 };
    let cushion = Viscoelastic { period: None, damping: 1.0, friction: 0.3 };
    let bytes = |threads: usize, law: usize| {
        let world = mixed::<Space>(8);
        let world = match law {
            0 => world.law(wet.clone()),
            1 => world.law(stick.clone()),
            2 => world.law(mean.clone()),
            _ => world.law(cushion.clone()),
        };
        result(world, threads, 60)
    };
    for law in 0..4 {
        assert!(bytes(1, law) == bytes(3, law), "law {law}");
    }
}

fn flat_centre<X: Dim>(height: f64) -> X::Vector {
    X::Vector::from_fn(|k| if k == X::D - 1 { height } else { 0.5 })
}

fn result<X: Dim>(world: World<X>, threads: usize, steps: usize) -> (Vec<u8>, String) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut simulation = world.build();
        let lines: Vec<String> = (0..steps).map(|_| simulation.step().unwrap().to_string()).collect();
        (bytes(&simulation), lines.join("\n"))
    })
}

fn threads_agree<X: Dim>() {
    use nscdd::solver::SolverMethod::{Accelerated, Acd2, Jacobi, Nlgs};
    for (subdomains, scheme, method, solver) in [
        (8, InterfaceScheme::RedBlack, Partitioner::MultiJagged, Nlgs),
        (8, InterfaceScheme::Glue, Partitioner::MultiJagged, Nlgs),
        (27, InterfaceScheme::RedBlack, Partitioner::Bisection, Nlgs),
        (6, InterfaceScheme::RedBlack, Partitioner::Grid, Nlgs),
        (8, InterfaceScheme::RedBlack, Partitioner::MultiJagged, Accelerated),
        (27, InterfaceScheme::Glue, Partitioner::Bisection, Accelerated),
        (8, InterfaceScheme::RedBlack, Partitioner::MultiJagged, Jacobi),
        (8, InterfaceScheme::Glue, Partitioner::MultiJagged, Jacobi),
        (8, InterfaceScheme::RedBlack, Partitioner::MultiJagged, Acd2),
        (8, InterfaceScheme::Glue, Partitioner::MultiJagged, Acd2),
    ] {
        let world = || {
            let mut world = mixed::<X>(subdomains).scheme(scheme);
            world.plan.domain.partitioner = method;
            world.plan.domain.imbalance = 1.05;
            world.plan.solver.method = solver;
            world
        };
        let one = result(world(), 1, 250);
        let active: Vec<u64> = one.1.lines().map(|line| line.split(',').nth(8).unwrap().parse().unwrap()).collect();
        assert!(active.iter().sum::<u64>() > 2500, "too few contacts to prove anything: {active:?}");
        for &threads in or_long(&[3][..], &[2, 3]) {
            let other = result(world(), threads, 250);
            let case = format!("{subdomains} subdomains, {scheme:?}, {method:?}, {solver:?}");
            assert!(one == other, "{case}: {threads} threads differ from one");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits_in_the_plane() {
    threads_agree::<Plane>();
}

#[test]
fn any_number_of_threads_gives_the_same_bits_in_space() {
    threads_agree::<Space>();
}

/// The same world with contacts in random order.
#[test]
fn a_random_order_gives_the_same_bits_on_any_threads_and_others_for_another_seed() {
    let shuffled = |seed: u64, threads: usize| {
        let mut world = mixed::<Plane>(8);
        (world.plan.solver.order, world.plan.solver.seed) = (nscdd::solver::ContactOrder::Random, seed);
        result(world, threads, 120)
    };
    let one = shuffled(1, 1);
    assert!(one == shuffled(1, 3));
    assert!(one != shuffled(2, 3) && one != result(mixed::<Plane>(8), 3, 120));
}

fn order_does_not_matter<X: Dim>() {
    for subdomains in [1, 8] {
        let listed = result(mixed::<X>(subdomains), 2, 250);
        let mut shuffled = mixed::<X>(subdomains);
        let mut dice = Dice(99);
        for i in (1..shuffled.states.len()).rev() {
            shuffled.states.swap(i, (dice.roll() * (i + 1) as f64) as usize);
        }
        assert!(listed == result(shuffled, 2, 250), "{subdomains} subdomains");
    }
}

#[test]
fn the_order_in_which_bodies_are_listed_changes_no_bit() {
    order_does_not_matter::<Plane>();
    order_does_not_matter::<Space>();
}

#[test]
fn the_thickness_of_the_verlet_skin_changes_no_bit() {
    let with_skin = |skin: f64| {
        let mut world = mixed::<Space>(8);
        world.plan.detection.skin = Some(skin);
        result(world, 2, 250)
    };
    let (thin, thick) = (with_skin(0.0), with_skin(0.1));
    assert!(thin == thick);
}
