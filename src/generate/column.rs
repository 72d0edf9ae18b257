//! Generator of a column of equal drums with an optional capital.
//!
//! Drums are prisms over a regular polygon; in 2D they are rectangles as wide as the drum.

use super::Stone;
use crate::dim::{Dim, Vector};

/// A stack of drums; the last axis is up.
#[derive(Clone, Debug)]
pub struct DrumColumn<X: Dim> {
    /// Number of drums.
    pub drums: u64,
    /// Distance of a drum's corners from the axis, m.
    pub radius: f64,
    /// Height of a drum, m.
    pub height: f64,
    /// Corners of a drum seen from above; 2 in 2D.
    pub sides: u32,
    /// Centre of the base, m.
    pub origin: X::Vector,
    /// Edges of the capital, a box on top, m.
    pub capital: Option<X::Vector>,
}

impl<X: Dim> DrumColumn<X> {
    const UP: usize = X::D - 1;

    /// Number of blocks.
    pub fn len(&self) -> u64 {
        self.drums.saturating_add(u64::from(self.capital.is_some()))
    }

    /// Whether the column has no blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The blocks from bottom to top.
    pub fn stones(&self) -> impl Iterator<Item = Stone<X>> + '_ {
        (0..self.len()).map(|i| self.stone(i))
    }

    /// Block number `i`: a drum, or the capital above the last drum.
    pub fn stone(&self, i: u64) -> Stone<X> {
        let mut position = self.origin;
        if let Some(size) = self.capital.filter(|_| i >= self.drums) {
            position[Self::UP] += self.drums as f64 * self.height + 0.5 * size[Self::UP];
            return Stone::cuboid(size, position);
        }
        position[Self::UP] += (i as f64 + 0.5) * self.height;
        Stone { corners: self.drum(), position, angle: 0.0, fixed: false }
    }

    fn drum(&self) -> Vec<X::Vector> {
        let angle = std::f64::consts::TAU / f64::from(self.sides);
        let corner = |k: u32, up: f64| {
            let (sine, cosine) = (f64::from(k) * angle).sin_cos();
            let across = [self.radius * cosine, self.radius * sine];
            X::Vector::from_fn(|axis| if axis == Self::UP { up * self.height } else { across[axis] })
        };
        [-0.5, 0.5].into_iter().flat_map(|up| (0..self.sides).map(move |k| corner(k, up))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn drums_stand_one_on_the_other_and_carry_the_capital() {
        let (radius, height, origin) = (0.3, 0.4, Vector3::new(1.0, 2.0, 3.0));
        let capital = Some(Vector3::new(0.8, 0.8, 0.2));
        let column = DrumColumn::<Space> { drums: 3, radius, height, sides: 12, origin, capital };
        let stones: Vec<_> = column.stones().collect();
        assert_eq!(stones.len(), 4);
        let levels = |s: &Stone<Space>| {
            s.world_corners().iter().fold((f64::MAX, f64::MIN), |(low, high), c| (low.min(c.z), high.max(c.z)))
        };
        assert!((levels(&stones[0]).0 - 3.0).abs() < 1e-15);
        assert!(stones.windows(2).all(|s| (levels(&s[0]).1 - levels(&s[1]).0).abs() < 1e-14));
        assert!((levels(&stones[3]).1 - 4.4).abs() < 1e-14);
        let corners = stones[0].world_corners();
        assert_eq!(corners.len(), 24);
        assert!(corners.iter().all(|c| ((c.xy() - origin.xy()).norm() - 0.3).abs() < 1e-15));
    }

    #[test]
    fn in_the_plane_a_drum_is_a_rectangle_two_radii_wide() {
        let (radius, height, origin) = (0.3, 0.4, Vector2::zeros());
        let column = DrumColumn::<Plane> { drums: 2, radius, height, sides: 2, origin, capital: None };
        let mut corners = column.stone(1).world_corners();
        corners.sort_by(|a, b| (a.y, a.x).partial_cmp(&(b.y, b.x)).unwrap());
        for (corner, expected) in corners.iter().zip([[-0.3, 0.4], [0.3, 0.4], [-0.3, 0.8], [0.3, 0.8]]) {
            assert!((corner - Vector2::from(expected)).norm() < 1e-15);
        }
    }
}
