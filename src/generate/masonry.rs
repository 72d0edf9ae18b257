//! Generator of a brick wall in running bond with openings.
//!
//! Every second course is shifted by half a brick and closed by half bricks, so that both ends of the wall are flush.
//! The part of a brick inside an opening is removed: beside the opening the remainder keeps the full height of its
//! course, above and below the opening it keeps the remaining height. Each piece follows from its course and brick
//! number alone.

use super::Stone;
use crate::dim::Dim;

/// A wall along the first axis; the last axis is up.
#[derive(Clone, Debug)]
pub struct Masonry<X: Dim> {
    /// Edges of a brick, m.
    pub brick: X::Vector,
    /// Number of courses.
    pub courses: u64,
    /// Number of bricks in the first course.
    pub bricks: u64,
    /// Lower corner of the wall, m.
    pub origin: X::Vector,
    /// Clearance between neighbours in a course and between courses, m; less than the length of a brick.
    pub joint: f64,
    /// Openings, relative to the origin.
    pub openings: Vec<Rectangle>,
}

/// A rectangle in the front view of the wall: (along, up) relative to its origin, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rectangle {
    /// Lower corner.
    pub min: [f64; 2],
    /// Upper corner.
    pub max: [f64; 2],
}

/// Pieces shorter or lower than this fraction of a brick are dropped.
const SMALLEST_PIECE: f64 = 0.1;
/// Edges that differ by less than this fraction of a brick count as equal.
const EQUAL: f64 = 1e-9;

impl<X: Dim> Masonry<X> {
    const UP: usize = X::D - 1;

    /// Upper bound of the number of blocks.
    pub fn at_most(&self) -> f64 {
        // Each opening cuts a brick into at most four pieces, and only bricks at its rim.
        self.courses as f64 * (self.bricks as f64 + 1.0) * (1.0 + 3.0 * self.openings.len() as f64)
    }

    /// Length and height of the wall, m.
    pub fn extent(&self) -> [f64; 2] {
        let (n, m) = (self.bricks as f64, self.courses as f64);
        [n * self.brick[0] + (n - 1.0) * self.joint, m * self.brick[Self::UP] + (m - 1.0) * self.joint]
    }

    /// The blocks, course by course from the bottom, each course from left to right.
    pub fn stones(&self) -> impl Iterator<Item = Stone<X>> + '_ {
        (0..self.courses)
            .flat_map(move |course| (0..self.bricks + course % 2).flat_map(move |i| self.pieces(course, i)))
            .map(|piece| self.stone(piece))
    }

    /// The pieces of brick `i` of a course that the openings leave.
    pub fn pieces(&self, course: u64, i: u64) -> Vec<Rectangle> {
        let mut pieces = vec![self.whole(course, i)];
        let tiny = [EQUAL * self.brick[0], EQUAL * self.brick[Self::UP]];
        for opening in &self.openings {
            pieces = pieces.iter().flat_map(|piece| piece.without(opening, tiny)).collect();
        }
        pieces.retain(|piece| {
            let [length, height] = piece.size();
            length >= SMALLEST_PIECE * self.brick[0] && height >= SMALLEST_PIECE * self.brick[Self::UP]
        });
        pieces
    }

    /// Brick `i` of a course without openings.
    fn whole(&self, course: u64, i: u64) -> Rectangle {
        let (length, height) = (self.brick[0], self.brick[Self::UP]);
        let pitch = length + self.joint;
        let half = 0.5 * (length - self.joint);
        let (from, length) = if course.is_multiple_of(2) {
            (i as f64 * pitch, length)
        } else if i == 0 {
            (0.0, half)
        } else {
            (i as f64 * pitch - 0.5 * pitch, if i == self.bricks { half } else { length })
        };
        let below = course as f64 * (height + self.joint);
        Rectangle { min: [from, below], max: [from + length, below + height] }
    }

    fn stone(&self, piece: Rectangle) -> Stone<X> {
        let mut size = self.brick;
        let mut centre = self.origin + self.brick * 0.5;
        for (axis, k) in [(0, 0), (Self::UP, 1)] {
            let edge = piece.max[k] - piece.min[k];
            // Whole and half bricks share one shape each: rounding must not make them differ.
            let like = [self.brick[axis], 0.5 * (self.brick[axis] - self.joint)];
            let same = like.into_iter().find(|l| (edge - l).abs() <= EQUAL * self.brick[axis]);
            size[axis] = same.unwrap_or(edge);
            centre[axis] = self.origin[axis] + 0.5 * (piece.min[k] + piece.max[k]);
        }
        Stone::cuboid(size, centre)
    }
}

impl Rectangle {
    /// Length and height, m.
    pub fn size(&self) -> [f64; 2] {
        [0, 1].map(|k| self.max[k] - self.min[k])
    }

    /// Whether the rectangles share more than a strip thinner than `tiny`.
    pub fn meets(&self, other: &Self, tiny: [f64; 2]) -> bool {
        (0..2).all(|k| self.max[k].min(other.max[k]) - self.min[k].max(other.min[k]) > tiny[k])
    }

    /// The parts outside `hole`: left and right of it at full height, below and above it in between.
    fn without(&self, hole: &Self, tiny: [f64; 2]) -> Vec<Self> {
        if !self.meets(hole, tiny) {
            return vec![*self];
        }
        let [left, below] = [0, 1].map(|k| hole.min[k].max(self.min[k]));
        let [right, above] = [0, 1].map(|k| hole.max[k].min(self.max[k]));
        let parts = [
            Self { max: [left, self.max[1]], ..*self },
            Self { min: [left, self.min[1]], max: [right, below] },
            Self { min: [left, above], max: [right, self.max[1]] },
            Self { min: [right, self.min[1]], ..*self },
        ];
        parts.into_iter().filter(|part| (0..2).all(|k| part.size()[k] > tiny[k])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    fn wall(joint: f64, openings: Vec<Rectangle>) -> Masonry<Plane> {
        let (brick, origin) = (Vector2::new(0.2, 0.1), Vector2::new(3.0, 1.0));
        Masonry { brick, courses: 6, bricks: 5, origin, joint, openings }
    }

    fn ends(course: &[Rectangle]) -> [f64; 2] {
        [course[0].min[0], course[course.len() - 1].max[0]]
    }

    #[test]
    fn both_ends_are_flush_and_neighbours_keep_the_joint() {
        for joint in [0.0, 0.01] {
            let wall = wall(joint, Vec::new());
            let length = wall.extent()[0];
            for course in 0..6 {
                let bricks: Vec<Rectangle> = (0..5 + course % 2).flat_map(|i| wall.pieces(course, i)).collect();
                let [left, right] = ends(&bricks);
                assert!(left == 0.0 && (right - length).abs() < 1e-15, "course {course} ends at {right}");
                assert!(bricks.windows(2).all(|b| (b[1].min[0] - b[0].max[0] - joint).abs() < 1e-15));
            }
            assert_eq!(wall.stones().count(), 3 * 5 + 3 * 6);
        }
    }

    #[test]
    fn whole_and_half_bricks_are_two_shapes() {
        let mut shapes: Vec<Vec<u64>> = (wall(0.003, Vec::new()).stones())
            .map(|s| s.corners.iter().flat_map(|c| c.as_slice().to_vec()).map(f64::to_bits).collect())
            .collect();
        shapes.sort();
        shapes.dedup();
        assert_eq!(shapes.len(), 2);
    }

    #[test]
    fn bricks_are_cut_at_the_rim_of_an_opening_and_nothing_is_left_inside() {
        let opening = Rectangle { min: [0.25, 0.13], max: [0.65, 0.4] };
        let wall = wall(0.0, vec![opening]);
        let pieces: Vec<Rectangle> = (0..6)
            .flat_map(|course| (0..5 + course % 2).map(move |i| (course, i)))
            .flat_map(|(c, i)| wall.pieces(c, i))
            .collect();
        assert!(pieces.iter().all(|p| !p.meets(&opening, [1e-12; 2])));
        let area: f64 = pieces.iter().map(|p| p.size()[0] * p.size()[1]).sum();
        assert!((area - (1.0 * 0.6 - 0.4 * 0.27)).abs() < 1e-12, "{area}");
        // Below the opening, the bricks of the second course are lower.
        assert!(pieces.iter().any(|p| (p.size()[1] - 0.03).abs() < 1e-12));
    }

    #[test]
    fn pieces_shorter_than_a_tenth_of_a_brick_are_dropped() {
        let door = Rectangle { min: [0.21, 0.0], max: [0.6, 0.1] };
        let wall = wall(0.0, vec![door]);
        assert_eq!((wall.pieces(0, 0).len(), wall.pieces(0, 1).len(), wall.pieces(0, 2).len()), (1, 0, 0));
        assert_eq!(wall.pieces(0, 3).len(), 1);
    }

    #[test]
    fn a_wall_in_space_has_the_depth_of_a_brick() {
        let wall = Masonry::<Space> {
            brick: Vector3::new(0.2, 0.12, 0.1),
            courses: 2,
            bricks: 2,
            origin: Vector3::new(0.0, 1.0, 0.0),
            joint: 0.0,
            openings: Vec::new(),
        };
        let corners: Vec<_> = wall.stones().flat_map(|s| s.world_corners()).collect();
        let (low, high) = corners.iter().fold((f64::MAX, f64::MIN), |(a, b), c| (a.min(c.y), b.max(c.y)));
        assert!((low - 1.0).abs() < 1e-15 && (high - 1.12).abs() < 1e-15);
        assert_eq!(wall.stones().count(), 5);
    }
}
