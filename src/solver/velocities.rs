//! Velocity rows of the bodies of a problem, by local index.
//!
//! A problem that stands alone owns its rows. The problems of the subdomains of a process share one array, the
//! [`VelocityStore`]: a body that only one subdomain of a colour holds has a single row there, which every subdomain
//! that holds the body reads and writes, so that no velocities are copied between subdomains.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::BodyVelocity;
use crate::base::{make_room, trim};
use crate::dim::Dim;

/// Velocity rows by index.
pub(super) trait VelocityRows<X: Dim>: IndexMut<usize, Output = BodyVelocity<X>> {}

impl<X: Dim, L: IndexMut<usize, Output = BodyVelocity<X>> + ?Sized> VelocityRows<X> for L {}

/// The velocity rows of several problems in one array.
pub struct VelocityStore<X: Dim>(Vec<UnsafeCell<BodyVelocity<X>>>);

// SAFETY: rows are plain numbers. Borrowers exclude conflicting access to a row: see `VelocityView::join`.
unsafe impl<X: Dim> Sync for VelocityStore<X> {}

impl<X: Dim> Default for VelocityStore<X> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<X: Dim> VelocityStore<X> {
    /// Sets the number of rows; their content is unspecified.
    pub fn resize(&mut self, count: usize) {
        if self.0.capacity() < count {
            self.0.clear();
            make_room(&mut self.0, count);
        }
        self.0.resize_with(count, || UnsafeCell::new(BodyVelocity::zero()));
        trim(&mut self.0);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is the store empty?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn start(&self) -> *mut BodyVelocity<X> {
        UnsafeCell::raw_get(self.0.as_ptr())
    }

    /// All rows, for reading and writing.
    ///
    /// # Safety
    ///
    /// While the slice is in use, no row of the store is read or written in any other way.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn all(&self) -> &mut [BodyVelocity<X>] {
        // SAFETY: `len` rows begin at `start`, each in an `UnsafeCell`; the caller guarantees exclusive access.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.len()) }
    }
}

/// Where the rows of a problem lie in a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VelocityLayout {
    /// Row number of each local index.
    pub numbers: Vec<u32>,
    /// Rows that belong to this problem alone, contiguous; the row of the world is among them.
    pub own: Range<u32>,
}

/// The velocity rows of a problem by local index, that of the world first.
#[derive(Serialize, Deserialize)]
#[serde(bound = "", from = "Vec<BodyVelocity<X>>", into = "Vec<BodyVelocity<X>>")]
pub struct VelocityView<X: Dim> {
    /// All rows of a problem that stands alone; empty otherwise.
    alone: Vec<BodyVelocity<X>>,
    /// The store that holds the rows, unless the problem stands alone.
    field: Option<Arc<VelocityStore<X>>>,
    /// Position of the rows in the store.
    layout: VelocityLayout,
    /// Number of bodies added so far, if the rows are in a store.
    count: usize,
}

impl<X: Dim> Default for VelocityView<X> {
    fn default() -> Self {
        Self { alone: Vec::new(), field: None, layout: VelocityLayout::default(), count: 0 }
    }
}

impl<X: Dim> From<Vec<BodyVelocity<X>>> for VelocityView<X> {
    fn from(alone: Vec<BodyVelocity<X>>) -> Self {
        Self { alone, ..Self::default() }
    }
}

impl<X: Dim> From<VelocityView<X>> for Vec<BodyVelocity<X>> {
    fn from(lines: VelocityView<X>) -> Self {
        lines.iter().copied().collect()
    }
}

/// A copy stands alone.
impl<X: Dim> Clone for VelocityView<X> {
    fn clone(&self) -> Self {
        Vec::from_iter(self.iter().copied()).into()
    }
}

impl<X: Dim> PartialEq for VelocityView<X> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<X: Dim> std::fmt::Debug for VelocityView<X> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<X: Dim> VelocityView<X> {
    /// Number of bodies.
    pub fn len(&self) -> usize {
        if self.field.is_some() { self.count } else { self.alone.len() }
    }

    /// Is the view empty?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all bodies and leaves the store.
    pub fn clear(&mut self) {
        self.field = None;
        self.count = 0;
        self.alone.clear();
    }

    /// Places present and future rows in the store `field` as `layout` says; `layout` gets the previous layout in
    /// exchange. Rows that are not the problem's own are in the store already.
    ///
    /// # Safety
    ///
    /// All row numbers of the layout, those of `own` included, are rows of the store. Rows that are `own` in one layout
    /// occur in no other. Problems with a row in common are never used by two threads at once, unless all of them only
    /// read, or change only their own rows.
    pub unsafe fn join(&mut self, field: &Arc<VelocityStore<X>>, layout: &mut VelocityLayout) {
        let there = std::mem::take(&mut self.alone);
        std::mem::swap(&mut self.layout, layout);
        self.field = Some(field.clone());
        self.count = 0;
        there.iter().for_each(|&line| self.push(line));
        self.alone = there;
        self.alone.clear();
    }

    /// Layout of the rows in the store, if the problem does not stand alone.
    pub fn layout(&self) -> &VelocityLayout {
        &self.layout
    }

    /// Adds a body; in a store, writes its row only if that is this problem's own.
    pub fn push(&mut self, line: BodyVelocity<X>) {
        if self.field.is_none() {
            return self.alone.push(line);
        }
        let place = self.count;
        self.count += 1;
        if self.is_own(place) {
            self[place] = line;
        }
    }

    /// Does the row of a local index belong to this problem alone?
    pub fn is_own(&self, place: usize) -> bool {
        self.field.is_none() || self.layout.own.contains(&self.layout.numbers[place])
    }

    /// Rows by local index.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BodyVelocity<X>> {
        (0..self.len()).map(|place| &self[place])
    }

    /// Row number of a local index in the underlying array.
    #[inline(always)]
    pub(super) fn number(&self, place: u32) -> u32 {
        if self.field.is_some() { self.layout.numbers[place as usize] } else { place }
    }

    /// Local index of each row of the underlying array; that of the world for rows outside this problem.
    pub(super) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.array_len()];
        (0..self.len() as u32).for_each(|place| places[self.number(place) as usize] = place);
        places
    }

    /// Numbers of the rows that belong to this problem alone.
    pub(super) fn own_numbers(&self) -> Range<usize> {
        match self.field {
            Some(_) => self.layout.own.start as usize..self.layout.own.end as usize,
            None => 0..self.alone.len(),
        }
    }

    /// The rows that belong to this problem alone.
    pub fn own(&mut self) -> &mut [BodyVelocity<X>] {
        let Range { start, end } = self.own_numbers();
        match &self.field {
            // SAFETY: these rows occur in no other layout (see `join`), and the slice borrows `self`.
            Some(field) => unsafe { std::slice::from_raw_parts_mut(field.start().add(start), end - start) },
            None => &mut self.alone,
        }
    }

    /// Length of the underlying array.
    pub(super) fn array_len(&self) -> usize {
        self.field.as_ref().map_or(self.alone.len(), |field| field.len())
    }

    /// Start of the underlying array.
    pub(super) fn start(&self) -> *const BodyVelocity<X> {
        self.field.as_ref().map_or(self.alone.as_ptr(), |field| field.start().cast_const())
    }

    /// Start of the underlying array, for writing.
    pub(super) fn start_mut(&mut self) -> *mut BodyVelocity<X> {
        match &self.field {
            Some(field) => field.start(),
            None => self.alone.as_mut_ptr(),
        }
    }

    /// The rows by row number instead of local index.
    pub(super) fn by_number(&mut self) -> VelocitiesByRow<'_, X> {
        VelocitiesByRow(self)
    }

    /// Copies the velocities of row `number` of the store to the problem's own row at local index `place`; does nothing
    /// if the problem stands alone.
    #[inline(always)]
    pub fn load(&mut self, place: usize, number: u32) {
        let Some(field) = &self.field else { return };
        let from = &field.0[number as usize];
        // SAFETY: the index is checked. Nobody writes the row concurrently: the problem of the writer would have the
        // row in common with this one, see `join`.
        let twist = unsafe { (*from.get()).velocities() };
        self[place].set_velocities(&twist);
    }

    pub(super) fn trim(&mut self) {
        trim(&mut self.alone);
        trim(&mut self.layout.numbers);
    }
}

impl<X: Dim> Index<usize> for VelocityView<X> {
    type Output = BodyVelocity<X>;

    #[inline(always)]
    fn index(&self, place: usize) -> &BodyVelocity<X> {
        match &self.field {
            // SAFETY: nobody writes the row concurrently: see `join`.
            Some(field) => unsafe { &*field.0[self.layout.numbers[place] as usize].get() },
            None => &self.alone[place],
        }
    }
}

impl<X: Dim> IndexMut<usize> for VelocityView<X> {
    #[inline(always)]
    fn index_mut(&mut self, place: usize) -> &mut BodyVelocity<X> {
        match &self.field {
            // SAFETY: nobody else reads or writes the row concurrently: see `join`.
            Some(field) => unsafe { &mut *field.0[self.layout.numbers[place] as usize].get() },
            None => &mut self.alone[place],
        }
    }
}

/// The rows of a problem by row number in the underlying array.
pub(super) struct VelocitiesByRow<'a, X: Dim>(&'a mut VelocityView<X>);

impl<X: Dim> Index<usize> for VelocitiesByRow<'_, X> {
    type Output = BodyVelocity<X>;

    #[inline(always)]
    fn index(&self, number: usize) -> &BodyVelocity<X> {
        match &self.0.field {
            // SAFETY: `number` is in this problem's layout; nobody writes that row concurrently: see `join`.
            Some(field) => unsafe { &*field.0[number].get() },
            None => &self.0.alone[number],
        }
    }
}

impl<X: Dim> IndexMut<usize> for VelocitiesByRow<'_, X> {
    #[inline(always)]
    fn index_mut(&mut self, number: usize) -> &mut BodyVelocity<X> {
        match &self.0.field {
            // SAFETY: `number` is in this problem's layout; nobody else accesses that row concurrently: see `join`.
            Some(field) => unsafe { &mut *field.0[number].get() },
            None => &mut self.0.alone[number],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::index::ProblemBody;
    use crate::dim::{Plane, Space, Vector};
    use crate::law::Reduced;
    use crate::solver::{Change, ContactProblem, LocalMap, Mass, MomentumState};

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
    fn swept<X: Dim>(mut problem: ContactProblem<X>) -> (Vec<BodyVelocity<X>>, Change) {
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

    fn a_problem_in_a_field_is_the_same_as_one_alone<X: Dim>() {
        let mut alone = ContactProblem::<X>::default();
        row(&mut alone);
        let mut field = VelocityStore::default();
        field.resize(100);
        let (field, mut there) = (Arc::new(field), ContactProblem::<X>::default());
        // All rows are its own, permuted, behind rows of other problems.
        let numbers: Vec<u32> = (0..41).map(|place| 30 + place * 17 % 41).collect();
        // SAFETY: the store has a hundred rows, and nobody else uses any.
        unsafe { there.rows.join(&field, &mut VelocityLayout { numbers, own: 30..71 }) };
        row(&mut there);
        assert_eq!(there.rows, alone.rows);
        let copy = there.clone();
        assert_eq!(copy, alone, "a copy stands alone");
        there.pack();
        assert_eq!(there.clone().round, alone.round, "also of one in batches");
        let expected = swept(alone);
        assert_ne!(expected.1.corrections, 0.0);
        assert_eq!(swept(there), expected);
        assert_eq!(swept(copy), expected);
    }

    #[test]
    fn a_problem_whose_lines_lie_among_others_has_the_same_bits_as_one_alone() {
        a_problem_in_a_field_is_the_same_as_one_alone::<Plane>();
        a_problem_in_a_field_is_the_same_as_one_alone::<Space>();
    }

    #[test]
    fn what_is_not_a_problems_own_is_found_there_and_never_overwritten_by_what_comes_in() {
        let mut field = VelocityStore::<Space>::default();
        field.resize(3);
        let field = Arc::new(field);
        let moving = BodyVelocity::new(Vector::from_fn(|_| 7.0), 0.5, Vector::zero());
        // SAFETY: nobody else uses any of these rows.
        let lines = unsafe { field.all() };
        lines[0] = moving;
        let mut problem = ContactProblem::<Space>::default();
        // SAFETY: the store has three rows, and only this problem uses them.
        unsafe { problem.rows.join(&field, &mut VelocityLayout { numbers: vec![1, 0, 2], own: 1..3 }) };
        problem.add_ball(Vector::zero(), Vector::zero(), 1.0, 1.0);
        problem.add_ball(Vector::zero(), Vector::zero(), 1.0, 1.0);
        assert_eq!((problem.rows[1], problem.rows[2].velocity), (moving, Vector::zero()));
        problem.rows.load(2, 0);
        assert_eq!((problem.rows[2].velocity, problem.rows[2].inverse_mass), (moving.velocity, 1.0));
        assert_eq!([0, 1, 2].map(|place| problem.rows.is_own(place)), [true, false, true]);
    }
}
