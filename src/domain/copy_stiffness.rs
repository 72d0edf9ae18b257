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

/// Largest sum that is considered safe.
const SAFE: f64 = 0.9;

impl Default for CopyStiffness {
    fn default() -> Self {
        Self { stiff: 0, soft: 0, ratio: f64::INFINITY, is_round: true }
    }
}

impl CopyStiffness {
    fn stiffness(&self, f: f64) -> f64 {
        let soft = if self.soft > 0 { f64::from(self.soft) / (f + self.ratio) } else { 0.0 };
        f64::from(self.stiff) / f + soft
    }
}

/// The factor for a body with these copies.
pub(super) fn factor(holders: &[CopyStiffness]) -> f64 {
    let most = holders.len() as f64;
    let is_safe = |f: f64| {
        let sum: f64 = holders.iter().map(|h| h.stiffness(f)).map(|t| t / (1.0 + f * t)).sum();
        sum <= SAFE
    };
    if holders.iter().any(|h| !h.is_round) {
        return most;
    }
    if is_safe(1.0) {
        return 1.0;
    }
    let (mut low, mut high) = (1.0, most);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if is_safe(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(stiff: u32, soft: u32, ratio: f64) -> CopyStiffness {
        CopyStiffness { stiff, soft, ratio, is_round: true }
    }

    #[test]
    fn the_factor_lies_between_one_and_the_number_of_holders() {
        for soft in 0..4 {
            for stiff in 0..4 {
                let f = factor(&[holder(stiff, soft, 0.5); 5]);
                assert!((1.0..=5.0).contains(&f), "{f}");
            }
        }
    }

    #[test]
    fn the_more_contacts_push_a_body_the_lighter_its_copies() {
        assert!(factor(&[holder(1, 0, 1.0); 2]) < factor(&[holder(3, 0, 1.0); 2]));
        assert!(factor(&[holder(0, 2, 10.0); 2]) <= factor(&[holder(0, 2, 0.01); 2]));
    }

    #[test]
    fn a_body_that_is_not_round_is_split_in_full() {
        let block = CopyStiffness { is_round: false, ..holder(1, 0, 1.0) };
        assert_eq!(factor(&[block, holder(1, 0, 1.0), holder(0, 0, 1.0)]), 3.0);
    }
}
