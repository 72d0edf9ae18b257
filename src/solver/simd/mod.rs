//! SIMD vectors of numbers: the same operations, and so the same bits, with AVX-512, AVX2 and scalar code.
//!
//! Every operation is rounded according to IEEE 754, products are fused with sums in all three, and nothing is
//! reordered. A kernel is written once over [`Simd`] and run through [`dispatch`], which detects the instruction set.
#![allow(unsafe_code)]

mod register;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::atomic::{AtomicU8, Ordering};

pub(super) use crate::base::scratch::CacheLine;
use crate::dim::Many;
use register::mass_at;
pub(super) use register::{Simd, SimdKernel};

/// Greatest number of values per instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimdWidth {
    /// One: scalar code.
    One,
    /// Four, where the processor supports it.
    Four,
    /// As many as the processor supports.
    Widest,
}

static WIDTH: AtomicU8 = AtomicU8::new(SimdWidth::Widest as u8);

/// Limits the width of instructions from now on, for tests and measurements. It changes no bit of any result.
pub fn limit_width(width: SimdWidth) {
    WIDTH.store(width as u8, Ordering::Relaxed);
}

/// The instruction set that sweeps use on this processor.
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

/// Runs a kernel with the widest registers that this processor has and that are allowed.
#[inline]
pub(super) fn dispatch(kernel: impl SimdKernel) {
    #[cfg(target_arch = "x86_64")]
    {
        let allowed = |width: SimdWidth| WIDTH.load(Ordering::Relaxed) >= width as u8;
        if allowed(SimdWidth::Widest) && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the processor supports the instructions that the function is compiled for.
            return unsafe { x86::with_avx512(kernel) };
        }
        if allowed(SimdWidth::Four) && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the processor supports the instructions that the function is compiled for.
            return unsafe { x86::with_avx2(kernel) };
        }
    }
    kernel.run::<Scalar>();
}

/// Scalar code: one number at a time.
#[derive(Clone, Copy)]
pub(super) struct Scalar(f64);

impl Many for Scalar {
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
    #[inline(always)]
    fn times_less(self, b: Self, c: Self) -> Self {
        Self(self.0.mul_add(b.0, -c.0))
    }
}

impl Simd for Scalar {
    const N: usize = 1;
    const LOADS_AHEAD: bool = false;
    type Tables = ();
    type Rows = ();
    #[inline(always)]
    fn tables() {}
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Self(x)
    }
    #[inline(always)]
    fn load(from: &CacheLine, lane: usize) -> Self {
        Self(from.0[lane])
    }
    #[inline(always)]
    fn store(self, to: &mut CacheLine, lane: usize) {
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
    fn smaller(self, b: Self) -> Self {
        if self.0 < b.0 { self } else { b }
    }
    #[inline(always)]
    fn larger(self, b: Self) -> Self {
        if self.0 > b.0 { self } else { b }
    }
    #[inline(always)]
    fn if_above(self, b: Self, yes: Self, no: Self) -> Self {
        if self.0 > b.0 { yes } else { no }
    }
    #[inline(always)]
    unsafe fn columns(base: *const f64, offsets: &[u32], (): ()) -> [Self; 4] {
        // SAFETY: the caller guarantees four numbers at each offset.
        std::array::from_fn(|k| Self(unsafe { *base.add(offsets[0] as usize + k) }))
    }
    #[inline(always)]
    unsafe fn write_columns(columns: [Self; 4], base: *mut f64, offsets: &[u32], (): ()) {
        for (k, column) in columns.iter().enumerate() {
            // SAFETY: the caller guarantees four numbers at each offset.
            unsafe { *base.add(offsets[0] as usize + k) = column.0 };
        }
    }
    #[inline(always)]
    unsafe fn relative_rows<const LONG: bool>(base: *const f64, ends: [&[u32]; 2], (): ()) -> ([Self; 8], ()) {
        let [a, b] = ends.map(|ends| ends[0] as usize);
        let mut columns = [Self(0.0); 8];
        for (k, column) in columns.iter_mut().enumerate().take(if LONG { 8 } else { 4 }) {
            // SAFETY: the caller guarantees a row at each offset.
            let [a, b] = unsafe { [*base.add(a + k), *base.add(b + k)] };
            column.0 = if k < mass_at(LONG) { b - a } else { b + a };
        }
        (columns, ())
    }
    #[inline(always)]
    unsafe fn apply_to_rows<const LONG: bool>(columns: [Self; 8], base: *mut f64, ends: [&[u32]; 2], (): (), (): ()) {
        let [a, b] = ends.map(|ends| ends[0] as usize);
        // SAFETY: the caller guarantees a row at each offset.
        let [inverse_a, inverse_b] = unsafe { [*base.add(a + mass_at(LONG)), *base.add(b + mass_at(LONG))] };
        for (k, column) in columns.iter().enumerate().take(if LONG { 8 } else { 4 }) {
            let signed = if k < mass_at(LONG) { -column.0 } else { column.0 };
            // SAFETY: the caller guarantees a row at each offset.
            unsafe {
                *base.add(a + k) = (-column.0).mul_add(inverse_a, *base.add(a + k));
                *base.add(b + k) = (-signed).mul_add(inverse_b, *base.add(b + k));
            }
        }
    }
    #[inline(always)]
    fn prefetch(_: *const f64) {}
}
