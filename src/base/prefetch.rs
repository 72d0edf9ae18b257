//! Prefetch of values into the cache before they are needed.
#![allow(unsafe_code)]

/// Prefetches all cache lines of `thing`, so that the latencies of many scattered accesses overlap.
#[inline]
pub fn fetch<T>(thing: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = std::ptr::from_ref(thing).cast::<i8>();
        let last = size_of::<T>().saturating_sub(1);
        for byte in (0..last).step_by(64).chain([last]) {
            // SAFETY: `byte` is an offset inside `thing`, so the address stays within it; a prefetch reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.add(byte)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = thing;
}
