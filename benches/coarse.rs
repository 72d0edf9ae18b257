//! Cold start of a packing, coarse to fine: the impulses between rigid aggregates of bodies are the initial guess for
//! those of the bodies.
//!
//! `cargo bench --bench coarse -- [BODIES]` deposits disks (45 218) in a box and solves their first step of 10 ms to a
//! residual of 1e-3 and a velocity error of 0.3: from zero, and from aggregates. The bodies of a square cell move as
//! one; the problem of all contacts between cells is solved, the cells are halved four times, and each time the new
//! contacts are solved first, with the impulses of the others held fixed. Work is counted in sweeps over all contacts.
//! Reported, not asserted.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::time::Instant;

use nalgebra::Vector2;
use nscdd::base::index::ProblemBody;
use nscdd::base::scratch::ScratchVec;
use nscdd::contactor::Radii;
use nscdd::dim::{Dim, Plane, Square, Vector};
use nscdd::solver::delassus::Lever;
use nscdd::solver::{
    Certificate, Change, CheckSums, LocalMap, Mass, Momentum, MomentumState, NextAction, SolverMethod,
};
use nscdd::solver::{ContactProblem, ConvergenceMonitor, SolverSettings, WORLD, keep, restore};
use support::{GRAVITY, World};

type Spin = <Plane as Dim>::Spin;

const STEP: f64 = 1e-2;
/// Edges of the cells over the mean radius.
const CELLS: [f64; 5] = [128.0, 64.0, 32.0, 16.0, 8.0];
const RADIUS: f64 = 0.05;
/// Maximum number of sweeps over new contacts, and over all contacts between cells.
const HELD: u32 = 100;
const BETWEEN: u32 = 400;

/// The problem of the first step, with the position and the size of every body.
struct Packing {
    problem: ContactProblem<Plane>,
    places: Vec<Vector2<f64>>,
    sizes: Vec<f64>,
    levers: Vec<Lever<Plane>>,
    points: Vec<Vector2<f64>>,
}

impl Packing {
    fn deposit(count: u64) -> Self {
        let mut world = World::<Plane>::new(STEP);
        // No solve: only the problem is needed.
        world.plan.solver.max_sweeps = 0;
        let width = 18.0 * (count as f64 / 45_218.0).sqrt();
        world.deposit(width, count, Radii::Uniform(0.04, 0.06), 1.0);
        let mut simulation = world.build();
        simulation.skip_diagnosis();
        simulation.step().unwrap();
        let subdomain = &simulation.domain().subdomains()[0];
        let problem = simulation.domain().problem(0);
        let levers: Vec<_> = problem.round.iter().map(|contact| contact.lever()).collect();
        let (mut places, mut sizes) = (vec![Vector2::zeros(); problem.rows.len()], vec![1.0; problem.rows.len()]);
        let contacts = || simulation.domain().contacts(subdomain, &simulation.bodies);
        for (contact, lever) in contacts().zip(&levers) {
            for (state, body) in contact.bodies.into_iter().zip(lever.bodies) {
                (places[body.index()], sizes[body.index()]) = (state.position, state.size);
            }
        }
        let points = contacts().map(|contact| contact.detected.point).collect();
        Self { problem, places, sizes, levers, points }
    }

    /// Problem of rigid cells of edge `cell` with these impulses, and its contacts.
    fn between(&self, cell: f64, impulses: &[Vector2<f64>]) -> (ContactProblem<Plane>, Vec<usize>) {
        let key = |at: &Vector2<f64>| [(at.y / cell).floor() as i64, (at.x / cell).floor() as i64];
        let mut numbers = BTreeMap::from_iter(self.places.iter().skip(1).map(|at| (key(at), 0)));
        numbers.values_mut().zip(1..).for_each(|(number, next)| *number = next);
        let home: Vec<usize> =
            std::iter::once(0).chain(self.places.iter().skip(1).map(|at| numbers[&key(at)])).collect();
        let (mut mass, mut centre) = (vec![0.0; numbers.len() + 1], vec![Vector2::zeros(); numbers.len() + 1]);
        let (mut momentum, mut inertia, mut turning) = (centre.clone(), mass.clone(), mass.clone());
        for (body, &at) in self.places.iter().enumerate().skip(1) {
            let (m, home) = (self.problem.mass(body).mass, home[body]);
            mass[home] += m;
            centre[home] += at * m;
            momentum[home] += self.problem.rows[body].velocity * m;
        }
        centre.iter_mut().zip(&mass).skip(1).for_each(|(centre, mass)| *centre /= *mass);
        for (body, at) in self.places.iter().enumerate().skip(1) {
            let (m, row, size, home) =
                (self.problem.mass(body).mass, &self.problem.rows[body], self.sizes[body], home[body]);
            let arm = at - centre[home];
            inertia[home] += m * (arm.norm_squared() + size * size / Plane::BALL);
            turning[home] += m * (arm.perp(&row.velocity) + size * row.spin[0] / Plane::BALL);
        }
        let mut coarse = ContactProblem::default();
        for k in 1..mass.len() {
            let scaled = inertia[k] / (cell * cell);
            let diagonal = |value: f64| Square::diagonal(<Spin as Vector>::from_fn(|_| value));
            let own =
                Mass { inertia: diagonal(scaled), inverse_inertia: diagonal(1.0 / scaled), ..Mass::ball(mass[k]) };
            let spin = <Spin as Vector>::from_fn(|_| cell * turning[k] / inertia[k]);
            coarse.add_body(momentum[k] / mass[k], spin, own);
        }
        let mut contacts = Vec::new();
        for (contact, lever) in self.levers.iter().enumerate() {
            let bodies = lever.bodies.map(|body| home[body.index()]);
            if bodies[0] != bodies[1] {
                let arm = |body: usize| (self.points[contact] - centre[body]) / cell;
                let arms = bodies.map(|body| if body == WORLD.index() { Vector2::zeros() } else { arm(body) });
                let bodies = bodies.map(ProblemBody::new);
                coarse.add_general(bodies, lever.normal, arms, lever.law, impulses[contact], LocalMap::Projection);
                contacts.push(contact);
            }
        }
        (coarse, contacts)
    }
}

/// The contacts of `problem` selected by `is_new`, with their indices in it; all other impulses are held fixed.
fn alone(problem: &ContactProblem<Plane>, is_new: impl Fn(usize) -> bool) -> (ContactProblem<Plane>, Vec<usize>) {
    let (mut part, mut kept) = (problem.clone(), Vec::new());
    part.apply_impulses();
    part.round.clear_into(Vec::new());
    part.general.clear();
    let levers =
        problem.round.iter().map(|c| (c.lever(), true)).chain(problem.general.iter().map(|c| (c.lever(), false)));
    for (place, (Lever { bodies, normal, arms, law }, is_round)) in
        levers.enumerate().filter(|(place, _)| is_new(*place))
    {
        kept.push(place);
        if is_round {
            part.add_round(bodies, normal, arms[0].dot(&normal), &law, Vector::zero());
        } else {
            part.add_general(bodies, normal, arms, law, Vector::zero(), LocalMap::Projection);
        }
    }
    (part, kept)
}

/// Accelerated sweeps from the current impulses, as in a run.
fn solve(problem: &mut ContactProblem<Plane>, tolerance: f64, velocity_error: f64, max_sweeps: u32) -> Certificate {
    let method = SolverMethod::Accelerated;
    let settings = SolverSettings { method, tolerance, velocity_error, max_sweeps, ..SolverSettings::default() };
    let (mut free, mut last) = (ScratchVec::default(), Change::default());
    keep(&mut free, problem.rows.iter());
    problem.apply_impulses();
    let (mut watch, mut momentum, mut memory) =
        (ConvergenceMonitor::new(&settings), Momentum::default(), MomentumState::default());
    problem.start_momentum(&mut memory);
    for sweep in 1..=max_sweeps {
        let factor = momentum.advance();
        memory.extrapolate(problem.rows.own(), factor);
        let change = problem.sweep_on(LocalMap::Projection, 1.0, factor, &mut memory);
        momentum.allow_growth(watch.is_support_rising(sweep));
        if sweep > 1 {
            momentum.restart_test(&last);
        }
        last = change;
        let due = watch.due(sweep);
        if due == NextAction::Check {
            problem.fetch_impulses();
            let [moved, motion] = problem.moved(|body| free[body.index()], |_| true);
            let findings = CheckSums { corrections: change.corrections, residual: problem.residual(), moved, motion };
            if watch.check(sweep, &settings, &findings).is_end() {
                break;
            }
        }
    }
    restore(&mut problem.rows, &free);
    watch.certificate()
}

/// Impulses of the problem, sphere contacts first.
fn impulses(problem: &ContactProblem<Plane>) -> Vec<Vector2<f64>> {
    let mut kept = Vec::new();
    problem.keep_impulses(&mut kept);
    kept
}

/// Solves the new contacts, then all; counts the work in sweeps over `whole` contacts.
fn refine(
    problem: &mut ContactProblem<Plane>,
    is_new: impl Fn(usize) -> bool,
    aim: [f64; 2],
    most: u32,
    whole: usize,
) -> (Certificate, f64) {
    let mut work = 0.0;
    let (mut part, kept) = alone(problem, is_new);
    let mut found = impulses(problem);
    if kept.len() < found.len() {
        work += f64::from(solve(&mut part, 1e-4, 0.02, HELD).sweeps) * kept.len() as f64;
        kept.iter().zip(impulses(&part)).for_each(|(&place, impulse)| found[place] = impulse);
        problem.restore_impulses(&found);
    }
    let certificate = solve(problem, aim[0], aim[1], most);
    work += f64::from(certificate.sweeps) * found.len() as f64;
    (certificate, work / whole as f64)
}

fn main() {
    let count = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(45_218);
    let packing = Packing::deposit(count);
    let whole = packing.levers.len();
    println!("{count} disks, {whole} contacts, first step of {STEP} s");
    println!("way          sweeps  work  seconds  residual  velocity error  carried");
    for (name, cells) in [("from nothing", &[][..]), ("aggregates", &CELLS)] {
        let clock = Instant::now();
        let (mut guess, mut seen, mut total) = (vec![Vector2::zeros(); whole], vec![false; whole], 0.0);
        for cell in cells {
            let (mut coarse, contacts) = packing.between(cell * RADIUS, &guess);
            let (_, work) = refine(&mut coarse, |place| !seen[contacts[place]], [1e-4, 0.02], BETWEEN, whole);
            contacts.iter().zip(impulses(&coarse)).for_each(|(&contact, impulse)| guess[contact] = impulse);
            contacts.iter().for_each(|&contact| seen[contact] = true);
            total += work;
        }
        let mut fine = packing.problem.clone();
        fine.restore_impulses(&guess);
        let (found, work) = refine(&mut fine, |contact| !seen[contact], [1e-3, 0.3], 5000, whole);
        fine.apply_impulses();
        let seconds = clock.elapsed().as_secs_f64();
        let masses = || (0..fine.rows.len()).map(|body| fine.mass(body).mass);
        let mass: f64 = masses().sum();
        let momentum: f64 = masses().zip(fine.rows.iter()).map(|(mass, row)| mass * row.velocity.y).sum();
        println!(
            "{name:<12} {:6} {:5.0} {seconds:8.2}  {:8.1e} {:15.3} {:8.4}",
            found.sweeps,
            total + work,
            found.residual,
            found.velocity_error,
            1.0 + momentum / (mass * GRAVITY * STEP)
        );
    }
}
