//! Pictures of a run at one time: bodies coloured by a quantity, force chains, walls.
//!
//! Input: a frame of a run ([`PictureSource`]). Output: in 2D, an SVG document, or PNG or PDF of it; in 3D, a
//! ray-cast image with captions of the same kind, as PNG. The bytes do not depend on the number of threads; in a
//! PDF the order of fonts varies.

mod camera;
mod chains;
mod colour;
mod field;
mod joints;
mod legend;
mod light;
mod marks;
mod plane;
mod point;
mod raster;
mod render;
mod scheme;
mod solid;
mod source;
mod space;
mod survey;
mod wall;

use std::collections::BTreeMap;

use nalgebra::UnitQuaternion;

use crate::output::vtkhdf::{FieldValues, Frame, FrameField};

pub(crate) use chains::{ChainLink, STRONG, WEAK, links};
pub(crate) use colour::ColourMap;
pub use field::FieldQuantity;
pub use point::ImagePoint;
pub use render::{ONLY_PNG, draw, png};
pub use scheme::PictureOptions;
pub use source::{NO_FRAMES, PictureSource};
pub use survey::Survey;
pub use wall::DrawnWall;
pub(crate) use wall::{inner_faces, wall_lines};

/// Everything a picture can show of one time.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Simulated time, s.
    pub time: f64,
    /// The bodies.
    pub bodies: Vec<DrawnBody>,
    /// Disks and spheres.
    pub balls: Vec<DrawnBall>,
    /// Planar convex faces; in 2D, whole polygons.
    pub faces: Vec<DrawnFace>,
    /// Contact forces between bodies.
    pub chains: Vec<Chain>,
    /// Walls around the bodies.
    pub walls: Vec<DrawnWall>,
}

/// A body with the quantities it can be coloured by.
#[derive(Clone, Copy, Debug)]
pub struct DrawnBody {
    /// Id of the body.
    pub id: u64,
    /// Centre of mass, m.
    pub centre: ImagePoint,
    /// Velocity, m/s.
    pub velocity: ImagePoint,
    /// Angular velocity, rad/s.
    pub spin: ImagePoint,
    /// Number of contacts in the last step.
    pub contacts: u64,
    /// Radius; for other shapes, distance of the farthest point from the centre, m.
    pub radius: f64,
    /// Orientation.
    pub orientation: UnitQuaternion<f64>,
}

/// A disk or sphere: a whole body, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct DrawnBall {
    /// Centre, m.
    pub centre: ImagePoint,
    /// Radius, m.
    pub radius: f64,
    /// Direction of its first axis.
    pub spoke: ImagePoint,
    /// Index of its body.
    pub body: usize,
}

/// A planar face.
#[derive(Clone, Debug)]
pub struct DrawnFace {
    /// Corners in order, m.
    pub corners: Vec<ImagePoint>,
    /// Index of its body.
    pub body: usize,
    /// Means over its nodes, if it is a face of a deformable body.
    pub nodal: Option<NodalMeans>,
}

/// Means of quantities over the nodes of a face.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodalMeans {
    /// Von Mises stress, Pa.
    pub stress: f64,
    /// Largest absolute value of a principal strain.
    pub strain: f64,
    /// Contact pressure, Pa.
    pub pressure: f64,
}

/// Contact force between two bodies.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// Centre of the first body, and centre of the second or contact point, m.
    pub ends: [ImagePoint; 2],
    /// The two bodies; the second only if it is bounded.
    pub bodies: [Option<usize>; 2],
    /// Normal force, N.
    pub force: f64,
}

/// Point fields of a frame that a drawing uses.
pub(crate) const POINT_FIELDS: [&str; 11] = [
    "id",
    "radius",
    "velocity",
    "spin",
    "orientation",
    "contacts",
    "is_body",
    "node",
    "von_mises",
    "principal_strain",
    "contact_pressure",
];
/// Cell fields of a frame that a drawing uses.
pub(crate) const CELL_FIELDS: [&str; 1] = ["normal_force"];

impl Drawing {
    /// Builds the drawing of a frame with the given walls. Fields missing from the frame are zero.
    pub fn new(frame: &Frame, walls: Vec<DrawnWall>) -> Self {
        let points = FieldReader(&frame.point_fields);
        let mut drawing = Self { time: frame.time, walls, ..Self::default() };
        // In a frame the centre of a body precedes all its other points.
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
                    orientation: points.orientation(i),
                });
            }
            let body = drawing.bodies.len().saturating_sub(1);
            owner.push(body);
            if radius > 0.0 {
                drawing.balls.push(DrawnBall { centre, radius, spoke: points.orientation(i) * ImagePoint::x(), body });
            }
        }
        let point = |&id: &u64| ImagePoint::from(frame.points[id as usize]);
        for polygon in &frame.polygons {
            let body = owner[polygon[0] as usize];
            let (corners, nodal) = (polygon.iter().map(point).collect(), points.nodal_means(polygon));
            drawing.faces.push(DrawnFace { corners, body, nodal });
        }
        drawing.measure();
        let forces = FieldReader(&frame.cell_fields);
        // Several contacts of a pair of bodies form one chain with the sum of their forces.
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
            drawing.chains.push(Chain { ends: [point(&from), point(&to)], bodies, force });
        }
        drawing
    }

    /// Are there faces of deformable bodies?
    pub fn has_nodes(&self) -> bool {
        self.faces.iter().any(|face| face.nodal.is_some())
    }

    /// Extends the radius of each body to its farthest point.
    fn measure(&mut self) {
        let Self { bodies, balls, faces, .. } = self;
        let mut reach = |body: usize, at: &ImagePoint, more: f64| {
            let own = &mut bodies[body];
            own.radius = own.radius.max((at - own.centre).norm() + more);
        };
        faces.iter().for_each(|face| face.corners.iter().for_each(|corner| reach(face.body, corner, 0.0)));
        balls.iter().for_each(|ball| reach(ball.body, &ball.centre, ball.radius));
    }
}

/// Access to fields by name and point.
struct FieldReader<'a>(&'a [FrameField]);

impl FieldReader<'_> {
    fn number(&self, name: &str, i: usize, k: usize) -> f64 {
        let field = self.0.iter().find(|field| field.name == name);
        field.map_or(0.0, |field| match &field.values {
            FieldValues::Float(values) => values[i * field.width + k],
            FieldValues::Integer(values) => values[i * field.width + k] as f64,
        })
    }

    /// Means over the points of a polygon, if these are nodes.
    fn nodal_means(&self, polygon: &[u64]) -> Option<NodalMeans> {
        let number = |name: &str, id: u64, k: usize| self.number(name, id as usize, k);
        if !self.0.iter().any(|field| field.name == "node") || number("node", polygon[0], 0) < 0.0 {
            return None;
        }
        let mean = |of: &dyn Fn(u64) -> f64| polygon.iter().map(|&id| of(id)).sum::<f64>() / polygon.len() as f64;
        let strain = |id: u64| (0..3).map(|k| number("principal_strain", id, k).abs()).fold(0.0, f64::max);
        Some(NodalMeans {
            stress: mean(&|id| number("von_mises", id, 0)),
            strain: mean(&strain),
            pressure: mean(&|id| number("contact_pressure", id, 0)),
        })
    }

    fn vector(&self, name: &str, i: usize) -> ImagePoint {
        ImagePoint::from([0, 1, 2].map(|k| self.number(name, i, k)))
    }

    fn orientation(&self, i: usize) -> UnitQuaternion<f64> {
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
