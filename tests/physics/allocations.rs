//! Neither a sweep nor a whole step in the steady state of a run allocates memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use crate::problem_alone::tangle;
use crate::processes::on_processes;
use crate::support::{Dice, World};
use nscdd::comm::{Comm, SerialComm};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::domain::InterfaceScheme;
use nscdd::simulation::Simulation;
use nscdd::solver::{ContactOrder, LocalMap, MomentumState, SolverMethod};

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

/// The system allocator with a count of the allocations of this thread.
struct Counting;

#[allow(unsafe_code)]
// SAFETY: every call is forwarded to the system allocator under the same contract; the counter allocates no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // The counter of a terminating thread is already destroyed.
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static MEMORY: Counting = Counting;

/// Number of allocations made by `work`.
fn asked(work: impl FnOnce()) -> u64 {
    let before = ASKED.get();
    work();
    ASKED.get() - before
}

fn sweeps_allocate_nothing<X: Dim>(order: ContactOrder) {
    let mut problem = tangle::<X>(500, false);
    problem.order = order;
    problem.apply_impulses();
    let first = asked(|| _ = problem.sweep(LocalMap::Projection, 1.0));
    assert!(order == ContactOrder::Curve || first > 0, "packing contacts takes memory, and is noticed");
    assert_eq!(asked(|| (0..20).for_each(|_| _ = problem.sweep(LocalMap::Projection, 1.0))), 0);
    let mut memory = MomentumState::default();
    problem.start_momentum(&mut memory);
    let mut with_momentum = || {
        memory.extrapolate(problem.rows.own(), 0.5);
        problem.sweep_on(LocalMap::Projection, 1.0, 0.5, &mut memory);
    };
    assert_eq!(asked(|| (0..20).for_each(|_| with_momentum())), 0);
}

#[test]
fn sweeps_with_and_without_momentum_allocate_no_memory() {
    for order in [ContactOrder::Batches, ContactOrder::Curve] {
        sweeps_allocate_nothing::<Plane>(order);
        sweeps_allocate_nothing::<Space>(order);
    }
}

/// Spheres on a slightly too wide lattice, in a box and several subdomains.
fn heap<X: Dim>(scheme: InterfaceScheme, comm: Arc<dyn Comm>) -> Simulation<X> {
    let mut world = World::<X>::new(1e-3).subdomains(5).scheme(scheme).tolerance(1e-3, 0.3);
    world.plan.solver.method = SolverMethod::Accelerated;
    let (side, radius) = (if X::D == 2 { 16i64 } else { 7 }, 0.05);
    world.open_box(2.0 * radius * side as f64 * 1.001);
    let mut dice = Dice(3);
    for site in 0..side.pow(X::D as u32) {
        let place = X::Vector::from_fn(|k| radius * 1.001 * (2 * (site / side.pow(k as u32) % side) + 1) as f64);
        world.ball(place, radius * (1.0 - 1e-3 * dice.roll()));
    }
    world.build_on(comm)
}

/// Columns of blocks on a floor, in several subdomains.
fn columns<X: Dim>(comm: Arc<dyn Comm>) -> Simulation<X> {
    let mut world = World::<X>::new(1e-3).subdomains(5).tolerance(1e-3, 0.3);
    world.floor();
    let (side, half) = (if X::D == 2 { 20i64 } else { 5 }, 0.05);
    for site in 0..side.pow(X::D as u32 - 1) * 4 {
        let place = X::Vector::from_fn(|k| match k + 1 == X::D {
            true => half * (2 * (site % 4) + 1) as f64,
            false => 3.0 * half * (site / 4 / side.pow(k as u32) % side) as f64,
        });
        world.cuboid(place, X::Vector::from_fn(|_| half));
    }
    world.build_on(comm)
}

/// Interval, in steps, at which bodies and candidates are reordered: buffers may grow at these steps.
const REARRANGE: u64 = 64;

fn steps_allocate_nothing<X: Dim>(name: &str, mut simulation: Simulation<X>) {
    // Only the allocations of this thread are counted.
    assert_eq!(rayon::current_num_threads(), 1);
    let mut step = || asked(|| _ = simulation.step().unwrap());
    assert!(step() > 0, "lists take memory, and it is noticed");
    // Warm up until no buffer has to grow beyond its previous maximum.
    (1..4 * REARRANGE + 4).for_each(|_| _ = step());
    let found: Vec<u64> = (0..REARRANGE - 8).map(|_| step()).collect();
    assert!(simulation.domain().parts() == 5 && simulation.history.len() > 50);
    let busy = found.iter().filter(|&&asked| asked > 0).count();
    assert!(busy == 0, "{name} in {} dimensions: {found:?}", X::D);
}

fn steps_of_heaps_allocate_nothing(comm: &Arc<dyn Comm>) {
    steps_allocate_nothing("heap", heap::<Space>(InterfaceScheme::RedBlack, comm.clone()));
    steps_allocate_nothing("heap", heap::<Plane>(InterfaceScheme::Glue, comm.clone()));
}

fn steps_of_columns_allocate_nothing(comm: &Arc<dyn Comm>) {
    steps_allocate_nothing("columns", columns::<Space>(comm.clone()));
    steps_allocate_nothing("columns", columns::<Plane>(comm.clone()));
}

#[test]
fn steps_of_a_heap_at_rest_allocate_no_memory() {
    let alone: Arc<dyn Comm> = Arc::new(SerialComm);
    steps_of_heaps_allocate_nothing(&alone);
}

#[test]
fn steps_of_columns_of_blocks_at_rest_allocate_no_memory() {
    let alone: Arc<dyn Comm> = Arc::new(SerialComm);
    steps_of_columns_allocate_nothing(&alone);
}

#[test]
fn steps_on_several_processes_allocate_no_memory() {
    on_processes(2, "allocations::steps_on_several_processes_allocate_no_memory", |all| {
        steps_of_heaps_allocate_nothing(all);
        steps_of_columns_allocate_nothing(all);
        // The number of messages depends on the placement of subdomains on processes, and so on measured times.
        assert!(all.sent().messages > 1000, "{:?}", all.sent());
    });
}
