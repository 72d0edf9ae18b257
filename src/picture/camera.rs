//! Perspective camera for 3D images: its position and its projection.

use super::ImagePoint;

/// Half the angle of view along the longer side, degrees.
const HALF_ANGLE: f64 = 14.0;

/// Pinhole camera at `eye`; its axes point right, up and ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub(super) eye: ImagePoint,
    pub(super) right: ImagePoint,
    pub(super) up: ImagePoint,
    pub(super) ahead: ImagePoint,
    /// Focal length, px.
    pub(super) focal: f64,
    /// Principal point (straight ahead) on the image, px.
    pub(super) centre: [f64; 2],
}

impl Camera {
    /// Places the camera in the direction `from` (unit) of a box so that the box just fits into `area`: left, top,
    /// right, bottom, px. The angle of view is `narrow` times the default.
    pub(super) fn fit([low, high]: [ImagePoint; 2], from: ImagePoint, area: [f64; 4], narrow: f64) -> Self {
        let ahead = -from;
        let level = if from.z.abs() > 0.999 { ImagePoint::y() } else { ImagePoint::z() };
        let right = ahead.cross(&level).normalize();
        let up = right.cross(&ahead);
        let [left, top, right_edge, bottom] = area;
        let (wide, tall) = ((right_edge - left).max(1.0), (bottom - top).max(1.0));
        let focal = 0.5 * wide.max(tall) / (narrow * HALF_ANGLE.to_radians()).tan();
        let corners = (0..8).map(|k| ImagePoint::from_fn(|i, _| if k >> i & 1 == 0 { low[i] } else { high[i] }));
        // A point (x, z) is inside the left edge if x - x0 + t (z - z0) > 0, where t is the slope of that edge. Over
        // all corners this bounds x0 + t z0 from above, and the right edge bounds t z0 - x0.
        let edges = [0.5 * wide / focal, 0.5 * tall / focal];
        let mut min = [[f64::INFINITY; 2]; 2];
        for corner in corners {
            let z = ahead.dot(&corner);
            for (k, across) in [right.dot(&corner), up.dot(&corner)].into_iter().enumerate() {
                min[k][0] = min[k][0].min(across + edges[k] * z);
                min[k][1] = min[k][1].min(edges[k] * z - across);
            }
        }
        let z = (0..2).map(|k| 0.5 * (min[k][0] + min[k][1]) / edges[k]).fold(f64::INFINITY, f64::min);
        let [x, y] = [0, 1].map(|k| 0.5 * (min[k][0] - min[k][1]));
        let eye = right * x + up * y + ahead * z;
        Self { eye, right, up, ahead, focal, centre: [0.5 * (left + right_edge), 0.5 * (top + bottom)] }
    }

    /// Unit vector at `azimuth` degrees from the x axis towards y and `elevation` degrees above the horizontal.
    pub(super) fn direction([azimuth, elevation]: [f64; 2]) -> ImagePoint {
        let ((s, c), (up, flat)) = (azimuth.to_radians().sin_cos(), elevation.to_radians().sin_cos());
        ImagePoint::new(flat * c, flat * s, up)
    }

    /// Transforms a point to camera coordinates: right, up, ahead of the eye.
    pub(super) fn to_camera(self, point: ImagePoint) -> ImagePoint {
        self.direction_to_camera(point - self.eye)
    }

    /// Transforms a direction to camera coordinates.
    pub(super) fn direction_to_camera(&self, direction: ImagePoint) -> ImagePoint {
        ImagePoint::new(self.right.dot(&direction), self.up.dot(&direction), self.ahead.dot(&direction))
    }

    /// Transforms a point from camera to world coordinates.
    pub(super) fn to_world(self, seen: ImagePoint) -> ImagePoint {
        self.eye + self.right * seen.x + self.up * seen.y + self.ahead * seen.z
    }

    /// Projects a point in camera coordinates onto the image, px.
    pub(super) fn project(&self, seen: ImagePoint) -> [f64; 2] {
        [self.centre[0] + self.focal * seen.x / seen.z, self.centre[1] - self.focal * seen.y / seen.z]
    }

    /// Direction of the ray through a point of the image, with unit component ahead.
    pub(super) fn ray(&self, [x, y]: [f64; 2]) -> ImagePoint {
        ImagePoint::new((x - self.centre[0]) / self.focal, (self.centre[1] - y) / self.focal, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_just_fits_into_its_area() {
        let bounds = [ImagePoint::new(-1.0, 0.0, 2.0), ImagePoint::new(3.0, 1.0, 4.5)];
        let area = [100.0, 50.0, 900.0, 700.0];
        for from in [[-60.0, 20.0], [0.0, 0.0], [10.0, 90.0], [200.0, -35.0]] {
            let camera = Camera::fit(bounds, Camera::direction(from), area, 1.0);
            let mut seen = [f64::INFINITY, f64::INFINITY, 0.0, 0.0];
            for k in 0..8 {
                let corner = ImagePoint::from_fn(|i, _| bounds[k >> i & 1][i]);
                let [x, y] = camera.project(camera.to_camera(corner));
                seen = [f64::min(seen[0], x), f64::min(seen[1], y), f64::max(seen[2], x), f64::max(seen[3], y)];
            }
            let gaps = [seen[0] - area[0], seen[1] - area[1], area[2] - seen[2], area[3] - seen[3]];
            assert!(gaps.iter().all(|&gap| gap > -1e-6), "{gaps:?}");
            let tight = [gaps[0].max(gaps[2]), gaps[1].max(gaps[3])];
            assert!(tight[0].min(tight[1]) < 1e-6, "{gaps:?}");
        }
    }

    #[test]
    fn camera_coordinates_and_pixels_convert_back_to_the_world() {
        let camera = Camera::fit(
            [ImagePoint::zeros(), ImagePoint::repeat(1.0)],
            Camera::direction([30.0, 40.0]),
            [0.0, 0.0, 9.0, 9.0],
            1.0,
        );
        let point = ImagePoint::new(0.2, 0.7, -0.3);
        let seen = camera.to_camera(point);
        assert!((camera.to_world(seen) - point).norm() < 1e-12);
        assert!((camera.ray(camera.project(seen)) * seen.z - seen).norm() < 1e-12);
    }
}
