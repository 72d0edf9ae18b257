//! Operations on SIMD registers, and kernels that are generic over the kind of register.
#![allow(unsafe_code)]

use crate::base::scratch::CacheLine;
use crate::dim::Many;

/// A register of numbers, loaded from and stored to a [`CacheLine`] of eight.
pub(in crate::solver) trait Simd: Many {
    /// Numbers per register.
    const N: usize;
    /// Is a batch loaded before the solution of the previous one is applied? There must be registers for both.
    const LOADS_AHEAD: bool;
    /// Index tables of the shuffles.
    type Tables: Copy;
    /// Rows that are kept between reading and writing, where there are registers for them.
    type Rows: Copy;
    fn tables() -> Self::Tables;
    fn splat(x: f64) -> Self;
    /// Loads from `lane` on.
    fn load(from: &CacheLine, lane: usize) -> Self;
    fn store(self, to: &mut CacheLine, lane: usize);
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    fn over(self, b: Self) -> Self;
    fn sqrt(self) -> Self;
    /// Zero where negative or NaN.
    #[inline(always)]
    fn positive(self) -> Self {
        self.larger(Self::splat(0.0))
    }
    /// The smaller number; `b` where either is NaN.
    fn smaller(self, b: Self) -> Self;
    /// The larger number; `b` where either is NaN.
    fn larger(self, b: Self) -> Self;
    /// `yes` where self > b, `no` elsewhere.
    fn if_above(self, b: Self, yes: Self, no: Self) -> Self;
    /// Column k of the four numbers at each of the first N `offsets` from `base`.
    ///
    /// # Safety
    /// Four numbers may be read at each offset, and each group is aligned to 32 bytes.
    unsafe fn columns(base: *const f64, offsets: &[u32], tables: Self::Tables) -> [Self; 4];
    /// The reverse of `columns`; where offsets are equal, the numbers must be.
    ///
    /// # Safety
    /// Four numbers may be written at each offset, and each group is aligned to 32 bytes.
    unsafe fn write_columns(columns: [Self; 4], base: *mut f64, offsets: &[u32], tables: Self::Tables);
    /// For the pairs of rows at the first N of both `ends`: the velocity of the second minus that of the first, and the
    /// sums of all numbers behind it, by columns; and the rows that `apply_to_rows` reuses. A row has four numbers, or
    /// eight if `LONG`.
    ///
    /// # Safety
    /// A row may be read at each offset, and each is aligned to its length.
    unsafe fn relative_rows<const LONG: bool>(
        base: *const f64,
        ends: [&[u32]; 2],
        tables: Self::Tables,
    ) -> ([Self; 8], Self::Rows);
    /// Subtracts the columns, times the inverse mass of a row, from the first row of each pair; from the second
    /// likewise, but the velocity is added. The column of the inverse masses must be zero. A row that occurs twice must
    /// have an inverse mass of zero. `rows` come from `relative_rows` for the same ends, and none of them has changed
    /// since.
    ///
    /// # Safety
    /// A row may be read and written at each offset, and each is aligned to its length.
    unsafe fn apply_to_rows<const LONG: bool>(
        columns: [Self; 8],
        base: *mut f64,
        ends: [&[u32]; 2],
        rows: Self::Rows,
        tables: Self::Tables,
    );
    /// Prefetches the cache line of this address.
    fn prefetch(at: *const f64);
}

/// Position of the inverse mass in a row: behind the velocity.
pub(super) const fn mass_at(long: bool) -> usize {
    if long { 3 } else { 2 }
}

/// A computation that is generic over the kind of register.
pub(in crate::solver) trait SimdKernel {
    fn run<V: Simd>(self);
}
