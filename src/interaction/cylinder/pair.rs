//! Choice of the axis, and contact of flat patches, for a cylinder with another body.
//!
//! In: a pair that provides its extreme points, its flat patches and its candidate axes in stages, the cheap ones
//! first. Out: the axis of largest separation, and the contact points of flat patches.

use super::near::{CLOSE, ENOUGH, NearPoints, near};
use super::{Axis, AxisChoice};
use crate::dim::Dim;
use crate::interaction::contact_point::ContactPoint;
use crate::interaction::manifold::{Manifold, intersect};
use crate::interaction::patch::Patch;

/// Position and scale of a pair; points of the pair are relative to the midpoint between the centres.
#[derive(Clone, Copy)]
pub(super) struct PairFrame<X: Dim> {
    /// From the centre of the first body to that of the second.
    pub(super) between: X::Vector,
    /// The midpoint in world coordinates.
    pub(super) middle: X::Vector,
    /// Sum of the reaches.
    pub(super) scale: f64,
}

/// The two bodies, relative to the midpoint between their centres.
pub(super) trait PairGeometry<X: Dim> {
    /// Number of stages of [`PairGeometry::offer`].
    const STAGES: usize;

    /// Position and scale of the pair.
    fn frame(&self) -> PairFrame<X>;

    /// The point of the first body farthest along the unit vector `n`, and that of the second farthest against it.
    fn extreme(&self, n: X::Vector) -> [X::Vector; 2];

    /// Do the nearest points of `axis` lie on both bodies, within `margin`?
    fn holds(&self, axis: &Axis<X>, margin: f64) -> bool;

    /// The patches of the two bodies that may be in contact along `normal`.
    fn patches(&self, normal: X::Vector) -> [Patch<'_, X>; 2];

    /// Offers the axes of a stage that `near` does not rule out; the first stage is that of flat parts.
    fn offer(&self, stage: usize, near: &NearPoints<X>, choice: &mut AxisChoice<X>);

    /// The axis of largest separation, or any axis wider than `limit`. Axes of flat parts are taken unless another axis
    /// is wider by more than `relative` of its separation. The second axis is that of [`AxisChoice::decide`].
    fn widest(&self, limit: f64, relative: f64) -> (Axis<X>, Option<Axis<X>>) {
        let PairFrame { between, scale, .. } = self.frame();
        let near_within = |enough: f64| near::<X>(between, scale, limit, enough, |n| self.extreme(n));
        let near = near_within(ENOUGH);
        let holds = |axis: &Axis<X>, margin: f64| self.holds(axis, margin);
        let mut choice = AxisChoice::new(scale, near.width);
        for stage in 0..Self::STAGES {
            let is_open = match stage {
                0 => near.width <= limit,
                _ => choice.width() <= limit && !choice.is_proven(holds),
            };
            if is_open {
                self.offer(stage, &near, &mut choice);
            }
        }
        let nearest = || {
            let [on_a, on_b] = near_within(CLOSE).on;
            (on_a + on_b) * 0.5
        };
        choice.decide(relative, near.fallback(), holds, nearest)
    }

    /// Emits the contact points of flat patches along the first axis, or else along the alternative one. Returns the
    /// axis that remains, the number of points, and the least gap.
    fn patch_contacts(
        &self,
        (axis, alternative): (Axis<X>, Option<Axis<X>>),
        alert: f64,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) -> (Axis<X>, usize, f64) {
        let PairFrame { middle, scale, .. } = self.frame();
        let mut along = |normal: X::Vector| {
            let [first, second] = self.patches(normal);
            intersect(&Manifold { normal, limit: alert, scale, middle, flipped: false }, &first, &second, emit)
        };
        let (count, least) = along(axis.normal);
        match alternative {
            Some(alternative) if count == 0 => {
                let (count, least) = along(alternative.normal);
                (alternative, count, least)
            }
            Some(alternative) => (Axis { between: alternative.between, ..axis }, count, least),
            None => (axis, count, least),
        }
    }
}
