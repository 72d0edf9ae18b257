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

/// Some numbers in the processor, taken from or put into eight in memory.
pub(super) trait Lanes: Many {
    /// How many.
    const N: usize;
    /// Steps of a sweep that are begun before the first of them is ended: as many as there are registers for.
    const AT_ONCE: usize;
    /// How to shuffle.
    type Tables: Copy;
    fn tables() -> Self::Tables;
    fn splat(x: f64) -> Self;
    /// From `lane` on.
    fn load(from: &Eight, lane: usize) -> Self;
    fn store(self, to: &mut Eight, lane: usize);
    fn plus(self, b: Self) -> Self;
    fn minus(self, b: Self) -> Self;
    fn over(self, b: Self) -> Self;
    fn sqrt(self) -> Self;
    /// Zero where negative or not a number.
    fn positive(self) -> Self;
    /// `yes` where self > b, `no` elsewhere.
    fn if_above(self, b: Self, yes: Self, no: Self) -> Self;
    /// Column k of the four numbers at each of the first N `offsets` from `base`.
    ///
    /// # Safety
    /// Four numbers may be read from each place, and each is aligned to 32 bytes.
    unsafe fn columns(base: *const f64, offsets: &[u32], tables: Self::Tables) -> [Self; 4];
    /// The reverse of `columns`; where offsets are equal, the numbers must be.
    ///
    /// # Safety
    /// Four numbers may be written to each place, and each is aligned to 32 bytes.
    unsafe fn write_columns(columns: [Self; 4], base: *mut f64, offsets: &[u32], tables: Self::Tables);
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

/// The instructions that sweeps use on this processor.
pub fn instructions() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            return "AVX-512";
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return "AVX2";
        }
    }
    "plain instructions"
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

/// Plain code: one number at a time.
#[derive(Clone, Copy)]
pub(super) struct Plain(f64);

impl Many for Plain {
    #[inline(always)]
    fn times(self, b: Self) -> Self {
        Self(self.0 * b.0)
    }
    #[inline(always)]
    fn times_plus(self, b: Self, c: Self) -> Self {
        Self(self.0.mul_add(b.0, c.0))
    }
    #[inline(always)]
    fn times_from(self, b: Self, c: Self) -> Self {
        Self((-self.0).mul_add(b.0, c.0))
    }
}

impl Lanes for Plain {
    const N: usize = 1;
    const AT_ONCE: usize = 1;
    type Tables = ();
    #[inline(always)]
    fn tables() {}
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn load(from: &Eight, lane: usize) -> Self {
        Self(from.0[lane])
    }
    #[inline(always)]
    fn store(self, to: &mut Eight, lane: usize) {
        to.0[lane] = self.0;
    }
    #[inline(always)]
    fn plus(self, b: Self) -> Self {
        Self(self.0 + b.0)
    }
    #[inline(always)]
    fn minus(self, b: Self) -> Self {
        Self(self.0 - b.0)
    }
    #[inline(always)]
    fn over(self, b: Self) -> Self {
        Self(self.0 / b.0)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    #[inline(always)]
    fn positive(self) -> Self {
        Self(if self.0 > 0.0 { self.0 } else { 0.0 })
    }
    #[inline(always)]
    fn if_above(self, b: Self, yes: Self, no: Self) -> Self {
        if self.0 > b.0 { yes } else { no }
    }
    #[inline(always)]
    unsafe fn columns(base: *const f64, offsets: &[u32], (): ()) -> [Self; 4] {
        // SAFETY: the caller promises four numbers at each place.
        std::array::from_fn(|k| Self(unsafe { *base.add(offsets[0] as usize + k) }))
    }
    #[inline(always)]
    unsafe fn write_columns(columns: [Self; 4], base: *mut f64, offsets: &[u32], (): ()) {
        for (k, column) in columns.iter().enumerate() {
            // SAFETY: the caller promises four numbers at each place.
            unsafe { *base.add(offsets[0] as usize + k) = column.0 };
        }
    }
    #[inline(always)]
    fn prefetch(_: *const f64) {}
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{Eight, Kernel, Lanes, Many};
    use std::arch::x86_64::*;

    #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
    pub(in super::super) fn with_avx512(kernel: impl Kernel) {
        kernel.run::<Wide>();
    }

    #[target_feature(enable = "avx2,fma")]
    pub(in super::super) fn with_avx2(kernel: impl Kernel) {
        kernel.run::<Half>();
    }

    /// One register of eight. There are some only inside [`with_avx512`], into which everything here is inlined and which
    /// is called only where the processor has what it needs.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Wide(__m512d);

    /// One register of four; only inside [`with_avx2`] likewise.
    #[derive(Clone, Copy)]
    pub(in super::super) struct Half(__m256d);

    /// Calculating with one kind of register.
    macro_rules! arithmetic {
        ($lanes:ty, $mul:ident, $fmadd:ident, $fnmadd:ident) => {
            impl Many for $lanes {
                #[inline(always)]
                fn times(self, b: Self) -> Self {
                    // SAFETY: the processor has this instruction, or there would be no `self`.
                    Self(unsafe { $mul(self.0, b.0) })
                }
                #[inline(always)]
                fn times_plus(self, b: Self, c: Self) -> Self {
                    // SAFETY: the processor has this instruction, or there would be no `self`.
                    Self(unsafe { $fmadd(self.0, b.0, c.0) })
                }
                #[inline(always)]
                fn times_from(self, b: Self, c: Self) -> Self {
                    // SAFETY: the processor has this instruction, or there would be no `self`.
                    Self(unsafe { $fnmadd(self.0, b.0, c.0) })
                }
            }
        };
    }
    arithmetic!(Wide, _mm512_mul_pd, _mm512_fmadd_pd, _mm512_fnmadd_pd);
    arithmetic!(Half, _mm256_mul_pd, _mm256_fmadd_pd, _mm256_fnmadd_pd);

    /// The part of [`Lanes`] that is the same for both but for the names of the instructions.
    macro_rules! operations {
        ($set:ident, $add:ident, $sub:ident, $div:ident, $sqrt:ident, $max:ident, $zero:ident) => {
            #[inline(always)]
            fn splat(x: f64) -> Self {
                // SAFETY: called by kernels alone, inside the function that is compiled for these registers.
                Self(unsafe { $set(x) })
            }
            #[inline(always)]
            fn plus(self, b: Self) -> Self {
                // SAFETY: the processor has this instruction, or there would be no `self`.
                Self(unsafe { $add(self.0, b.0) })
            }
            #[inline(always)]
            fn minus(self, b: Self) -> Self {
                // SAFETY: the processor has this instruction, or there would be no `self`.
                Self(unsafe { $sub(self.0, b.0) })
            }
            #[inline(always)]
            fn over(self, b: Self) -> Self {
                // SAFETY: the processor has this instruction, or there would be no `self`.
                Self(unsafe { $div(self.0, b.0) })
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: the processor has this instruction, or there would be no `self`.
                Self(unsafe { $sqrt(self.0) })
            }
            #[inline(always)]
            fn positive(self) -> Self {
                // SAFETY: the processor has these instructions, or there would be no `self`.
                Self(unsafe { $max(self.0, $zero()) })
            }
            #[inline(always)]
            fn prefetch(at: *const f64) {
                // SAFETY: a hint: no address is wrong, and every processor of this kind has it.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
            }
        };
    }

    /// In each half, a 4 by 4 block transposed.
    ///
    /// # Safety
    /// The processor has AVX-512.
    #[inline(always)]
    unsafe fn transposed([a, b, c, d]: [__m512d; 4], [low, high]: [__m512i; 2]) -> [__m512d; 4] {
        // SAFETY: the caller's promise; no memory is touched.
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

    impl Lanes for Wide {
        const N: usize = 8;
        const AT_ONCE: usize = 2;
        type Tables = [__m512i; 2];
        operations!(
            _mm512_set1_pd,
            _mm512_add_pd,
            _mm512_sub_pd,
            _mm512_div_pd,
            _mm512_sqrt_pd,
            _mm512_max_pd,
            _mm512_setzero_pd
        );
        #[inline(always)]
        fn tables() -> [__m512i; 2] {
            // Hidden from the compiler, which would take these shuffles apart into more and slower ones.
            let low = std::hint::black_box([0i64, 1, 8, 9, 4, 5, 12, 13]);
            let high = std::hint::black_box([2i64, 3, 10, 11, 6, 7, 14, 15]);
            // SAFETY: eight numbers of 64 bits each, at any address; called by kernels alone.
            unsafe { [_mm512_loadu_si512(low.as_ptr().cast()), _mm512_loadu_si512(high.as_ptr().cast())] }
        }
        #[inline(always)]
        fn load(from: &Eight, _: usize) -> Self {
            // SAFETY: an `Eight` is eight numbers aligned to 64 bytes.
            Self(unsafe { _mm512_load_pd(from.0.as_ptr()) })
        }
        #[inline(always)]
        fn store(self, to: &mut Eight, _: usize) {
            // SAFETY: an `Eight` is eight numbers aligned to 64 bytes.
            unsafe { _mm512_store_pd(to.0.as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn if_above(self, b: Self, yes: Self, no: Self) -> Self {
            // SAFETY: the processor has these instructions, or there would be no `self`.
            unsafe {
                let above = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(self.0, b.0);
                Self(_mm512_mask_blend_pd(above, no.0, yes.0))
            }
        }
        #[inline(always)]
        unsafe fn columns(base: *const f64, offsets: &[u32], tables: [__m512i; 2]) -> [Self; 4] {
            // SAFETY: the caller promises four aligned numbers at each place.
            unsafe {
                let mut pairs = [_mm512_setzero_pd(); 4];
                for (k, pair) in pairs.iter_mut().enumerate() {
                    let low = _mm256_load_pd(base.add(offsets[k] as usize));
                    let high = _mm256_load_pd(base.add(offsets[k + 4] as usize));
                    *pair = _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(low), high);
                }
                let [a, b, c, d] = transposed(pairs, tables);
                [Self(a), Self(b), Self(c), Self(d)]
            }
        }
        #[inline(always)]
        unsafe fn write_columns(columns: [Self; 4], base: *mut f64, offsets: &[u32], tables: [__m512i; 2]) {
            // SAFETY: the caller promises room for four aligned numbers at each place.
            unsafe {
                let [a, b, c, d] = columns;
                let pairs = transposed([a.0, b.0, c.0, d.0], tables);
                for (k, pair) in pairs.into_iter().enumerate() {
                    _mm256_store_pd(base.add(offsets[k] as usize), _mm512_castpd512_pd256(pair));
                    _mm256_store_pd(base.add(offsets[k + 4] as usize), _mm512_extractf64x4_pd::<1>(pair));
                }
            }
        }
    }

    /// A 4 by 4 block transposed.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[inline(always)]
    unsafe fn square([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
        // SAFETY: the caller's promise; no memory is touched.
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

    impl Lanes for Half {
        const N: usize = 4;
        const AT_ONCE: usize = 1;
        type Tables = ();
        operations!(
            _mm256_set1_pd,
            _mm256_add_pd,
            _mm256_sub_pd,
            _mm256_div_pd,
            _mm256_sqrt_pd,
            _mm256_max_pd,
            _mm256_setzero_pd
        );
        #[inline(always)]
        fn tables() {}
        #[inline(always)]
        fn load(from: &Eight, lane: usize) -> Self {
            // SAFETY: four numbers, at any address: a wrong `lane` would end in the panic of the slice.
            Self(unsafe { _mm256_loadu_pd(from.0[lane..lane + 4].as_ptr()) })
        }
        #[inline(always)]
        fn store(self, to: &mut Eight, lane: usize) {
            // SAFETY: as for `load`.
            unsafe { _mm256_storeu_pd(to.0[lane..lane + 4].as_mut_ptr(), self.0) }
        }
        #[inline(always)]
        fn if_above(self, b: Self, yes: Self, no: Self) -> Self {
            // SAFETY: the processor has these instructions, or there would be no `self`.
            unsafe { Self(_mm256_blendv_pd(no.0, yes.0, _mm256_cmp_pd::<_CMP_GT_OQ>(self.0, b.0))) }
        }
        #[inline(always)]
        unsafe fn columns(base: *const f64, offsets: &[u32], (): ()) -> [Self; 4] {
            // SAFETY: the caller promises four aligned numbers at each place.
            unsafe {
                let mut rows = [_mm256_setzero_pd(); 4];
                for (k, row) in rows.iter_mut().enumerate() {
                    *row = _mm256_load_pd(base.add(offsets[k] as usize));
                }
                let [a, b, c, d] = square(rows);
                [Self(a), Self(b), Self(c), Self(d)]
            }
        }
        #[inline(always)]
        unsafe fn write_columns(columns: [Self; 4], base: *mut f64, offsets: &[u32], (): ()) {
            // SAFETY: the caller promises room for four aligned numbers at each place.
            unsafe {
                let [a, b, c, d] = columns;
                for (k, row) in square([a.0, b.0, c.0, d.0]).into_iter().enumerate() {
                    _mm256_store_pd(base.add(offsets[k] as usize), row);
                }
            }
        }
    }
}
