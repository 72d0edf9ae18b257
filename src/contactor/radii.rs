//! How the radii of generated balls are distributed.

use crate::base::Random;

/// A distribution of radii, m, by number of balls.
#[derive(Clone, Debug, PartialEq)]
pub enum Radii {
    /// All the same.
    Same(f64),
    /// Evenly between two radii.
    Uniform(f64, f64),
    /// Two sizes; `share` is the share of large ones.
    Two {
        /// The smaller radius.
        small: f64,
        /// The larger radius.
        large: f64,
        /// Share of large balls, 0 to 1.
        share: f64,
    },
    /// One of these, each as likely as the others.
    List(Vec<f64>),
}

impl Radii {
    /// The radius of the body whose random numbers these are.
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
                let place = (random.unit() * list.len() as f64) as usize;
                list[place.min(list.len() - 1)]
            }
        }
    }

    /// The radius to be expected.
    pub fn mean(&self) -> f64 {
        match self {
            Radii::Same(radius) => *radius,
            Radii::Uniform(least, most) => 0.5 * (least + most),
            Radii::Two { small, large, share } => small + (large - small) * share,
            Radii::List(list) => list.iter().sum::<f64>() / list.len() as f64,
        }
    }

    /// The largest radius that can come out.
    pub fn largest(&self) -> f64 {
        self.extreme(f64::max)
    }

    /// The smallest radius that can come out.
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
