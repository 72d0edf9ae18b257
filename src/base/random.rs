//! Random numbers: one stream per (seed, body id), independent of time and of the order of the bodies.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// The random number stream of one body.
pub struct Random(Pcg64);

impl Random {
    /// Creates the stream of body `id` under `seed`. Streams of neighbouring ids are unrelated: both numbers are hashed
    /// first, because streams of a congruential generator with similar seeds resemble each other.
    pub fn new(seed: u64, id: u64) -> Self {
        let mut state = scatter(seed) ^ id;
        let mut bytes = [0; 32];
        for chunk in bytes.chunks_exact_mut(8) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            chunk.copy_from_slice(&scatter(state).to_le_bytes());
        }
        Self(Pcg64::from_seed(bytes))
    }

    /// Draws a number uniformly from [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Draws a seed for another generator.
    pub fn seed(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a number uniformly between `from` and `to`.
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }
}

/// The finaliser of SplitMix64: a bijection in which every input bit changes about half of the output bits.
pub(crate) fn scatter(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_always_gets_the_same_numbers_and_its_neighbour_others() {
        let first = |seed, id| Random::new(seed, id).unit();
        assert_eq!(first(1, 7), first(1, 7));
        assert_ne!(first(1, 7), first(1, 8));
        assert_ne!(first(1, 7), first(2, 7));
    }

    #[test]
    fn first_numbers_of_consecutive_bodies_fill_the_unit_interval_evenly() {
        let mut count = [0; 10];
        for id in 0..10_000 {
            count[(Random::new(1, id).unit() * 10.0) as usize] += 1;
        }
        // The standard deviation of each count is 30.
        assert!(count.iter().all(|&n| (850..1150).contains(&n)), "{count:?}");
    }
}
