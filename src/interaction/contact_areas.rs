//! The area that each contact point of a pair stands for, for laws whose constants belong to a unit area.
//!
//! Faces of both bodies that face each other are clipped against each other. A corner of an overlap is a contact point,
//! up to rounding: it stands for half of an overlap of segments, and in space for the triangles at its sides of a
//! polygon of overlap, so that the areas of all points add up to that of the contact. Bodies without flat faces have no
//! area of contact.

use super::contact_point::ContactPoint;
use super::meshed::ContactSide;
use crate::contactor::{Bounds, PosedShape, Shape};
use crate::dim::{Dim, Orientation, Vector};

/// Least cosine of the angle between a face and the opposite of another that it faces.
const FACING: f64 = 0.9;

/// A flat face: its corners, counter-clockwise seen from outside, and its outward unit normal.
struct FlatFace<X: Dim> {
    corners: Vec<X::Vector>,
    normal: X::Vector,
}

/// The area of each of these contact points of a pair whose alert distance is `alert`, m2 (m in the plane).
pub fn contact_areas<X: Dim>(sides: [ContactSide<'_, X>; 2], points: &[ContactPoint<X>], alert: f64) -> Vec<f64> {
    let mut areas = vec![0.0; points.len()];
    let bounds: Bounds<X> = points.iter().map(|point| Bounds::at(point.point)).collect();
    let bounds = bounds.inflated(alert);
    let [own, other] = sides.map(|side| faces(&side, &bounds));
    for face in &own {
        for opposite in other.iter().filter(|opposite| -opposite.normal.dot(&face.normal) > FACING) {
            for (corner, area) in overlap(face, opposite, alert) {
                let distance = |point: &ContactPoint<X>| (point.point - corner).norm2();
                let nearest = points
                    .iter()
                    .enumerate()
                    .filter(|(_, point)| point.normal.dot(&face.normal).abs() > FACING)
                    .min_by(|(_, p), (_, q)| distance(p).total_cmp(&distance(q)));
                if let Some((k, _)) = nearest {
                    areas[k] += area;
                }
            }
        }
    }
    areas
}

/// The flat faces of a body that meet a box.
fn faces<X: Dim>(side: &ContactSide<'_, X>, bounds: &Bounds<X>) -> Vec<FlatFace<X>> {
    let mut found = Vec::new();
    match side {
        ContactSide::Rigid(shape) => match shape.shape.as_compound() {
            None => faces_of_rigid(shape, bounds, &mut found),
            Some(compound) => {
                compound.parts.iter().for_each(|part| faces_of_rigid(&part.placed(shape), bounds, &mut found));
            }
        },
        ContactSide::Meshed(surface) => {
            for (_, facet) in surface.facets_in(bounds) {
                let corners: Vec<X::Vector> = facet.nodes().iter().map(|&node| surface.at(node)).collect();
                let area = X::area_vector(&corners);
                found.push(FlatFace { corners, normal: area * (1.0 / area.norm()) });
            }
        }
    }
    found
}

fn faces_of_rigid<X: Dim>(shape: &PosedShape<'_, X>, bounds: &Bounds<X>, found: &mut Vec<FlatFace<X>>) {
    match shape.shape {
        Shape::Polytope(block) if block.rounding == 0.0 => {
            for face in block.polytope.faces.iter().filter(|face| !face.covered) {
                let at = |&corner: &u32| {
                    shape.position + shape.orientation.rotate(block.polytope.vertices[corner as usize] * shape.size)
                };
                let corners: Vec<X::Vector> = face.corners.iter().map(at).collect();
                if bounds.meets(&corners.iter().map(|corner| Bounds::at(*corner)).collect()) {
                    found.push(FlatFace { corners, normal: shape.orientation.rotate(face.normal) });
                }
            }
        }
        Shape::HalfSpace => {
            // A face that holds whatever is in the box.
            let (normal, middle) = (shape.outward(), (bounds.min + bounds.max) * 0.5);
            let (foot, size) =
                (middle - normal * normal.dot(&(middle - shape.position)), (bounds.max - bounds.min).norm());
            let axes = X::frame(normal);
            let axis = |k: usize| X::Vector::from_fn(|i| axes[(k, i)]) * size;
            let mut corners = vec![foot - axis(1), foot + axis(1)];
            for across in (2..X::D).map(axis) {
                let (p, q) = (corners[0], corners[1]);
                corners = vec![p - across, q - across, q + across, p + across];
            }
            if X::area_vector(&corners).dot(&normal) < 0.0 {
                corners.reverse();
            }
            found.push(FlatFace { corners, normal });
        }
        Shape::Polytope(_)
        | Shape::Ball
        | Shape::Cylinder { .. }
        | Shape::Hollow
        | Shape::Compound(_)
        | Shape::Meshed(_) => {}
    }
}

/// Corners of the overlap of two faces no farther apart than `alert`, each with its share of the area.
fn overlap<X: Dim>(face: &FlatFace<X>, opposite: &FlatFace<X>, alert: f64) -> Vec<(X::Vector, f64)> {
    let mut polygon: Vec<X::Vector> = opposite.corners.iter().rev().copied().collect();
    let count = face.corners.len();
    // In the plane the two edges of a face are its two directions, each with its end.
    for k in 0..count {
        let (from, to) = (face.corners[k], face.corners[(k + 1) % count]);
        let outward = X::beyond(to - from, face.normal);
        polygon = clipped(&polygon, |p| -outward.dot(&(*p - to)));
    }
    let height = |p: &X::Vector| face.normal.dot(&(*p - face.corners[0]));
    if polygon.len() < X::D || polygon.iter().any(|p| height(p).abs() > alert) {
        return Vec::new();
    }
    polygon.iter_mut().for_each(|p| *p -= face.normal * height(p));
    shares::<X>(&polygon)
}

/// The part of a polygon, or of a segment, in which `inside` is not negative.
fn clipped<V: Vector>(polygon: &[V], inside: impl Fn(&V) -> f64) -> Vec<V> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    // The two sides of a segment are the same one.
    let sides = if polygon.len() == 2 { 1 } else { polygon.len() };
    for k in 0..polygon.len() {
        let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        let (a, b) = (inside(&p), inside(&q));
        if a >= 0.0 {
            kept.push(p);
        }
        if k < sides && (a >= 0.0) != (b >= 0.0) {
            kept.push(p + (q - p) * (a / (a - b)));
        }
    }
    kept
}

/// The shares of the corners in the area of a polygon, or in the length of a segment.
fn shares<X: Dim>(polygon: &[X::Vector]) -> Vec<(X::Vector, f64)> {
    let count = polygon.len();
    if let [p, q] = *polygon {
        return [p, q].map(|end| (end, 0.5 * (q - p).norm())).to_vec();
    }
    let sum = polygon.iter().fold(X::Vector::zero(), |sum, p| sum + *p);
    let centre = sum * (1.0 / count as f64);
    let triangle = |k: usize| 0.5 * X::across(polygon[k] - centre, polygon[(k + 1) % count] - centre).norm();
    let triangles: Vec<f64> = (0..count).map(triangle).collect();
    // A third of each triangle belongs to the centre, which all corners share.
    let common = triangles.iter().sum::<f64>() / (3.0 * count as f64);
    let at = |k: usize| common + (triangles[k] + triangles[(k + count - 1) % count]) / 3.0;
    (0..count).map(|k| (polygon[k], at(k))).collect()
}
