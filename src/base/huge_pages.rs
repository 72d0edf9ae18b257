//! Global allocator that requests huge pages for large allocations.
//!
//! Arrays that grow with the number of bodies then need fewer page-table entries and fewer page faults.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

use rustix::mm::{Advice, madvise};

/// Size of a huge page on most machines, in bytes.
const HUGE: usize = 2 << 20;

/// Returns memory of freed small allocations, which the allocator would cache, to the system where this is supported.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: `malloc_trim` only inspects freed memory, under the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// The system allocator with a huge-page advice for large allocations: for `#[global_allocator]`.
pub struct HugePages;

/// Advises huge pages for an allocation of `size` bytes at `start`, if it is large.
fn advise(start: *mut u8, size: usize) -> *mut u8 {
    let skipped = start.align_offset(HUGE);
    if !start.is_null() && size >= skipped.saturating_add(HUGE) {
        let length = (size - skipped) / HUGE * HUGE;
        // SAFETY: the bytes belong to an allocation that was just made, and the page size does not affect their
        // content. A system without huge pages refuses, and nothing changes.
        let _ = unsafe { madvise(start.add(skipped).cast(), length, Advice::LinuxHugepage) };
    }
    start
}

// SAFETY: every call and the caller's obligations are passed on to the system allocator, whose guarantees hold.
unsafe impl GlobalAlloc for HugePages {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are those of `System`.
        advise(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's obligations are those of `System`.
        advise(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's obligations are those of `System`.
        advise(unsafe { System.realloc(start, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller's obligations are those of `System`.
        unsafe { System.dealloc(start, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_of_any_size_keep_their_content_while_they_grow_and_shrink() {
        let mut size = 1 << 19;
        let layout = |size| Layout::from_size_align(size, 8).unwrap();
        // SAFETY: every allocation is used within its size and freed once with its current layout.
        unsafe {
            let mut start = HugePages.alloc_zeroed(layout(size));
            for next in [3 << 20, 40 << 20, 7 << 20, 4096] {
                assert!(std::slice::from_raw_parts(start, size.min(1 << 19)).iter().skip(1).all(|&byte| byte == 0));
                *start = 7;
                start = HugePages.realloc(start, layout(size), next);
                assert_eq!(*start, 7);
                size = next;
            }
            HugePages.dealloc(start, layout(size));
            let fresh = HugePages.alloc(layout(16 << 20));
            std::slice::from_raw_parts_mut(fresh, 16 << 20).fill(1);
            HugePages.dealloc(fresh, layout(16 << 20));
        }
    }
}
