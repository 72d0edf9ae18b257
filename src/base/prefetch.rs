//! Things on their way from memory before they are needed.
#![allow(unsafe_code)]

/// The thing will be read soon: many that lie far apart are then waited for at once and not one after the other.
#[inline]
pub fn fetch<T>(thing: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = std::ptr::from_ref(thing).cast::<i8>();
        let last = size_of::<T>().saturating_sub(1);
        for byte in (0..last).step_by(64).chain([last]) {
            // SAFETY: `byte` is one of `thing`'s, so the sum stays within it; nothing is read, the processor gets a hint.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.add(byte)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = thing;
}
