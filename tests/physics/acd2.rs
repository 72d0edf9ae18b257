//! A-CD2 (S. Dal Pont and E. Dimnet 2008): uniqueness and dissipation of instantaneous collisions, their rebound, and
//! agreement with nonlinear Gauss-Seidel.

use std::path::Path;

use crate::support::{Dice, World, flat, invariants, run, simulate};
use nscdd::base::index::ProblemBody;
use nscdd::contactor::Radii;
use nscdd::dim::{Dim, Plane, Space, Square, Vector};
use nscdd::law::{ContactLaw, Coulomb, Frictionless, Percussion, Reduced};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;
use nscdd::solver::{ContactProblem, LocalMap, Mass, SolverMethod, SolverSettings};

/// Settings whose certificate is 1e-8.
fn strict(method: SolverMethod) -> SolverSettings {
    SolverSettings { method, tolerance: 1e-8, velocity_error: 1e-7, max_sweeps: 100_000, ..SolverSettings::default() }
}

/// Laws whose percussions derive from a pseudo-potential of dissipation.
#[derive(Clone, Copy, Debug)]
enum Associated {
    Frictionless,
    Tresca,
    Quadratic,
}

impl Associated {
    const ALL: [Self; 3] = [Self::Frictionless, Self::Tresca, Self::Quadratic];

    fn reduced<X: Dim>(self, normal: X::Vector, before: X::Vector) -> Reduced<X> {
        let cone = Reduced::cone(X::Vector::zero(), 0.0);
        let approach = (-before.dot(&normal)).max(0.0);
        match self {
            Self::Frictionless => cone,
            Self::Tresca => Reduced { cohesion: 0.05, ..cone },
            Self::Quadratic => Reduced {
                shift: before - normal * before.dot(&normal),
                cohesion: f64::INFINITY,
                compliance: [0.0, 2.0 / 1.5],
                knee: 0.5 * 3.0 * approach,
                pull: 2.0 / 3.0,
                ..cone
            },
        }
    }
}

/// Balls in random contact under this law, with random impulses to start from.
fn collision<X: Dim>(law: Associated, start: u64) -> ContactProblem<X> {
    let (mut dice, mut guess) = (Dice(8), Dice(start));
    let mut problem = ContactProblem::<X>::default();
    let mut random = || X::Vector::from_fn(|_| dice.roll() - 0.5);
    let velocities: Vec<_> = (0..60).map(|_| random()).collect();
    for (body, &velocity) in velocities.iter().enumerate() {
        problem.add_body(velocity, X::Spin::zero(), Mass::ball(0.5 + (body % 7) as f64));
    }
    for body in 1..=60u32 {
        for other in [0, body / 2, body / 3 + 7, (body * 7) % 60].into_iter().filter(|&other| other != body) {
            let direction = random();
            let normal = direction * (1.0 / direction.norm());
            let arms = [random(), random()];
            let of = |body: u32| if body == 0 { X::Vector::zero() } else { velocities[body as usize - 1] };
            let reduced = law.reduced(normal, of(body) - of(other));
            let impulse = X::Vector::from_fn(|_| guess.roll() - 0.5);
            let bodies = [other, body].map(ProblemBody);
            problem.add_general(bodies, normal, arms, reduced, impulse, LocalMap::Projection);
        }
    }
    problem
}

/// ||V - V'||/||V|| over the bodies of two problems, in the kinetic norm.
fn difference<X: Dim>(one: &ContactProblem<X>, other: &ContactProblem<X>) -> f64 {
    let (mut apart, mut size) = (0.0, 0.0);
    for body in 1..one.rows.len() {
        let (a, b, mass) = (&one.rows[body], &other.rows[body], one.mass(body));
        let norm = |v: X::Vector, s: X::Spin| mass.mass * v.norm2() + s.dot(&mass.inertia.apply(s));
        apart += norm(a.velocity - b.velocity, a.spin - b.spin);
        size += norm(a.velocity, a.spin);
    }
    (apart / size).sqrt()
}

fn velocities_are_unique<X: Dim>() {
    for law in Associated::ALL {
        let solved = |method: SolverMethod, start: u64| {
            let mut problem = collision::<X>(law, start);
            let certificate = problem.solve(&strict(method));
            assert!(certificate.converged, "{law:?}, {method:?}: {certificate:?}");
            (problem, certificate.sweeps)
        };
        let (reference, sweeps) = solved(SolverMethod::Acd2, 1);
        for (method, start) in [(SolverMethod::Acd2, 2), (SolverMethod::Nlgs, 1), (SolverMethod::Accelerated, 3)] {
            let (other, others) = solved(method, start);
            let apart = difference(&reference, &other);
            println!("{} dimensions, {law:?}, {method:?}: {apart:.1e}, {sweeps} and {others} sweeps", X::D);
            assert!(apart < 1e-6, "{law:?}, {method:?} from start {start}: {apart:e}");
        }
    }
}

#[test]
fn the_velocities_after_a_collision_are_unique_where_percussions_have_a_potential() {
    velocities_are_unique::<Plane>();
    velocities_are_unique::<Space>();
}

/// rho = 2 `relaxation`/L < 4/lambda_max(W): every step without momentum decreases the dual energy.
#[test]
fn gradient_steps_below_the_limit_never_increase_the_dual_energy() {
    for relaxation in [0.5, 1.0, 1.9] {
        let settings = SolverSettings { relaxation, ..strict(SolverMethod::Acd2) };
        let mut problem = collision::<Space>(Associated::Frictionless, 1);
        let contacts = problem.contacts();
        problem.restore_impulses(&vec![nalgebra::Vector3::zeros(); contacts]);
        // Without friction and gaps, ||V||^2/2 is r.W r/2 + q.r up to a constant.
        let energy = |problem: &ContactProblem<Space>| -> f64 {
            let of = |k: usize| {
                let (row, mass) = (&problem.rows[k], problem.mass(k));
                mass.mass * row.velocity.norm_squared() + row.spin.dot(&mass.inertia.apply(row.spin))
            };
            (1..problem.rows.len()).map(of).sum()
        };
        let mut last = energy(&problem);
        for sweep in 0..3000 {
            settings.sweep(&mut problem);
            let now = energy(&problem);
            assert!(now <= last * (1.0 + 1e-12), "relaxation {relaxation}, step {sweep}: {last} to {now}");
            last = now;
        }
        assert!(problem.residual().relative() < 1e-2, "{}", problem.residual().relative());
    }
}

fn rebound<X: Dim>(masses: [f64; 2], over_mass: f64) -> f64 {
    let mut world = World::<X>::new(1e-6).weightless();
    world.plan.solver.method = SolverMethod::Acd2;
    let left = world.ball(X::Vector::zero(), 0.1);
    let right = world.ball(X::Vector::axis(0) * 0.2, 0.1);
    for (ball, mass, velocity) in [(left, masses[0], 3.0), (right, masses[1], -1.0)] {
        world.state(ball).velocity = X::Vector::axis(0) * velocity;
        world.state(ball).mass = mass;
    }
    let effective = masses[0] * masses[1] / (masses[0] + masses[1]);
    let law = Percussion { normal: over_mass * effective, tangent: None, friction: None };
    let mut simulation = world.law(law).build();
    simulation.step().unwrap();
    let velocity = |ball: u64| simulation.bodies.find(ball).unwrap().velocity[0];
    (velocity(right) - velocity(left)) / 4.0
}

#[test]
fn two_bodies_rebound_head_on_with_k_minus_two_m_over_k_plus_two_m() {
    for over_mass in [0.5, 1.9, 2.1, 4.0, 40.0] {
        let expected = ((over_mass - 2.0) / (over_mass + 2.0f64)).max(0.0);
        for masses in [[1.0, 1.0], [1.0, 9.0], [300.0, 2.0]] {
            for found in [rebound::<Plane>(masses, over_mass), rebound::<Space>(masses, over_mass)] {
                assert!((found - expected).abs() < 1e-9, "{masses:?}, {over_mass}: {found} for {expected}");
            }
        }
    }
}

/// Balls and blocks that fly about in a box without gravity; their kinetic energy before and after every step.
fn gas<X: Dim>(law: impl ContactLaw<X> + 'static) -> Vec<[f64; 2]> {
    let mut world = World::<X>::new(1e-3).weightless().tolerance(1e-8, 1e-2);
    world.plan.solver.method = SolverMethod::Acd2;
    let mut dice = Dice(4);
    for k in 0..X::D {
        world.plane(X::Vector::zero(), X::Vector::axis(k));
        world.plane(X::Vector::axis(k), -X::Vector::axis(k));
    }
    let side = if X::R == 1 { 8u32 } else { 4 };
    for cell in 0..64u32 {
        let at = |k: usize| (0.5 + f64::from(cell / side.pow(k as u32) % side)) / f64::from(side);
        let (place, size) = (X::Vector::from_fn(at), 0.4 / f64::from(side));
        let body = match cell % 3 {
            0 => world.cuboid(place, X::Vector::from_fn(|_| 0.5 * size)),
            _ => world.ball(place, size),
        };
        world.state(body).velocity = X::Vector::from_fn(|_| 4.0 * dice.roll() - 2.0);
        world.state(body).spin = X::Spin::from_fn(|_| 10.0 * dice.roll() - 5.0);
    }
    let mut simulation = world.law(law).build();
    let step = |_| {
        let before = invariants(&simulation).2;
        let certificate = simulation.step().unwrap().certificate;
        // Cubes in many contacts with friction may stagnate before 1e-8.
        assert!(certificate.residual < 1e-3, "{certificate:?}");
        [before, invariants(&simulation).2]
    };
    (0..400).map(step).collect()
}

/// The greatest growth of the energy in a step, and the number of steps in which it grows.
fn growth(energies: &[[f64; 2]]) -> (f64, usize) {
    let growths = energies.iter().map(|[before, after]| after / before - 1.0);
    (growths.clone().fold(f64::MIN, f64::max), growths.filter(|growth| *growth > 1e-8).count())
}

fn energy_never_grows<X: Dim>() {
    let percussion = |normal, tangent, friction| Percussion { normal, tangent, friction };
    let inelastic = [gas::<X>(Frictionless {}), gas::<X>(Coulomb { friction: 0.5, rolling: 0.0 })];
    let rebounding = [
        gas::<X>(percussion(20.0, Some(5.0), None)),
        gas::<X>(percussion(200.0, Some(20.0), Some(0.3))),
        gas::<X>(percussion(1e4, None, None)),
    ];
    // A contact that opens already may be closed again by another collision.
    let cases = inelastic.iter().map(|energies| (energies, 0)).chain(rebounding.iter().map(|energies| (energies, 4)));
    for (number, (energies, most)) in cases.enumerate() {
        let (greatest, grows) = growth(energies);
        let (first, last) = (energies[0][0], energies[energies.len() - 1][1]);
        println!("{} dimensions, case {number}: {first:.3} to {last:.3} J, {greatest:.1e}, {grows} steps", X::D);
        assert!(grows <= most && last < 0.999 * first, "case {number}: {greatest}, {grows} steps, {first} to {last}");
    }
}

#[test]
fn no_step_gains_energy() {
    energy_never_grows::<Plane>();
    energy_never_grows::<Space>();
}

/// Friction against u_t+, with percussions whose work is done on u+ + u-: T. R. Kane's paradox.
#[test]
fn friction_against_the_velocity_after_a_rebound_may_gain_energy_and_against_the_mean_velocity_does_not() {
    let [after, mean] = [None, Some(1e6)]
        .map(|tangent| growth(&gas::<Plane>(Percussion { normal: 1e4, tangent, friction: Some(0.5) })));
    println!("{after:?}, {mean:?}");
    assert!(after.0 > 1e-3 && after.1 > 4 && mean.1 <= 4, "{after:?}, {mean:?}");
}

/// Velocities of all bodies after `time`.
fn velocities<X: Dim>(mut simulation: Simulation<X>, time: f64) -> Vec<(X::Vector, X::Spin)> {
    let reports = run(&mut simulation, time);
    let unsolved = reports.iter().filter(|report| !report.certificate.converged).count();
    assert!(unsolved == 0, "{unsolved} of {} steps", reports.len());
    let sweeps: u32 = reports.iter().map(|report| report.certificate.sweeps).sum();
    println!("{} sweeps a step", sweeps as usize / reports.len());
    simulation.bodies.by_id().iter().map(|state| (state.velocity, state.spin)).collect()
}

/// Greatest difference between the velocities of Gauss-Seidel and of A-CD2, over the greatest velocity.
fn apart<X: Dim>(of: impl Fn(SolverMethod) -> Vec<(X::Vector, X::Spin)>) -> f64 {
    let [one, other] = [SolverMethod::Nlgs, SolverMethod::Acd2].map(of);
    let greatest = |velocities: &mut dyn Iterator<Item = X::Vector>| velocities.map(|v| v.norm()).fold(0.0, f64::max);
    greatest(&mut one.iter().zip(&other).map(|(a, b)| a.0 - b.0)) / greatest(&mut one.iter().map(|a| a.0))
}

fn heaps_agree<X: Dim>() {
    let difference = apart::<X>(|method| {
        let mut world = World::<X>::new(1e-3).law(Frictionless {});
        world.deposit(0.8, 60, Radii::Uniform(0.06, 0.1), 0.98);
        world.plan.solver = strict(method);
        world.state(10).velocity = flat::<X>(1.0, 0.0);
        velocities(world.build(), 0.03)
    });
    println!("heap in {} dimensions: {difference:.1e}", X::D);
    assert!(difference < 1e-5, "{difference:e}");
}

#[test]
fn without_friction_velocities_are_those_of_gauss_seidel() {
    heaps_agree::<Plane>();
    heaps_agree::<Space>();
}

/// Walls under gravity and a sideways load: courses slide, head joints open, and the slender wall topples.
#[test]
fn walls_with_friction_move_as_with_gauss_seidel() {
    for (gravity, friction, masonry) in [
        ("[6, -9.81]", 0.5, "brick = [0.25, 0.08], courses = 6, bricks = 3, origin = [0, 0]"),
        ("[4, -4]", 0.5, "brick = [0.25, 0.1], courses = 5, bricks = 4, origin = [0, 0], joint = 0.001"),
        ("[5, -9.81]", 0.8, "brick = [0.25, 0.1], courses = 8, bricks = 2, origin = [0, 0], joint = 0.001"),
    ] {
        let difference = apart::<Plane>(|method| {
            let method = serde_json::to_value(method).unwrap();
            let text = format!(
                "world = {{ dimension = 2, gravity = {gravity} }}\ntime = {{ step = 1e-3, end = 1 }}\n\
                 solver = {{ method = {method}, tolerance = 1e-8, velocity_error = 1e-4, max_sweeps = 50000 }}\n\
                 materials.stone.density = 2000\n\
                 [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb.friction = {friction}\n\
                 [[bodies]]\nmaterial = \"stone\"\nplane.normal = [0, 1]\nposition = [0, 0]\nfixed = true\n\
                 [[generators]]\nmaterial = \"stone\"\nmasonry = {{ {masonry} }}\n"
            );
            velocities::<Plane>(simulate(&Scene::parse(&text, "test", Path::new(""), &[]).unwrap()), 0.02)
        });
        println!("wall under {gravity}: {difference:.1e}");
        assert!(difference < 1e-5, "{difference:e}");
    }
}

/// Three equal balls in a row that overlap a little: the first hits the second at 1 m/s while the third moves away at
/// `opening`; the kinetic energy after over that before.
fn cradle(opening: f64, over_mass: f64) -> f64 {
    let mut world = World::<Plane>::new(1e-7).weightless();
    world.plan.solver.method = SolverMethod::Acd2;
    for (number, velocity) in [1.0, 0.0, opening].into_iter().enumerate() {
        let ball = world.ball(flat::<Plane>(0.199_999 * number as f64, 0.0), 0.1);
        world.state(ball).velocity = flat::<Plane>(velocity, 0.0);
        world.state(ball).mass = 1.0;
    }
    let mut simulation = world.law(Percussion { normal: over_mass, tangent: None, friction: None }).build();
    let kinetic = |simulation: &Simulation<Plane>| -> f64 {
        simulation.bodies.by_id().iter().map(|state| 0.5 * state.mass * state.velocity.norm_squared()).sum()
    };
    let before = kinetic(&simulation);
    simulation.step().unwrap();
    kinetic(&simulation) / before
}

/// Zero must be an admissible mean velocity: it is not where a contact opens already.
#[test]
fn a_collision_gains_energy_only_where_a_contact_opens_before_it() {
    for over_mass in [1.0, 10.0, 1e6] {
        assert!(cradle(0.0, over_mass) <= 1.0 + 1e-9, "{}", cradle(0.0, over_mass));
    }
    assert!((cradle(0.1, 1e9) - 1.07 / 1.01).abs() < 1e-4, "{}", cradle(0.1, 1e9));
}
