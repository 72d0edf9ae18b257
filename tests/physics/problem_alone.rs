//! The contact problem as a value: built without geometry, saved, loaded, and solved on its own.

use crate::support::Dice;
use nalgebra::{Matrix3, Vector3};
use nscdd::base::index::ProblemBody;
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::Reduced;
use nscdd::solver::{
    ContactOrder, ContactProblem, LocalMap, Mass, SimdWidth, SolverMethod, SolverSettings, WORLD, limit_width,
};

/// A tower of `count` unit spheres under load: the impulse at level k is the weight of all above.
fn tower(count: u32) -> ContactProblem<Space> {
    let mut problem = ContactProblem::<Space>::default();
    let down = Vector3::new(0.0, 0.0, -0.01);
    let law = Reduced::cone(Vector3::zeros(), 0.5);
    let mut below = WORLD;
    for _ in 0..count {
        let body = problem.add_body(down, Vector3::zeros(), Mass::ball(2.0));
        problem.add_round([below, body], Vector3::z(), 1.0, &law, Vector3::zeros());
        below = body;
    }
    problem
}

fn strict() -> SolverSettings {
    SolverSettings { tolerance: 1e-10, velocity_error: 1e-5, max_sweeps: 10_000, ..SolverSettings::default() }
}

#[test]
fn a_tower_built_by_hand_carries_the_weight_above_at_every_level() {
    let mut problem = tower(6);
    let certificate = problem.solve(&strict());
    assert!(certificate.converged && certificate.active == 6);
    for (level, contact) in problem.round.iter().enumerate() {
        let expected = 0.01 * 2.0 * f64::from(6 - level as u32);
        assert!((contact.impulse.z / expected - 1.0).abs() < 1e-8, "level {level}: {}", contact.impulse.z);
    }
}

#[test]
fn accelerated_sweeps_find_the_same_tower_in_fewer_sweeps() {
    let (mut plain, mut fast) = (tower(40), tower(40));
    let by = |method| SolverSettings { method, ..strict() };
    let (slow, quick) = (plain.solve(&by(SolverMethod::Nlgs)), fast.solve(&by(SolverMethod::Accelerated)));
    assert!(quick.converged && 4 * quick.sweeps < slow.sweeps, "{} and {}", quick.sweeps, slow.sweeps);
    for (level, contact) in fast.round.iter().enumerate() {
        let expected = 0.01 * 2.0 * f64::from(40 - level as u32);
        assert!((contact.impulse.z / expected - 1.0).abs() < 1e-8, "level {level}: {}", contact.impulse.z);
    }
}

#[test]
fn jacobi_finds_the_same_tower_in_more_sweeps() {
    let mut problem = tower(6);
    let settings = SolverSettings { method: SolverMethod::Jacobi, ..strict() };
    let certificate = problem.solve(&settings);
    assert!(certificate.converged && certificate.sweeps > tower(6).solve(&strict()).sweeps);
    for (level, contact) in problem.round.iter().enumerate() {
        let expected = 0.01 * 2.0 * f64::from(6 - level as u32);
        assert!((contact.impulse.z / expected - 1.0).abs() < 1e-6, "level {level}: {}", contact.impulse.z);
    }
}

/// A sphere hit by many at once: without friction, the energy that sweeps minimise decreases with every sweep.
#[test]
fn jacobi_never_overshoots_however_many_contacts_a_body_has() {
    let mut problem = ContactProblem::<Space>::default();
    let mut dice = Dice(3);
    let middle = problem.add_body(Vector3::zeros(), Vector3::zeros(), Mass::ball(0.1));
    let law = Reduced::cone(Vector3::zeros(), 0.0);
    for _ in 0..12 {
        let normal = Vector3::from_fn(|_, _| dice.roll() - 0.5).normalize();
        let body = problem.add_body(normal * -1.0, Vector3::zeros(), Mass::ball(0.5 + dice.roll()));
        problem.add_round([middle, body], normal, 1.0, &law, Vector3::zeros());
    }
    let energy = |problem: &ContactProblem<Space>| {
        let of = |k: usize| problem.mass(k).mass * problem.rows[k].velocity.norm_squared();
        (1..problem.rows.len()).map(of).sum::<f64>()
    };
    let (mut last, mut change) = (energy(&problem), f64::INFINITY);
    for sweep in 0..2000 {
        problem.sweep_at_once(LocalMap::Projection, 1.0);
        let now = energy(&problem);
        assert!(now <= last * (1.0 + 1e-12), "sweep {sweep}: {last} to {now}");
        (last, change) = (now, last - now);
    }
    assert!(change < 1e-9 * last && problem.residual().relative() < 1e-3, "{change} {}", problem.residual().relative());
}

/// A law with bounds, compliance, cohesion or a spring, or with several of them.
fn any_law<X: Dim>(cone: Reduced<X>, normal: X::Vector, dice: &mut Dice) -> Reduced<X> {
    let mut law = cone;
    let mut chosen = || dice.roll() < 0.4;
    let [bounded, compliant, soft, cohesive, capped, springy] = std::array::from_fn(|_| chosen());
    if bounded {
        law.normal = [-0.3 * dice.roll(), 0.2 + dice.roll()];
    }
    if compliant {
        law.compliance = [dice.roll(), dice.roll()];
    }
    if soft {
        (law.knee, law.pull) = (0.5 - dice.roll(), law.compliance[0] + dice.roll());
    }
    if cohesive {
        law.cohesion = 0.3 * dice.roll();
    }
    if capped {
        law.cap = 0.3 * dice.roll();
    }
    if springy {
        let any = X::Vector::from_fn(|_| dice.roll() - 0.5);
        (law.spring, law.stretch) = (dice.roll(), any - normal * any.dot(&normal));
    }
    law
}

/// One block on the ground, thrown in any direction, under any law; one sweep.
fn law_in_batches_and_one_by_one<X: Dim>() {
    let mut dice = Dice(5);
    let mut carrying = 0;
    for case in 0..2000 {
        let velocity = X::Vector::from_fn(|_| dice.roll() - 0.5);
        let spin = X::Spin::from_fn(|_| dice.roll() - 0.5);
        let direction = X::Vector::from_fn(|_| dice.roll() - 0.5);
        let normal = direction * (1.0 / direction.norm());
        let arms = [0, 1].map(|_| X::Vector::from_fn(|_| dice.roll() - 0.5));
        let cone = Reduced::cone(X::Vector::from_fn(|_| 0.1 * dice.roll()), dice.roll());
        let law = any_law(cone, normal, &mut dice);
        let impulse = X::Vector::from_fn(|_| dice.roll() - 0.5);
        let swept = |order: ContactOrder| {
            let mut problem = ContactProblem::<X>::default();
            let body = problem.add_body(velocity, spin, Mass::ball(1.5));
            problem.add_general([WORLD, body], normal, arms, law, impulse, LocalMap::Projection);
            problem.solve(&SolverSettings { order, max_sweeps: 1, ..strict() });
            (problem.general[0].impulse, problem.rows[1].velocity, problem.rows[1].spin)
        };
        let ((p, v, w), (q, u, x)) = (swept(ContactOrder::Batches), swept(ContactOrder::Curve));
        let off = (p - q).norm().max((v - u).norm()).max((w - x).norm());
        assert!(off < 1e-13, "case {case}: {p:?} and {q:?} under {law:?}");
        carrying += usize::from(p.norm() > 1e-3);
    }
    assert!(carrying > 1000, "{carrying} carry");
}

#[test]
fn any_law_has_the_same_impulse_in_a_batch_and_alone() {
    law_in_batches_and_one_by_one::<Plane>();
    law_in_batches_and_one_by_one::<Space>();
}

/// Spheres of all masses in random contact, some of them with the ground; every third contact as if between
/// non-spherical bodies, and a few of those under another law. If `plain`, friction is uniform and only gaps shift
/// velocities.
pub(crate) fn tangle<X: Dim>(count: u32, plain: bool) -> ContactProblem<X> {
    let mut dice = Dice(8);
    let mut problem = ContactProblem::<X>::default();
    for _ in 0..count {
        let velocity = X::Vector::from_fn(|_| dice.roll() - 0.5);
        problem.add_body(velocity, X::Spin::from_fn(|_| dice.roll() - 0.5), Mass::ball(0.5 + dice.roll()));
    }
    for body in 1..=count {
        for other in [0, body / 2, body / 3 + 7, (body * 7) % count] {
            let direction = X::Vector::from_fn(|_| dice.roll() - 0.5);
            let normal = direction * (1.0 / direction.norm());
            let (shift, friction) = (X::Vector::from_fn(|_| 0.1 * dice.roll()), dice.roll());
            let law = if plain { Reduced::cone(normal * shift[0], 0.5) } else { Reduced::cone(shift, friction) };
            let arm = 1.0 - 0.01 * dice.roll();
            if other == body || (other == 0 && dice.roll() > 0.1) {
                continue;
            }
            let impulse = normal * dice.roll();
            if (body + other) % 3 > 0 {
                problem.add_round([other, body].map(ProblemBody), normal, arm, &law, impulse);
                continue;
            }
            let sidewards = X::Vector::from_fn(|_| 0.3 * (dice.roll() - 0.5));
            let arms = [normal * arm + sidewards, sidewards - normal * arm];
            let law = if body % 10 == 0 && !plain { any_law(law, normal, &mut dice) } else { law };
            problem.add_general([other, body].map(ProblemBody), normal, arms, law, impulse, LocalMap::Projection);
        }
    }
    problem
}

fn widths_agree<X: Dim>() {
    // Each of the eight kernels for sphere contacts.
    for kernel in 0..8 {
        let method = if kernel & 1 > 0 { SolverMethod::Accelerated } else { SolverMethod::Nlgs };
        let (plain, relaxation) = (kernel & 2 > 0, if kernel & 4 > 0 { 0.9 } else { 1.0 });
        let solved = |width: SimdWidth| {
            limit_width(width);
            let mut problem = tangle::<X>(500, plain);
            let certificate = problem.solve(&SolverSettings {
                method,
                order: ContactOrder::Batches,
                max_sweeps: 60,
                relaxation,
                ..strict()
            });
            limit_width(SimdWidth::Widest);
            (serde_json::to_string(&problem).unwrap(), certificate)
        };
        let one = solved(SimdWidth::One);
        assert!(one.1.active > 300 && one.1.residual.is_finite(), "{:?}", one.1);
        assert!(one == solved(SimdWidth::Four) && one == solved(SimdWidth::Widest));
    }
}

#[test]
fn the_width_of_vector_instructions_changes_no_bit() {
    widths_agree::<Plane>();
    widths_agree::<Space>();
}

#[test]
fn a_problem_saved_and_loaded_solves_to_the_same_bits() {
    let mut problem = tower(5);
    let mut loaded: ContactProblem<Space> = serde_json::from_str(&serde_json::to_string(&problem).unwrap()).unwrap();
    assert_eq!(problem, loaded);
    assert_eq!(problem.solve(&strict()), loaded.solve(&strict()));
    assert_eq!(problem, loaded);
}

/// A block on three feet, thrown sideways onto the ground. With four feet the distribution of the load is
/// indeterminate, and with friction so is the motion.
fn block(map: LocalMap) -> ContactProblem<Space> {
    let mut problem = ContactProblem::<Space>::default();
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.3, 0.4, 0.5));
    let mass = Mass {
        inverse_mass: Vector3::repeat(0.5),
        inverse_inertia: inertia.try_inverse().unwrap(),
        mass: 2.0,
        inertia,
    };
    let body = problem.add_body(Vector3::new(0.8, -0.3, -1.0), Vector3::new(0.3, 0.2, 0.1), mass);
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (0.0, 1.0)] {
        let arm = Vector3::new(0.6 * x, 0.5 * y, -0.4);
        let law = Reduced::cone(Vector3::zeros(), 0.3);
        problem.add_general([WORLD, body], Vector3::z(), [Vector3::zeros(), arm], law, Vector3::zeros(), map);
    }
    problem
}

#[test]
fn the_projection_and_the_exact_local_map_have_the_same_fixed_point() {
    let (mut projected, mut exact) = (block(LocalMap::Projection), block(LocalMap::Exact));
    let settings = |local| SolverSettings { local, ..strict() };
    assert!(projected.solve(&settings(LocalMap::Projection)).converged);
    assert!(exact.solve(&settings(LocalMap::Exact)).converged);
    let (a, b) = (&projected.rows[1], &exact.rows[1]);
    assert!((a.velocity - b.velocity).norm() < 1e-7, "{:?} and {:?}", a.velocity, b.velocity);
    assert!((a.spin - b.spin).norm() < 1e-7);
}

#[test]
fn a_problem_with_infinite_bounds_survives_the_round_trip() {
    let mut problem = block(LocalMap::Projection);
    let bilateral = Reduced {
        normal: [f64::NEG_INFINITY, f64::INFINITY],
        cohesion: f64::INFINITY,
        ..Reduced::cone(Vector3::zeros(), 0.0)
    };
    let arm = Vector3::new(0.0, 0.0, -0.4);
    problem.add_general(
        [WORLD, ProblemBody(1)],
        Vector3::z(),
        [Vector3::zeros(), arm],
        bilateral,
        Vector3::zeros(),
        LocalMap::Projection,
    );
    let loaded: ContactProblem<Space> = serde_json::from_str(&serde_json::to_string(&problem).unwrap()).unwrap();
    assert_eq!(problem, loaded);
    problem.solve(&strict());
    let row = &problem.rows[1];
    assert!((row.velocity + row.spin.cross(&arm)).norm() < 1e-7, "the bilateral point moves");
}
