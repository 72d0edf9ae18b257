//! Prefetch and signs of a row of velocities, for AVX2 and AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

use crate::solver::simd::register::mass_at;

/// Prefetches the cache line of this address.
#[inline(always)]
pub(super) fn prefetch(at: *const f64) {
    // SAFETY: a prefetch is a hint that accepts any address, and every x86-64 processor supports it.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}

/// Minus one for the velocity components of a row, one for all others.
#[inline(always)]
pub(super) fn signs<const LONG: bool>() -> [f64; 8] {
    let mut signs = [1.0; 8];
    signs[..mass_at(LONG)].fill(-1.0);
    signs
}
