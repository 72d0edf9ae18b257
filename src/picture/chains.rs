//! Force chains as line segments: end points, width and colour class.

use std::collections::BTreeMap;

use super::colour::Colour;
use super::{Drawing, DrawnFace, DrawnWall, ImagePoint};

/// Colour of forces above the mean.
pub(crate) const STRONG: u32 = 0x991b1e;
/// Colour of forces below the mean.
pub(crate) const WEAK: u32 = 0x8ea3b8;
/// If an angular body is this many times larger than its partner (a floor, a wall), the segment ends at its surface.
const LARGE: f64 = 4.0;
/// Half the line width of a strong force, in typical radii.
const HALF_WIDTH: f64 = 0.42;

/// A line segment of a force chain.
pub(crate) struct ChainLink {
    pub(crate) ends: [ImagePoint; 2],
    /// The bodies at whose centres it ends.
    pub(crate) bodies: [Option<usize>; 2],
    /// Normal force, N.
    pub(crate) force: f64,
    /// Half the line width, m.
    pub(crate) half_width: f64,
    /// True if the force is above the mean.
    pub(crate) is_strong: bool,
}

impl ChainLink {
    pub(super) fn colour(&self) -> Colour {
        Colour::hex(if self.is_strong { STRONG } else { WEAK })
    }
}

/// Half the line width for a force, m: a fixed fraction of `radius` times force/`strong`, the ratio capped at 2.
pub(super) fn half_width(force: f64, strong: f64, radius: f64) -> f64 {
    HALF_WIDTH * radius * (force / strong.max(f64::MIN_POSITIVE)).min(2.0)
}

/// All segments of a drawing, sorted by increasing force; a [`Survey`](super::Survey) supplies the strong force and the
/// typical radius.
pub(crate) fn links(drawing: &Drawing, strong: f64, radius: f64) -> Vec<ChainLink> {
    let compressive = || drawing.chains.iter().filter(|chain| chain.force > 0.0);
    let mean = compressive().map(|chain| chain.force).sum::<f64>() / compressive().count().max(1) as f64;
    let mut faces: BTreeMap<usize, Vec<&DrawnFace>> = BTreeMap::new();
    drawing.faces.iter().for_each(|face| faces.entry(face.body).or_default().push(face));
    let end = |at: ImagePoint, own: Option<usize>, from: ImagePoint, other: Option<usize>| {
        let Some(body) = own.map(|own| &drawing.bodies[own]) else { return Some(at) };
        if body.radius == 0.0 {
            // The body has no visible extent; its segment ends only at a known wall.
            let is_it = |wall: &&DrawnWall| matches!(wall, DrawnWall::Segment { id, .. } if *id == body.id);
            return drawing.walls.iter().find(is_it).map(|wall| wall.foot(from));
        }
        let small = other.map_or(f64::INFINITY, |other| drawing.bodies[other].radius);
        let faces = own.and_then(|own| faces.get(&own)).filter(|_| body.radius > LARGE * small);
        Some(faces.and_then(|faces| nearest(faces, from)).unwrap_or(at))
    };
    let mut links: Vec<ChainLink> = compressive()
        .filter_map(|chain| {
            let ([a, b], [from, to]) = (chain.bodies, chain.ends);
            let ends = [end(from, a, to, b)?, end(to, b, from, a)?];
            let half_width = half_width(chain.force, strong, radius);
            let centred = |k: usize| chain.bodies[k].filter(|_| ends[k] == chain.ends[k]);
            let bodies = [centred(0), centred(1)];
            Some(ChainLink { ends, bodies, force: chain.force, half_width, is_strong: chain.force > mean })
        })
        .collect();
    links.sort_by(|a, b| a.force.total_cmp(&b.force));
    links
}

/// Closest point of a set of convex faces.
fn nearest(faces: &[&DrawnFace], from: ImagePoint) -> Option<ImagePoint> {
    let points = faces.iter().flat_map(|face| {
        let corners = &face.corners;
        let edges = || corners.iter().zip(corners.iter().cycle().skip(1));
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let foot = from - normal * (normal.dot(&(from - corners[0])) / normal.norm_squared().max(f64::MIN_POSITIVE));
        let is_inside = edges().all(|(a, b)| (b - a).cross(&(foot - a)).dot(&normal) >= 0.0) && foot != from;
        let on_edges = edges().map(|(a, b)| DrawnWall::Segment { id: 0, ends: [*a, *b] }.foot(from));
        is_inside.then_some(foot).into_iter().chain(on_edges).collect::<Vec<_>>()
    });
    points.min_by(|a, b| (a - from).norm_squared().total_cmp(&(b - from).norm_squared()))
}

#[cfg(test)]
mod tests {
    use super::super::{Chain, DrawnBody};
    use super::*;

    #[test]
    fn a_force_on_a_long_floor_ends_at_its_surface_and_the_strongest_comes_last() {
        let body = |x: f64, y: f64, radius: f64| DrawnBody {
            id: 0,
            centre: ImagePoint::new(x, y, 0.0),
            velocity: ImagePoint::zeros(),
            spin: ImagePoint::zeros(),
            contacts: 0,
            radius,
            orientation: Default::default(),
        };
        let bodies = vec![body(3.0, 1.0, 1.0), body(0.0, -1.0, 20.0), body(5.0, 1.0, 1.0)];
        let corners = [[-20.0, -2.0], [20.0, -2.0], [20.0, 0.0], [-20.0, 0.0]].map(|[x, y]| ImagePoint::new(x, y, 0.0));
        let chain = |a: usize, b: usize, force: f64| Chain {
            ends: [bodies[a].centre, bodies[b].centre],
            bodies: [Some(a), Some(b)],
            force,
        };
        let chains = vec![chain(0, 1, 3.0), chain(0, 2, 1.0)];
        let faces = vec![DrawnFace { corners: corners.to_vec(), body: 1, nodal: None }];
        let links = links(&Drawing { bodies, faces, chains, ..Drawing::default() }, 3.0, 1.0);
        assert_eq!((links[0].force, links[0].is_strong, links[1].is_strong), (1.0, false, true));
        assert_eq!(links[1].ends, [ImagePoint::new(3.0, 1.0, 0.0), ImagePoint::new(3.0, 0.0, 0.0)]);
        assert_eq!(links[0].ends[1], ImagePoint::new(5.0, 1.0, 0.0));
        assert_eq!([links[0].bodies, links[1].bodies], [[Some(0), Some(2)], [Some(0), None]]);
    }
}
