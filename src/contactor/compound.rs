//! Compounds: several convex parts in one rigid body, such as clusters, flakes and stars.
//!
//! The masses of the parts add: where parts overlap, the overlap counts once for each of them. A face of a part that
//! other parts cover entirely is marked, so that no contact is created inside the body.

use super::part::SURFACE;
use super::{Bounds, Compound, MassProperties, Part, PosedShape};
use crate::dim::{Dim, Orientation, Square, Vector};

/// Depth inside another part, relative to the size of that part, up to which a point of a face counts: in a notch both
/// flanks touch, also when the other body overlaps both.
const NOTCH: f64 = 0.1;

/// Depth inside another part, relative to the size of that part, up to which the midpoint between a corner and the
/// point of the other body may lie.
const BETWEEN: f64 = 0.05;

/// By how much, relative to the depth, another exit must be shorter: in a corner of the body both are correct.
const SHORTER: f64 = 1e-3;

impl<X: Dim> Compound<X> {
    /// From parts with volume, in any frame; parts that are compounds are flattened.
    pub fn new(name: &'static str, parts: Vec<Part<X>>) -> Self {
        let parts: Vec<Part<X>> = parts.into_iter().flat_map(flattened).collect();
        let mass = combined(&parts);
        Self::with_mass(name, parts, mass)
    }

    /// From simple parts that represent a body with known mass properties.
    pub fn with_mass(name: &'static str, parts: Vec<Part<X>>, mass: MassProperties<X>) -> Self {
        let in_principal_axes = |part: Part<X>| Part {
            position: mass.orientation.unrotate(part.position - mass.centre),
            orientation: mass.orientation.inverse().times(&part.orientation),
            ..part
        };
        let mut compound =
            Self { name: name.into(), parts: parts.into_iter().map(in_principal_axes).collect(), mass, radius: 0.0 };
        super::seams::mark(&mut compound.parts);
        compound.radius = compound.inscribed_radius();
        compound
    }

    /// Scaled so that its farthest point is at distance one from the centre of mass.
    pub fn unit(self) -> Self {
        let factor = 1.0 / self.reach();
        let shrink = |part: Part<X>| Part { size: part.size * factor, position: part.position * factor, ..part };
        let parts = self.parts.into_iter().map(shrink).collect();
        Self { name: self.name, parts, mass: self.mass.scaled(factor), radius: self.radius * factor }
    }

    /// Largest distance of a point from the centre.
    pub fn reach(&self) -> f64 {
        self.parts.iter().map(|p| p.farthest()).fold(0.0, f64::max)
    }

    pub(super) fn characteristic(&self) -> f64 {
        self.parts.iter().filter_map(|p| Some(p.shape.characteristic()? * p.size)).fold(f64::INFINITY, f64::min)
    }

    pub(super) fn corners(&self) -> Vec<X::Vector> {
        let of = |p: &Part<X>| -> Vec<X::Vector> {
            p.shape.corners().into_iter().map(|v| p.position + p.orientation.rotate(v * p.size)).collect()
        };
        self.parts.iter().flat_map(of).collect()
    }

    pub(super) fn numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        for part in &self.parts {
            let kind = part.shape.name().bytes().fold(0.0, |sum, byte| sum * 256.0 + f64::from(byte));
            numbers.extend([kind, part.size]);
            numbers.extend(part.position.as_slice());
            let mut orientation = [0.0; 4];
            part.orientation.write(&mut orientation[..X::Orientation::NUMBERS]);
            numbers.extend(&orientation[..X::Orientation::NUMBERS]);
            numbers.extend(part.shape.numbers());
        }
        numbers
    }

    pub(super) fn bounds(&self, body: &PosedShape<'_, X>) -> Bounds<X> {
        self.parts.iter().map(|part| part.placed(body).bounds()).fold(Bounds::at(body.position), Bounds::united)
    }

    /// Is `point` on the surface of the compound, posed as `body`? It lies on that of part `number`, where `n` is the
    /// outward direction. A point of an uncovered face is on the surface of the compound unless it lies deep inside
    /// another part, or beyond the end of its face with other parts between it and the point `from` of the convex part
    /// `other` of the other body. At corners and edges, every other part that contains the point must lie behind it.
    /// Where `from` lies below a face, no exit through another part may be shorter.
    pub fn is_outside(
        &self,
        body: &PosedShape<'_, X>,
        number: usize,
        point: X::Vector,
        n: X::Vector,
        (from, other): (X::Vector, &PosedShape<'_, X>),
    ) -> bool {
        let is_face = self.parts[number].has_face(body.orientation.unrotate(n));
        if is_face && self.is_behind(body, number, point, from) {
            return false;
        }
        let depth = n.dot(&(point - from));
        if is_face && depth > 0.0 && self.has_shorter_exit(body, number, depth, (from, other)) {
            return false;
        }
        // Beyond the end of its face, in a notch, the point of the other body must be outside.
        let is_off = is_face && !self.parts[number].has_point(body, point);
        let point = if is_off { from } else { point };
        self.parts.iter().enumerate().filter(|(k, _)| *k != number).all(|(_, part)| {
            let reach = part.shape.reach() * part.size * body.size;
            let placed = part.placed(body);
            if (point - placed.position).norm() > reach * (1.0 + SURFACE) {
                return true;
            }
            let size = part.shape.characteristic().unwrap_or(0.0) * placed.size;
            let margin = if is_face { -NOTCH * size } else { SURFACE * reach };
            !placed.holds(point, margin) || placed.support(n) <= n.dot(&point) + SURFACE * reach
        })
    }

    /// Can `other`, whose point `from` lies inside, leave through an open face of another part by less than `depth`?
    fn has_shorter_exit(
        &self,
        body: &PosedShape<'_, X>,
        number: usize,
        depth: f64,
        (from, other): (X::Vector, &PosedShape<'_, X>),
    ) -> bool {
        let least = depth * (1.0 - SHORTER);
        self.parts.iter().enumerate().filter(|(k, _)| *k != number).any(|(k, part)| {
            let placed = part.placed(body);
            let Some(block) = placed.shape.as_polytope() else { return false };
            let reach = block.polytope.reach() * placed.size;
            if block.rounding > 0.0 || (from - placed.position).norm() > reach + least {
                return false;
            }
            let at = placed.orientation.unrotate(from - placed.position);
            block.polytope.faces.iter().enumerate().filter(|(_, face)| !face.covered).any(|(i, face)| {
                let height = face.normal.dot(&at) - face.offset * placed.size;
                let inward = placed.orientation.rotate(-face.normal);
                // All of the other part must come out.
                let exit_length = || other.support(inward) - inward.dot(&from) - height;
                if height > 0.0 || -height >= least || exit_length() >= least {
                    return false;
                }
                let away = block.polytope.from_face(i, placed.size, at, height);
                let away = away.unwrap_or(face.normal * height);
                // A face that lies inside other parts is no exit.
                let out = from - placed.orientation.rotate(away);
                away.norm() < least
                    && self.parts.iter().enumerate().filter(|(j, _)| *j != k).all(|(_, other)| {
                        let other = other.placed(body);
                        !other.holds(out, -SURFACE * other.shape.reach() * other.size)
                    })
            })
        })
    }

    /// Does `point` lie off part `number`, beyond the end of its face, such that the segment from there to `from`
    /// passes through other parts?
    fn is_behind(&self, body: &PosedShape<'_, X>, number: usize, point: X::Vector, from: X::Vector) -> bool {
        let placed = self.parts[number].placed(body);
        let Some(block) = placed.shape.as_polytope() else { return false };
        if self.parts[number].has_point(body, point) {
            return false;
        }
        let corners = block.polytope.vertices.iter();
        let corners = corners.map(|v| placed.position + placed.orientation.rotate(*v * placed.size));
        let nearest = corners.min_by(|a, b| (*a - point).norm2().total_cmp(&(*b - point).norm2()));
        let Some(middle) = nearest.map(|corner| (corner + from) * 0.5) else { return false };
        self.parts.iter().enumerate().filter(|(k, _)| *k != number).any(|(_, part)| {
            let size = part.shape.characteristic().unwrap_or(0.0) * part.size * body.size;
            part.placed(body).holds(middle, -BETWEEN * size)
        })
    }
}

/// The parts of a part.
fn flattened<X: Dim>(part: Part<X>) -> Vec<Part<X>> {
    let Some(inner) = part.shape.as_compound() else { return vec![part] };
    let in_outer_frame = |p: &Part<X>| Part {
        shape: p.shape.clone(),
        size: p.size * part.size,
        position: part.position + part.orientation.rotate(p.position * part.size),
        orientation: part.orientation.times(&p.orientation),
    };
    inner.parts.iter().map(in_outer_frame).collect()
}

/// Mass properties of all parts; masses add.
fn combined<X: Dim>(parts: &[Part<X>]) -> MassProperties<X> {
    let volume_of = |p: &Part<X>| p.shape.mass(p.size, 1.0);
    let volume: f64 = parts.iter().map(volume_of).sum();
    let centre = parts.iter().fold(X::Vector::zero(), |sum, p| sum + p.position * (volume_of(p) / volume));
    let mut second = vec![0.0; X::D * X::D];
    for part in parts {
        let fraction = volume_of(part) / volume;
        let moments = X::second_moments(part.shape.inertia()) * (part.size * part.size);
        let axes: Vec<X::Vector> = (0..X::D).map(|k| part.orientation.rotate(X::Vector::axis(k))).collect();
        let arm = part.position - centre;
        for (k, entry) in second.iter_mut().enumerate() {
            let (i, j) = (k / X::D, k % X::D);
            let rotated: f64 = axes.iter().enumerate().map(|(k, a)| moments[k] * a[i] * a[j]).sum();
            *entry += fraction * (rotated + arm[i] * arm[j]);
        }
    }
    let (orientation, inertia) = X::principal(&X::Matrix::from_fn(|i, j| second[i * X::D + j]));
    MassProperties { volume, centre, orientation, inertia }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contactor::{Polytope, Shape};
    use crate::dim::{Plane, Quaternion, Space};
    use nalgebra::{Vector2, Vector3};

    fn part(shape: Shape<Space>, size: f64, position: [f64; 3]) -> Part<Space> {
        Part { shape, size, position: position.into(), orientation: Quaternion::identity() }
    }

    #[test]
    fn a_box_of_two_boxes_is_the_box() {
        let half = Shape::cuboid(Vector3::new(0.5, 1.0, 1.5)).unwrap();
        let other = Part {
            orientation: Quaternion::identity().turned(Vector3::new(0.0, 0.0, std::f64::consts::PI)),
            ..part(half.clone(), 1.0, [3.5, 2.0, 1.0])
        };
        let compound = Compound::new("compound", vec![part(half, 1.0, [2.5, 2.0, 1.0]), other]);
        let body = Shape::<Space>::cuboid(Vector3::new(1.0, 1.0, 1.5)).unwrap();
        assert!((compound.mass.volume - 12.0).abs() < 1e-13);
        assert!((compound.mass.centre - Vector3::new(3.0, 2.0, 1.0)).norm() < 1e-15);
        assert!((compound.mass.inertia - body.inertia()).norm() < 1e-14);
        let covered = |part: &Part<Space>| match &part.shape {
            Shape::Polytope(block) => block.polytope.faces.iter().filter(|f| f.covered).count(),
            _ => 0,
        };
        assert_eq!(compound.parts.iter().map(covered).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn a_dumbbell_of_spheres_has_the_closed_form_and_its_longest_axis_first() {
        let compound =
            Compound::new("compound", vec![part(Shape::Ball, 1.0, [0.0, 5.0, 0.0]), part(Shape::Ball, 1.0, [0.0; 3])]);
        let along_y = compound.mass.inertia.y;
        assert!((along_y - 0.4).abs() < 1e-14 && (compound.mass.inertia.x - (0.4 + 6.25)).abs() < 1e-13);
        assert!((compound.reach() - 3.5).abs() < 1e-15);
        assert!((compound.clone().unit().reach() - 1.0).abs() < 1e-15);
        assert!((compound.unit().mass.inertia.y - 0.4 / 3.5f64.powi(2)).abs() < 1e-15);
    }

    #[test]
    fn compounds_of_compounds_are_flat() {
        let pair = |x: f64| {
            Compound::new("compound", vec![part(Shape::Ball, 1.0, [x, 0.0, 0.0]), part(Shape::Ball, 1.0, [0.0; 3])])
        };
        let nested = Compound::new("compound", vec![part(Shape::Compound(Box::new(pair(2.0))), 0.5, [7.0, 0.0, 0.0])]);
        assert_eq!(nested.parts.len(), 2);
        assert!((nested.mass.inertia - pair(2.0).unit().mass.inertia * (2.0f64 / 2.0).powi(2)).norm() < 1e-14);
    }

    #[test]
    fn a_point_of_a_seam_is_outside_only_along_a_normal_of_the_whole() {
        let square = |x: f64| {
            let corners = [[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]].map(Vector2::from);
            let (polytope, mass) = Polytope::<Plane>::convex(&corners).unwrap();
            let position = mass.centre;
            let shape = Shape::block("polygon", polytope, mass);
            Part { shape, size: 1.0, position, orientation: crate::dim::Angle(0.0) }
        };
        let shape = Shape::Compound(Box::new(Compound::new("polygon", vec![square(0.0), square(1.0)])));
        let body =
            PosedShape { shape: &shape, size: 2.0, position: Vector2::zeros(), orientation: crate::dim::Angle(0.0) };
        let Shape::Compound(compound) = &shape else { panic!() };
        let seam = Vector2::new(0.0, 1.0);
        let ball = PosedShape { shape: &Shape::Ball, ..body };
        assert!(compound.is_outside(&body, 0, seam, Vector2::y(), (seam + Vector2::y() * 1e-9, &ball)));
        assert!(!compound.is_outside(
            &body,
            0,
            seam,
            Vector2::new(0.6, 0.8),
            (seam + Vector2::new(0.6, 0.8) * 1e-9, &ball)
        ));
        assert!(!compound.is_outside(
            &body,
            0,
            seam - Vector2::y() * 0.3,
            Vector2::x(),
            (seam - Vector2::y() * 0.3 + Vector2::x() * 1e-9, &ball)
        ));
        assert!(compound.is_outside(
            &body,
            0,
            Vector2::new(-2.0, 0.3),
            -Vector2::x(),
            (Vector2::new(-2.0, 0.3) + -Vector2::x() * 1e-9, &ball)
        ));
    }
}
