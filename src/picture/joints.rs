//! Joints: planar contact areas between two bodies, or a body and a wall, and the pressure on them.
//!
//! Input: the faces of the bodies and the forces between them. Output: planar polygons, each with the force of its pair
//! divided by the area that the pair has in common. The distribution of the force over the contact points of a joint is
//! indeterminate, so a joint has a single pressure.

use std::collections::BTreeMap;

use super::wall::clip;
use super::{Drawing, DrawnFace, ImagePoint};

/// Maximum distance of the faces of a joint, relative to the radius of the body: a joint may be slightly open.
const NEAR: f64 = 0.03;
/// Minimum area of a joint relative to the face; below it the contact is an edge.
const SLIVER: f64 = 0.01;
/// Minimum cosine of the angle between the two faces.
const FACING: f64 = 0.98;

/// Part of a joint.
pub(crate) struct DrawnJoint {
    /// Corners in order, m.
    pub(crate) corners: Vec<ImagePoint>,
    /// Normal force over area, kPa.
    pub(crate) pressure: f64,
}

/// All joints under load.
pub(crate) fn joints(drawing: &Drawing) -> Vec<DrawnJoint> {
    let mut faces: BTreeMap<usize, Vec<&DrawnFace>> = BTreeMap::new();
    drawing.faces.iter().for_each(|face| faces.entry(face.body).or_default().push(face));
    let of = |body: Option<usize>| body.and_then(|body| faces.get(&body)).map_or(&[][..], Vec::as_slice);
    let mut all = Vec::new();
    // A body on a wall has one force per contact point; they are summed over the face it stands on.
    let mut wall_contacts: BTreeMap<usize, (Vec<ImagePoint>, f64)> = BTreeMap::new();
    for chain in drawing.chains.iter().filter(|chain| chain.force > 0.0) {
        let [Some(a), b] = chain.bodies else { continue };
        if b.is_none() {
            let (points, force) = wall_contacts.entry(a).or_default();
            points.push(chain.ends[1]);
            *force += chain.force;
            continue;
        }
        let (own, near) = (of(Some(a)), NEAR * drawing.bodies[a].radius);
        let pairs = own.iter().flat_map(|first| of(b).iter().map(move |second| (*first, *second)));
        let pieces = pairs.filter_map(|(first, second)| common(first, second, drawing, near)).collect();
        add_joints(pieces, chain.force, &mut all);
    }
    for (body, (points, force)) in wall_contacts {
        let distance = |face: &&&DrawnFace| {
            let offset = |point: &ImagePoint| normal(face, drawing).dot(&(point - face.corners[0])).abs();
            points.iter().map(offset).fold(0.0, f64::max)
        };
        let nearest = of(Some(body)).iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        if let Some(face) = nearest.filter(|face| distance(face) < NEAR * drawing.bodies[body].radius) {
            add_joints(vec![face.corners.clone()], force, &mut all);
        }
    }
    all
}

/// Distributes a force over several pieces by their area.
fn add_joints(pieces: Vec<Vec<ImagePoint>>, force: f64, all: &mut Vec<DrawnJoint>) {
    let area: f64 = pieces.iter().map(|corners| twice_area(corners).norm() / 2.0).sum();
    if area > 0.0 {
        let pressure = 1e-3 * force / area;
        all.extend(pieces.into_iter().map(|corners| DrawnJoint { corners, pressure }));
    }
}

/// Normal vector of a polygon whose length is twice its area.
fn twice_area(corners: &[ImagePoint]) -> ImagePoint {
    let first = corners[0];
    corners.windows(2).map(|pair| (pair[0] - first).cross(&(pair[1] - first))).sum()
}

/// Outward unit normal of a face.
fn normal(face: &DrawnFace, drawing: &Drawing) -> ImagePoint {
    let normal = twice_area(&face.corners).normalize();
    let outward = face.corners[0] - drawing.bodies[face.body].centre;
    if normal.dot(&outward) < 0.0 { -normal } else { normal }
}

/// Intersection of two coincident faces: the first, clipped by the edges of the second.
fn common(first: &DrawnFace, second: &DrawnFace, drawing: &Drawing, near: f64) -> Option<Vec<ImagePoint>> {
    let (n, m) = (normal(first, drawing), normal(second, drawing));
    if n.dot(&m) > -FACING || n.dot(&(second.corners[0] - first.corners[0])).abs() > near {
        return None;
    }
    let second_normal = twice_area(&second.corners);
    let mut common = first.corners.clone();
    for (k, from) in second.corners.iter().enumerate() {
        let inward = second_normal.cross(&(second.corners[(k + 1) % second.corners.len()] - from));
        common = clip(&common, *from, inward);
        if common.len() < 3 {
            return None;
        }
    }
    let sliver = SLIVER * twice_area(&first.corners).norm();
    (twice_area(&common).norm() > sliver).then_some(common)
}

#[cfg(test)]
mod tests {
    use super::super::{Chain, DrawnBody};
    use super::*;

    /// A unit cube with its bottom at height `z`, with its top and bottom faces.
    fn cube(x: f64, z: f64, body: usize) -> (DrawnBody, [DrawnFace; 2]) {
        let centre = ImagePoint::new(x, 0.0, z + 0.5);
        let (velocity, spin) = (ImagePoint::zeros(), ImagePoint::zeros());
        let flat = |height: f64| DrawnFace {
            corners: [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]
                .map(|[a, b]| ImagePoint::new(x + a, b, height))
                .to_vec(),
            body,
            nodal: None,
        };
        let one =
            DrawnBody { id: 0, centre, velocity, spin, contacts: 0, radius: 0.87, orientation: Default::default() };
        (one, [flat(z), flat(z + 1.0)])
    }

    #[test]
    fn a_cube_half_on_another_presses_on_half_of_it_and_the_lower_one_on_the_ground() {
        let ((below, low), (above, high)) = (cube(0.0, 0.0, 0), cube(0.5, 1.0, 1));
        let ground = |x: f64| Chain {
            ends: [below.centre, ImagePoint::new(x, 0.0, 0.0)],
            bodies: [Some(0), None],
            force: 1000.0,
        };
        let between = Chain { ends: [below.centre, above.centre], bodies: [Some(0), Some(1)], force: 1000.0 };
        let chains = vec![ground(-0.5), between, ground(0.5)];
        let faces = low.into_iter().chain(high).collect();
        let found = joints(&Drawing { bodies: vec![below, above], faces, chains, ..Drawing::default() });
        let facts: Vec<(f64, f64)> =
            found.iter().map(|joint| (joint.pressure, twice_area(&joint.corners).norm() / 2.0)).collect();
        assert_eq!(facts, [(2.0, 0.5), (2.0, 1.0)]);
    }
}
