//! Exact facts about one body (A1 to A5, A10): closed-form solutions that any contact dynamics code must reproduce.

use crate::support::{GRAVITY, World, flat, incline, invariants, run};
use nalgebra::{Vector1, Vector3};
use nscdd::dim::{Dim, Orientation, Plane, Space, Vector};
use nscdd::law::{Coulomb, Restitution};

fn free_flight<X: Dim>(subdomains: u32) {
    let mut world = World::<X>::new(1e-2).subdomains(subdomains);
    let id = world.ball(flat::<X>(0.0, 1.0), 0.1);
    let start = flat::<X>(3.0, 4.0);
    world.state(id).velocity = start;
    let gravity = world.gravity;
    let mut simulation = world.build();
    for _ in 0..100 {
        let report = simulation.step().unwrap();
        let t = report.time;
        let expected = flat::<X>(0.0, 1.0) + start * t + gravity * (0.5 * t * t);
        let body = simulation.bodies.find(id).unwrap();
        assert!((body.position - expected).norm() < 1e-13 * (1.0 + expected.norm()));
        assert!((body.velocity - start - gravity * t).norm() < 1e-13 * (1.0 + t));
    }
}

#[test]
fn a1_a_thrown_body_follows_the_parabola_to_rounding() {
    for subdomains in [1, 8] {
        free_flight::<Plane>(subdomains);
        free_flight::<Space>(subdomains);
    }
}

/// Rebound heights after each impact, and the time at which the body comes to rest.
fn bounce<X: Dim>(e: f64, subdomains: u32) -> (Vec<f64>, f64) {
    let h = 1e-4;
    let mut world = World::<X>::new(h)
        .law(Restitution { normal: e, tangent: 0.0, friction: 0.0, rolling: 0.0, stiffness: 1.0 })
        .subdomains(subdomains);
    world.floor();
    let ball = world.ball(flat::<X>(0.0, 1.1), 0.1);
    let mut simulation = world.build();
    let (mut heights, mut rest) = (vec![1.0], 0.0);
    let (mut rising, mut top) = (false, 0.0f64);
    for _ in 0..20_000 {
        let report = simulation.step().unwrap();
        let body = simulation.bodies.find(ball).unwrap();
        let (height, speed) = (body.position[X::D - 1] - 0.1, body.velocity[X::D - 1]);
        if speed > 0.0 {
            (rising, top) = (true, top.max(height));
        } else if rising {
            heights.push(top);
            (rising, top) = (false, 0.0);
        }
        if height.abs() > 1e-4 || speed.abs() > 2e-2 {
            rest = report.time;
        }
    }
    (heights, rest)
}

#[test]
fn a2_rebounds_reach_h0_e_to_the_2n_and_end_in_the_time_of_the_geometric_series() {
    for subdomains in [1, 8] {
        for (heights, rest) in [bounce::<Plane>(0.6, subdomains), bounce::<Space>(0.6, subdomains)] {
            for (n, height) in heights.iter().enumerate().take(5) {
                let expected = 0.6f64.powi(2 * n as i32);
                assert!((height / expected - 1.0).abs() < 0.01, "bounce {n}: {height} for {expected}");
            }
            let expected = (2.0 / GRAVITY).sqrt() * (1.0 + 0.6) / (1.0 - 0.6);
            assert!((rest / expected - 1.0).abs() < 0.01, "rest after {rest} s for {expected} s");
        }
    }
}

/// Acceleration down the incline of a block twice as wide as high.
fn block_on_incline<X: Dim>(slope: f64, friction: f64, subdomains: u32) -> f64 {
    incline::acceleration::<X>(&incline::cuboid(0.4, 0.2), slope, friction, subdomains)
}

#[test]
fn a3_a_block_on_an_incline_sticks_up_to_the_friction_angle() {
    for subdomains in [1, 8] {
        for slope in [0.2, 0.499] {
            assert!(block_on_incline::<Plane>(slope, 0.5, subdomains).abs() < 1e-9);
            assert!(block_on_incline::<Space>(slope, 0.5, subdomains).abs() < 1e-9);
        }
    }
}

#[test]
fn a3_a_block_beyond_the_friction_angle_slides_with_the_acceleration_of_coulomb() {
    for subdomains in [1, 8] {
        for slope in [0.505f64, 0.8] {
            let expected = GRAVITY * (slope.atan().sin() - 0.5 * slope.atan().cos());
            for found in
                [block_on_incline::<Plane>(slope, 0.5, subdomains), block_on_incline::<Space>(slope, 0.5, subdomains)]
            {
                assert!((found / expected - 1.0).abs() < 1e-3, "{found} for {expected}");
            }
        }
    }
}

/// Acceleration of a sphere down an incline, and its slip velocity at the contact.
fn ball_on_incline<X: Dim>(slope: f64, friction: f64, subdomains: u32) -> (f64, f64) {
    let mut world =
        World::<X>::new(1e-3).tilted(slope.atan()).law(Coulomb { friction, rolling: 0.0 }).subdomains(subdomains);
    world.floor();
    let ball = world.ball(X::Vector::axis(X::D - 1) * 0.1, 0.1);
    let mut simulation = world.build();
    run(&mut simulation, 0.1);
    let before = simulation.bodies.find(ball).unwrap().velocity[0];
    run(&mut simulation, 0.5);
    let body = simulation.bodies.find(ball).unwrap();
    let slip = (body.velocity + X::cross(body.spin, X::Vector::axis(X::D - 1) * -0.1)).norm();
    ((body.velocity[0] - before) / 0.5, slip)
}

fn rolling<X: Dim>(limit: f64, share: f64, subdomains: u32) {
    let friction = 0.2;
    let angle = |slope: f64| slope.atan();
    for slope in [0.1, 0.99 * limit * friction] {
        let (found, slip) = ball_on_incline::<X>(slope, friction, subdomains);
        assert!((found / (share * GRAVITY * angle(slope).sin()) - 1.0).abs() < 1e-3);
        assert!(slip < 1e-9, "slips by {slip}");
    }
    let slope = 1.05 * limit * friction;
    let (found, slip) = ball_on_incline::<X>(slope, friction, subdomains);
    let expected = GRAVITY * (angle(slope).sin() - friction * angle(slope).cos());
    assert!((found / expected - 1.0).abs() < 1e-3);
    assert!(slip > 1e-3);
}

#[test]
fn a4_a_sphere_rolls_without_slip_up_to_seven_halves_mu_with_five_sevenths_of_the_slope() {
    rolling::<Space>(3.5, 5.0 / 7.0, 1);
    rolling::<Space>(3.5, 5.0 / 7.0, 8);
}

#[test]
fn a4_a_disk_rolls_without_slip_up_to_three_mu_with_two_thirds_of_the_slope() {
    rolling::<Plane>(3.0, 2.0 / 3.0, 1);
    rolling::<Plane>(3.0, 2.0 / 3.0, 8);
}

fn topples<X: Dim>(width: f64, height: f64, slope: f64, subdomains: u32) -> bool {
    incline::topples::<X>(&incline::cuboid(width, height), slope, subdomains)
}

#[test]
fn a5_a_block_topples_when_the_slope_exceeds_width_over_height_and_not_before() {
    for subdomains in [1, 8] {
        let critical = 0.1 / 0.4;
        assert!(!topples::<Plane>(0.1, 0.4, 0.995 * critical, subdomains));
        assert!(topples::<Plane>(0.1, 0.4, 1.005 * critical, subdomains));
        assert!(!topples::<Space>(0.1, 0.4, 0.995 * critical, subdomains));
        assert!(topples::<Space>(0.1, 0.4, 1.005 * critical, subdomains));
    }
}

fn free_rotation(subdomains: u32) {
    let mut world = World::<Space>::new(1e-3).weightless().subdomains(subdomains);
    let brick = world.cuboid(Vector3::zeros(), Vector3::new(0.3, 0.2, 0.1));
    // Moments increase from x to z; y is the intermediate axis.
    world.state(brick).spin = Vector3::new(0.01, 10.0, 0.01);
    let mut simulation = world.build();
    let (_, l0, e0) = invariants(&simulation);
    let (mut least, mut worst_e, mut worst_l) = (1.0f64, 0.0f64, 0.0f64);
    for _ in 0..10_000 {
        simulation.step().unwrap();
        let (_, l, e) = invariants(&simulation);
        worst_e = worst_e.max((e / e0 - 1.0).abs());
        worst_l = worst_l.max((l - l0).norm() / l0.norm());
        let body = simulation.bodies.find(brick).unwrap();
        least = least.min(body.orientation.unrotate(body.spin).y / 10.0);
    }
    assert!(worst_e < 1e-10, "energy drift {worst_e:e} over 10 s: the implicit mid-point keeps it to rounding");
    assert!(worst_l < 1e-4, "angular momentum drift {worst_l:e}: bounded, of second order in h");
    assert!(least < -0.9, "the middle axis did not flip: {least}");
}

#[test]
fn a10_a_free_asymmetric_body_keeps_energy_bounds_momentum_and_flips_about_its_middle_axis() {
    free_rotation(1);
    free_rotation(8);
}

#[test]
fn a10_a_free_disk_keeps_its_spin_exactly() {
    let mut world = World::<Plane>::new(1e-2).weightless();
    let disk = world.ball(Vector::zero(), 0.1);
    world.state(disk).spin = Vector1::new(7.0);
    let mut simulation = world.build();
    run(&mut simulation, 1.0);
    assert_eq!(simulation.bodies.find(disk).unwrap().spin[0], 7.0);
}

#[test]
fn a_body_whose_velocity_is_not_a_number_stops_the_run_and_is_named() {
    for subdomains in [1, 8] {
        let mut world = World::<Space>::new(1e-3).subdomains(subdomains);
        world.floor();
        for i in 0..10 {
            world.ball(Vector3::new(0.2 * f64::from(i), 0.0, 0.1), 0.1);
        }
        world.state(4).velocity.x = f64::NAN;
        let error = world.build().step().unwrap_err();
        // Its neighbours may be affected within the step; the lowest id is named.
        assert!(error.to_string().starts_with("step 1 (t = 0.001 s): body "), "{error}");
        assert_eq!(error.exit_code(), nscdd::base::error::EXIT_FAILED);
    }
}

/// A box spinning freely at `spin` rad/s about an axis that is not principal, for `steps` steps of 1 ms.
fn spinning_box(spin: f64, steps: u64) -> (nscdd::simulation::Simulation<Space>, [f64; 2]) {
    let mut world = World::<Space>::new(1e-3).weightless();
    let id = world.cuboid(Vector3::zeros(), Vector3::new(0.1, 0.06, 0.03));
    world.state(id).spin = Vector3::new(0.3, 0.9, 0.3).normalize() * spin;
    let mut simulation = world.build();
    let momentum = |simulation: &nscdd::simulation::Simulation<Space>| {
        let state = simulation.bodies.find(id).unwrap();
        let body = state.orientation.unrotate_spin(state.spin);
        state.orientation.rotate(simulation.model.moments(state).component_mul(&body))
    };
    let energy = |simulation: &nscdd::simulation::Simulation<Space>| {
        simulation.model.kinetic_energy(simulation.bodies.find(id).unwrap())
    };
    let (before, e) = (momentum(&simulation), energy(&simulation));
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let errors = [(energy(&simulation) / e - 1.0).abs(), (momentum(&simulation) - before).norm() / before.norm()];
    (simulation, errors)
}

#[test]
fn a_free_box_of_any_spin_keeps_its_energy_and_its_angular_momentum() {
    for spin in [1.5e3, 5e3, 1e5, 1e9] {
        let (simulation, [energy, momentum]) = spinning_box(spin, 300);
        assert!(energy < 1e-9 && momentum < 1e-9, "{spin} rad/s: {energy:e}, {momentum:e}");
        let warning = &simulation.warnings.all()[0];
        assert_eq!((warning.kind, warning.count), (nscdd::simulation::warnings::WarningKind::FastSpin, 300));
        assert!(warning.message.contains("body 0") && warning.message.contains("time.step"), "{}", warning.message);
    }
    let (simulation, [energy, _]) = spinning_box(900.0, 300);
    assert!(energy < 1e-9 && simulation.warnings.all().is_empty(), "{energy:e}");
}
