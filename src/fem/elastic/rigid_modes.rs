//! Rigid motions G of a mesh, and projections to the motions without them.
//!
//! G is made orthonormal in the sense of the mass, G'MG = I. Loads f of elastic motions are f - M G G'f, and their
//! velocities e - G (MG)'e.
//!
//! The velocities A^-1 f by a load f of elastic motions have a rigid part Y (MG)'A^-1 f, where Y spans A^-1 M G and
//! (MG)'Y = I. If A G is a multiple of M G, Y = G; damping proportional to mass that varies in the mesh makes it
//! differ.

use super::assembly::NodeMatrix;
use super::products::add_mass;
use crate::dim::{Dim, Vector};

/// Orthonormal rigid motions of a mesh. Vectors hold all components of a node in turn.
#[derive(Clone, Debug)]
pub(super) struct RigidModes {
    /// Each column of G.
    motions: Vec<Vec<f64>>,
    /// Each column of M G.
    momenta: Vec<Vec<f64>>,
    /// Each column of Y, if it is not G.
    answers: Option<Vec<Vec<f64>>>,
}

impl RigidModes {
    /// Of nodes with these positions and masses.
    pub(super) fn new<X: Dim>(positions: &[X::Vector], mass: &NodeMatrix) -> Self {
        let translation = |axis: usize| vec![X::Vector::axis(axis); positions.len()];
        let rotation = |axis: usize| positions.iter().map(|&p| X::cross(X::Spin::axis(axis), p)).collect();
        let all = (0..X::D).map(translation).chain((0..X::R).map(rotation));
        let mut modes = Self { motions: Vec::new(), momenta: Vec::new(), answers: None };
        for motion in all {
            let mut motion: Vec<f64> = motion.iter().flat_map(|v| v.as_slice().to_vec()).collect();
            // Once more: the second pass removes what rounding leaves of the first.
            modes.remove_motion(&mut motion);
            modes.remove_motion(&mut motion);
            let mut momentum = vec![0.0; motion.len()];
            add_mass::<X>(mass, 1.0, &motion, &mut momentum);
            let scale = 1.0 / dot(&motion, &momentum).sqrt();
            modes.motions.push(motion.iter().map(|x| x * scale).collect());
            modes.momenta.push(momentum.iter().map(|x| x * scale).collect());
        }
        modes
    }

    /// Removes the rigid part of velocities or displacements.
    pub(super) fn remove_motion(&self, velocities: &mut [f64]) {
        remove(&self.motions, &self.momenta, velocities);
    }

    /// From now on Y is not G: `solve` overwrites a vector with A^-1 times it.
    pub(super) fn answer(&mut self, solve: impl Fn(&mut [f64])) {
        let mut answers = self.momenta.clone();
        answers.iter_mut().for_each(|answer| solve(answer));
        // Gauss-Jordan elimination of (MG)'Y, which is positive definite.
        for (k, momentum) in self.momenta.iter().enumerate() {
            let scale = 1.0 / dot(momentum, &answers[k]);
            answers[k].iter_mut().for_each(|y| *y *= scale);
            let pivot = answers[k].clone();
            for (_, answer) in answers.iter_mut().enumerate().filter(|(j, _)| *j != k) {
                remove(std::slice::from_ref(&pivot), std::slice::from_ref(momentum), answer);
            }
        }
        self.answers = Some(answers);
    }

    /// Removes the rigid part of velocities A^-1 f.
    pub(super) fn remove_answer(&self, velocities: &mut [f64]) {
        remove(self.answers.as_ref().unwrap_or(&self.motions), &self.momenta, velocities);
    }

    /// Removes the resultant force and torque of loads.
    pub(super) fn remove_load(&self, loads: &mut [f64]) {
        remove(&self.momenta, &self.motions, loads);
    }

    /// Each column of G and of M G.
    #[cfg(test)]
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&Vec<f64>, &Vec<f64>)> {
        self.motions.iter().zip(&self.momenta)
    }

    /// Bytes of these vectors.
    pub(super) fn bytes(&self) -> usize {
        self.motions
            .iter()
            .chain(&self.momenta)
            .chain(self.answers.iter().flatten())
            .map(|v| size_of_val(v.as_slice()))
            .sum()
    }
}

fn remove(directions: &[Vec<f64>], duals: &[Vec<f64>], vector: &mut [f64]) {
    for (direction, dual) in directions.iter().zip(duals) {
        let amount = dot(dual, vector);
        vector.iter_mut().zip(direction).for_each(|(x, g)| *x -= amount * g);
    }
}

/// Inner product, in four interleaved sums: one sum would wait for each addition.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut sums, (a4, b4)) = ([0.0; 4], (a.chunks_exact(4), b.chunks_exact(4)));
    let rest: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}
