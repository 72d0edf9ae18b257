//! Large pieces of memory in huge pages, where the system grants them.
//!
//! Lists that grow with the number of bodies are then found and got from the system in fewer pages.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};

use rustix::mm::{Advice, madvise};

/// A huge page, on most machines.
const HUGE: usize = 2 << 20;

/// What was freed in small pieces, and would be kept for others like them, goes back to the system, where it knows how.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: only pieces that nobody has any more are looked at, and under the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// The system's memory, with a word to it that large pieces may be in huge pages: for `#[global_allocator]`.
pub struct HugePages;

/// Says so of what begins there, if it is large.
fn advised(start: *mut u8, size: usize) -> *mut u8 {
    let skipped = start.align_offset(HUGE);
    if !start.is_null() && size >= skipped.saturating_add(HUGE) {
        let whole = (size - skipped) / HUGE * HUGE;
        // SAFETY: these bytes are part of a piece that was just given out; how they are paged changes nothing in them. A system
        // without huge pages refuses, and all is as it was.
        let _ = unsafe { madvise(start.add(skipped).cast(), whole, Advice::LinuxHugepage) };
    }
    start
}

// SAFETY: the system's own allocator does everything; its promises are kept and those of the caller passed on to it.
unsafe impl GlobalAlloc for HugePages {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised.
        advised(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promised.
        advised(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promised.
        advised(unsafe { System.realloc(start, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(start, layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_keep_what_is_in_them_while_they_grow_and_shrink() {
        let mut size = 1 << 19;
        let layout = |size| Layout::from_size_align(size, 8).unwrap();
        // SAFETY: every piece is used within its size, and given back once with the layout it has then.
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
