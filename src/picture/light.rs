//! Lighting of 3D images: a directional light with soft shadows, a sky, specular highlights and ambient occlusion.
//!
//! Shadows: a shadow map seen from the sun, sampled at a few offsets. Ambient occlusion: the part of the hemisphere
//! above a pixel that nearby visible surfaces cover, sampled in a 4 x 4 pixel pattern that is averaged out afterwards.

use rayon::prelude::*;

use super::ImagePoint;
use super::camera::Camera;
use super::raster::{Hit, Raster};
use super::solid::DrawnSolid;

/// Side of the shadow map, px.
const MAP_SIZE: usize = 2048;
/// Shadow samples per ray of a pixel.
const SHADOW_SAMPLES: usize = 4;
/// Radius of the soft edge of a shadow, px of the shadow map.
const SHADOW_BLUR: f64 = 6.0;
/// Angle of view of the shadow map relative to the default: nearly parallel rays.
const SUN_VIEW: f64 = 0.02;
/// Occlusion samples per pixel.
const OCCLUSION_SAMPLES: usize = 14;
/// Maximum distance of an occlusion sample, px.
const MAX_DISTANCE: f64 = 70.0;
/// Golden angle, rad: successive samples never align.
const GOLDEN_ANGLE: f64 = 2.399_963;
/// Rotation from one of the sixteen patterns to the next.
const PATTERN_ROTATION: f64 = std::f64::consts::FRAC_PI_8;

/// Sun and sky over a scene.
pub(super) struct Light {
    /// Direction towards the sun.
    sun: ImagePoint,
    map: Camera,
    depths: Vec<f32>,
    /// Sample offsets, px, in sixteen mutually rotated patterns.
    offsets: Vec<[[f64; 2]; 4 * SHADOW_SAMPLES]>,
    /// Width of a shadow map pixel in the scene, m.
    texel: f64,
}

impl Light {
    /// Lights the solids in a box, from behind and to the left of the camera.
    pub(super) fn new(solids: &[DrawnSolid], bounds: [ImagePoint; 2], eye: &Camera) -> Self {
        let level = ImagePoint::new(eye.ahead.x, eye.ahead.y, 0.0);
        let back = if level.norm() > 1e-6 { -level.normalize() } else { eye.up };
        let sun = (ImagePoint::z() + back * 0.62 - eye.right * 0.36).normalize();
        let area = [0.0, 0.0, MAP_SIZE as f64, MAP_SIZE as f64];
        let map = Camera::fit(bounds, sun, area, SUN_VIEW);
        let casters: Vec<DrawnSolid> = solids.iter().filter(|solid| solid.casts_shadow).cloned().collect();
        let depths = Raster::new(&casters, map, MAP_SIZE, MAP_SIZE).depths();
        let middle = map.to_camera(0.5 * (bounds[0] + bounds[1]));
        let offset = |pattern: usize, k: usize| {
            let angle = k as f64 * GOLDEN_ANGLE + pattern as f64 * PATTERN_ROTATION;
            let reach = SHADOW_BLUR * ((k as f64 + 0.5) / (4 * SHADOW_SAMPLES) as f64).sqrt();
            [reach * angle.cos(), reach * angle.sin()]
        };
        let offsets = (0..16).map(|pattern| std::array::from_fn(|k| offset(pattern, k))).collect();
        Self { sun, map, depths, offsets, texel: middle.z / map.focal }
    }

    /// Fraction of sunlight at a point of the scene, by one of the patterns; the rays of a pixel use disjoint samples.
    fn sunlight(&self, point: ImagePoint, normal: ImagePoint, ray: usize, pattern: usize) -> f64 {
        // Offset from the surface to avoid self-shadowing.
        let seen = self.map.to_camera(point + normal * (SHADOW_BLUR * self.texel * 0.9));
        let [x, y] = self.map.project(seen);
        let near = seen.z - 1.5 * self.texel;
        let offsets = &self.offsets[pattern % 16];
        let lit = (0..SHADOW_SAMPLES).filter(|sample| {
            let [right, down] = offsets[4 * sample + ray % 4];
            let (x, y) = ((x + right).floor(), (y + down).floor());
            let is_in = x >= 0.0 && y >= 0.0 && x < MAP_SIZE as f64 && y < MAP_SIZE as f64;
            !is_in || near < f64::from(self.depths[y as usize * MAP_SIZE + x as usize])
        });
        lit.count() as f64 / SHADOW_SAMPLES as f64
    }

    /// Light reflected by a surface of this colour (linear) towards the camera.
    pub(super) fn shade(
        &self,
        camera: &Camera,
        hit: &Hit,
        colour: [f64; 3],
        gloss: f64,
        ray: usize,
        pattern: usize,
    ) -> [f64; 3] {
        let out = camera.right * hit.normal.x + camera.up * hit.normal.y + camera.ahead * hit.normal.z;
        let point = camera.to_world(hit.at);
        let facing = out.dot(&self.sun).max(0.0);
        let sunlight = if facing > 0.0 { self.sunlight(point, out, ray, pattern) } else { 0.0 };
        let sky = 0.38 + 0.14 * (0.5 + 0.5 * out.z);
        // A weak light from the camera keeps shapes visible in shadow.
        let eye = (camera.eye - point).normalize();
        let fill = 0.24 * out.dot(&eye).max(0.0);
        let half = (self.sun + eye).normalize();
        let shine = gloss * sunlight * out.dot(&half).max(0.0).powi(48);
        colour.map(|part| part * (sky + fill + 0.52 * facing * sunlight) + shine)
    }
}

/// Surface point of a pixel, for ambient occlusion.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SurfacePoint {
    /// Position in camera coordinates; z is zero for the background.
    pub(super) at: [f32; 3],
    pub(super) normal: [f32; 3],
}

/// Visible fraction of the sky at every pixel; only surfaces within `reach` metres occlude.
pub(super) fn sky_visibility(points: &[SurfacePoint], width: usize, camera: &Camera, reach: f64) -> Vec<f32> {
    let height = points.len() / width;
    let offset = |pattern: usize, k: usize| {
        let (s, c) = (k as f64 * GOLDEN_ANGLE + pattern as f64 * PATTERN_ROTATION).sin_cos();
        let far = (k as f64 + 0.5) / OCCLUSION_SAMPLES as f64;
        [far * c, far * s].map(|part| part as f32)
    };
    let offsets: Vec<[[f32; 2]; OCCLUSION_SAMPLES]> =
        (0..16).map(|pattern| std::array::from_fn(|k| offset(pattern, k))).collect();
    let rough: Vec<f32> = (0..points.len())
        .into_par_iter()
        .map(|pixel| pixel_visibility(points, [width, height], pixel, &offsets, [camera.focal as f32, reach as f32]))
        .collect();
    // The pattern repeats every four pixels: averaging 4 x 4 pixels of the same surface removes it.
    (0..points.len())
        .into_par_iter()
        .map(|pixel| {
            let (own, column, row) = (points[pixel], pixel % width, pixel / width);
            if own.at[2] == 0.0 {
                return 1.0;
            }
            let (mut sum, mut count) = (0.0f32, 0.0f32);
            for y in row.saturating_sub(2)..(row + 2).min(height) {
                for x in column.saturating_sub(2)..(column + 2).min(width) {
                    let other = points[y * width + x];
                    if other.at[2] > 0.0 && (other.at[2] - own.at[2]).abs() < 0.3 * reach as f32 {
                        sum += rough[y * width + x];
                        count += 1.0;
                    }
                }
            }
            if count > 0.0 { sum / count } else { rough[pixel] }
        })
        .collect()
}

fn pixel_visibility(
    points: &[SurfacePoint],
    [width, height]: [usize; 2],
    pixel: usize,
    offsets: &[[[f32; 2]; OCCLUSION_SAMPLES]],
    [focal, reach]: [f32; 2],
) -> f32 {
    let (own, column, row) = (points[pixel], pixel % width, pixel / width);
    if own.at[2] == 0.0 {
        return 1.0;
    }
    let radius = (focal * reach / own.at[2]).min(MAX_DISTANCE as f32);
    let mut occlusion = 0.0f32;
    for offset in &offsets[(row % 4) * 4 + column % 4] {
        let (x, y) = (column as f32 + radius * offset[0], row as f32 + radius * offset[1]);
        if x < 0.0 || y < 0.0 || x >= width as f32 || y >= height as f32 {
            continue;
        }
        let other = points[y as usize * width + x as usize];
        if other.at[2] == 0.0 {
            continue;
        }
        let arm: [f32; 3] = std::array::from_fn(|i| other.at[i] - own.at[i]);
        let dot = |a: &[f32; 3], b: &[f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let square = dot(&arm, &arm);
        let rise = dot(&arm, &own.normal) / square.sqrt().max(1e-12);
        let fade = (1.0 - square / (reach * reach)).max(0.0);
        occlusion += (rise - 0.08).max(0.0) * fade;
    }
    (1.0 - 1.7 * occlusion / OCCLUSION_SAMPLES as f32).max(0.25)
}

#[cfg(test)]
mod tests {
    use super::super::solid::SolidForm;
    use super::*;

    #[test]
    fn a_ball_casts_a_shadow_on_the_floor_away_from_the_sun() {
        let floor = [[-9.0, -9.0], [9.0, -9.0], [9.0, 9.0], [-9.0, 9.0]].map(|[x, y]| ImagePoint::new(x, y, 0.0));
        let solid = |form| DrawnSolid { form, paint: 0, is_transparent: false, casts_shadow: true };
        let solids = [
            solid(SolidForm::Face { corners: floor.to_vec() }),
            solid(SolidForm::Ball { centre: ImagePoint::z() * 2.0, radius: 1.0 }),
        ];
        let bounds = [ImagePoint::new(-9.0, -9.0, 0.0), ImagePoint::new(9.0, 9.0, 3.0)];
        let eye = Camera::fit(bounds, Camera::direction([-60.0, 20.0]), [0.0, 0.0, 800.0, 600.0], 1.0);
        let light = Light::new(&solids, bounds, &eye);
        let lit =
            |point: ImagePoint| (0..4).map(|ray| light.sunlight(point, ImagePoint::z(), ray, 0)).sum::<f64>() / 4.0;
        let shadow = -light.sun * (2.0 / light.sun.z) + ImagePoint::z() * 2.0;
        assert!(lit(shadow) < 0.01);
        assert!(lit(-shadow) > 0.99 && lit(ImagePoint::new(6.0, 6.0, 0.0)) > 0.99);
    }

    #[test]
    fn a_corner_is_dimmer_than_an_open_plane() {
        let width = 64;
        let camera = Camera {
            eye: ImagePoint::zeros(),
            right: ImagePoint::x(),
            up: ImagePoint::y(),
            ahead: ImagePoint::z(),
            focal: 64.0,
            centre: [32.0, 32.0],
        };
        // A floor seen from above, with a wall that rises towards the camera in its right half.
        let point = |x: usize, y: usize| {
            let z = if x < 40 { 10.0 } else { 10.0 - 0.15 * (x - 40) as f32 };
            let at = [(x as f32 - 31.5) / 64.0 * z, (y as f32 - 31.5) / 64.0 * z, z];
            SurfacePoint { at, normal: [0.0, 0.0, -1.0] }
        };
        let points: Vec<SurfacePoint> = (0..width * width).map(|k| point(k % width, k / width)).collect();
        let visibility = sky_visibility(&points, width, &camera, 2.0);
        assert!(visibility[32 * width + 38] < visibility[32 * width + 12] - 0.02);
        assert!(visibility[32 * width + 12] > 0.97);
    }
}
