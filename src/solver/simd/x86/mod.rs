//! SIMD registers of x86 processors: AVX-512 and AVX2.
#![allow(unsafe_code)]

/// Implements operations that are one instruction each, on registers of one kind.
macro_rules! by_instruction {
    ($($name:ident($($other:ident),*) $instruction:ident;)*) => {$(
        #[inline(always)]
        fn $name(self $(, $other: Self)*) -> Self {
            // SAFETY: a `self` exists only where the processor supports this instruction.
            Self(unsafe { $instruction(self.0 $(, $other.0)*) })
        }
    )*};
}

mod avx2;
mod avx512;
mod common;

use super::register::SimdKernel;
use avx2::Avx2;
use avx512::Avx512;

#[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
pub(in crate::solver) fn with_avx512(kernel: impl SimdKernel) {
    kernel.run::<Avx512>();
}

#[target_feature(enable = "avx2,fma")]
pub(in crate::solver) fn with_avx2(kernel: impl SimdKernel) {
    kernel.run::<Avx2>();
}
