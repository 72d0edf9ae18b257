//! Polygons and polyhedra from their scene entries: given by corners, by outline, by name, or by a file.

use std::any::TypeId;

use super::values::{between, positive};
use super::vectors::vector;
use super::words::{did_you_mean, list};
use super::{Checked, KeyPath, PolygonEntry, PolyhedronEntry, Scene, SceneProblem};
use crate::contactor::mesh::Mesh;
use crate::contactor::{Compound, Made, MassProperties, Part, Polytope, Shape, convex_parts, keys};
use crate::dim::{Dim, Orientation, Plane, Space, Vector};
use nalgebra::Vector2;

/// A shape with its size, and its centre of mass and principal axes in the frame of the given corners.
pub(crate) struct FramedShape<X: Dim> {
    pub(crate) shape: Shape<X>,
    pub(crate) size: f64,
    /// None if the scene gives no corners, so that there is no frame.
    pub(crate) centre: Option<X::Vector>,
    /// Rotation from the principal axes to the frame of the corners.
    pub(crate) axes: X::Orientation,
}

/// A constructor of a named polyhedron.
type Maker = fn() -> Made<Space>;

const NAMES: [(&str, Maker); 6] = [
    ("tetrahedron", Polytope::tetrahedron),
    ("cube", Polytope::cube),
    ("octahedron", Polytope::octahedron),
    ("dodecahedron", Polytope::dodecahedron),
    ("icosahedron", Polytope::icosahedron),
    ("ballast", Polytope::ballast),
];

impl PolygonEntry {
    pub(crate) fn framed_shape<X: Dim>(&self, at: &KeyPath) -> Checked<FramedShape<X>> {
        only_in::<X, Plane>(at, "polygons", keys::POLYHEDRON)?;
        let given = [
            ("vertices", self.vertices.is_some()),
            ("outline", self.outline.is_some()),
            ("sides", self.sides.is_some()),
            ("points", self.points.is_some()),
        ];
        one_of(at, &given)?;
        if let Some(vertices) = &self.vertices {
            return from_corners(keys::POLYGON, at, vertices);
        }
        if let Some(corners) = self.corners(at)? {
            return match self.outline.is_some() {
                true => decompose(&at.then("outline"), &corners),
                // A star has no frame of its own.
                false => Ok(FramedShape { centre: None, ..decompose(at, &corners)? }),
            };
        }
        let radius = radius(at, self.radius)?;
        let made = Polytope::<Plane>::regular(self.sides.unwrap_or(0) as usize);
        let (polytope, _) = made.map_err(|fault| SceneProblem::value(&at.then("sides"), fault.to_string()))?;
        template(keys::POLYGON, at, &polytope.vertices, radius)
    }
}

impl PolygonEntry {
    /// The corners of a polygon that may not be convex: of an outline or a star; `None` for all others.
    pub(crate) fn corners(&self, at: &KeyPath) -> Checked<Option<Vec<Vector2<f64>>>> {
        if let Some(outline) = &self.outline {
            let here = at.then("outline");
            let corners = outline.iter().enumerate().map(|(i, row)| vector(&here.then(i), row));
            return corners.collect::<Checked<_>>().map(Some);
        }
        let Some(points) = self.points else { return Ok(None) };
        star(at, points, self.inner.unwrap_or(0.5), radius(at, self.radius)?).map(Some)
    }
}

impl PolyhedronEntry {
    pub(crate) fn framed_shape<X: Dim>(&self, at: &KeyPath, scene: &Scene) -> Checked<FramedShape<X>> {
        only_in::<X, Space>(at, "polyhedra", keys::POLYGON)?;
        let given =
            [("vertices", self.vertices.is_some()), ("name", self.name.is_some()), ("file", self.file.is_some())];
        one_of(at, &given)?;
        if let Some(vertices) = &self.vertices {
            return from_corners(keys::POLYHEDRON, at, vertices);
        }
        if let Some(file) = &self.file {
            return self.read_file(at, &scene.source.resolve(file));
        }
        let name = self.name.as_deref().unwrap_or_default();
        let Some((_, make)) = NAMES.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = NAMES.iter().map(|(known, _)| *known).collect();
            let problem = SceneProblem::value(&at.then("name"), format!("there is no polyhedron \"{name}\""));
            return Err(problem.label("unknown").help(did_you_mean(name, &known, "polyhedra by name")));
        };
        let radius = radius(at, self.radius)?;
        let (polytope, _) = make().map_err(|fault| SceneProblem::value(&at.then("name"), fault.to_string()))?;
        template(keys::POLYHEDRON, at, &polytope.vertices, radius)
    }

    fn read_file<X: Dim>(&self, at: &KeyPath, file: &std::path::Path) -> Checked<FramedShape<X>> {
        let scale = self.scale.unwrap_or(1.0);
        positive(&at.then("scale"), scale, "factor from the units of the file to m")?;
        if let Some(parts) = self.parts {
            return self.approximate(at, file, parts, scale);
        }
        let made = Mesh::read(file).and_then(|mesh| mesh.polytope());
        let (polytope, mass) = made.map_err(|fault| {
            let problem = SceneProblem::value(&at.then("file"), format!("{fault}")).label("this file");
            problem.help(
                "a closed, convex surface in STL or OBJ format; one that is closed but not convex needs `parts = 16`",
            )
        })?;
        let world: Vec<X::Vector> = polytope
            .vertices
            .iter()
            .map(|v| mass.centre + mass.orientation.rotate(*v))
            .map(|v| X::Vector::from_fn(|i| v[i] * scale))
            .collect();
        block(keys::POLYHEDRON, &at.then("file"), &world)
    }
}

impl PolyhedronEntry {
    /// Approximates a surface that is not convex by convex parts.
    fn approximate<X: Dim>(
        &self,
        at: &KeyPath,
        file: &std::path::Path,
        parts: u32,
        scale: f64,
    ) -> Checked<FramedShape<X>> {
        between(&at.then("parts"), f64::from(parts), 1.0, 1000.0, "number of convex parts, at most")?;
        let refuse = |fault: String| {
            let problem = SceneProblem::value(&at.then("file"), fault).label("this file");
            problem.help("a closed surface in STL or OBJ format")
        };
        let mesh = Mesh::read(file).map_err(|fault| refuse(fault.to_string()))?;
        let made = mesh.convex_parts(parts as usize);
        let (compound, _) = made.ok_or_else(|| refuse(format!("{}: has no volume", file.display())))?;
        // Reached in 3D only, where X is Space and the compound has the right type.
        let compound = cast::<_, Compound<X>>(compound).ok_or_else(|| refuse("needs three dimensions".into()))?;
        // Even a single part keeps the mass of the surface.
        let given = FramedShape::of_whole(compound);
        Ok(FramedShape { size: given.size * scale, centre: given.centre.map(|centre| centre * scale), ..given })
    }
}

/// Casts `value` to `B` if that is its type.
fn cast<A: 'static, B: 'static>(value: A) -> Option<B> {
    let mut slot = Some(value);
    let any: &mut dyn std::any::Any = &mut slot;
    any.downcast_mut::<Option<B>>().and_then(Option::take)
}

/// A star: corners alternately at `radius` and at `inner` times `radius`.
fn star(at: &KeyPath, points: u32, inner: f64, radius: f64) -> Checked<Vec<Vector2<f64>>> {
    between(&at.then("points"), f64::from(points), 2.0, 1000.0, "number of points of the star, at least 2")?;
    between(&at.then("inner"), inner, 0.01, 1.0, "radius of the notches over that of the points")?;
    let corner = |k: u32| {
        let (s, c) = (std::f64::consts::PI * f64::from(k) / f64::from(points)).sin_cos();
        Vector2::new(c, s) * if k.is_multiple_of(2) { radius } else { inner * radius }
    };
    Ok((0..2 * points).map(corner).collect())
}

/// A simple polygon, convex or not, as a compound of convex parts.
fn decompose<X: Dim>(at: &KeyPath, outline: &[Vector2<f64>]) -> Checked<FramedShape<X>> {
    let refuse = |fault: String| {
        let problem = SceneProblem::value(at, fault).label("not a simple polygon");
        problem.help("list the vertices in order around the polygon; its sides may meet at vertices only")
    };
    let parts = convex_parts(outline).map_err(|fault| refuse(fault.to_string()))?;
    let mut made = Vec::with_capacity(parts.len());
    for corners in parts {
        let corners: Vec<X::Vector> = corners.iter().map(|v| X::Vector::read(v.as_slice())).collect();
        let (polytope, mass) = Polytope::hull(&corners).map_err(|fault| refuse(fault.to_string()))?;
        let MassProperties { centre: position, orientation, .. } = mass;
        made.push(Part { shape: Shape::block(keys::POLYGON, polytope, mass), size: 1.0, position, orientation });
    }
    Ok(FramedShape::of_compound(Compound::new(keys::POLYGON, made)))
}

impl<X: Dim> FramedShape<X> {
    /// A shape without a frame of its own.
    pub(crate) fn plain(shape: Shape<X>, size: f64) -> Self {
        Self { shape, size, centre: None, axes: X::Orientation::identity() }
    }

    /// A compound in the frame in which its parts were given. A single part is returned without the compound.
    pub(crate) fn of_compound(mut compound: Compound<X>) -> Self {
        let MassProperties { centre, orientation: axes, .. } = compound.mass;
        if compound.parts.len() == 1
            && let Some(Part { shape, size, position, orientation }) = compound.parts.pop()
        {
            let centre = Some(centre + axes.rotate(position));
            return Self { shape, size, centre, axes: axes.times(&orientation) };
        }
        Self::of_whole(compound)
    }

    /// As [`of_compound`](Self::of_compound), but keeps the mass of the whole even for a single part.
    fn of_whole(compound: Compound<X>) -> Self {
        let MassProperties { centre, orientation: axes, .. } = compound.mass;
        Self { shape: Shape::Compound(Box::new(compound)), size: 1.0, centre: Some(centre), axes }
    }
}

/// Requires the dimension to be `Y`, the only one in which the shape exists.
pub(crate) fn only_in<X: Dim, Y: Dim>(at: &KeyPath, plural: &str, other: &str) -> Checked {
    if TypeId::of::<X>() == TypeId::of::<Y>() {
        return Ok(());
    }
    let problem = SceneProblem::key(at, format!("there are no {plural} in {} dimensions", X::D));
    Err(problem.label("not here").help(format!("write {other} = {{ ... }}")))
}

/// Requires exactly one of the keys to be given.
fn one_of(at: &KeyPath, keys: &[(&str, bool)]) -> Checked {
    let given: Vec<&str> = keys.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
    let names: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
    match given[..] {
        [_] => Ok(()),
        [] => {
            let problem = SceneProblem::value(at, "this shape is not defined").label("no definition of the shape");
            Err(problem.help(format!("add one of {}", list(&names))))
        }
        [first, second, ..] => {
            let problem = SceneProblem::key(&at.then(second), format!("both {first} and {second} are given"));
            Err(problem.label("one too many").also(&at.then(first), "the other").help("keep one of them"))
        }
    }
}

fn radius(at: &KeyPath, radius: Option<f64>) -> Checked<f64> {
    let radius = radius.ok_or_else(|| super::explain::missing(at, "radius"))?;
    positive(&at.then("radius"), radius, "distance of the corners from the centre in m")?;
    Ok(radius)
}

/// The convex polytope of the corners listed in the scene. Each of them must be a corner of the hull.
fn from_corners<X: Dim>(name: &'static str, at: &KeyPath, rows: &[Vec<f64>]) -> Checked<FramedShape<X>> {
    let here = at.then("vertices");
    let corners: Vec<X::Vector> =
        rows.iter().enumerate().map(|(i, row)| vector(&here.then(i), row)).collect::<Checked<_>>()?;
    block(name, &here, &corners)
}

fn block<X: Dim>(name: &'static str, at: &KeyPath, corners: &[X::Vector]) -> Checked<FramedShape<X>> {
    let (polytope, mass) = Polytope::convex(corners).map_err(|fault| {
        let problem = SceneProblem::value(at, fault.to_string()).label("not a convex body");
        problem.help("list the corners of a convex body, each once; they may come in any order")
    })?;
    let MassProperties { centre, orientation, .. } = mass;
    Ok(FramedShape { shape: Shape::block(name, polytope, mass), size: 1.0, centre: Some(centre), axes: orientation })
}

/// A named shape, scaled from a farthest corner at distance one from its centre to `radius`.
fn template<X: Dim, V: Vector>(
    name: &'static str,
    at: &KeyPath,
    corners: &[V],
    radius: f64,
) -> Checked<FramedShape<X>> {
    let corners: Vec<X::Vector> = corners.iter().map(|v| X::Vector::read(v.as_slice())).collect();
    let given = block::<X>(name, at, &corners)?;
    Ok(FramedShape { size: radius, centre: None, ..given })
}
