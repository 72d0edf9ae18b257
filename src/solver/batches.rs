//! Round contacts in batches, and the sweep over them.
//!
//! One contact a lane: arms are multiples of the normal, so W = diag(w_n, w_t, w_t) in any frame and the exact
//! Signorini-Coulomb solution is the sticking impulse clipped to the disk of radius mu r_n. w_n and w_t follow from the
//! masses.
// Components are counted by dimension, over several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::batch::{Batch, Cone, Course, Steps, change};
use super::lanes::{Eight, Kernel, Lanes, dispatch};
use super::packed::Packed;
use super::table::{Bodies, Table};
use super::{Change, Line, Round};
use crate::dim::{Dim, Vector};

/// The round contacts of a problem, packed for sweeping.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Batches<X: Dim> {
    /// Of each contact: normal, arms, friction, shift.
    pub(super) packed: Packed<X>,
    /// Shifts are any vectors, as where an obstacle slides or a law bounces sideways; elsewhere they are along the normals
    /// and one number is enough.
    is_skew: bool,
}

/// Groups by which the velocities of bodies are asked for in advance...
const AHEAD: usize = 3;
/// ...where there are so many bodies that a core's own cache does not hold them.
const MANY: usize = 16_384;

impl<X: Dim> Batches<X> {
    /// Numbers of a contact that stay as they are.
    const fn stride(is_skew: bool) -> usize {
        X::D + 3 + if is_skew { X::D } else { 1 }
    }

    /// Take `contacts` between `bodies` bodies, with their impulses.
    pub(super) fn pack(&mut self, contacts: &[Round<X>], bodies: usize) {
        let is_skew = contacts.iter().any(|contact| along(contact).is_none());
        self.is_skew = is_skew;
        let contact = |number: u32| (contacts[number as usize].bodies, contacts[number as usize].impulse);
        self.packed.pack(bodies, contacts.len(), Self::stride(is_skew), contact, |number, fixed, lane| {
            let contact = &contacts[number as usize];
            (0..X::D).for_each(|k| fixed[k].0[lane] = contact.normal[k]);
            let [arm_a, arm_b] = contact.arms;
            let rest = [arm_a, arm_b, contact.friction];
            rest.iter().enumerate().for_each(|(k, &x)| fixed[X::D + k].0[lane] = x);
            match along(contact).filter(|_| !is_skew) {
                Some(shift) => fixed[X::D + 3].0[lane] = shift,
                None => (0..X::D).for_each(|k| fixed[X::D + 3 + k].0[lane] = contact.shift[k]),
            }
        });
    }

    /// Give the contacts their impulses back.
    pub(super) fn unpack(&self, contacts: &mut [Round<X>]) {
        contacts.iter_mut().zip(self.packed.impulses()).for_each(|(contact, impulse)| contact.impulse = impulse);
    }

    /// One sweep; with `momentum`, from impulses moved on by that factor times their last change.
    pub(super) fn sweep(&mut self, lines: &mut [Line<X>], relaxation: f64, momentum: Option<f64>) -> Change {
        self.packed.check(lines.len());
        let mut sums = [Eight::default(); 4];
        let course = Course { relaxation, factor: momentum.unwrap_or(0.0), sums: &mut sums };
        let (packed, is_skew) = (&mut self.packed, self.is_skew);
        match (momentum.is_some(), is_skew) {
            (false, false) => dispatch(Sweep::<X, false, false> { packed, lines, course }),
            (false, true) => dispatch(Sweep::<X, false, true> { packed, lines, course }),
            (true, false) => dispatch(Sweep::<X, true, false> { packed, lines, course }),
            (true, true) => dispatch(Sweep::<X, true, true> { packed, lines, course }),
        }
        change(sums)
    }
}

/// The shift as a multiple of the normal, if it is one but for rounding.
fn along<X: Dim>(contact: &Round<X>) -> Option<f64> {
    let shift = contact.shift.dot(&contact.normal);
    let aside = (contact.shift - contact.normal * shift).norm2();
    (aside <= 1e-30 * contact.shift.norm2()).then_some(shift)
}

/// A sweep under way, with or without momentum, with any shifts or those along the normals.
struct Sweep<'a, X: Dim, const MOMENTUM: bool, const SKEW: bool> {
    packed: &'a mut Packed<X>,
    lines: &'a mut [Line<X>],
    course: Course<'a>,
}

/// Contacts that have been looked at and not yet solved.
#[derive(Clone, Copy)]
struct Begun<V> {
    bodies: [Bodies<V>; 2],
    start: [V; 3],
    cone: Cone<V>,
}

impl Batch<'_> {
    /// Looks at the contacts from `lane` on.
    #[inline(always)]
    fn begin<X: Dim, V: Lanes, const MOMENTUM: bool, const SKEW: bool>(
        &mut self,
        lane: usize,
        table: &Table<'_, X>,
        tables: V::Tables,
        course: &Course,
    ) -> Begun<V> {
        let zero = V::splat(0.0);
        let a = table.read::<V>(&self.offsets[0][lane..lane + V::N], tables);
        let b = table.read::<V>(&self.offsets[1][lane..lane + V::N], tables);
        let arm_a = V::load(&self.fixed[X::D], lane);
        let arm_b = V::load(&self.fixed[X::D + 1], lane);
        let friction = V::load(&self.fixed[X::D + 2], lane);

        // 1/w_n and 1/w_t by one division; none for the world with itself.
        let w_n = a.inverse_mass.plus(b.inverse_mass);
        let turn = arm_b.times(arm_b).times_plus(b.inverse_mass, arm_a.times(arm_a).times(a.inverse_mass));
        let w_t = turn.times_plus(V::splat(X::BALL), w_n);
        let product = w_n.times(w_t);
        let inverse = product.if_above(zero, V::splat(1.0).over(product), zero);
        let steps = Steps { normal: w_t.times(inverse), tangent: w_n.times(inverse), friction };

        // Relative velocity of the second body at the contact.
        let n = self.vector::<X, V>(0, lane);
        let [mut spin, mut drift] = [[zero; 3]; 2];
        for k in 0..X::R {
            spin[k] = arm_a.times_plus(a.spin[k], arm_b.times(b.spin[k]));
        }
        for k in 0..X::D {
            drift[k] = b.velocity[k].minus(a.velocity[k]);
            drift[k] = if SKEW {
                drift[k].plus(V::load(&self.fixed[X::D + 3 + k], lane))
            } else {
                n[k].times_plus(V::load(&self.fixed[X::D + 3], lane), drift[k])
            };
        }
        let u = X::less_swings(drift, spin, n);
        let start = self.start::<X, V, MOMENTUM>(lane, course);
        Begun { bodies: [a, b], start, cone: Cone::new::<X>(&u, &n, &start, steps) }
    }

    /// Solves them.
    #[inline(always)]
    fn end<X: Dim, V: Lanes, const MOMENTUM: bool>(
        &mut self,
        lane: usize,
        begun: Begun<V>,
        table: &mut Table<'_, X>,
        tables: V::Tables,
        course: &mut Course,
    ) {
        let Begun { bodies: [mut a, mut b], start, cone } = begun;
        let n = self.vector::<X, V>(0, lane);
        let w = a.inverse_mass.plus(b.inverse_mass);
        let correction = self.correct::<X, V, MOMENTUM>(lane, start, &n, cone, w, course);
        let turn = X::torques(n, correction);
        let by_a = V::load(&self.fixed[X::D], lane).times(a.inverse_mass).times(V::splat(X::BALL));
        let by_b = V::load(&self.fixed[X::D + 1], lane).times(b.inverse_mass).times(V::splat(X::BALL));
        for k in 0..X::D {
            a.velocity[k] = a.inverse_mass.times_from(correction[k], a.velocity[k]);
            b.velocity[k] = b.inverse_mass.times_plus(correction[k], b.velocity[k]);
        }
        for k in 0..X::R {
            a.spin[k] = by_a.times_from(turn[k], a.spin[k]);
            b.spin[k] = by_b.times_from(turn[k], b.spin[k]);
        }
        table.write(&self.offsets[0][lane..lane + V::N], tables, &a);
        table.write(&self.offsets[1][lane..lane + V::N], tables, &b);
    }
}

impl<X: Dim, const MOMENTUM: bool, const SKEW: bool> Kernel for Sweep<'_, X, MOMENTUM, SKEW> {
    #[inline(always)]
    fn run<V: Lanes>(self) {
        let stride = const { Batches::<X>::stride(SKEW) };
        let Self { packed, lines, mut course } = self;
        let Packed { bodies, numbers, impulses, old, .. } = packed;
        let tables = V::tables();
        let in_advance = if lines.len() > MANY { 2 } else { 0 };
        let mut table = Table::<X>::new(lines);
        let groups = bodies.chunks_exact(2).zip(numbers.chunks_exact(2 * stride));
        let groups = groups.zip(impulses.chunks_exact_mut(2 * X::D));
        for (number, ((offsets, fixed), impulse)) in groups.enumerate() {
            for ahead in bodies.iter().skip(2 * (number + AHEAD)).take(in_advance) {
                table.prefetch::<V>(ahead);
            }
            let old: &mut [Eight] = if MOMENTUM { &mut old[2 * number * X::D..][..2 * X::D] } else { &mut [] };
            let (old_1, old_2) = old.split_at_mut(if MOMENTUM { X::D } else { 0 });
            let (fixed_1, fixed_2) = fixed.split_at(stride);
            let (impulse_1, impulse_2) = impulse.split_at_mut(X::D);
            let mut one = Batch { offsets: &offsets[0], fixed: fixed_1, impulse: impulse_1, old: old_1 };
            let mut two = Batch { offsets: &offsets[1], fixed: fixed_2, impulse: impulse_2, old: old_2 };
            for lane in (0..8).step_by(V::N) {
                let first = one.begin::<X, V, MOMENTUM, SKEW>(lane, &table, tables, &course);
                if V::AT_ONCE == 2 {
                    let second = two.begin::<X, V, MOMENTUM, SKEW>(lane, &table, tables, &course);
                    one.end::<X, V, MOMENTUM>(lane, first, &mut table, tables, &mut course);
                    two.end::<X, V, MOMENTUM>(lane, second, &mut table, tables, &mut course);
                } else {
                    one.end::<X, V, MOMENTUM>(lane, first, &mut table, tables, &mut course);
                    let second = two.begin::<X, V, MOMENTUM, SKEW>(lane, &table, tables, &course);
                    two.end::<X, V, MOMENTUM>(lane, second, &mut table, tables, &mut course);
                }
            }
        }
    }
}
