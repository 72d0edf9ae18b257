//! The matrix M + H^T diag(rho_c) H over the velocities and spins of all bodies that can move, factored.

use sprs::CsMat;

use super::contact::AdmmContact;
use crate::base::index::ProblemBody;
use crate::dim::{Dim, Square, Vector};
use crate::fem::elastic::SparseFactor;
use crate::solver::{ContactProblem, Mass};

/// Number for bodies without unknowns.
const FIXED: usize = usize::MAX;

/// Masses of the bodies of a problem, and the place of each among the unknowns.
pub(super) struct RigidBodies<X: Dim> {
    masses: Vec<Mass<X>>,
    /// Number of each body among those that can move.
    numbers: Vec<usize>,
    /// The bodies that can move, with their inertia for scaled spins, kg.
    moving: Vec<(usize, X::Tensor)>,
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

/// Unknowns of a body.
fn width<X: Dim>() -> usize {
    X::D + X::R
}

/// The factored matrix.
pub(super) struct BodyMatrix(SparseFactor);

impl BodyMatrix {
    /// rho_c is `weight` times the effective mass of a contact. `None` if rounding leaves the matrix indefinite.
    pub(super) fn new<X: Dim>(bodies: &RigidBodies<X>, contacts: &[AdmmContact<X>], weight: f64) -> Option<Self> {
        SparseFactor::new(&assembled(bodies, contacts, weight), None).ok().map(Self)
    }

    /// Overwrites `b` with the solution of A x = b.
    pub(super) fn solve(&self, b: &mut [f64]) {
        self.0.solve(b);
    }
}

/// The upper triangle by rows, which is the lower one by columns.
fn assembled<X: Dim>(bodies: &RigidBodies<X>, contacts: &[AdmmContact<X>], weight: f64) -> CsMat<f64> {
    let (width, count) = (width::<X>(), bodies.moving.len());
    let mut pairs: Vec<[usize; 2]> = (0..count).map(|body| [body, body]).collect();
    let ends = |contact: &AdmmContact<X>| contact.bodies.map(|first| first.map(|first| first / width));
    pairs.extend(contacts.iter().filter_map(|contact| match ends(contact) {
        [Some(a), Some(b)] => Some([a.min(b), a.max(b)]),
        _ => None,
    }));
    pairs.sort_unstable();
    pairs.dedup();
    let mut blocks = vec![0.0; pairs.len() * width * width];
    let place = |pair: [usize; 2]| pairs.partition_point(|other| *other < pair) * width * width;
    for (number, (body, inertia)) in bodies.moving.iter().enumerate() {
        let block = &mut blocks[place([number, number])..][..width * width];
        let inverse = bodies.masses[*body].inverse_mass;
        (0..X::D).for_each(|k| block[k * width + k] = 1.0 / inverse[k]);
        for (i, j) in (0..X::R).flat_map(|i| (0..X::R).map(move |j| (i, j))) {
            block[(X::D + i) * width + X::D + j] = inertia[(i, j)];
        }
    }
    for contact in contacts {
        let columns = [0, 1].map(|side| -> [X::Vector; 6] {
            std::array::from_fn(|k| if k < width { contact.column(side, k) } else { X::Vector::zero() })
        });
        let (ends, weight) = (ends(contact), weight * contact.mass);
        for (side, other) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (Some(a), Some(b)) = (ends[side], ends[other]) else { continue };
            if a > b || (a == b && side != other) {
                continue;
            }
            let block = &mut blocks[place([a, b])..][..width * width];
            for (i, j) in (0..width).flat_map(|i| (0..width).map(move |j| (i, j))) {
                block[i * width + j] += weight * columns[side][i].dot(&columns[other][j]);
            }
        }
    }
    in_rows(&pairs, &blocks, count, width)
}

/// The entries on and right of the diagonal, from the blocks of sorted pairs.
fn in_rows(pairs: &[[usize; 2]], blocks: &[f64], count: usize, width: usize) -> CsMat<f64> {
    let (mut starts, mut columns, mut entries) = (vec![0], Vec::new(), Vec::new());
    let mut first = 0;
    for body in 0..count {
        let own = pairs[first..].iter().take_while(|pair| pair[0] == body).count();
        for i in 0..width {
            for (pair, [_, other]) in pairs[first..first + own].iter().enumerate() {
                let block = &blocks[(first + pair) * width * width..][..width * width];
                for j in (if *other == body { i } else { 0 })..width {
                    columns.push(other * width + j);
                    entries.push(block[i * width + j]);
                }
            }
            starts.push(columns.len());
        }
        first += own;
    }
    CsMat::new((count * width, count * width), starts, columns, entries)
}
