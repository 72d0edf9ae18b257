//! AVX-512: eight numbers per register.

use std::arch::x86_64::*;

use super::common::{prefetch, signs};
use crate::base::scratch::CacheLine;
use crate::dim::Many;
use crate::solver::simd::register::{Simd, mass_at};

/// One register of eight numbers. Exists only inside [`with_avx512`](super::with_avx512), into which everything here is
/// inlined and which is called only where the processor supports it.
#[derive(Clone, Copy)]
pub(in crate::solver) struct Avx512(__m512d);

/// Which two rows of four numbers share a register: each with the next but one.
const PAIRS: [[usize; 2]; 4] = [[0, 2], [1, 3], [4, 6], [5, 7]];

/// Transposes rows of four numbers, two per register as in [`PAIRS`], to columns.
///
/// # Safety
/// The processor supports AVX-512.
#[inline(always)]
unsafe fn columns_of([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: guaranteed by the caller; no memory is accessed.
    unsafe {
        let (ab0, ab1) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        let (cd0, cd1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
        [
            _mm512_shuffle_f64x2::<0x88>(ab0, cd0),
            _mm512_shuffle_f64x2::<0x88>(ab1, cd1),
            _mm512_shuffle_f64x2::<0xdd>(ab0, cd0),
            _mm512_shuffle_f64x2::<0xdd>(ab1, cd1),
        ]
    }
}

/// The reverse of `columns_of`, by the tables of [`Avx512`].
///
/// # Safety
/// The processor supports AVX-512.
#[inline(always)]
unsafe fn rows_of([a, b, c, d]: [__m512d; 4], [low, high]: [__m512i; 2]) -> [__m512d; 4] {
    // SAFETY: guaranteed by the caller; no memory is accessed.
    unsafe {
        let (ab0, ab1) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
        let (cd0, cd1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
        [
            _mm512_permutex2var_pd(ab0, low, cd0),
            _mm512_permutex2var_pd(ab1, low, cd1),
            _mm512_permutex2var_pd(ab0, high, cd0),
            _mm512_permutex2var_pd(ab1, high, cd1),
        ]
    }
}

/// Transposes an 8 by 8 block.
///
/// # Safety
/// The processor supports AVX-512.
#[inline(always)]
unsafe fn transpose(rows: [__m512d; 8]) -> [__m512d; 8] {
    // SAFETY: guaranteed by the caller; no memory is accessed.
    unsafe {
        let [a, b, c, d, e, f, g, h] = rows;
        // Columns 0 and 4, 1 and 5, 2 and 6, 3 and 7 of the first four rows, and of the others.
        let (upper, lower) = (columns_of([a, b, c, d]), columns_of([e, f, g, h]));
        let mut columns = [_mm512_setzero_pd(); 8];
        for k in 0..4 {
            columns[k] = _mm512_shuffle_f64x2::<0x88>(upper[k], lower[k]);
            columns[k + 4] = _mm512_shuffle_f64x2::<0xdd>(upper[k], lower[k]);
        }
        columns
    }
}

/// Source indices of a shuffle. Their alignment aligns the stack frame of a kernel: spilled registers would straddle
/// two cache lines otherwise.
#[repr(C, align(64))]
struct ShuffleIndices([i64; 8]);

impl Many for Avx512 {
    by_instruction! {
        times(b) _mm512_mul_pd;
        times_plus(b, c) _mm512_fmadd_pd;
        times_from(b, c) _mm512_fnmadd_pd;
        times_less(b, c) _mm512_fmsub_pd;
    }
}

impl Simd for Avx512 {
    const N: usize = 8;
    const LOADS_AHEAD: bool = true;
    type Tables = [__m512i; 2];
    type Rows = [[__m512d; 2]; 4];
    by_instruction! {
        plus(b) _mm512_add_pd;
        minus(b) _mm512_sub_pd;
        over(b) _mm512_div_pd;
        sqrt() _mm512_sqrt_pd;
        smaller(b) _mm512_min_pd;
        larger(b) _mm512_max_pd;
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: called by kernels only, inside the function that is compiled for these registers.
        Self(unsafe { _mm512_set1_pd(x) })
    }
    #[inline(always)]
    fn prefetch(at: *const f64) {
        prefetch(at);
    }
    #[inline(always)]
    fn tables() -> [__m512i; 2] {
        // Hidden from the compiler, which would split these shuffles into more and slower ones.
        let low = std::hint::black_box(ShuffleIndices([0, 1, 8, 9, 2, 3, 10, 11]));
        let high = std::hint::black_box(ShuffleIndices([4, 5, 12, 13, 6, 7, 14, 15]));
        // SAFETY: eight numbers of 64 bits each, aligned to 64 bytes; called by kernels only.
        unsafe { [&low, &high].map(|indices| _mm512_load_si512(indices.0.as_ptr().cast())) }
    }
    #[inline(always)]
    fn load(from: &CacheLine, _: usize) -> Self {
        // SAFETY: a `CacheLine` is eight numbers aligned to 64 bytes.
        Self(unsafe { _mm512_load_pd(from.0.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, to: &mut CacheLine, _: usize) {
        // SAFETY: a `CacheLine` is eight numbers aligned to 64 bytes.
        unsafe { _mm512_store_pd(to.0.as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn if_above(self, b: Self, yes: Self, no: Self) -> Self {
        // SAFETY: a `self` exists only where the processor supports these instructions.
        unsafe {
            let above = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, b.0);
            Self(_mm512_mask_blend_pd(above, no.0, yes.0))
        }
    }
    #[inline(always)]
    unsafe fn columns(base: *const f64, offsets: &[u32], _: [__m512i; 2]) -> [Self; 4] {
        // SAFETY: the caller guarantees four aligned numbers at each offset.
        unsafe {
            let mut rows = [_mm512_setzero_pd(); 4];
            for (row, pair) in rows.iter_mut().zip(PAIRS) {
                *row = read_pair(base, offsets, pair);
            }
            columns_of(rows).map(Self)
        }
    }
    #[inline(always)]
    unsafe fn write_columns(columns: [Self; 4], base: *mut f64, offsets: &[u32], tables: [__m512i; 2]) {
        // SAFETY: the caller guarantees space for four aligned numbers at each offset.
        unsafe {
            let rows = rows_of(columns.map(|column| column.0), tables);
            for (pair, rows) in PAIRS.into_iter().zip(rows) {
                write_pair(base, offsets, pair, rows);
            }
        }
    }
    #[inline(always)]
    unsafe fn relative_rows<const LONG: bool>(
        base: *const f64,
        [a, b]: [&[u32]; 2],
        _: [__m512i; 2],
    ) -> ([Self; 8], Self::Rows) {
        // SAFETY: the caller guarantees an aligned row at each offset.
        unsafe {
            let signs = signs::<LONG>();
            if LONG {
                let signs = _mm512_loadu_pd(signs.as_ptr());
                let mut rows = [_mm512_setzero_pd(); 8];
                for (k, row) in rows.iter_mut().enumerate() {
                    let first = _mm512_load_pd(base.add(a[k] as usize));
                    *row = _mm512_fmadd_pd(first, signs, _mm512_load_pd(base.add(b[k] as usize)));
                }
                return (transpose(rows).map(Self), [[_mm512_setzero_pd(); 2]; 4]);
            }
            let signs = _mm512_broadcast_f64x4(_mm256_loadu_pd(signs.as_ptr()));
            let mut joined = [_mm512_setzero_pd(); 4];
            let mut rows = [[_mm512_setzero_pd(); 2]; 4];
            for (k, pair) in PAIRS.into_iter().enumerate() {
                rows[k] = [read_pair(base, a, pair), read_pair(base, b, pair)];
                joined[k] = _mm512_fmadd_pd(rows[k][0], signs, rows[k][1]);
            }
            let [p, q, r, s] = columns_of(joined).map(Self);
            let zero = Self::splat(0.0);
            ([p, q, r, s, zero, zero, zero, zero], rows)
        }
    }
    #[inline(always)]
    unsafe fn apply_to_rows<const LONG: bool>(
        columns: [Self; 8],
        base: *mut f64,
        [a, b]: [&[u32]; 2],
        rows: Self::Rows,
        tables: [__m512i; 2],
    ) {
        // SAFETY: the caller guarantees an aligned row at each offset; the inverse mass is one of its numbers.
        unsafe {
            let signs = signs::<LONG>();
            if LONG {
                let signs = _mm512_loadu_pd(signs.as_ptr());
                for (k, row) in transpose(columns.map(|column| column.0)).into_iter().enumerate() {
                    let (first, second) = (base.add(a[k] as usize), base.add(b[k] as usize));
                    let [by_first, by_second] = [first, second].map(|row| _mm512_set1_pd(*row.add(mass_at(true))));
                    _mm512_store_pd(first, _mm512_fnmadd_pd(row, by_first, _mm512_load_pd(first)));
                    let row = _mm512_mul_pd(row, signs);
                    _mm512_store_pd(second, _mm512_fnmadd_pd(row, by_second, _mm512_load_pd(second)));
                }
                return;
            }
            let signs = _mm512_broadcast_f64x4(_mm256_loadu_pd(signs.as_ptr()));
            let [p, q, r, s, ..] = columns;
            let joined = rows_of([p.0, q.0, r.0, s.0], tables);
            for (k, pair) in PAIRS.into_iter().enumerate() {
                let [first, second] = rows[k];
                let (by_first, by_second) = (_mm512_permutex_pd::<0xaa>(first), _mm512_permutex_pd::<0xaa>(second));
                write_pair(base, a, pair, _mm512_fnmadd_pd(joined[k], by_first, first));
                let row = _mm512_mul_pd(joined[k], signs);
                write_pair(base, b, pair, _mm512_fnmadd_pd(row, by_second, second));
            }
        }
    }
}

/// Reads the rows of four numbers at two of the `offsets`.
///
/// # Safety
/// Four aligned numbers may be read at both offsets, and the processor supports AVX-512.
#[inline(always)]
unsafe fn read_pair(base: *const f64, offsets: &[u32], [low, high]: [usize; 2]) -> __m512d {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let low = _mm512_castpd256_pd512(_mm256_load_pd(base.add(offsets[low] as usize)));
        _mm512_insertf64x4::<1>(low, _mm256_load_pd(base.add(offsets[high] as usize)))
    }
}

/// The reverse of `read_pair`.
///
/// # Safety
/// Four aligned numbers may be written at both offsets, and the processor supports AVX-512.
#[inline(always)]
unsafe fn write_pair(base: *mut f64, offsets: &[u32], [low, high]: [usize; 2], rows: __m512d) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        _mm256_store_pd(base.add(offsets[low] as usize), _mm512_castpd512_pd256(rows));
        _mm256_store_pd(base.add(offsets[high] as usize), _mm512_extractf64x4_pd::<1>(rows));
    }
}
