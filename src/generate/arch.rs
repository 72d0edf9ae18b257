//! Generator of an arch of equal voussoirs between two circles.
//!
//! All voussoirs share the outline of one wedge: voussoir i is that wedge rotated about the centre, numbered from the
//! left springing over the crown to the right springing. Corners lie on the circles; neighbours share their radial
//! faces.

use super::Stone;
use crate::dim::Dim;

/// An arch in the plane of the first and the last axis, symmetric about the vertical.
#[derive(Clone, Debug)]
pub struct Arch<X: Dim> {
    /// Radius of the inner circle, m.
    pub inner_radius: f64,
    /// Distance between the circles, m.
    pub thickness: f64,
    /// Number of voussoirs.
    pub voussoirs: u64,
    /// Total angle of the voussoirs, rad.
    pub angle: f64,
    /// Depth along the second axis in 3D, m.
    pub depth: f64,
    /// Centre of the circles, in the middle of the depth, m.
    pub centre: X::Vector,
    /// Whether a fixed block stands at each end.
    pub abutments: bool,
}

impl<X: Dim> Arch<X> {
    /// Number of blocks.
    pub fn len(&self) -> u64 {
        self.voussoirs.saturating_add(if self.abutments { 2 } else { 0 })
    }

    /// Whether the arch has no blocks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The blocks: voussoirs from left to right, then the left and the right abutment.
    pub fn stones(&self) -> impl Iterator<Item = Stone<X>> + '_ {
        (0..self.len()).map(|i| self.stone(i))
    }

    /// Block number `i`.
    pub fn stone(&self, i: u64) -> Stone<X> {
        match i.checked_sub(self.voussoirs) {
            None => self.voussoir(i),
            Some(side) => self.abutment(side == 0),
        }
    }

    fn voussoir(&self, i: u64) -> Stone<X> {
        let wedge = self.angle / self.voussoirs as f64;
        let (sine, cosine) = (0.5 * wedge).sin_cos();
        let outer = self.inner_radius + self.thickness;
        let corner = |radius: f64, side: f64| [side * radius * sine, radius * cosine];
        let outline =
            [corner(self.inner_radius, -1.0), corner(self.inner_radius, 1.0), corner(outer, 1.0), corner(outer, -1.0)];
        // Angles count from the crown, so that left and right are mirror images to the last bit.
        let from_crown = 0.5 * (self.voussoirs as f64 - 1.0) - i as f64;
        Stone::extruded(&outline, self.depth, self.centre, from_crown * wedge)
    }

    /// A fixed block at the springing. It extends beyond the voussoir by a quarter of the thickness on both sides, so
    /// that the corners of the last voussoir touch its face and not its edge.
    fn abutment(&self, left: bool) -> Stone<X> {
        let (inner, outer) = (self.inner_radius, self.inner_radius + self.thickness);
        let margin = (0.25 * self.thickness).min(0.5 * inner);
        let side = if left { -self.thickness } else { self.thickness };
        let outline = [[0.0, inner - margin], [0.0, outer + margin], [side, outer + margin], [side, inner - margin]];
        let angle = if left { 0.5 * self.angle } else { -0.5 * self.angle };
        Stone { fixed: true, ..Stone::extruded(&outline, self.depth, self.centre, angle) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};
    use std::f64::consts::PI;

    fn arch(angle: f64) -> Arch<Plane> {
        let centre = Vector2::new(1.0, 2.0);
        Arch { inner_radius: 0.9, thickness: 0.2, voussoirs: 9, angle, depth: 0.0, centre, abutments: true }
    }

    #[test]
    fn corners_lie_on_the_circles_and_neighbours_share_their_radial_faces() {
        for angle in [PI, 2.0] {
            let arch = arch(angle);
            let wedges: Vec<_> = arch.stones().take(9).map(|s| s.world_corners()).collect();
            for corner in wedges.iter().flatten() {
                let r = (corner - arch.centre).norm();
                assert!((r - 0.9).abs().min((r - 1.1).abs()) < 1e-15, "{r}");
            }
            for pair in wedges.windows(2) {
                assert!((pair[0][1] - pair[1][0]).norm() < 1e-15 && (pair[0][2] - pair[1][3]).norm() < 1e-15);
            }
        }
    }

    #[test]
    fn a_semicircle_springs_from_the_level_of_its_centre_and_stands_on_its_abutments() {
        let stones: Vec<_> = arch(PI).stones().collect();
        assert_eq!(stones.iter().filter(|s| s.fixed).count(), 2);
        let (first, last) = (stones[0].world_corners(), stones[8].world_corners());
        for (corner, expected) in [(first[0], -0.9), (first[3], -1.1), (last[1], 0.9), (last[2], 1.1)] {
            assert!((corner - Vector2::new(1.0 + expected, 2.0)).norm() < 1e-15);
        }
        for abutment in &stones[9..] {
            let heights: Vec<f64> = abutment.world_corners().iter().map(|c| c.y).collect();
            assert!(heights.iter().all(|&y| y < 2.0 + 1e-15) && heights.iter().any(|&y| (y - 1.8).abs() < 1e-15));
        }
    }

    #[test]
    fn an_arch_in_space_has_depth_along_the_second_axis() {
        let arch = Arch::<Space> {
            inner_radius: 1.0,
            thickness: 0.2,
            voussoirs: 5,
            angle: PI,
            depth: 0.6,
            centre: Vector3::zeros(),
            abutments: false,
        };
        let corners: Vec<_> = arch.stones().flat_map(|s| s.world_corners()).collect();
        assert_eq!(corners.len(), 5 * 8);
        assert!(corners.iter().all(|c| (c.y.abs() - 0.3).abs() < 1e-15 && c.z > -1e-15));
    }
}
