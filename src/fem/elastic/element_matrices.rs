//! Mass and stiffness of an element.
//!
//! Consistent mass: M_ab = integral of rho N_a N_b. Stiffness between nodes a and b, with gradients g of shape
//! functions:
//!
//! ```text
//! K_ab = integral of lambda g_a g_b' + mu (g_b g_a' + (g_a.g_b) I)
//! ```
//!
//! Incompatible modes are further shape functions without nodes; their amplitudes are eliminated (static condensation).

use super::element_point::{BadJacobian, ElementPoint};
use super::material::LameModuli;
use super::quadrature::{QuadraturePoint, mass_points};
use crate::dim::{Dim, Vector};
use crate::fem::mesh::ElementKind;

/// Mass of an element between each two nodes, row by row, for density one.
pub(super) fn unit_mass<X: Dim>(kind: ElementKind, positions: &[X::Vector]) -> Result<Vec<f64>, BadJacobian> {
    let count = kind.node_count();
    let mut mass = vec![0.0; count * count];
    for (point, weight) in mass_points(kind) {
        let at = ElementPoint::<X>::at(kind, positions, point)?;
        for a in 0..count {
            for b in 0..count {
                mass[a * count + b] += weight * at.determinant * at.values[a] * at.values[b];
            }
        }
    }
    Ok(mass)
}

/// Gradients of all shape functions of an element at a point, nodes first, then incompatible modes.
#[derive(Clone, Debug)]
pub(super) struct GradientPoint<X: Dim> {
    pub(super) gradients: Vec<X::Vector>,
    /// Volume that the point stands for.
    pub(super) volume: f64,
}

/// Gradients in an element at these points of the reference element.
pub(super) fn gradients_at<X: Dim>(
    kind: ElementKind,
    positions: &[X::Vector],
    modes: usize,
    points: Vec<QuadraturePoint>,
) -> Result<Vec<GradientPoint<X>>, BadJacobian> {
    let middle = ElementPoint::<X>::at_centre(kind, positions)?;
    let sample = |(point, weight): QuadraturePoint| {
        let at = ElementPoint::<X>::at(kind, positions, point)?;
        let mut gradients = at.gradients[..kind.node_count()].to_vec();
        gradients.extend((0..modes).map(|axis| at.mode_gradient(&middle, axis, point)));
        Ok(GradientPoint { gradients, volume: weight * at.determinant })
    };
    points.into_iter().map(sample).collect()
}

/// Stiffness of an element, with eliminated incompatible modes.
#[derive(Clone, Debug)]
pub(super) struct ElementStiffness {
    /// Row by row, of order `order`; rows of eliminated unknowns as elimination met them.
    entries: Vec<f64>,
    order: usize,
    /// Number of unknowns at nodes, which come first, component by component for each node.
    kept: usize,
}

impl ElementStiffness {
    /// From the gradients at the quadrature points; the first `nodes` shape functions belong to nodes.
    pub(super) fn new<X: Dim>(samples: &[GradientPoint<X>], nodes: usize, moduli: LameModuli) -> Self {
        let order = X::D * samples.first().map_or(0, |sample| sample.gradients.len());
        let mut stiffness = Self { entries: vec![0.0; order * order], order, kept: X::D * nodes };
        for GradientPoint { gradients, volume } in samples {
            for (a, first) in gradients.iter().enumerate() {
                for (b, second) in gradients.iter().enumerate().skip(a) {
                    stiffness.add_pair::<X>([a, b], [*first, *second], moduli, *volume);
                }
            }
        }
        stiffness.mirror();
        stiffness.eliminate();
        stiffness
    }

    fn add_pair<X: Dim>(&mut self, [a, b]: [usize; 2], [g, f]: [X::Vector; 2], moduli: LameModuli, volume: f64) {
        let along = moduli.shear * g.dot(&f);
        for i in 0..X::D {
            for j in 0..X::D {
                let across = moduli.lambda * g[i] * f[j] + moduli.shear * f[i] * g[j];
                let entry = across + if i == j { along } else { 0.0 };
                self.entries[(a * X::D + i) * self.order + b * X::D + j] += volume * entry;
            }
        }
    }

    fn mirror(&mut self) {
        for row in 0..self.order {
            for column in 0..row {
                self.entries[row * self.order + column] = self.entries[column * self.order + row];
            }
        }
    }

    /// Gaussian elimination of the unknowns that belong to no node, the last first.
    fn eliminate(&mut self) {
        let order = self.order;
        for pivot in (self.kept..order).rev() {
            let inverse = 1.0 / self.entries[pivot * order + pivot];
            for row in 0..pivot {
                let factor = self.entries[row * order + pivot] * inverse;
                for column in 0..pivot {
                    self.entries[row * order + column] -= factor * self.entries[pivot * order + column];
                }
            }
        }
    }

    /// Entry between component `i` of node `a` and component `j` of node `b`.
    pub(super) fn entry<X: Dim>(&self, [a, i]: [usize; 2], [b, j]: [usize; 2]) -> f64 {
        self.entries[(a * X::D + i) * self.order + b * X::D + j]
    }

    /// Displacements of nodes, then amplitudes of the incompatible modes that these displacements bring about.
    pub(super) fn with_modes<X: Dim>(&self, displacements: &[X::Vector]) -> Vec<X::Vector> {
        let mut all: Vec<f64> = displacements.iter().flat_map(|d| d.as_slice().to_vec()).collect();
        for row in self.kept..self.order {
            let entries = &self.entries[row * self.order..];
            let force: f64 = all.iter().zip(entries).map(|(x, entry)| x * entry).sum();
            all.push(-force / entries[row]);
        }
        all.chunks(X::D).map(X::Vector::read).collect()
    }
}
