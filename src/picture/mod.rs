//! Pictures of a moment of a run: bodies coloured by a quantity, force chains, walls.
//!
//! In: a frame of a run ([`PictureSource`]). Out: marks on a sheet in the plane, which are written as SVG or painted; in space an
//! image of rays through a camera, with the same marks for its captions. The same bytes on any number of threads.

mod camera;
mod chains;
mod chart;
mod colour;
mod field;
mod font;
mod joints;
mod legend;
mod light;
mod paint;
mod plane;
mod raster;
mod sheet;
mod solid;
mod source;
mod space;
mod survey;
mod svg;
mod wall;

use std::collections::BTreeMap;

use nalgebra::{UnitQuaternion, Vector3};

use crate::output::vtkhdf::{FieldValues, Frame, FrameField};

pub(crate) use chains::{ChainLink, STRONG, WEAK, links};
pub use chart::{Format, PictureOptions, draw, png};
pub(crate) use colour::Map;
pub use field::FieldQuantity;
pub use source::{NO_FRAMES, PictureSource};
pub use survey::Survey;
pub use wall::DrawnWall;
pub(crate) use wall::{insides, lines};

/// A point or a direction; in the plane the last component is zero.
pub type ImagePoint = Vector3<f64>;

/// Everything a picture can show of one moment.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Simulated time, s.
    pub time: f64,
    /// What is known of each body.
    pub bodies: Vec<DrawnBody>,
    /// Disks and spheres.
    pub balls: Vec<DrawnBall>,
    /// Flat convex sides; in the plane whole polygons.
    pub sides: Vec<DrawnSide>,
    /// Forces between bodies.
    pub chains: Vec<Chain>,
    /// What bounds them.
    pub walls: Vec<DrawnWall>,
}

/// A body by what it may be coloured by.
#[derive(Clone, Copy, Debug)]
pub struct DrawnBody {
    /// Its number.
    pub id: u64,
    /// Its centre, m.
    pub centre: ImagePoint,
    /// Velocity, m/s.
    pub velocity: ImagePoint,
    /// Angular velocity, rad/s.
    pub spin: ImagePoint,
    /// Contacts in the last step.
    pub contacts: u64,
    /// Radius; of other shapes the distance of the farthest point from the centre, m.
    pub radius: f64,
    /// How it is turned.
    pub turn: UnitQuaternion<f64>,
}

/// A ball that is a body, or part of one.
#[derive(Clone, Copy, Debug)]
pub struct DrawnBall {
    /// Centre, m.
    pub centre: ImagePoint,
    /// Radius, m.
    pub radius: f64,
    /// Where its first axis points.
    pub spoke: ImagePoint,
    /// Index of its body.
    pub body: usize,
}

/// A flat side.
#[derive(Clone, Debug)]
pub struct DrawnSide {
    /// Corners in turn, m.
    pub corners: Vec<ImagePoint>,
    /// Index of its body.
    pub body: usize,
}

/// What two bodies press on each other with.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// The centre of one, and that of the other or the place where they touch, m.
    pub ends: [ImagePoint; 2],
    /// The two bodies, the second if it is bounded.
    pub bodies: [Option<usize>; 2],
    /// Normal force, N.
    pub force: f64,
}

/// The quantities on points that a drawing is made from.
pub(crate) const POINT_FIELDS: [&str; 7] = ["id", "radius", "velocity", "spin", "orientation", "contacts", "is_body"];
/// Likewise on cells.
pub(crate) const CELL_FIELDS: [&str; 1] = ["normal_force"];

impl Drawing {
    /// What a frame shows, with these walls around it. A field that the frame lacks is zero.
    pub fn new(frame: &Frame, walls: Vec<DrawnWall>) -> Self {
        let points = Points(&frame.point_fields);
        let mut drawing = Self { time: frame.time, walls, ..Self::default() };
        // All points of a body follow its own.
        let mut owner = Vec::with_capacity(frame.points.len());
        for (i, &at) in frame.points.iter().enumerate() {
            let (centre, radius) = (ImagePoint::from(at), points.number("radius", i, 0));
            if points.number("is_body", i, 0) != 0.0 {
                drawing.bodies.push(DrawnBody {
                    id: points.number("id", i, 0) as u64,
                    centre,
                    velocity: points.vector("velocity", i),
                    spin: points.vector("spin", i),
                    contacts: points.number("contacts", i, 0) as u64,
                    radius,
                    turn: points.turn(i),
                });
            }
            let body = drawing.bodies.len().saturating_sub(1);
            owner.push(body);
            if radius > 0.0 {
                drawing.balls.push(DrawnBall { centre, radius, spoke: points.turn(i) * ImagePoint::x(), body });
            }
        }
        let place = |&id: &u64| ImagePoint::from(frame.points[id as usize]);
        for polygon in &frame.polygons {
            let body = owner[polygon[0] as usize];
            drawing.sides.push(DrawnSide { corners: polygon.iter().map(place).collect(), body });
        }
        drawing.measure();
        let forces = Points(&frame.cell_fields);
        // Bodies with several contacts press on each other once, with the sum of their forces.
        let mut pairs: BTreeMap<[usize; 2], usize> = BTreeMap::new();
        let is_centre = |id: u64| points.number("is_body", id as usize, 0) != 0.0;
        for (k, &[from, to]) in frame.lines.iter().enumerate() {
            let force = forces.number("normal_force", frame.vertices.len() + k, 0);
            let bodies = [Some(owner[from as usize]), is_centre(to).then(|| owner[to as usize])];
            if let [Some(a), Some(b)] = bodies {
                let known = *pairs.entry([a, b]).or_insert(drawing.chains.len());
                if let Some(chain) = drawing.chains.get_mut(known) {
                    chain.force += force;
                    continue;
                }
            }
            drawing.chains.push(Chain { ends: [place(&from), place(&to)], bodies, force });
        }
        drawing
    }

    /// How far bodies reach whose radius is not known.
    fn measure(&mut self) {
        let Self { bodies, balls, sides, .. } = self;
        let mut reach = |body: usize, at: &ImagePoint, more: f64| {
            let own = &mut bodies[body];
            own.radius = own.radius.max((at - own.centre).norm() + more);
        };
        sides.iter().for_each(|side| side.corners.iter().for_each(|corner| reach(side.body, corner, 0.0)));
        balls.iter().for_each(|ball| reach(ball.body, &ball.centre, ball.radius));
    }
}

/// Fields by name and point.
struct Points<'a>(&'a [FrameField]);

impl Points<'_> {
    fn number(&self, name: &str, i: usize, k: usize) -> f64 {
        let field = self.0.iter().find(|field| field.name == name);
        field.map_or(0.0, |field| match &field.values {
            FieldValues::Float(values) => values[i * field.width + k],
            FieldValues::Integer(values) => values[i * field.width + k] as f64,
        })
    }

    fn vector(&self, name: &str, i: usize) -> ImagePoint {
        ImagePoint::from([0, 1, 2].map(|k| self.number(name, i, k)))
    }

    fn turn(&self, i: usize) -> UnitQuaternion<f64> {
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| self.number("orientation", i, k));
        UnitQuaternion::try_new(nalgebra::Quaternion::new(w, x, y, z), 0.0).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contacts_of_the_same_two_bodies_are_one_chain_with_their_sum() {
        let field = |name: &'static str, width, values| FrameField {
            name: name.into(),
            width,
            values: FieldValues::Float(values),
        };
        let frame = Frame {
            points: vec![[0.0; 3], [0.0, -0.5, 0.0], [2.0, 0.0, 0.0]],
            vertices: vec![0, 2],
            lines: vec![[0, 2], [0, 1], [0, 2]],
            point_fields: vec![field("is_body", 1, vec![1.0, 0.0, 1.0]), field("radius", 1, vec![0.5, 0.0, 1.5])],
            cell_fields: vec![field("normal_force", 1, vec![0.0, 0.0, 3.0, 5.0, 4.0])],
            ..Frame::default()
        };
        let drawing = Drawing::new(&frame, Vec::new());
        assert_eq!((drawing.bodies.len(), drawing.balls.len()), (2, 2));
        let forces: Vec<f64> = drawing.chains.iter().map(|chain| chain.force).collect();
        assert_eq!(forces, [7.0, 5.0]);
        assert_eq!(drawing.chains[1].bodies, [Some(0), None]);
        assert_eq!(drawing.bodies[1].radius, 1.5);
    }
}
