//! A sweep asks the system for no memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::problem_alone::tangle;
use nscdd::dim::{Dim, Plane, Space};
use nscdd::solver::{LocalMap, Memory, Order};

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

/// The system's memory, with a count of how often this thread has asked for some.
struct Counting;

#[allow(unsafe_code)]
// SAFETY: everything is done by the system's allocator, under the same rules; the count asks for no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending has no count any more.
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static MEMORY: Counting = Counting;

/// How often `work` asks for memory.
fn asked(work: impl FnOnce()) -> u64 {
    let before = ASKED.get();
    work();
    ASKED.get() - before
}

fn sweeps_ask_for_nothing<X: Dim>(order: Order) {
    let mut problem = tangle::<X>(500, false);
    problem.order = order;
    problem.apply_impulses();
    let first = asked(|| _ = problem.sweep(LocalMap::Projection, 1.0));
    assert!(order == Order::Curve || first > 0, "packing contacts takes memory, and is noticed");
    assert_eq!(asked(|| (0..20).for_each(|_| _ = problem.sweep(LocalMap::Projection, 1.0))), 0);
    let mut memory = Memory::default();
    memory.start(&mut problem);
    let mut with_momentum = || {
        memory.extrapolate(&mut problem.lines, 0.5);
        problem.sweep_on(LocalMap::Projection, 1.0, 0.5, &mut memory);
    };
    assert_eq!(asked(|| (0..20).for_each(|_| with_momentum())), 0);
}

#[test]
fn sweeps_with_and_without_momentum_ask_for_no_memory() {
    for order in [Order::Batches, Order::Curve] {
        sweeps_ask_for_nothing::<Plane>(order);
        sweeps_ask_for_nothing::<Space>(order);
    }
}
