//! Shapes with volume from their scene entries: the same keys for a body, for a part of a compound, and for the shape
//! substituted for a generator's balls.

use super::block::{Given, only_in};
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
    pub(crate) fn solid<X: Dim>(&self, at: &KeyPath, scene: &Scene) -> Checked<Option<Given<X>>> {
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
        Ok(self.given::<X>(at, scene, seed)?.shape)
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

    fn given<X: Dim>(&self, at: &KeyPath, scene: &Scene, seed: Option<u64>) -> Checked<Given<X>> {
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
        let Given { shape, size, centre, turn } = self.given::<X>(at, scene, seed)?;
        let position = match &self.position {
            Some(position) => vector::<X::Vector>(&at.then("position"), position)?,
            None => centre.unwrap_or_else(X::Vector::zero),
        };
        let turned = match &self.orientation {
            Some(entry) => orientation::<X>(&at.then("orientation"), entry)?,
            None => X::Orientation::identity(),
        };
        Ok(Part { shape, size, position, orientation: turned.times(&turn) })
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
) -> Checked<Option<Given<X>>> {
    let mut given = keys::SOLIDS.into_iter().zip(solids).filter_map(|(name, solid)| Some((name, (*solid)?)));
    let Some((name, solid)) = given.next() else { return Ok(None) };
    let at = &at.then(name);
    let given = match solid {
        SolidEntry::Ball(ball) => ball.given(at, name),
        SolidEntry::Box(cuboid) => cuboid.given(&at.then("size")),
        SolidEntry::Polygon(polygon) => polygon.given(at),
        SolidEntry::Polyhedron(polyhedron) => polyhedron.given(at, scene),
        SolidEntry::Cylinder(cylinder) => cylinder.given(at),
        SolidEntry::Capsule(capsule) => capsule.given(at),
        SolidEntry::Grain(grain) => grain.given(at, seed),
        SolidEntry::Compound(parts) => compound(parts, at, scene, seed),
    };
    given.map(Some)
}

impl BallEntry {
    fn given<X: Dim>(&self, at: &KeyPath, name: &str) -> Checked<Given<X>> {
        if name != X::BALL_NAME {
            let message = format!("there are no {name}s in {} dimensions", X::D);
            let problem = SceneProblem::key(at, message).label("not here");
            return Err(problem.help(format!("write {} = {{ radius = ... }}", X::BALL_NAME)));
        }
        positive(&at.then("radius"), self.radius, "radius in m")?;
        Ok(Given::plain(Shape::Ball, self.radius))
    }
}

impl BoxEntry {
    fn given<X: Dim>(&self, at: &KeyPath) -> Checked<Given<X>> {
        let size: X::Vector = vector(at, &self.size)?;
        for i in 0..X::D {
            let help = "lengths of the edges in m; a wall without thickness is a plane or a segment";
            positive(&at.then(i), size[i], help).map_err(|p| SceneProblem {
                message: format!("an edge must be longer than 0, not {}", size[i]),
                ..p
            })?;
        }
        let shape = Shape::cuboid(size * 0.5).map_err(|fault| SceneProblem::value(at, fault.to_string()))?;
        Ok(Given::plain(shape, 1.0))
    }
}

impl CylinderEntry {
    fn given<X: Dim>(&self, at: &KeyPath) -> Checked<Given<X>> {
        only_in::<X, Space>(at, "cylinders", keys::BOX)?;
        positive(&at.then("radius"), self.radius, "radius in m")?;
        positive(&at.then("length"), self.length, "distance between the two flat ends in m")?;
        Ok(Given::plain(Shape::Cylinder { half_length: 0.5 * self.length / self.radius }, self.radius))
    }
}

impl CapsuleEntry {
    fn given<X: Dim>(&self, at: &KeyPath) -> Checked<Given<X>> {
        positive(&at.then("radius"), self.radius, "radius in m")?;
        let help = format!("length of the straight part in m; without one, write {}", X::BALL_NAME);
        positive(&at.then("length"), self.length, &help)?;
        Ok(Given::plain(Shape::capsule(0.5 * self.length / self.radius), self.radius))
    }
}

impl GrainEntry {
    fn given<X: Dim>(&self, at: &KeyPath, seed: Option<u64>) -> Checked<Given<X>> {
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
        Ok(Given::plain(Shape::block(keys::GRAIN, made.0, made.1), radius))
    }
}

/// A compound of parts in one frame; the frame of the body is at their common centre of mass.
fn compound<X: Dim>(parts: &[PartEntry], at: &KeyPath, scene: &Scene, seed: Option<u64>) -> Checked<Given<X>> {
    if parts.is_empty() {
        let problem = SceneProblem::value(at, "a compound without parts").label("no parts");
        return Err(problem.help("write compound = [{ sphere = { radius = 0.1 }, position = [0, 0, 0] }, ...]"));
    }
    if parts.len() > MOST_PARTS {
        let problem = SceneProblem::value(at, format!("a compound of {} parts", parts.len())).label("too many");
        return Err(problem.help(format!("at most {MOST_PARTS} parts")));
    }
    let parts: Vec<Part<X>> =
        parts.iter().enumerate().map(|(i, part)| part.part(&at.then(i), scene, seed)).collect::<Checked<_>>()?;
    let compound = Compound::new(keys::COMPOUND, parts);
    if compound.parts.len() > MOST_PARTS {
        let problem = SceneProblem::value(at, format!("a compound of {} convex parts", compound.parts.len()));
        return Err(problem.label("too many").help(format!("at most {MOST_PARTS} convex parts")));
    }
    Ok(Given::of_compound(compound))
}

/// Largest number of parts: contact identifiers number parts in 16 bits.
const MOST_PARTS: usize = 10_000;
