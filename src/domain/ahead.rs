//! Things asked of the memory before they are needed: they lie all over it in the order of files.
#![allow(unsafe_code)]

/// So many things before one is needed, it is asked for.
pub(super) const AHEAD: usize = 8;

/// Asks for a thing.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn ask<T>(thing: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let at = std::ptr::from_ref(thing).cast::<i8>();
    for byte in (0..size_of::<T>()).step_by(64) {
        // SAFETY: a hint: no address is wrong, and every processor of this kind has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(byte)) }
    }
}

/// Other processors are left to themselves.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn ask<T>(_: &T) {}
