//! The lines of the bodies of a problem, by place.
//!
//! A problem that stands alone has them to itself. Those of the subdomains of a process lie in one array, the [`VelocityStore`]:
//! a body that one subdomain of a colour holds has one line there, in which every subdomain that holds it finds and leaves its
//! velocity, so that nothing is copied from one to the next.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ops::{Index, IndexMut, Range};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::BodyVelocity;
use crate::base::{make_room, trim};
use crate::dim::Dim;

/// Lines by number.
pub(super) trait VelocityRows<X: Dim>: IndexMut<usize, Output = BodyVelocity<X>> {}

impl<X: Dim, L: IndexMut<usize, Output = BodyVelocity<X>> + ?Sized> VelocityRows<X> for L {}

/// The lines of several problems in one array.
pub struct VelocityStore<X: Dim>(Vec<UnsafeCell<BodyVelocity<X>>>);

// SAFETY: lines are numbers. Who reads and writes which at the same time is for the borrowers to keep apart: see `VelocityView::join`.
unsafe impl<X: Dim> Sync for VelocityStore<X> {}

impl<X: Dim> Default for VelocityStore<X> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<X: Dim> VelocityStore<X> {
    /// As many lines, none of which means anything.
    pub fn resize(&mut self, count: usize) {
        if self.0.capacity() < count {
            self.0.clear();
            make_room(&mut self.0, count);
        }
        self.0.resize_with(count, || UnsafeCell::new(BodyVelocity::zero()));
        trim(&mut self.0);
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn start(&self) -> *mut BodyVelocity<X> {
        UnsafeCell::raw_get(self.0.as_ptr())
    }

    /// All lines, to be read and written.
    ///
    /// # Safety
    ///
    /// While the slice is in use nobody reads or writes a line of the field by any other way.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn all(&self) -> &mut [BodyVelocity<X>] {
        // SAFETY: so many lines begin there, each in a cell that may be written through; by the caller nobody else does.
        unsafe { std::slice::from_raw_parts_mut(self.start(), self.len()) }
    }
}

/// Where the lines of a problem lie in a field.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VelocityLayout {
    /// Number of the line of each place.
    pub numbers: Vec<u32>,
    /// Those that are this problem's alone, one after the other: that of the world among them.
    pub own: Range<u32>,
}

/// The lines of a problem by place, that of the world first.
#[derive(Serialize, Deserialize)]
#[serde(bound = "", from = "Vec<BodyVelocity<X>>", into = "Vec<BodyVelocity<X>>")]
pub struct VelocityView<X: Dim> {
    /// All of a problem that stands alone.
    alone: Vec<BodyVelocity<X>>,
    /// Else where they are,
    field: Option<Arc<VelocityStore<X>>>,
    /// by place,
    layout: VelocityLayout,
    /// and how many have been put there.
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
    /// How many there are.
    pub fn len(&self) -> usize {
        if self.field.is_some() { self.count } else { self.alone.len() }
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// None any more; they will stand alone.
    pub fn clear(&mut self) {
        self.field = None;
        self.count = 0;
        self.alone.clear();
    }

    /// Those to come, and those that are there, lie in `field` where `layout` says, which is taken over for the one before. What is
    /// not the problem's alone is there already.
    ///
    /// # Safety
    ///
    /// The numbers of the layout are lines of the field, as are those of its own. Lines that are `own` in one layout are in no
    /// other. Problems that have a line in common are never used by two threads at once, unless all only read or change none
    /// but their own.
    pub unsafe fn join(&mut self, field: &Arc<VelocityStore<X>>, layout: &mut VelocityLayout) {
        let there = std::mem::take(&mut self.alone);
        std::mem::swap(&mut self.layout, layout);
        self.field = Some(field.clone());
        self.count = 0;
        there.iter().for_each(|&line| self.push(line));
        self.alone = there;
        self.alone.clear();
    }

    /// Where they lie, if not alone.
    pub fn layout(&self) -> &VelocityLayout {
        &self.layout
    }

    /// One more; in a field, if it is this problem's own.
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

    /// Is the line of a place this problem's alone?
    pub fn is_own(&self, place: usize) -> bool {
        self.field.is_none() || self.layout.own.contains(&self.layout.numbers[place])
    }

    /// By place.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BodyVelocity<X>> {
        (0..self.len()).map(|place| &self[place])
    }

    /// Number of the line of a place in the array where it lies.
    #[inline(always)]
    pub(super) fn number(&self, place: u32) -> u32 {
        if self.field.is_some() { self.layout.numbers[place as usize] } else { place }
    }

    /// The place whose line has each number; that of the world for what is not of this problem.
    pub(super) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.array_len()];
        (0..self.len() as u32).for_each(|place| places[self.number(place) as usize] = place);
        places
    }

    /// Numbers of those that are this problem's alone.
    pub(super) fn own_numbers(&self) -> Range<usize> {
        match self.field {
            Some(_) => self.layout.own.start as usize..self.layout.own.end as usize,
            None => 0..self.alone.len(),
        }
    }

    /// Those that are this problem's alone.
    pub fn own(&mut self) -> &mut [BodyVelocity<X>] {
        let Range { start, end } = self.own_numbers();
        match &self.field {
            // SAFETY: these lines are in no other layout (see `join`), and `self` is borrowed for as long.
            Some(field) => unsafe { std::slice::from_raw_parts_mut(field.start().add(start), end - start) },
            None => &mut self.alone,
        }
    }

    /// Length of the array where they lie.
    pub(super) fn array_len(&self) -> usize {
        self.field.as_ref().map_or(self.alone.len(), |field| field.len())
    }

    /// Where it begins.
    pub(super) fn start(&self) -> *const BodyVelocity<X> {
        self.field.as_ref().map_or(self.alone.as_ptr(), |field| field.start().cast_const())
    }

    /// The same, to be written.
    pub(super) fn start_mut(&mut self) -> *mut BodyVelocity<X> {
        match &self.field {
            Some(field) => field.start(),
            None => self.alone.as_mut_ptr(),
        }
    }

    /// The lines by number, not by place.
    pub(super) fn by_number(&mut self) -> VelocitiesByRow<'_, X> {
        VelocitiesByRow(self)
    }

    /// The line of `place`, this problem's own, takes the velocities of the line `number` of the field, if there is one.
    #[inline(always)]
    pub fn load(&mut self, place: usize, number: u32) {
        let Some(field) = &self.field else { return };
        let from = &field.0[number as usize];
        // SAFETY: the line is there; nobody writes it meanwhile, or the problems of both would have it in common: see `join`.
        let twist = unsafe { (*from.get()).twist() };
        self[place].set_twist(&twist);
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
            // SAFETY: nobody writes it meanwhile: see `join`.
            Some(field) => unsafe { &*field.0[self.layout.numbers[place] as usize].get() },
            None => &self.alone[place],
        }
    }
}

impl<X: Dim> IndexMut<usize> for VelocityView<X> {
    #[inline(always)]
    fn index_mut(&mut self, place: usize) -> &mut BodyVelocity<X> {
        match &self.field {
            // SAFETY: nobody else reads or writes it meanwhile: see `join`.
            Some(field) => unsafe { &mut *field.0[self.layout.numbers[place] as usize].get() },
            None => &mut self.alone[place],
        }
    }
}

/// The lines of a problem by their numbers in the array where they lie.
pub(super) struct VelocitiesByRow<'a, X: Dim>(&'a mut VelocityView<X>);

impl<X: Dim> Index<usize> for VelocitiesByRow<'_, X> {
    type Output = BodyVelocity<X>;

    #[inline(always)]
    fn index(&self, number: usize) -> &BodyVelocity<X> {
        match &self.0.field {
            // SAFETY: a number of this problem's layout; nobody writes that line meanwhile: see `join`.
            Some(field) => unsafe { &*field.0[number].get() },
            None => &self.0.alone[number],
        }
    }
}

impl<X: Dim> IndexMut<usize> for VelocitiesByRow<'_, X> {
    #[inline(always)]
    fn index_mut(&mut self, number: usize) -> &mut BodyVelocity<X> {
        match &self.0.field {
            // SAFETY: a number of this problem's layout; nobody else reads or writes that line meanwhile: see `join`.
            Some(field) => unsafe { &mut *field.0[number].get() },
            None => &mut self.0.alone[number],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space, Vector};
    use crate::law::Reduced;
    use crate::solver::{Change, ContactProblem, LocalMap, Mass, MomentumState, SolverSettings, WORLD};

    /// A row of bodies pressed together, every third of them angular, on the world.
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
            let (ends, normal) = if body % 4 == 0 { ([WORLD, body], up) } else { ([body - 1, body], along) };
            match body % 5 {
                0 => problem.add_general(ends, normal, [along, -along], law, up, LocalMap::Projection),
                _ => problem.add_round(ends, normal, 0.98, &law, up),
            }
        }
    }

    /// Velocities by place after some sweeps of all kinds, and what the last one changed.
    fn swept<X: Dim>(mut problem: ContactProblem<X>) -> (Vec<BodyVelocity<X>>, Change) {
        problem.apply_impulses();
        let mut memory = MomentumState::default();
        memory.start(&mut problem);
        for _ in 0..7 {
            memory.extrapolate(problem.lines.own(), 0.3);
            problem.sweep_on(LocalMap::Projection, 1.0, 0.3, &mut memory);
        }
        problem.sweep_at_once(LocalMap::Projection, 1.0);
        let change = problem.sweep_by(&SolverSettings::default());
        (problem.lines.iter().copied().collect(), change)
    }

    fn a_problem_in_a_field_is_the_same_as_one_alone<X: Dim>() {
        let mut alone = ContactProblem::<X>::default();
        row(&mut alone);
        let mut field = VelocityStore::default();
        field.resize(100);
        let (field, mut there) = (Arc::new(field), ContactProblem::<X>::default());
        // All its own, in another order, after lines of others.
        let numbers: Vec<u32> = (0..41).map(|place| 30 + place * 17 % 41).collect();
        // SAFETY: there are a hundred lines, and nobody else has any.
        unsafe { there.lines.join(&field, &mut VelocityLayout { numbers, own: 30..71 }) };
        row(&mut there);
        assert_eq!(there.lines, alone.lines);
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
        // SAFETY: nobody else has any of these lines.
        let lines = unsafe { field.all() };
        lines[0] = moving;
        let mut problem = ContactProblem::<Space>::default();
        // SAFETY: three lines, and only this problem.
        unsafe { problem.lines.join(&field, &mut VelocityLayout { numbers: vec![1, 0, 2], own: 1..3 }) };
        problem.add_ball(Vector::zero(), Vector::zero(), 1.0, 1.0);
        problem.add_ball(Vector::zero(), Vector::zero(), 1.0, 1.0);
        assert_eq!((problem.lines[1], problem.lines[2].velocity), (moving, Vector::zero()));
        problem.lines.load(2, 0);
        assert_eq!((problem.lines[2].velocity, problem.lines[2].inverse_mass), (moving.velocity, 1.0));
        assert_eq!([0, 1, 2].map(|place| problem.lines.is_own(place)), [true, false, true]);
    }
}
