//! Convex polygons and polyhedra.
//!
//! Vertices about the centre of mass in principal axes, faces with outward normals; in the plane a face is an edge.
//! Built from points: [`Polytope::hull`] accepts any set, [`Polytope::convex`] requires every point to be a corner. The
//! result does not depend on the order of the points, to the last bit.

use serde::{Deserialize, Serialize};

use super::MassProperties;
use super::derived::DerivedLengths;
use crate::dim::hull::{Degenerate, FLATNESS, Facets, distinct, extent};
use crate::dim::{Dim, Orientation, Vector};

/// Largest number of points of a shape.
pub const MOST_POINTS: usize = 1_000_000;

/// Sine of the angle within which a direction counts as perpendicular to the direction in which another part continues.
const SEAM: f64 = 1e-6;

/// One flat side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Face<X: Dim> {
    /// Outward unit normal.
    pub normal: X::Vector,
    /// Distance of the face from the origin along the normal, m.
    pub offset: f64,
    /// Its corners: two in the plane (counter-clockwise around the polygon), three or more in space (counter-clockwise
    /// seen from outside).
    pub corners: Vec<u32>,
    /// Do other parts of the same body lie right behind it, so that nothing can touch it?
    pub covered: bool,
}

/// A convex body given by its corners.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Polytope<X: Dim> {
    /// Corners, m.
    pub vertices: Vec<X::Vector>,
    /// Faces; coplanar triangles are merged into one face.
    pub faces: Vec<Face<X>>,
    /// Edges between faces as pairs of corners, lower first; empty in the plane, where the faces are the edges.
    pub edges: Vec<[u32; 2]>,
    /// For a part of a compound: the directions in which other parts continue from each corner. Otherwise empty.
    pub seams: Vec<Vec<X::Vector>>,
    /// Lengths that follow from the corners and faces.
    #[serde(skip)]
    pub(crate) derived: DerivedLengths,
}

/// Reasons why points do not define a shape. Points are counted from zero, in the given order.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShapeFault {
    /// A coordinate is NaN or infinite.
    #[error("point {point} is not a finite number in every coordinate; correct it")]
    NotFinite {
        /// The index of the point.
        point: usize,
    },
    /// Too few points for a volume.
    #[error("{distinct} distinct points make no volume; give at least {needed}")]
    TooFew {
        /// Number of points farther apart than 1e-9 of the size.
        distinct: usize,
        /// The dimension plus one.
        needed: usize,
    },
    /// All points lie on a point, a line or a plane.
    #[error("all points lie on one {place} (within 1e-9 of the size), so the volume is zero; add a point off it")]
    Flat {
        /// "point", "line" or "plane".
        place: &'static str,
    },
    /// Too many points.
    #[error("{count} points are more than the {MOST_POINTS} a shape may have; give a coarser shape")]
    TooMany {
        /// Number of points.
        count: usize,
    },
    /// Lengths whose squares and cubes are outside the range of numbers.
    #[error("the points extend over {extent:e} m; a shape must be between 1e-60 and 1e60 m")]
    OutOfScale {
        /// Largest extent, m.
        extent: f64,
    },
    /// The points are not in convex position.
    #[error(
        "point {point} at {at:?} is no corner of the convex hull: it lies {depth:.3e} m inside its surface; \
             remove it, or decompose the shape into convex parts"
    )]
    NotConvex {
        /// The index of the point.
        point: usize,
        /// Its coordinates, m.
        at: Vec<f64>,
        /// Depth below the nearest face, m; zero for a point on a face or an edge.
        depth: f64,
    },
    /// Points too close to the planes of faces.
    #[error(
        "some points lie so near to the plane of a face (about 1e-9 of the size) that the faces cannot be \
             distinguished; remove them or round the coordinates"
    )]
    Undecided,
    /// An invalid parameter of a named shape.
    #[error("{name} = {value} is not possible: {rule}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The condition on it.
        rule: &'static str,
    },
}

impl<X: Dim> Polytope<X> {
    /// The convex hull of `points` about its centre of mass, in principal axes, and its mass properties.
    ///
    /// ```
    /// use nscdd::contactor::Polytope;
    /// use nscdd::dim::Plane;
    /// let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0], [1.0, 0.5]].map(Into::into);
    /// let (tile, mass) = Polytope::<Plane>::hull(&corners)?;
    /// assert_eq!((tile.vertices.len(), mass.volume), (4, 2.0));
    /// # Ok::<(), nscdd::contactor::ShapeFault>(())
    /// ```
    pub fn hull(points: &[X::Vector]) -> Result<(Self, MassProperties<X>), ShapeFault> {
        Self::hull_within(points, FLATNESS)
    }

    /// As [`hull`](Self::hull), for points known only within `flatness` of the size: single-precision files.
    pub fn hull_within(points: &[X::Vector], flatness: f64) -> Result<(Self, MassProperties<X>), ShapeFault> {
        if points.len() > MOST_POINTS {
            return Err(ShapeFault::TooMany { count: points.len() });
        }
        if let Some(point) = points.iter().position(|p| !p.is_finite()) {
            return Err(ShapeFault::NotFinite { point });
        }
        let needed = X::D + 1;
        let size = extent(points).1;
        if points.len() >= needed && size > 0.0 && !(1e-60..1e60).contains(&size) {
            return Err(ShapeFault::OutOfScale { extent: size });
        }
        let points = distinct(points, flatness * size);
        if points.len() < needed {
            return Err(ShapeFault::TooFew { distinct: points.len(), needed });
        }
        let facets = X::hull(&points, flatness).map_err(|why| match why {
            Degenerate::Flat(dimension) => ShapeFault::Flat { place: ["point", "line", "plane"][dimension.min(2)] },
            Degenerate::Undecided => ShapeFault::Undecided,
        })?;
        let corners: Vec<X::Vector> = facets.corners.iter().map(|&k| points[k as usize]).collect();
        let mass = MassProperties::<X>::of(&corners, &facets.faces);
        let vertices = corners.iter().map(|&v| mass.orientation.unrotate(v - mass.centre)).collect();
        Ok((Self::assembled(vertices, facets), mass))
    }

    /// As [`hull`](Self::hull), for points that must be the corners of a convex shape: a point farther than 1e-9 of the
    /// size from every corner is an error that names it.
    pub fn convex(points: &[X::Vector]) -> Result<(Self, MassProperties<X>), ShapeFault> {
        let (shape, mass) = Self::hull(points)?;
        let near = FLATNESS * extent(points).1;
        // Sorted along the first axis, so that only a few corners are tried for each point.
        let mut corners = shape.vertices.clone();
        corners.sort_by(|a, b| a[0].total_cmp(&b[0]));
        for (point, p) in points.iter().enumerate() {
            let local = mass.orientation.unrotate(*p - mass.centre);
            let start = corners.partition_point(|v| v[0] < local[0] - near);
            let mut around = corners[start..].iter().take_while(|v| v[0] <= local[0] + near);
            if !around.any(|v| (*v - local).norm() <= near) {
                let depth = shape.depth(local).max(0.0);
                return Err(ShapeFault::NotConvex { point, at: p.as_slice().to_vec(), depth });
            }
        }
        Ok((shape, mass))
    }

    /// From corners and the faces between them, without translation or rotation.
    pub fn assembled(vertices: Vec<X::Vector>, facets: Facets) -> Self {
        let faces = facets
            .faces
            .into_iter()
            .map(|corners| {
                let around: Vec<X::Vector> = corners.iter().map(|&k| vertices[k as usize]).collect();
                let outward = X::area_vector(&around);
                let normal = outward * (1.0 / outward.norm());
                // The support in this direction: no corner of the face protrudes, not even by rounding.
                let offset = around.iter().map(|v| normal.dot(v)).fold(f64::NEG_INFINITY, f64::max);
                Face { normal, offset, corners, covered: false }
            })
            .collect();
        Self { vertices, faces, edges: facets.edges, seams: Vec::new(), derived: DerivedLengths::default() }
    }

    /// A segment along the last axis: with two faces in the plane, without faces in space.
    pub fn segment(half_length: f64) -> Self {
        let axis = X::Vector::axis(X::D - 1);
        Self::assembled(vec![axis * -half_length, axis * half_length], X::segment_facets())
    }

    /// Depth of `point` (body axes) below the nearest face plane; negative outside.
    pub fn depth(&self, point: X::Vector) -> f64 {
        self.faces.iter().map(|f| f.offset - f.normal.dot(&point)).fold(f64::INFINITY, f64::min)
    }

    /// Can something touch corner `corner` from the side of `direction` (body axes)? Not where other parts of the same
    /// body continue in that direction.
    #[inline]
    pub fn admits(&self, corner: u32, direction: X::Vector) -> bool {
        self.seams.is_empty()
            || self.seams[corner as usize].iter().all(|continuation| continuation.dot(&direction) <= SEAM)
    }

    /// Vector to `at`, a point `height` above face `face`, from the nearest point of the boundary of the face; `None`
    /// if `at` lies above its interior. The polytope is scaled by `size`.
    pub fn from_face(&self, face: usize, size: f64, at: X::Vector, height: f64) -> Option<X::Vector> {
        let Face { normal, corners, .. } = &self.faces[face];
        let foot = at - *normal * height;
        let mut nearest: Option<X::Vector> = None;
        for i in 0..corners.len() {
            let from = self.vertices[corners[i] as usize] * size;
            let to = self.vertices[corners[if i + 1 == corners.len() { 0 } else { i + 1 }] as usize] * size;
            let edge = to - from;
            if X::beyond(edge, *normal).dot(&(foot - to)) <= 0.0 {
                continue;
            }
            let t = ((at - from).dot(&edge) / edge.norm2()).clamp(0.0, 1.0);
            // Measured from the nearer end: exact at a corner.
            let away = if t > 0.5 { at - to + edge * (1.0 - t) } else { at - from - edge * t };
            if nearest.is_none_or(|known| away.norm2() < known.norm2()) {
                nearest = Some(away);
            }
        }
        nearest
    }

    /// Distance of the farthest corner from the centre: the radius of the bounding sphere.
    pub fn reach(&self) -> f64 {
        self.derived.reach(|| self.vertices.iter().map(|v| v.norm()).fold(0.0, f64::max))
    }

    /// Distance of the nearest face from the centre: the radius of the inscribed sphere about the centre.
    pub fn inner_radius(&self) -> f64 {
        self.derived.inner_radius(|| self.faces.iter().map(|f| f.offset).fold(f64::INFINITY, f64::min))
    }

    /// Scaled by `factor`.
    pub fn scaled(mut self, factor: f64) -> Self {
        self.vertices.iter_mut().for_each(|v| *v = *v * factor);
        self.faces.iter_mut().for_each(|f| f.offset *= factor);
        self.derived = DerivedLengths::default();
        self
    }

    /// The hull of `points`, scaled so that its farthest corner is at distance one from its centre: the size of a body
    /// is then its radius.
    pub fn unit_hull(points: &[X::Vector]) -> Result<(Self, MassProperties<X>), ShapeFault> {
        let (shape, mass) = Self::hull(points)?;
        let factor = 1.0 / shape.reach();
        Ok((shape.scaled(factor), mass.scaled(factor)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};
    use rand_core::{Rng, SeedableRng};

    fn uniform(seed: u64) -> impl FnMut() -> f64 {
        let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
        move || random.next_u64() as f64 / u64::MAX as f64 * 2.0 - 1.0
    }

    /// Point sets with every degeneracy of a grid, and sets with none.
    fn clouds<X: Dim>(seed: u64) -> Vec<Vec<X::Vector>> {
        let mut next = uniform(seed);
        let mut clouds = Vec::new();
        for count in [5, 8, 20, 200, 1000] {
            for grid in [0.0, 2.0, 5.0] {
                let mut coordinate = || if grid > 0.0 { (next() * grid).round() / grid } else { next() };
                clouds.push((0..count).map(|_| X::Vector::from_fn(|_| coordinate())).collect());
            }
        }
        clouds
    }

    fn is_sound<X: Dim>(points: &[X::Vector]) {
        let Ok((shape, mass)) = Polytope::<X>::hull(points) else {
            assert!(points.len() <= 8, "only tiny grid clouds can be flat");
            return;
        };
        for p in points {
            let local = mass.orientation.unrotate(*p - mass.centre);
            assert!(shape.depth(local) > -1e-8, "every point is inside: {}", shape.depth(local));
        }
        // Every corner is extreme: along the mean normal of its faces it lies above all others.
        for (k, v) in shape.vertices.iter().enumerate() {
            let meeting = shape.faces.iter().filter(|f| f.corners.contains(&(k as u32)));
            let direction = meeting.fold(X::Vector::zero(), |sum, f| sum + f.normal);
            let beyond = |w: &X::Vector| direction.dot(w) < direction.dot(v);
            assert!(shape.vertices.iter().enumerate().all(|(j, w)| j == k || beyond(w)));
        }
        for face in &shape.faces {
            assert!((face.normal.norm() - 1.0).abs() < 1e-14);
            for &k in &face.corners {
                assert!((face.normal.dot(&shape.vertices[k as usize]) - face.offset).abs() < 1e-8);
            }
        }
        let (v, e, f) = (shape.vertices.len(), shape.edges.len(), shape.faces.len());
        assert!(if X::D == 3 { v + f == e + 2 } else { v == f && e == 0 }, "Euler: {v} {e} {f}");
        assert!(shape.inner_radius() > 0.0 && mass.volume > 0.0);
    }

    #[test]
    fn a_hull_holds_all_points_and_all_its_corners_are_extreme() {
        for seed in 0..12 {
            clouds::<Plane>(seed).iter().for_each(|c| is_sound::<Plane>(c));
            clouds::<Space>(seed).iter().for_each(|c| is_sound::<Space>(c));
        }
    }

    #[test]
    fn rounding_noise_on_rotated_and_shifted_grids_gives_a_polyhedron_or_an_error() {
        let mut next = uniform(3);
        for noise in [0.0, 1e-16, 1e-14, 1e-12, 1e-11, 1e-10, 3e-10, 1e-9, 3e-9, 1e-8] {
            let rotation = crate::dim::Quaternion::new(next(), next(), next(), next());
            let mut points = Vec::new();
            for k in 0..216 {
                let p = Vector3::new(f64::from(k % 6), f64::from(k / 6 % 6), f64::from(k / 36)) * 0.2;
                points.push(rotation.rotate(p + Vector3::new(next(), next(), next()) * noise) + Vector3::repeat(0.3));
            }
            let result = Polytope::<Space>::hull(&points);
            if noise <= 1e-10 {
                assert_eq!(result.as_ref().unwrap().0.faces.len(), 6, "noise {noise}");
            }
            match result {
                Ok((shape, _)) => assert_eq!(shape.vertices.len() + shape.faces.len(), shape.edges.len() + 2),
                Err(fault) => assert_eq!(fault, ShapeFault::Undecided),
            }
        }
    }

    #[test]
    fn needles_plates_and_rotated_clouds_have_hulls_of_equal_volume() {
        let rotation = crate::dim::Quaternion::new(0.2, -0.7, 0.4, 0.1);
        for (seed, stretch) in [(20, [1.0, 1.0, 1e-3]), (21, [1.0, 1e-3, 1e-3]), (22, [1.0, 1e-2, 1e-5])] {
            for cloud in clouds::<Space>(seed).into_iter().filter(|c| c.len() >= 20) {
                let stretched: Vec<_> = cloud.iter().map(|p| p.component_mul(&Vector3::from(stretch))).collect();
                is_sound::<Space>(&stretched);
                let volume = Polytope::<Space>::hull(&stretched).unwrap().1.volume;
                let rotated: Vec<_> = stretched.iter().map(|p| rotation.rotate(*p)).collect();
                let after = Polytope::<Space>::hull(&rotated).unwrap().1.volume;
                assert!((after / volume - 1.0).abs() < 1e-3, "{volume} {after}");
            }
        }
    }

    #[test]
    fn the_order_of_the_points_changes_no_bit() {
        for cloud in clouds::<Space>(7) {
            let mut shuffled = cloud.clone();
            shuffled.reverse();
            shuffled.rotate_left(cloud.len() / 3);
            assert_eq!(Polytope::<Space>::hull(&cloud), Polytope::hull(&shuffled));
        }
    }

    #[test]
    fn what_is_not_convex_is_refused_by_point() {
        let arrow = [[0.0, 0.0], [2.0, -1.0], [1.0, 0.0], [2.0, 1.0]].map(Vector2::from);
        let Err(ShapeFault::NotConvex { point: 2, depth, .. }) = Polytope::<Plane>::convex(&arrow) else { panic!() };
        assert!(depth > 0.1);
        let with_middle = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [1.0, 1.0]].map(Vector2::from);
        assert!(matches!(Polytope::<Plane>::convex(&with_middle), Err(ShapeFault::NotConvex { point: 1, .. })));
        assert!(Polytope::<Plane>::convex(&arrow[..3]).is_ok());
    }

    #[test]
    fn each_impossible_cloud_is_refused_with_its_reason() {
        let fault = |points: &[Vector3<f64>]| Polytope::<Space>::hull(points).unwrap_err();
        let (o, x, y) = (Vector3::zeros(), Vector3::x(), Vector3::y());
        assert_eq!(fault(&[]), ShapeFault::TooFew { distinct: 0, needed: 4 });
        assert_eq!(fault(&[o, x, y, x, y, o]), ShapeFault::TooFew { distinct: 3, needed: 4 });
        assert_eq!(fault(&[o, x, y, x + y]), ShapeFault::Flat { place: "plane" });
        assert_eq!(fault(&[o, x, x * 2.0, x * 3.0]), ShapeFault::Flat { place: "line" });
        assert_eq!(fault(&[o, x, y * f64::NAN, y]), ShapeFault::NotFinite { point: 2 });
        assert_eq!(fault(&[o, x, y, Vector3::z() * f64::INFINITY]), ShapeFault::NotFinite { point: 3 });
        assert!(matches!(fault(&[o, x, y, Vector3::z() * 1e200]), ShapeFault::OutOfScale { .. }));
        let line = [[0.0, 0.1], [1.0, 0.8], [2.0, 1.5]].map(Vector2::from);
        assert_eq!(Polytope::<Plane>::hull(&line), Err(ShapeFault::Flat { place: "line" }));
        assert!(matches!(fault(&vec![o; MOST_POINTS + 1]), ShapeFault::TooMany { .. }));
    }

    #[test]
    fn the_refusals_read_as_advice() {
        let fault = ShapeFault::NotConvex { point: 2, at: vec![1.0, 0.0], depth: 0.25 };
        let text = "point 2 at [1.0, 0.0] is no corner of the convex hull: it lies 2.500e-1 m inside its surface; \
                    remove it, or decompose the shape into convex parts";
        assert_eq!(fault.to_string(), text);
    }
}
