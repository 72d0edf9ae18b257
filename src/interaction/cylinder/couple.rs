//! What a cylinder has in common with whatever flat-sided body it meets: how an axis is chosen, and where the two lie on
//! each other along it.
//!
//! In: a pair that knows its extreme points, its flat parts and its axes in stages, cheap ones first. Out: the axis of
//! largest separation, and the contact points of flat parts.

use super::near::{CLOSE, ENOUGH, NearPoints, near};
use super::{Axis, AxisChoice};
use crate::dim::Dim;
use crate::interaction::manifold::{Manifold, meet};
use crate::interaction::narrow_phase::ContactPoint;
use crate::interaction::patch::Patch;

/// Where a pair is; its own points are from the point half-way between the centres.
#[derive(Clone, Copy)]
pub(super) struct PairFrame<X: Dim> {
    /// From the centre of the first to that of the second.
    pub(super) between: X::Vector,
    /// Half-way, in the world.
    pub(super) middle: X::Vector,
    /// Sum of the reaches.
    pub(super) scale: f64,
}

/// The two, seen from the point half-way.
pub(super) trait PairGeometry<X: Dim> {
    /// How many times [`PairGeometry::offer`] may be asked for more.
    const STAGES: usize;

    /// Where the pair is.
    fn frame(&self) -> PairFrame<X>;

    /// The points of the first farthest along the unit vector `n`, and of the second farthest against it.
    fn extreme(&self, n: X::Vector) -> [X::Vector; 2];

    /// The nearest points told are on the two, within `margin`.
    fn holds(&self, axis: &Axis<X>, margin: f64) -> bool;

    /// The parts that may lie on each other along `normal`.
    fn patches(&self, normal: X::Vector) -> [Patch<'_, X>; 2];

    /// Offers the axes of a stage that `near` does not rule out; the first stage is that of flat parts.
    fn offer(&self, stage: usize, near: &NearPoints<X>, choice: &mut AxisChoice<X>);

    /// The axis of largest separation, or any one wider than `limit`. Flat parts are taken unless another axis is wider
    /// by more than `relative` of its separation. The second axis is that of [`AxisChoice::decide`].
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

    /// Emits where flat parts of the two lie on each other along the first axis, or else along the spare one. Says which
    /// axis is left, how many points, and the least gap.
    fn lie(
        &self,
        (axis, spare): (Axis<X>, Option<Axis<X>>),
        alert: f64,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) -> (Axis<X>, usize, f64) {
        let PairFrame { middle, scale, .. } = self.frame();
        let mut along = |normal: X::Vector| {
            let [first, second] = self.patches(normal);
            meet(&Manifold { normal, limit: alert, scale, middle, flipped: false }, &first, &second, emit)
        };
        let (count, least) = along(axis.normal);
        match spare {
            Some(spare) if count == 0 => {
                let (count, least) = along(spare.normal);
                (spare, count, least)
            }
            Some(spare) => (Axis { between: spare.between, ..axis }, count, least),
            None => (axis, count, least),
        }
    }
}
