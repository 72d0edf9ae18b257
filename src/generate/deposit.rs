//! Generator of a packing by sequential deposition: balls drop one by one, each rolling to its position of rest.
//!
//! The last axis is up. The packing is loose (solid fraction near 0.58 in 3D, 0.81 in 2D), free of overlaps, and every
//! ball rests on its supports, so a simulation starts close to equilibrium. A sufficiently wide box is filled in
//! several tiles in parallel ([`tiles`](super::tiles)).

use super::Numbered;
use crate::contactor::Bounds;
use crate::contactor::Radii;
use crate::dim::Dim;

/// Parameters of a deposit of balls in a box.
#[derive(Clone, Debug)]
pub struct Deposit<X: Dim> {
    /// The box; balls touch its floor and sides and stay below its top.
    pub basin: Bounds<X>,
    /// Stopping criterion.
    pub target: DepositTarget,
    /// Radii of the balls.
    pub radii: Radii,
    /// Seed of the radii and the drop positions.
    pub seed: u64,
}

/// How much to deposit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DepositTarget {
    /// This number of balls.
    Count(u64),
    /// Until no further ball fits below this height above the floor, m.
    Height(f64),
}

/// Error: the box is full before the requested number of balls is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full {
    /// Number of balls the box holds.
    pub placed: u64,
}

/// The part of a deposit that one process receives.
#[derive(Clone, Debug, PartialEq)]
pub struct DepositPart<X: Dim> {
    /// Balls with consecutive numbers, sorted by id.
    pub balls: Vec<Numbered<X>>,
    /// Number of the first of them within the whole deposit.
    pub first: u64,
    /// Number of balls in the whole deposit.
    pub total: u64,
}

impl<X: Dim> Deposit<X> {
    /// Upper bound of the number of balls.
    pub fn at_most(&self) -> f64 {
        match self.target {
            DepositTarget::Count(count) => count as f64,
            DepositTarget::Height(height) => {
                let floor: f64 = (0..X::D - 1).map(|i| self.basin.max[i] - self.basin.min[i]).product();
                floor * height / (X::unit_ball() * self.radii.smallest().powi(X::D as i32))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::descent::Descent;
    use super::super::{BallCells, GeneratedBall, Numbering};
    use super::*;
    use crate::base::Random;
    use crate::comm::thread_comms;
    use crate::dim::{Plane, Space, Vector};
    use nalgebra::{Vector2, Vector3};

    fn in_space(width: f64, count: u64, radii: Radii) -> Deposit<Space> {
        let basin = Bounds { min: Vector3::new(-1.0, 0.5, 2.0), max: Vector3::new(-1.0 + width, 0.5 + width, 1e3) };
        Deposit { basin, target: DepositTarget::Count(count), radii, seed: 1 }
    }

    fn in_plane(width: f64, count: u64, radii: Radii) -> Deposit<Plane> {
        let basin = Bounds { min: Vector2::new(-1.0, 2.0), max: Vector2::new(-1.0 + width, 1e3) };
        Deposit { basin, target: DepositTarget::Count(count), radii, seed: 1 }
    }

    fn dropped<X: Dim>(deposit: &Deposit<X>) -> Vec<GeneratedBall<X>> {
        let balls = deposit.balls(&mut Numbering::consecutive(0)).unwrap();
        balls.into_iter().map(|n| n.ball).collect()
    }

    /// The largest overlap of any ball with a neighbour or with the box, relative to the smaller radius.
    fn worst_overlap<X: Dim>(deposit: &Deposit<X>, balls: &[GeneratedBall<X>]) -> f64 {
        let mut cells = BallCells::<X>::new(deposit.radii.largest());
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

    /// Solid fraction in the middle of the packing, sampled at random points.
    fn solid_fraction<X: Dim>(deposit: &Deposit<X>, balls: &[GeneratedBall<X>]) -> f64 {
        let r = deposit.radii.largest();
        let up = X::D - 1;
        let mut cells = BallCells::<X>::new(r);
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

    /// Asserts that the floor, the sides and the earlier balls which a ball touches support it.
    fn check_supports<X: Dim>(deposit: &Deposit<X>, balls: &[GeneratedBall<X>]) {
        let mut cells = BallCells::<X>::new(deposit.radii.largest());
        for (i, ball) in balls.iter().enumerate() {
            let touches = |gap: f64| gap.abs() < 1e-9 * ball.radius;
            let mut normals = Vec::new();
            cells.near(&Bounds { min: ball.centre, max: ball.centre }.inflated(2.0 * ball.radius), |_, other| {
                let arm = ball.centre - other.centre;
                if touches(arm.norm() - ball.radius - other.radius) {
                    normals.push(arm * (1.0 / arm.norm()));
                }
            });
            for k in 0..X::D {
                let sides =
                    [(ball.centre[k] - deposit.basin.min[k], 1.0), (deposit.basin.max[k] - ball.centre[k], -1.0)];
                let touched = sides.into_iter().filter(|(d, _)| touches(d - ball.radius));
                normals.extend(touched.map(|(_, sign)| X::Vector::axis(k) * sign));
            }
            assert!(Descent::<X>::new(&normals).is_at_rest(), "ball {i} rolls off its {} supports", normals.len());
            cells.push(*ball);
        }
    }

    #[test]
    fn every_ball_is_supported_by_earlier_ones() {
        let deposit = in_space(0.5, 400, Radii::Uniform(0.04, 0.05));
        check_supports(&deposit, &dropped(&deposit));
    }

    /// Five tiles in a row.
    fn wide_plane(target: DepositTarget) -> Deposit<Plane> {
        Deposit { target, ..in_plane(12.5, 0, Radii::Uniform(0.03, 0.05)) }
    }

    /// Two by two tiles.
    fn wide_space(target: DepositTarget) -> Deposit<Space> {
        Deposit { target, ..in_space(5.0, 0, Radii::Two { small: 0.03, large: 0.05, share: 0.4 }) }
    }

    #[test]
    fn a_wide_box_filled_in_several_places_at_once_has_neither_overlaps_nor_loose_balls() {
        let plane = wide_plane(DepositTarget::Count(4000));
        let balls = dropped(&plane);
        assert!(worst_overlap(&plane, &balls) < 1e-9);
        check_supports(&plane, &balls);
        let space = wide_space(DepositTarget::Height(0.35));
        let balls = dropped(&space);
        assert!(worst_overlap(&space, &balls) < 1e-9);
        check_supports(&space, &balls);
        assert!(balls.iter().all(|b| b.centre.z + b.radius <= 2.35));
    }

    /// Asserts that the parts of several processes together are the balls of a single process.
    fn agrees<X: Dim>(deposit: &Deposit<X>) {
        let mut numbering = Numbering::consecutive(7);
        let whole = deposit.balls(&mut numbering).unwrap();
        for size in [2, 3, 4, 7] {
            let parts = thread_comms(size, |comm| {
                let mut numbering = Numbering::consecutive(7);
                (deposit.part(&mut numbering, comm).unwrap(), numbering.peek())
            });
            let mut all = Vec::new();
            for (part, next) in parts {
                assert_eq!((part.first, part.total), (all.len() as u64, whole.len() as u64));
                assert!(part.balls.len().abs_diff(whole.len() / size) <= 1);
                assert_eq!(next, numbering.peek());
                all.extend(part.balls);
            }
            assert!(all == whole, "{size} processes");
        }
    }

    #[test]
    fn any_number_of_processes_drops_the_same_balls_to_the_bit() {
        agrees(&wide_plane(DepositTarget::Count(4000)));
        agrees(&wide_plane(DepositTarget::Height(0.8)));
        agrees(&wide_space(DepositTarget::Count(4001)));
        agrees(&wide_space(DepositTarget::Height(0.3)));
        agrees(&in_plane(1.0, 200, Radii::Same(0.03)));
    }

    #[test]
    fn a_wide_box_that_is_too_small_gives_the_same_error_on_any_number_of_processes() {
        let mut deposit = wide_plane(DepositTarget::Count(4000));
        deposit.basin.max[1] = 2.5;
        let Err(full) = deposit.balls(&mut Numbering::consecutive(0)) else { panic!("it fits") };
        assert!((800..1100).contains(&full.placed), "{full:?}");
        for size in [2, 5] {
            let errors = thread_comms(size, |comm| deposit.part(&mut Numbering::consecutive(0), comm).err());
            assert_eq!(errors, vec![Some(full); size]);
        }
    }

    /// Solid fraction and number density by position within a tile along the first axis, relative to their means. The
    /// first and last bins lie at the borders between tiles.
    fn by_position<X: Dim>(deposit: &Deposit<X>, balls: &[GeneratedBall<X>], tiles: u32, bins: usize) -> Vec<[f64; 2]> {
        let r = deposit.radii.largest();
        let up = X::D - 1;
        let mut cells = BallCells::<X>::new(r);
        balls.iter().for_each(|b| cells.push(*b));
        let top = balls.iter().map(|b| b.centre[up]).fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = (deposit.basin.min[up] + 4.0 * r, top - 8.0 * r);
        let width = (deposit.basin.max[0] - deposit.basin.min[0]) / f64::from(tiles);
        // Half a tile at each end is left out: it lies at a side of the box, not at a border between tiles.
        let bin = |x: f64| {
            let position = (x - deposit.basin.min[0]) / width;
            (0.5..f64::from(tiles) - 0.5).contains(&position).then_some((position.fract() * bins as f64) as usize)
        };
        let mut found = vec![[0.0; 2]; bins];
        for ball in balls.iter().filter(|b| (low..high).contains(&b.centre[up])) {
            bin(ball.centre[0]).into_iter().for_each(|bin| found[bin][1] += 1.0);
        }
        let mut random = Random::new(3, 3);
        let (mut points, inside) = (vec![0.0; bins], deposit.basin.inflated(-4.0 * r));
        for _ in 0..40_000 * bins {
            let mut point = X::Vector::from_fn(|i| random.between(inside.min[i], inside.max[i]));
            point[up] = random.between(low, high);
            let mut hit = false;
            cells.near(&Bounds { min: point, max: point }, |_, b| hit |= (point - b.centre).norm() < b.radius);
            if let Some(bin) = bin(point[0]) {
                points[bin] += 1.0;
                found[bin][0] += f64::from(u8::from(hit));
            }
        }
        found.iter_mut().zip(points).for_each(|(found, points)| found[0] /= points);
        let mean = [0, 1].map(|k| found.iter().map(|found| found[k]).sum::<f64>() / bins as f64);
        found.iter().map(|found| [found[0] / mean[0], found[1] / mean[1]]).collect()
    }

    fn check_borders<X: Dim>(deposit: &Deposit<X>, tiles: u32) {
        let found = by_position(deposit, &dropped(deposit), tiles, 12);
        for k in [0, 1] {
            let noise = found[1..11].iter().map(|found| (found[k] - 1.0).powi(2)).sum::<f64>() / 10.0;
            for at_border in [found[0][k], found[11][k], 0.5 * (found[0][k] + found[11][k])] {
                assert!((at_border - 1.0).abs() < 4.0 * noise.sqrt() && noise.sqrt() < 0.02, "{found:.3?}");
            }
        }
    }

    #[test]
    fn the_packing_is_the_same_at_the_borders_between_tiles() {
        check_borders(&in_plane(61.0, 15_000, Radii::Same(0.05)), 25);
        check_borders(&in_plane(61.0, 18_000, Radii::Uniform(0.035, 0.05)), 25);
        check_borders(&in_space(9.9, 90_000, Radii::Uniform(0.035, 0.05)), 4);
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
        deposit.target = DepositTarget::Height(1.0);
        let balls = dropped(&deposit);
        assert!((15..26).contains(&balls.len()));
        assert!(balls.iter().all(|b| b.centre.y + b.radius <= 3.0));
        assert!(deposit.at_most() > balls.len() as f64);
    }
}
