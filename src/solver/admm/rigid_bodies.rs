//! The bodies of a problem that contacts can move, and their unknowns: velocity and scaled spin of each.

use crate::base::index::ProblemBody;
use crate::dim::{Dim, Square, Vector};
use crate::solver::{ContactProblem, Mass, Velocity};

/// Number for bodies without unknowns.
const FIXED: usize = usize::MAX;

/// Energy of the velocities relative to the mean one, over that of the mean one, up to which they count as the same.
const SAME: f64 = 1e-6;

/// Masses of the bodies of a problem, and the place of each among the unknowns.
pub(super) struct RigidBodies<X: Dim> {
    pub(super) masses: Vec<Mass<X>>,
    /// Number of each body among those that can move.
    numbers: Vec<usize>,
    /// The bodies that can move, with their inertia for scaled spins, kg.
    pub(super) moving: Vec<(usize, X::Tensor)>,
}

impl<X: Dim> RigidBodies<X> {
    /// `None` if a body can move along some axes only.
    pub(super) fn of(problem: &ContactProblem<X>) -> Option<Self> {
        let masses: Vec<Mass<X>> = (0..problem.rows.len()).map(|body| problem.mass(body)).collect();
        let (mut numbers, mut moving) = (vec![FIXED; masses.len()], Vec::new());
        for (body, mass) in masses.iter().enumerate() {
            let is_fixed = mass.inverse_mass == X::Vector::zero() && mass.inverse_inertia == X::Tensor::null();
            if !is_fixed {
                let is_free = (0..X::D).all(|k| mass.inverse_mass[k] > 0.0);
                let inertia = mass.inverse_inertia.inverted().filter(|_| is_free)?;
                numbers[body] = moving.len();
                moving.push((body, inertia));
            }
        }
        Some(Self { masses, numbers, moving })
    }

    pub(super) fn mass(&self, body: ProblemBody) -> Mass<X> {
        self.masses[body.index()]
    }

    /// First unknown of a body; none if it cannot move.
    pub(super) fn unknown(&self, body: ProblemBody) -> Option<usize> {
        let number = self.numbers[body.index()];
        (number != FIXED).then_some(number * width::<X>())
    }

    /// Number of unknowns.
    pub(super) fn unknowns(&self) -> usize {
        self.moving.len() * width::<X>()
    }

    /// Overwrites impulses and torques with M^-1 times them.
    pub(super) fn accelerate(&self, loads: &mut [f64]) {
        for (load, (body, _)) in loads.chunks_exact_mut(width::<X>()).zip(&self.moving) {
            let mass = &self.masses[*body];
            let velocity = mass.inverse_mass.times(&X::Vector::read(load));
            let spin = mass.inverse_inertia.apply(X::Spin::read(&load[X::D..]));
            (0..X::D).for_each(|k| load[k] = velocity[k]);
            (0..X::R).for_each(|k| load[X::D + k] = spin[k]);
        }
    }

    /// Do all bodies have the same free velocity, as bodies at rest have under gravity?
    pub(super) fn move_as_one(&self, free: impl Fn(ProblemBody) -> Velocity<X>) -> bool {
        let all: Vec<(f64, Velocity<X>)> =
            self.moving.iter().map(|(body, _)| (self.masses[*body].mass, free(ProblemBody::new(*body)))).collect();
        let total: f64 = all.iter().map(|(mass, _)| mass).sum();
        let momentum = all.iter().fold(X::Vector::zero(), |sum, (mass, row)| sum + row.velocity * *mass);
        let mean = momentum * (1.0 / total);
        let relative = |row: Velocity<X>| unknowns_of(Velocity { velocity: row.velocity - mean, ..row });
        let differences: Vec<f64> = all.into_iter().flat_map(|(_, row)| relative(row)).collect();
        self.energy(&differences) <= SAME * total * mean.norm2()
    }

    /// V.M V.
    pub(super) fn energy(&self, velocities: &[f64]) -> f64 {
        let of_body = |(row, (body, inertia)): (&[f64], &(usize, X::Tensor))| {
            let inverse = self.masses[*body].inverse_mass;
            let spin = X::Spin::read(&row[X::D..]);
            (0..X::D).map(|k| row[k] * row[k] / inverse[k]).sum::<f64>() + inertia.apply(spin).dot(&spin)
        };
        velocities.chunks_exact(width::<X>()).zip(&self.moving).map(of_body).sum()
    }
}

/// Velocity and scaled spin of a body as unknowns.
fn unknowns_of<X: Dim>(row: Velocity<X>) -> impl Iterator<Item = f64> {
    let Velocity { velocity, spin } = row;
    (0..X::D).map(move |k| velocity[k]).chain((0..X::R).map(move |k| spin[k]))
}

/// Unknowns of a body.
pub(super) fn width<X: Dim>() -> usize {
    X::D + X::R
}
