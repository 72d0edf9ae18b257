//! Tests of ADMM on walls of blocks built by hand.

use super::*;
use crate::dim::{Plane, Space, Square};
use crate::law::Reduced;
use crate::solver::{Certificate, LocalMap, Mass, SolverMethod, WORLD};

/// Half the length, depth and height of a block, m.
const HALF: [f64; 3] = [0.5, 0.25, 0.2];
/// Velocity that gravity gives a body in a step, m/s.
const FALL: f64 = 0.01;
const FRICTION: f64 = 0.6;

/// A block of a wall: middle and half length along the wall, and the course.
#[derive(Clone, Copy)]
struct WallBlock {
    middle: f64,
    half: f64,
    course: usize,
}

/// A wall in running bond; every other course has half a block at both ends.
fn running_bond(courses: usize, blocks: usize) -> Vec<WallBlock> {
    let of_course = |course: usize| {
        let odd = course % 2;
        (0..blocks + odd).map(move |block| {
            let is_half = odd == 1 && (block == 0 || block == blocks);
            let shift =
                if odd == 0 { 0.0 } else { [0.5, 0.25, 0.75][usize::from(is_half) * (1 + usize::from(block > 0))] };
            let half = if is_half { 0.5 * HALF[0] } else { HALF[0] };
            WallBlock { middle: 2.0 * HALF[0] * (block as f64 - shift), half, course }
        })
    };
    (0..courses).flat_map(of_course).collect()
}

fn mass<X: Dim>(block: &WallBlock) -> Mass<X> {
    let mass = 1800.0 * 8.0 * block.half * HALF[1] * HALF[2];
    let half = X::Vector::from_fn(|k| if k == 0 { block.half } else { HALF[if k + 1 == X::D { 2 } else { 1 }] });
    let inertia = X::Spin::from_fn(|i| {
        let across = X::Vector::from_fn(|k| if X::R > 1 && k == i { 0.0 } else { half[k] });
        mass * across.norm2() / 3.0
    });
    Mass {
        inverse_mass: X::Vector::from_fn(|_| 1.0 / mass),
        inverse_inertia: X::Tensor::diagonal(X::Spin::from_fn(|i| 1.0 / inertia[i])),
        mass,
        inertia: X::Tensor::diagonal(inertia),
    }
}

/// A wall on the ground before the impulses of the first step; contact points are the corners of the common faces, of
/// the bed joints and of the head joints.
fn wall<X: Dim>(courses: usize, blocks: usize) -> ContactProblem<X> {
    let mut problem = wall_with_open_head_joints::<X>(courses, blocks);
    let law = Reduced::cone(X::Vector::zero(), FRICTION);
    for (number, pair) in running_bond(courses, blocks).windows(2).enumerate() {
        let sides = [-1.0, 1.0].into_iter().flat_map(|up| sides::<X>().iter().map(move |side| (up, *side)));
        for (up, side) in sides.filter(|_| pair[0].course == pair[1].course) {
            let arm = |along: f64| {
                X::Vector::from_fn(|k| match k {
                    0 => along,
                    k if k + 1 == X::D => up * HALF[2],
                    _ => side * HALF[1],
                })
            };
            let (bodies, arms) =
                ([1, 2].map(|k| ProblemBody::new(number + k)), [arm(pair[0].half), arm(-pair[1].half)]);
            problem.add_general(bodies, X::Vector::axis(0), arms, law, X::Vector::zero(), LocalMap::Projection);
        }
    }
    problem
}

/// Where contact points lie across the wall, over half its depth.
fn sides<X: Dim>() -> &'static [f64] {
    if X::HAS_DEPTH { &[-1.0, 1.0] } else { &[0.0] }
}

fn wall_with_open_head_joints<X: Dim>(courses: usize, blocks: usize) -> ContactProblem<X> {
    let (mut problem, wall) = (ContactProblem::<X>::default(), running_bond(courses, blocks));
    let up = X::Vector::axis(X::D - 1);
    wall.iter().for_each(|block| _ = problem.add_body(up * -FALL, X::Spin::zero(), mass(block)));
    let law = Reduced::cone(X::Vector::zero(), FRICTION);
    for (number, block) in wall.iter().enumerate() {
        let ground = [(WORLD, *block)].into_iter().filter(|_| block.course == 0);
        let below = wall.iter().enumerate().filter(|(_, other)| other.course + 1 == block.course);
        for (body, other) in ground.chain(below.map(|(other, below)| (ProblemBody::new(1 + other), *below))) {
            let from = (block.middle - block.half).max(other.middle - other.half);
            let to = (block.middle + block.half).min(other.middle + other.half);
            for (x, side) in [from, to].into_iter().flat_map(|x| sides::<X>().iter().map(move |side| (x, *side))) {
                let arm = |of: &WallBlock, height: f64| {
                    X::Vector::from_fn(|k| match k {
                        0 => x - of.middle,
                        k if k + 1 == X::D => height,
                        _ => side * HALF[1],
                    })
                };
                if to - from > 1e-9 {
                    let arms = [arm(&other, HALF[2]), arm(block, -HALF[2])];
                    let bodies = [body, ProblemBody::new(1 + number)];
                    problem.add_general(bodies, up, arms, law, X::Vector::zero(), LocalMap::Projection);
                }
            }
        }
    }
    problem
}

fn settings(method: SolverMethod, tolerance: f64, max_sweeps: u32) -> SolverSettings {
    SolverSettings { method, tolerance, velocity_error: 1e-3, max_sweeps, ..SolverSettings::default() }
}

/// Solves a copy; returns it with its certificate.
fn solved<X: Dim>(problem: &ContactProblem<X>, settings: &SolverSettings) -> (ContactProblem<X>, Certificate) {
    let mut problem = problem.clone();
    let certificate = problem.solve(settings);
    problem.fetch_impulses();
    (problem, certificate)
}

fn impulses<X: Dim>(problem: &ContactProblem<X>) -> Vec<X::Vector> {
    let mut impulses = Vec::new();
    problem.keep_impulses(&mut impulses);
    impulses
}

fn stands<X: Dim>(wall: &ContactProblem<X>) {
    let (by_admm, certificate) = solved(wall, &settings(SolverMethod::Admm, 1e-7, 5000));
    assert!(certificate.converged && certificate.residual <= 1e-7, "{certificate:?}");
    assert!(certificate.sweeps <= 60, "{certificate:?}");
    // The ground carries the weight.
    let up = X::Vector::axis(X::D - 1);
    let on_ground = by_admm.general.iter().filter(|contact| contact.lever().bodies[0] == WORLD);
    let carried: f64 = on_ground.map(|contact| contact.impulse.dot(&up)).sum();
    let weight: f64 = (1..by_admm.rows.len()).map(|body| by_admm.mass(body).mass * FALL).sum();
    assert!((carried / weight - 1.0).abs() < 1e-6, "{carried} {weight}");
}

#[test]
fn a_wall_is_solved_to_1e_7_from_a_cold_start() {
    stands(&wall::<Plane>(12, 8));
    stands(&wall::<Space>(12, 8));
    stands(&wall_with_open_head_joints::<Space>(12, 8));
}

#[test]
fn admm_finds_the_velocities_of_converged_sweeps() {
    // A course is pushed along the wall, less than friction bears.
    let mut wall = wall::<Space>(4, 3);
    (8..=10).for_each(|body| wall.rows[body].velocity[0] = 0.2 * FALL);
    let (by_admm, first) = solved(&wall, &settings(SolverMethod::Admm, 1e-6, 5000));
    let strict = SolverSettings { velocity_error: 1e-4, ..settings(SolverMethod::Nlgs, 1e-8, 200_000) };
    let (by_sweeps, second) = solved(&wall, &strict);
    assert!(first.converged && second.converged && first.sweeps <= 60, "{first:?} {second:?}");
    for body in 1..wall.rows.len() {
        let (a, b) = (by_admm.rows[body], by_sweeps.rows[body]);
        let off = (a.velocity - b.velocity).norm() + (a.spin - b.spin).norm();
        assert!(off < 1e-3 * FALL, "body {body}: {off:e}");
    }
}

/// Both methods give the same bytes.
fn is_left_to_sweeps<X: Dim>(problem: &ContactProblem<X>, tolerance: f64) {
    let [(by_admm, first), (by_sweeps, second)] = [SolverMethod::Admm, SolverMethod::Accelerated]
        .map(|method| solved(problem, &settings(method, tolerance, 200)));
    assert_eq!(first, second);
    assert_eq!(impulses(&by_admm), impulses(&by_sweeps));
}

#[test]
fn where_admm_fails_the_result_is_that_of_the_sweeps() {
    // No method reaches a residual below rounding.
    is_left_to_sweeps(&wall::<Plane>(5, 4), 1e-18);
}

#[test]
fn other_laws_than_friction_cones_are_left_to_the_sweeps() {
    let mut wall = wall::<Plane>(5, 4);
    let law = Reduced { cohesion: 0.1, ..Reduced::cone(Vector::zero(), FRICTION) };
    let (up, down) = (Vector::axis(1), nalgebra::Vector2::new(0.0, -HALF[2]));
    wall.add_general([WORLD, ProblemBody(1)], up, [down, down], law, Vector::zero(), LocalMap::Projection);
    is_left_to_sweeps(&wall, 1e-6);
}

#[test]
fn a_body_that_moves_along_some_axes_only_is_left_to_the_sweeps() {
    let mut wall = wall::<Plane>(2, 3);
    let mut mass = wall.mass(1);
    mass.inverse_mass[0] = 0.0;
    let body = wall.add_body(nalgebra::Vector2::new(0.0, -FALL), Vector::zero(), mass);
    let arm = nalgebra::Vector2::new(0.0, -HALF[2]);
    let law = Reduced::cone(Vector::zero(), FRICTION);
    wall.add_general([ProblemBody(1), body], Vector::axis(1), [-arm, arm], law, Vector::zero(), LocalMap::Projection);
    is_left_to_sweeps(&wall, 1e-6);
}
