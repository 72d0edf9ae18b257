//! The outline of a compound: the surface of the union of its parts.
//!
//! It consists of the pieces of the surfaces of the parts that lie in no other part. This file computes the nearest
//! point of the outline from a point inside, the length of a ray from a point inside, and the radius of an inscribed
//! sphere; none of these depends on how the body was cut into parts.

use super::seams::frame;
use super::{Compound, PosedShape, Shape};
use crate::dim::{Dim, Orientation, Vector};

/// Depth inside another part, relative to the reach of that part, up to which a point of the surface of one part counts
/// as on the surface of both.
const WITHIN: f64 = 1e-6;
/// Number of rays cast to measure a body, in addition to those perpendicular to its faces.
const RAYS: usize = 200;
/// Largest number of transitions of a ray from part to part.
const TRANSITIONS: usize = 100;
/// Number of bisections that reduce an interval to rounding.
const HALVINGS: usize = 50;

/// The point of the outline nearest to a point inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exit<X: Dim> {
    /// Unit vector from the point to the outline.
    pub normal: X::Vector,
    /// Distance, m.
    pub depth: f64,
}

impl<X: Dim> PosedShape<'_, X> {
    /// The nearest point of the outline from a `point` inside, if it is nearer than `limit`.
    pub fn exit(&self, point: X::Vector, limit: f64) -> Option<Exit<X>> {
        let mut best: Option<Exit<X>> = None;
        let mut least = limit;
        let mut consider = |away: X::Vector, is_open: &dyn Fn() -> bool| {
            let depth = away.norm();
            if depth > 0.0 && depth < least && is_open() {
                least = depth;
                best = Some(Exit { normal: away * (1.0 / depth), depth });
            }
            least
        };
        let Some(compound) = self.shape.as_compound() else {
            self.for_each_surface(point, |away| _ = consider(away, &|| true));
            return best;
        };
        let mut within = limit;
        for (number, part) in compound.parts.iter().enumerate() {
            let placed = part.placed(self);
            let reach = placed.reach();
            if (point - placed.position).norm() > reach + within {
                continue;
            }
            placed.for_each_surface(point, |away| {
                within = consider(away, &|| compound.is_open(self, number, point + away));
            });
        }
        best
    }

    /// Is `point`, on the surface of part number `part`, on the outline?
    pub fn is_surface(&self, part: usize, point: X::Vector) -> bool {
        self.shape.as_compound().is_none_or(|compound| compound.is_open(self, part, point))
    }

    /// Does the body lie behind `point` of part number `part` with respect to the unit vector `outward`? Only a seam at
    /// the point is examined: if several parts contain the point, all of them must lie behind it.
    pub fn is_extreme(&self, part: usize, point: X::Vector, outward: X::Vector) -> bool {
        let Some(compound) = self.shape.as_compound() else { return true };
        let is_behind =
            |placed: &PosedShape<'_, X>| placed.support(outward) <= outward.dot(&point) + WITHIN * placed.reach();
        let others = compound.parts.iter().enumerate().filter(|(k, _)| *k != part);
        let mut containing = others.map(|(_, other)| other.placed(self)).filter(|placed| {
            let reach = placed.reach();
            (point - placed.position).norm() <= reach * (1.0 + WITHIN) && placed.holds(point, WITHIN * reach)
        });
        match containing.next() {
            None => true,
            Some(other) => {
                is_behind(&other)
                    && containing.all(|other| is_behind(&other))
                    && is_behind(&compound.parts[part].placed(self))
            }
        }
    }

    /// Calls `found` with the vectors from `point` to the nearest points of the open faces, or of the round surface, of
    /// a simple shape.
    fn for_each_surface(&self, point: X::Vector, mut found: impl FnMut(X::Vector)) {
        let at = self.orientation.unrotate(point - self.position);
        let mut emit = |away: X::Vector| found(self.orientation.rotate(away));
        let round = |from: X::Vector, radius: f64| {
            let norm = from.norm();
            (norm > 0.0).then(|| from * (radius / norm - 1.0))
        };
        match self.shape {
            Shape::Polytope(block) if block.rounding == 0.0 => {
                for (k, face) in block.polytope.faces.iter().enumerate().filter(|(_, face)| !face.covered) {
                    let height = face.normal.dot(&at) - face.offset * self.size;
                    let from = block.polytope.from_face(k, self.size, at, height);
                    emit(-from.unwrap_or(face.normal * height));
                }
            }
            Shape::Polytope(block) => {
                // Only segments are rounded.
                let ends = [0, 1].map(|k| block.polytope.vertices[k] * self.size);
                let along = ends[1] - ends[0];
                let fraction = ((at - ends[0]).dot(&along) / along.norm2().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                round(at - ends[0] - along * fraction, block.rounding * self.size).into_iter().for_each(emit);
            }
            Shape::Ball => round(at, self.size).into_iter().for_each(emit),
            Shape::Cylinder { half_length } => {
                let (along, cap) = (at[X::D - 1], half_length * self.size);
                let mut across = at;
                across[X::D - 1] = 0.0;
                if along.abs() <= cap {
                    round(across, self.size).into_iter().for_each(&mut emit);
                }
                if across.norm() <= self.size {
                    [cap, -cap].into_iter().for_each(|cap| emit(X::Vector::axis(X::D - 1) * (cap - along)));
                }
            }
            Shape::Compound(_) | Shape::Meshed(_) | Shape::HalfSpace | Shape::Hollow => {}
        }
    }

    /// Length inside a convex shape of the ray from a point inside along the unit vector `direction`.
    fn chord(&self, point: X::Vector, direction: X::Vector) -> f64 {
        if let Some(block) = self.shape.as_polytope()
            && block.rounding == 0.0
        {
            let [at, direction] = [point - self.position, direction].map(|v| self.orientation.unrotate(v));
            let faces = block.polytope.faces.iter();
            let ends = faces.filter_map(|face| {
                let slope = face.normal.dot(&direction);
                (slope > f64::MIN_POSITIVE).then(|| (face.offset * self.size - face.normal.dot(&at)) / slope)
            });
            return ends.fold(f64::INFINITY, f64::min).max(0.0);
        }
        let (mut low, mut high) = (0.0, 2.0 * self.shape.reach() * self.size);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.holds(point + direction * middle, 0.0) { low = middle } else { high = middle }
        }
        low
    }
}

impl<X: Dim> Compound<X> {
    /// Does a part contain `point`, or come within `margin` of it?
    pub fn holds(&self, body: &PosedShape<'_, X>, point: X::Vector, margin: f64) -> bool {
        self.parts.iter().any(|part| {
            let placed = part.placed(body);
            let reach = placed.reach();
            (point - placed.position).norm() <= reach + 2.0 * margin && placed.holds(point, margin)
        })
    }

    /// Is `point`, on the surface of part `number`, in no other part?
    fn is_open(&self, body: &PosedShape<'_, X>, number: usize, point: X::Vector) -> bool {
        self.parts.iter().enumerate().filter(|(k, _)| *k != number).all(|(_, part)| {
            let placed = part.placed(body);
            let reach = placed.reach();
            (point - placed.position).norm() > reach || !placed.holds(point, -WITHIN * reach)
        })
    }

    /// Radius of a sphere inside the outline, about the centre of mass or that of the thickest part, whichever is
    /// larger.
    pub(super) fn inscribed_radius(&self) -> f64 {
        let parts: Vec<PosedShape<'_, X>> = self.parts.iter().map(|part| part.placed(&frame())).collect();
        let thickness = |part: &PosedShape<'_, X>| part.shape.characteristic().unwrap_or(0.0) * part.size;
        let thickest = parts.iter().max_by(|a, b| thickness(a).total_cmp(&thickness(b)));
        // Perpendicular to the faces, where the outline is flat, and in all directions, where it is not.
        let mut directions: Vec<X::Vector> = (0..RAYS).map(even_direction::<X>).collect();
        for part in &parts {
            if let Some(block) = part.shape.as_polytope() {
                let open = block.polytope.faces.iter().filter(|face| !face.covered);
                directions.extend(open.map(|face| part.orientation.rotate(face.normal)));
            }
        }
        let centres = thickest.map(|part| part.position).into_iter().chain([X::Vector::zero()]);
        let around = |centre: X::Vector| {
            directions
                .iter()
                .fold(f64::INFINITY, |least, &direction| least.min(ray_length(&parts, centre, direction, least)))
        };
        let inside = centres.map(around).fold(0.0, f64::max);
        // Rounding must not make the result less than that of the part.
        thickest.map_or(inside, |part| inside.max(thickness(part)))
    }
}

/// Direction number `k` of an evenly distributed sequence.
fn even_direction<X: Dim>(k: usize) -> X::Vector {
    let uniform = [0.819_172_513, 0.671_043_606, 0.549_700_477, 0.450_299_523].map(|step| (k as f64 * step).fract());
    X::random_orientation(uniform).rotate(X::Vector::axis(0))
}

/// Length inside the union of `parts` of the ray from `start` along `direction`; at least `limit` where it is longer.
fn ray_length<X: Dim>(parts: &[PosedShape<'_, X>], start: X::Vector, direction: X::Vector, limit: f64) -> f64 {
    let mut length = 0.0f64;
    for _ in 0..TRANSITIONS {
        let point = start + direction * length;
        let holds = |part: &&PosedShape<'_, X>| {
            let reach = part.reach();
            (point - part.position).norm() <= reach * (1.0 + WITHIN) && part.holds(point, WITHIN * reach)
        };
        let advance = parts.iter().filter(holds).map(|part| part.chord(point, direction)).fold(0.0, f64::max);
        length += advance;
        if advance <= WITHIN * length || length >= limit {
            break;
        }
    }
    length
}
