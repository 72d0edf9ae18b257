//! True velocity errors of solved steps: the reference that the certificate is compared with.
//!
//! The reference solution comes from the accurate solver, started from the final impulses of the sweeps: a frictional
//! problem may have several solutions, and the nearest one counts. Laws other than friction cones are swept to a fixed
//! point.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::path::Path;

use nscdd::dim::{Dim, Plane, Space};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;
use nscdd::solver::{Certificate, ContactProblem, SolverMethod, SolverSettings, Velocity};

/// A kind of scene, with the steps that are examined: every `every` steps up to `last`.
pub struct Kind {
    pub name: &'static str,
    pub text: String,
    pub every: u64,
    pub last: u64,
}

/// A step and its true error.
pub struct Tried {
    pub step: u64,
    pub certificate: Certificate,
    /// ||V - V*||_M / ||V* - V_free||_M; `None` if no solution was found.
    pub error: Option<f64>,
}

/// The examined steps of a kind, with these settings in addition to its own (`"solver.tolerance=1e-3"`).
pub fn tried(kind: &Kind, settings: &[&str]) -> Vec<Tried> {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    let scene =
        Scene::parse(&kind.text, kind.name, Path::new(""), &settings).unwrap_or_else(|e| panic!("{}: {e}", kind.name));
    match scene.world.dimension {
        2 => steps::<Plane>(kind, &scene),
        _ => steps::<Space>(kind, &scene),
    }
}

fn steps<X: Dim>(kind: &Kind, scene: &Scene) -> Vec<Tried> {
    let mut simulation = Simulation::<X>::of(scene).unwrap();
    let mut tried = Vec::new();
    for step in 1..=kind.last {
        let certificate = simulation.step().unwrap().certificate;
        if step % kind.every == 0 && certificate.active != 0 {
            let error = true_error(&simulation.domain().problem(0));
            tried.push(Tried { step, certificate, error });
        }
    }
    tried
}

/// Relative velocity error of a solved problem, in the kinetic norm.
pub fn true_error<X: Dim>(solved: &ContactProblem<X>) -> Option<f64> {
    let found: Vec<Velocity<X>> = solved.rows.iter().map(|row| row.velocities()).collect();
    let mut twice = solved.clone();
    twice.apply_impulses();
    let mut exact = solved.clone();
    for (place, (found, twice)) in found.iter().zip(twice.rows.iter()).enumerate() {
        let velocity = found.velocity + found.velocity - twice.velocity;
        let spin = found.spin + found.spin - twice.spin;
        exact.rows[place].set_velocities(&Velocity { velocity, spin });
    }
    let free: Vec<Velocity<X>> = exact.rows.iter().map(|row| row.velocities()).collect();
    let settings = SolverSettings { tolerance: 1e-10, max_sweeps: 20_000, ..SolverSettings::default() };
    let is_solved = match exact.solve_accurately(&settings) {
        Ok(certificate) => certificate.converged,
        Err(_) => {
            let plain = SolverSettings {
                method: SolverMethod::Nlgs,
                tolerance: 1e-9,
                velocity_error: 0.0,
                max_sweeps: 200_000,
                warm_start: false,
                ..settings
            };
            exact.solve(&plain).converged
        }
    };
    let error = (exact.moved(|body| found[body.index()], |_| true)[0]
        / exact.moved(|body| free[body.index()], |_| true)[0])
        .sqrt();
    is_solved.then_some(error)
}

/// World, time, and one material with friction `mu` against itself.
fn head(dimension: u32, h: f64, mu: f64) -> String {
    format!(
        "[world]\ndimension = {dimension}\n[time]\nstep = {h:e}\nend = 10\n[domain]\nsubdomains = 1\n\
         [materials.stone]\ndensity = 2600\n[[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = {{ friction = {mu} }}\n"
    )
}

fn floor() -> String {
    "[[bodies]]\nmaterial = \"stone\"\nplane = { normal = [0, 0, 1] }\nposition = [0, 0, 0]\nfixed = true\n".into()
}

fn body(shape: &str, position: [f64; 3], rest: &str) -> String {
    format!("[[bodies]]\nmaterial = \"stone\"\n{shape}\nposition = {position:?}\n{rest}\n")
}

fn sphere(radius: f64, z: f64) -> String {
    body(&format!("sphere = {{ radius = {radius} }}"), [0.0, 0.0, z], "")
}

fn generator(text: &str) -> String {
    format!("[[generators]]\nmaterial = \"stone\"\n{text}\n")
}

/// An open box of that width with the given contents.
fn basin(dimension: u32, width: f64, inside: &str) -> String {
    let (min, max, up) = match dimension {
        2 => ("[0, 0]".to_string(), format!("[{width}, 50]"), "+y"),
        _ => ("[0, 0, 0]".to_string(), format!("[{width}, {width}, 50]"), "+z"),
    };
    generator(&format!("walls = {{ min = {min}, max = {max}, open = [\"{up}\"] }}")) + &generator(inside)
}

/// Two stacked spheres, the upper one `ratio` times heavier, dropped from a small height.
fn two_balls(ratio: f64) -> String {
    let radius = 0.02 * ratio.cbrt();
    head(3, 1e-3, 0.5) + &floor() + &sphere(0.02, 0.02) + &sphere(radius, 0.042 + radius)
}

fn heap(mu: f64, radii: &str) -> String {
    let inside =
        format!("deposit = {{ min = [0, 0, 0], max = [0.5, 0.5, 20], count = 200, radius = {{ uniform = {radii} }} }}");
    head(3, 1e-3, mu) + &basin(3, 0.5, &inside)
}

const COLD: &str = "[solver]\nwarm_start = false\n";

const FALLING: &str = "lattice = { count = [5, 5, 8], spacing = 0.1, origin = [0, 0, 0], jitter = 0.5, radius = { uniform = [0.04, 0.047] } }";

fn kind(name: &'static str, every: u64, last: u64, text: String) -> Kind {
    Kind { name, text, every, last }
}

/// Round and angular bodies in two and three dimensions, mass ratios from 1 to a million, cold and warm starts,
/// friction from 0 to 1, driven, linked, with restitution.
pub fn kinds() -> Vec<Kind> {
    [mass_ratios(), packings(), angular_bodies(), laws_and_impacts()].into_iter().flatten().collect()
}

fn mass_ratios() -> Vec<Kind> {
    let bed = "deposit = { min = [0, 0, 0], max = [0.3, 0.3, 20], count = 60, radius = { uniform = [0.02, 0.025] } }";
    vec![
        kind("two balls, 1:8", 5, 100, two_balls(8.0)),
        kind("two balls, 1:1000", 5, 100, two_balls(1e3)),
        kind("two balls, 1:8000", 5, 100, two_balls(8e3)),
        kind("two balls, 1:1e6", 5, 100, two_balls(1e6)),
        kind(
            "slab on a bed",
            10,
            150,
            head(3, 1e-3, 0.5)
                + &basin(3, 0.3, bed)
                + &body("box = { size = [0.28, 0.28, 0.5] }\nmass = 20000", [0.15, 0.15, 0.5], ""),
        ),
    ]
}

fn packings() -> Vec<Kind> {
    let disks = "deposit = { min = [0, 0], max = [1, 20], count = 150, radius = { uniform = [0.02, 0.05] } }";
    let pushed =
        body("box = { size = [0.1, 2.0] }", [-0.06, 1.0, 0.0], "driven = { hold = true, velocity = { x = 0.3 } }")
            .replace(", 0.0]", "]");
    vec![
        kind("falling spheres", 20, 300, head(3, 1e-3, 0.5) + &basin(3, 0.5, FALLING)),
        kind("heap", 20, 300, heap(0.5, "[0.03, 0.04]")),
        kind("heap without friction", 20, 300, heap(0.0, "[0.03, 0.04]")),
        kind("heap, friction 1", 20, 300, heap(1.0, "[0.03, 0.04]")),
        kind("heap from cold", 20, 300, heap(0.5, "[0.03, 0.04]") + COLD),
        kind("heap, radii 1:5", 20, 300, heap(0.5, "[0.01, 0.05]")),
        kind("disks", 20, 300, head(2, 1e-3, 0.5) + &basin(2, 1.0, disks)),
        kind("disks pushed by a wall", 20, 300, head(2, 1e-3, 0.5) + &basin(2, 1.0, disks) + &pushed),
    ]
}

fn angular_bodies() -> Vec<Kind> {
    let stack = |count: u32| -> String {
        let at = |k: u32| [0.0, 0.0, 0.05 + 0.1 * f64::from(k)];
        (0..count).map(|k| body("box = { size = [0.2, 0.2, 0.1] }", at(k), "")).collect()
    };
    let pentagons = "shape = { polygon = { sides = 5, radius = 1 } }\n\
         lattice = { count = [8, 10], spacing = 0.12, origin = [0, 0], jitter = 0.4, radius = { uniform = [0.045, 0.055] } }";
    let grains = "shape = { box = { size = [1.2, 1, 0.8] } }\n\
         lattice = { count = [3, 3, 5], spacing = 0.16, origin = [0, 0, 0], jitter = 0.3, radius = { uniform = [0.07, 0.08] } }";
    vec![
        kind("pentagons", 20, 400, head(2, 1e-3, 0.6) + &basin(2, 1.0, pentagons)),
        kind("pentagons from cold", 20, 300, head(2, 1e-3, 0.3) + &basin(2, 1.0, pentagons) + COLD),
        kind("boxes", 20, 400, head(3, 1e-3, 0.5) + &basin(3, 0.5, grains)),
        kind("stack of ten", 10, 150, head(3, 1e-3, 0.5) + &floor() + &stack(10)),
        kind("stack from cold", 10, 150, head(3, 1e-3, 0.5) + &floor() + &stack(10) + COLD),
        kind(
            "brick wall",
            10,
            150,
            head(3, 2e-3, 0.6)
                + &floor()
                + &generator("masonry = { brick = [0.25, 0.12, 0.08], courses = 8, bricks = 6, origin = [0, 0, 0] }"),
        ),
        kind(
            "arch",
            10,
            150,
            head(2, 1e-3, 0.8)
                + &generator("arch = { inner_radius = 0.9, thickness = 0.2, voussoirs = 21, centre = [0, 0.2] }"),
        ),
    ]
}

/// Spheres in a row, joined by rods, the first one fixed.
fn chain_of_rods() -> String {
    (0..8)
        .map(|k| {
            let link = if k > 0 {
                format!("[[links]]\nbetween = [{}, {k}]\nrod = {{ length = 0.1 }}\ncollide = false\n", k - 1)
            } else {
                String::new()
            };
            let fixed = if k == 0 { "fixed = true\n" } else { "" };
            format!("[[bodies]]\nid = {k}\nmaterial = \"stone\"\nsphere = {{ radius = 0.03 }}\nposition = [{:.1}, 0, 1]\n{fixed}{link}", 0.1 * f64::from(k))
        })
        .collect()
}

/// Restitution, links, cold starts and impacts.
fn laws_and_impacts() -> Vec<Kind> {
    let bounce = "[[laws]]\nbetween = [\"stone\", \"stone\"]\nrestitution = { normal = 0.7, friction = 0.4 }\n";
    vec![
        kind("restitution", 20, 300, head(3, 1e-3, 0.4) + bounce + &basin(3, 0.5, FALLING)),
        kind("chain of rods", 10, 150, head(3, 1e-3, 0.5) + &chain_of_rods()),
        kind(
            "column of spheres from cold",
            10,
            150,
            head(3, 1e-3, 0.5)
                + &basin(
                    3,
                    0.2,
                    "deposit = { min = [0, 0, 0], max = [0.2, 0.2, 20], count = 80, radius = { uniform = [0.03, 0.04] } }",
                )
                + COLD,
        ),
        kind(
            "hammer of 1:10000",
            5,
            100,
            head(3, 1e-3, 0.5)
                + &floor()
                + &sphere(0.05, 0.05)
                + &body("box = { size = [0.3, 0.3, 0.6] }\nmass = 13614", [0.0, 0.0, 0.43], "velocity = [0, 0, -2]"),
        ),
    ]
}
