//! An elastic body for steps of one length: the operator that the contact problem and the time scheme ask.
//!
//! With displacements d and velocities e of nodes, in body axes and orthogonal to rigid motions, a step is
//!
//! ```text
//! e_free = e + W [-h K (d + theta h e) - h C e + h F + h M (centrifugal acceleration)]
//! e'     = e_free + W p
//! d'     = d + h ((1 - theta) e + theta e')
//! ```
//!
//! The Coriolis acceleration is left out: explicit, it makes theta = 1/2 unstable. Uniform gravity has no elastic part.

use std::sync::{Arc, OnceLock};

use super::assembly::{DampingMatrix, ElasticMatrices};
use super::elastic_mesh::ElasticMesh;
use super::fault::ElasticFault;
use super::products::{add_blocks, add_mass, fill};
use super::step_operator::{StepOperator, stores_all, with_buffer};
use super::symmetric_tensor::SymmetricTensor;
use crate::body::{Deformable, Deformation, ElasticFlows, ElementStress, NodalLoads, NodalWork, Node, PrincipalValues};
use crate::dim::{Dim, Square, Vector};
use crate::fem::mesh::Element;

/// Displacements below this part of the height of an element are harmless: two nodes may move apart by twice as much.
const HARMLESS: f64 = 0.01;
/// Strains below this turn no element inside out.
const FAR_FROM_INVERTED: f64 = 0.2;

/// How an elastic body moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticStep {
    /// Length of a step, s.
    pub h: f64,
    /// Implicitness of the step.
    pub theta: f64,
    /// Do nodes of a spinning body move outward?
    pub centrifugal: bool,
}

/// A node that is held along some axes.
pub type HeldNode = (u32, [bool; 3]);

/// An elastic body, the same for all bodies of one mesh, material and length of a step.
#[derive(Debug)]
pub struct ElasticBody<X: Dim> {
    elastic: Arc<ElasticMesh<X>>,
    step: ElasticStep,
    /// Held unknowns, increasing.
    held: Vec<usize>,
    /// Once they are asked for.
    matrices: OnceLock<ElasticMatrices<X>>,
    /// W, once it is factored.
    operator: OnceLock<StepOperator>,
    /// Number of nodes on the surface.
    surface: usize,
    /// Displacements of nodes up to which strains are small, m.
    harmless: f64,
    /// Distance of the farthest node from the centre, m.
    reach: f64,
    /// Place of each node among those of the surface, or `u32::MAX`.
    place: Box<[u32]>,
    /// For each node of the surface, once it was asked for: velocities of all of them by a unit impulse on it along
    /// each axis. Unused if W is stored.
    columns: Box<[OnceLock<Box<[f64]>>]>,
}

impl<X: Dim> ElasticBody<X> {
    /// The body in a mesh in body axes with held nodes, if there are any: then it does not move as a whole. Its matrices
    /// are assembled and factored by [`prepare`](Deformable::prepare), before the first step.
    pub fn new(elastic: Arc<ElasticMesh<X>>, step: ElasticStep, held: &[HeldNode]) -> Result<Self, ElasticFault> {
        let ElasticStep { h, theta, .. } = step;
        if !(h.is_finite() && h > 0.0 && theta > 0.0 && theta <= 1.0) {
            return Err(ElasticFault::Step { h, theta });
        }
        let axes =
            |&(node, axes): &HeldNode| (0..X::D).filter(move |&k| axes[k]).map(move |k| node as usize * X::D + k);
        let mut unknowns: Vec<usize> = held.iter().flat_map(axes).collect();
        unknowns.sort_unstable();
        unknowns.dedup();
        let mesh = elastic.mesh();
        let surface = mesh.surface().nodes;
        let mut place = vec![u32::MAX; mesh.nodes.len()].into_boxed_slice();
        surface.iter().enumerate().for_each(|(k, &node)| place[node as usize] = k as u32);
        let unstored = if stores_all(X::D * mesh.nodes.len()) { 0 } else { surface.len() };
        let columns = (0..unstored).map(|_| OnceLock::new()).collect();
        let reach = mesh.nodes.iter().map(|node| node.norm()).fold(0.0, f64::max);
        let quality = mesh.quality();
        let harmless = HARMLESS * quality.smallest_edge * quality.smallest_angle.sin();
        let (surface, held) = (surface.len(), unknowns);
        let (matrices, operator) = (OnceLock::new(), OnceLock::new());
        Ok(Self { elastic, step, held, matrices, operator, surface, harmless, reach, place, columns })
    }

    /// Factors the matrix of a step, unless that is done. True if this call did it.
    fn factor(&self) -> Result<bool, ElasticFault> {
        if self.operator.get().is_some() {
            return Ok(false);
        }
        let ElasticStep { h, theta, .. } = self.step;
        let made = StepOperator::new(self.matrices(), h, theta, self.held.clone())?;
        Ok(self.operator.set(made).is_ok())
    }

    /// W.
    fn operator(&self) -> &StepOperator {
        match self.operator.get() {
            Some(operator) => operator,
            None => panic!("an elastic body is factored before its first step"),
        }
    }

    /// The mesh with its materials.
    pub fn elastic(&self) -> &Arc<ElasticMesh<X>> {
        &self.elastic
    }

    /// Its matrices.
    pub fn matrices(&self) -> &ElasticMatrices<X> {
        self.matrices.get_or_init(|| ElasticMatrices::assemble(self.elastic.clone()))
    }

    /// Held unknowns, increasing: component by component of each node.
    pub fn held_unknowns(&self) -> &[usize] {
        &self.held
    }

    /// How it moves.
    pub fn step(&self) -> ElasticStep {
        self.step
    }

    /// Number of nodes on the surface.
    pub fn surface_nodes(&self) -> usize {
        self.surface
    }

    /// Number of entries of the factor.
    pub fn factor_entries(&self) -> usize {
        self.operator().factor_entries()
    }

    pub(super) fn unknowns(&self) -> usize {
        X::D * self.place.len()
    }

    /// Loads of a step times its length, without contacts, from nodes in this state.
    fn add_loads(&self, nodes: &[Node<X>], loads: &NodalLoads<'_, X>, work: &mut [f64], load: &mut [f64]) {
        let ElasticStep { h, theta, centrifugal } = self.step;
        let matrices = self.matrices();
        let (by_stiffness, by_mass) = match &matrices.damping {
            DampingMatrix::Proportional { stiffness, mass } => (*stiffness, *mass),
            DampingMatrix::Assembled(damping) => {
                fill::<X>(work, nodes.iter().map(|node| node.velocity));
                add_blocks::<X>(damping, -h, work, load);
                (0.0, 0.0)
            }
        };
        let ahead = theta * h + by_stiffness;
        fill::<X>(work, nodes.iter().map(|node| node.displacement + node.velocity * ahead));
        add_blocks::<X>(&matrices.stiffness, -h, work, load);
        if by_mass > 0.0 {
            fill::<X>(work, nodes.iter().map(|node| node.velocity * by_mass));
            add_mass::<X>(&matrices.mass, -h, work, load);
        }
        if centrifugal && loads.spin.norm2() > 0.0 {
            for (load, moment) in load.chunks_exact_mut(X::D).zip(&matrices.moments) {
                let force = matrices.centrifugal(loads.spin, *moment) * h;
                load.iter_mut().enumerate().for_each(|(k, load)| *load += force[k]);
            }
        }
        if loads.accelerate() {
            fill::<X>(work, self.elastic.mesh().nodes.iter().map(|&place| loads.acceleration(place)));
            add_mass::<X>(&matrices.mass, h, work, load);
        }
        for (node, force) in loads.forces {
            let own = &mut load[*node as usize * X::D..(*node as usize + 1) * X::D];
            own.iter_mut().enumerate().for_each(|(k, load)| *load += h * force[k]);
        }
    }

    /// Change of the velocities of held unknowns in a step, zero elsewhere; `None` if there is none.
    fn held_change(&self, nodes: &[Node<X>], loads: &NodalLoads<'_, X>) -> Option<Vec<f64>> {
        let mut change = vec![0.0; self.unknowns()];
        for (node, velocity) in loads.held {
            for k in 0..X::D {
                let unknown = *node as usize * X::D + k;
                if velocity[k] != 0.0 && self.held.binary_search(&unknown).is_ok() {
                    change[unknown] = velocity[k];
                }
            }
        }
        for &unknown in &self.held {
            change[unknown] -= nodes[unknown / X::D].velocity[unknown % X::D];
        }
        change.iter().any(|change| *change != 0.0).then_some(change)
    }

    /// Adds what held unknowns that change by `change` exert on the others: -A times it.
    fn add_held(&self, change: &[f64], load: &mut [f64]) {
        let ElasticStep { h, theta, .. } = self.step;
        let (by_mass, by_stiffness) = match &self.matrices().damping {
            DampingMatrix::Proportional { stiffness, mass } => (*mass, *stiffness),
            DampingMatrix::Assembled(damping) => {
                add_blocks::<X>(damping, -theta * h, change, load);
                (0.0, 0.0)
            }
        };
        add_mass::<X>(&self.matrices().mass, -(1.0 + theta * h * by_mass), change, load);
        add_blocks::<X>(&self.matrices().stiffness, -theta * h * (theta * h + by_stiffness), change, load);
    }

    /// Velocities of the surface by unit impulses on a node along each axis.
    fn surface_column(&self, by: u32) -> Box<[f64]> {
        let mut all = vec![0.0; self.surface * X::D * X::D].into_boxed_slice();
        for (axis, part) in all.chunks_exact_mut(self.surface * X::D).enumerate() {
            let column = self.operator().column(self.unknowns(), by as usize * X::D + axis);
            for (velocity, place) in column.chunks_exact(X::D).zip(&self.place).filter(|(_, place)| **place != u32::MAX)
            {
                let start = *place as usize * X::D;
                part[start..start + X::D].copy_from_slice(velocity);
            }
        }
        all
    }
}

impl<X: Dim> Deformable<X> for ElasticBody<X> {
    fn nodes(&self) -> usize {
        self.place.len()
    }

    fn bytes(&self) -> [usize; 2] {
        let compliance = self.columns.len() * self.surface * X::D * X::D * size_of::<f64>();
        let matrices = self.matrices.get().map_or(0, ElasticMatrices::bytes);
        [matrices + self.operator.get().map_or(0, StepOperator::bytes), compliance]
    }

    fn is_prepared(&self) -> bool {
        self.operator.get().is_some()
    }

    fn prepare(&self) -> Result<bool, String> {
        self.factor().map_err(|fault| fault.to_string())
    }

    fn position(&self, node: usize) -> X::Vector {
        self.elastic.mesh().nodes[node]
    }

    fn predict(&self, nodes: &[Node<X>], loads: &NodalLoads<'_, X>, free: &mut [X::Vector]) {
        let order = self.unknowns();
        with_buffer(order, |load| {
            with_buffer(order, |work| {
                self.add_loads(nodes, loads, work, load);
                fill::<X>(work, nodes.iter().map(|node| node.velocity));
                if let Some(change) = self.held_change(nodes, loads) {
                    self.add_held(&change, load);
                    work.iter_mut().zip(&change).for_each(|(velocity, change)| *velocity += change);
                }
                self.operator().add(load, work);
                self.operator().remove_rigid(work);
                free.iter_mut().zip(work.chunks_exact(X::D)).for_each(|(free, v)| *free = X::Vector::read(v));
            });
        });
    }

    fn compliance(&self, of: u32, by: u32) -> X::Matrix {
        if let Some(dense) = self.operator().dense() {
            let start = |j: usize| (by as usize * X::D + j) * self.unknowns() + of as usize * X::D;
            return X::Matrix::from_fn(|i, j| dense[start(j) + i]);
        }
        let [of, by_place] = [of, by].map(|node| self.place[node as usize] as usize);
        assert!(of.max(by_place) < self.surface, "contacts act on nodes of the surface only");
        let column = self.columns[by_place].get_or_init(|| self.surface_column(by));
        X::Matrix::from_fn(|i, j| column[(j * self.surface + of) * X::D + i])
    }

    fn respond(&self, impulses: &[(u32, X::Vector)], velocities: &mut [X::Vector]) {
        let acting = impulses.iter().filter(|(_, impulse)| impulse.norm2() > 0.0);
        let order = self.unknowns();
        if let Some(dense) = self.operator().dense() {
            for (node, impulse) in acting {
                let start = *node as usize * X::D * order;
                for (j, column) in dense[start..start + X::D * order].chunks_exact(order).enumerate() {
                    for (velocity, change) in velocities.iter_mut().zip(column.chunks_exact(X::D)) {
                        *velocity += X::Vector::read(change) * impulse[j];
                    }
                }
            }
            return;
        }
        let mut acting = acting.peekable();
        if acting.peek().is_none() {
            return;
        }
        let (mut load, mut change) = (vec![0.0; order], vec![0.0; order]);
        for (node, impulse) in acting {
            let own = &mut load[*node as usize * X::D..(*node as usize + 1) * X::D];
            own.iter_mut().enumerate().for_each(|(k, load)| *load += impulse[k]);
        }
        self.operator().add(&mut load, &mut change);
        for (velocity, change) in velocities.iter_mut().zip(change.chunks_exact(X::D)) {
            *velocity += X::Vector::read(change);
        }
    }

    fn kinetic_energy(&self, nodes: &[Node<X>]) -> f64 {
        self.matrices().kinetic_energy(nodes)
    }

    fn flows(&self, before: &[Node<X>], after: &[Node<X>]) -> ElasticFlows {
        let (stored, dissipation) = self.stored_and_dissipated(before, after);
        ElasticFlows { stored, damped: dissipation.total() }
    }

    fn work(
        &self,
        before: &[Node<X>],
        after: &[Node<X>],
        loads: &NodalLoads<'_, X>,
        impulses: &[(u32, X::Vector)],
    ) -> NodalWork {
        self.nodal_work(before, after, loads, impulses)
    }

    fn holding_forces(
        &self,
        before: &[Node<X>],
        after: &[Node<X>],
        loads: &NodalLoads<'_, X>,
        impulses: &[(u32, X::Vector)],
    ) -> Vec<X::Vector> {
        let mut forces = vec![X::Vector::zero(); before.len()];
        for (&unknown, force) in self.held.iter().zip(self.reactions(before, after, loads, impulses)) {
            forces[unknown / X::D][unknown % X::D] = force;
        }
        forces
    }

    fn deformation(&self, nodes: &[Node<X>]) -> Deformation {
        let farthest = nodes.iter().map(|node| node.displacement.norm()).fold(0.0, f64::max);
        let displacement = farthest / self.reach;
        if farthest <= self.harmless {
            return Deformation { displacement, ..Deformation::default() };
        }
        let displacements: Vec<X::Vector> = nodes.iter().map(|node| node.displacement).collect();
        let strain = self.elastic.largest_strain(&displacements).strain;
        let may_be_inverted = strain > FAR_FROM_INVERTED;
        let inverted = if may_be_inverted { self.elastic.inverted(&displacements) } else { None };
        Deformation { strain, displacement, inverted }
    }

    fn principal_values(&self, nodes: &[Node<X>]) -> Vec<PrincipalValues> {
        let displacements: Vec<X::Vector> = nodes.iter().map(|node| node.displacement).collect();
        let [stresses, strains] = [self.elastic.stress(&displacements), self.elastic.strain(&displacements)];
        let both = stresses.nodes.iter().zip(&strains.nodes);
        both.map(|(stress, strain)| PrincipalValues { stress: stress.principal(), strain: strain.principal() })
            .collect()
    }

    fn element_stresses(&self, nodes: &[Node<X>]) -> Vec<ElementStress<X>> {
        let displacements: Vec<X::Vector> = nodes.iter().map(|node| node.displacement).collect();
        let (mesh, field) = (self.elastic.mesh(), self.elastic.stress(&displacements));
        let parts = field.elements.iter().zip(field.volumes).zip(&mesh.elements);
        let of = |((stress, volume), element): ((&SymmetricTensor, f64), &Element)| {
            let places = element.nodes().iter().map(|&k| mesh.nodes[k as usize] + displacements[k as usize]);
            let sum = places.fold(X::Vector::zero(), |sum, place| sum + place);
            let centre = sum * (1.0 / element.nodes().len() as f64);
            ElementStress { centre, volume, stress: X::Matrix::from_fn(|i, j| stress.entry(i, j)) }
        };
        parts.map(of).collect()
    }
}
