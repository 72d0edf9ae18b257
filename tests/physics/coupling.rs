//! Coupling with partners that solve for forces which depend on the motion: a step is repeated until both agree.

use std::sync::Arc;

use crate::meshed::bits_by_id;
use crate::processes::on_processes;
use crate::support::World;
use nalgebra::{Vector1, Vector2};
use nscdd::body::State;
use nscdd::comm::{Comm, SerialComm};
use nscdd::dim::{Plane, Space};
use nscdd::simulation::{DrivenBodies, Observer, Simulation};

type Forces = Vec<(u64, Vector2<f64>)>;

/// Applies given forces in a step.
struct Apply<'a>(&'a Forces);

impl Observer<Plane> for Apply<'_> {
    fn before(&mut self, _: &Simulation<Plane>, drive: &mut DrivenBodies<Plane>) {
        self.0.iter().for_each(|(body, force)| drive.add_force(*body, *force));
    }
}

/// One step with forces that follow from the states of `bodies` before and after it: repeated until they change by less
/// than `tolerance`, N. Returns the states after it and the forces.
fn coupled_step(
    simulation: &mut Simulation<Plane>,
    bodies: &[u64],
    tolerance: f64,
    mut forces_of: impl FnMut(&[State<Plane>], &[State<Plane>]) -> Forces,
) -> (Vec<State<Plane>>, Forces) {
    let (start, before) = (simulation.save_state(), simulation.states_of(bodies));
    let mut forces = forces_of(&before, &before);
    for _ in 0..100 {
        simulation.step_with(&mut Apply(&forces)).unwrap();
        let after = simulation.states_of(bodies);
        let next = forces_of(&before, &after);
        let change = forces.iter().zip(&next).map(|(old, new)| (old.1 - new.1).norm()).fold(0.0, f64::max);
        if change <= tolerance {
            return (after, forces);
        }
        simulation.return_to(&start);
        forces = next;
    }
    panic!("the forces do not converge");
}

/// Disks in a box: a heap that settles, and one above it.
fn heap(subdomains: u32) -> World<Plane> {
    let mut world = World::new(1e-3).subdomains(subdomains).tolerance(1e-8, 1e-3);
    world.floor();
    for k in 0..20 {
        let at = Vector2::new(f64::from(k % 5) * 0.21 + 0.01 * f64::from(k / 5), 0.1 + f64::from(k / 5) * 0.201);
        world.ball(at, 0.1);
    }
    world
}

#[test]
fn a_spring_that_a_partner_solves_implicitly_swings_with_the_period_of_the_trapezoidal_rule() {
    let mut world = World::new(1e-2).weightless();
    let disk = world.ball(Vector2::new(1.0, 0.0), 0.1);
    let mut simulation = world.build();
    let mass = simulation.bodies.find(disk).unwrap().mass;
    let (h, omega) = (simulation.step_length(), 3.0_f64);
    let stiffness = mass * omega * omega;
    let frequency = 2.0 / h * (0.5 * h * omega).atan();
    for step in 1..=1000 {
        let spring = |before: &[State<Plane>], after: &[State<Plane>]| {
            vec![(disk, (before[0].position + after[0].position) * (-0.5 * stiffness))]
        };
        let (after, _) = coupled_step(&mut simulation, &[disk], 1e-13 * stiffness, spring);
        let exact = (frequency * h * f64::from(step)).cos();
        assert!((after[0].position.x - exact).abs() < 1e-9, "step {step}: {} instead of {exact}", after[0].position.x);
    }
}

/// Grains that sink through a column of water, which moves as a whole and feels their drag. Returns the momentum that
/// weights have not given, the mean velocity relative to the water, and the bits of all bodies.
fn sinking(comm: &Arc<dyn Comm>, subdomains: u32) -> (f64, f64, Vec<Vec<u64>>) {
    const DRAG: f64 = 200.0;
    let mut world = World::<Plane>::new(1e-3).subdomains(subdomains).tolerance(1e-10, 1e-4);
    let grains: Vec<u64> = (0..30)
        .map(|k| {
            let grain = world.ball(Vector2::new(f64::from(k % 6) * 0.25, f64::from(k / 6) * 0.25), 0.1);
            // They collide: momentum passes between them.
            world.states[grain as usize].velocity = Vector2::new([0.8, -0.5, 0.1][k as usize % 3], 0.0);
            grain
        })
        .collect();
    let mut simulation = world.build_on(comm.clone());
    let (mass, h) = (simulation.states_of(&grains)[0].mass, simulation.step_length());
    let (count, water_mass) = (grains.len() as f64, 500.0);
    let mut water = 0.0;
    for _ in 0..1000 {
        // The drag over the step, by the mean velocities of grain and water.
        let drag = |before: &[State<Plane>], after: &[State<Plane>]| {
            let mean = |k: usize| 0.5 * (before[k].velocity.y + after[k].velocity.y);
            let sum: f64 = (0..before.len()).map(mean).sum();
            let stream = (water + 0.5 * h * DRAG / water_mass * sum) / (1.0 + 0.5 * h * DRAG * count / water_mass);
            grains.iter().enumerate().map(|(k, id)| (*id, Vector2::new(0.0, DRAG * (stream - mean(k))))).collect()
        };
        let (_, forces) = coupled_step(&mut simulation, &grains, 1e-11, drag);
        water -= h / water_mass * forces.iter().map(|(_, force)| force.y).sum::<f64>();
    }
    let states = simulation.states_of(&grains);
    let momentum: f64 = states.iter().map(|state| state.mass * state.velocity.y).sum();
    let weight = -9.81 * count * mass * simulation.clock.time;
    let slip = states.iter().map(|state| state.velocity.y).sum::<f64>() / count - water;
    let terminal = -9.81 / (DRAG / mass + DRAG * count / water_mass);
    (momentum + water_mass * water - weight, slip / terminal, bits_by_id(&simulation, &**comm))
}

#[test]
fn water_that_drags_grains_feels_their_drag_on_one_and_on_three_processes() {
    let name = "coupling::water_that_drags_grains_feels_their_drag_on_one_and_on_three_processes";
    on_processes(3, name, |comm| {
        for subdomains in [1, 4] {
            let (unbalanced, slip, alone) = sinking(&(Arc::new(SerialComm) as Arc<dyn Comm>), subdomains);
            assert!(unbalanced.abs() < 1e-8, "{unbalanced} N s are lost");
            assert!((slip - 1.0).abs() < 1e-3, "{slip} of the terminal velocity");
            assert!(alone == sinking(comm, subdomains).2, "bits in {subdomains} subdomains");
        }
    });
}

#[test]
fn a_simulation_that_returned_to_an_earlier_state_goes_on_with_the_bits_of_one_that_never_left_it() {
    let name =
        "coupling::a_simulation_that_returned_to_an_earlier_state_goes_on_with_the_bits_of_one_that_never_left_it";
    on_processes(3, name, |comm| {
        for subdomains in [1, 4] {
            let mut straight = heap(subdomains).build_on(comm.clone());
            let mut returning = heap(subdomains).build_on(comm.clone());
            for round in 0..5 {
                let start = returning.save_state();
                // Somewhere else, with other forces, through a new decomposition.
                let pull = (1..21).map(|id| (id, Vector2::new(3e2, 8e2))).collect();
                (0..70).for_each(|_| _ = returning.step_with(&mut Apply(&pull)).unwrap());
                returning.return_to(&start);
                assert_eq!(returning.clock, start.clock());
                for simulation in [&mut straight, &mut returning] {
                    (0..40).for_each(|_| _ = simulation.step().unwrap());
                }
                let [one, other] = [&straight, &returning].map(|simulation| bits_by_id(simulation, &**comm));
                assert!(one == other, "{subdomains} subdomains, round {round}");
                assert_eq!(straight.sums, returning.sums, "the energy balance");
            }
        }
    });
}

/// Turns a body.
struct Turn(f64);

impl Observer<Plane> for Turn {
    fn before(&mut self, _: &Simulation<Plane>, drive: &mut DrivenBodies<Plane>) {
        drive.add_torque(0, Vector1::new(self.0));
        drive.add_torque(0, Vector1::new(self.0));
    }
}

#[test]
fn torques_of_a_partner_turn_a_body() {
    let mut world = World::<Plane>::new(1e-3).weightless();
    world.ball(Vector2::zeros(), 0.1);
    let mut simulation = world.build();
    (0..100).for_each(|_| _ = simulation.step_with(&mut Turn(0.5)).unwrap());
    let disk = simulation.states_of(&[0])[0];
    let exact = 0.1 / (0.5 * disk.mass * 0.01);
    assert!((disk.spin.x / exact - 1.0).abs() < 1e-12, "{} instead of {exact} rad/s", disk.spin.x);
    // Bodies that do not exist are left out.
    let space = World::<Space>::new(1e-3).build();
    assert!(space.states_of(&[7]).is_empty());
}
