//! 3D pictures as images: bodies, force chains and walls under a directional light, with a legend.

use rayon::prelude::*;

use super::camera::Camera;
use super::chains::links;
use super::colour::Colour;
use super::joints::joints;
use super::legend::Layout;
use super::light::{Light, SurfacePoint, sky_visibility};
use super::raster::{Hit, Raster};
use super::scheme::{PictureOptions, Scheme};
use super::solid::{DrawnSolid, SolidForm};
use super::survey::Survey;
use super::wall::{InnerFace, inner_faces};
use super::{Drawing, FieldQuantity, ImagePoint};
use crate::base::error::Result;
use crate::graphics::{Canvas, SvgWriter};

const FLOOR: u32 = 0xe4e6e9;
/// Rays per pixel in each direction.
const SAMPLES: usize = 2;
/// Range of ambient occlusion, in typical radii.
const OCCLUSION_RANGE: f64 = 3.0;

/// Colour and gloss of a surface.
#[derive(Clone, Copy)]
struct Paint {
    light: [f64; 3],
    gloss: f64,
    is_wall: bool,
}

/// Renders the whole image.
pub(super) fn image(drawing: &Drawing, survey: &Survey, options: &PictureOptions) -> Result<Canvas> {
    let view = options.view.unwrap_or_else(|| survey.view(&drawing.walls));
    let from = Camera::direction(options.from);
    // Approximate aspect ratio of the box as the camera will see it.
    let trial = Camera::fit(view, from, [0.0, 0.0, 1.0, 1.0], 1.0);
    let layout = Layout::new(options.width, options.height, image_size(&trial, view), options.has_panel());
    let mut camera = Camera::fit(view, from, layout.area, 1.0);
    let scale = options.zoom * camera.focal / camera.to_camera(0.5 * (view[0] + view[1])).z;
    camera.focal *= options.zoom;
    let scheme = Scheme::new(survey, options);
    let mut scene = RayScene { solids: Vec::new(), paints: Vec::new() };
    scene.add_walls(drawing, view, &camera);
    if options.bodies {
        scene.add_bodies(drawing, &scheme, options);
    }
    if options.chains {
        for link in links(drawing, survey.force, survey.radius) {
            if link.ends.iter().any(|end| is_in(end, options.view)) {
                let paint = scene.paint(link.colour(), 0.10, false);
                // A chain thinner than a pixel is drawn at the minimum visible width.
                let radius = link.half_width.max(0.35 / scale);
                scene.add(SolidForm::Capsule { ends: link.ends, radius }, paint, false);
            }
        }
    }
    if options.by == FieldQuantity::Pressure {
        for joint in joints(drawing).into_iter().filter(|joint| is_in(&joint.corners[0], options.view)) {
            let paint = scene.paint(scheme.value_colour(joint.pressure), 0.0, false);
            scene.add(SolidForm::Face { corners: joint.corners }, paint, false);
        }
    }
    let pixels = scene.image(&camera, view, [layout.width, layout.height], OCCLUSION_RANGE * survey.radius);
    let mut image = Canvas::new(layout.width, pixels.into_iter())?;
    let mut svg = SvgWriter::new(layout.width as f64, layout.height as f64);
    layout.caption(&mut svg, &options.title, drawing.time);
    layout.scale_bar(&mut svg, scale);
    layout.keys(&mut svg, &scheme, survey, options.chains, scale);
    image.paint(&svg.finish())?;
    Ok(image)
}

/// Width and height of a box on an image.
fn image_size(camera: &Camera, [min, max]: [ImagePoint; 2]) -> [f64; 2] {
    let corners = (0..8).map(|k| ImagePoint::from_fn(|i, _| if k >> i & 1 == 0 { min[i] } else { max[i] }));
    let points: Vec<[f64; 2]> = corners.map(|corner| camera.project(camera.to_camera(corner))).collect();
    [0, 1].map(|k| {
        let along = || points.iter().map(|point| point[k]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    })
}

/// Returns true if the point lies in the requested box, or none was requested.
fn is_in(point: &ImagePoint, view: Option<[ImagePoint; 2]>) -> bool {
    view.is_none_or(|[min, max]| (0..3).all(|k| point[k] >= min[k] && point[k] <= max[k]))
}

/// The solids and paints of an image.
struct RayScene {
    solids: Vec<DrawnSolid>,
    paints: Vec<Paint>,
}

/// A pixel before ambient occlusion.
#[derive(Clone, Copy, Default)]
struct Pixel {
    light: [f32; 3],
    /// Fraction of the pixel covered by surfaces.
    cover: f32,
    surface: SurfacePoint,
}

impl RayScene {
    fn paint(&mut self, colour: Colour, gloss: f64, is_wall: bool) -> u32 {
        self.paints.push(Paint { light: colour.linear(), gloss, is_wall });
        self.paints.len() as u32 - 1
    }

    fn add(&mut self, form: SolidForm, paint: u32, is_transparent: bool) {
        // Walls cast no shadows: they would only hide the bodies inside.
        let casts_shadow = !is_transparent && !self.paints[paint as usize].is_wall;
        self.solids.push(DrawnSolid { form, paint, is_transparent, casts_shadow });
    }

    fn add_bodies(&mut self, drawing: &Drawing, scheme: &Scheme, options: &PictureOptions) {
        let first = self.paints.len() as u32;
        for body in &drawing.bodies {
            self.paint(scheme.colour(body), 0.16, false);
        }
        // If a box was requested, show only the bodies in it.
        let shown = |body: usize| is_in(&drawing.bodies[body].centre, options.view);
        for ball in drawing.balls.iter().filter(|ball| shown(ball.body)) {
            let form = SolidForm::Ball { centre: ball.centre, radius: ball.radius };
            self.add(form, first + ball.body as u32, options.is_transparent());
        }
        for face in drawing.faces.iter().filter(|face| shown(face.body)) {
            let paint = match face.nodal.filter(|_| options.by.is_nodal()) {
                Some(_) => self.paint(scheme.face_colour(face, &drawing.bodies[face.body]), 0.16, false),
                None => first + face.body as u32,
            };
            self.add(SolidForm::Face { corners: face.corners.clone() }, paint, options.is_transparent());
        }
    }

    /// Adds the inner faces of walls that face the camera.
    fn add_walls(&mut self, drawing: &Drawing, view: [ImagePoint; 2], camera: &Camera) {
        let paint = self.paint(Colour::hex(FLOOR), 0.0, true);
        for InnerFace { corners, at, normal } in inner_faces(&drawing.walls, view) {
            if normal.dot(&(camera.eye - at)) > 0.0 {
                self.add(SolidForm::Face { corners }, paint, false);
            }
        }
    }

    /// Computes all pixels, row by row from the top.
    fn image(&self, camera: &Camera, view: [ImagePoint; 2], [width, height]: [usize; 2], reach: f64) -> Vec<[u8; 3]> {
        let light = Light::new(&self.solids, view, camera);
        let raster = Raster::new(&self.solids, *camera, width, height);
        let shade = |hit: &Hit, ray: usize, pattern: usize| {
            let paint = &self.paints[hit.paint as usize];
            let lit = light.shade(camera, hit, paint.light, paint.gloss, ray, pattern);
            let fade = if paint.is_wall { fade(camera.to_world(hit.at), view) } else { 0.0 };
            lit.map(|part| part + fade * (1.0 - part))
        };
        let pixels = raster.render(SAMPLES, |[x, y], rays| {
            let pattern = (y % 4) * 4 + x % 4;
            let (mut sum, mut cover, mut nearest) = ([0.0; 3], 0.0, None::<&Hit>);
            for (ray, (solid, transparent)) in rays.iter().enumerate() {
                let mut seen = [1.0; 3];
                if let Some(hit) = solid {
                    seen = shade(hit, ray, pattern);
                    cover += 1.0;
                    nearest = nearest.filter(|best| best.depth <= hit.depth).or(Some(hit));
                }
                if let Some(hit) = transparent {
                    let own = shade(hit, ray, pattern);
                    // Transparent bodies are clear when seen head-on and denser along the silhouette.
                    let along = 1.0 + hit.normal.dot(&hit.at.normalize());
                    let opacity = 0.05 + 0.6 * along * along * along;
                    seen = std::array::from_fn(|k| seen[k] + opacity * (own[k] * 0.8 - seen[k]));
                }
                sum = std::array::from_fn(|k| sum[k] + seen[k]);
            }
            let surface = nearest.map_or(SurfacePoint::default(), |hit| {
                let single = |v: &ImagePoint| [v.x as f32, v.y as f32, v.z as f32];
                SurfacePoint { at: single(&hit.at), normal: single(&hit.normal) }
            });
            let count = rays.len() as f64;
            Pixel { light: sum.map(|part| (part / count) as f32), cover: (cover / count) as f32, surface }
        });
        let surfaces: Vec<SurfacePoint> = pixels.iter().map(|pixel| pixel.surface).collect();
        let visibility = sky_visibility(&surfaces, width, camera, reach);
        let finish = |(pixel, sky): (&Pixel, &f32)| {
            let ambient = 1.0 - pixel.cover * (1.0 - sky);
            Colour::from_linear(pixel.light.map(|part| f64::from(part * ambient))).bytes()
        };
        pixels.par_iter().zip(&visibility).map(finish).collect()
    }
}

/// Fading of a wall into the background beyond the box, 0 to 1.
fn fade(point: ImagePoint, [min, max]: [ImagePoint; 2]) -> f64 {
    let size = (max - min).norm();
    let outside = (min - point).sup(&(point - max)).sup(&ImagePoint::zeros()).norm() / (0.45 * size);
    let share = outside.clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

#[cfg(test)]
mod tests {
    use super::super::{DrawnBall, DrawnBody, DrawnWall};
    use super::*;

    #[test]
    fn a_ball_above_a_floor_is_round_and_darkens_the_floor() {
        let centre = ImagePoint::new(0.0, 0.0, 1.0);
        let body = DrawnBody {
            id: 0,
            centre,
            velocity: ImagePoint::zeros(),
            spin: ImagePoint::zeros(),
            contacts: 0,
            radius: 1.0,
            orientation: Default::default(),
        };
        let drawing = Drawing {
            bodies: vec![body],
            balls: vec![DrawnBall { centre, radius: 1.0, spoke: ImagePoint::x(), body: 0 }],
            walls: vec![DrawnWall::Plane { point: ImagePoint::zeros(), normal: ImagePoint::z() }],
            ..Drawing::default()
        };
        let mut survey = Survey::new(FieldQuantity::Speed, 3);
        survey.add(&drawing);
        let options = PictureOptions {
            width: 300,
            height: Some(240),
            dimension: 3,
            by: FieldQuantity::Speed,
            ..PictureOptions::default()
        };
        let image = image(&drawing, &survey, &options).unwrap();
        assert_eq!(image.pixels().count(), 300 * 240);
        let pixels: Vec<[i32; 3]> = image.pixels().map(|pixel| pixel.map(i32::from)).collect();
        let violet = pixels.iter().filter(|[red, green, _]| red - green > 25).count();
        assert!(violet > 3_000, "the ball covers {violet} pixels");
        let grey = |pixel: &&[i32; 3]| (pixel[0] - pixel[1]).abs() < 6 && (77..191).contains(&pixel[0]);
        assert!(pixels.iter().filter(grey).count() > 300, "its shadow is on the floor");
    }
}
