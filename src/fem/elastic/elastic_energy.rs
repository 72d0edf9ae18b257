//! Energy of an elastic body relative to its rigid motion, and its balance in a step.
//!
//! A step from (d, e) to (d', e') satisfies M (e' - e) = -h K d_t - h C e_t + P on motions without rigid part, with
//! d_t = d + theta (d' - d), e_t = e + theta (e' - e), d' - d = h e_t, and P all impulses: contacts, h F, h M times the
//! centrifugal acceleration. With mean values d_m = (d + d')/2, e_m = (e + e')/2 the product with e_m gives exactly
//!
//! ```text
//! E' - E = P.e_m - D,   E = e.M e/2 + d.K d/2,
//! D = h e_m.C e_t + h (theta - 1/2) [e_m.K (d' - d) - (e' - e).K d_m]
//! ```
//!
//! The first part of D is the damping of the material. The second one belongs to the scheme: it vanishes at
//! theta = 1/2. At larger theta it is positive in free motion, where without damping
//! D = (theta - 1/2) [(e' - e).M (e' - e) + (d' - d).K (d' - d)]; in a step with an impact it may be negative.

use super::assembly::{DampingMatrix, ElasticMatrices};
use super::elastic_body::{ElasticBody, ElasticStep};
use super::products::{add_blocks, add_mass};
use super::rigid_modes::dot;
use crate::body::{NodalLoads, NodalWork, Node};
use crate::dim::{Dim, Vector};

/// What a step dissipates, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticDissipation {
    /// By the damping of the material.
    pub material: f64,
    /// By the time scheme; zero at theta = 1/2.
    pub scheme: f64,
}

impl ElasticDissipation {
    /// By both.
    pub fn total(&self) -> f64 {
        self.material + self.scheme
    }
}

impl<X: Dim> ElasticMatrices<X> {
    /// Kinetic energy of nodes, J.
    pub fn kinetic_energy(&self, nodes: &[Node<X>]) -> f64 {
        let velocities = flat::<X>(nodes.iter().map(|node| node.velocity));
        0.5 * dot(&velocities, &self.times_mass(&velocities))
    }

    /// Strain energy of nodes, J.
    pub fn strain_energy(&self, nodes: &[Node<X>]) -> f64 {
        let displacements = flat::<X>(nodes.iter().map(|node| node.displacement));
        0.5 * dot(&displacements, &self.times_stiffness(&displacements))
    }

    fn times_mass(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        add_mass::<X>(&self.mass, 1.0, x, &mut out);
        out
    }

    fn times_stiffness(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        add_blocks::<X>(&self.stiffness, 1.0, x, &mut out);
        out
    }

    /// C x, if there is damping.
    fn times_damping(&self, x: &[f64]) -> Option<Vec<f64>> {
        let mut out = vec![0.0; x.len()];
        match &self.damping {
            DampingMatrix::Proportional { stiffness, mass } if *stiffness == 0.0 && *mass == 0.0 => return None,
            DampingMatrix::Proportional { stiffness, mass } => {
                add_blocks::<X>(&self.stiffness, *stiffness, x, &mut out);
                add_mass::<X>(&self.mass, *mass, x, &mut out);
            }
            DampingMatrix::Assembled(damping) => add_blocks::<X>(damping, 1.0, x, &mut out),
        }
        Some(out)
    }
}

impl<X: Dim> ElasticBody<X> {
    /// Gain of strain energy, J, and what is dissipated, in a step in which nodes move from `before` to `after`.
    pub fn stored_and_dissipated(&self, before: &[Node<X>], after: &[Node<X>]) -> (f64, ElasticDissipation) {
        let matrices = self.matrices();
        let ElasticStep { h, theta, .. } = self.step();
        let pairs = || before.iter().zip(after);
        let mean = flat::<X>(pairs().map(|(b, a)| (b.velocity + a.velocity) * 0.5));
        let way = flat::<X>(pairs().map(|(b, a)| a.displacement - b.displacement));
        let middle = flat::<X>(pairs().map(|(b, a)| (b.displacement + a.displacement) * 0.5));
        let stretching = matrices.times_stiffness(&way);
        let stored = dot(&middle, &stretching);
        let ahead = || flat::<X>(pairs().map(|(b, a)| b.velocity * (1.0 - theta) + a.velocity * theta));
        let material = match &matrices.damping {
            // h K e_t is K (d' - d).
            DampingMatrix::Proportional { stiffness, mass } => {
                let by_mass = if *mass > 0.0 { mass * h * dot(&mean, &matrices.times_mass(&ahead())) } else { 0.0 };
                stiffness * dot(&mean, &stretching) + by_mass
            }
            DampingMatrix::Assembled(_) => matrices.times_damping(&ahead()).map_or(0.0, |force| h * dot(&mean, &force)),
        };
        if theta == 0.5 {
            return (stored, ElasticDissipation { material, scheme: 0.0 });
        }
        let gain = flat::<X>(pairs().map(|(b, a)| a.velocity - b.velocity));
        let held = dot(&gain, &matrices.times_stiffness(&middle));
        let scheme = h * (theta - 0.5) * (dot(&mean, &stretching) - held);
        (stored, ElasticDissipation { material, scheme })
    }

    /// Work of loads on nodes that move from `before` to `after` in a step, without that on the rigid motion.
    pub(super) fn nodal_work(
        &self,
        before: &[Node<X>],
        after: &[Node<X>],
        loads: &NodalLoads<'_, X>,
        impulses: &[(u32, X::Vector)],
    ) -> NodalWork {
        let ElasticStep { h, centrifugal, .. } = self.step();
        let mean = |node: usize| (before[node].velocity + after[node].velocity) * 0.5;
        let forces = loads.forces.iter().map(|(node, force)| h * force.dot(&mean(*node as usize)));
        let mut work = NodalWork { loads: forces.sum(), ..NodalWork::default() };
        // Work of a field of accelerations.
        let of_field = |field: Vec<f64>| {
            let velocities = flat::<X>((0..before.len()).map(mean));
            h * dot(&velocities, &self.matrices().times_mass(&field))
        };
        if centrifugal && loads.spin.norm2() > 0.0 {
            let forces = self.matrices().moments.iter().map(|moment| self.matrices().centrifugal(loads.spin, *moment));
            work.centrifugal = h * forces.enumerate().map(|(node, force)| force.dot(&mean(node))).sum::<f64>();
        }
        if loads.accelerate() {
            work.loads += of_field(flat::<X>(self.matrices().mesh().nodes.iter().map(|&at| loads.acceleration(at))));
        }
        let moves = |&unknown: &usize| mean(unknown / X::D)[unknown % X::D] != 0.0;
        if self.held_unknowns().iter().any(moves) {
            let reactions = self.reactions(before, after, loads, impulses);
            let held = self.held_unknowns().iter().zip(reactions);
            work.held = held.map(|(&unknown, force)| h * force * mean(unknown / X::D)[unknown % X::D]).sum();
        }
        work
    }

    /// Forces that hold the held unknowns in a step with contact `impulses` on nodes, N: what the motion of the nodes
    /// needs beyond all other forces.
    pub fn reactions(
        &self,
        before: &[Node<X>],
        after: &[Node<X>],
        loads: &NodalLoads<'_, X>,
        impulses: &[(u32, X::Vector)],
    ) -> Vec<f64> {
        let ElasticStep { h, theta, centrifugal } = self.step();
        let (matrices, pairs) = (self.matrices(), || before.iter().zip(after));
        let gains = pairs().map(|(b, a)| (a.velocity - b.velocity) * (1.0 / h)).zip(&matrices.mesh().nodes);
        let gain = flat::<X>(gains.map(|(gain, &place)| gain - loads.acceleration(place)));
        let mut force = matrices.times_mass(&gain);
        let at = |of: fn(&Node<X>) -> X::Vector| flat::<X>(pairs().map(|(b, a)| of(b) * (1.0 - theta) + of(a) * theta));
        let elastic = matrices.times_stiffness(&at(|node| node.displacement));
        force.iter_mut().zip(elastic).for_each(|(force, own)| *force += own);
        for (force, own) in force.iter_mut().zip(matrices.times_damping(&at(|node| node.velocity)).unwrap_or_default())
        {
            *force += own;
        }
        let mut subtract =
            |node: u32, load: X::Vector| (0..X::D).for_each(|k| force[node as usize * X::D + k] -= load[k]);
        if centrifugal && loads.spin.norm2() > 0.0 {
            let moments = (0..).zip(&matrices.moments);
            moments.for_each(|(node, moment)| subtract(node, matrices.centrifugal(loads.spin, *moment)));
        }
        loads.forces.iter().for_each(|&(node, load)| subtract(node, load));
        impulses.iter().for_each(|&(node, impulse)| subtract(node, impulse * (1.0 / h)));
        self.held_unknowns().iter().map(|&unknown| force[unknown]).collect()
    }
}

/// Vectors one after the other.
fn flat<X: Dim>(vectors: impl Iterator<Item = X::Vector>) -> Vec<f64> {
    let mut all = Vec::with_capacity(vectors.size_hint().0 * X::D);
    vectors.for_each(|vector| all.extend_from_slice(vector.as_slice()));
    all
}

#[cfg(test)]
mod tests {
    use super::super::ElasticMaterial;
    use super::super::test_support::{STEEL, STONE, body, distort, elastic_noise, grid, in_halves, noise, step};
    use super::*;
    use crate::body::Deformable;
    use crate::dim::{Plane, Space};
    use crate::fem::mesh::ElementKind;

    /// Energy of a step with loads, spin and impulses against the balance; `damping` of the two halves.
    fn balances<X: Dim>(kind: ElementKind, theta: f64, damping: [f64; 2]) {
        let mut mesh = in_halves(grid::<X>(kind, &[4, 3, 2], &[0.2, 0.15, 0.1]));
        distort(&mut mesh, 0.004);
        let soft = ElasticMaterial { young: 1e8, damping: damping[0], mass_damping: 1e6 * damping[0], ..STONE };
        let stiff = ElasticMaterial { young: 3e8, damping: damping[1], mass_damping: 2e6 * damping[1], ..STEEL };
        let materials =
            if damping[0] == damping[1] { [soft, ElasticMaterial { density: 1e3, ..soft }] } else { [soft, stiff] };
        let h = 2e-4;
        let body = body(mesh, &materials, h, theta);
        let [displacements, velocities] = [1e-4, 0.3].map(|size| elastic_noise(&body, size, size));
        let pairs = displacements.into_iter().zip(velocities);
        let before: Vec<Node<X>> = pairs.map(|(displacement, velocity)| Node { displacement, velocity }).collect();
        let forces: Vec<(u32, X::Vector)> =
            noise::<X>(3, 0.7).iter().zip([0, 5, 9]).map(|(f, k)| (k, *f * 1e3)).collect();
        let impulses: Vec<(u32, X::Vector)> =
            noise::<X>(2, 0.1).iter().zip([1, 3]).map(|(p, k)| (k, *p * 0.5)).collect();
        let loads = NodalLoads::free(X::Spin::from_fn(|k| 50.0 - 20.0 * k as f64), &forces);
        let after = step(&body, &before, &loads, &impulses);
        let total = |nodes: &[Node<X>]| body.kinetic_energy(nodes) + body.matrices().strain_energy(nodes);
        let mean = |k: u32| (before[k as usize].velocity + after[k as usize].velocity) * 0.5;
        let struck: f64 = impulses.iter().map(|(k, p)| p.dot(&mean(*k))).sum();
        let (work, flows) = (body.nodal_work(&before, &after, &loads, &impulses), body.flows(&before, &after));
        let loaded = work.loads + work.centrifugal + work.held;
        let off = total(&after) - total(&before) - (struck + loaded - flows.damped);
        assert!(
            off.abs() < 1e-12 * total(&before).max(total(&after)),
            "{kind:?}, theta {theta}: {off} of {}",
            total(&before)
        );
        let stored = body.matrices().strain_energy(&after) - body.matrices().strain_energy(&before);
        assert!((flows.stored - stored).abs() < 1e-12 * total(&before).max(total(&after)));
        assert!(struck.abs() > 1e-3 * total(&before) && loaded.abs() > 1e-3 * total(&before));
        let free = step(&body, &before, &NodalLoads::free(X::Spin::zero(), &[]), &[]);
        let (_, lost) = body.stored_and_dissipated(&before, &free);
        assert_eq!((lost.material != 0.0, lost.scheme != 0.0), (damping[1] > 0.0, theta != 0.5));
        assert!(lost.total() >= 0.0);
    }

    #[test]
    fn the_energy_balance_of_a_step_closes_to_rounding() {
        for theta in [0.5, 0.7, 1.0] {
            for damping in [[0.0, 0.0], [2e-5, 2e-5], [0.0, 2e-5]] {
                balances::<Plane>(ElementKind::T3, theta, damping);
                balances::<Plane>(ElementKind::Q4, theta, damping);
                balances::<Space>(ElementKind::Hex8, theta, damping);
                balances::<Space>(ElementKind::Tet10, theta, damping);
            }
        }
    }
}
