//! Prefetch of values into the cache before they are needed.
#![allow(unsafe_code)]

/// Prefetches all cache lines of `value`, so that the latencies of many scattered accesses overlap.
#[inline]
pub fn fetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(value).cast::<i8>();
        let last = size_of::<T>().saturating_sub(1);
        for byte in (0..last).step_by(64).chain([last]) {
            // SAFETY: `byte` is an offset inside `value`, so the address stays within it; a prefetch reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(byte)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
