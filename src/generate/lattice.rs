//! Generator of balls on a rectangular lattice, optionally displaced at random within their cells.
//!
//! Each ball owns one cell of the lattice and is displaced by at most the clearance its radius leaves there, so no
//! jitter makes two balls overlap.

use std::ops::Range;

use super::{GeneratedBall, Numbered, Numbering};
use crate::base::Random;
use crate::contactor::Radii;
use crate::dim::{Dim, Vector};

/// A block of cells with one ball in each.
#[derive(Clone, Debug)]
pub struct Lattice<X: Dim> {
    /// Cells along each axis.
    pub count: Vec<u64>,
    /// Edges of a cell, m.
    pub spacing: X::Vector,
    /// Lower corner of the first cell, m.
    pub origin: X::Vector,
    /// Fraction of the clearance by which a ball may be displaced, 0 to 1.
    pub jitter: f64,
    /// Radii of the balls.
    pub radii: Radii,
    /// Seed of the radii and displacements.
    pub seed: u64,
}

impl<X: Dim> Lattice<X> {
    /// Number of balls.
    pub fn len(&self) -> u128 {
        self.count.iter().map(|&n| u128::from(n)).fold(1, u128::saturating_mul)
    }

    /// Whether the lattice has no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An axis along which neighbours could overlap because the largest ball is wider than a cell.
    pub fn overlapping_axis(&self) -> Option<usize> {
        let widest = 2.0 * self.radii.largest() * (1.0 - 1e-9);
        (0..X::D).find(|&i| self.count[i] > 1 && widest > self.spacing[i])
    }

    /// The balls of the cells in `part`, first axis fastest. `numbering` advances past the ids of all cells.
    pub fn balls(&self, numbering: &mut Numbering, part: Range<u64>) -> Vec<Numbered<X>> {
        numbering.skip(part.start);
        let rest = self.len() as u64 - part.end;
        let balls = part
            .map(|number| {
                let id = numbering.take();
                let mut random = Random::new(self.seed, id);
                let radius = self.radii.draw(&mut random);
                let mut rest = number;
                let centre = X::Vector::from_fn(|i| {
                    let cell = rest % self.count[i];
                    rest /= self.count[i];
                    let clearance = (0.5 * self.spacing[i] - radius).max(0.0) * self.jitter;
                    let middle = self.origin[i] + (cell as f64 + 0.5) * self.spacing[i];
                    if clearance > 0.0 { middle + random.between(-clearance, clearance) } else { middle }
                });
                Numbered { id, ball: GeneratedBall { centre, radius } }
            })
            .collect();
        numbering.skip(rest);
        balls
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    fn shaken() -> Lattice<Space> {
        Lattice {
            count: vec![5, 4, 3],
            spacing: Vector3::new(0.1, 0.12, 0.11),
            origin: Vector3::new(-1.0, 2.0, 0.0),
            jitter: 1.0,
            radii: Radii::Uniform(0.02, 0.05),
            seed: 4,
        }
    }

    #[test]
    fn shaken_balls_never_overlap_and_stay_inside_the_block() {
        let lattice = shaken();
        let balls = lattice.balls(&mut Numbering::consecutive(0), 0..60);
        assert_eq!(balls.len(), 60);
        for (i, a) in balls.iter().enumerate() {
            for k in 0..3 {
                let (low, high) = (lattice.origin[k], lattice.origin[k] + lattice.count[k] as f64 * lattice.spacing[k]);
                assert!(a.ball.centre[k] - a.ball.radius >= low - 1e-15);
                assert!(a.ball.centre[k] + a.ball.radius <= high + 1e-15);
            }
            for b in &balls[..i] {
                assert!((a.ball.centre - b.ball.centre).norm() >= (a.ball.radius + b.ball.radius) * (1.0 - 1e-12));
            }
        }
        let moved = balls.iter().filter(|b| (b.ball.centre.x + 0.95).abs() > 1e-3).count();
        assert!(moved > 40, "jitter moves them");
    }

    #[test]
    fn a_ball_depends_on_its_id_and_cell_alone() {
        let all = shaken().balls(&mut Numbering::consecutive(100), 0..60);
        let again = shaken().balls(&mut Numbering::consecutive(100), 0..60);
        assert_eq!(all, again);
        let others = shaken().balls(&mut Numbering::consecutive(101), 0..60);
        assert_eq!(others[0].ball.radius, all[1].ball.radius);
    }

    #[test]
    fn balls_generated_in_parts_are_those_of_the_whole_lattice() {
        let all = shaken().balls(&mut Numbering::consecutive(7), 0..60);
        let mut together = Vec::new();
        for part in [0..13, 13..13, 13..60] {
            let mut numbering = Numbering::consecutive(7);
            together.extend(shaken().balls(&mut numbering, part));
            assert_eq!(numbering.peek(), 67);
        }
        assert_eq!(all, together);
    }

    #[test]
    fn the_first_centre_lies_half_a_spacing_from_the_origin() {
        let lattice = Lattice::<Plane> {
            count: vec![2, 1],
            spacing: Vector2::new(1.0, 2.0),
            origin: Vector2::new(10.0, 20.0),
            jitter: 0.0,
            radii: Radii::Same(0.5),
            seed: 1,
        };
        let balls = lattice.balls(&mut Numbering::consecutive(0), 0..2);
        assert_eq!(balls[0].ball.centre, Vector2::new(10.5, 21.0));
        assert_eq!(balls[1].ball.centre, Vector2::new(11.5, 21.0));
        assert_eq!(lattice.overlapping_axis(), None);
    }

    #[test]
    fn balls_wider_than_a_cell_overlap_only_where_they_have_neighbours() {
        let mut lattice = shaken();
        lattice.radii = Radii::Same(0.054);
        assert_eq!(lattice.overlapping_axis(), Some(0));
        lattice.count[0] = 1;
        assert_eq!(lattice.overlapping_axis(), None);
    }
}
