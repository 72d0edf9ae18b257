//! Solids for ray casting: spheres, capsules and planar convex faces, with exact intersections.

use super::ImagePoint;
use super::camera::Camera;

/// A solid in the scene.
#[derive(Clone, Debug)]
pub(super) struct DrawnSolid {
    pub(super) form: SolidForm,
    /// Index of its paint.
    pub(super) paint: u32,
    /// True if transparent.
    pub(super) is_transparent: bool,
    /// True if it casts a shadow.
    pub(super) casts_shadow: bool,
}

/// Geometry of a solid.
#[derive(Clone, Debug)]
pub(super) enum SolidForm {
    Ball { centre: ImagePoint, radius: f64 },
    Capsule { ends: [ImagePoint; 2], radius: f64 },
    Face { corners: Vec<ImagePoint> },
}

/// A solid in camera coordinates, prepared for intersection.
#[derive(Clone, Debug)]
pub(super) struct CameraSolid {
    shape: CameraShape,
    pub(super) paint: u32,
    pub(super) is_transparent: bool,
    /// Bounding box on the image, px: left, top, right, bottom.
    pub(super) extent: [f64; 4],
    /// Lower bound of its depth.
    pub(super) nearest: f64,
}

#[derive(Clone, Debug)]
enum CameraShape {
    Ball {
        centre: ImagePoint,
        radius: f64,
        rest: f64,
    },
    Capsule {
        ends: [ImagePoint; 2],
        radius: f64,
    },
    /// Planes through the eye and the edges; a ray inside all of them hits the face.
    Face {
        normal: ImagePoint,
        height: f64,
        edges: Vec<ImagePoint>,
    },
}

impl CameraSolid {
    /// Prepares a solid; `None` if it lies behind the eye or is a face without area.
    pub(super) fn new(solid: &DrawnSolid, camera: &Camera) -> Option<Self> {
        let (shape, extent, nearest) = match &solid.form {
            SolidForm::Ball { centre, radius } => {
                let centre = camera.to_camera(*centre);
                let extent = bounding_box(camera, centre, *radius)?;
                let rest = centre.norm_squared() - radius * radius;
                (CameraShape::Ball { centre, radius: *radius, rest }, extent, centre.z - radius)
            }
            SolidForm::Capsule { ends, radius } => {
                let ends = ends.map(|end| camera.to_camera(end));
                let [a, b] = [bounding_box(camera, ends[0], *radius)?, bounding_box(camera, ends[1], *radius)?];
                let extent = [a[0].min(b[0]), a[1].min(b[1]), a[2].max(b[2]), a[3].max(b[3])];
                (CameraShape::Capsule { ends, radius: *radius }, extent, ends[0].z.min(ends[1].z) - radius)
            }
            SolidForm::Face { corners } => {
                let corners: Vec<ImagePoint> = corners.iter().map(|corner| camera.to_camera(*corner)).collect();
                let next = || corners.iter().cycle().skip(1);
                let mut normal = corners.iter().zip(next()).fold(ImagePoint::zeros(), |sum, (a, b)| sum + a.cross(b));
                let length = normal.norm();
                if length == 0.0 {
                    return None;
                }
                normal /= length;
                let mut height = normal.dot(&corners[0]);
                let mut edges: Vec<ImagePoint> = corners.iter().zip(next()).map(|(a, b)| a.cross(b)).collect();
                if height > 0.0 {
                    // Orient the edge planes so that the inside is positive for all, and the normal towards the eye.
                    (normal, height) = (-normal, -height);
                } else {
                    edges.iter_mut().for_each(|edge| *edge = -*edge);
                }
                let nearest = corners.iter().map(|corner| corner.z).fold(f64::INFINITY, f64::min);
                let mut extent = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
                for corner in &corners {
                    let [x, y] = camera.project(*corner);
                    extent = [extent[0].min(x), extent[1].min(y), extent[2].max(x), extent[3].max(y)];
                }
                if nearest <= 1e-6 * length.sqrt() {
                    extent = [f64::NEG_INFINITY, f64::NEG_INFINITY, f64::INFINITY, f64::INFINITY];
                }
                (CameraShape::Face { normal, height, edges }, extent, nearest)
            }
        };
        Some(Self { shape, paint: solid.paint, is_transparent: solid.is_transparent, extent, nearest })
    }

    /// Depth of the intersection with `ray`, if nearer than `limit`.
    #[inline]
    pub(super) fn intersect(&self, ray: &ImagePoint, limit: f64) -> Option<f64> {
        let depth = match &self.shape {
            CameraShape::Ball { centre, rest, .. } => smaller_root(ray.norm_squared(), ray.dot(centre), *rest),
            CameraShape::Capsule { ends, radius } => capsule(ray, ends, *radius),
            CameraShape::Face { normal, height, edges } => {
                let is_inside = edges.iter().all(|edge| edge.dot(ray) >= 0.0);
                is_inside.then(|| height / normal.dot(ray))
            }
        };
        depth.filter(|&depth| depth > 0.0 && depth < limit)
    }

    /// Outward unit normal at a point of the surface.
    pub(super) fn normal(&self, at: &ImagePoint) -> ImagePoint {
        match &self.shape {
            CameraShape::Ball { centre, radius, .. } => (at - centre) / *radius,
            CameraShape::Capsule { ends: [a, b], .. } => {
                let along = b - a;
                let share = along.dot(&(at - a)) / along.norm_squared().max(f64::MIN_POSITIVE);
                (at - a - along * share.clamp(0.0, 1.0)).normalize()
            }
            CameraShape::Face { normal, .. } => *normal,
        }
    }
}

/// Smaller root t of a t^2 - 2 b t + c = 0.
#[inline]
fn smaller_root(a: f64, b: f64, c: f64) -> Option<f64> {
    let square = b * b - a * c;
    (square >= 0.0).then(|| (b - square.sqrt()) / a)
}

/// Intersection with a cylinder between two hemispherical ends.
fn capsule(ray: &ImagePoint, [a, b]: &[ImagePoint; 2], radius: f64) -> Option<f64> {
    let along = b - a;
    let length = along.norm_squared();
    let (rising, start) = (along.dot(ray), along.dot(a));
    // Components of the ray and the end normal to the axis.
    let across = length * ray.norm_squared() - rising * rising;
    let middle = length * ray.dot(a) - start * rising;
    let rest = length * (a.norm_squared() - radius * radius) - start * start;
    let side = if across > 0.0 { smaller_root(across, middle, rest) } else { None };
    if let Some(depth) = side {
        let height = depth * rising - start;
        if (0.0..=length).contains(&height) {
            return Some(depth);
        }
    }
    let ball = |end: &ImagePoint| smaller_root(ray.norm_squared(), ray.dot(end), end.norm_squared() - radius * radius);
    [ball(a), ball(b)].into_iter().flatten().reduce(f64::min)
}

/// Bounding box of a sphere on the image; `None` if it reaches behind the eye.
fn bounding_box(camera: &Camera, centre: ImagePoint, radius: f64) -> Option<[f64; 4]> {
    if centre.z <= radius {
        return None;
    }
    // Slopes of the tangents from the eye in the plane of one axis and the depth.
    let slopes = |across: f64| {
        let reach = (across * across + centre.z * centre.z - radius * radius).max(0.0).sqrt();
        let below = centre.z * centre.z - radius * radius;
        [-1.0, 1.0].map(|side| (across * centre.z + side * radius * reach) / below)
    };
    let ([left, right], [low, high]) = (slopes(centre.x), slopes(centre.y));
    let ([x, y], f) = (camera.centre, camera.focal);
    Some([x + f * left, y - f * high, x + f * right, y - f * low])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ahead() -> Camera {
        Camera {
            eye: ImagePoint::zeros(),
            right: ImagePoint::x(),
            up: ImagePoint::y(),
            ahead: ImagePoint::z(),
            focal: 100.0,
            centre: [50.0, 50.0],
        }
    }

    fn seen(form: SolidForm) -> CameraSolid {
        CameraSolid::new(&DrawnSolid { form, paint: 0, is_transparent: false, casts_shadow: true }, &ahead()).unwrap()
    }

    #[test]
    fn rays_hit_a_ball_at_its_front_and_out_to_its_tangents() {
        let ball = seen(SolidForm::Ball { centre: ImagePoint::new(0.0, 0.0, 5.0), radius: 1.0 });
        assert!((ball.intersect(&ImagePoint::z(), 1e9).unwrap() - 4.0).abs() < 1e-12);
        // The sine of the tangent's angle is radius over distance.
        let slope = (1.0f64 / 5.0).asin().tan();
        assert!(ball.intersect(&ImagePoint::new(0.999 * slope, 0.0, 1.0), 1e9).is_some());
        assert!(ball.intersect(&ImagePoint::new(1.001 * slope, 0.0, 1.0), 1e9).is_none());
        assert!((ball.extent[2] - 50.0 - 100.0 * slope).abs() < 1e-9);
        assert_eq!(ball.intersect(&ImagePoint::z(), 3.9), None);
        assert!((ball.normal(&ImagePoint::new(0.0, 0.0, 4.0)) + ImagePoint::z()).norm() < 1e-12);
    }

    #[test]
    fn rays_hit_a_capsule_on_its_side_and_at_its_round_ends() {
        let capsule = seen(SolidForm::Capsule {
            ends: [ImagePoint::new(-1.0, 0.0, 5.0), ImagePoint::new(1.0, 0.0, 5.0)],
            radius: 0.5,
        });
        assert!((capsule.intersect(&ImagePoint::z(), 1e9).unwrap() - 4.5).abs() < 1e-12);
        assert!(capsule.intersect(&ImagePoint::new(1.4 / 5.0, 0.0, 1.0), 1e9).is_some());
        assert!(capsule.intersect(&ImagePoint::new(1.55 / 5.0, 0.0, 1.0), 1e9).is_none());
        let lengthwise = seen(SolidForm::Capsule { ends: [ImagePoint::z() * 3.0, ImagePoint::z() * 5.0], radius: 0.5 });
        assert!((lengthwise.intersect(&ImagePoint::z(), 1e9).unwrap() - 2.5).abs() < 1e-12);
    }

    #[test]
    fn rays_hit_a_face_within_its_edges_on_both_sides() {
        let corners =
            vec![ImagePoint::new(-1.0, -1.0, 4.0), ImagePoint::new(1.0, -1.0, 4.0), ImagePoint::new(0.0, 1.0, 6.0)];
        let reversed = corners.iter().rev().copied().collect();
        for corners in [corners, reversed] {
            let face = seen(SolidForm::Face { corners });
            assert!((face.intersect(&ImagePoint::z(), 1e9).unwrap() - 5.0).abs() < 1e-12);
            assert!(face.intersect(&ImagePoint::new(-0.24, -0.24, 1.0), 1e9).is_some());
            assert_eq!(face.intersect(&ImagePoint::new(-0.24, 0.1, 1.0), 1e9), None);
            assert!(face.normal(&ImagePoint::z()).z < 0.0);
        }
    }
}
