//! Links between bodies: wires, rods, springs and joints, each of them a persistent contact.
//!
//! Every process stores all links, on whichever process their bodies are. The contact of link number k has the feature
//! number `ContactId::link`, which no contact of shapes has.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::body::BodyId;
use crate::contactor::PosedShape;
use crate::dim::{Dim, Orientation, Vector};
use crate::law::LinkLaw;

/// A link between a point of one body and a point of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Link<X: Dim> {
    /// Ids of the two bodies, the lower one first.
    pub bodies: [u64; 2],
    /// Anchor on each body, in its own axes, m from its centre.
    pub anchors: [X::Vector; 2],
    /// Rest length: distance of the anchors, m.
    pub length: f64,
    /// Normal of its contact in the axes of the first body; `None` for the direction from anchor to anchor (for a pin
    /// from centre to centre).
    pub axis: Option<X::Vector>,
    /// Law of the link.
    pub law: LinkLaw,
    /// Do its bodies collide with each other?
    pub collide: bool,
}

/// Geometry of a link at the present positions of its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretched<X: Dim> {
    /// Unit normal of its contact.
    pub normal: X::Vector,
    /// Midpoint of the two anchors, m.
    pub point: X::Vector,
    /// Vector from the anchor on the first body to that on the second, m.
    pub apart: X::Vector,
    /// Elongation over the rest length, m.
    pub gap: f64,
}

impl<X: Dim> Link<X> {
    /// Position of the anchor on the first (`side` 0) or second body in this pose.
    pub fn anchor(&self, side: usize, position: X::Vector, orientation: X::Orientation) -> X::Vector {
        position + orientation.rotate(self.anchors[side])
    }

    /// Geometry of the link between bodies in these poses.
    pub fn between(&self, first: &PosedShape<'_, X>, second: &PosedShape<'_, X>) -> Stretched<X> {
        let a = self.anchor(0, first.position, first.orientation);
        let b = self.anchor(1, second.position, second.orientation);
        let apart = b - a;
        let distance = apart.norm();
        let line = if matches!(self.law, LinkLaw::Pin(_)) { second.position - first.position } else { apart };
        let length = line.norm();
        let normal = match self.axis {
            Some(axis) => first.orientation.rotate(axis),
            // Any direction is correct: the force is zero, or acts in all directions.
            None if length > 0.0 => line * (1.0 / length),
            None => X::Vector::axis(0),
        };
        Stretched { normal, point: (a + b) * 0.5, apart, gap: distance - self.length }
    }

    /// Orders by bodies, then by anchors, axis and length; independent of the order of input.
    fn compare(&self, other: &Self) -> Ordering {
        let numbers = |link: &Self| {
            let axis = link.axis.unwrap_or(X::Vector::zero());
            let vectors = [link.anchors[0], link.anchors[1], axis];
            vectors.into_iter().flat_map(|v| v.in_space()).chain([link.length]).collect::<Vec<f64>>()
        };
        let pairs = numbers(self).into_iter().zip(numbers(other));
        pairs.fold(self.bodies.cmp(&other.bodies), |order, (a, b)| order.then(a.total_cmp(&b)))
    }
}

/// All links of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Links<X: Dim> {
    all: Vec<Link<X>>,
    /// Ends of the links: body, link and side; sorted.
    ends: Vec<(BodyId, u32, u32)>,
    /// Pairs of linked bodies that do not collide; sorted.
    not_colliding: Vec<[BodyId; 2]>,
    has_memory: bool,
    is_elastic: bool,
}

impl<X: Dim> Default for Links<X> {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl<X: Dim> Links<X> {
    /// Takes the links in any order.
    pub fn new(mut all: Vec<Link<X>>) -> Self {
        all.sort_by(Link::compare);
        let mut ends: Vec<(BodyId, u32, u32)> = Vec::with_capacity(2 * all.len());
        for (number, link) in (0u32..).zip(&all) {
            ends.extend([0, 1].map(|side| (BodyId(link.bodies[side as usize]), number, side)));
        }
        ends.sort_unstable();
        let pairs = all.iter().filter(|link| !link.collide);
        let mut not_colliding: Vec<[BodyId; 2]> = pairs.map(|link| link.bodies.map(BodyId)).collect();
        not_colliding.sort_unstable();
        not_colliding.dedup();
        let has_memory = all.iter().any(|link| link.law.law::<X>().has_memory());
        let is_elastic = all.iter().any(|link| link.law.law::<X>().is_elastic());
        Self { all, ends, not_colliding, has_memory, is_elastic }
    }

    /// All links, sorted.
    pub fn all(&self) -> &[Link<X>] {
        &self.all
    }

    /// Are there no links?
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Does the law of any link have a state?
    pub fn has_memory(&self) -> bool {
        self.has_memory
    }

    /// Does any link store energy?
    pub fn is_elastic(&self) -> bool {
        self.is_elastic
    }

    /// The links of a body: the number of each, and the side the body is on.
    pub fn of(&self, body: BodyId) -> impl Iterator<Item = (u32, u32)> {
        let from = self.ends.partition_point(|end| end.0 < body);
        self.ends[from..].iter().take_while(move |end| end.0 == body).map(|end| (end.1, end.2))
    }

    /// Largest distance of an anchor from the centre of the body, m.
    pub fn reach(&self, body: BodyId) -> f64 {
        let arm = |(link, side): (u32, u32)| self.all[link as usize].anchors[side as usize].norm();
        self.of(body).map(arm).fold(0.0, f64::max)
    }

    /// Are these two linked such that they do not collide?
    pub fn are_apart(&self, a: BodyId, b: BodyId) -> bool {
        !self.not_colliding.is_empty() && self.not_colliding.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// The links both of whose bodies are among `bodies`: the number of each, and the indices of its two bodies there.
    pub fn among(&self, bodies: impl Iterator<Item = BodyId>) -> Vec<(u32, [u32; 2])> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (index, body) in (0u32..).zip(bodies) {
            found.extend(self.of(body).map(|(link, side)| (link, side, index)));
        }
        found.sort_unstable();
        found.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].0, [pair[0].2, pair[1].2])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contactor::Shape;
    use crate::dim::{Angle, Plane};
    use crate::law::Rod;
    use nalgebra::Vector2;

    fn rod(a: u64, b: u64, x: f64) -> Link<Plane> {
        let anchors = [Vector2::new(x, 0.0), Vector2::new(-1.0, 0.0)];
        Link { bodies: [a, b], anchors, length: 1.0, axis: None, law: LinkLaw::Rod(Rod {}), collide: a != 2 }
    }

    #[test]
    fn links_do_not_depend_on_the_order_they_are_given_in_and_are_found_by_body() {
        let links = Links::new(vec![rod(2, 9, 0.5), rod(1, 2, 3.0), rod(1, 2, 2.0)]);
        assert_eq!(links, Links::new(vec![rod(1, 2, 2.0), rod(2, 9, 0.5), rod(1, 2, 3.0)]));
        assert_eq!(links.of(BodyId(2)).collect::<Vec<_>>(), [(0, 1), (1, 1), (2, 0)]);
        assert_eq!(links.of(BodyId(3)).count(), 0);
        assert_eq!([links.reach(BodyId(1)), links.reach(BodyId(9)), links.reach(BodyId(3))], [3.0, 1.0, 0.0]);
        assert!(links.are_apart(BodyId(9), BodyId(2)) && !links.are_apart(BodyId(1), BodyId(2)));
        let found = links.among([9, 1, 2].into_iter().map(BodyId));
        assert_eq!(found, [(0, [1, 2]), (1, [1, 2]), (2, [2, 0])]);
        assert_eq!(links.among([9, 1].into_iter().map(BodyId)), []);
    }

    #[test]
    fn a_stretched_link_knows_its_line_and_how_much_too_long_it_is() {
        let posed = |x: f64, angle: f64| PosedShape::<Plane> {
            shape: &Shape::Ball,
            size: 1.0,
            position: Vector2::new(x, 0.0),
            orientation: Angle(angle),
        };
        let stretched = rod(1, 2, 1.0).between(&posed(0.0, 0.0), &posed(5.0, 0.0));
        assert_eq!((stretched.gap, stretched.point), (2.0, Vector2::new(2.5, 0.0)));
        assert_eq!((stretched.normal, stretched.apart), (Vector2::x(), Vector2::new(3.0, 0.0)));
    }
}
