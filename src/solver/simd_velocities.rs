//! Transfer of velocities between the rows of a problem and SIMD lanes, and of inertias to SIMD lanes.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::simd::{CacheLine, Simd};
use super::{BodyVelocity, VelocityView};
use crate::dim::Dim;

/// Several bodies, one per lane.
#[derive(Clone, Copy)]
pub(super) struct SimdBodies<V> {
    pub(super) velocity: [V; 3],
    pub(super) inverse_mass: V,
    pub(super) spin: [V; 3],
}

/// Motion of the second bodies of some contacts relative to the first ones.
#[derive(Clone, Copy)]
pub(super) struct RelativeVelocity<V: Simd> {
    /// Velocity of the centre of the second body minus that of the first.
    pub(super) linear: [V; 3],
    /// Sum of the inverse masses.
    pub(super) inverse_mass: V,
    /// Sum of the spins.
    pub(super) spin: [V; 3],
    /// The rows that [`VelocityRowsMut::apply`] reuses.
    pub(super) rows: V::Rows,
}

/// The velocity rows of a problem as rows of numbers, for reading.
pub(super) struct VelocityRowsRef<'a, X: Dim> {
    at: *const f64,
    rows: PhantomData<&'a VelocityView<X>>,
}

/// The velocity rows of a problem as rows of numbers, for reading and writing.
pub(super) struct VelocityRowsMut<'a, X: Dim> {
    at: *mut f64,
    rows: PhantomData<&'a mut VelocityView<X>>,
}

impl<'a, X: Dim> VelocityRowsRef<'a, X> {
    /// Numbers per row.
    const ROW_LENGTH: usize = size_of::<BodyVelocity<X>>() / 8;
    /// Is a row longer than four numbers?
    const IS_LONG: bool = {
        let is_long = X::D + 1 + X::R > 4;
        assert!(
            Self::ROW_LENGTH == if is_long { 8 } else { 4 } && align_of::<BodyVelocity<X>>() == 8 * Self::ROW_LENGTH
        );
        is_long
    };

    #[inline(always)]
    pub(super) fn new(rows: &'a VelocityView<X>) -> Self {
        Self { at: rows.start().cast(), rows: PhantomData }
    }

    // SAFETY, for all functions below: every offset is the start of a row that exists, because the callers, sweeps and
    // checks, have called `Packed::check_rows`. A row is eight numbers long, or four if it is not long, laid out in the
    // order of its fields, aligned to its length, and borrowed as long as `self` lives; the contract of
    // `VelocityView::attach` excludes conflicting access to rows of the same array.

    #[inline(always)]
    pub(super) fn read<V: Simd>(&self, offsets: &[u32], tables: V::Tables) -> SimdBodies<V> {
        let zero = V::splat(0.0);
        let mut all = [zero; 8];
        // SAFETY: see above.
        [all[0], all[1], all[2], all[3]] = unsafe { V::columns(self.at, offsets, tables) };
        if Self::IS_LONG {
            // SAFETY: see above.
            [all[4], all[5], all[6], all[7]] = unsafe { V::columns(self.at.add(4), offsets, tables) };
        }
        let (mut velocity, mut spin) = ([zero; 3], [zero; 3]);
        velocity[..X::D].copy_from_slice(&all[..X::D]);
        spin[..X::R].copy_from_slice(&all[X::D + 1..X::D + 1 + X::R]);
        SimdBodies { velocity, inverse_mass: all[X::D], spin }
    }

    #[inline(always)]
    pub(super) fn relative_velocity<V: Simd>(&self, ends: [&[u32]; 2], tables: V::Tables) -> RelativeVelocity<V> {
        // SAFETY: see above.
        let (all, rows) = match Self::IS_LONG {
            true => unsafe { V::relative_rows::<true>(self.at, ends, tables) },
            false => unsafe { V::relative_rows::<false>(self.at, ends, tables) },
        };
        let zero = V::splat(0.0);
        let (mut linear, mut spin) = ([zero; 3], [zero; 3]);
        linear[..X::D].copy_from_slice(&all[..X::D]);
        spin[..X::R].copy_from_slice(&all[X::D + 1..X::D + 1 + X::R]);
        RelativeVelocity { linear, inverse_mass: all[X::D], spin, rows }
    }
}

impl<'a, X: Dim> VelocityRowsMut<'a, X> {
    #[inline(always)]
    pub(super) fn new(rows: &'a mut VelocityView<X>) -> Self {
        Self { at: rows.start_mut().cast(), rows: PhantomData }
    }

    #[inline(always)]
    pub(super) fn view(&self) -> VelocityRowsRef<'_, X> {
        VelocityRowsRef { at: self.at, rows: PhantomData }
    }

    /// Prefetches `count` rows from `first` on, if they exist.
    #[inline(always)]
    pub(super) fn prefetch<V: Simd>(&self, first: usize, count: usize) {
        let row = const { VelocityRowsRef::<X>::ROW_LENGTH };
        for offset in (0..count * row).step_by(8) {
            V::prefetch(self.at.wrapping_add(first * row + offset));
        }
    }

    #[inline(always)]
    pub(super) fn write<V: Simd>(&mut self, offsets: &[u32], tables: V::Tables, bodies: &SimdBodies<V>) {
        let mut all = [V::splat(0.0); 8];
        all[..X::D].copy_from_slice(&bodies.velocity[..X::D]);
        all[X::D] = bodies.inverse_mass;
        all[X::D + 1..X::D + 1 + X::R].copy_from_slice(&bodies.spin[..X::R]);
        let [a, b, c, d, e, f, g, h] = all;
        // SAFETY: see above; lanes of the same body, the world, write the same values.
        unsafe { V::write_columns([a, b, c, d], self.at, offsets, tables) };
        if VelocityRowsRef::<X>::IS_LONG {
            // SAFETY: the same.
            unsafe { V::write_columns([e, f, g, h], self.at.add(4), offsets, tables) };
        }
    }

    /// For each contact: applies the impulse to the velocities of both bodies, with opposite signs, and subtracts
    /// `torque` from the spins of both, each times the inverse mass of the body.
    #[inline(always)]
    pub(super) fn apply<V: Simd>(
        &mut self,
        ends: [&[u32]; 2],
        tables: V::Tables,
        impulse: &[V; 3],
        torque: &[V; 3],
        rows: V::Rows,
    ) {
        let mut all = [V::splat(0.0); 8];
        all[..X::D].copy_from_slice(&impulse[..X::D]);
        all[X::D + 1..X::D + 1 + X::R].copy_from_slice(&torque[..X::R]);
        // SAFETY: see above; lanes of the same body, the world, write the same values, because no impulse moves it.
        match VelocityRowsRef::<X>::IS_LONG {
            true => unsafe { V::apply_to_rows::<true>(all, self.at, ends, rows, tables) },
            false => unsafe { V::apply_to_rows::<false>(all, self.at, ends, rows, tables) },
        }
    }
}

/// Inverse inertias of the bodies, in rows as long as velocity rows.
pub(super) struct Inertias<'a, X: Dim> {
    at: *const f64,
    rows: PhantomData<(&'a [CacheLine], X)>,
}

impl<'a, X: Dim> Inertias<'a, X> {
    #[inline(always)]
    pub(super) fn new(rows: &'a [CacheLine]) -> Self {
        Self { at: rows.as_ptr().cast(), rows: PhantomData }
    }

    /// The packed symmetric tensors: six numbers each, or a single one in the plane.
    #[inline(always)]
    pub(super) fn read<V: Simd>(&self, offsets: &[u32], tables: V::Tables) -> [V; 6] {
        let mut packed = [V::splat(0.0); 6];
        // SAFETY: every offset is the start of a row: contacts were packed together with the masses of their bodies,
        // each of which has a row, as long and aligned as a velocity row; `self` borrows the rows.
        [packed[0], packed[1], packed[2], packed[3]] = unsafe { V::columns(self.at, offsets, tables) };
        if X::R > 1 {
            // SAFETY: the same.
            [packed[4], packed[5], _, _] = unsafe { V::columns(self.at.add(4), offsets, tables) };
        }
        packed
    }
}
