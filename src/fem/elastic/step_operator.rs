//! The operator of a step on loads of a mesh: W = A^-1 - G (G'MG)^-1 G', with A = M + theta h C + theta^2 h^2 K.
//!
//! Written as the difference, digits cancel. As rigid motions have no strain, A G = (1 + theta h a) M G with damping a
//! proportional to mass, and W f = A^-1 f for loads f without resultant. Therefore the resultant is removed from the
//! load, and from the velocity what is left of rigid motion: rounding, or the effect of a damping proportional to mass
//! that varies in the mesh. Small bodies store W.
//!
//! If nodes are held, the body does not move as a whole, and W is the inverse of A restricted to the free unknowns.

use super::assembly::{DampingMatrix, ElasticMatrices};
use super::dissection::dissection;
use super::fault::ElasticFault;
use super::products::add_dense;
use super::rigid_modes::RigidModes;
use super::sparse_factor::SparseFactor;
use crate::dim::Dim;

use sprs::CsMat;

/// Largest number of unknowns of a body that stores W for all of them: a product with it takes less time than two
/// triangular solves.
const SMALL: usize = 200;

/// Does a body with this number of unknowns store W for all of them?
pub(super) fn stores_all(unknowns: usize) -> bool {
    unknowns <= SMALL
}

/// Calls `act` with a vector of zeros of this length, on the stack if it is short.
pub(super) fn with_buffer<R>(length: usize, act: impl FnOnce(&mut [f64]) -> R) -> R {
    if length <= SMALL { act(&mut [0.0; SMALL][..length]) } else { act(&mut vec![0.0; length]) }
}

/// W, factored or stored.
#[derive(Debug)]
pub(super) struct StepOperator {
    /// Rigid motions; none if nodes are held.
    modes: Option<RigidModes>,
    /// Held unknowns, increasing.
    held: Vec<usize>,
    factor: SparseFactor,
    /// W column by column.
    dense: Option<Box<[f64]>>,
}

impl StepOperator {
    /// For steps of length h, with these unknowns held.
    pub(super) fn new<X: Dim>(
        matrices: &ElasticMatrices<X>,
        h: f64,
        theta: f64,
        held: Vec<usize>,
    ) -> Result<Self, ElasticFault> {
        let nodes = dissection::<X>(&matrices.mesh().nodes, matrices.mass());
        let order: Vec<usize> = nodes.iter().flat_map(|node| (0..X::D).map(move |k| node * X::D + k)).collect();
        let mut matrix = matrices.combined(1.0, theta * h, theta * theta * h * h);
        hold(&mut matrix, &held);
        let factor = SparseFactor::new(&matrix, Some(&order))?;
        let modes = held.is_empty().then(|| {
            let mut modes = RigidModes::new::<X>(&matrices.mesh().nodes, matrices.mass());
            if let DampingMatrix::Assembled(_) = &matrices.damping {
                modes.answer(|vector| factor.solve(vector));
            }
            modes
        });
        let mut operator = Self { modes, held, factor, dense: None };
        let order = X::D * matrices.mesh().nodes.len();
        if stores_all(order) {
            operator.dense = Some((0..order).flat_map(|unknown| operator.column(order, unknown)).collect());
        }
        Ok(operator)
    }

    /// Velocities by a unit impulse on one of `order` unknowns.
    pub(super) fn column(&self, order: usize, unknown: usize) -> Vec<f64> {
        let mut column = vec![0.0; order];
        column[unknown] = 1.0;
        self.solve(&mut column);
        column
    }

    /// Overwrites a load with W times it.
    fn solve(&self, load: &mut [f64]) {
        match &self.modes {
            Some(modes) => {
                modes.remove_load(load);
                self.factor.solve(load);
                modes.remove_answer(load);
            }
            None => {
                self.held.iter().for_each(|&unknown| load[unknown] = 0.0);
                self.factor.solve(load);
            }
        }
    }

    /// Adds W times a load to velocities, and spoils the load.
    pub(super) fn add(&self, load: &mut [f64], velocities: &mut [f64]) {
        if let Some(dense) = &self.dense {
            add_dense(dense, load, velocities);
        } else {
            self.solve(load);
            velocities.iter_mut().zip(load).for_each(|(velocity, change)| *velocity += *change);
        }
    }

    /// Removes the rigid part of velocities, unless nodes are held.
    pub(super) fn remove_rigid(&self, velocities: &mut [f64]) {
        if let Some(modes) = &self.modes {
            modes.remove_motion(velocities);
        }
    }

    /// W column by column, if it is stored.
    pub(super) fn dense(&self) -> Option<&[f64]> {
        self.dense.as_deref()
    }

    /// Number of entries of the factor.
    pub(super) fn factor_entries(&self) -> usize {
        self.factor.entries()
    }

    /// Bytes of factor, rigid motions and W.
    pub(super) fn bytes(&self) -> usize {
        let modes = self.modes.as_ref().map_or(0, RigidModes::bytes);
        self.factor.bytes() + modes + self.dense.as_ref().map_or(0, |dense| size_of_val(&**dense))
    }
}

/// Replaces rows and columns of held unknowns by those of the identity.
fn hold(matrix: &mut CsMat<f64>, held: &[usize]) {
    let mut is_held = vec![false; matrix.rows()];
    held.iter().for_each(|&unknown| is_held[unknown] = true);
    for (row, mut entries) in matrix.outer_iterator_mut().enumerate() {
        for (column, entry) in entries.iter_mut().filter(|(column, _)| is_held[row] || is_held[*column]) {
            *entry = f64::from(u8::from(row == column));
        }
    }
}

impl<X: Dim> ElasticMatrices<X> {
    /// `mass` M + `damping` C + `stiffness` K, component by component of each node.
    pub fn combined(&self, mass: f64, damping: f64, stiffness: f64) -> CsMat<f64> {
        let order = X::D * self.mesh().nodes.len();
        let (mut starts, mut columns, mut entries) = (vec![0], Vec::new(), Vec::new());
        let (mass, stiffness) = match &self.damping {
            DampingMatrix::Proportional { stiffness: b, mass: a } => (mass + damping * a, stiffness + damping * b),
            DampingMatrix::Assembled(_) => (mass, stiffness),
        };
        for (node, inertia) in self.mass.outer_iterator().enumerate() {
            let first = self.mass.indptr().outer_inds_sz(node).start;
            for i in 0..X::D {
                for (k, (&other, m)) in inertia.indices().iter().zip(inertia.data()).enumerate() {
                    let block = &self.stiffness.data()[first + k];
                    for j in 0..X::D {
                        let mut entry = stiffness * block[(i, j)] + if i == j { mass * m } else { 0.0 };
                        if let DampingMatrix::Assembled(damped) = &self.damping {
                            entry += damping * damped.data()[first + k][(i, j)];
                        }
                        columns.push(other * X::D + j);
                        entries.push(entry);
                    }
                }
                starts.push(columns.len());
            }
        }
        CsMat::new((order, order), starts, columns, entries)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{STEEL, STONE, body, distort, grid, in_halves, matrices, noise};
    use super::super::{ElasticBody, ElasticStep};
    use super::*;
    use crate::body::Deformable;
    use crate::dim::{Plane, Space, Square, Vector};
    use crate::fem::mesh::{ElementKind, VolumeMesh};

    const H: f64 = 1e-4;

    /// A distorted mesh with more unknowns than a small body has.
    fn large<X: Dim>(kind: ElementKind) -> VolumeMesh<X> {
        let counts = [9, 9, 9].map(|n| if kind.dimension() > 2 { 5 } else { n + 3 });
        let mut mesh = grid::<X>(kind, &counts, &[0.2, 0.3, 0.25]);
        distort(&mut mesh, 0.004);
        mesh
    }

    fn leaves_rigid_motions_alone<X: Dim>(kind: ElementKind) {
        let body = body(in_halves(large::<X>(kind)), &[STONE, STEEL], H, 0.5);
        let matrices = body.matrices();
        let operator = StepOperator::new(matrices, H, 0.5, Vec::new()).unwrap();
        assert!(operator.dense().is_none());
        for (motion, momentum) in operator.modes.as_ref().unwrap().pairs() {
            let largest = motion.iter().fold(0f64, |max, x| max.max(x.abs()));
            let mut solved = momentum.clone();
            operator.factor.solve(&mut solved);
            let off = solved.iter().zip(motion).map(|(x, g)| (x - g).abs()).fold(0.0, f64::max);
            assert!(off < 1e-11 * largest, "{kind:?}: {off}");
            let (mut velocities, mut load) = (vec![0.0; motion.len()], momentum.clone());
            operator.add(&mut load, &mut velocities);
            assert!(velocities.iter().all(|v| v.abs() < 1e-13 * largest), "{kind:?}");
        }
    }

    #[test]
    fn rigid_motions_meet_their_mass_only() {
        leaves_rigid_motions_alone::<Plane>(ElementKind::T3);
        leaves_rigid_motions_alone::<Plane>(ElementKind::Q4);
        leaves_rigid_motions_alone::<Space>(ElementKind::Tet4);
        leaves_rigid_motions_alone::<Space>(ElementKind::Hex8);
    }

    /// The compliance is the response, symmetric and positive on the diagonal, whether it is stored or solved for.
    fn answers_alike<X: Dim>(mesh: VolumeMesh<X>, is_small: bool) {
        let body = body(mesh, &[STONE], H, 0.5);
        assert_eq!(body.matrices().mesh().nodes.len() * X::D <= SMALL, is_small);
        let surface = body.matrices().mesh().surface().nodes;
        let (of, by) = (surface[1], surface[surface.len() - 2]);
        let impulse = noise::<X>(1, 0.3)[0];
        let mut velocities = vec![X::Vector::zero(); body.nodes()];
        body.respond(&[(by, impulse), (of, X::Vector::zero())], &mut velocities);
        let block = body.compliance(of, by);
        let off = (velocities[of as usize] - block.apply(impulse)).norm();
        assert!(off < 1e-12 * velocities[of as usize].norm(), "{off}");
        let (back, own) = (body.compliance(by, of), body.compliance(of, of));
        for i in 0..X::D {
            assert!(own[(i, i)] > 0.0);
            for j in 0..X::D {
                assert!((back[(i, j)] - block[(j, i)]).abs() < 1e-10 * own[(i, i)]);
            }
        }
    }

    #[test]
    fn compliance_and_response_agree_in_small_and_large_bodies() {
        answers_alike(grid::<Plane>(ElementKind::T3, &[5, 5], &[0.2, 0.2]), true);
        answers_alike(large::<Plane>(ElementKind::Q4), false);
        answers_alike(grid::<Space>(ElementKind::Hex8, &[2, 2, 2], &[0.2, 0.2, 0.1]), true);
        answers_alike(large::<Space>(ElementKind::Tet4), false);
    }

    #[test]
    fn steps_without_length_and_explicit_ones_are_refused() {
        let matrices = matrices(large::<Plane>(ElementKind::T3), STONE, Default::default());
        for (h, theta) in [(0.0, 0.5), (f64::NAN, 0.5), (H, 0.0), (H, 1.1)] {
            let made = ElasticBody::new(matrices.elastic().clone(), ElasticStep { h, theta, centrifugal: true }, &[]);
            assert!(made.unwrap_err().to_string().contains("an elastic body cannot move in steps of h ="));
        }
    }

    #[test]
    fn a_step_that_is_no_number_has_no_factor() {
        let matrices = matrices(large::<Plane>(ElementKind::T3), STONE, Default::default());
        let message = |h: f64| StepOperator::new(&matrices, h, 0.5, Vec::new()).unwrap_err().to_string();
        assert!(message(f64::NAN).contains("not positive definite (an entry is not a finite number)"));
        let indefinite = matrices.combined(-1.0, 0.0, 1e-8);
        assert!(SparseFactor::new(&indefinite, None).unwrap_err().to_string().contains("NonPositivePivot"));
    }
}
