//! Reference solutions for tests: brute force over all features, and simple constructors of polytopes.

use super::Solid;
use crate::contactor::{Face, Polytope};
use crate::dim::{Dim, Orientation, Plane, Space, Vector};
use nalgebra::{Vector2, Vector3};

/// Reproducible random numbers (SplitMix64).
pub(in crate::interaction) struct TestRandom(pub(in crate::interaction) u64);

impl TestRandom {
    pub(in crate::interaction) fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(in crate::interaction) fn signed(&mut self) -> f64 {
        2.0 * self.uniform() - 1.0
    }

    pub(in crate::interaction) fn direction<X: Dim>(&mut self) -> X::Vector {
        loop {
            let v = X::Vector::from_fn(|_| self.signed());
            if v.norm2() < 1.0 && v.norm2() > 0.01 {
                return v * (1.0 / v.norm());
            }
        }
    }
}

/// The brute-force convex hull, which differs between the dimensions.
pub(in crate::interaction) trait HullOracle: Dim {
    /// The convex hull of the points, translated so that their mean is the origin.
    fn brute_hull(points: &[Self::Vector]) -> Polytope<Self>;
}

fn centred<V: Vector>(points: &[V]) -> Vec<V> {
    let sum = points.iter().fold(V::zero(), |sum, p| sum + *p);
    points.iter().map(|p| *p - sum * (1.0 / points.len() as f64)).collect()
}

impl HullOracle for Plane {
    fn brute_hull(points: &[Vector2<f64>]) -> Polytope<Plane> {
        let mut vertices = centred(points);
        // The points are in convex position around their mean.
        vertices.sort_by(|p, q| p.y.atan2(p.x).total_cmp(&q.y.atan2(q.x)));
        let faces = (0..vertices.len())
            .map(|i| {
                let k = (i + 1) % vertices.len();
                let edge = vertices[k] - vertices[i];
                let normal = Vector2::new(edge.y, -edge.x).normalize();
                Face { normal, offset: normal.dot(&vertices[i]), corners: vec![i as u32, k as u32], covered: false }
            })
            .collect();
        Polytope { vertices, faces, edges: Vec::new(), seams: Vec::new(), derived: Default::default() }
    }
}

impl HullOracle for Space {
    fn brute_hull(points: &[Vector3<f64>]) -> Polytope<Space> {
        let vertices = centred(points);
        let count = vertices.len();
        let (mut faces, mut edges) = (Vec::<Face<Space>>::new(), Vec::new());
        for i in 0..count {
            for j in 0..count {
                for k in j + 1..count {
                    let cross = (vertices[j] - vertices[i]).cross(&(vertices[k] - vertices[i]));
                    if i == j || i == k || cross.norm() < 1e-12 {
                        continue;
                    }
                    let normal = cross.normalize();
                    let offset = normal.dot(&vertices[i]);
                    let height = |v: &Vector3<f64>| normal.dot(v) - offset;
                    if vertices.iter().any(|v| height(v) > 1e-9)
                        || faces.iter().any(|f| (f.normal - normal).norm() < 1e-9)
                    {
                        continue;
                    }
                    let mut corners: Vec<u32> =
                        (0..count as u32).filter(|&m| height(&vertices[m as usize]).abs() < 1e-9).collect();
                    let mean =
                        corners.iter().map(|&m| vertices[m as usize]).sum::<Vector3<f64>>() / corners.len() as f64;
                    let (s, t) = ((vertices[i] - mean).normalize(), normal.cross(&(vertices[i] - mean)).normalize());
                    let angle = |m: &u32| {
                        let v = vertices[*m as usize] - mean;
                        v.dot(&t).atan2(v.dot(&s))
                    };
                    corners.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
                    faces.push(Face { normal, offset, corners, covered: false });
                }
            }
        }
        for face in &faces {
            for i in 0..face.corners.len() {
                let (p, q) = (face.corners[i], face.corners[(i + 1) % face.corners.len()]);
                if p < q {
                    edges.push([p, q]);
                }
            }
        }
        assert_eq!(count + faces.len(), edges.len() + 2, "Euler");
        Polytope { vertices, faces, edges, seams: Vec::new(), derived: Default::default() }
    }
}

/// Box with the given half-extents.
pub(in crate::interaction) fn cuboid<X: HullOracle>(half: X::Vector) -> Polytope<X> {
    let corners: Vec<X::Vector> =
        (0..1u32 << X::D).map(|k| X::Vector::from_fn(|i| if k >> i & 1 == 1 { half[i] } else { -half[i] })).collect();
    X::brute_hull(&corners)
}

/// Regular prism with `n` sides, circumradius one, the given half-height.
pub(in crate::interaction) fn prism(n: usize, half: f64) -> Polytope<Space> {
    let corner = |i: usize, z: f64| {
        let (s, c) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
        Vector3::new(c, s, z)
    };
    let points: Vec<_> = (0..n).flat_map(|i| [corner(i, -half), corner(i, half)]).collect();
    Space::brute_hull(&points)
}

/// Regular polygon with circumradius one.
pub(in crate::interaction) fn polygon(n: usize) -> Polytope<Plane> {
    let points: Vec<_> = (0..n)
        .map(|i| {
            let (s, c) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
            Vector2::new(c, s)
        })
        .collect();
    Plane::brute_hull(&points)
}

/// `n` points on an ellipsoid of half-axes between 0.5 and 1, no two nearer than 0.25.
pub(in crate::interaction) fn random<X: HullOracle>(n: usize, rng: &mut TestRandom) -> Polytope<X> {
    let axes = X::Vector::from_fn(|_| 0.5 + 0.5 * rng.uniform());
    let mut points: Vec<X::Vector> = Vec::new();
    while points.len() < n {
        let p = rng.direction::<X>();
        if points.iter().all(|q| (*q - p).norm() > 0.25) {
            points.push(p);
        }
    }
    let points: Vec<X::Vector> = points.iter().map(|p| p.times(&axes)).collect();
    X::brute_hull(&points)
}

/// A polytope in world coordinates relative to a common origin, with explicit features.
pub(in crate::interaction) struct WorldPolytope<X: Dim> {
    pub(in crate::interaction) vertices: Vec<X::Vector>,
    pub(in crate::interaction) normals: Vec<X::Vector>,
    faces: Vec<Vec<u32>>,
    edges: Vec<[u32; 2]>,
}

impl<X: Dim> WorldPolytope<X> {
    pub(in crate::interaction) fn new(solid: &Solid<X>, origin: X::Vector) -> Self {
        let at = solid.position - origin;
        let place = |v: &X::Vector| at + solid.orientation.rotate(*v * solid.size);
        let faces: Vec<Vec<u32>> = solid.polytope.faces.iter().map(|f| f.corners.clone()).collect();
        let edges = if solid.polytope.edges.is_empty() {
            faces.iter().map(|f| [f[0], f[1]]).collect()
        } else {
            solid.polytope.edges.clone()
        };
        Self {
            vertices: solid.polytope.vertices.iter().map(place).collect(),
            normals: solid.polytope.faces.iter().map(|f| solid.orientation.rotate(f.normal)).collect(),
            faces,
            edges,
        }
    }

    fn top(&self, axis: X::Vector) -> f64 {
        self.vertices.iter().map(|v| v.dot(&axis)).fold(f64::NEG_INFINITY, f64::max)
    }

    fn edge(&self, e: &[u32; 2]) -> (X::Vector, X::Vector) {
        let p = self.vertices[e[0] as usize];
        (p, self.vertices[e[1] as usize] - p)
    }
}

/// Width of the slab between the two along `axis`.
pub(in crate::interaction) fn slab<X: Dim>(a: &WorldPolytope<X>, b: &WorldPolytope<X>, axis: X::Vector) -> f64 {
    -b.top(-axis) - a.top(axis)
}

/// The reference solution for a pair.
pub(in crate::interaction) struct PairTruth<X: Dim> {
    pub(in crate::interaction) distance: f64,
    /// The axis, if no other is nearly as wide.
    pub(in crate::interaction) axis: Option<X::Vector>,
}

/// Tries all faces, all pairs of edges and all pairs of features.
pub(in crate::interaction) fn truth<X: Dim>(a: &WorldPolytope<X>, b: &WorldPolytope<X>) -> PairTruth<X> {
    let axes = candidate_axes(a, b);
    let (mut best, mut width) = (axes[0], f64::NEG_INFINITY);
    let mut widths = Vec::with_capacity(axes.len());
    for axis in &axes {
        let s = slab(a, b, *axis);
        widths.push(s);
        if s > width {
            (best, width) = (*axis, s);
        }
    }
    let unique = |best: X::Vector| {
        axes.iter().zip(&widths).all(|(n, s)| *s < width - 1e-11 || (*n - best).norm() < 1e-10).then_some(best)
    };
    if width <= 0.0 {
        return PairTruth { distance: width, axis: unique(best) };
    }
    let least = shortest_between(a, b);
    let distance = least.norm();
    if width >= distance - 1e-15 {
        // The normal of a face of the difference is more accurate than the difference of points.
        return PairTruth { distance: width, axis: unique(best) };
    }
    PairTruth { distance, axis: Some(least * (1.0 / distance)) }
}

/// The normals of all faces, and the directions perpendicular to an edge of each.
fn candidate_axes<X: Dim>(a: &WorldPolytope<X>, b: &WorldPolytope<X>) -> Vec<X::Vector> {
    let mut axes: Vec<X::Vector> = a.normals.clone();
    axes.extend(b.normals.iter().map(|n| -*n));
    for e in &a.edges {
        for f in &b.edges {
            let (d, c) = (a.edge(e).1, b.edge(f).1);
            let n = X::across(d, c);
            if n.norm() > 1e-9 * d.norm() * c.norm() {
                axes.extend([n * (1.0 / n.norm()), n * (-1.0 / n.norm())]);
            }
        }
    }
    axes
}

/// The shortest vector between disjoint bodies: the minimum over corner-corner, corner-face and edge-edge pairs.
fn shortest_between<X: Dim>(a: &WorldPolytope<X>, b: &WorldPolytope<X>) -> X::Vector {
    let mut least = X::Vector::from_fn(|_| 1e30);
    let mut consider = |v: X::Vector| {
        if v.norm2() < least.norm2() {
            least = v;
        }
    };
    for p in &a.vertices {
        for q in &b.vertices {
            consider(*q - *p);
        }
    }
    for e in &a.edges {
        for f in &b.edges {
            let ((p, d), (q, c)) = (a.edge(e), b.edge(f));
            consider(segments(p, d, q, c));
        }
    }
    for (k, normal) in a.normals.iter().enumerate() {
        for q in &b.vertices {
            if let Some(v) = over(a, k, *normal, *q) {
                consider(v);
            }
        }
    }
    for (k, normal) in b.normals.iter().enumerate() {
        for p in &a.vertices {
            if let Some(v) = over(b, k, *normal, *p) {
                consider(-v);
            }
        }
    }
    least
}

/// From the foot on face `k` to `q`, if the foot is inside the face.
fn over<X: Dim>(a: &WorldPolytope<X>, k: usize, normal: X::Vector, q: X::Vector) -> Option<X::Vector> {
    let corners = &a.faces[k];
    let height = normal.dot(&(q - a.vertices[corners[0] as usize]));
    let foot = q - normal * height;
    let inside = (0..corners.len()).all(|i| {
        let (from, to) = (a.vertices[corners[i] as usize], a.vertices[corners[(i + 1) % corners.len()] as usize]);
        X::beyond(to - from, normal).dot(&(foot - to)) <= 0.0
    });
    // Touching bodies may be separated or overlap by a rounding error.
    (inside && height > -1e-12).then_some(normal * height)
}

/// Shortest vector from segment p + s d to segment q + t c.
pub(in crate::interaction) fn segments<V: Vector>(p: V, d: V, q: V, c: V) -> V {
    let (dd, cc, dc, r) = (d.norm2(), c.norm2(), d.dot(&c), q - p);
    let (rd, rc) = (r.dot(&d), r.dot(&c));
    let mut best = V::from_fn(|_| 1e30);
    let mut consider = |s: f64, t: f64| {
        let v = r + c * t - d * s;
        if v.norm2() < best.norm2() {
            best = v;
        }
    };
    let determinant = dd * cc - dc * dc;
    if determinant > 1e-12 * dd * cc {
        let (s, t) = ((rd * cc - rc * dc) / determinant, (rd * dc - rc * dd) / determinant);
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            consider(s, t);
        }
    }
    for s in [0.0, 1.0] {
        consider(s, ((dc * s - rc) / cc).clamp(0.0, 1.0));
    }
    for t in [0.0, 1.0] {
        consider(((rd + dc * t) / dd).clamp(0.0, 1.0), t);
    }
    best
}
