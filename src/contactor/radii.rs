//! Size distributions of generated spheres.

use crate::base::Random;

/// A distribution of radii, m, by number of spheres.
#[derive(Clone, Debug, PartialEq)]
pub enum Radii {
    /// All radii are equal.
    Same(f64),
    /// Uniform between two radii.
    Uniform(f64, f64),
    /// Two radii; `share` is the fraction of large spheres.
    Two {
        /// The smaller radius.
        small: f64,
        /// The larger radius.
        large: f64,
        /// Fraction of large spheres, 0 to 1.
        share: f64,
    },
    /// One of these radii, all equally likely.
    List(Vec<f64>),
}

impl Radii {
    /// Draws the radius of a body from its random numbers.
    pub fn draw(&self, random: &mut Random) -> f64 {
        match self {
            Radii::Same(radius) => *radius,
            Radii::Uniform(least, most) => random.between(*least, *most),
            Radii::Two { small, large, share } => {
                if random.unit() < *share {
                    *large
                } else {
                    *small
                }
            }
            Radii::List(list) => {
                let index = (random.unit() * list.len() as f64) as usize;
                list[index.min(list.len() - 1)]
            }
        }
    }

    /// The mean radius.
    pub fn mean(&self) -> f64 {
        match self {
            Radii::Same(radius) => *radius,
            Radii::Uniform(least, most) => 0.5 * (least + most),
            Radii::Two { small, large, share } => small + (large - small) * share,
            Radii::List(list) => list.iter().sum::<f64>() / list.len() as f64,
        }
    }

    /// The largest possible radius.
    pub fn largest(&self) -> f64 {
        self.extreme(f64::max)
    }

    /// The smallest possible radius.
    pub fn smallest(&self) -> f64 {
        self.extreme(f64::min)
    }

    fn extreme(&self, choose: fn(f64, f64) -> f64) -> f64 {
        match self {
            Radii::Same(radius) => *radius,
            Radii::Uniform(a, b) | Radii::Two { small: a, large: b, .. } => choose(*a, *b),
            Radii::List(list) => list.iter().copied().reduce(choose).unwrap_or(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(radii: &Radii) -> Vec<f64> {
        (0..4000).map(|id| radii.draw(&mut Random::new(3, id))).collect()
    }

    #[test]
    fn every_radius_lies_between_smallest_and_largest() {
        for radii in [
            Radii::Same(0.2),
            Radii::Uniform(0.1, 0.3),
            Radii::Two { small: 0.1, large: 0.5, share: 0.3 },
            Radii::List(vec![0.3, 0.1, 0.2]),
        ] {
            assert!(drawn(&radii).iter().all(|&r| r >= radii.smallest() && r <= radii.largest()));
        }
    }

    #[test]
    fn the_share_is_that_of_the_large_ones_by_number() {
        let radii = Radii::Two { small: 0.1, large: 0.5, share: 0.3 };
        let large = drawn(&radii).iter().filter(|&&r| r == 0.5).count();
        assert!((1080..1320).contains(&large), "{large} of 4000");
    }

    #[test]
    fn all_radii_of_a_list_come_up_equally_often() {
        let all = drawn(&Radii::List(vec![0.1, 0.2]));
        let first = all.iter().filter(|&&r| r == 0.1).count();
        assert!((1880..2120).contains(&first), "{first} of 4000");
    }
}
