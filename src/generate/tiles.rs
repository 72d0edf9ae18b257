//! Partition of the floor of a box into equal coloured tiles, above which balls can be dropped independently.
//!
//! Tiles are coloured like a chequerboard (two colours in 2D, four in 3D), so that two tiles of one colour are never
//! adjacent. A ball dropped above a tile may roll and rest anywhere in the territory of the tile, which extends nearly
//! half a tile beyond it on every side: balls cross the borders of tiles freely, yet balls of two tiles of one colour
//! never touch.

use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};

/// The tiles of a floor, numbered along the first axis first. The last axis is up.
#[derive(Clone, Debug)]
pub(crate) struct Tiles<X: Dim> {
    basin: Bounds<X>,
    /// Number of tiles along each horizontal axis; one where the axis does not exist.
    counts: [u64; 2],
    /// Largest diameter of a ball, m.
    diameter: f64,
}

/// Minimum width of a tile in largest diameters: several times the distance balls roll.
const WIDTH: f64 = 24.0;
/// Distance between the territories of tiles of one colour, in largest diameters; more than [`REACH`].
const SEPARATION: f64 = 4.0;
/// Distance beyond a territory of the farthest balls that a ball dropped into it can touch, in largest diameters. The
/// ball is inside the territory at both ends of each arc; points of the arc lie at most two diameters from these ends,
/// and a contact at most one diameter further.
const REACH: f64 = 3.0;
/// Minimum number of balls per tile: fewer do not repay the overhead and fill the tiles unevenly.
const MIN_BALLS: f64 = 16.0;

impl<X: Dim> Tiles<X> {
    const AXES: usize = X::D - 1;

    /// Tiles for at most `balls` balls of radius at most `largest`.
    pub(crate) fn new(basin: Bounds<X>, largest: f64, balls: f64) -> Self {
        let diameter = 2.0 * largest;
        let mut width = WIDTH * diameter;
        let fitting = |width: f64, axis: usize| ((basin.max[axis] - basin.min[axis]) / width).floor().max(1.0);
        while (0..Self::AXES).map(|axis| fitting(width, axis)).product::<f64>() > (balls / MIN_BALLS).max(1.0) {
            width *= 2.0;
        }
        let mut counts = [1; 2];
        (0..Self::AXES).for_each(|axis| counts[axis] = fitting(width, axis) as u64);
        Self { basin, counts, diameter }
    }

    /// Number of tiles.
    pub(crate) fn len(&self) -> u64 {
        self.counts.iter().product()
    }

    /// Area of a tile, m2 (in 2D its width, m).
    pub(crate) fn area(&self) -> f64 {
        (0..Self::AXES).map(|axis| self.width(axis)).product()
    }

    /// The colour of a tile.
    pub(crate) fn colour(&self, tile: u64) -> usize {
        let indices = self.indices(tile);
        (0..Self::AXES).map(|axis| ((indices[axis] % 2) as usize) << axis).sum()
    }

    /// Bounds of a tile, unlimited in height.
    pub(crate) fn floor(&self, tile: u64) -> Bounds<X> {
        let indices = self.indices(tile);
        Self::unlimited_in_height(|axis| (self.edge(axis, indices[axis]), self.edge(axis, indices[axis] + 1)))
    }

    /// Bounds of the positions that balls dropped above a tile may take.
    pub(crate) fn territory(&self, tile: u64) -> Bounds<X> {
        let indices = self.indices(tile);
        Self::unlimited_in_height(|axis| {
            let margin = self.margin(axis);
            let low = if indices[axis] == 0 { f64::NEG_INFINITY } else { self.edge(axis, indices[axis]) - margin };
            let is_last = indices[axis] + 1 == self.counts[axis];
            (low, if is_last { f64::INFINITY } else { self.edge(axis, indices[axis] + 1) + margin })
        })
    }

    /// The tiles above which a ball could be dropped that touches one at `centre`.
    pub(crate) fn near(&self, centre: X::Vector) -> impl Iterator<Item = u64> + use<'_, X> {
        let mut ranges = [(0, 0); 2];
        for (axis, range) in ranges.iter_mut().enumerate().take(Self::AXES) {
            let margin = self.margin(axis) + REACH * self.diameter;
            *range = (self.tile_at(axis, centre[axis] - margin), self.tile_at(axis, centre[axis] + margin));
        }
        let [(left, right), (front, back)] = ranges;
        (front..=back).flat_map(move |y| (left..=right).map(move |x| x + self.counts[0] * y))
    }

    /// Distance by which territories extend beyond their tiles, m.
    fn margin(&self, axis: usize) -> f64 {
        0.5 * (self.width(axis) - SEPARATION * self.diameter)
    }

    fn width(&self, axis: usize) -> f64 {
        (self.basin.max[axis] - self.basin.min[axis]) / self.counts[axis] as f64
    }

    fn indices(&self, tile: u64) -> [u64; 2] {
        [tile % self.counts[0], tile / self.counts[0]]
    }

    /// The lower edge of tile `index` along an axis. The outermost edges equal the sides of the box to the last bit.
    fn edge(&self, axis: usize, index: u64) -> f64 {
        match index {
            0 => self.basin.min[axis],
            index if index == self.counts[axis] => self.basin.max[axis],
            index => self.basin.min[axis] + self.width(axis) * index as f64,
        }
    }

    /// The tile that contains `x` along an axis, or the nearest one.
    fn tile_at(&self, axis: usize, x: f64) -> u64 {
        let index = ((x - self.basin.min[axis]) / self.width(axis)).floor();
        // The cast saturates a negative number to zero.
        (index as u64).min(self.counts[axis] - 1)
    }

    fn unlimited_in_height(range: impl Fn(usize) -> (f64, f64)) -> Bounds<X> {
        let range = |axis: usize| if axis < Self::AXES { range(axis) } else { (f64::NEG_INFINITY, f64::INFINITY) };
        Bounds { min: X::Vector::from_fn(|i| range(i).0), max: X::Vector::from_fn(|i| range(i).1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    fn in_space(width: f64, depth: f64) -> Tiles<Space> {
        let basin = Bounds { min: Vector3::new(-3.0, 5.0, 0.0), max: Vector3::new(-3.0 + width, 5.0 + depth, 9.0) };
        Tiles::new(basin, 0.5, 1e9)
    }

    #[test]
    fn a_floor_narrower_than_two_tiles_is_one_and_a_wide_one_is_covered() {
        assert_eq!(in_space(47.0, 20.0).len(), 1);
        let tiles = in_space(130.0, 60.0);
        assert_eq!(tiles.len(), 10);
        let floors: Vec<_> = (0..10).map(|tile| tiles.floor(tile)).collect();
        assert_eq!((floors[0].min.x, floors[4].max.x, floors[9].max.y), (-3.0, 127.0, 65.0));
        assert_eq!((floors[1].min.x, floors[6].min.y), (23.0, 35.0));
        assert_eq!(floors[1].max.x, floors[2].min.x);
        assert_eq!(tiles.area() * 10.0, 130.0 * 60.0);
    }

    #[test]
    fn few_balls_on_a_wide_floor_get_few_tiles() {
        let basin = Bounds { min: Vector2::new(0.0, 0.0), max: Vector2::new(1e9, 1.0) };
        assert_eq!(Tiles::<Plane>::new(basin, 0.01, 10.0).len(), 1);
        assert!((32..=64).contains(&Tiles::<Plane>::new(basin, 0.01, 1024.0).len()));
    }

    #[test]
    fn territories_of_one_colour_are_further_apart_than_balls_reach() {
        let tiles = in_space(130.0, 80.0);
        for a in 0..tiles.len() {
            let wide = tiles.territory(a).inflated(REACH);
            for b in (0..tiles.len()).filter(|&b| b != a && tiles.colour(a) == tiles.colour(b)) {
                assert!(!wide.meets(&tiles.territory(b)), "{a} and {b}");
            }
        }
    }

    #[test]
    fn a_ball_is_near_a_tile_exactly_if_it_is_within_reach_of_its_territory() {
        let tiles = in_space(130.0, 80.0);
        let mut random = Random::new(1, 1);
        for _ in 0..1000 {
            let centre = Vector3::new(random.between(-3.0, 127.0), random.between(5.0, 85.0), random.between(0.0, 9.0));
            let here = Bounds { min: centre, max: centre };
            let mut near: Vec<u64> = tiles.near(centre).collect();
            near.sort_unstable();
            let within = (0..tiles.len()).filter(|&tile| tiles.territory(tile).inflated(REACH).meets(&here));
            assert_eq!(near, within.collect::<Vec<_>>());
        }
    }
}
