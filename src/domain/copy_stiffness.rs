//! Mass splitting: the factor on the inverse mass of the copies of a body that is active in several subdomains of one
//! colour.
//!
//! The smallest factor f in [1, m] with sum over the m copies of t/(1 + f t) <= 1, where t = n0/f + n1/(f + sigma): n0
//! contacts whose other body is split too or is an obstacle, n1 others, sigma the least mass ratio to those. It keeps
//! the energy from rising; f = m always does. Two precautions, both found with a block on a slope: a sum of exactly one
//! may oscillate for ever, so a margin is kept; and the argument requires exact local solutions, so a body with a
//! contact that is not round takes f = m.

/// Contacts of one copy of an interface body, as the factor needs them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CopyStiffness {
    /// Contacts with bodies that are split as well, and with obstacles.
    pub(super) stiff: u32,
    /// Contacts with bodies that are not split.
    pub(super) soft: u32,
    /// Least ratio of the mass of this body to that of an unsplit partner.
    pub(super) ratio: f64,
    /// Are all contacts between spheres and obstacles, so that their local solutions are exact?
    pub(super) is_round: bool,
}

/// Bound of the sum, with a margin.
const MAX_SUM: f64 = 0.9;

impl Default for CopyStiffness {
    fn default() -> Self {
        Self { stiff: 0, soft: 0, ratio: f64::INFINITY, is_round: true }
    }
}

impl CopyStiffness {
    /// t at factor `f`.
    fn stiffness(&self, f: f64) -> f64 {
        let soft = if self.soft > 0 { f64::from(self.soft) / (f + self.ratio) } else { 0.0 };
        f64::from(self.stiff) / f + soft
    }
}

/// The factor for a body with these copies.
pub(super) fn factor(copies: &[CopyStiffness]) -> f64 {
    let count = copies.len() as f64;
    let is_safe = |f: f64| {
        let sum: f64 = copies.iter().map(|h| h.stiffness(f)).map(|t| t / (1.0 + f * t)).sum();
        sum <= MAX_SUM
    };
    if copies.iter().any(|h| !h.is_round) {
        return count;
    }
    if is_safe(1.0) {
        return 1.0;
    }
    let (mut low, mut high) = (1.0, count);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if is_safe(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(stiff: u32, soft: u32, ratio: f64) -> CopyStiffness {
        CopyStiffness { stiff, soft, ratio, is_round: true }
    }

    #[test]
    fn the_factor_lies_between_one_and_the_number_of_copies() {
        for soft in 0..4 {
            for stiff in 0..4 {
                let f = factor(&[copy(stiff, soft, 0.5); 5]);
                assert!((1.0..=5.0).contains(&f), "{f}");
            }
        }
    }

    #[test]
    fn the_factor_grows_with_the_stiffness_of_the_contacts() {
        assert!(factor(&[copy(1, 0, 1.0); 2]) < factor(&[copy(3, 0, 1.0); 2]));
        assert!(factor(&[copy(0, 2, 10.0); 2]) <= factor(&[copy(0, 2, 0.01); 2]));
    }

    #[test]
    fn a_body_that_is_not_round_is_split_in_full() {
        let not_round = CopyStiffness { is_round: false, ..copy(1, 0, 1.0) };
        assert_eq!(factor(&[not_round, copy(1, 0, 1.0), copy(0, 0, 1.0)]), 3.0);
    }
}
