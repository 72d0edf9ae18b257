//! Laws beyond a plain friction cone in batches: the map of `GeneralContact` under [`Reduced`] for several contacts at
//! once, with bounds, compliance, cohesion and a tangential spring.
// Loops run over the components of several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::batch::{LocalSolution, StepLengths, dot};
use super::simd::Simd;
use crate::dim::Dim;
use crate::law::Reduced;

/// Number of constants of a law, without the impulse of its spring.
pub(super) const CONSTANTS: usize = 9;

/// The constants of a law besides friction, shift and the elongation of its spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoundedLaw<T> {
    /// Normal and tangential compliance.
    compliance: [T; 2],
    /// Normal impulse below which the law is softer, and the relative change of an impulse below it.
    knee: T,
    softening: T,
    /// Least and greatest normal impulse.
    normal: [T; 2],
    /// Tangential resistance at zero normal impulse, and the greatest one.
    cohesion: T,
    cap: T,
    /// Share of an excess over the bound that a spring in parallel with the slider takes.
    share: T,
}

impl<T> BoundedLaw<T> {
    /// The constants in a fixed order.
    pub(super) fn numbers(self) -> [T; CONSTANTS] {
        let Self { compliance: [c_n, c_t], knee, softening, normal: [least, greatest], cohesion, cap, share } = self;
        [c_n, c_t, knee, softening, least, greatest, cohesion, cap, share]
    }

    /// The inverse of [`numbers`](Self::numbers).
    #[inline(always)]
    pub(super) fn from_numbers(numbers: [T; CONSTANTS]) -> Self {
        let [c_n, c_t, knee, softening, least, greatest, cohesion, cap, share] = numbers;
        Self { compliance: [c_n, c_t], knee, softening, normal: [least, greatest], cohesion, cap, share }
    }
}

impl BoundedLaw<f64> {
    /// The constants for a contact with these step lengths, and the impulse of its spring at the start of the step.
    pub(super) fn of<X: Dim>(law: &Reduced<X>, steps: [f64; 2]) -> (Self, X::Vector) {
        let extra = steps[0] * (law.pull - law.compliance[0]);
        let constants = Self {
            compliance: law.compliance,
            knee: law.knee,
            softening: 1.0 / (1.0 + extra) - 1.0,
            normal: law.normal,
            cohesion: law.cohesion,
            cap: law.cap,
            share: if law.spring == 0.0 { 0.0 } else { law.spring / (steps[1] + law.spring) },
        };
        (constants, law.stretch * law.spring)
    }
}

impl<V: Simd> BoundedLaw<V> {
    /// The impulses of the law for relative velocities `u` under the impulses `start`, where `held` are those of the
    /// springs.
    #[inline(always)]
    pub(super) fn solve<X: Dim>(
        self,
        (u, n, start): (&[V; 3], &[V; 3], &[V; 3]),
        held: [V; 3],
        steps: StepLengths<V>,
    ) -> LocalSolution<V> {
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let [c_n, c_t] = self.compliance;
        let p_n = dot::<X, V>(start, n);
        let y_n = c_n.times_plus(p_n, dot::<X, V>(u, n));
        let rigid = steps.normal.times_from(y_n, p_n);
        let soft = self.softening.times_plus(rigid.minus(self.knee).smaller(zero), rigid);
        let r_n = soft.larger(self.normal[0]).smaller(self.normal[1]);
        let radius = steps.friction.times_plus(r_n, self.cohesion).positive().smaller(self.cap);
        if X::ONE_TANGENT {
            // The tangent is the normal rotated by a quarter turn.
            let p_t = n[1].times_from(start[0], n[0].times(start[1]));
            let y_t = c_t.times_plus(p_t, n[0].times_less(u[1], n[1].times(u[0])));
            let spring = n[1].times_from(held[0], n[0].times(held[1]));
            let trial = steps.tangent.times_from(y_t, p_t).plus(spring);
            let slider = zero.minus(radius).larger(radius.smaller(trial));
            let r_t = self.share.times_plus(trial.minus(slider), slider).minus(spring);
            return LocalSolution::in_plane(r_n, r_t, p_t);
        }
        let mut trial = [zero; 3];
        // Removes the normal part.
        let u_n = dot::<X, V>(u, n);
        let along = c_t.times_plus(p_n, u_n);
        let normal_part = steps.tangent.times_less(along, p_n);
        for k in 0..X::D {
            let y = c_t.times_plus(start[k], u[k]);
            trial[k] = n[k].times_plus(normal_part, steps.tangent.times_from(y, start[k])).plus(held[k]);
        }
        let length2 = dot::<X, V>(&trial, &trial);
        let clip = length2.if_above(radius.times(radius), radius.over(length2.sqrt()), one);
        let kept = self.share.times_plus(one.minus(clip), clip);
        for k in 0..X::D {
            trial[k] = trial[k].times_plus(kept, zero.minus(held[k]));
        }
        LocalSolution::whole(r_n, trial)
    }
}
