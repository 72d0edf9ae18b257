//! Batches of general contacts under laws of one kind, and the kernel of their sweep.
// Loops run over the components of several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::batch::{Batch, LocalSolution, StepLengths, StickingImpulse, SweepState, change};
use super::bounded_law::{BoundedLaw, CONSTANTS};
use super::grouping::BATCH;
use super::packed::Packed;
use super::simd::{CacheLine, Simd, SimdKernel, dispatch};
use super::simd_velocities::{Inertias, VelocityRowsMut};
use super::{Change, GeneralContact, Mass, VelocityView, WORLD};
use crate::dim::Dim;

/// General contacts in batches: under plain friction cones, or under any `LAW`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GeneralBatches<X: Dim, const LAW: bool> {
    /// Per contact: normal, the two negated arms, 1/W_nn, 1/lambda_max(W_tt), friction, shift; then the law's other
    /// constants.
    pub(super) packed: Packed<X>,
    /// Indices of the contacts.
    pub(super) numbers: Vec<u32>,
    /// Offsets, in numbers, of the inverse inertias of the first and second bodies of each batch.
    inertia_offsets: Vec<[[u32; BATCH]; 2]>,
    /// Whether each batch has an impulse; not known, and so empty, before the first sweep over all of them.
    has_impulse: Vec<bool>,
}

impl<X: Dim, const LAW: bool> Default for GeneralBatches<X, LAW> {
    fn default() -> Self {
        Self { packed: Packed::default(), numbers: Vec::new(), inertia_offsets: Vec::new(), has_impulse: Vec::new() }
    }
}

/// The inverse inertias of bodies, as far apart as rows of velocities.
pub(super) fn inertia_rows<X: Dim>(masses: &[Mass<X>]) -> impl Iterator<Item = CacheLine> {
    const {
        assert!(
            BATCH.is_multiple_of(Packed::<X>::ROW_LENGTH),
            "rows of inertias are as far apart as those of velocities"
        )
    };
    masses.chunks(BATCH / Packed::<X>::ROW_LENGTH).map(|masses| {
        let mut rows = CacheLine::default();
        for (row, mass) in rows.0.chunks_exact_mut(Packed::<X>::ROW_LENGTH).zip(masses) {
            row.iter_mut().zip(X::packed_symmetric(&mass.inverse_inertia)).for_each(|(to, x)| *to = x);
        }
        rows
    })
}

impl<X: Dim, const LAW: bool> GeneralBatches<X, LAW> {
    /// Constants stored per contact: of any contact, and of its law.
    const CONTACT: usize = 4 * X::D + 3;
    const STRIDE: usize = Self::CONTACT + if LAW { CONSTANTS + X::D } else { 0 };

    /// Packs the contacts whose numbers are listed, with their impulses.
    pub(super) fn pack(
        &mut self,
        contacts: &[GeneralContact<X>],
        velocities: &VelocityView<X>,
        occupancy: &mut Vec<u64>,
    ) {
        let Self { packed, numbers, inertia_offsets, .. } = self;
        if numbers.is_empty() {
            return;
        }
        let contact = |number: u32| &contacts[numbers[number as usize] as usize];
        let ends = |number: u32| (contact(number).bodies, contact(number).impulse);
        let write = |number: u32, constants: &mut [CacheLine], lane: usize| {
            let GeneralContact { normal, arms, inverse_w, law, .. } = contact(number);
            for k in 0..X::D {
                let numbers = [normal[k], -arms[0][k], -arms[1][k], law.shift[k]];
                let slots = [k, X::D + k, 2 * X::D + k, 3 * X::D + 3 + k];
                numbers.into_iter().zip(slots).for_each(|(x, slot)| constants[slot].0[lane] = x);
            }
            let rest = [inverse_w[0], inverse_w[1], law.friction];
            rest.into_iter().enumerate().for_each(|(k, x)| constants[3 * X::D + k].0[lane] = x);
            if LAW {
                let (law, held) = BoundedLaw::of(law, *inverse_w);
                let numbers = law.numbers().into_iter().chain((0..X::D).map(|k| held[k]));
                constants[Self::CONTACT..].iter_mut().zip(numbers).for_each(|(to, x)| to.0[lane] = x);
            }
        };
        packed.pack(velocities, numbers.len(), Self::STRIDE, ends, write, occupancy);
        inertia_offsets.resize(packed.bodies.len(), [[WORLD.0; BATCH]; 2]);
        for (number, &contact) in numbers.iter().enumerate() {
            let (batch, lane) = packed.position(number);
            let bodies = contacts[contact as usize].bodies;
            let offset = |side: usize| bodies[side] * Packed::<X>::ROW_LENGTH as u32;
            (0..2).for_each(|side| inertia_offsets[batch][side][lane] = offset(side));
        }
    }

    pub(super) fn clear(&mut self) {
        self.packed.clear();
        self.numbers.clear();
        self.inertia_offsets.clear();
        self.has_impulse.clear();
    }

    /// Copies the impulses back to the contacts.
    pub(super) fn unpack(&self, contacts: &mut [GeneralContact<X>]) {
        for (&number, impulse) in self.numbers.iter().zip(self.packed.impulses()) {
            contacts[number as usize].impulse = impulse;
        }
    }

    /// One sweep; with `momentum`, from impulses extrapolated by that factor times their last change.
    pub(super) fn sweep(
        &mut self,
        inertias: &[CacheLine],
        velocities: &mut VelocityView<X>,
        relaxation: f64,
        momentum: Option<f64>,
    ) -> Change {
        self.packed.check_rows(velocities.array_len());
        let mut sums = [CacheLine::default(); 3];
        let state = SweepState { relaxation, factor: momentum.unwrap_or(0.0), sums: &mut sums };
        let Self { packed, inertia_offsets, has_impulse: swept, .. } = self;
        let of_bodies = (inertias, &**inertia_offsets);
        match (momentum.is_some(), relaxation != 1.0) {
            (false, false) => {
                dispatch(GeneralSweep::<X, LAW, false, false> { packed, swept, of_bodies, velocities, state })
            }
            (false, true) => {
                dispatch(GeneralSweep::<X, LAW, false, true> { packed, swept, of_bodies, velocities, state })
            }
            (true, false) => {
                dispatch(GeneralSweep::<X, LAW, true, false> { packed, swept, of_bodies, velocities, state })
            }
            (true, true) => {
                dispatch(GeneralSweep::<X, LAW, true, true> { packed, swept, of_bodies, velocities, state })
            }
        }
        change(sums)
    }

    /// Lets the next sweep visit all batches.
    pub(super) fn include_all(&mut self) {
        self.has_impulse.clear();
    }

    /// Lets the next sweeps visit the batches that have an impulse, or had one before the last sweep: others do not
    /// change the velocities.
    pub(super) fn skip_without_impulse(&mut self) {
        let has_any = |lines: &[CacheLine]| lines.iter().any(|line| line.0.iter().any(|x| *x != 0.0));
        let Packed { bodies, impulses, old, .. } = &self.packed;
        if self.has_impulse.is_empty() {
            self.has_impulse.resize(bodies.len(), true);
        }
        for (number, has_impulse) in self.has_impulse.iter_mut().enumerate().filter(|(_, visited)| **visited) {
            let own = number * X::D..(number + 1) * X::D;
            *has_impulse = has_any(&impulses[own.clone()]) || old.get(own).is_some_and(has_any);
        }
    }
}

/// Kernel of a sweep: under any law or plain cones, with or without momentum, relaxed or not.
struct GeneralSweep<'a, X: Dim, const LAW: bool, const MOMENTUM: bool, const RELAXED: bool> {
    packed: &'a mut Packed<X>,
    /// Whether the sweep visits each batch; all if empty.
    swept: &'a [bool],
    /// Inverse inertias of the bodies, and their offsets for each batch.
    of_bodies: (&'a [CacheLine], &'a [[[u32; BATCH]; 2]]),
    velocities: &'a mut VelocityView<X>,
    state: SweepState<'a>,
}

impl Batch<'_> {
    /// Solves the contacts from `lane` on.
    #[inline(always)]
    fn project<X: Dim, V: Simd, const LAW: bool, const MOMENTUM: bool, const RELAXED: bool>(
        &mut self,
        lane: usize,
        table: &mut VelocityRowsMut<'_, X>,
        (inertias, inertia_offsets): (&Inertias<'_, X>, &[[u32; BATCH]; 2]),
        tables: V::Tables,
        state: &mut SweepState,
    ) {
        let zero = V::splat(0.0);
        let mut a = table.view().read::<V>(&self.offsets[0][lane..lane + V::N], tables);
        let mut b = table.view().read::<V>(&self.offsets[1][lane..lane + V::N], tables);
        let n = self.vector::<X, V>(0, lane);
        let (arm_a, arm_b) = (self.vector::<X, V>(X::D, lane), self.vector::<X, V>(2 * X::D, lane));
        let steps = StepLengths {
            normal: V::load(&self.constants[3 * X::D], lane),
            tangent: V::load(&self.constants[3 * X::D + 1], lane),
            friction: V::load(&self.constants[3 * X::D + 2], lane),
            shift: None,
            rotation: None,
        };
        let (at_a, at_b) = (X::minus_cross(a.velocity, a.spin, arm_a), X::minus_cross(b.velocity, b.spin, arm_b));
        let mut u = [zero; 3];
        for k in 0..X::D {
            u[k] = at_b[k].minus(at_a[k]).plus(V::load(&self.constants[3 * X::D + 3 + k], lane));
        }
        let start = self.start::<X, V, MOMENTUM>(lane, state);
        let solution = match LAW {
            false => StickingImpulse::new::<X>(&u, &n, &start, steps).clip::<X>(),
            true => self.bounded::<X, V>(lane, (&u, &n, &start), steps),
        };
        let w = if MOMENTUM { steps.normal.if_above(zero, V::splat(1.0).over(steps.normal), zero) } else { zero };
        let correction = self.correct::<X, V, MOMENTUM, RELAXED>(lane, start, &n, solution, w, state);
        for k in 0..X::D {
            a.velocity[k] = a.inverse_mass.times_from(correction[k], a.velocity[k]);
            b.velocity[k] = b.inverse_mass.times_plus(correction[k], b.velocity[k]);
        }
        let inverse_a = inertias.read::<V>(&inertia_offsets[0][lane..lane + V::N], tables);
        let inverse_b = inertias.read::<V>(&inertia_offsets[1][lane..lane + V::N], tables);
        // The arms are negated.
        let spin_change_a = X::apply_symmetric(inverse_a, X::torques(arm_a, correction));
        let spin_change_b = X::apply_symmetric(inverse_b, X::torques(arm_b, correction));
        for k in 0..X::R {
            a.spin[k] = a.spin[k].plus(spin_change_a[k]);
            b.spin[k] = b.spin[k].minus(spin_change_b[k]);
        }
        table.write(&self.offsets[0][lane..lane + V::N], tables, &a);
        table.write(&self.offsets[1][lane..lane + V::N], tables, &b);
    }

    /// The solutions under any law, for relative velocities `u` under the impulses `start`.
    #[inline(always)]
    fn bounded<X: Dim, V: Simd>(
        &self,
        lane: usize,
        (u, n, start): (&[V; 3], &[V; 3], &[V; 3]),
        steps: StepLengths<V>,
    ) -> LocalSolution<V> {
        let first = GeneralBatches::<X, true>::CONTACT;
        let mut numbers = [V::splat(0.0); CONSTANTS];
        for k in 0..CONSTANTS {
            numbers[k] = V::load(&self.constants[first + k], lane);
        }
        let held = self.vector::<X, V>(first + CONSTANTS, lane);
        BoundedLaw::from_numbers(numbers).solve::<X>((u, n, start), held, steps)
    }
}

impl<X: Dim, const LAW: bool, const MOMENTUM: bool, const RELAXED: bool> SimdKernel
    for GeneralSweep<'_, X, LAW, MOMENTUM, RELAXED>
{
    #[inline(always)]
    fn run<V: Simd>(self) {
        let Self { packed, swept, of_bodies: (inertias, inertia_offsets), velocities, mut state } = self;
        let Packed { bodies, constants, impulses, old, .. } = packed;
        let tables = V::tables();
        let inertias = Inertias::<X>::new(inertias);
        let (mut table, old) = (VelocityRowsMut::<X>::new(velocities), &mut **old);
        let batches = bodies.iter().zip(constants.chunks_exact(GeneralBatches::<X, LAW>::STRIDE));
        for (number, ((offsets, constants), impulse)) in batches.zip(impulses.chunks_exact_mut(X::D)).enumerate() {
            if swept.get(number) == Some(&false) {
                continue;
            }
            let old: &mut [CacheLine] = if MOMENTUM { &mut old[number * X::D..][..X::D] } else { &mut [] };
            let mut batch = Batch { offsets, constants, impulse, old };
            for lane in (0..BATCH).step_by(V::N) {
                let of_bodies = (&inertias, &inertia_offsets[number]);
                batch.project::<X, V, LAW, MOMENTUM, RELAXED>(lane, &mut table, of_bodies, tables, &mut state);
            }
        }
    }
}
