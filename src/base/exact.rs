//! Exact sums of doubles, independent of the order of the terms and of the number of processes.
//!
//! A fixed-point number wide enough for every double (U. Kulisch's long accumulator), in limbs of 32 bits with headroom
//! for carries. The sum is rounded only when it is read.

/// Payload bits of a limb.
const BITS: usize = 32;
/// Number of limbs: from the smallest subnormal to beyond the largest double, and 64 bits of headroom.
const COUNT: usize = 2176 / BITS;
/// Exponent of the lowest bit.
const LOWEST: i32 = -1074;

/// A sum of at most 2^31 doubles, exact until read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExactSum {
    limbs: [i64; COUNT],
    /// Number of terms that were not finite.
    not_finite: i64,
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { limbs: [0; COUNT], not_finite: 0 }
    }
}

impl ExactSum {
    /// Length of the message of a sum.
    pub const LIMBS: usize = COUNT + 1;

    /// A sum of one term.
    pub fn of(x: f64) -> Self {
        let mut sum = Self::default();
        sum.add(x);
        sum
    }

    /// Adds a term.
    #[inline]
    pub fn add(&mut self, x: f64) {
        if x == 0.0 {
            return;
        }
        if !x.is_finite() {
            self.not_finite += 1;
            return;
        }
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        // Subnormals have the exponent of the smallest normal numbers and no implicit leading one.
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
        let bit = (exponent.max(1) - 1075 - LOWEST) as usize;
        let (limb, shift) = (bit / BITS, bit % BITS);
        let shifted = u128::from(mantissa) << shift;
        for k in 0..3 {
            let piece = (shifted >> (BITS * k)) as u32;
            self.limbs[limb + k] += if x < 0.0 { -i64::from(piece) } else { i64::from(piece) };
        }
    }

    /// Adds the terms of another sum.
    pub fn merge(&mut self, other: &Self) {
        self.limbs.iter_mut().zip(other.limbs).for_each(|(limb, added)| *limb += added);
        self.not_finite += other.not_finite;
    }

    /// The sum as a message: element-wise addition of messages, with wrap-around, adds the sums.
    pub fn limbs(&self) -> impl Iterator<Item = u64> {
        self.limbs.into_iter().chain([self.not_finite]).map(|limb| limb as u64)
    }

    /// Reads a sum from a message.
    pub fn from_limbs(message: &[u64]) -> Self {
        let at = |i: usize| message.get(i).map_or(0, |&limb| limb as i64);
        Self { limbs: std::array::from_fn(at), not_finite: at(COUNT) }
    }

    /// The sum, rounded; NaN if any term was not finite.
    pub fn value(&self) -> f64 {
        if self.not_finite > 0 {
            return f64::NAN;
        }
        let positive = carried(self.limbs);
        let is_negative = positive[COUNT - 1] < 0;
        let magnitude = if is_negative { carried(positive.map(|limb| -limb)) } else { positive };
        let mut sum = 0.0;
        if let Some(top) = magnitude.iter().rposition(|&limb| limb != 0) {
            // Four limbs hold more bits than a double; lower limbs do not affect the result.
            for k in (top.saturating_sub(3)..=top).rev() {
                let exponent = LOWEST + (BITS * k) as i32;
                // In two steps, because 2^exponent alone need not be a normal number.
                let half = exponent / 2;
                sum += magnitude[k] as f64 * 2f64.powi(half) * 2f64.powi(exponent - half);
            }
        }
        if is_negative { -sum } else { sum }
    }
}

/// Propagates carries until every limb but the last lies in [0, 2^32).
fn carried(mut limbs: [i64; COUNT]) -> [i64; COUNT] {
    for k in 0..COUNT - 1 {
        let carry = limbs[k] >> BITS;
        limbs[k] -= carry << BITS;
        limbs[k + 1] += carry;
    }
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sum(terms: &[f64]) -> f64 {
        let mut sum = ExactSum::default();
        terms.iter().for_each(|&x| sum.add(x));
        sum.value()
    }

    #[test]
    fn terms_that_rounding_would_lose_are_kept() {
        assert_eq!(sum(&[1e300, 1.0, -1e300]), 1.0);
        assert_eq!(sum(&[1.0, 1e-300, -1.0]), 1e-300);
        assert_eq!(sum(&[f64::MAX, f64::MIN_POSITIVE / 8.0, -f64::MAX]), f64::MIN_POSITIVE / 8.0);
        assert_eq!(sum(&[0.1; 10]), 1.0);
        assert_eq!(sum(&[-0.5, 0.25]), -0.25);
        assert!(sum(&[1.0, f64::NAN]).is_nan() && sum(&[f64::INFINITY]).is_nan());
        assert_eq!(sum(&[]), 0.0);
    }

    proptest! {
        #[test]
        fn one_term_is_reproduced_to_the_bit(x in proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL) {
            prop_assert_eq!(ExactSum::of(x).value().to_bits(), x.to_bits());
        }

        #[test]
        fn neither_order_nor_grouping_changes_the_sum(terms in prop::collection::vec(proptest::num::f64::NORMAL, 0..40), at in 0usize..40) {
            let total = sum(&terms);
            let mut reversed = terms.clone();
            reversed.reverse();
            prop_assert_eq!(sum(&reversed).to_bits(), total.to_bits());
            let (first, second) = terms.split_at(at.min(terms.len()));
            let limbs = |part: &[f64]| {
                let mut sum = ExactSum::default();
                part.iter().for_each(|&x| sum.add(x));
                sum.limbs().collect::<Vec<u64>>()
            };
            let message: Vec<u64> = limbs(first).iter().zip(limbs(second)).map(|(a, b)| a.wrapping_add(b)).collect();
            prop_assert_eq!(ExactSum::from_limbs(&message).value().to_bits(), total.to_bits());
        }
    }
}
