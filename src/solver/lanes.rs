//! Eight numbers at once: the same operations, and so the same bits, by AVX-512, by AVX2 and by plain code.
//!
//! Every operation is rounded as IEEE 754 says, products are fused with sums in all three, and nothing is reordered. A
//! kernel is written once over [`Lanes`] and run through [`dispatch`], which asks the processor what it has.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, Ordering};

use crate::dim::Many;

/// Eight numbers in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(super) struct Eight(pub(super) [f64; 8]);

/// Eight numbers in the processor.
pub(super) trait Lanes: Many {
    fn splat(x: f64) -> Self;
    fn load(from: &Eight) -> Self;
    fn store(self, to: &mut Eight);
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    fn over(self, b: Self) -> Self;
    fn sqrt(self) -> Self;
    /// Zero where negative or not a number.
    fn positive(self) -> Self;
    /// `yes` where self > b, `no` elsewhere.
    fn if_above(self, b: Self, yes: Self, no: Self) -> Self;
    /// Column k of the four numbers at each address; addresses are multiples of 32.
    ///
    /// # Safety
    /// Four numbers may be read from each address.
    unsafe fn columns(rows: [*const f64; 8]) -> [Self; 4];
    /// The reverse of `columns`; where addresses are equal, the numbers must be.
    ///
    /// # Safety
    /// Four numbers may be written to each address.
    unsafe fn write_columns(columns: [Self; 4], rows: [*mut f64; 8]);
    /// What is at this address will be needed soon.
    fn prefetch(at: *const f64);
}

/// Something to be done with lanes of any kind.
pub(super) trait Kernel {
    fn run<V: Lanes>(self);
}

/// How many numbers an instruction may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// One: plain code.
    One,
    /// Four, where the processor can.
    Four,
    /// As many as the processor can.
    Widest,
}

static WIDTH: AtomicU8 = AtomicU8::new(Width::Widest as u8);

/// From now on no instruction takes more numbers than that. Changes no bit of any result: for tests and measurements.
pub fn limit_width(width: Width) {
    WIDTH.store(width as u8, Ordering::Relaxed);
}

/// Runs a kernel with the widest lanes that this processor has, and that are allowed.
#[inline]
pub(super) fn dispatch(kernel: impl Kernel) {
    #[cfg(target_arch = "x86_64")]
    {
        let allowed = |width: Width| WIDTH.load(Ordering::Relaxed) >= width as u8;
        if allowed(Width::Widest) && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { x86::with_avx512(kernel) };
        }
        if allowed(Width::Four) && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor has what the function is compiled for.
            return unsafe { x86::with_avx2(kernel) };
        }
    }
    kernel.run::<Plain>();
}

/// Plain code.
#[derive(Clone, Copy)]
pub(super) struct Plain([f64; 8]);

impl Plain {
    #[inline(always)]
    fn zip(self, b: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|k| f(self.0[k], b.0[k])))
    }
}

impl Many for Plain {
    #[inline(always)]
    fn times(self, b: Self) -> Self {
        self.zip(b, |a, b| a * b)
    }
    #[inline(always)]
    fn times_plus(self, b: Self, c: Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k].mul_add(b.0[k], c.0[k])))
    }
    #[inline(always)]
    fn times_from(self, b: Self, c: Self) -> Self {
        Self(std::array::from_fn(|k| (-self.0[k]).mul_add(b.0[k], c.0[k])))
    }
}

impl Lanes for Plain {
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self([x; 8])
    }
    #[inline(always)]
    fn load(from: &Eight) -> Self {
        Self(from.0)
    }
    #[inline(always)]
    fn store(self, to: &mut Eight) {
        to.0 = self.0;
    }
    #[inline(always)]
    fn plus(self, b: Self) -> Self {
        self.zip(b, |a, b| a + b)
    }
    #[inline(always)]
    fn minus(self, b: Self) -> Self {
        self.zip(b, |a, b| a - b)
    }
    #[inline(always)]
    fn over(self, b: Self) -> Self {
        self.zip(b, |a, b| a / b)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn positive(self) -> Self {
        Self(self.0.map(|x| if x > 0.0 { x } else { 0.0 }))
    }
    #[inline(always)]
    fn if_above(self, b: Self, yes: Self, no: Self) -> Self {
        Self(std::array::from_fn(|k| if self.0[k] > b.0[k] { yes.0[k] } else { no.0[k] }))
    }
    #[inline(always)]
    unsafe fn columns(rows: [*const f64; 8]) -> [Self; 4] {
        // SAFETY: the caller promises four numbers at each address.
        std::array::from_fn(|k| Self(rows.map(|row| unsafe { *row.add(k) })))
    }
    #[inline(always)]
    unsafe fn write_columns(columns: [Self; 4], rows: [*mut f64; 8]) {
        for (lane, row) in rows.into_iter().enumerate() {
            for (k, column) in columns.iter().enumerate() {
                // SAFETY: the caller promises four numbers at each address.
                unsafe { *row.add(k) = column.0[lane] };
            }
        }
    }
    #[inline(always)]
    fn prefetch(_: *const f64) {}
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    // SAFETY, for all of this module: values of `Wide` and `Pair` exist only inside `with_avx512` and `with_avx2`, into
    // which everything here is inlined and which are called only where the processor has what they need.
    use super::{Eight, Kernel, Lanes, Many};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
    pub(in super::super) fn with_avx512(kernel: impl Kernel) {
        kernel.run::<Wide>();
    }

    #[target_feature(enable = "avx2,fma")]
    pub(in super::super) fn with_avx2(kernel: impl Kernel) {
        kernel.run::<Pair>();
    }

    /// One register.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Wide(__m512d);

    /// In each half, a 4 by 4 block transposed.
    #[inline(always)]
    unsafe fn transposed([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
        unsafe {
            let (ab0, ab1) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let (cd0, cd1) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
            let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
            [
                _mm512_permutex2var_pd(ab0, low, cd0),
                _mm512_permutex2var_pd(ab1, low, cd1),
                _mm512_permutex2var_pd(ab0, high, cd0),
                _mm512_permutex2var_pd(ab1, high, cd1),
            ]
        }
    }

    impl Many for Wide {
        #[inline(always)]
        fn times(self, b: Self) -> Self {
            Self(unsafe { _mm512_mul_pd(self.0, b.0) })
        }
        #[inline(always)]
        fn times_plus(self, b: Self, c: Self) -> Self {
            Self(unsafe { _mm512_fmadd_pd(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn times_from(self, b: Self, c: Self) -> Self {
            Self(unsafe { _mm512_fnmadd_pd(self.0, b.0, c.0) })
        }
    }

    impl Lanes for Wide {
        #[inline(always)]
        fn splat(x: f64) -> Self {
            Self(unsafe { _mm512_set1_pd(x) })
        }
        #[inline(always)]
        fn load(from: &Eight) -> Self {
            Self(unsafe { _mm512_load_pd(from.0.as_ptr()) })
        }
        #[inline(always)]
        fn store(self, to: &mut Eight) {
            unsafe { _mm512_store_pd(to.0.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn plus(self, b: Self) -> Self {
            Self(unsafe { _mm512_add_pd(self.0, b.0) })
        }
        #[inline(always)]
        fn minus(self, b: Self) -> Self {
            Self(unsafe { _mm512_sub_pd(self.0, b.0) })
        }
        #[inline(always)]
        fn over(self, b: Self) -> Self {
            Self(unsafe { _mm512_div_pd(self.0, b.0) })
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(unsafe { _mm512_sqrt_pd(self.0) })
        }
        #[inline(always)]
        fn positive(self) -> Self {
            Self(unsafe { _mm512_max_pd(self.0, _mm512_setzero_pd()) })
        }
        #[inline(always)]
        fn if_above(self, b: Self, yes: Self, no: Self) -> Self {
            unsafe {
                let above = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, b.0);
                Self(_mm512_mask_blend_pd(above, no.0, yes.0))
            }
        }
        #[inline(always)]
        unsafe fn columns(rows: [*const f64; 8]) -> [Self; 4] {
            unsafe {
                let halves: [__m512d; 4] = std::array::from_fn(|k| {
                    let low = _mm512_castpd256_pd512(_mm256_load_pd(rows[k]));
                    _mm512_insertf64x4::<1>(low, _mm256_load_pd(rows[k + 4]))
                });
                transposed(halves).map(Self)
            }
        }
        #[inline(always)]
        unsafe fn write_columns(columns: [Self; 4], rows: [*mut f64; 8]) {
            unsafe {
                let halves = transposed(columns.map(|column| column.0));
                for k in 0..4 {
                    _mm256_store_pd(rows[k], _mm512_castpd512_pd256(halves[k]));
                    _mm256_store_pd(rows[k + 4], _mm512_extractf64x4_pd::<1>(halves[k]));
                }
            }
        }
        #[inline(always)]
        fn prefetch(at: *const f64) {
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
        }
    }

    /// Two registers.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Pair([__m256d; 2]);

    impl Pair {
        #[inline(always)]
        fn zip(self, b: Self, f: impl Fn(__m256d, __m256d) -> __m256d) -> Self {
            Self([f(self.0[0], b.0[0]), f(self.0[1], b.0[1])])
        }
        #[inline(always)]
        fn zip3(self, b: Self, c: Self, f: impl Fn(__m256d, __m256d, __m256d) -> __m256d) -> Self {
            Self([f(self.0[0], b.0[0], c.0[0]), f(self.0[1], b.0[1], c.0[1])])
        }
    }

    #[inline(always)]
    unsafe fn square([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
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

    impl Many for Pair {
        #[inline(always)]
        fn times(self, b: Self) -> Self {
            self.zip(b, |a, b| unsafe { _mm256_mul_pd(a, b) })
        }
        #[inline(always)]
        fn times_plus(self, b: Self, c: Self) -> Self {
            self.zip3(b, c, |a, b, c| unsafe { _mm256_fmadd_pd(a, b, c) })
        }
        #[inline(always)]
        fn times_from(self, b: Self, c: Self) -> Self {
            self.zip3(b, c, |a, b, c| unsafe { _mm256_fnmadd_pd(a, b, c) })
        }
    }

    impl Lanes for Pair {
        #[inline(always)]
        fn splat(x: f64) -> Self {
            Self([unsafe { _mm256_set1_pd(x) }; 2])
        }
        #[inline(always)]
        fn load(from: &Eight) -> Self {
            unsafe { Self([_mm256_load_pd(from.0.as_ptr()), _mm256_load_pd(from.0.as_ptr().add(4))]) }
        }
        #[inline(always)]
        fn store(self, to: &mut Eight) {
            unsafe {
                _mm256_store_pd(to.0.as_mut_ptr(), self.0[0]);
                _mm256_store_pd(to.0.as_mut_ptr().add(4), self.0[1]);
            }
        }
        #[inline(always)]
        fn plus(self, b: Self) -> Self {
            self.zip(b, |a, b| unsafe { _mm256_add_pd(a, b) })
        }
        #[inline(always)]
        fn minus(self, b: Self) -> Self {
            self.zip(b, |a, b| unsafe { _mm256_sub_pd(a, b) })
        }
        #[inline(always)]
        fn over(self, b: Self) -> Self {
            self.zip(b, |a, b| unsafe { _mm256_div_pd(a, b) })
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            Self(self.0.map(|a| unsafe { _mm256_sqrt_pd(a) }))
        }
        #[inline(always)]
        fn positive(self) -> Self {
            Self(self.0.map(|a| unsafe { _mm256_max_pd(a, _mm256_setzero_pd()) }))
        }
        #[inline(always)]
        fn if_above(self, b: Self, yes: Self, no: Self) -> Self {
            let half = |k: usize| unsafe {
                let above = _mm256_cmp_pd::<_CMP_GT_OQ>(self.0[k], b.0[k]);
                _mm256_blendv_pd(no.0[k], yes.0[k], above)
            };
            Self([half(0), half(1)])
        }
        #[inline(always)]
        unsafe fn columns(rows: [*const f64; 8]) -> [Self; 4] {
            unsafe {
                let low = square(std::array::from_fn(|k| _mm256_load_pd(rows[k])));
                let high = square(std::array::from_fn(|k| _mm256_load_pd(rows[k + 4])));
                std::array::from_fn(|k| Self([low[k], high[k]]))
            }
        }
        #[inline(always)]
        unsafe fn write_columns(columns: [Self; 4], rows: [*mut f64; 8]) {
            unsafe {
                for half in 0..2 {
                    let lines = square(columns.map(|column| column.0[half]));
                    (0..4).for_each(|k| _mm256_store_pd(rows[4 * half + k], lines[k]));
                }
            }
        }
        #[inline(always)]
        fn prefetch(at: *const f64) {
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
        }
    }
}
