//! A cantilever: deflection under a load at its end, first frequency, and that of the time scheme.

use nalgebra::{Vector1, Vector2};
use sprs::CsMat;

use super::test_support::{STEEL, grid, prepared, reduced, step};
use super::{ElasticMatrices, ElasticMesh, ElasticStep, Formulations, HeldNode, PlaneState, SparseFactor};
use crate::body::{NodalLoads, Node};
use crate::dim::{Dim, Plane, Space};
use crate::fem::mesh::ElementKind;

/// A beam of length 1 and height 0.1, clamped at its first end.
struct Cantilever<X: Dim> {
    matrices: ElasticMatrices<X>,
    /// Unknowns that are free.
    free: Vec<bool>,
    /// Among the free ones: load along y of total one, spread over the end.
    load: Vec<f64>,
}

impl<X: Dim> Cantilever<X> {
    fn new(kind: ElementKind, counts: &[usize], formulations: Formulations) -> Self {
        let mesh = grid::<X>(kind, counts, &[1.0, 0.1, 0.1]);
        let matrices = ElasticMatrices::assemble(
            ElasticMesh::new(std::sync::Arc::new(mesh), &[STEEL], PlaneState::Stress, formulations).unwrap(),
        );
        let nodes = &matrices.mesh().nodes;
        let free: Vec<bool> = nodes.iter().flat_map(|p| vec![p[0] > -0.4999; X::D]).collect();
        // Consistent with a uniform traction on linear elements of equal size: a node on the rim of the end has half.
        let halves = |p: &X::Vector| (1..X::D).map(|k| if p[k].abs() > 0.0499 { 0.5 } else { 1.0 }).product::<f64>();
        let shares: Vec<f64> = nodes.iter().map(|p| if p[0] > 0.4999 { halves(p) } else { 0.0 }).collect();
        let total: f64 = shares.iter().sum();
        let all = (0..free.len()).map(|k| if 1 == k % X::D { shares[k / X::D] / total } else { 0.0 });
        let load = all.zip(&free).filter(|(_, free)| **free).map(|(load, _)| load).collect();
        Self { matrices, free, load }
    }

    fn combined(&self, mass: f64, stiffness: f64) -> CsMat<f64> {
        reduced(&self.matrices.combined(mass, 0.0, stiffness), &self.free)
    }

    /// Mean displacement of the end by a load of 1e4 N.
    fn deflection(&self) -> f64 {
        let mut displacements: Vec<f64> = self.load.iter().map(|f| 1e4 * f).collect();
        SparseFactor::new(&self.combined(0.0, 1.0), None).unwrap().solve(&mut displacements);
        dot(&displacements, &self.load)
    }

    /// First mode and its frequency in Hz, by inverse iteration.
    fn first_mode(&self) -> (Vec<f64>, f64) {
        let (mass, factor) = (self.combined(1.0, 0.0), SparseFactor::new(&self.combined(0.0, 1.0), None).unwrap());
        let (mut mode, mut eigenvalue) = (self.load.clone(), 0.0);
        for _ in 0..20 {
            let momentum = product(&mass, &mode);
            let mut next = momentum.clone();
            factor.solve(&mut next);
            eigenvalue = dot(&next, &momentum) / dot(&next, &product(&mass, &next));
            let scale = 1.0 / dot(&next, &self.load);
            mode = next.iter().map(|x| x * scale).collect();
        }
        (mode, eigenvalue.sqrt() / std::f64::consts::TAU)
    }
}

fn product(matrix: &CsMat<f64>, x: &[f64]) -> Vec<f64> {
    matrix.outer_iterator().map(|row| row.iter().map(|(column, entry)| entry * x[column]).sum()).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Deflection of a slender beam with shear, Timoshenko: P L^3/(3 E I) + 6 P L/(5 G A), for a section of this width.
fn theory(width: f64) -> f64 {
    let (area, moment) = (0.1 * width, 1e-3 * width / 12.0);
    1e4 / (3.0 * 210e9 * moment) + 1.2 * 1e4 * 2.6 / (210e9 * area)
}

#[test]
fn a_cantilever_of_q4_has_the_reference_deflection_and_frequency() {
    let beam = Cantilever::<Plane>::new(ElementKind::Q4, &[80, 8], Formulations::default());
    let (deflection, (_, frequency)) = (beam.deflection(), beam.first_mode());
    assert!((deflection / 1.90084e-4 - 1.0).abs() < 1e-5, "{deflection:e}");
    assert!((frequency - 83.601).abs() < 1e-3, "{frequency}");
}

#[test]
fn elements_bend_as_a_beam() {
    let (default, cured) = (Formulations::default(), Formulations::INCOMPATIBLE);
    // The clamp hinders the contraction of a wide section, which theory neglects.
    for (kind, counts, tolerance) in [
        (ElementKind::Hex8, [10, 1, 1], 0.02),
        (ElementKind::Hex8, [20, 2, 2], 0.015),
        (ElementKind::Tet10, [10, 1, 1], 0.03),
        (ElementKind::Tet10, [20, 2, 2], 0.015),
    ] {
        let ratio = Cantilever::<Space>::new(kind, &counts, default).deflection() / theory(0.1);
        assert!((ratio - 1.0).abs() < tolerance, "{kind:?}: {ratio}");
    }
    for (kind, counts, formulations, tolerance) in [
        (ElementKind::T6, [20, 2], default, 0.005),
        (ElementKind::Q4, [80, 8], default, 0.01),
        (ElementKind::Q4, [10, 1], cured, 0.01),
    ] {
        let ratio = Cantilever::<Plane>::new(kind, &counts, formulations).deflection() / theory(1.0);
        assert!((ratio - 1.0).abs() < tolerance, "{kind:?}: {ratio}");
    }
    let locked = Cantilever::<Space>::new(ElementKind::Hex8, &[10, 1, 1], Formulations::COMPATIBLE).deflection();
    assert!(locked < 0.75 * theory(0.1), "{}", locked / theory(0.1));
}

#[test]
fn the_time_scheme_lowers_the_frequency_by_the_closed_form() {
    let (h, theta) = (2e-4, 0.5);
    let beam = Cantilever::<Plane>::new(ElementKind::Q4, &[80, 8], Formulations::default());
    let clamped = (0u32..).zip(&beam.matrices.mesh().nodes).filter(|(_, p)| p.x <= -0.4999);
    let held: Vec<HeldNode> = clamped.map(|(node, _)| (node, [true; 3])).collect();
    let body = prepared(beam.matrices.elastic().clone(), ElasticStep { h, theta, centrifugal: true }, &held);
    let spread = |free: &[f64]| -> Vec<Vector2<f64>> {
        let mut numbers = free.iter();
        let all: Vec<f64> = beam.free.iter().map(|free| if *free { *numbers.next().unwrap() } else { 0.0 }).collect();
        all.chunks(2).map(|own| Vector2::new(own[0], own[1])).collect()
    };
    let (mode, load) = (spread(&beam.first_mode().0), spread(&beam.load));
    let mut nodes: Vec<Node<Plane>> =
        mode.iter().map(|&d| Node { displacement: d, velocity: Vector2::zeros() }).collect();
    let (mut tip, mut crossings) = (1.0, Vec::new());
    for count in 0..500 {
        nodes = step(&body, &nodes, &NodalLoads::free(Vector1::zeros(), &[]), &[]);
        let next: f64 = nodes.iter().zip(&load).map(|(node, load)| node.displacement.dot(load)).sum();
        if tip * next < 0.0 {
            crossings.push(h * (f64::from(count) + tip / (tip - next)));
        }
        tip = next;
    }
    let half_periods = (crossings.len() - 1) as f64;
    let frequency = 0.5 * half_periods / (crossings[crossings.len() - 1] - crossings[0]);
    assert!((frequency - 83.535).abs() < 0.02, "{frequency}");
}
