//! Velocities of several bodies at once: from the lines of a problem into lanes, and back; inertias likewise.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use super::simd::{CacheLine, Simd};
use super::{BodyVelocity, VelocityView};
use crate::dim::Dim;

/// Several bodies.
#[derive(Clone, Copy)]
pub(super) struct SimdBodies<V> {
    pub(super) velocity: [V; 3],
    pub(super) inverse_mass: V,
    pub(super) spin: [V; 3],
}

/// How the second bodies of some contacts move against the first.
#[derive(Clone, Copy)]
pub(super) struct RelativeVelocity<V: Simd> {
    /// Velocity of the second less that of the first.
    pub(super) drift: [V; 3],
    /// Sum of the inverse masses.
    pub(super) inverse_mass: V,
    /// Sum of the spins.
    pub(super) spin: [V; 3],
    /// What `push` wants to have back.
    pub(super) rows: V::Rows,
}

/// The lines of a problem, as rows of numbers, to be read.
pub(super) struct VelocityRowsRef<'a, X: Dim> {
    at: *const f64,
    lines: PhantomData<&'a VelocityView<X>>,
}

/// The same, to be read and written.
pub(super) struct VelocityRowsMut<'a, X: Dim> {
    at: *mut f64,
    lines: PhantomData<&'a mut VelocityView<X>>,
}

impl<'a, X: Dim> VelocityRowsRef<'a, X> {
    /// Numbers from one line to the next.
    const LINE: usize = size_of::<BodyVelocity<X>>() / 8;
    /// Is there a number beyond the fourth?
    const IS_LONG: bool = {
        let is_long = X::D + 1 + X::R > 4;
        assert!(Self::LINE == if is_long { 8 } else { 4 } && align_of::<BodyVelocity<X>>() == 8 * Self::LINE);
        is_long
    };

    #[inline(always)]
    pub(super) fn new(lines: &'a VelocityView<X>) -> Self {
        Self { at: lines.start().cast(), lines: PhantomData }
    }

    // SAFETY, for all below: every offset is the start of a line, because who sweeps or checks has made sure that every number it
    // was made from is one of the lines. A line is eight numbers long, or four if it is not long, laid out in the order
    // of its fields, aligned to its length, and borrowed for as long as the table lives; what others do with lines of the same
    // array meanwhile, `VelocityView::join` keeps apart.

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
    pub(super) fn between<V: Simd>(&self, ends: [&[u32]; 2], tables: V::Tables) -> RelativeVelocity<V> {
        // SAFETY: see above.
        let (all, rows) = match Self::IS_LONG {
            true => unsafe { V::between::<true>(self.at, ends, tables) },
            false => unsafe { V::between::<false>(self.at, ends, tables) },
        };
        let zero = V::splat(0.0);
        let (mut drift, mut spin) = ([zero; 3], [zero; 3]);
        drift[..X::D].copy_from_slice(&all[..X::D]);
        spin[..X::R].copy_from_slice(&all[X::D + 1..X::D + 1 + X::R]);
        RelativeVelocity { drift, inverse_mass: all[X::D], spin, rows }
    }
}

impl<'a, X: Dim> VelocityRowsMut<'a, X> {
    #[inline(always)]
    pub(super) fn new(lines: &'a mut VelocityView<X>) -> Self {
        Self { at: lines.start_mut().cast(), lines: PhantomData }
    }

    #[inline(always)]
    pub(super) fn view(&self) -> VelocityRowsRef<'_, X> {
        VelocityRowsRef { at: self.at, lines: PhantomData }
    }

    /// So many lines from the `first` on, if there are as many, will be needed soon.
    #[inline(always)]
    pub(super) fn prefetch<V: Simd>(&self, first: usize, count: usize) {
        let line = const { VelocityRowsRef::<X>::LINE };
        for place in (0..count * line).step_by(8) {
            V::prefetch(self.at.wrapping_add(first * line + place));
        }
    }

    #[inline(always)]
    pub(super) fn write<V: Simd>(&mut self, offsets: &[u32], tables: V::Tables, bodies: &SimdBodies<V>) {
        let mut all = [V::splat(0.0); 8];
        all[..X::D].copy_from_slice(&bodies.velocity[..X::D]);
        all[X::D] = bodies.inverse_mass;
        all[X::D + 1..X::D + 1 + X::R].copy_from_slice(&bodies.spin[..X::R]);
        let [a, b, c, d, e, f, g, h] = all;
        // SAFETY: see above; lanes of the same body, the world, write the same.
        unsafe { V::write_columns([a, b, c, d], self.at, offsets, tables) };
        if VelocityRowsRef::<X>::IS_LONG {
            // SAFETY: the same.
            unsafe { V::write_columns([e, f, g, h], self.at.add(4), offsets, tables) };
        }
    }

    /// Of each contact: the impulse acts on the velocities of both bodies, oppositely, and `turn` is taken from the spins of
    /// both, each times the inverse mass of the body.
    #[inline(always)]
    pub(super) fn push<V: Simd>(
        &mut self,
        ends: [&[u32]; 2],
        tables: V::Tables,
        impulse: &[V; 3],
        turn: &[V; 3],
        rows: V::Rows,
    ) {
        let mut all = [V::splat(0.0); 8];
        all[..X::D].copy_from_slice(&impulse[..X::D]);
        all[X::D + 1..X::D + 1 + X::R].copy_from_slice(&turn[..X::R]);
        // SAFETY: see above; lanes of the same body, the world, write the same, for nothing moves it.
        match VelocityRowsRef::<X>::IS_LONG {
            true => unsafe { V::push::<true>(all, self.at, ends, rows, tables) },
            false => unsafe { V::push::<false>(all, self.at, ends, rows, tables) },
        }
    }
}

/// Inverse inertias, for each body a row as long as a line.
pub(super) struct Inertias<'a, X: Dim> {
    at: *const f64,
    rows: PhantomData<(&'a [CacheLine], X)>,
}

impl<'a, X: Dim> Inertias<'a, X> {
    #[inline(always)]
    pub(super) fn new(rows: &'a [CacheLine]) -> Self {
        Self { at: rows.as_ptr().cast(), rows: PhantomData }
    }

    /// The six numbers that a symmetric tensor has, or the one in the plane.
    #[inline(always)]
    pub(super) fn read<V: Simd>(&self, offsets: &[u32], tables: V::Tables) -> [V; 6] {
        let mut six = [V::splat(0.0); 6];
        // SAFETY: every offset is the start of a row: contacts were packed with the masses of their bodies at hand, each of which
        // has a row, as long as a line and aligned likewise; they are borrowed while this lives.
        [six[0], six[1], six[2], six[3]] = unsafe { V::columns(self.at, offsets, tables) };
        if X::R > 1 {
            // SAFETY: the same.
            [six[4], six[5], _, _] = unsafe { V::columns(self.at.add(4), offsets, tables) };
        }
        six
    }
}
