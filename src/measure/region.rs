//! Measurement regions: the whole sample or a box, and the volume of a grain inside.
//!
//! A grain cut by a face counts by the share of a sphere of the same volume and centre that lies inside, computed as
//! the product over the axes of the shares between the two faces: exact for spheres cut by faces normal to a single
//! axis, approximate at edges.

use crate::body::State;
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};
use crate::model::{Image, Model};
use crate::scene::BoxBounds;
use crate::simulation::Snapshot;

/// The whole sample, or a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region<X: Dim>(Option<Bounds<X>>);

impl<X: Dim> Region<X> {
    pub(crate) fn new(entry: Option<&BoxBounds>) -> Self {
        Self(entry.map(|b| Bounds { min: X::Vector::read(&b.min), max: X::Vector::read(&b.max) }))
    }

    /// Does the region contain the point? A face belongs to the box above it.
    pub(crate) fn contains(&self, point: X::Vector) -> bool {
        self.0.is_none_or(|bounds| (0..X::D).all(|k| bounds.min[k] <= point[k] && point[k] < bounds.max[k]))
    }

    /// Volume of the region.
    pub(crate) fn volume(&self, snapshot: &Snapshot<X>) -> f64 {
        let bounds = self.0.unwrap_or(snapshot.sample);
        (0..X::D).map(|k| bounds.max[k] - bounds.min[k]).product()
    }

    /// Volume of the grain inside the region, summed over its periodic images.
    pub(crate) fn filled(&self, snapshot: &Snapshot<X>, grain: &State<X>) -> f64 {
        let volume = snapshot.model.volume(grain);
        let Some(bounds) = self.0 else { return volume };
        let mut share = 0.0;
        each_image(snapshot.model, grain, snapshot.now.time, |centre, radius, _| {
            share += share_inside::<X>(&bounds, centre, radius)
        });
        volume * share
    }
}

/// Share of a sphere inside the box.
fn share_inside<X: Dim>(bounds: &Bounds<X>, centre: X::Vector, radius: f64) -> f64 {
    (0..X::D).map(|k| share_between::<X>(centre[k], radius, [bounds.min[k], bounds.max[k]])).product()
}

/// Share of a sphere at `centre` between two planes.
pub(crate) fn share_between<X: Dim>(centre: f64, radius: f64, planes: [f64; 2]) -> f64 {
    let [low, high] = planes.map(|plane| X::ball_below((plane - centre) / radius));
    high - low
}

/// Radius of the sphere with the volume of the grain, m.
pub(crate) fn radius<X: Dim>(model: &Model<X>, grain: &State<X>) -> f64 {
    let of = model.volume(grain) / X::unit_ball();
    if model.shape(grain).is_ball() { grain.size } else { of.powf(1.0 / X::D as f64) }
}

/// Visits the images of the grain, as a sphere, that intersect the periodic cell; without a cell, the grain itself.
pub(crate) fn each_image<X: Dim>(
    model: &Model<X>,
    grain: &State<X>,
    time: f64,
    mut visit: impl FnMut(X::Vector, f64, Image),
) {
    let radius = radius(model, grain);
    match &model.cell {
        None => visit(grain.position, radius, crate::model::HERE),
        Some(cell) => {
            let reach = X::Vector::from_fn(|_| radius);
            let bounds = Bounds { min: grain.position - reach, max: grain.position + reach };
            cell.images(&bounds, time, |image| visit(grain.position + cell.shift(image, time), radius, image));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn shares_of_balls_are_those_of_caps_and_segments() {
        // Spherical cap of height r/2: volume pi h^2 (3r - h)/3; circular segment of height r/2: area r^2 (pi/3 -
        // sqrt(3)/4).
        let cap = std::f64::consts::PI * 0.25 * 2.5 / 3.0 / Space::unit_ball();
        assert!((share_between::<Space>(0.0, 1.0, [0.5, 9.0]) - cap).abs() < 1e-15);
        let segment = (std::f64::consts::PI / 3.0 - 3f64.sqrt() / 4.0) / std::f64::consts::PI;
        assert!((share_between::<Plane>(2.0, 2.0, [3.0, 9.0]) - segment).abs() < 1e-15);
        let bounds = Bounds::<Space> { min: Vector3::zeros(), max: Vector3::new(1.0, 1.0, 1.0) };
        assert!((share_inside(&bounds, Vector3::zeros(), 0.3) - 0.125).abs() < 1e-15);
        assert_eq!(share_inside(&bounds, Vector3::new(0.5, 0.5, 0.5), 0.3), 1.0);
        assert_eq!(share_inside(&bounds, Vector3::new(2.0, 0.5, 0.5), 0.3), 0.0);
    }

    #[test]
    fn a_point_on_a_face_belongs_to_the_box_above_it() {
        let of = |min: f64, max: f64| {
            Region::<Plane>(Some(Bounds { min: Vector2::new(min, 0.0), max: Vector2::new(max, 1.0) }))
        };
        let point = Vector2::new(1.0, 0.5);
        assert!(!of(0.0, 1.0).contains(point) && of(1.0, 2.0).contains(point) && Region::<Plane>(None).contains(point));
    }
}
