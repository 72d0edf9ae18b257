//! Block relaxation: groups of contacts solved together instead of one contact at a time. Is a sweep over groups worth
//! its work?
//!
//! `cargo bench --bench blocks -- [KIND ...]` takes problems of spheres with a cold start and counts, to a residual of
//! 1e-3 and of 1e-4, the sweeps over the groups and, in brackets, the work in updates of every contact. A group is a
//! sphere with all its contacts, or a given number of consecutive spheres along the space-filling curve with the
//! contacts that begin there; its contacts are swept until the corrections are a tenth of the first, at most ten times.
//! The work is the cost if a group is solved by sweeping it; the number of sweeps is a lower bound for any group
//! solver. Reported, not asserted.
#![allow(missing_docs, clippy::unwrap_used)]

mod kinds;
#[path = "../tests/support/mod.rs"]
mod support;

use nalgebra::Vector3;
use nscdd::dim::{Dim, Space, Vector};
use nscdd::solver::{Change, ContactProblem, Momentum, Velocity, WORLD};

const KINDS: [&str; 6] = ["heap", "settling", "impact", "shear", "column", "polydisperse"];
const TOLERANCES: [f64; 2] = [1e-3, 1e-4];
/// Maximum work.
const CAP: f64 = 2500.0;
/// Maximum number of passes over a group, and the fraction of the first corrections at which it counts as solved.
const PASSES: usize = 10;
const SOLVED: f64 = 0.1;

struct Contact {
    bodies: [usize; 2],
    normal: Vector3<f64>,
    arm: f64,
    shift: Vector3<f64>,
    friction: f64,
    /// Inverse effective mass along the normal and across it.
    w: [f64; 2],
    impulse: Vector3<f64>,
}

/// A problem of spheres: contacts, motions, inverse masses.
struct Packing {
    contacts: Vec<Contact>,
    motions: Vec<Velocity<Space>>,
    inverse: Vec<f64>,
    problem: ContactProblem<Space>,
}

impl Packing {
    /// Takes over the solved `problem`, with zero impulses.
    fn new(mut problem: ContactProblem<Space>) -> Self {
        assert!(problem.general.is_empty());
        let mut impulses = Vec::new();
        problem.keep_impulses(&mut impulses);
        problem.restore_impulses(&impulses.iter().map(|impulse| -impulse).collect::<Vec<_>>());
        problem.apply_impulses();
        problem.restore_impulses(&vec![Vector3::zeros(); impulses.len()]);
        let inverse: Vec<_> = problem.rows.iter().map(|row| row.inverse_mass).collect();
        let contact = |lever: nscdd::solver::delassus::Lever<Space>| {
            let bodies = lever.bodies.map(|body| body.index());
            let side = usize::from(lever.bodies[0] == WORLD);
            let arm = lever.arms[side].dot(&lever.normal).abs();
            let masses = inverse[bodies[0]] + inverse[bodies[1]];
            let w = [masses, masses * (1.0 + Space::BALL * arm * arm)];
            let (shift, friction, impulse) = (lever.law.shift, lever.law.friction, Vector3::zeros());
            Contact { bodies, normal: lever.normal, arm, shift, friction, w, impulse }
        };
        let contacts = problem.round.iter().map(|round| contact(round.lever())).collect();
        let motions = problem.rows.iter().map(|row| row.velocities()).collect();
        Self { contacts, motions, inverse, problem }
    }

    /// Solves contact `k` alone; returns its squared correction times w.
    fn update(&mut self, k: usize) -> f64 {
        let Contact { bodies: [a, b], normal: n, arm, shift, friction, w, impulse } = self.contacts[k];
        let spin = (self.motions[a].spin + self.motions[b].spin) * arm;
        let u = self.motions[b].velocity - self.motions[a].velocity - spin.cross(&n) + shift;
        let (u_n, p_n) = (u.dot(&n), impulse.dot(&n));
        let tangent = (impulse - n * p_n) - (u - n * u_n) / w[1];
        let r_n = (p_n - u_n / w[0]).max(0.0);
        let (bound, length) = (friction * r_n, tangent.norm());
        let new = n * r_n + tangent * if length > bound { bound / length } else { 1.0 };
        let change = new - impulse;
        self.contacts[k].impulse = new;
        let turn = n.cross(&change) * (Space::BALL * arm);
        for (body, sign) in [(a, -1.0), (b, 1.0)] {
            self.motions[body].velocity += change * (sign * self.inverse[body]);
            self.motions[body].spin -= turn * self.inverse[body];
        }
        w[1] * change.norm_squared()
    }

    fn residual(&mut self) -> f64 {
        let impulses: Vec<_> = self.contacts.iter().map(|contact| contact.impulse).collect();
        self.problem.restore_impulses(&impulses);
        self.motions.iter().enumerate().for_each(|(place, motion)| self.problem.rows[place].set_velocities(motion));
        self.problem.residual().relative()
    }

    /// Sweeps all groups once; returns the number of updates.
    fn sweep(&mut self, groups: &[Vec<usize>]) -> usize {
        let mut updates = 0;
        for group in groups {
            let mut first = 0.0;
            for pass in 0..if group.len() > 1 { PASSES } else { 1 } {
                let change: f64 = group.iter().map(|&k| self.update(k)).sum();
                updates += group.len();
                first = if pass == 0 { change } else { first };
                if change <= SOLVED * SOLVED * first {
                    break;
                }
            }
        }
        updates
    }

    /// Sweeps and work to each tolerance.
    fn solve(mut self, groups: &[Vec<usize>], has_momentum: bool) -> [(u32, f64); 2] {
        let mut found = [(u32::MAX, CAP); 2];
        let (mut momentum, mut last) = (Momentum::default(), None::<Change>);
        let mut before: Vec<_> = self.contacts.iter().map(|contact| contact.impulse).collect();
        let mut motions = self.motions.clone();
        let (mut sweeps, mut work) = (0, 0.0);
        while work < CAP {
            let factor = if has_momentum { momentum.advance() } else { 0.0 };
            let mut start = Vec::with_capacity(before.len());
            for (contact, before) in self.contacts.iter_mut().zip(&mut before) {
                let now = contact.impulse;
                contact.impulse += (now - *before) * factor;
                *before = now;
                start.push(contact.impulse);
            }
            for (motion, before) in self.motions.iter_mut().zip(&mut motions) {
                let now = *motion;
                motion.velocity += (now.velocity - before.velocity) * factor;
                motion.spin += (now.spin - before.spin) * factor;
                *before = now;
            }
            work += self.sweep(groups) as f64 / self.contacts.len() as f64;
            sweeps += 1;
            let mut change = Change::default();
            for (k, contact) in self.contacts.iter().enumerate() {
                let correction = contact.impulse - start[k];
                change.size += contact.w[1] * correction.norm2();
                change.against -= contact.w[1] * correction.dot(&(contact.impulse - before[k]));
            }
            if let Some(last) = last.replace(change).filter(|_| has_momentum) {
                momentum.restart_test(&last);
            }
            let residual = self.residual();
            for (tolerance, found) in TOLERANCES.iter().zip(&mut found) {
                if residual <= *tolerance && found.0 == u32::MAX {
                    *found = (sweeps, work);
                }
            }
            if found[1].0 < u32::MAX {
                break;
            }
        }
        found
    }
}

/// Each sphere with all its contacts; every contact is in two groups.
fn stars(packing: &Packing) -> Vec<Vec<usize>> {
    let mut stars = vec![Vec::new(); packing.motions.len()];
    for (k, contact) in packing.contacts.iter().enumerate() {
        contact.bodies.iter().filter(|&&body| body != WORLD.index()).for_each(|&body| stars[body].push(k));
    }
    stars
}

/// `size` consecutive spheres, with the contacts that begin there.
fn lumps(packing: &Packing, size: usize) -> Vec<Vec<usize>> {
    let mut lumps = vec![Vec::new(); packing.motions.len() / size + 1];
    for (k, contact) in packing.contacts.iter().enumerate() {
        lumps[contact.bodies.into_iter().filter(|&body| body != WORLD.index()).min().unwrap() / size].push(k);
    }
    lumps
}

/// A name, and the function that forms the groups.
type Way = (&'static str, fn(&Packing) -> Vec<Vec<usize>>);
const WAYS: [Way; 5] = [
    ("one by one", |packing| (0..packing.contacts.len()).map(|k| vec![k]).collect()),
    ("stars", stars),
    ("4 spheres", |packing| lumps(packing, 4)),
    ("16 spheres", |packing| lumps(packing, 16)),
    ("64 spheres", |packing| lumps(packing, 64)),
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    println!("sweeps over groups (work in updates of every contact) to a residual of 1e-3 and 1e-4, from cold");
    let mut means = [[[0.0; 2]; WAYS.len()]; 2];
    let mut count = 0.0;
    for (name, make) in kinds::ALL.iter().filter(|(name, _)| KINDS.contains(name)) {
        if !wanted.is_empty() && !wanted.iter().any(|word| word == name) {
            continue;
        }
        for friction in [0.2, 0.5, 1.0] {
            let mut simulation = make(friction);
            simulation.step().unwrap();
            let packing = || Packing::new(simulation.domain().problem(0));
            count += 1.0;
            for (has_momentum, means) in [false, true].into_iter().zip(&mut means) {
                let method = if has_momentum { "momentum" } else { "plain" };
                print!("{name:<13}{friction:4.1} {method:<9}");
                let mut base = [1.0; 2];
                for (way, (title, groups)) in WAYS.iter().enumerate() {
                    let packing = packing();
                    let groups = groups(&packing);
                    let found = packing.solve(&groups, has_momentum);
                    base = if way == 0 { found.map(|(_, work)| work) } else { base };
                    print!("  {title}:");
                    for (k, (sweeps, work)) in found.into_iter().enumerate() {
                        let sweeps = if sweeps < u32::MAX { sweeps.to_string() } else { "-".into() };
                        print!(" {sweeps:>4} ({work:4.0})");
                        means[way][k] += (work / base[k]).ln();
                    }
                }
                println!();
            }
        }
    }
    for (method, means) in ["plain", "momentum"].iter().zip(means) {
        print!("{method}: work over that of contacts one by one, geometric mean at 1e-3 and 1e-4:");
        for ((title, _), mean) in WAYS.iter().zip(means).skip(1) {
            print!("  {title} {:.2} {:.2}", (mean[0] / count).exp(), (mean[1] / count).exp());
        }
        println!();
    }
}
