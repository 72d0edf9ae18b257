//! A block of a building: its corners in a local frame, and the position and angle of that frame.
//!
//! Buildings lie in the plane of the first axis (along) and the last axis (up). Blocks of one kind have the same
//! corners to the last bit and differ in position and angle only, so that they share one shape.

use crate::dim::{Dim, Orientation, Vector};

/// A block of a building.
#[derive(Clone, Debug, PartialEq)]
pub struct Stone<X: Dim> {
    /// Corners in the local frame, m.
    pub corners: Vec<X::Vector>,
    /// Origin of the local frame, m.
    pub position: X::Vector,
    /// Rotation of the local frame from the first axis towards the last, rad.
    pub angle: f64,
    /// Whether the block is fixed.
    pub fixed: bool,
}

impl<X: Dim> Stone<X> {
    /// A box with the given edges, centred at `centre`.
    pub fn cuboid(size: X::Vector, centre: X::Vector) -> Self {
        let corners = (0..1usize << X::D)
            .map(|bits| X::Vector::from_fn(|k| if bits >> k & 1 == 0 { -0.5 * size[k] } else { 0.5 * size[k] }))
            .collect();
        Self { corners, position: centre, angle: 0.0, fixed: false }
    }

    /// The outline (along, up); in 3D extruded by `depth`, half to each side.
    pub fn extruded(outline: &[[f64; 2]], depth: f64, position: X::Vector, angle: f64) -> Self {
        let layers = X::D - 1;
        let corner = |layer: usize, [along, up]: [f64; 2]| {
            X::Vector::from_fn(|k| match k {
                0 => along,
                k if k + 1 == X::D => up,
                _ => (layer as f64 - 0.5) * depth,
            })
        };
        let corners = (0..layers).flat_map(|layer| outline.iter().map(move |&point| corner(layer, point))).collect();
        Self { corners, position, angle, fixed: false }
    }

    /// Orientation of the local frame.
    pub fn orientation(&self) -> X::Orientation {
        let axis = X::torque(X::Vector::axis(0), X::Vector::axis(X::D - 1));
        X::Orientation::identity().turned(axis * self.angle)
    }

    /// Corners in the global frame, m.
    pub fn world_corners(&self) -> Vec<X::Vector> {
        let orientation = self.orientation();
        self.corners.iter().map(|&corner| self.position + orientation.rotate(corner)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn a_quarter_turn_leads_from_along_to_up_in_the_plane_and_in_space() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let flat = Stone::<Plane>::extruded(&[[1.0, 0.0]], 0.0, Vector2::new(5.0, 0.0), quarter);
        assert!((flat.world_corners()[0] - Vector2::new(5.0, 1.0)).norm() < 1e-15);
        let deep = Stone::<Space>::extruded(&[[1.0, 0.0]], 4.0, Vector3::zeros(), quarter);
        assert!((deep.world_corners()[0] - Vector3::new(0.0, -2.0, 1.0)).norm() < 1e-15);
        assert!((deep.world_corners()[1] - Vector3::new(0.0, 2.0, 1.0)).norm() < 1e-15);
    }

    #[test]
    fn a_box_has_four_corners_in_the_plane_and_eight_in_space() {
        assert_eq!(Stone::<Plane>::cuboid(Vector2::new(1.0, 2.0), Vector2::zeros()).corners.len(), 4);
        let cube = Stone::<Space>::cuboid(Vector3::repeat(2.0), Vector3::zeros());
        assert!(cube.corners.len() == 8 && cube.corners.iter().all(|c| c.abs() == Vector3::repeat(1.0)));
    }
}
