//! Velocity rows of the bodies of a problem, by local index.
//!
//! A problem that stands alone owns its rows. The problems of the subdomains of a process share one array, the
//! [`VelocityStore`](super::VelocityStore): a body that is active in at most one subdomain of each colour has a single
//! row there, which all of these subdomains read and write, so that no velocities are copied between subdomains.
//! Such a problem has access to its rows only while the store attaches it to them.
#![allow(unsafe_code)]

use std::ops::{Index, IndexMut, Range};

use serde::{Deserialize, Serialize};

use super::BodyVelocity;
use crate::base::index::{IndexVec, ProblemBody, VelocityRow};
use crate::base::trim;
use crate::dim::Dim;

/// Velocity rows by index.
pub(super) trait VelocityRows<X: Dim>: IndexMut<usize, Output = BodyVelocity<X>> {}

impl<X: Dim, L: IndexMut<usize, Output = BodyVelocity<X>> + ?Sized> VelocityRows<X> for L {}

/// Where the rows of a problem lie in a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VelocityLayout {
    /// The row of each body of the problem.
    pub rows: IndexVec<ProblemBody, VelocityRow>,
    /// Rows that belong to this problem alone, contiguous; the row of the world is among them.
    pub own: Range<u32>,
    /// Split copies, each with the row of the interface body whose velocity it starts from.
    pub split: Vec<(ProblemBody, VelocityRow)>,
}

/// The arrangement of a store that a problem belongs to, and its colour there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Membership {
    pub(super) arrangement: u64,
    pub(super) colour: u8,
}

/// The rows of a store, while a problem is attached to them; none otherwise.
#[derive(Clone, Copy)]
pub(super) struct AttachedRows<X: Dim> {
    pub(super) start: *mut BodyVelocity<X>,
    pub(super) count: usize,
    /// May rows be written that are not the problem's own?
    pub(super) writes_shared: bool,
}

// SAFETY: rows are plain numbers; the store that attaches a problem excludes conflicting access to them.
unsafe impl<X: Dim> Send for AttachedRows<X> {}
// SAFETY: the same.
unsafe impl<X: Dim> Sync for AttachedRows<X> {}

impl<X: Dim> AttachedRows<X> {
    pub(super) const NONE: Self = Self { start: std::ptr::null_mut(), count: 0, writes_shared: false };

    #[inline(always)]
    fn get(&self, number: usize) -> &BodyVelocity<X> {
        assert!(number < self.count, "a problem is used while its velocity rows are not attached");
        // SAFETY: the row exists, and nothing writes it concurrently: see `VelocityStore`.
        unsafe { &*self.start.add(number) }
    }

    #[inline(always)]
    fn get_mut(&mut self, number: usize, own: &Range<u32>) -> &mut BodyVelocity<X> {
        assert!(number < self.count, "a problem is used while its velocity rows are not attached");
        assert!(self.writes_shared || own.contains(&(number as u32)), "a shared velocity row is written out of turn");
        // SAFETY: the row exists, and nothing else reads or writes it concurrently: see `VelocityStore`.
        unsafe { &mut *self.start.add(number) }
    }
}

/// The velocity rows of a problem by local index, that of the world first.
#[derive(Serialize, Deserialize)]
#[serde(bound = "", from = "Vec<BodyVelocity<X>>", into = "Vec<BodyVelocity<X>>")]
pub struct VelocityView<X: Dim> {
    /// All rows of a problem that stands alone; empty otherwise.
    standalone: Vec<BodyVelocity<X>>,
    /// Arrangement of a store that the problem belongs to, unless it stands alone.
    membership: Option<Membership>,
    /// Position of the rows in the store. It never changes as long as the problem belongs to an arrangement.
    layout: VelocityLayout,
    /// The rows of the store, while the problem is attached to them.
    rows: AttachedRows<X>,
    /// Number of bodies added so far, if the rows are in a store.
    count: usize,
}

impl<X: Dim> Default for VelocityView<X> {
    fn default() -> Self {
        Self {
            standalone: Vec::new(),
            membership: None,
            layout: VelocityLayout::default(),
            rows: AttachedRows::NONE,
            count: 0,
        }
    }
}

impl<X: Dim> From<Vec<BodyVelocity<X>>> for VelocityView<X> {
    fn from(standalone: Vec<BodyVelocity<X>>) -> Self {
        Self { standalone, ..Self::default() }
    }
}

impl<X: Dim> From<VelocityView<X>> for Vec<BodyVelocity<X>> {
    fn from(rows: VelocityView<X>) -> Self {
        rows.iter().copied().collect()
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
        if self.membership.is_some() { self.count } else { self.standalone.len() }
    }

    /// Is the view empty?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes all bodies and leaves the store.
    pub fn clear(&mut self) {
        self.membership = None;
        self.rows = AttachedRows::NONE;
        self.count = 0;
        self.standalone.clear();
    }

    /// Makes the problem a member of an arrangement with this layout; `layout` gets the memory of the previous one.
    /// Present rows of the problem are moved to the `store`, if they are its own there.
    pub(super) fn join(&mut self, membership: Membership, layout: &mut VelocityLayout, store: &mut [BodyVelocity<X>]) {
        std::mem::swap(&mut self.layout, layout);
        self.membership = Some(membership);
        self.rows = AttachedRows::NONE;
        self.count = self.standalone.len();
        for (&to, row) in self.layout.rows.raw.iter().zip(self.standalone.drain(..)) {
            if self.layout.own.contains(&to.0) {
                store[to.index()] = row;
            }
        }
    }

    /// The arrangement of a store that the problem belongs to, unless it stands alone.
    pub(super) fn membership(&self) -> Option<Membership> {
        self.membership
    }

    /// Gives access to the rows of the store that has arranged this problem.
    ///
    /// # Safety
    ///
    /// Until the next call of [`detach`](Self::detach), `rows` are those of the store, and nothing else writes a row of
    /// the layout, or reads it if this problem may write it.
    pub(super) unsafe fn attach(&mut self, rows: AttachedRows<X>) {
        self.rows = rows;
    }

    /// Ends the access to the rows of the store.
    pub(super) fn detach(&mut self) {
        self.rows = AttachedRows::NONE;
    }

    /// A copy that stands alone, of a problem with these rows in a store.
    pub(super) fn copied_from(&self, store: &[BodyVelocity<X>]) -> Self {
        match self.membership {
            Some(_) => Vec::from_iter(self.layout.rows.raw[..self.count].iter().map(|row| store[row.index()])).into(),
            None => self.clone(),
        }
    }

    /// Layout of the rows in the store, if the problem does not stand alone.
    pub fn layout(&self) -> &VelocityLayout {
        &self.layout
    }

    /// Adds a body; in a store, writes its row only if that is this problem's own.
    pub fn push(&mut self, row: BodyVelocity<X>) {
        if self.membership.is_none() {
            return self.standalone.push(row);
        }
        let index = ProblemBody::new(self.count);
        self.count += 1;
        if self.is_own(index) {
            self[index.index()] = row;
        }
    }

    /// Does the row of a body belong to this problem alone?
    pub fn is_own(&self, body: ProblemBody) -> bool {
        self.membership.is_none() || self.layout.own.contains(&self.layout.rows[body].0)
    }

    /// Rows by local index.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &BodyVelocity<X>> {
        (0..self.len()).map(|index| &self[index])
    }

    /// Row number of a local index in the underlying array.
    #[inline(always)]
    pub(super) fn row_number(&self, index: u32) -> u32 {
        if self.membership.is_some() { self.layout.rows.raw[index as usize].0 } else { index }
    }

    /// Local index of each row of the underlying array up to the last one of this problem; that of the world for rows
    /// outside this problem.
    pub(super) fn indices_by_row(&self) -> Vec<u32> {
        let all = 0..self.len() as u32;
        let mut indices = vec![0; all.clone().map(|index| self.row_number(index) as usize + 1).max().unwrap_or(0)];
        all.for_each(|index| indices[self.row_number(index) as usize] = index);
        indices
    }

    /// Numbers of the rows that belong to this problem alone.
    pub(super) fn own_rows(&self) -> Range<usize> {
        match self.membership {
            Some(_) => self.layout.own.start as usize..self.layout.own.end as usize,
            None => 0..self.standalone.len(),
        }
    }

    /// The rows that belong to this problem alone.
    pub fn own(&mut self) -> &mut [BodyVelocity<X>] {
        let Range { start, end } = self.own_rows();
        if self.membership.is_none() {
            return &mut self.standalone;
        }
        assert!(end <= self.rows.count, "a problem is used while its velocity rows are not attached");
        // SAFETY: the rows exist and occur in no other layout of the arrangement; the slice borrows `self`.
        unsafe { std::slice::from_raw_parts_mut(self.rows.start.add(start), end - start) }
    }

    /// Length of the underlying array.
    pub(super) fn array_len(&self) -> usize {
        if self.membership.is_some() { self.rows.count } else { self.standalone.len() }
    }

    /// Start of the underlying array.
    pub(super) fn start(&self) -> *const BodyVelocity<X> {
        if self.membership.is_some() { self.rows.start.cast_const() } else { self.standalone.as_ptr() }
    }

    /// Start of the underlying array, for writing all rows of this problem.
    pub(super) fn start_mut(&mut self) -> *mut BodyVelocity<X> {
        match self.membership {
            Some(_) => {
                assert!(self.rows.writes_shared, "a sweep needs all velocity rows of its problem for writing");
                self.rows.start
            }
            None => self.standalone.as_mut_ptr(),
        }
    }

    /// The rows by row number instead of local index.
    pub(super) fn by_row(&mut self) -> VelocitiesByRow<'_, X> {
        VelocitiesByRow(self)
    }

    /// Copies the velocities of the interface bodies to their split copies in this problem; none if it stands alone.
    #[inline(always)]
    pub fn load_split_copies(&mut self) {
        if self.membership.is_some() {
            for &(copy, interface) in &self.layout.split {
                let velocity = self.rows.get(interface.index()).velocities();
                let own = self.layout.rows[copy].index();
                self.rows.get_mut(own, &self.layout.own).set_velocities(&velocity);
            }
        }
    }

    pub(super) fn trim(&mut self) {
        trim(&mut self.standalone);
        trim(&mut self.layout.rows.raw);
        trim(&mut self.layout.split);
    }
}

impl<X: Dim> Index<usize> for VelocityView<X> {
    type Output = BodyVelocity<X>;

    #[inline(always)]
    fn index(&self, index: usize) -> &BodyVelocity<X> {
        match self.membership {
            Some(_) => self.rows.get(self.layout.rows.raw[index].index()),
            None => &self.standalone[index],
        }
    }
}

impl<X: Dim> IndexMut<usize> for VelocityView<X> {
    #[inline(always)]
    fn index_mut(&mut self, index: usize) -> &mut BodyVelocity<X> {
        match self.membership {
            Some(_) => self.rows.get_mut(self.layout.rows.raw[index].index(), &self.layout.own),
            None => &mut self.standalone[index],
        }
    }
}

/// The rows of a problem by row number in the underlying array; numbers outside the layout are never used.
pub(super) struct VelocitiesByRow<'a, X: Dim>(&'a mut VelocityView<X>);

impl<X: Dim> Index<usize> for VelocitiesByRow<'_, X> {
    type Output = BodyVelocity<X>;

    #[inline(always)]
    fn index(&self, number: usize) -> &BodyVelocity<X> {
        match self.0.membership {
            Some(_) => self.0.rows.get(number),
            None => &self.0.standalone[number],
        }
    }
}

impl<X: Dim> IndexMut<usize> for VelocitiesByRow<'_, X> {
    #[inline(always)]
    fn index_mut(&mut self, number: usize) -> &mut BodyVelocity<X> {
        match self.0.membership {
            Some(_) => self.0.rows.get_mut(number, &self.0.layout.own),
            None => &mut self.0.standalone[number],
        }
    }
}
