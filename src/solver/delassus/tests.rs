//! Tests of problems with explicit Delassus matrix.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::base::index::ProblemBody;
use crate::dim::{Plane, Space};
use crate::law::Reduced;
use crate::solver::{ContactProblem, LocalMap, Mass, SolverSettings, WORLD};

fn target(tolerance: f64, max_sweeps: u32) -> SolveTarget {
    SolveTarget { tolerance, max_sweeps, time_limit: None }
}

fn zero<X: Dim>(problem: &Delassus<X>) -> Vec<X::Vector> {
    vec![X::Vector::zero(); problem.contacts()]
}

/// Spheres and blocks with random contacts, some of them with this compliance.
fn random_contacts<X: Dim>(compliance: [f64; 2]) -> ContactProblem<X> {
    let mut random = rand_pcg::Pcg64::seed_from_u64(5);
    let mut uniform = move || random.next_u64() as f64 / u64::MAX as f64 - 0.5;
    let mut problem = ContactProblem::<X>::default();
    for _ in 0..40 {
        let (velocity, spin) = (X::Vector::from_fn(|_| uniform()), X::Spin::from_fn(|_| uniform()));
        problem.add_body(velocity, spin, Mass::ball(1.0 + uniform()));
    }
    for k in 0..120u32 {
        let bodies = [k * 7 % 41, 1 + k * 11 % 40].map(ProblemBody);
        if bodies[0] == bodies[1] {
            continue;
        }
        let direction = X::Vector::from_fn(|_| uniform());
        let normal = direction * (1.0 / direction.norm());
        let mut law = Reduced::cone(X::Vector::from_fn(|_| uniform()), 0.5 + uniform());
        let impulse = X::Vector::from_fn(|_| uniform());
        if k % 2 == 0 {
            problem.add_round(bodies, normal, 0.9, &law, impulse);
        } else {
            law.compliance = compliance;
            let arms = [X::Vector::from_fn(|_| uniform()), X::Vector::from_fn(|_| uniform())];
            problem.add_general(bodies, normal, arms, law, impulse, LocalMap::Projection);
        }
    }
    problem
}

/// The matrix agrees with the matrix-free arithmetic of the sweeps.
fn agrees<X: Dim>() {
    let mut problem = random_contacts::<X>([0.1, 0.2]);
    let matrix = Delassus::from_problem(&problem).unwrap();
    let impulses = problem.local_impulses();
    let u = matrix.velocities(&impulses);
    problem.apply_impulses();
    // With the velocities under those impulses taken as free ones, q equals u up to the contribution of compliance.
    let after = Delassus::from_problem(&problem).unwrap();
    for (row, lever) in
        problem.round.iter().map(|c| c.lever()).chain(problem.general.iter().map(|c| c.lever())).enumerate()
    {
        let [c_n, c_t] = lever.law.compliance;
        let give = X::Vector::from_fn(|i| impulses[row][i] * if i == 0 { c_n } else { c_t });
        assert!((after.free()[row] + give - u[row]).norm() < 1e-12 * (1.0 + u[row].norm()), "contact {row}");
    }
    let kept = problem.clone();
    problem.set_local_impulses(&impulses);
    for (a, b) in problem.local_impulses().iter().zip(kept.local_impulses()) {
        assert!((*a - b).norm() < 1e-14);
    }
}

#[test]
fn the_matrix_gives_the_velocities_of_the_sweeps() {
    agrees::<Plane>();
    agrees::<Space>();
}

#[test]
fn the_matrix_gives_the_residual_of_the_sweeps() {
    let mut problem = random_contacts::<Space>([0.0, 0.0]);
    let matrix = Delassus::from_problem(&problem).unwrap();
    let expected = matrix.residual(&problem.local_impulses());
    problem.apply_impulses();
    let found = problem.residual();
    assert!((found.relative() / expected.relative() - 1.0).abs() < 1e-12);
    assert!((found.largest() / expected.largest() - 1.0).abs() < 1e-12);
}

#[test]
fn a_block_pressed_down_sticks_and_a_block_pushed_hard_slides() {
    // One contact in the plane, mass 2 kg: W = I/2.
    let block = Matrix2::identity() * 0.5;
    for (push, friction, expected) in [(0.1, 0.5, Vector2::new(2.0, -0.2)), (3.0, 0.5, Vector2::new(2.0, -1.0))] {
        let problem = Delassus::<Plane>::new(vec![(0, 0, block)], vec![Vector2::new(-1.0, push)], vec![friction]);
        for method in
            [SolutionMethod::Nlgs, SolutionMethod::Accelerated, SolutionMethod::Accurate, SolutionMethod::Auto]
        {
            let solution = problem.solve(method, zero(&problem), &target(1e-12, 100));
            assert!(
                solution.is_converged && (solution.impulses[0] - expected).norm() < 1e-14,
                "{method:?} {solution:?}"
            );
        }
    }
}

#[test]
fn fclibs_measure_is_the_natural_map_with_a_step_of_one_over_one_plus_the_root_of_the_norm_of_q() {
    let problem =
        Delassus::<Space>::new(vec![(0, 0, Matrix3::identity())], vec![Vector3::new(-4.0, 0.0, 0.0)], vec![0.5]);
    // Without an impulse u = q, so that r - u is the normal times 4, inside the cone: 4/(1 + sqrt(4)).
    assert!((problem.merit(&[Vector3::zeros()]) - 4.0 / 3.0).abs() < 1e-15);
    assert_eq!(problem.merit(&[Vector3::new(4.0, 0.0, 0.0)]), 0.0);
}

#[test]
fn blocks_at_the_same_place_add_up_whatever_their_order() {
    let [a, b] = [Matrix2::new(1.0, 0.5, 0.5, 2.0), Matrix2::new(3.0, 0.0, 0.0, 1.0)];
    let free = vec![Vector2::new(1.0, 0.0), Vector2::new(-1.0, 0.0)];
    let problem = Delassus::<Plane>::new(vec![(1, 1, a), (0, 0, b), (1, 0, a), (1, 1, b)], free, vec![0.1, 0.2]);
    assert_eq!(problem.blocks(), 3);
    let row: Vec<_> = problem.row(1).map(|(column, block)| (column, *block)).collect();
    assert_eq!(row, [(0, a), (1, a + b)]);
}

/// A tower of spheres, each heavier by `ratio` than the one below it: the worst case for sweeps.
fn tower(count: u32, ratio: f64) -> ContactProblem<Space> {
    let mut problem = ContactProblem::<Space>::default();
    let law = Reduced::cone(Vector3::zeros(), 0.5);
    let mut below = WORLD;
    for level in 0..count {
        let mass = ratio.powi(level as i32);
        let body = problem.add_body(Vector3::new(0.0, 0.0, -0.01), Vector3::zeros(), Mass::ball(mass));
        problem.add_round([below, body], Vector3::z(), 1.0, &law, Vector3::zeros());
        below = body;
    }
    problem
}

#[test]
fn newtons_method_solves_a_tower_to_1e_10_where_sweeps_crawl() {
    let mut problem = tower(60, 1.2);
    let matrix = Delassus::from_problem(&problem).unwrap();
    let slow = matrix.solve(SolutionMethod::Nlgs, zero(&matrix), &target(1e-10, 2000));
    let quick = matrix.solve(SolutionMethod::Accurate, zero(&matrix), &target(1e-10, 2000));
    assert!(!slow.is_converged && slow.residual > 1e-5, "{:e}", slow.residual);
    assert!(quick.is_converged && quick.effort.sweeps <= 100 && quick.effort.newton_steps < 40, "{:?}", quick.effort);
    let certificate =
        problem.solve_accurately(&SolverSettings { tolerance: 1e-10, ..SolverSettings::default() }).unwrap();
    assert!(certificate.converged && certificate.active == 60);
    let weight = |level: i32| (level..60).map(|k| 0.01 * 1.2f64.powi(k)).sum::<f64>();
    for (level, contact) in (0..).zip(problem.round.iter()) {
        assert!((contact.impulse.z / weight(level) - 1.0).abs() < 1e-8, "level {level}");
    }
    // The bodies have come to rest.
    assert!(problem.rows.iter().all(|row| row.velocity.norm() < 1e-9));
}

#[test]
fn a_table_on_more_legs_than_it_needs_is_solved_although_its_matrix_is_singular() {
    let mut problem = ContactProblem::<Space>::default();
    let body = problem.add_body(Vector3::new(0.3, 0.0, -1.0), Vector3::zeros(), Mass::ball(1.0));
    for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0), (0.0, 1.0), (0.0, -1.0)] {
        let arms = [Vector3::zeros(), Vector3::new(x, y, -0.5)];
        let law = Reduced::cone(Vector3::zeros(), 0.2);
        problem.add_general([WORLD, body], Vector3::z(), arms, law, Vector3::zeros(), LocalMap::Projection);
    }
    let matrix = Delassus::from_problem(&problem).unwrap();
    let solution = matrix.solve(SolutionMethod::Accurate, zero(&matrix), &target(1e-12, 1000));
    assert!(solution.is_converged, "{solution:?}");
    let pressed: f64 = solution.impulses.iter().map(|r| r[0]).sum();
    assert!((pressed - 1.0).abs() < 1e-10, "{pressed}");
}

#[test]
fn glued_contacts_have_no_cone_and_are_refused() {
    let mut problem = tower(3, 1.0);
    let law = Reduced { normal: [f64::NEG_INFINITY, f64::INFINITY], ..Reduced::cone(Vector3::zeros(), 0.0) };
    problem.add_general(
        [1, 2].map(ProblemBody),
        Vector3::x(),
        [Vector3::zeros(); 2],
        law,
        Vector3::zeros(),
        LocalMap::Projection,
    );
    assert_eq!(Delassus::from_problem(&problem), Err(Unsuitable { contact: 3 }));
}

#[test]
fn nothing_to_solve_is_solved() {
    let problem = Delassus::<Space>::new(vec![], vec![], vec![]);
    assert!(problem.solve(SolutionMethod::Auto, vec![], &target(1e-12, 10)).is_converged);
}

#[test]
fn a_solve_without_time_makes_ten_sweeps_and_says_so_and_a_solved_problem_needs_none() {
    let matrix = Delassus::from_problem(&tower(60, 1.2)).unwrap();
    let at_once = SolveTarget { time_limit: Some(std::time::Duration::ZERO), ..target(1e-10, 100_000) };
    let methods = [SolutionMethod::Nlgs, SolutionMethod::Accelerated, SolutionMethod::Accurate, SolutionMethod::Auto];
    for method in methods {
        let solution = matrix.solve(method, zero(&matrix), &at_once);
        assert!(solution.is_out_of_time && !solution.is_converged, "{method:?}");
        assert!(solution.effort.sweeps <= 10 && solution.effort.newton_steps == 0, "{:?}", solution.effort);
        let solved = matrix.solve(SolutionMethod::Accurate, zero(&matrix), &target(1e-10, 2000)).impulses;
        let again = matrix.solve(method, solved, &at_once);
        assert!(again.is_converged && !again.is_out_of_time, "{method:?}");
    }
}

#[test]
fn a_solve_returns_the_best_impulses_it_has_seen_its_guess_included() {
    let matrix = Delassus::from_problem(&random_contacts::<Space>([0.0, 0.0])).unwrap();
    let good = matrix.solve(SolutionMethod::Accelerated, zero(&matrix), &target(1e-3, 10_000));
    for method in [SolutionMethod::Nlgs, SolutionMethod::Accelerated, SolutionMethod::Auto] {
        let more = matrix.solve(method, good.impulses.clone(), &target(1e-16, 10));
        assert!(more.residual <= good.residual, "{method:?}: {:e} after {:e}", more.residual, good.residual);
    }
}
