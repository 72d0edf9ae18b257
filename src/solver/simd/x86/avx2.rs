//! AVX2: four numbers per register.

use std::arch::x86_64::*;

use super::common::{prefetch, signs};
use crate::base::scratch::CacheLine;
use crate::dim::Many;
use crate::solver::simd::register::{Simd, mass_at};

/// One register of four numbers. Exists only inside [`with_avx2`](super::with_avx2), into which everything here is
/// inlined and which is called only where the processor supports it.
#[derive(Clone, Copy)]
pub(in crate::solver) struct Avx2(__m256d);

/// Relative quantities of a pair of rows of four numbers.
///
/// # Safety
/// Four aligned numbers may be read from both addresses, and the processor supports AVX2 and FMA.
#[inline(always)]
unsafe fn relative_row(a: *const f64, b: *const f64, signs: __m256d) -> __m256d {
    // SAFETY: guaranteed by the caller.
    unsafe { _mm256_fmadd_pd(_mm256_load_pd(a), signs, _mm256_load_pd(b)) }
}

/// Subtracts `row` times the number at `mass` from the four numbers at `at`.
///
/// # Safety
/// Four aligned numbers may be read from and written to `at`, one read from `mass`; the processor supports AVX2 and
/// FMA.
#[inline(always)]
unsafe fn apply_to_row(at: *mut f64, mass: *const f64, row: __m256d) {
    // SAFETY: guaranteed by the caller.
    unsafe { _mm256_store_pd(at, _mm256_fnmadd_pd(row, _mm256_set1_pd(*mass), _mm256_load_pd(at))) }
}

/// Transposes a 4 by 4 block.
///
/// # Safety
/// The processor supports AVX2.
#[inline(always)]
unsafe fn transpose([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
    // SAFETY: guaranteed by the caller; no memory is accessed.
    unsafe {
        let (ab0, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        let (cd0, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
        [
            _mm256_permute2f128_pd::<0x20>(ab0, cd0),
            _mm256_permute2f128_pd::<0x20>(ab1, cd1),
            _mm256_permute2f128_pd::<0x31>(ab0, cd0),
            _mm256_permute2f128_pd::<0x31>(ab1, cd1),
        ]
    }
}

impl Many for Avx2 {
    by_instruction! {
        times(b) _mm256_mul_pd;
        times_plus(b, c) _mm256_fmadd_pd;
        times_from(b, c) _mm256_fnmadd_pd;
        times_less(b, c) _mm256_fmsub_pd;
    }
}

impl Simd for Avx2 {
    const N: usize = 4;
    const LOADS_AHEAD: bool = false;
    type Tables = ();
    type Rows = ();
    by_instruction! {
        plus(b) _mm256_add_pd;
        minus(b) _mm256_sub_pd;
        over(b) _mm256_div_pd;
        sqrt() _mm256_sqrt_pd;
        smaller(b) _mm256_min_pd;
        larger(b) _mm256_max_pd;
    }
    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: called by kernels only, inside the function that is compiled for these registers.
        Self(unsafe { _mm256_set1_pd(x) })
    }
    #[inline(always)]
    fn prefetch(at: *const f64) {
        prefetch(at);
    }
    #[inline(always)]
    fn tables() {}
    #[inline(always)]
    fn load(from: &CacheLine, lane: usize) -> Self {
        // SAFETY: four numbers at any address; a wrong `lane` makes the slice panic.
        Self(unsafe { _mm256_loadu_pd(from.0[lane..lane + 4].as_ptr()) })
    }
    #[inline(always)]
    fn store(self, to: &mut CacheLine, lane: usize) {
        // SAFETY: as for `load`.
        unsafe { _mm256_storeu_pd(to.0[lane..lane + 4].as_mut_ptr(), self.0) }
    }
    #[inline(always)]
    fn if_above(self, b: Self, yes: Self, no: Self) -> Self {
        // SAFETY: a `self` exists only where the processor supports these instructions.
        unsafe { Self(_mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, b.0))) }
    }
    #[inline(always)]
    unsafe fn columns(base: *const f64, offsets: &[u32], (): ()) -> [Self; 4] {
        // SAFETY: the caller guarantees four aligned numbers at each offset.
        unsafe {
            let mut rows = [_mm256_setzero_pd(); 4];
            for (k, row) in rows.iter_mut().enumerate() {
                *row = _mm256_load_pd(base.add(offsets[k] as usize));
            }
            let [a, b, c, d] = transpose(rows);
            [Self(a), Self(b), Self(c), Self(d)]
        }
    }
    #[inline(always)]
    unsafe fn write_columns(columns: [Self; 4], base: *mut f64, offsets: &[u32], (): ()) {
        // SAFETY: the caller guarantees space for four aligned numbers at each offset.
        unsafe {
            let [a, b, c, d] = columns;
            for (k, row) in transpose([a.0, b.0, c.0, d.0]).into_iter().enumerate() {
                _mm256_store_pd(base.add(offsets[k] as usize), row);
            }
        }
    }
    #[inline(always)]
    unsafe fn relative_rows<const LONG: bool>(base: *const f64, [a, b]: [&[u32]; 2], (): ()) -> ([Self; 8], ()) {
        // SAFETY: the caller guarantees an aligned row at each offset.
        unsafe {
            let signs = signs::<LONG>();
            let mut columns = [Self::splat(0.0); 8];
            for part in (0..if LONG { 8 } else { 4 }).step_by(4) {
                let signs = _mm256_loadu_pd(signs.as_ptr().add(part));
                let mut rows = [_mm256_setzero_pd(); 4];
                for (k, row) in rows.iter_mut().enumerate() {
                    *row = relative_row(base.add(a[k] as usize + part), base.add(b[k] as usize + part), signs);
                }
                columns[part..part + 4].copy_from_slice(&transpose(rows).map(Self));
            }
            (columns, ())
        }
    }
    #[inline(always)]
    unsafe fn apply_to_rows<const LONG: bool>(columns: [Self; 8], base: *mut f64, [a, b]: [&[u32]; 2], (): (), (): ()) {
        // SAFETY: the caller guarantees an aligned row at each offset; the inverse mass is one of its numbers.
        unsafe {
            let signs = signs::<LONG>();
            for part in (0..if LONG { 8 } else { 4 }).step_by(4) {
                let signs = _mm256_loadu_pd(signs.as_ptr().add(part));
                let four = [columns[part].0, columns[part + 1].0, columns[part + 2].0, columns[part + 3].0];
                for (k, row) in transpose(four).into_iter().enumerate() {
                    let (first, second) = (base.add(a[k] as usize), base.add(b[k] as usize));
                    apply_to_row(first.add(part), first.add(mass_at(LONG)), row);
                    apply_to_row(second.add(part), second.add(mass_at(LONG)), _mm256_mul_pd(row, signs));
                }
            }
        }
    }
}
