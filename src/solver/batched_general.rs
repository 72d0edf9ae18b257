//! General contacts in batches, and the sweep over them: one projected step per contact.
//!
//! The same as the sweep one by one (see `general`), for contacts under a plain friction cone whose bodies have the
//! same inverse mass in every direction. All others are swept one by one.
// Loops run over the components of several arrays at once.
#![allow(clippy::needless_range_loop)]

use super::batch::{Batch, StepLengths, StickingImpulse, SweepState, change};
use super::grouping::BATCH;
use super::packed::Packed;
use super::simd::{CacheLine, Simd, SimdKernel, dispatch};
use super::simd_velocities::{Inertias, VelocityRowsMut};
use super::{Change, GeneralContact, Mass, VelocityView, WORLD};
use crate::dim::Dim;

/// General contacts packed for sweeping.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BatchedGeneral<X: Dim> {
    /// Per contact: normal, the two negated arms, 1/W_nn, 1/lambda_max(W_tt), friction, shift.
    pub(super) packed: Packed<X>,
    /// Indices of the contacts that are packed, and of those that are not.
    batched: Vec<u32>,
    pub(super) unpacked: Vec<u32>,
    /// Inverse inertia of each body.
    inertias: Vec<CacheLine>,
    /// Offsets, in numbers, of the inverse inertias of the first and second bodies of each batch.
    inertia_offsets: Vec<[[u32; BATCH]; 2]>,
}

impl<X: Dim> Default for BatchedGeneral<X> {
    fn default() -> Self {
        Self {
            packed: Packed::default(),
            batched: Vec::new(),
            unpacked: Vec::new(),
            inertias: Vec::new(),
            inertia_offsets: Vec::new(),
        }
    }
}

impl<X: Dim> BatchedGeneral<X> {
    /// Constants stored per contact.
    const STRIDE: usize = 4 * X::D + 3;

    /// Packs those of the `contacts` that can be swept in batches, with their impulses.
    pub(super) fn pack(
        &mut self,
        contacts: &[GeneralContact<X>],
        is_rigid: impl Fn(u32) -> bool,
        masses: &[Mass<X>],
        velocities: &VelocityView<X>,
        occupancy: &mut Vec<u64>,
    ) {
        let is_isotropic = |body: u32| {
            let inverse = masses[body as usize].inverse_mass;
            (1..X::D).all(|k| inverse[k] == inverse[0])
        };
        self.clear();
        for (number, contact) in contacts.iter().enumerate() {
            let can_batch =
                contact.law.is_cone() && contact.bodies.into_iter().all(is_isotropic) && is_rigid(number as u32);
            if can_batch { &mut self.batched } else { &mut self.unpacked }.push(number as u32);
        }
        if self.batched.is_empty() {
            return;
        }
        const {
            assert!(
                BATCH.is_multiple_of(Packed::<X>::ROW_LENGTH),
                "rows of inertias are as far apart as those of velocities"
            )
        };
        let each = BATCH / Packed::<X>::ROW_LENGTH;
        self.inertias.extend(masses.chunks(each).map(|masses| {
            let mut rows = CacheLine::default();
            for (row, mass) in rows.0.chunks_exact_mut(Packed::<X>::ROW_LENGTH).zip(masses) {
                row.iter_mut().zip(X::packed_symmetric(&mass.inverse_inertia)).for_each(|(to, x)| *to = x);
            }
            rows
        }));
        let contact = |number: u32| &contacts[self.batched[number as usize] as usize];
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
        };
        self.packed.pack(velocities, self.batched.len(), Self::STRIDE, ends, write, occupancy);
        self.inertia_offsets.resize(self.packed.bodies.len(), [[WORLD.0; BATCH]; 2]);
        for (number, &contact) in self.batched.iter().enumerate() {
            let (batch, lane) = self.packed.position(number);
            let bodies = contacts[contact as usize].bodies;
            let offset = |side: usize| bodies[side] * Packed::<X>::ROW_LENGTH as u32;
            (0..2).for_each(|side| self.inertia_offsets[batch][side][lane] = offset(side));
        }
    }

    /// Packs none of so many contacts.
    pub(super) fn leave_unpacked(&mut self, contacts: usize) {
        self.clear();
        self.unpacked.extend(0..contacts as u32);
    }

    fn clear(&mut self) {
        self.packed.clear();
        self.batched.clear();
        self.unpacked.clear();
        self.inertias.clear();
        self.inertia_offsets.clear();
    }

    /// Copies the impulses back to the contacts.
    pub(super) fn unpack(&self, contacts: &mut [GeneralContact<X>]) {
        for (&number, impulse) in self.batched.iter().zip(self.packed.impulses()) {
            contacts[number as usize].impulse = impulse;
        }
    }

    /// One sweep; with `momentum`, from impulses extrapolated by that factor times their last change.
    pub(super) fn sweep(&mut self, velocities: &mut VelocityView<X>, relaxation: f64, momentum: Option<f64>) -> Change {
        self.packed.check_rows(velocities.array_len());
        let mut sums = [CacheLine::default(); 3];
        let state = SweepState { relaxation, factor: momentum.unwrap_or(0.0), sums: &mut sums };
        let Self { packed, inertias, inertia_offsets, .. } = self;
        let of_bodies = (&**inertias, &**inertia_offsets);
        match (momentum.is_some(), relaxation != 1.0) {
            (false, false) => dispatch(GeneralSweep::<X, false, false> { packed, of_bodies, velocities, state }),
            (false, true) => dispatch(GeneralSweep::<X, false, true> { packed, of_bodies, velocities, state }),
            (true, false) => dispatch(GeneralSweep::<X, true, false> { packed, of_bodies, velocities, state }),
            (true, true) => dispatch(GeneralSweep::<X, true, true> { packed, of_bodies, velocities, state }),
        }
        change(sums)
    }
}

/// Kernel of a sweep, with or without momentum, relaxed or not.
struct GeneralSweep<'a, X: Dim, const MOMENTUM: bool, const RELAXED: bool> {
    packed: &'a mut Packed<X>,
    /// Inverse inertias of the bodies, and their offsets for each batch.
    of_bodies: (&'a [CacheLine], &'a [[[u32; BATCH]; 2]]),
    velocities: &'a mut VelocityView<X>,
    state: SweepState<'a>,
}

impl Batch<'_> {
    /// Solves the contacts from `lane` on.
    #[inline(always)]
    fn project<X: Dim, V: Simd, const MOMENTUM: bool, const RELAXED: bool>(
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
        let solution = StickingImpulse::new::<X>(&u, &n, &start, steps).clip::<X>();
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
}

impl<X: Dim, const MOMENTUM: bool, const RELAXED: bool> SimdKernel for GeneralSweep<'_, X, MOMENTUM, RELAXED> {
    #[inline(always)]
    fn run<V: Simd>(self) {
        let Self { packed, of_bodies: (inertias, inertia_offsets), velocities, mut state } = self;
        let Packed { bodies, constants, impulses, old, .. } = packed;
        let tables = V::tables();
        let inertias = Inertias::<X>::new(inertias);
        let (mut table, old) = (VelocityRowsMut::<X>::new(velocities), &mut **old);
        let batches = bodies.iter().zip(constants.chunks_exact(BatchedGeneral::<X>::STRIDE));
        for (number, ((offsets, constants), impulse)) in batches.zip(impulses.chunks_exact_mut(X::D)).enumerate() {
            let old: &mut [CacheLine] = if MOMENTUM { &mut old[number * X::D..][..X::D] } else { &mut [] };
            let mut batch = Batch { offsets, constants, impulse, old };
            for lane in (0..BATCH).step_by(V::N) {
                let of_bodies = (&inertias, &inertia_offsets[number]);
                batch.project::<X, V, MOMENTUM, RELAXED>(lane, &mut table, of_bodies, tables, &mut state);
            }
        }
    }
}
