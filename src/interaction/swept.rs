//! Fast bodies: those that move by a large fraction of the smallest body within one step.
//!
//! Alert distances follow from the greatest speed of all bodies that are *not* fast. A fast body has a path through the
//! step, from its start over mid-step to its position at the end if nothing stops it. It forms pairs only with bodies
//! close to that path, and only bodies near the path get larger alert distances, since they may be set in motion. The
//! number of candidates of a fast body thus equals the number of neighbours of its swept volume, independent of its
//! position and speed. Where many bodies are fast, the alert distances of all bodies follow from the greatest speed, up
//! to a few radii. In a periodic cell all images of a path count, and a path extends to at most a quarter of the
//! shortest edge on either side of mid-step, so that its images are few.
//!
//! The list of fast bodies is the same on all processes; pairs near a path are searched anew in every step.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::alert::{AlertDistances, speed};
use crate::body::State;
use crate::comm::{Comm, MessageItem, Reader, Writer, all_gather_items};
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};
use crate::integrator::{FreeMotion, StepTimes};
use crate::model::{Cell, Image, Model, seen_from};

/// Displacement in a step, relative to the smallest body, above which a body is fast.
const FAST: f64 = 0.5;
/// Largest number of fast bodies that get individual paths.
const MOST: usize = 64;
/// Largest expected displacement, in the same step, of bodies hit by fast ones, relative to the smallest body...
const PUSHED: f64 = 1.0;
/// ...and the same where there are more than [`MOST`] fast bodies.
const PUSHED_BY_MANY: f64 = 4.0;

/// A body and its path through the step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SweptBody<X: Dim> {
    id: u64,
    /// Its path, see [`path`].
    path: [X::Vector; 3],
    /// Largest distance of its surface from its centre, m.
    radius: f64,
    /// Upper bound on the displacement of its surface in the step, m.
    displacement: f64,
}

impl<X: Dim> MessageItem for SweptBody<X> {
    fn write_to(&self, message: &mut Writer) {
        let Self { id, path, radius, displacement } = self;
        message.write(id);
        message.write(path);
        message.write(&[*radius, *displacement]);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        Self { id: message.read(), path: message.read(), radius: message.read(), displacement: message.read() }
    }
}

/// The greatest speeds of the bodies of all processes.
#[derive(Clone, Debug, PartialEq)]
pub struct GreatestSpeeds<X: Dim> {
    /// Speed that any body may reach by collisions, m/s: the greatest speed of the bodies that are not fast.
    pub(super) ordinary: f64,
    /// Greatest mass of a moving body, kg; infinite where its motion is prescribed.
    pub(super) heaviest: f64,
    /// The fast bodies by id; empty where there are more than [`MOST`].
    fast_bodies: Vec<SweptBody<X>>,
    /// Additional distance beyond the alert distance within which bodies must be known where there are more than
    /// [`MOST`] fast ones, m.
    everywhere: f64,
    /// The times of the step.
    span: StepTimes,
}

/// The input for the test whether the paths of two bodies come close.
pub struct SweptPaths<'a, X: Dim> {
    /// The tables of shapes, materials, laws and links.
    pub model: &'a Model<X>,
    /// States of the bodies at the start of the step.
    pub states: &'a [State<X>],
    /// Their predicted motion.
    pub free: &'a [FreeMotion<X>],
    /// Half the alert distance of a pair, for every body.
    pub alerts: &'a [f64],
    /// The distances that control detection.
    pub distances: &'a AlertDistances,
    /// The greatest speeds.
    pub speeds: &'a GreatestSpeeds<X>,
    /// The times of the step.
    pub span: &'a StepTimes,
}

impl<X: Dim> GreatestSpeeds<X> {
    /// No body is faster than this, m/s, and none is fast in the sense of this module.
    fn up_to(fastest: f64, heaviest: f64, span: StepTimes) -> Self {
        Self { ordinary: fastest, heaviest, fast_bodies: Vec::new(), everywhere: 0.0, span }
    }

    /// Collective. Finds the greatest speeds over all bodies of all processes.
    pub fn find(
        comm: &dyn Comm,
        distances: &AlertDistances,
        model: &Model<X>,
        states: &[State<X>],
        free: &[FreeMotion<X>],
        span: &StepTimes,
    ) -> Self {
        // A maximum does not depend on the order of the reduction.
        let greater = |a: [f64; 3], b: [f64; 3]| std::array::from_fn(|k| a[k].max(b[k]));
        let all = states.par_iter().zip(free).with_min_len(1024).map(|(state, free)| {
            let speed = speed(model, state, free, distances.h);
            let mass = if model.is_prescribed(state) { f64::INFINITY } else { state.mass };
            let moving = if speed > 0.0 { mass } else { 0.0 };
            [if is_fast(distances, model, state, speed) { 0.0 } else { speed }, speed, moving]
        });
        let mut greatest = all.reduce(|| [0.0; 3], greater);
        comm.max(&mut greatest);
        let [ordinary, fastest, heaviest] = greatest;
        if fastest == ordinary {
            return Self::up_to(ordinary, heaviest, *span);
        }
        let longest = longest_path(model);
        let own = states.iter().zip(free).filter_map(|(state, free)| {
            let speed = speed(model, state, free, distances.h);
            is_fast(distances, model, state, speed).then(|| SweptBody {
                id: state.id.0,
                path: path(model, state, free, span),
                radius: model.shape(state).reach() * state.size,
                displacement: (distances.h * speed).min(longest),
            })
        });
        // One more than the limit indicates that there are too many.
        let mut fast_bodies: Vec<SweptBody<X>> = all_gather_items(comm, own.take(MOST + 1));
        fast_bodies.sort_by_key(|body| body.id);
        // Obstacles and ghosts exist on several processes.
        fast_bodies.dedup_by_key(|body| body.id);
        match fast_bodies.len() <= MOST {
            true => Self { ordinary, heaviest, fast_bodies, everywhere: 0.0, span: *span },
            false => {
                let most = PUSHED_BY_MANY * distances.smallest / distances.h;
                let everywhere = if fastest > most { 2.0 * (distances.h * fastest).min(longest) } else { 0.0 };
                Self { everywhere, ..Self::up_to(fastest.min(most), heaviest, *span) }
            }
        }
    }

    /// Are pairs selected by their paths? Then the selection holds for one step only.
    pub fn selects_pairs(&self) -> bool {
        !self.fast_bodies.is_empty() || self.everywhere > 0.0
    }

    /// Speed that a body at this position may reach by collisions, m/s.
    pub(super) fn pushed(
        &self,
        distances: &AlertDistances,
        model: &Model<X>,
        state: &State<X>,
        free: &FreeMotion<X>,
    ) -> f64 {
        if self.fast_bodies.is_empty() {
            return self.ordinary;
        }
        let pushed = |body: &SweptBody<X>| body.displacement.min(PUSHED * distances.smallest) / distances.h;
        self.near(distances, model, state, free).map(pushed).fold(self.ordinary, f64::max)
    }

    /// Additional distance, beyond alert distance and skin, within which a body must be known, m: contacts with a fast
    /// body may lie anywhere along its path.
    pub fn extra(&self, distances: &AlertDistances, model: &Model<X>, state: &State<X>, free: &FreeMotion<X>) -> f64 {
        if self.fast_bodies.is_empty() {
            return self.everywhere;
        }
        if is_fast(distances, model, state, speed(model, state, free, distances.h)) {
            return 2.0 * self.fast_bodies.iter().map(|body| body.displacement).fold(0.0, f64::max);
        }
        2.0 * self.near(distances, model, state, free).map(|body| body.displacement).fold(0.0, f64::max)
    }

    /// The fast bodies that may touch a body, or bodies that it pushes.
    fn near(
        &self,
        distances: &AlertDistances,
        model: &Model<X>,
        state: &State<X>,
        free: &FreeMotion<X>,
    ) -> impl Iterator<Item = &SweptBody<X>> {
        let radius = model.shape(state).reach() * state.size;
        let (span, middle) = (self.span, self.span.middle);
        // Half a radius for its own motion, half a radius for alert distances.
        let slack = distances.alert + (1.0 + PUSHED) * distances.smallest;
        self.fast_bodies.iter().filter(move |body| {
            let limit = radius + body.radius + slack;
            // A distance that is NaN counts as near.
            let is_near = |path: [X::Vector; 3], centre: X::Vector| {
                let distance2 = distance2(path.map(|point| point - centre));
                distance2.partial_cmp(&(limit * limit)) != Some(Ordering::Greater)
            };
            let Some(cell) = &model.cell else { return is_near(body.path, free.position) };
            let centre = free.position + cell.shift(cell.home(free.position, middle), middle);
            let mut is_any_near = false;
            cell.images(
                &body.path.into_iter().map(Bounds::at).collect::<Bounds<X>>().inflated(limit),
                middle,
                |image| {
                    is_any_near |= is_near(image_of(cell, body.path, image, &span), centre);
                },
            );
            is_any_near
        })
    }
}

impl<X: Dim> SweptPaths<'_, X> {
    fn is_fast(&self, body: usize) -> bool {
        let (state, free) = (&self.states[body], &self.free[body]);
        is_fast(self.distances, self.model, state, speed(self.model, state, free, self.distances.h))
    }

    /// Largest distance of the surface of a body from its centre, m.
    fn radius(&self, body: usize) -> f64 {
        self.model.shape(&self.states[body]).reach() * self.states[body].size
    }

    /// Distance from the path of a fast body within which a body forms a pair with it, m.
    fn slack(&self, body: usize, is_fast: bool) -> f64 {
        let own = if is_fast { 0.0 } else { speed(self.model, &self.states[body], &self.free[body], self.distances.h) };
        0.5 * self.distances.alert + self.distances.h * own.max(0.5 * self.speeds.ordinary)
    }

    /// Path of an image of a body.
    fn path(&self, (body, image): (usize, Image)) -> [X::Vector; 3] {
        let home = path(self.model, &self.states[body], &self.free[body], self.span);
        match &self.model.cell {
            None => home,
            Some(cell) => {
                let from = cell.home(self.free[body].position, self.span.middle);
                image_of(cell, home, seen_from(from, image), self.span)
            }
        }
    }

    /// Position of an image of a body at mid-step.
    fn centre(&self, (body, image): (usize, Image)) -> X::Vector {
        let position = self.free[body].position;
        self.model.cell.as_ref().map_or(position, |cell| position + cell.shift(image, self.span.middle))
    }

    /// Are the paths of these images of two bodies too far apart for a contact in the step?
    pub fn miss(&self, a: (usize, Image), b: (usize, Image)) -> bool {
        let radii = self.radius(a.0) + self.radius(b.0);
        if !radii.is_finite() {
            return false;
        }
        let are_fast = [self.is_fast(a.0), self.is_fast(b.0)];
        if are_fast == [false; 2] {
            let limit = radii + self.alerts[a.0] + self.alerts[b.0];
            return (self.centre(a) - self.centre(b)).norm2() > limit * limit * (1.0 + 1e-9);
        }
        let limit = radii + self.slack(a.0, are_fast[0]) + self.slack(b.0, are_fast[1]);
        let [a, b] = [self.path(a), self.path(b)];
        distance2([a[0] - b[0], a[1] - b[1], a[2] - b[2]]) > limit * limit
    }

    /// The box that an image of a fast body sweeps in the step, inflated by the search distance; `bounds` is its box at
    /// mid-step.
    pub fn swept(&self, body: usize, image: Image, bounds: &Bounds<X>) -> Option<Bounds<X>> {
        if !self.is_fast(body) {
            return None;
        }
        let [start, middle, end] = self.path((body, image));
        let displacements: Bounds<X> =
            [start - middle, end - middle, X::Vector::zero()].into_iter().map(Bounds::at).collect();
        let swept = Bounds { min: bounds.min + displacements.min, max: bounds.max + displacements.max };
        Some(swept.inflated(self.slack(body, true)))
    }
}

/// Does a body of this speed travel far within the step? An unbounded body has no path.
fn is_fast<X: Dim>(distances: &AlertDistances, model: &Model<X>, state: &State<X>, speed: f64) -> bool {
    distances.h * speed > FAST * distances.smallest && model.shape(state).reach().is_finite()
}

/// Largest distance between two points of a path, m.
fn longest_path<X: Dim>(model: &Model<X>) -> f64 {
    let edges =
        |cell: &Cell<X>| (0..X::D).filter(|&k| cell.repeats[k]).map(|k| cell.edge(k)).fold(f64::INFINITY, f64::min);
    model.cell.as_ref().map_or(f64::INFINITY, |cell| 0.5 * edges(cell))
}

/// Centres at the start, at mid-step, and at the end if nothing stops the body. In a periodic cell: those of the image
/// whose centre lies in the cell at mid-step, at most half [`longest_path`] away from there.
fn path<X: Dim>(model: &Model<X>, state: &State<X>, free: &FreeMotion<X>, span: &StepTimes) -> [X::Vector; 3] {
    let path = [state.position, free.position, free.position + free.velocity * (span.step - span.first)];
    let Some(cell) = &model.cell else { return path };
    let [start, middle, end] = image_of(cell, path, cell.home(free.position, span.middle), span);
    let longest = 0.5 * longest_path(model);
    let within = |point: X::Vector| {
        let displacement = point - middle;
        let length = displacement.norm();
        if length > longest { middle + displacement * (longest / length) } else { point }
    };
    [within(start), middle, within(end)]
}

/// A path moved to an image of its body.
fn image_of<X: Dim>(cell: &Cell<X>, path: [X::Vector; 3], image: Image, span: &StepTimes) -> [X::Vector; 3] {
    let [start, middle, end] = path;
    let shift = |time| cell.shift(image, time);
    [start + shift(span.start), middle + shift(span.middle), end + shift(span.start + span.step)]
}

/// Squared distance of the origin from a path of two straight pieces.
fn distance2<V: Vector>([a, b, c]: [V; 3]) -> f64 {
    let from = |start: V, end: V| {
        let displacement = end - start;
        let fraction = (-start.dot(&displacement) / displacement.norm2().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (start + displacement * fraction).norm2()
    };
    from(a, b).min(from(b, c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector2;

    #[test]
    fn the_distance_from_a_path_is_that_of_its_nearest_point() {
        let path = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| [a, b, c].map(Vector2::from);
        assert_eq!(distance2(path([-1.0, 2.0], [1.0, 2.0], [5.0, 2.0])), 4.0);
        assert_eq!(distance2(path([-9.0, 2.0], [-3.0, 4.0], [-3.0, 4.0])), 25.0);
        assert_eq!(distance2(path([3.0, 3.0], [3.0, 1.0], [3.0, -1.0])), 9.0);
        assert_eq!(distance2(path([0.0, 1.0], [0.0, 1.0], [0.0, 1.0])), 1.0);
    }
}
