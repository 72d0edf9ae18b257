//! A dense packing without a simulation: balls dropped one by one, each rolling to where it rests.
//!
//! The last axis is up. The packing is loose (solid fraction near 0.58 in space, 0.81 in the plane), free of
//! overlaps, and every ball has its supports, so a run starts close to equilibrium.

use super::pile::Pile;
use super::{Ball, Numbered, Numbering, Radii, Random};
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};

/// Balls dropped into a box.
#[derive(Clone, Debug)]
pub struct Deposit<X: Dim> {
    /// The box; balls touch its floor and sides and stay below its top.
    pub basin: Bounds<X>,
    /// When to stop.
    pub target: Target,
    /// Radii of the balls.
    pub radii: Radii,
    /// Seed of radii and places.
    pub seed: u64,
}

/// How much to deposit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    /// That many balls.
    Count(u64),
    /// Until no ball finds room below this height above the floor, m.
    Height(f64),
}

/// The box holds no more balls than these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// How many it holds.
    pub placed: u64,
}

/// Drops of one ball that must fail before the box is full.
const TRIES: usize = 40;

impl<X: Dim> Deposit<X> {
    /// No more balls than this can come of it.
    pub fn at_most(&self) -> f64 {
        match self.target {
            Target::Count(count) => count as f64,
            Target::Height(height) => {
                let floor: f64 = (0..X::D - 1).map(|i| self.basin.max[i] - self.basin.min[i]).product();
                floor * height / (X::unit_ball() * self.radii.smallest().powi(X::D as i32))
            }
        }
    }

    /// The balls, in the order of their dropping.
    pub fn balls(&self, numbering: &mut Numbering) -> Result<Vec<Numbered<X>>, Full> {
        let up = X::D - 1;
        let (count, ceiling) = match self.target {
            Target::Count(count) => (count, self.basin.max[up]),
            Target::Height(height) => (u64::MAX, self.basin.min[up] + height),
        };
        let mut pile = Pile::new(self.basin, self.radii.largest());
        let mut balls: Vec<Numbered<X>> = Vec::new();
        while (balls.len() as u64) < count {
            let id = numbering.peek();
            let mut random = Random::new(self.seed, id);
            let radius = self.radii.draw(&mut random);
            let mut attempts = (0..TRIES).filter_map(|_| {
                let start = X::Vector::from_fn(|i| {
                    if i == up { 0.0 } else { random.between(self.basin.min[i] + radius, self.basin.max[i] - radius) }
                });
                pile.settle(radius, start).filter(|place| place[up] + radius <= ceiling)
            });
            match attempts.next() {
                Some(centre) => {
                    let ball = Ball { centre, radius };
                    pile.push(ball);
                    balls.push(Numbered { id: numbering.take(), ball });
                }
                None if matches!(self.target, Target::Height(_)) => break,
                None => return Err(Full { placed: balls.len() as u64 }),
            }
        }
        Ok(balls)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cells;
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    fn in_space(width: f64, count: u64, radii: Radii) -> Deposit<Space> {
        let basin = Bounds { min: Vector3::new(-1.0, 0.5, 2.0), max: Vector3::new(-1.0 + width, 0.5 + width, 1e3) };
        Deposit { basin, target: Target::Count(count), radii, seed: 1 }
    }

    fn in_plane(width: f64, count: u64, radii: Radii) -> Deposit<Plane> {
        let basin = Bounds { min: Vector2::new(-1.0, 2.0), max: Vector2::new(-1.0 + width, 1e3) };
        Deposit { basin, target: Target::Count(count), radii, seed: 1 }
    }

    fn dropped<X: Dim>(deposit: &Deposit<X>) -> Vec<Ball<X>> {
        let balls = deposit.balls(&mut Numbering::consecutive(0)).unwrap();
        balls.into_iter().map(|n| n.ball).collect()
    }

    /// Overlap of each ball with the worst of its neighbours and with the box, relative to the smaller radius.
    fn worst_overlap<X: Dim>(deposit: &Deposit<X>, balls: &[Ball<X>]) -> f64 {
        let mut cells = Cells::<X>::new(deposit.radii.largest());
        let mut worst = 0.0f64;
        for ball in balls {
            for i in 0..X::D {
                let out = (deposit.basin.min[i] - ball.centre[i]).max(ball.centre[i] - deposit.basin.max[i]);
                worst = worst.max((out + ball.radius) / ball.radius);
            }
            cells.near(&Bounds { min: ball.centre, max: ball.centre }.inflated(ball.radius), |_, other| {
                let gap = (ball.centre - other.centre).norm() - ball.radius - other.radius;
                worst = worst.max(-gap / ball.radius.min(other.radius));
            });
            cells.push(*ball);
        }
        worst
    }

    /// Share of the middle of the packing that is solid, by random points.
    fn solid_fraction<X: Dim>(deposit: &Deposit<X>, balls: &[Ball<X>]) -> f64 {
        let r = deposit.radii.largest();
        let up = X::D - 1;
        let mut cells = Cells::<X>::new(r);
        balls.iter().for_each(|b| cells.push(*b));
        let top = balls.iter().map(|b| b.centre[up]).fold(f64::NEG_INFINITY, f64::max);
        let mut middle = deposit.basin.inflated(-4.0 * r);
        middle.max[up] = top - 6.0 * r;
        let mut random = Random::new(9, 9);
        let points = 20_000;
        let inside = (0..points).filter(|_| {
            let point = X::Vector::from_fn(|i| random.between(middle.min[i], middle.max[i]));
            let mut hit = false;
            cells.near(&Bounds { min: point, max: point }, |_, b| hit |= (point - b.centre).norm() < b.radius);
            hit
        });
        inside.count() as f64 / f64::from(points)
    }

    #[test]
    fn balls_neither_overlap_nor_leave_the_box() {
        for radii in [
            Radii::Same(0.05),
            Radii::Uniform(0.03, 0.06),
            Radii::Two { small: 0.01, large: 0.08, share: 0.05 },
            Radii::List(vec![0.02, 0.05]),
        ] {
            let space = in_space(0.5, 400, radii.clone());
            assert!(worst_overlap(&space, &dropped(&space)) < 1e-9, "{radii:?}");
            let plane = in_plane(1.2, 500, radii);
            assert!(worst_overlap(&plane, &dropped(&plane)) < 1e-9);
        }
    }

    #[test]
    fn the_packing_is_as_dense_as_drop_and_roll_gets() {
        let space = in_space(1.2, 1800, Radii::Same(0.05));
        let fraction = solid_fraction(&space, &dropped(&space));
        assert!((0.55..0.60).contains(&fraction), "spheres: {fraction}");
        let plane = in_plane(3.0, 1500, Radii::Same(0.05));
        let fraction = solid_fraction(&plane, &dropped(&plane));
        assert!((0.78..0.84).contains(&fraction), "disks: {fraction}");
    }

    #[test]
    fn every_ball_rests_on_three_supports_or_the_floor() {
        let deposit = in_space(0.5, 400, Radii::Uniform(0.04, 0.05));
        let balls = dropped(&deposit);
        for (i, ball) in balls.iter().enumerate() {
            let below = balls[..i].iter().filter(|other| {
                ((ball.centre - other.centre).norm() - ball.radius - other.radius).abs() < 1e-9 * ball.radius
            });
            let touches = |gap: f64| gap.abs() < 1e-9 * ball.radius;
            let sides = (0..2)
                .flat_map(|k| [ball.centre[k] - deposit.basin.min[k], deposit.basin.max[k] - ball.centre[k]])
                .filter(|d| touches(d - ball.radius));
            let on_floor = touches(ball.centre.z - deposit.basin.min.z - ball.radius);
            assert!(on_floor || below.count() + sides.count() >= 3, "ball {i}");
        }
    }

    #[test]
    fn the_same_seed_and_ids_give_the_same_packing_and_other_ids_another() {
        let deposit = in_plane(1.0, 100, Radii::Uniform(0.02, 0.04));
        assert_eq!(dropped(&deposit), dropped(&deposit));
        let others = deposit.balls(&mut Numbering::consecutive(5)).unwrap();
        assert_ne!(others[0].ball, dropped(&deposit)[0]);
    }

    #[test]
    fn a_box_that_is_too_small_says_how_many_it_holds() {
        let mut deposit = in_plane(1.0, 1000, Radii::Same(0.1));
        deposit.basin.max[1] = 2.0 + 1.0;
        let Err(Full { placed }) = deposit.balls(&mut Numbering::consecutive(0)) else { panic!("it fits") };
        assert!((15..26).contains(&placed), "{placed}");
        deposit.target = Target::Height(1.0);
        let balls = dropped(&deposit);
        assert!((15..26).contains(&balls.len()));
        assert!(balls.iter().all(|b| b.centre.y + b.radius <= 3.0));
        assert!(deposit.at_most() > balls.len() as f64);
    }
}
