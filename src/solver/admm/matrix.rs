//! The matrix M + H^T diag(rho_c) H over the velocities and spins of all bodies that can move, factored.

use sprs::CsMat;

use super::contact::AdmmContact;
use super::rigid_bodies::{RigidBodies, width};
use crate::dim::{Dim, Vector};
use crate::fem::elastic::SparseFactor;

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
