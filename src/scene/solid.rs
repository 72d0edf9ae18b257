//! Shapes with volume from their scene entries: the same keys for a body, for a part of a compound, and for the shape
//! substituted for a generator's balls.

use super::block::{FramedShape, only_in};
use super::values::{between, positive};
use super::vectors::{orientation, vector};
use super::words::list;
use super::{
    BallEntry, BodyEntry, BoxEntry, CapsuleEntry, Checked, CylinderEntry, GrainEntry, KeyPath, PartEntry, Scene,
    SceneProblem, SolidEntry,
};
use crate::contactor::{Compound, Grain, Part, Shape, keys};
use crate::dim::{Dim, Orientation, Space, Vector};

impl BodyEntry {
    /// Names of all shapes.
    pub(crate) fn all_shapes() -> Vec<&'static str> {
        keys::SOLIDS.into_iter().chain(keys::OBSTACLES).collect()
    }

    /// Names of the shapes given in this entry.
    pub(crate) fn shapes(&self) -> Vec<&'static str> {
        let given = [self.plane.is_some(), self.segment.is_some(), self.drum.is_some()];
        let obstacles = keys::OBSTACLES.into_iter().zip(given).filter_map(|(name, given)| given.then_some(name));
        names(&self.solids()).chain(obstacles).collect()
    }

    /// The shape with volume, if one is given.
    pub(crate) fn solid<X: Dim>(&self, at: &KeyPath, scene: &Scene) -> Checked<Option<FramedShape<X>>> {
        first_given(&self.solids(), at, scene, None)
    }
}

impl PartEntry {
    /// The shape; `seed` is the seed of the body if the shape is random.
    pub(crate) fn shape<X: Dim>(&self, at: &KeyPath, scene: &Scene, seed: Option<u64>) -> Checked<Shape<X>> {
        for (key, given) in [("position", self.position.is_some()), ("orientation", self.orientation.is_some())] {
            if given {
                let problem = SceneProblem::key(&at.then(key), format!("the shape of a generator takes no {key}"));
                return Err(problem
                    .label("superfluous")
                    .help("each body has the position of its ball and a random orientation"));
            }
        }
        Ok(self.framed_shape::<X>(at, scene, seed)?.shape)
    }

    /// Whether the shape depends on the seed.
    pub(crate) fn is_random(&self) -> bool {
        self.grain.is_some() || self.compound.iter().flatten().any(PartEntry::is_random)
    }

    /// The keys under which it refers to other files.
    pub(crate) fn files(&self, at: &KeyPath) -> Vec<KeyPath> {
        let own = self.polyhedron.iter().filter(|p| p.file.is_some()).map(|_| at.then(keys::POLYHEDRON).then("file"));
        let parts = self.compound.iter().flatten().enumerate();
        own.chain(parts.flat_map(|(i, part)| part.files(&at.then(keys::COMPOUND).then(i)))).collect()
    }

    fn framed_shape<X: Dim>(&self, at: &KeyPath, scene: &Scene, seed: Option<u64>) -> Checked<FramedShape<X>> {
        let solids = self.solids();
        if let [first, second, ..] = names(&solids).collect::<Vec<_>>()[..] {
            let problem =
                SceneProblem::key(&at.then(second), format!("this part has two shapes, {first} and {second}"));
            return Err(problem.label("one too many").also(&at.then(first), "the other").help("keep one of them"));
        }
        first_given(&solids, at, scene, seed)?.ok_or_else(|| {
            let problem = SceneProblem::value(at, "there is no shape here").label("no shape");
            problem.help(format!("add one of {}", list(&keys::SOLIDS)))
        })
    }

    fn part<X: Dim>(&self, at: &KeyPath, scene: &Scene, seed: Option<u64>) -> Checked<Part<X>> {
        let FramedShape { shape, size, centre, axes } = self.framed_shape::<X>(at, scene, seed)?;
        let position = match &self.position {
            Some(position) => vector::<X::Vector>(&at.then("position"), position)?,
            None => centre.unwrap_or_else(X::Vector::zero),
        };
        let rotation = match &self.orientation {
            Some(entry) => orientation::<X>(&at.then("orientation"), entry)?,
            None => X::Orientation::identity(),
        };
        Ok(Part { shape, size, position, orientation: rotation.times(&axes) })
    }
}

/// Names of the shapes given.
fn names(solids: &[Option<SolidEntry<'_>>; 9]) -> impl Iterator<Item = &'static str> {
    keys::SOLIDS.into_iter().zip(solids).filter_map(|(name, solid)| solid.is_some().then_some(name))
}

/// The first shape given, if any.
fn first_given<X: Dim>(
    solids: &[Option<SolidEntry<'_>>; 9],
    at: &KeyPath,
    scene: &Scene,
    seed: Option<u64>,
) -> Checked<Option<FramedShape<X>>> {
    let mut given = keys::SOLIDS.into_iter().zip(solids).filter_map(|(name, solid)| Some((name, (*solid)?)));
    let Some((name, solid)) = given.next() else { return Ok(None) };
    let at = &at.then(name);
    let given = match solid {
        SolidEntry::Ball(ball) => ball.framed_shape(at, name),
        SolidEntry::Box(cuboid) => cuboid.framed_shape(&at.then("size")),
        SolidEntry::Polygon(polygon) => polygon.framed_shape(at),
        SolidEntry::Polyhedron(polyhedron) => polyhedron.framed_shape(at, scene),
        SolidEntry::Cylinder(cylinder) => cylinder.framed_shape(at),
        SolidEntry::Capsule(capsule) => capsule.framed_shape(at),
        SolidEntry::Grain(grain) => grain.framed_shape(at, seed),
        SolidEntry::Compound(parts) => compound(parts, at, scene, seed),
    };
    given.map(Some)
}

impl BallEntry {
    fn framed_shape<X: Dim>(&self, at: &KeyPath, name: &str) -> Checked<FramedShape<X>> {
        if name != X::BALL_NAME {
            let message = format!("there are no {name}s in {} dimensions", X::D);
            let problem = SceneProblem::key(at, message).label("not here");
            return Err(problem.help(format!("write {} = {{ radius = ... }}", X::BALL_NAME)));
        }
        positive(&at.then("radius"), self.radius, "radius in m")?;
        Ok(FramedShape::plain(Shape::Ball, self.radius))
    }
}

impl BoxEntry {
    fn framed_shape<X: Dim>(&self, at: &KeyPath) -> Checked<FramedShape<X>> {
        let size: X::Vector = vector(at, &self.size)?;
        for i in 0..X::D {
            let help = "lengths of the edges in m; a wall without thickness is a plane or a segment";
            positive(&at.then(i), size[i], help).map_err(|p| SceneProblem {
                message: format!("an edge must be longer than 0, not {}", size[i]),
                ..p
            })?;
        }
        let shape = Shape::cuboid(size * 0.5).map_err(|fault| SceneProblem::value(at, fault.to_string()))?;
        Ok(FramedShape::plain(shape, 1.0))
    }
}

impl CylinderEntry {
    fn framed_shape<X: Dim>(&self, at: &KeyPath) -> Checked<FramedShape<X>> {
        only_in::<X, Space>(at, "cylinders", keys::BOX)?;
        positive(&at.then("radius"), self.radius, "radius in m")?;
        positive(&at.then("length"), self.length, "distance between the two flat ends in m")?;
        Ok(FramedShape::plain(Shape::Cylinder { half_length: 0.5 * self.length / self.radius }, self.radius))
    }
}

impl CapsuleEntry {
    fn framed_shape<X: Dim>(&self, at: &KeyPath) -> Checked<FramedShape<X>> {
        positive(&at.then("radius"), self.radius, "radius in m")?;
        let help = format!("length of the straight part in m; without one, write {}", X::BALL_NAME);
        positive(&at.then("length"), self.length, &help)?;
        Ok(FramedShape::plain(Shape::capsule(0.5 * self.length / self.radius), self.radius))
    }
}

impl GrainEntry {
    fn framed_shape<X: Dim>(&self, at: &KeyPath, seed: Option<u64>) -> Checked<FramedShape<X>> {
        let aspect = "shortest over longest axis: 1 for round, 0.5 for twice as long as wide";
        between(&at.then("aspect"), self.aspect, 0.01, 1.0, aspect)?;
        between(
            &at.then("irregularity"),
            self.irregularity,
            0.0,
            0.99,
            "0 for evenly spaced corners, close to 1 for very irregular ones",
        )?;
        let radius = match (self.radius, seed) {
            (Some(radius), None) => radius,
            (None, Some(_)) => 1.0,
            (None, None) => return Err(super::explain::missing(at, "radius")),
            (Some(_), Some(_)) => {
                let problem = SceneProblem::key(&at.then("radius"), "a grain of a generator takes no radius");
                return Err(problem.label("superfluous").help("the ball that it replaces determines its radius"));
            }
        };
        positive(&at.then("radius"), radius, "distance of the farthest corner from the centre in m")?;
        let grain = Grain { corners: self.corners as usize, aspect: self.aspect, irregularity: self.irregularity };
        let seed = seed.map_or(self.seed, |seed| seed ^ self.seed.rotate_left(32));
        let made = grain.shape::<X>(seed).map_err(|fault| {
            let problem = SceneProblem::value(&at.then("corners"), fault.to_string());
            problem.label("invalid grain").help("about 5 to 20 corners look like sand")
        })?;
        Ok(FramedShape::plain(Shape::block(keys::GRAIN, made.0, made.1), radius))
    }
}

/// A compound of parts in one frame; the frame of the body is at their common centre of mass.
fn compound<X: Dim>(parts: &[PartEntry], at: &KeyPath, scene: &Scene, seed: Option<u64>) -> Checked<FramedShape<X>> {
    if parts.is_empty() {
        let problem = SceneProblem::value(at, "a compound without parts").label("no parts");
        return Err(problem.help("write compound = [{ sphere = { radius = 0.1 }, position = [0, 0, 0] }, ...]"));
    }
    if parts.len() > MAX_PARTS {
        let problem = SceneProblem::value(at, format!("a compound of {} parts", parts.len())).label("too many");
        return Err(problem.help(format!("at most {MAX_PARTS} parts")));
    }
    let parts: Vec<Part<X>> =
        parts.iter().enumerate().map(|(i, part)| part.part(&at.then(i), scene, seed)).collect::<Checked<_>>()?;
    let compound = Compound::new(keys::COMPOUND, parts);
    if compound.parts.len() > MAX_PARTS {
        let problem = SceneProblem::value(at, format!("a compound of {} convex parts", compound.parts.len()));
        return Err(problem.label("too many").help(format!("at most {MAX_PARTS} convex parts")));
    }
    Ok(FramedShape::of_compound(compound))
}

/// Largest number of parts: contact identifiers number parts in 16 bits.
const MAX_PARTS: usize = 10_000;
