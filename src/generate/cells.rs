//! Spatial search among balls: one uniform grid for each octave of radii.
//!
//! A ball is stored in the one cell of its octave's grid that contains its centre. The cell edge is the largest
//! diameter of the octave, so a query visits few cells whatever the ratio of radii. A query returns a superset of the
//! balls in reach, largest octave first, cell by cell, the most recent ball of a cell first; this order does not depend
//! on balls elsewhere.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::GeneratedBall;
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};

const END: u32 = u32::MAX;

/// Balls indexed by position.
pub struct BallCells<X: Dim> {
    largest: f64,
    octaves: Vec<Octave>,
    balls: Vec<GeneratedBall<X>>,
}

struct Octave {
    /// log2 of the ratio of the largest radius to the radii of this octave, rounded down.
    depth: i32,
    /// Upper bound of the radii of this octave, m.
    radius: f64,
    members: Vec<u32>,
    /// The most recent member of each cell.
    heads: HashMap<[i32; 3], u32, BuildHasherDefault<CellHasher>>,
    /// For each member, the previous member of the same cell.
    links: Vec<u32>,
}

impl<X: Dim> BallCells<X> {
    /// An empty index for balls of radius at most `largest`.
    pub fn new(largest: f64) -> Self {
        Self { largest, octaves: Vec::new(), balls: Vec::new() }
    }

    /// The balls, in order of insertion.
    pub fn balls(&self) -> &[GeneratedBall<X>] {
        &self.balls
    }

    /// Inserts a ball.
    pub fn push(&mut self, ball: GeneratedBall<X>) {
        assert!(ball.radius <= self.largest, "a ball of radius {} where {} was the largest", ball.radius, self.largest);
        let index = self.balls.len() as u32;
        let depth = ((self.largest / ball.radius).log2().floor() as i32).max(0);
        let at = match self.octaves.binary_search_by_key(&depth, |o| o.depth) {
            Ok(at) => at,
            Err(at) => {
                // The margin keeps a ball whose logarithm was rounded within the bound that searches use.
                let radius = self.largest * 0.5f64.powi(depth) * (1.0 + 1e-12);
                self.octaves.insert(at, Octave::new(depth, radius));
                at
            }
        };
        let octave = &mut self.octaves[at];
        let cell = octave.cell::<X>(ball.centre);
        let member = octave.members.len() as u32;
        let before = octave.heads.insert(cell, member).unwrap_or(END);
        octave.members.push(index);
        octave.links.push(before);
        self.balls.push(ball);
    }

    /// Visits, by number, every ball that may reach into `region`; some visited balls may not.
    pub fn near(&self, region: &Bounds<X>, mut visit: impl FnMut(u32, &GeneratedBall<X>)) {
        for octave in &self.octaves {
            octave.near(&self.balls, &region.inflated(octave.radius), |index| {
                visit(index, &self.balls[index as usize]);
            });
        }
    }
}

impl Octave {
    fn new(depth: i32, radius: f64) -> Self {
        Self { depth, radius, members: Vec::new(), heads: HashMap::default(), links: Vec::new() }
    }

    /// The cell of a position. Distant positions saturate to the outermost cells, which costs time but finds the same
    /// balls.
    fn cell<X: Dim>(&self, position: X::Vector) -> [i32; 3] {
        let edge = 2.0 * self.radius;
        let mut cell = [0; 3];
        for (cell, x) in cell.iter_mut().zip(position.as_slice()) {
            *cell = (x / edge).floor() as i32;
        }
        cell
    }

    fn near<X: Dim>(&self, balls: &[GeneratedBall<X>], centres: &Bounds<X>, mut visit: impl FnMut(u32)) {
        let (low, high) = (self.cell::<X>(centres.min), self.cell::<X>(centres.max));
        let width = |i: usize| (i64::from(high[i]) - i64::from(low[i]) + 1).max(0) as f64;
        if width(0) * width(1) * width(2) > self.members.len() as f64 {
            // Fewer members than cells: test every member.
            let key = |index: u32| (self.cell::<X>(balls[index as usize].centre), Reverse(index));
            let is_inside = |cell: &[i32; 3]| (0..3).all(|i| low[i] <= cell[i] && cell[i] <= high[i]);
            let members = self.members.iter().map(|&index| key(index));
            let mut found: Vec<_> = members.filter(|(cell, _)| is_inside(cell)).collect();
            found.sort_unstable();
            found.into_iter().for_each(|(_, Reverse(index))| visit(index));
            return;
        }
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    let mut member = self.heads.get(&[x, y, z]).copied().unwrap_or(END);
                    while member != END {
                        visit(self.members[member as usize]);
                        member = self.links[member as usize];
                    }
                }
            }
        }
    }
}

/// Hash of cell indices: multiply and fold. The default hash defends against hostile keys, which do not occur here.
#[derive(Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(4) {
            let number = chunk.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
            self.0 = (self.0.rotate_left(21) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
    }
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn a_search_finds_every_ball_that_reaches_into_the_region() {
        let mut random = Random::new(1, 0);
        let mut cells = BallCells::<Space>::new(0.5);
        for _ in 0..2000 {
            let centre = Vector3::from_fn(|_, _| random.between(-3.0, 3.0));
            let radius = 0.5 * 0.01f64.powf(random.unit());
            cells.push(GeneratedBall { centre, radius });
        }
        for _ in 0..50 {
            let min = Vector3::from_fn(|_, _| random.between(-3.0, 2.5));
            let region = Bounds { min, max: min + Vector3::repeat(0.4) };
            let mut found = vec![false; cells.balls().len()];
            cells.near(&region, |i, _| found[i as usize] = true);
            for (ball, found) in cells.balls().iter().zip(found) {
                let r = Vector3::repeat(ball.radius);
                assert!(found || !region.meets(&Bounds { min: ball.centre - r, max: ball.centre + r }));
            }
        }
    }

    #[test]
    fn balls_elsewhere_do_not_change_the_order_in_which_balls_are_found() {
        let mut random = Random::new(2, 0);
        let (mut few, mut many) = (BallCells::<Space>::new(0.5), BallCells::<Space>::new(0.5));
        for i in 0..4000 {
            let mut centre = Vector3::from_fn(|_, _| random.between(0.0, 2.0));
            let ball = |centre| GeneratedBall { centre, radius: 0.1 };
            if i % 200 == 0 {
                few.push(ball(centre));
            } else {
                centre.x += 3.0;
            }
            many.push(ball(centre));
        }
        let region = Bounds { min: Vector3::repeat(0.5), max: Vector3::repeat(1.7) };
        let order = |cells: &BallCells<Space>| {
            let mut found = Vec::new();
            cells.near(&region, |_, ball| found.push(ball.centre));
            found
        };
        assert!(order(&few).len() > 5);
        assert_eq!(order(&few), order(&many));
    }

    #[test]
    fn positions_beyond_the_range_of_cell_indices_are_still_searched() {
        let mut cells = BallCells::<Plane>::new(1.0);
        for x in [-1e300, 0.0, 1e300] {
            cells.push(GeneratedBall { centre: Vector2::new(x, 0.0), radius: 1e-5 });
        }
        let mut found = Vec::new();
        let far = Vector2::new(1e300, 0.0);
        cells.near(&Bounds { min: far, max: far }, |i, _| found.push(i));
        assert!(found.contains(&2));
    }
}
