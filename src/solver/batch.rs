//! A batch of eight contacts during a sweep: what the kernels for sphere and general contacts share.
//!
//! With impulse p and relative velocity u, the solution of a contact whose W is, or is bounded by, diag(w_n, w_t, w_t)
//! is
//!
//! r_n = max(p_n - u_n/w_n, 0),  r_t = p_t - u_t/w_t clipped to the disk of radius mu r_n.
//!
//! Everything down to the single instruction must be inlined into the function that is compiled for the instruction
//! set, so nothing here is a closure: closures cannot be forced inline.
// Loops run over the components of several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::Change;
use super::grouping::BATCH;
use super::simd::{CacheLine, Simd};
use crate::dim::Dim;

/// One batch of packed contacts.
pub(super) struct Batch<'a> {
    /// Offsets, in numbers, of the velocity rows of the first and second bodies.
    pub(super) offsets: &'a [[u32; BATCH]; 2],
    pub(super) constants: &'a [CacheLine],
    pub(super) impulse: &'a mut [CacheLine],
    /// Impulses before the last sweep; empty without momentum.
    pub(super) old: &'a mut [CacheLine],
}

/// Parameters of a sweep, and its sums.
pub(super) struct SweepState<'a> {
    pub(super) relaxation: f64,
    /// Extrapolation factor of the momentum.
    pub(super) factor: f64,
    pub(super) sums: &'a mut [CacheLine; 3],
}

/// Reduces the sums of a sweep over the lanes.
pub(super) fn change(sums: [CacheLine; 3]) -> Change {
    let [corrections, size, against] = sums.map(|lanes| lanes.0.iter().sum());
    Change { corrections, size, against }
}

/// 1/w_n, 1/w_t, the coefficient of friction, and the law's shift of the normal velocity, if any.
#[derive(Clone, Copy)]
pub(super) struct StepLengths<V> {
    pub(super) normal: V,
    pub(super) tangent: V,
    pub(super) friction: V,
    pub(super) shift: Option<V>,
    /// Two numbers whose product is subtracted from the tangential velocity, if any; only in the plane.
    pub(super) rotation: Option<[V; 2]>,
}

/// A sticking impulse, and the disk to which it is clipped.
#[derive(Clone, Copy)]
pub(super) struct StickingImpulse<V> {
    /// In the plane: its tangential component, already clipped, and the change of that component.
    tangent: [V; 3],
    r_n: V,
    radius: V,
    length2: V,
    length: V,
}

/// The solution in parts: the normal times `r_n` plus `tangent` times `clip`.
#[derive(Clone, Copy)]
pub(super) struct LocalSolution<V> {
    /// In the plane: see [`StickingImpulse`].
    tangent: [V; 3],
    r_n: V,
    clip: V,
}

#[inline(always)]
pub(super) fn dot<X: Dim, V: Simd>(a: &[V; 3], b: &[V; 3]) -> V {
    let mut sum = a[0].times(b[0]);
    for k in 1..X::D {
        sum = a[k].times_plus(b[k], sum);
    }
    sum
}

impl<V: Simd> StickingImpulse<V> {
    /// For relative velocities `u` under the impulses `start`.
    #[inline(always)]
    pub(super) fn new<X: Dim>(u: &[V; 3], n: &[V; 3], start: &[V; 3], steps: StepLengths<V>) -> Self {
        let (u_n, p_n) = (dot::<X, V>(u, n), dot::<X, V>(start, n));
        let shifted = steps.shift.map_or(u_n, |shift| u_n.plus(shift));
        let r_n = steps.normal.times_from(shifted, p_n).positive();
        let radius = steps.friction.times(r_n);
        if X::ONE_TANGENT {
            return Self::in_plane(u, n, start, steps, r_n, radius);
        }
        // Removes the normal part of p - u/w_t.
        let normal_part = steps.tangent.times_less(u_n, p_n);
        let mut tangent = [V::splat(0.0); 3];
        for k in 0..X::D {
            tangent[k] = n[k].times_plus(normal_part, steps.tangent.times_from(u[k], start[k]));
        }
        let length2 = dot::<X, V>(&tangent, &tangent);
        Self { tangent, r_n, radius, length2, length: length2.sqrt() }
    }

    /// In the plane, without square roots and divisions. The tangent is the normal rotated by a quarter turn.
    #[inline(always)]
    fn in_plane(u: &[V; 3], n: &[V; 3], start: &[V; 3], steps: StepLengths<V>, r_n: V, radius: V) -> Self {
        let zero = V::splat(0.0);
        let across = n[1].times(u[0]);
        let across = steps.rotation.map_or(across, |[a, b]| a.times_plus(b, across));
        let u_t = n[0].times_less(u[1], across);
        let p_t = n[1].times_from(start[0], n[0].times(start[1]));
        // Propagates NaN.
        let r_t = zero.minus(radius).larger(radius.smaller(steps.tangent.times_from(u_t, p_t)));
        Self { tangent: [r_t, r_t.minus(p_t), zero], r_n, radius, length2: zero, length: zero }
    }

    /// Clips the impulse. Square roots and divisions have the longest latency, so call this well ahead.
    #[inline(always)]
    pub(super) fn clip<X: Dim>(self) -> LocalSolution<V> {
        let Self { tangent, r_n, radius, length2, length } = self;
        if X::ONE_TANGENT {
            return LocalSolution { tangent, r_n, clip: V::splat(1.0) };
        }
        LocalSolution { tangent, r_n, clip: length2.if_above(radius.times(radius), radius.over(length), V::splat(1.0)) }
    }
}

impl<V: Simd> LocalSolution<V> {
    /// In the plane: the normal and tangential impulse, and the tangential impulse to start from.
    #[inline(always)]
    pub(super) fn in_plane(r_n: V, r_t: V, p_t: V) -> Self {
        Self { tangent: [r_t, r_t.minus(p_t), V::splat(0.0)], r_n, clip: V::splat(1.0) }
    }

    /// In space: the normal impulse and the tangential one.
    #[inline(always)]
    pub(super) fn whole(r_n: V, tangent: [V; 3]) -> Self {
        Self { tangent, r_n, clip: V::splat(1.0) }
    }

    /// Component `k` of the impulse.
    #[inline(always)]
    fn impulse<X: Dim>(&self, n: &[V; 3], k: usize) -> V {
        let along = n[k].times(self.r_n);
        match (X::ONE_TANGENT, k) {
            (true, 0) => n[1].times_from(self.tangent[0], along),
            (true, _) => n[0].times_plus(self.tangent[0], along),
            (false, _) => self.tangent[k].times_plus(self.clip, along),
        }
    }

    /// Normal x `correction`, where `correction` is the relaxed step towards this solution.
    #[inline(always)]
    pub(super) fn torque<X: Dim, const RELAXED: bool>(
        &self,
        n: [V; 3],
        correction: [V; 3],
        state: &SweepState,
    ) -> [V; 3] {
        let change = self.tangent[1];
        match (X::ONE_TANGENT, RELAXED) {
            (true, false) => [change; 3],
            (true, true) => [change.times(V::splat(state.relaxation)); 3],
            (false, _) => X::torques(n, correction),
        }
    }
}

impl Batch<'_> {
    /// Constants `first`, `first` + 1, ... of the contacts from `lane` on, as a vector.
    #[inline(always)]
    pub(super) fn vector<X: Dim, V: Simd>(&self, first: usize, lane: usize) -> [V; 3] {
        let mut vector = [V::splat(0.0); 3];
        for k in 0..X::D {
            vector[k] = V::load(&self.constants[first + k], lane);
        }
        vector
    }

    /// The impulses to start from, extrapolated with momentum.
    #[inline(always)]
    pub(super) fn start<X: Dim, V: Simd, const MOMENTUM: bool>(&mut self, lane: usize, state: &SweepState) -> [V; 3] {
        let mut start = [V::splat(0.0); 3];
        for k in 0..X::D {
            start[k] = V::load(&self.impulse[k], lane);
            if MOMENTUM {
                let x = start[k];
                start[k] = V::splat(state.factor).times_plus(x.minus(V::load(&self.old[k], lane)), x);
                x.store(&mut self.old[k], lane);
            }
        }
        start
    }

    /// Moves the impulses from `start` to the solution, or by the relaxed fraction of that step; returns the
    /// correction. `w` is the inverse effective mass; only with momentum.
    #[inline(always)]
    pub(super) fn correct<X: Dim, V: Simd, const MOMENTUM: bool, const RELAXED: bool>(
        &mut self,
        lane: usize,
        start: [V; 3],
        n: &[V; 3],
        solution: LocalSolution<V>,
        w: V,
        state: &mut SweepState,
    ) -> [V; 3] {
        let [corrections, size, against] = &mut *state.sums;
        let [mut correction, mut end, mut change] = [[V::splat(0.0); 3]; 3];
        for k in 0..X::D {
            end[k] = solution.impulse::<X>(n, k);
            correction[k] = end[k].minus(start[k]);
            if RELAXED {
                correction[k] = correction[k].times(V::splat(state.relaxation));
                end[k] = start[k].plus(correction[k]);
            }
            end[k].store(&mut self.impulse[k], lane);
        }
        let correction2 = dot::<X, V>(&correction, &correction);
        V::load(corrections, lane).plus(correction2).store(corrections, lane);
        if MOMENTUM {
            for k in 0..X::D {
                change[k] = end[k].minus(V::load(&self.old[k], lane));
            }
            w.times_plus(correction2, V::load(size, lane)).store(size, lane);
            w.times_from(dot::<X, V>(&correction, &change), V::load(against, lane)).store(against, lane);
        }
        correction
    }
}
