//! Seams of a compound: faces covered by other parts, and corners from which other parts continue.
//!
//! In: posed parts. Out: marks on their polytopes, by which detection ignores features that are not on the surface of
//! the compound.

use super::{Part, Polytope, PosedShape, Shape};
use crate::dim::{Dim, Orientation, Vector};

/// Distance beyond a face or a corner at which other parts are searched for, relative to the reach of the part.
const PROBE: f64 = 1e-7;
/// Relative distance from its boundary at which a face is probed.
const INSIDE: f64 = 1e-4;

/// Marks the covered faces and the seams of all polytopes.
pub(super) fn mark<X: Dim>(parts: &mut [Part<X>]) {
    for number in 0..parts.len() {
        let Some(block) = parts[number].shape.as_polytope() else { continue };
        let placed = parts[number].placed(&frame());
        let margin = PROBE * block.polytope.reach() * placed.size;
        let others: Vec<PosedShape<'_, X>> =
            parts.iter().enumerate().filter(|(k, _)| *k != number).map(|(_, part)| part.placed(&frame())).collect();
        let covered = covered(&block.polytope, &placed, &others, margin);
        let seams = seams(&block.polytope, &placed, &others, margin);
        if let Shape::Polytope(block) = &mut parts[number].shape {
            block.polytope.faces.iter_mut().zip(covered).for_each(|(face, covered)| face.covered = covered);
            block.polytope.seams = seams;
        }
    }
}

/// The frame of the compound.
pub(super) fn frame<X: Dim>() -> PosedShape<'static, X> {
    let (position, orientation) = (X::Vector::zero(), X::Orientation::identity());
    PosedShape { shape: &Shape::HalfSpace, size: 1.0, position, orientation }
}

/// A point of the polytope of `placed`, at size one, in the frame of the compound.
fn world<X: Dim>(placed: &PosedShape<'_, X>, v: X::Vector) -> X::Vector {
    placed.position + placed.orientation.rotate(v * placed.size)
}

/// Which faces lie inside other parts? Their centres and all their corners do.
fn covered<X: Dim>(
    polytope: &Polytope<X>,
    placed: &PosedShape<'_, X>,
    others: &[PosedShape<'_, X>],
    margin: f64,
) -> Vec<bool> {
    let is_covered = |face: &super::Face<X>| {
        let corners = face.corners.iter().map(|&c| polytope.vertices[c as usize]);
        let centre = corners.clone().fold(X::Vector::zero(), |sum, c| sum + c) * (1.0 / face.corners.len() as f64);
        let lifted =
            |v: X::Vector| world(placed, v + (centre - v) * INSIDE) + placed.orientation.rotate(face.normal * margin);
        corners.chain([centre]).all(|v| others.iter().any(|other| other.holds(lifted(v), 0.0)))
    };
    polytope.faces.iter().map(is_covered).collect()
}

/// For each corner, the directions to all corners of the other polytopes that contain it; empty if there are none.
fn seams<X: Dim>(
    polytope: &Polytope<X>,
    placed: &PosedShape<'_, X>,
    others: &[PosedShape<'_, X>],
    margin: f64,
) -> Vec<Vec<X::Vector>> {
    let mut seams = vec![Vec::new(); polytope.vertices.len()];
    for (corner, continuations) in polytope.vertices.iter().zip(&mut seams) {
        let at = world(placed, *corner);
        for other in others.iter().filter(|other| other.holds(at, margin)) {
            let Some(block) = other.shape.as_polytope() else { continue };
            let offsets = block.polytope.vertices.iter().map(|v| world(other, *v) - at);
            let offsets = offsets.filter(|offset| offset.norm() > 10.0 * margin);
            continuations.extend(offsets.map(|offset| placed.orientation.unrotate(offset * (1.0 / offset.norm()))));
        }
    }
    if seams.iter().all(Vec::is_empty) { Vec::new() } else { seams }
}
