//! A periodic cell: space repeats itself, optionally under simple shear.
//!
//! A body stands for all its images. Image (i, j, k) is the body shifted by i, j, k edges of the cell. In a sheared
//! cell, each edge `across` the flow also shifts the image by rate L t `along` it and adds the velocity rate L (A. W.
//! Lees and S. F. Edwards 1972, The computer study of transport processes under extreme conditions). Shifts are not
//! taken modulo the cell: an image keeps its number as long as its body keeps its position.

use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};

/// Number of a periodic image of a body: edges of the cell along x, y and z.
pub type Image = [i32; 3];

/// Number of the body itself.
pub const HERE: Image = [0; 3];

/// Simple shear: the velocity `along` one axis grows linearly `across` another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shear {
    /// Axis of the flow.
    pub along: usize,
    /// Axis of the velocity gradient.
    pub across: usize,
    /// Shear rate, 1/s.
    pub rate: f64,
}

/// The box that is repeated.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell<X: Dim> {
    /// Its corners; without meaning along axes that are not periodic.
    pub bounds: Bounds<X>,
    /// For each axis: is it periodic?
    pub repeats: [bool; 3],
    /// Shear flow of the images, if any.
    pub shear: Option<Shear>,
}

/// The image `b` relative to the image `a`.
pub fn seen_from(a: Image, b: Image) -> Image {
    [0, 1, 2].map(|k| b[k] - a[k])
}

impl<X: Dim> Cell<X> {
    /// Length of the edge along axis `k`, m.
    pub fn edge(&self, k: usize) -> f64 {
        self.bounds.max[k] - self.bounds.min[k]
    }

    /// Shift of an image from its body at time `t`, m.
    pub fn shift(&self, image: Image, t: f64) -> X::Vector {
        let mut shift = X::Vector::from_fn(|k| if self.repeats[k] { f64::from(image[k]) * self.edge(k) } else { 0.0 });
        if let Some(Shear { along, across, rate }) = self.shear {
            shift[along] += f64::from(image[across]) * (rate * self.edge(across) * t);
        }
        shift
    }

    /// Velocity of an image relative to its body, m/s.
    pub fn drift(&self, image: Image) -> X::Vector {
        let mut drift = X::Vector::zero();
        if let Some(Shear { along, across, rate }) = self.shear {
            drift[along] = f64::from(image[across]) * (rate * self.edge(across));
        }
        drift
    }

    /// Periodic axes in the order in which shifts are determined: the shift across the flow affects the one along it.
    fn axes(&self) -> impl Iterator<Item = usize> {
        let first = self.shear.map_or(0, |shear| shear.across);
        std::iter::once(first).chain((0..X::D).filter(move |&k| k != first)).filter(|&k| self.repeats[k])
    }

    /// The image of a point that lies in the cell at time `t`.
    pub fn home(&self, point: X::Vector, t: f64) -> Image {
        let mut image = HERE;
        for k in self.axes() {
            let coordinate = point[k] + self.shift(image, t)[k];
            // Saturating conversion: points far outside stay far outside.
            image[k] = -((coordinate - self.bounds.min[k]) / self.edge(k)).floor() as i32;
        }
        image
    }

    /// Visits all images of a box that meet the cell at time `t`; for an unbounded box only the box itself.
    pub fn images(&self, bounds: &Bounds<X>, t: f64, mut visit: impl FnMut(Image)) {
        let is_unbounded = (0..X::D).any(|k| !bounds.min[k].is_finite() || !bounds.max[k].is_finite());
        if is_unbounded {
            return visit(HERE);
        }
        let mut axes = [0; 3];
        let count = self.axes().zip(&mut axes).map(|(k, axis)| *axis = k).count();
        self.images_along(&axes[..count], HERE, bounds, t, &mut visit);
    }

    /// Visits the images of a box that meet the cell and differ from `image` along `axes`, which are in order.
    fn images_along(&self, axes: &[usize], image: Image, bounds: &Bounds<X>, t: f64, visit: &mut impl FnMut(Image)) {
        let [k, others @ ..] = axes else { return visit(image) };
        let (shift, edge) = (self.shift(image, t)[*k], self.edge(*k));
        let first = ((self.bounds.min[*k] - bounds.max[*k] - shift) / edge).ceil() as i32;
        let last = ((self.bounds.max[*k] - bounds.min[*k] - shift) / edge).floor() as i32;
        for number in first..=last {
            let mut next = image;
            next[*k] = number;
            self.images_along(others, next, bounds, t, visit);
        }
    }

    /// Velocity of the mean flow at a point, zero at the centre of the cell, m/s.
    pub fn flow(&self, point: X::Vector) -> X::Vector {
        let mut flow = X::Vector::zero();
        if let Some(Shear { along, across, rate }) = self.shear {
            flow[along] = rate * (point[across] - 0.5 * (self.bounds.min[across] + self.bounds.max[across]));
        }
        flow
    }

    /// Upper bound on the speed of the images of a body at `point` near the cell, m/s: there the flow is no faster than
    /// its change over one edge.
    pub fn speed(&self, point: X::Vector, velocity: X::Vector) -> f64 {
        let most = self.shear.map_or(0.0, |shear| shear.rate.abs() * self.edge(shear.across));
        (velocity - self.flow(point)).norm() + most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    fn sheared() -> Cell<Plane> {
        Cell {
            bounds: Bounds { min: Vector2::new(-1.0, 0.0), max: Vector2::new(1.0, 3.0) },
            repeats: [true, true, false],
            shear: Some(Shear { along: 0, across: 1, rate: 0.7 }),
        }
    }

    #[test]
    fn every_point_has_one_image_in_the_cell() {
        let cell = sheared();
        for k in 0..1000 {
            let (t, point) = (0.37 * f64::from(k), Vector2::new(f64::from(k % 17) - 8.0, f64::from(k % 23) - 11.0));
            let seen = point + cell.shift(cell.home(point, t), t);
            assert!((-1.0..1.0).contains(&seen.x) && (0.0..3.0).contains(&seen.y), "{point} at {t} is seen at {seen}");
        }
    }

    #[test]
    fn images_of_a_box_are_those_that_meet_the_cell() {
        let cell = sheared();
        for k in 0..200 {
            let t = 0.11 * f64::from(k);
            let corner = Vector2::new(0.3 * f64::from(k % 29) - 4.0, 0.4 * f64::from(k % 31) - 5.0);
            let own = Bounds::<Plane> { min: corner, max: corner + Vector2::new(0.4, 0.3) };
            let mut found = Vec::new();
            cell.images(&own, t, |image| found.push(image));
            let mut expected = Vec::new();
            for (i, j) in (-80..80).flat_map(|i| (-6..6).map(move |j| (i, j))) {
                let shift = cell.shift([i, j, 0], t);
                if (Bounds { min: own.min + shift, max: own.max + shift }).meets(&cell.bounds) {
                    expected.push([i, j, 0]);
                }
            }
            found.sort_unstable();
            assert_eq!(found, expected, "at {t}");
        }
    }

    #[test]
    fn an_image_moves_as_its_shift_changes_and_the_flow_differs_by_that() {
        let cell = sheared();
        let image = [2, -1, 0];
        let (before, after) = (cell.shift(image, 1.0), cell.shift(image, 1.5));
        assert!(((after - before) / 0.5 - cell.drift(image)).norm() < 1e-13);
        let point = Vector2::new(0.2, 0.4);
        assert!((cell.flow(point + before) - cell.flow(point) - cell.drift(image)).norm() < 1e-13);
    }

    #[test]
    fn axes_that_are_not_periodic_have_no_images() {
        let cell = Cell::<Space> {
            bounds: Bounds { min: Vector3::zeros(), max: Vector3::new(1.0, 1.0, 1.0) },
            repeats: [true, false, false],
            shear: None,
        };
        assert_eq!(cell.home(Vector3::new(2.5, 7.0, -3.0), 1.0), [-2, 0, 0]);
        let mut found = Vec::new();
        let own = Bounds { min: Vector3::new(-0.1, 5.0, 5.0), max: Vector3::new(0.1, 6.0, 6.0) };
        cell.images(&own, 0.0, |image| found.push(image));
        assert_eq!(found, [[0, 0, 0], [1, 0, 0]]);
    }
}
