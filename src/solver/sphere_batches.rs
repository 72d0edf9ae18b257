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
    /// Friction is the same at all contacts and shifts are along the normals, so that one number each suffices. This
    /// fails where an obstacle slides or a law has tangential restitution.
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
    const fn rows_per_batch<X: Dim>() -> usize {
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

    /// Packs `contacts` between the bodies of these rows, with their impulses. `occupancy` is a scratch buffer.
    pub(super) fn pack(&mut self, contacts: &[SphereContact<X>], rows: &VelocityView<X>, occupancy: &mut Vec<u64>) {
        let friction = contacts.first().map_or(0.0, |contact| contact.friction);
        let is_lean = contacts.iter().all(|contact| contact.friction == friction && normal_shift(contact).is_some());
        (self.is_lean, self.friction) = (is_lean, friction);
        let contact = |number: u32| (contacts[number as usize].bodies, contacts[number as usize].impulse);
        let write = |number: u32, constants: &mut [CacheLine], lane: usize| {
            let contact = &contacts[number as usize];
            (0..X::D).for_each(|k| constants[k].0[lane] = contact.normal[k]);
            constants[X::D].0[lane] = contact.arm;
            constants[X::D + 1].0[lane] = contact.inverse_w(rows)[1];
            match normal_shift(contact).filter(|_| is_lean) {
                Some(shift) => constants[X::D + 2].0[lane] = shift,
                None => {
                    constants[X::D + 2].0[lane] = contact.friction;
                    (0..X::D).for_each(|k| constants[X::D + 3 + k].0[lane] = contact.shift[k]);
                }
            }
        };
        self.packed.pack(rows, contacts.len(), Self::stride(is_lean), contact, write, occupancy);
    }

    /// The contact with index `number` and its current impulse; its bodies are given as row numbers.
    #[inline(always)]
    pub(super) fn get(&self, number: usize) -> SphereContact<X> {
        let (batch, lane) = self.packed.position(number);
        let stride = Self::stride(self.is_lean);
        let constants = &self.packed.constants[batch * stride..][..stride];
        let normal: X::Vector = Vector::from_fn(|k| constants[k].0[lane]);
        let (friction, shift) = match self.is_lean {
            true => (self.friction, normal * constants[X::D + 2].0[lane]),
            false => (constants[X::D + 2].0[lane], Vector::from_fn(|k| constants[X::D + 3 + k].0[lane])),
        };
        let (bodies, impulse) = (self.packed.ends(number), self.packed.impulse(number));
        SphereContact { bodies, arm: constants[X::D].0[lane], normal, shift, friction, impulse }
    }

    /// One sweep; with `momentum`, from impulses extrapolated by that factor times their last change.
    pub(super) fn sweep(&mut self, rows: &mut VelocityView<X>, relaxation: f64, momentum: Option<f64>) -> Change {
        self.packed.check_rows(rows.array_len());
        let mut sums = [CacheLine::default(); 3];
        let state = SweepState { relaxation, factor: momentum.unwrap_or(0.0), sums: &mut sums };
        let Self { packed, is_lean, friction } = self;
        let friction = *friction;
        match (momentum.is_some(), *is_lean, relaxation != 1.0) {
            (false, false, false) => dispatch(SphereSweep::<X, false, false, false> { packed, friction, rows, state }),
            (false, false, true) => dispatch(SphereSweep::<X, false, false, true> { packed, friction, rows, state }),
            (false, true, false) => dispatch(SphereSweep::<X, false, true, false> { packed, friction, rows, state }),
            (false, true, true) => dispatch(SphereSweep::<X, false, true, true> { packed, friction, rows, state }),
            (true, false, false) => dispatch(SphereSweep::<X, true, false, false> { packed, friction, rows, state }),
            (true, false, true) => dispatch(SphereSweep::<X, true, false, true> { packed, friction, rows, state }),
            (true, true, false) => dispatch(SphereSweep::<X, true, true, false> { packed, friction, rows, state }),
            (true, true, true) => dispatch(SphereSweep::<X, true, true, true> { packed, friction, rows, state }),
        }
        change(sums)
    }
}

/// The shift as a multiple of the normal, if it is one up to rounding.
fn normal_shift<X: Dim>(contact: &SphereContact<X>) -> Option<f64> {
    let shift = contact.shift.dot(&contact.normal);
    let tangential2 = (contact.shift - contact.normal * shift).norm2();
    (tangential2 <= 1e-30 * contact.shift.norm2()).then_some(shift)
}

/// Kernel of a sweep, with or without momentum, over lean contacts or others, relaxed or not.
struct SphereSweep<'a, X: Dim, const MOMENTUM: bool, const LEAN: bool, const RELAXED: bool> {
    packed: &'a mut Packed<X>,
    friction: f64,
    rows: &'a mut VelocityView<X>,
    state: SweepState<'a>,
}

/// Contacts that have been loaded.
#[derive(Clone, Copy)]
struct LoadedBatch<V: Simd> {
    start: [V; 3],
    sticking: StickingImpulse<V>,
    /// Sum of the inverse masses.
    w: V,
    /// Velocity rows of the bodies. They do not change before [`Batch::apply`]: consecutive batches share no body.
    rows: V::Rows,
}

/// Contacts whose solution is known but not applied yet.
#[derive(Clone, Copy)]
struct SolvedBatch<V: Simd> {
    start: [V; 3],
    solution: LocalSolution<V>,
    w: V,
    rows: V::Rows,
}

impl<V: Simd> LoadedBatch<V> {
    #[inline(always)]
    fn clip<X: Dim>(self) -> SolvedBatch<V> {
        SolvedBatch { start: self.start, solution: self.sticking.clip::<X>(), w: self.w, rows: self.rows }
    }
}

impl Batch<'_> {
    /// Prefetches the constants, `stride` of them, and the impulses of a batch some way ahead, because hardware
    /// prefetchers restart at each page.
    #[inline(always)]
    fn prefetch_ahead<X: Dim, V: Simd>(&self, stride: usize) {
        const BATCHES: usize = 6;
        for (list, each) in [(self.constants.as_ptr(), stride), (self.impulse.as_ptr(), X::D)] {
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
    fn load<X: Dim, V: Simd, const MOMENTUM: bool, const LEAN: bool>(
        &mut self,
        lane: usize,
        friction: f64,
        table: &VelocityRowsMut<'_, X>,
        tables: V::Tables,
        state: &SweepState,
    ) -> LoadedBatch<V> {
        let RelativeVelocity { mut linear, inverse_mass: w, mut spin, rows } =
            table.view().relative_velocity::<V>(self.ends::<V>(lane), tables);
        let arm = V::load(&self.constants[X::D], lane);
        let friction = if LEAN { V::splat(friction) } else { V::load(&self.constants[X::D + 2], lane) };
        let tangent = V::load(&self.constants[X::D + 1], lane);
        // Equal up to rounding: registers are scarce in the plane, and this form keeps no constant in one.
        let normal = match X::ONE_TANGENT {
            true => arm.times(V::splat(X::BALL)).times_plus(arm.times(tangent), tangent),
            false => arm.times(arm).times_plus(V::splat(X::BALL), V::splat(1.0)).times(tangent),
        };
        let shift = LEAN.then(|| V::load(&self.constants[X::D + 2], lane));

        // Relative velocity of the second body at the contact; in the plane without the contribution of the spins.
        let n = self.vector::<X, V>(0, lane);
        let rotation = X::ONE_TANGENT.then_some([arm, spin[0]]);
        if !LEAN {
            for k in 0..X::D {
                linear[k] = linear[k].plus(V::load(&self.constants[X::D + 3 + k], lane));
            }
        }
        let mut u = linear;
        if !X::ONE_TANGENT {
            for k in 0..X::R {
                spin[k] = spin[k].times(arm);
            }
            u = X::minus_cross(linear, spin, n);
        }
        let steps = StepLengths { normal, tangent, friction, shift, rotation };
        let start = self.start::<X, V, MOMENTUM>(lane, state);
        LoadedBatch { start, sticking: StickingImpulse::new::<X>(&u, &n, &start, steps), w, rows }
    }

    /// Applies the solutions of the contacts from `lane` on.
    #[inline(always)]
    fn apply<X: Dim, V: Simd, const MOMENTUM: bool, const RELAXED: bool>(
        &mut self,
        lane: usize,
        solved: SolvedBatch<V>,
        table: &mut VelocityRowsMut<'_, X>,
        tables: V::Tables,
        state: &mut SweepState,
    ) {
        let SolvedBatch { start, solution, w, rows } = solved;
        let n = self.vector::<X, V>(0, lane);
        let correction = self.correct::<X, V, MOMENTUM, RELAXED>(lane, start, &n, solution, w, state);
        let mut torque = solution.torque::<X, RELAXED>(n, correction, state);
        // The arm times the inverse inertia over the inverse mass, in scaled spins.
        let factor = V::load(&self.constants[X::D], lane).times(V::splat(X::BALL));
        for k in 0..X::R {
            torque[k] = torque[k].times(factor);
        }
        table.apply(self.ends::<V>(lane), tables, &correction, &torque, rows);
    }
}

impl<X: Dim, const MOMENTUM: bool, const LEAN: bool, const RELAXED: bool> SimdKernel
    for SphereSweep<'_, X, MOMENTUM, LEAN, RELAXED>
{
    #[inline(always)]
    fn run<V: Simd>(self) {
        let stride = const { SphereBatches::<X>::stride(LEAN) };
        let Self { packed, friction, rows, mut state } = self;
        let Packed { bodies, constants, impulses, old, .. } = packed;
        let tables = V::tables();
        let mut schedule = PrefetchSchedule::new(rows.own_rows(), bodies.len());
        let mut table = VelocityRowsMut::<X>::new(rows);
        let mut olds = old.chunks_exact_mut(X::D);
        let batches = bodies.iter().zip(constants.chunks_exact(stride)).zip(impulses.chunks_exact_mut(X::D));
        let mut batches = batches.map(|((offsets, constants), impulse)| {
            let old = if MOMENTUM { olds.next() } else { None };
            Batch { offsets, constants, impulse, old: old.unwrap_or_default() }
        });
        if !V::LOADS_AHEAD {
            for mut batch in batches {
                for lane in (0..BATCH).step_by(V::N) {
                    let loaded = batch.load::<X, V, MOMENTUM, LEAN>(lane, friction, &table, tables, &state);
                    batch.apply::<X, V, MOMENTUM, RELAXED>(lane, loaded.clip::<X>(), &mut table, tables, &mut state);
                }
            }
        } else if let Some(mut previous) = batches.next() {
            // A batch is loaded before the previous one is applied: they share no body, and the work on one hides the
            // latency of square roots and divisions of the other.
            let loaded = previous.load::<X, V, MOMENTUM, LEAN>(0, friction, &table, tables, &state);
            let mut solved = loaded.clip::<X>();
            for mut batch in batches {
                table.prefetch::<V>(schedule.next(), const { PrefetchSchedule::rows_per_batch::<X>() });
                batch.prefetch_ahead::<X, V>(stride);
                let loaded = batch.load::<X, V, MOMENTUM, LEAN>(0, friction, &table, tables, &state);
                previous.apply::<X, V, MOMENTUM, RELAXED>(0, solved, &mut table, tables, &mut state);
                (previous, solved) = (batch, loaded.clip::<X>());
            }
            previous.apply::<X, V, MOMENTUM, RELAXED>(0, solved, &mut table, tables, &mut state);
        }
    }
}
