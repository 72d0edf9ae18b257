//! Two solids relative to the midpoint between their centres.
//!
//! In: posed polytopes. Out: support points and separations. With the origin at the midpoint, exchanging the bodies
//! changes only names, to the last bit, and the gap keeps all its digits far from the world origin. Vertices stay in
//! body axes: a direction is rotated into the body, and only the corners that matter are rotated into the world.

use crate::contactor::Polytope;
use crate::dim::{Dim, Orientation, Square, Vector};

/// A face whose normal has a smaller cosine to a line counts as parallel to it.
const STEEP: f64 = 1e-9;

/// A polytope with its pose: scaled, rotated, translated, and rounded.
#[derive(Clone, Copy, Debug)]
pub struct Solid<'a, X: Dim> {
    /// The template.
    pub polytope: &'a Polytope<X>,
    /// Its scale.
    pub size: f64,
    /// Position of the origin of the template, m.
    pub position: X::Vector,
    /// From body axes to world axes.
    pub orientation: X::Orientation,
    /// Rounding radius, m: the solid is the Minkowski sum of the polytope and a sphere of this radius; zero for sharp
    /// edges.
    pub rounding: f64,
}

impl<X: Dim> Solid<'_, X> {
    /// Distance from the centre to the farthest corner of the polytope, m.
    #[inline]
    pub(super) fn reach(&self) -> f64 {
        self.polytope.reach() * self.size
    }

    /// The corners in world coordinates, with their numbers.
    pub fn corners(&self) -> impl Iterator<Item = (u64, X::Vector)> {
        let view = SolidView::new(self, X::Vector::zero());
        let corner = move |i: usize| (i as u64, self.position + view.corner(i as u32));
        (0..self.polytope.vertices.len()).map(corner)
    }
}

/// One of the two solids.
pub(in crate::interaction) struct SolidView<'a, X: Dim> {
    pub(in crate::interaction) polytope: &'a Polytope<X>,
    pub(in crate::interaction) size: f64,
    /// Centre relative to the midpoint, m.
    pub(in crate::interaction) centre: X::Vector,
    /// Rotation from body axes to world axes.
    rotation: X::Matrix,
}

impl<'a, X: Dim> SolidView<'a, X> {
    pub(in crate::interaction) fn new(solid: &Solid<'a, X>, centre: X::Vector) -> Self {
        let mut columns = [X::Vector::zero(); 3];
        for (i, column) in columns.iter_mut().enumerate().take(X::D) {
            *column = solid.orientation.rotate(X::Vector::axis(i));
        }
        let rotation = X::Matrix::from_fn(|i, j| columns[j][i]);
        Self { polytope: solid.polytope, size: solid.size, centre, rotation }
    }

    /// Corner `i` of the polytope.
    #[inline]
    pub(in crate::interaction) fn corner(&self, i: u32) -> X::Vector {
        self.centre + self.rotation.apply(self.polytope.vertices[i as usize] * self.size)
    }

    /// Outward normal of face `face`.
    #[inline]
    pub(in crate::interaction) fn normal(&self, face: usize) -> X::Vector {
        self.rotation.apply(self.polytope.faces[face].normal)
    }

    /// Distance of face `face` from the centre.
    #[inline]
    pub(in crate::interaction) fn offset(&self, face: usize) -> f64 {
        self.polytope.faces[face].offset * self.size
    }

    /// A world direction in body axes.
    #[inline]
    pub(in crate::interaction) fn to_body(&self, direction: X::Vector) -> X::Vector {
        self.rotation.apply_transposed(direction)
    }

    /// The corner farthest along `direction` and its distance from the centre along it; of equal corners the first.
    #[inline]
    pub(in crate::interaction) fn support(&self, direction: X::Vector) -> (u32, f64) {
        let direction = self.to_body(direction);
        let (mut best, mut height) = (0, f64::NEG_INFINITY);
        for (i, vertex) in self.polytope.vertices.iter().enumerate() {
            let h = vertex.dot(&direction);
            if h > height {
                (best, height) = (i, h);
            }
        }
        (best as u32, height * self.size)
    }

    /// Height of `point` (relative to the centre) above the surface, along the unit vector `up`; `None` where no line
    /// along `up` meets the body, or the height exceeds `limit`.
    pub(in crate::interaction) fn height(&self, point: X::Vector, up: X::Vector, limit: f64) -> Option<f64> {
        if self.polytope.faces.is_empty() {
            return None;
        }
        let (point, up) = (self.to_body(point), self.to_body(up));
        let (mut enter, mut leave) = (f64::NEG_INFINITY, limit);
        for face in &self.polytope.faces {
            let over = face.normal.dot(&point) - face.offset * self.size;
            let slope = face.normal.dot(&up);
            if slope > STEEP {
                let at = over / slope;
                enter = if at > enter { at } else { enter };
            } else if slope < -STEEP {
                let at = over / slope;
                leave = if at < leave { at } else { leave };
            } else if over > 0.0 {
                return None;
            }
            if enter > leave {
                return None;
            }
        }
        Some(enter)
    }

    /// Distance from the centre to the farthest corner.
    pub(in crate::interaction) fn reach(&self) -> f64 {
        self.polytope.reach() * self.size
    }
}

/// Both solids, and the quantities they share.
pub(in crate::interaction) struct SolidPair<'a, X: Dim> {
    pub(in crate::interaction) a: SolidView<'a, X>,
    pub(in crate::interaction) b: SolidView<'a, X>,
    /// From the centre of the first body to that of the second, m.
    pub(in crate::interaction) between: X::Vector,
    /// The midpoint between the centres, m.
    pub(in crate::interaction) middle: X::Vector,
    /// Sum of the two reaches, m: the scale of rounding and of all tolerances.
    pub(in crate::interaction) scale: f64,
}

impl<'a, X: Dim> SolidPair<'a, X> {
    pub(in crate::interaction) fn new(a: &Solid<'a, X>, b: &Solid<'a, X>) -> Self {
        let between = b.position - a.position;
        let (a_view, b_view) = (SolidView::new(a, between * -0.5), SolidView::new(b, between * 0.5));
        let scale = a_view.reach() + b_view.reach();
        Self { a: a_view, b: b_view, between, middle: (a.position + b.position) * 0.5, scale }
    }

    /// Can the two touch along `axis`, that is, do no other parts of the same body continue there?
    #[inline]
    pub(super) fn admits(&self, axis: X::Vector) -> bool {
        let open = |view: &SolidView<X>, axis: X::Vector| {
            view.polytope.seams.is_empty() || view.polytope.admits(view.support(axis).0, view.to_body(axis))
        };
        open(&self.a, axis) && open(&self.b, -axis)
    }

    /// Width of the empty slab perpendicular to the unit vector `axis` between the two bodies (negative: their overlap
    /// along it), and the corners on both sides.
    #[inline]
    pub(in crate::interaction) fn separation(&self, axis: X::Vector) -> (f64, u32, u32) {
        let (i, above) = self.a.support(axis);
        let (j, below) = self.b.support(-axis);
        (axis.dot(&self.between) - (above + below), i, j)
    }

    /// Sign with which `direction`, perpendicular to an edge of each body through `on_a` and `on_b`, points out of the
    /// first and into the second: 1 or -1, determined from interior points; `None` where neither holds. A line has no
    /// interior: the other body decides, and for two lines the direction from one to the other.
    pub(in crate::interaction) fn sign(&self, direction: X::Vector, on_a: X::Vector, on_b: X::Vector) -> Option<f64> {
        let outward = direction.dot(&(on_a - self.a.centre));
        let inward = direction.dot(&(self.b.centre - on_b));
        match (self.a.polytope.faces.is_empty(), self.b.polytope.faces.is_empty()) {
            (false, false) => (outward * inward > 0.0).then(|| 1f64.copysign(outward)),
            (true, false) => Some(1f64.copysign(inward)),
            (false, true) => Some(1f64.copysign(outward)),
            (true, true) => Some(1f64.copysign(direction.dot(&self.between))),
        }
    }
}

/// Quantities shared by the contact points of a pair.
pub(super) struct Contact<'a, 'b, X: Dim> {
    pub(super) pair: &'a SolidPair<'b, X>,
    /// Largest distance of the polytopes, m: the alert distance plus both rounding radii.
    pub(super) limit: f64,
    pub(super) rounding: [f64; 2],
}
