//! Sphere contacts in batches, and the sweep over them.
//!
//! One contact per lane: lever arms are multiples of the normal, so W = diag(w_n, w_t, w_t) in any frame and the exact
//! Signorini-Coulomb solution is the sticking impulse clipped to the disk of radius mu r_n. Only relative quantities of
//! the two bodies are transposed from rows to lanes, and only the impulses on them back.
// Loops run over the components of several arrays at once.
#![allow(clippy::needless_range_loop)]

use std::ops::Range;

use super::batch::{Batch, LocalSolution, StepLengths, StickingImpulse, SweepState, change};
use super::grouping::BATCH;
use super::packed::Packed;
use super::simd::{CacheLine, Simd, SimdKernel, dispatch};
use super::simd_velocities::{RelativeVelocity, VelocityRowsMut};
use super::{Change, SphereContact, VelocityView};
use crate::dim::{Dim, Vector};

/// The sphere contacts of a problem, packed for sweeping.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SphereBatches<X: Dim> {
    /// Per contact: normal, arm, 1/w_t, and then the shift; if not lean, friction before the shift.
    pub(super) packed: Packed<X>,
    /// Friction is the same at all contacts and shifts are along the normals, so that one number each suffices. Not so
    /// where an obstacle slides or a law has tangential restitution.
    pub(super) is_lean: bool,
    /// The common coefficient of friction, if lean.
    pub(super) friction: f64,
}

/// Schedule of the velocity rows to prefetch: bodies appear roughly in the order of their row numbers. A subdomain has
/// left the private cache of a core by the time all others have been swept.
struct PrefetchSchedule {
    /// Current row, in 65536ths of a row.
    at: usize,
    advance: usize,
}

impl PrefetchSchedule {
    /// Prefetch distance in rows.
    const DISTANCE: usize = 256;
    /// Rows prefetched per batch: at most about so many bodies of a packing appear for the first time in a batch. In
    /// the plane bodies have fewer contacts.
    const fn each<X: Dim>() -> usize {
        if X::ONE_TANGENT { 4 } else { 3 }
    }

    fn new(rows: Range<usize>, batches: usize) -> Self {
        Self { at: (rows.start + Self::DISTANCE) << 16, advance: (rows.len() << 16) / batches.max(1) }
    }

    #[inline(always)]
    fn next(&mut self) -> usize {
        self.at += self.advance;
        self.at >> 16
    }
}

impl<X: Dim> SphereBatches<X> {
    /// Constants stored per contact.
    pub(super) const fn stride(is_lean: bool) -> usize {
        X::D + 3 + if is_lean { 0 } else { X::D }
    }

    /// Packs `contacts` between the bodies of these rows, with their impulses. `taken` is a scratch buffer.
    pub(super) fn pack(&mut self, contacts: &[SphereContact<X>], rows: &VelocityView<X>, taken: &mut Vec<u64>) {
        let friction = contacts.first().map_or(0.0, |contact| contact.friction);
        let is_lean = contacts.iter().all(|contact| contact.friction == friction && along(contact).is_some());
        (self.is_lean, self.friction) = (is_lean, friction);
        let contact = |number: u32| (contacts[number as usize].bodies, contacts[number as usize].impulse);
        let write = |number: u32, fixed: &mut [CacheLine], lane: usize| {
            let contact = &contacts[number as usize];
            (0..X::D).for_each(|k| fixed[k].0[lane] = contact.normal[k]);
            fixed[X::D].0[lane] = contact.arm;
            fixed[X::D + 1].0[lane] = contact.inverse_w(rows)[1];
            match along(contact).filter(|_| is_lean) {
                Some(shift) => fixed[X::D + 2].0[lane] = shift,
                None => {
                    fixed[X::D + 2].0[lane] = contact.friction;
                    (0..X::D).for_each(|k| fixed[X::D + 3 + k].0[lane] = contact.shift[k]);
                }
            }
        };
        self.packed.pack(rows, contacts.len(), Self::stride(is_lean), contact, write, taken);
    }

    /// The contact with index `number` and its current impulse; its bodies are given as row numbers.
    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> SphereContact<X> {
        let (batch, lane) = self.packed.place(number);
        let stride = Self::stride(self.is_lean);
        let fixed = &self.packed.numbers[batch * stride..][..stride];
        let normal: X::Vector = Vector::from_fn(|k| fixed[k].0[lane]);
        let (friction, shift) = match self.is_lean {
            true => (self.friction, normal * fixed[X::D + 2].0[lane]),
            false => (fixed[X::D + 2].0[lane], Vector::from_fn(|k| fixed[X::D + 3 + k].0[lane])),
        };
        let (bodies, impulse) = (self.packed.ends(number), self.packed.impulse(number));
        SphereContact { bodies, arm: fixed[X::D].0[lane], normal, shift, friction, impulse }
    }

    /// One sweep; with `momentum`, from impulses extrapolated by that factor times their last change.
    pub(super) fn sweep(&mut self, rows: &mut VelocityView<X>, relaxation: f64, momentum: Option<f64>) -> Change {
        self.packed.check(rows.array_len());
        let mut sums = [CacheLine::default(); 3];
        let course = SweepState { relaxation, factor: momentum.unwrap_or(0.0), sums: &mut sums };
        let Self { packed, is_lean, friction } = self;
        let friction = *friction;
        match (momentum.is_some(), *is_lean, relaxation != 1.0) {
            (false, false, false) => dispatch(SphereSweep::<X, false, false, false> { packed, friction, rows, course }),
            (false, false, true) => dispatch(SphereSweep::<X, false, false, true> { packed, friction, rows, course }),
            (false, true, false) => dispatch(SphereSweep::<X, false, true, false> { packed, friction, rows, course }),
            (false, true, true) => dispatch(SphereSweep::<X, false, true, true> { packed, friction, rows, course }),
            (true, false, false) => dispatch(SphereSweep::<X, true, false, false> { packed, friction, rows, course }),
            (true, false, true) => dispatch(SphereSweep::<X, true, false, true> { packed, friction, rows, course }),
            (true, true, false) => dispatch(SphereSweep::<X, true, true, false> { packed, friction, rows, course }),
            (true, true, true) => dispatch(SphereSweep::<X, true, true, true> { packed, friction, rows, course }),
        }
        change(sums)
    }
}

/// The shift as a multiple of the normal, if it is one up to rounding.
fn along<X: Dim>(contact: &SphereContact<X>) -> Option<f64> {
    let shift = contact.shift.dot(&contact.normal);
    let aside = (contact.shift - contact.normal * shift).norm2();
    (aside <= 1e-30 * contact.shift.norm2()).then_some(shift)
}

/// Kernel of a sweep, with or without momentum, over lean contacts or others, relaxed or not.
struct SphereSweep<'a, X: Dim, const MOMENTUM: bool, const LEAN: bool, const RELAXED: bool> {
    packed: &'a mut Packed<X>,
    friction: f64,
    rows: &'a mut VelocityView<X>,
    course: SweepState<'a>,
}

/// Contacts that have been loaded.
#[derive(Clone, Copy)]
struct LoadedBatch<V: Simd> {
    start: [V; 3],
    cone: StickingImpulse<V>,
    /// Sum of the inverse masses.
    w: V,
    /// Velocity rows of the bodies. They do not change before `end`: consecutive batches share no body.
    rows: V::Rows,
}

/// Contacts whose solution is known but not applied yet.
#[derive(Clone, Copy)]
struct SolvedBatch<V: Simd> {
    start: [V; 3],
    target: LocalSolution<V>,
    w: V,
    rows: V::Rows,
}

impl<V: Simd> LoadedBatch<V> {
    #[inline(always)]
    fn clip<X: Dim>(self) -> SolvedBatch<V> {
        SolvedBatch { start: self.start, target: self.cone.clip::<X>(), w: self.w, rows: self.rows }
    }
}

impl Batch<'_> {
    /// Prefetches the constants, `stride` of them, and the impulses of a batch some way ahead, because hardware
    /// prefetchers restart at each page.
    #[inline(always)]
    fn prefetch_later<X: Dim, V: Simd>(&self, stride: usize) {
        const BATCHES: usize = 6;
        for (list, each) in [(self.fixed.as_ptr(), stride), (self.impulse.as_ptr(), X::D)] {
            (0..each).for_each(|k| V::prefetch(list.wrapping_add(BATCHES * each + k).cast()));
        }
    }

    /// Row offsets of the bodies of the contacts from `lane` on.
    #[inline(always)]
    fn ends<V: Simd>(&self, lane: usize) -> [&[u32]; 2] {
        [&self.offsets[0][lane..lane + V::N], &self.offsets[1][lane..lane + V::N]]
    }

    /// Loads the contacts from `lane` on and computes their sticking impulses.
    #[inline(always)]
    fn begin<X: Dim, V: Simd, const MOMENTUM: bool, const LEAN: bool>(
        &mut self,
        lane: usize,
        friction: f64,
        table: &VelocityRowsMut<'_, X>,
        tables: V::Tables,
        course: &SweepState,
    ) -> LoadedBatch<V> {
        let RelativeVelocity { mut drift, inverse_mass: w, mut spin, rows } =
            table.view().between::<V>(self.ends::<V>(lane), tables);
        let arm = V::load(&self.fixed[X::D], lane);
        let friction = if LEAN { V::splat(friction) } else { V::load(&self.fixed[X::D + 2], lane) };
        let tangent = V::load(&self.fixed[X::D + 1], lane);
        // Equal up to rounding: registers are scarce in the plane, and this form keeps no constant in one.
        let normal = match X::ONE_TANGENT {
            true => arm.times(V::splat(X::BALL)).times_plus(arm.times(tangent), tangent),
            false => arm.times(arm).times_plus(V::splat(X::BALL), V::splat(1.0)).times(tangent),
        };
        let shift = LEAN.then(|| V::load(&self.fixed[X::D + 2], lane));

        // Relative velocity of the second body at the contact; in the plane without the contribution of the spins.
        let n = self.vector::<X, V>(0, lane);
        let rotation = X::ONE_TANGENT.then_some([arm, spin[0]]);
        if !LEAN {
            for k in 0..X::D {
                drift[k] = drift[k].plus(V::load(&self.fixed[X::D + 3 + k], lane));
            }
        }
        let mut u = drift;
        if !X::ONE_TANGENT {
            for k in 0..X::R {
                spin[k] = spin[k].times(arm);
            }
            u = X::minus_cross(drift, spin, n);
        }
        let steps = StepLengths { normal, tangent, friction, shift, rotation };
        let start = self.start::<X, V, MOMENTUM>(lane, course);
        LoadedBatch { start, cone: StickingImpulse::new::<X>(&u, &n, &start, steps), w, rows }
    }

    /// Applies the solutions of the contacts from `lane` on.
    #[inline(always)]
    fn end<X: Dim, V: Simd, const MOMENTUM: bool, const RELAXED: bool>(
        &mut self,
        lane: usize,
        known: SolvedBatch<V>,
        table: &mut VelocityRowsMut<'_, X>,
        tables: V::Tables,
        course: &mut SweepState,
    ) {
        let SolvedBatch { start, target, w, rows } = known;
        let n = self.vector::<X, V>(0, lane);
        let correction = self.correct::<X, V, MOMENTUM, RELAXED>(lane, start, &n, target, w, course);
        let mut turn = target.torque::<X, RELAXED>(n, correction, course);
        let by = V::load(&self.fixed[X::D], lane).times(V::splat(X::BALL));
        for k in 0..X::R {
            turn[k] = turn[k].times(by);
        }
        table.push(self.ends::<V>(lane), tables, &correction, &turn, rows);
    }
}

impl<X: Dim, const MOMENTUM: bool, const LEAN: bool, const RELAXED: bool> SimdKernel
    for SphereSweep<'_, X, MOMENTUM, LEAN, RELAXED>
{
    #[inline(always)]
    fn run<V: Simd>(self) {
        let stride = const { SphereBatches::<X>::stride(LEAN) };
        let Self { packed, friction, rows, mut course } = self;
        let Packed { bodies, numbers, impulses, old, .. } = packed;
        let tables = V::tables();
        let mut ahead = PrefetchSchedule::new(rows.own_numbers(), bodies.len());
        let mut table = VelocityRowsMut::<X>::new(rows);
        let mut olds = old.chunks_exact_mut(X::D);
        let batches = bodies.iter().zip(numbers.chunks_exact(stride)).zip(impulses.chunks_exact_mut(X::D));
        let mut batches = batches.map(|((offsets, fixed), impulse)| {
            let old = if MOMENTUM { olds.next() } else { None };
            Batch { offsets, fixed, impulse, old: old.unwrap_or_default() }
        });
        if !V::AHEAD {
            for mut batch in batches {
                for lane in (0..BATCH).step_by(V::N) {
                    let begun = batch.begin::<X, V, MOMENTUM, LEAN>(lane, friction, &table, tables, &course);
                    batch.end::<X, V, MOMENTUM, RELAXED>(lane, begun.clip::<X>(), &mut table, tables, &mut course);
                }
            }
        } else if let Some(mut before) = batches.next() {
            // A batch is loaded before the previous one is applied: they share no body, and the work on one hides the
            // latency of square roots and divisions of the other.
            let begun = before.begin::<X, V, MOMENTUM, LEAN>(0, friction, &table, tables, &course);
            let mut known = begun.clip::<X>();
            for mut batch in batches {
                table.prefetch::<V>(ahead.next(), const { PrefetchSchedule::each::<X>() });
                batch.prefetch_later::<X, V>(stride);
                let begun = batch.begin::<X, V, MOMENTUM, LEAN>(0, friction, &table, tables, &course);
                before.end::<X, V, MOMENTUM, RELAXED>(0, known, &mut table, tables, &mut course);
                (before, known) = (batch, begun.clip::<X>());
            }
            before.end::<X, V, MOMENTUM, RELAXED>(0, known, &mut table, tables, &mut course);
        }
    }
}
