//! Random draws from a seed: the same seed always gives the same scene.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// A random number generator.
pub(super) struct Chance(Pcg64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(Pcg64::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// One of `0..count`.
    pub(super) fn below(&mut self, count: usize) -> usize {
        (self.0.next_u64() % count as u64) as usize
    }

    /// True once in `count` times.
    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// A number between two, of three digits to keep scenes short.
    pub(super) fn between(&mut self, least: f64, most: f64) -> f64 {
        let share = (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        short(least + share * (most - least))
    }

    /// A number between two positive ones, uniform in its logarithm.
    pub(super) fn power(&mut self, least: f64, most: f64) -> f64 {
        let exponent = self.between(least.ln(), most.ln());
        short(exponent.exp())
    }

    /// One of these.
    pub(super) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// `key = value` once in `count` times, otherwise `None`; to be joined with others.
    pub(super) fn maybe(&mut self, count: usize, key: &str, value: impl FnOnce(&mut Self) -> String) -> Option<String> {
        self.one_in(count).then(|| format!("{key} = {}", value(self)))
    }
}

/// The number to three digits.
pub(super) fn short(number: f64) -> f64 {
    // The exponential notation always parses again.
    format!("{number:.2e}").parse().unwrap()
}

/// `{ a = 1, b = 2 }`.
pub(super) fn table(entries: impl IntoIterator<Item = Option<String>>) -> String {
    let entries: Vec<String> = entries.into_iter().flatten().collect();
    format!("{{ {} }}", entries.join(", "))
}
