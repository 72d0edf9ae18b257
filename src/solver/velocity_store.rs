//! The velocity store: the velocity rows of several problems in one array, and the only way to change them.
//!
//! [`arrange`](VelocityStore::arrange) verifies that problems of one colour have no row in common. After that,
//! [`each_of_colour`](VelocityStore::each_of_colour) lets the problems of one colour write all their rows in parallel,
//! and [`each`](VelocityStore::each) lets all problems write their own rows and read the others. Both borrow the store
//! mutably, and outside of them no problem has access to the rows. Safe code can therefore not race.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::velocities::{AttachedRows, Membership};
use super::{BodyVelocity, VelocityLayout, VelocityView};
use crate::base::{make_room, trim};
use crate::dim::Dim;

/// Number of the next arrangement: no two of a program have the same.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// An owner of the velocity view of a problem. `velocities` must always return the same view.
pub trait HasVelocities<X: Dim>: Send {
    /// The view.
    fn velocities(&mut self) -> &mut VelocityView<X>;
}

/// The velocity rows of several problems in one array.
pub struct VelocityStore<X: Dim> {
    rows: Vec<BodyVelocity<X>>,
    /// Number of the present arrangement.
    arrangement: u64,
    /// For each row that several problems may have, a bit for each colour: has a problem of this colour the row?
    holders: Vec<u8>,
}

impl<X: Dim> Default for VelocityStore<X> {
    fn default() -> Self {
        Self { rows: Vec::new(), arrangement: NEXT.fetch_add(1, Relaxed), holders: Vec::new() }
    }
}

impl<X: Dim> VelocityStore<X> {
    /// Sets the number of rows; their content is unspecified.
    pub fn resize(&mut self, count: usize) {
        if self.rows.capacity() < count {
            self.rows.clear();
            make_room(&mut self.rows, count);
        }
        self.rows.resize_with(count, BodyVelocity::zero);
        trim(&mut self.rows);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Is the store empty?
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All rows.
    pub fn rows(&self) -> &[BodyVelocity<X>] {
        &self.rows
    }

    /// All rows, for writing.
    pub fn rows_mut(&mut self) -> &mut [BodyVelocity<X>] {
        &mut self.rows
    }

    /// Places the rows of these problems in the store; `parts` gives the view, the layout and the colour (below eight)
    /// of a problem. The first `shared` rows may belong to several problems; the others are own rows. Earlier
    /// arrangements end.
    ///
    /// # Panics
    ///
    /// If a row does not exist, an own row occurs in another layout, two problems of a colour have a row in common, or
    /// a split copy starts from a row that a problem of its colour writes.
    pub fn arrange<P>(
        &mut self,
        shared: usize,
        problems: &mut [P],
        parts: impl Fn(&mut P) -> (&mut VelocityView<X>, &mut VelocityLayout, u8),
    ) {
        self.arrangement = NEXT.fetch_add(1, Relaxed);
        self.holders.clear();
        self.holders.resize(shared, 0);
        let mut next = shared as u32;
        for problem in &mut *problems {
            let (_, layout, colour) = parts(problem);
            let own = layout.own.clone();
            assert!(next <= own.start && own.start <= own.end && own.end as usize <= self.len(), "own rows overlap");
            next = own.end;
            for row in layout.rows.raw.iter().filter(|row| !own.contains(&row.0)) {
                let holders = &mut self.holders[row.index()];
                assert!(*holders & 1 << colour == 0, "two problems of one colour have a row in common");
                *holders |= 1 << colour;
            }
        }
        for problem in problems {
            let (view, layout, colour) = parts(problem);
            for &(copy, row) in &layout.split {
                let is_own = layout.own.contains(&layout.rows[copy].0);
                assert!(is_own && self.holders[row.index()] & 1 << colour == 0, "a copy is not split");
            }
            view.join(Membership { arrangement: self.arrangement, colour }, layout, &mut self.rows);
        }
    }

    /// Runs `work` in parallel on those problems of a colour that `is_chosen` names, with write access to their rows.
    pub fn each_of_colour<P: HasVelocities<X>>(
        &mut self,
        colour: u8,
        problems: &mut [P],
        is_chosen: impl Fn(&P) -> bool + Sync,
        work: impl Fn(&mut P) + Sync,
    ) {
        let rows = self.attached(true);
        let arrangement = self.arrangement;
        problems.par_iter_mut().with_max_len(1).filter(|problem| is_chosen(problem)).for_each(|problem| {
            // SAFETY: the store is borrowed until all problems are detached. Only problems of this colour and of the
            // present arrangement get access: they have no row in common, and no split copy starts from their rows.
            unsafe { Attached::new(problem, rows, Membership { arrangement, colour }) }.work(&work);
        });
    }

    /// Runs `work` in parallel on all problems. They may write their own rows and only read the others.
    pub fn each<P: HasVelocities<X>>(&mut self, problems: &mut [P], work: impl Fn(&mut P) + Sync) {
        let rows = self.attached(false);
        let arrangement = self.arrangement;
        problems.par_iter_mut().for_each(|problem| {
            let colour = problem.velocities().membership().map_or(0, |membership| membership.colour);
            // SAFETY: the store is borrowed until all problems are detached. Own rows occur in one layout of the
            // arrangement only, and nothing writes other rows.
            unsafe { Attached::new(problem, rows, Membership { arrangement, colour }) }.work(&work);
        });
    }

    fn attached(&mut self, writes_shared: bool) -> AttachedRows<X> {
        AttachedRows { start: self.rows.as_mut_ptr(), count: self.rows.len(), writes_shared }
    }
}

/// A problem that has access to its rows until this is dropped.
struct Attached<'a, X: Dim, P: HasVelocities<X>>(&'a mut P, std::marker::PhantomData<X>);

impl<'a, X: Dim, P: HasVelocities<X>> Attached<'a, X, P> {
    /// # Safety
    ///
    /// As for [`VelocityView::attach`]; the problem must have this membership.
    unsafe fn new(problem: &'a mut P, rows: AttachedRows<X>, expected: Membership) -> Self {
        let view = problem.velocities();
        assert_eq!(view.membership(), Some(expected), "the problem is not arranged in this store and colour");
        // SAFETY: guaranteed by the caller.
        unsafe { view.attach(rows) };
        Self(problem, std::marker::PhantomData)
    }

    fn work(self, work: impl Fn(&mut P)) {
        work(&mut *self.0);
    }
}

impl<X: Dim, P: HasVelocities<X>> Drop for Attached<'_, X, P> {
    fn drop(&mut self) {
        self.0.velocities().detach();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::index::{ProblemBody, VelocityRow};
    use crate::dim::{Plane, Space, Vector};
    use crate::law::Reduced;
    use crate::solver::{Change, ContactProblem, LocalMap, Mass, MomentumState};

    /// A problem and its results.
    struct Member<X: Dim>(ContactProblem<X>, Option<(Vec<BodyVelocity<X>>, Change)>);

    impl<X: Dim> HasVelocities<X> for Member<X> {
        fn velocities(&mut self) -> &mut VelocityView<X> {
            &mut self.0.rows
        }
    }

    /// Empty problems of these colours with these rows and own rows, in a store of a hundred rows of which the first
    /// `shared` may be shared.
    fn arranged<X: Dim>(shared: usize, layouts: Vec<(u8, VelocityLayout)>) -> (VelocityStore<X>, Vec<Member<X>>) {
        let mut store = VelocityStore::default();
        store.resize(100);
        let mut all: Vec<_> = layouts.into_iter().map(|pair| (Member(ContactProblem::default(), None), pair)).collect();
        store.arrange(shared, &mut all, |(member, (colour, layout))| (&mut member.0.rows, layout, *colour));
        (store, all.into_iter().map(|(member, _)| member).collect())
    }

    fn layout(numbers: &[u32], own: std::ops::Range<u32>, split: &[[u32; 2]]) -> VelocityLayout {
        let rows: Vec<_> = numbers.iter().copied().map(VelocityRow).collect();
        let split = split.iter().map(|&[copy, row]| (ProblemBody(copy), VelocityRow(row))).collect();
        VelocityLayout { rows: rows.into(), own, split }
    }

    /// A chain of bodies pressed together on the world, every third of them with full mass properties.
    fn row<X: Dim>(problem: &mut ContactProblem<X>) {
        let down = X::Vector::from_fn(|k| if k == 1 { -1.0 } else { 0.1 });
        for number in 0..40u32 {
            let mass = 1.0 + f64::from(number % 7);
            match number % 3 {
                0 => problem.add_body(down, X::Spin::zero(), Mass::ball(mass)),
                _ => problem.add_ball(down, X::Spin::zero(), mass, 1.0 / mass),
            };
        }
        let law = Reduced::cone(X::Vector::zero(), 0.4);
        let [along, up] = [0, 1].map(|axis| X::Vector::from_fn(|k| f64::from(u8::from(k == axis))));
        for body in 1..=40u32 {
            let (ends, normal) = if body % 4 == 0 { ([0, body], up) } else { ([body - 1, body], along) };
            let ends = ends.map(ProblemBody);
            match body % 5 {
                0 => problem.add_general(ends, normal, [along, -along], law, up, LocalMap::Projection),
                _ => problem.add_round(ends, normal, 0.98, &law, up),
            }
        }
    }

    /// Velocities by local index after sweeps of all kinds, and the change of the last sweep.
    fn swept<X: Dim>(problem: &mut ContactProblem<X>) -> (Vec<BodyVelocity<X>>, Change) {
        problem.apply_impulses();
        let mut memory = MomentumState::default();
        problem.start_momentum(&mut memory);
        for _ in 0..7 {
            memory.extrapolate(problem.rows.own(), 0.3);
            problem.sweep_on(LocalMap::Projection, 1.0, 0.3, &mut memory);
        }
        problem.sweep_at_once(LocalMap::Projection, 1.0);
        let change = problem.sweep(LocalMap::Projection, 1.0);
        (problem.rows.iter().copied().collect(), change)
    }

    fn a_problem_in_a_store_is_the_same_as_one_alone<X: Dim>() {
        let mut alone = ContactProblem::<X>::default();
        row(&mut alone);
        // All rows are its own, permuted, behind rows of other problems.
        let numbers: Vec<u32> = (0..41).map(|place| 30 + place * 17 % 41).collect();
        let (mut store, mut problems) = arranged::<X>(0, vec![(0, layout(&numbers, 30..71, &[]))]);
        store.each(&mut problems, |member| {
            row(&mut member.0);
            assert_eq!(member.0.rows, alone.rows);
            assert_eq!(member.0.clone(), alone, "a copy stands alone");
            member.0.pack();
            assert_eq!(member.0.clone().round, alone.round, "also of one in batches");
        });
        let mut copy = problems[0].0.copied_from(store.rows());
        assert_eq!(copy, alone);
        store.each_of_colour(0, &mut problems, |_| true, |member| member.1 = Some(swept(&mut member.0)));
        let expected = swept(&mut alone);
        assert_ne!(expected.1.corrections, 0.0);
        assert_eq!(swept(&mut copy), expected);
        assert_eq!(problems.remove(0).1, Some(expected));
    }

    #[test]
    fn a_problem_whose_rows_lie_among_others_has_the_same_bits_as_one_alone() {
        a_problem_in_a_store_is_the_same_as_one_alone::<Plane>();
        a_problem_in_a_store_is_the_same_as_one_alone::<Space>();
    }

    /// A store with an interface body in row 0, which is a split copy in the first problem and shared with the second.
    fn with_a_split_copy() -> (VelocityStore<Space>, Vec<Member<Space>>) {
        let first = layout(&[2, 3], 2..4, &[[1, 0]]);
        let second = layout(&[4, 0, 5], 4..6, &[]);
        arranged(2, vec![(0, first), (1, second)])
    }

    #[test]
    fn shared_rows_are_never_overwritten_by_added_bodies_and_split_copies_start_from_them() {
        let (mut store, mut problems) = with_a_split_copy();
        let moving = BodyVelocity::new(Vector::from_fn(|_| 7.0), 0.5, Vector::zero());
        store.rows_mut()[0] = moving;
        store.each(&mut problems, |member| {
            for _ in 1..member.0.rows.layout().rows.len() {
                member.0.add_ball(Vector::zero(), Vector::zero(), 1.0, 1.0);
            }
        });
        assert_eq!(store.rows()[0], moving);
        store.each(&mut problems, |member| {
            member.0.rows.load_split_copies();
            let row = member.0.rows[1];
            assert_eq!(row.velocity, moving.velocity);
            let is_own = member.0.rows.is_own(ProblemBody(1));
            assert_eq!(row.inverse_mass, if is_own { 1.0 } else { moving.inverse_mass });
        });
    }

    #[test]
    fn rows_are_accessible_only_through_the_store_and_shared_ones_writable_only_colour_by_colour() {
        let (mut store, mut problems) = with_a_split_copy();
        store.each(&mut problems, |member| {
            for _ in 1..member.0.rows.layout().rows.len() {
                member.0.add_ball(Vector::zero(), Vector::zero(), 1.0, 1.0);
            }
        });
        let panics = |work: &mut dyn FnMut()| {
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
        };
        panics(&mut || _ = problems[0].0.rows[0]);
        panics(&mut || store.each(&mut problems, |member| member.0.rows[1] = BodyVelocity::zero()));
        panics(&mut || store.each_of_colour(0, &mut problems, |_| true, |_| ()));
        store.each_of_colour(1, &mut problems[1..], |_| true, |member| member.0.rows[1] = BodyVelocity::zero());
        assert_eq!(store.rows()[0], BodyVelocity::zero());
        panics(&mut || _ = problems[1].0.rows[1]);
        let other = VelocityStore::<Space>::default();
        let mut other = std::mem::replace(&mut store, other);
        panics(&mut || store.each(&mut problems, |_| ()));
        other.each(&mut problems, |_| ());
    }

    #[test]
    fn layouts_with_a_row_in_common_within_a_colour_are_refused() {
        let refused = |layouts: Vec<(u8, VelocityLayout)>| {
            assert!(std::panic::catch_unwind(|| arranged::<Plane>(2, layouts)).is_err());
        };
        refused(vec![(0, layout(&[2, 0], 2..3, &[])), (0, layout(&[3, 0], 3..4, &[]))]);
        refused(vec![(0, layout(&[2, 3], 2..4, &[])), (1, layout(&[3, 4], 3..5, &[]))]);
        refused(vec![(0, layout(&[2, 3], 2..4, &[])), (1, layout(&[4, 3], 4..5, &[]))]);
        refused(vec![(0, layout(&[100], 100..101, &[]))]);
        refused(vec![(0, layout(&[2, 3], 2..4, &[[1, 0]])), (0, layout(&[4, 0], 4..5, &[]))]);
        arranged::<Plane>(2, vec![(0, layout(&[2, 0], 2..3, &[])), (1, layout(&[3, 0], 3..4, &[]))]);
    }
}
