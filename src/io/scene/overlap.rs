//! Do bodies overlap at the start?
//!
//! Distances of their own, simple and exact enough for a yes or no; two boxes are not compared, since their
//! contact is not written. Obstacles may overlap each other: walls meet in corners.

use crate::contactor::{Placed, Shape};
use crate::dim::{Dim, Orientation, Vector};
use crate::io::generate::{Ball, Cells};
use crate::model::Model;
use crate::state::{BodyId, State};

/// Overlap up to this share of the smaller body is let pass: it is undone in the first steps.
const TOLERATED: f64 = 0.01;

/// Bodies that overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::io) struct Overlap {
    /// The worst pair, lower id first.
    pub(in crate::io) bodies: (BodyId, BodyId),
    /// How far they overlap, m.
    pub(in crate::io) depth: f64,
    /// The same as a share of the smaller one's radius or least half-edge.
    pub(in crate::io) share: f64,
    /// Number of pairs that overlap.
    pub(in crate::io) pairs: u64,
}

/// The overlaps beyond what is tolerated, if any.
pub(in crate::io) fn overlaps<X: Dim>(model: &Model<X>, states: &[State<X>]) -> Option<Overlap> {
    let movable: Vec<bool> = states.iter().map(|s| !model.is_prescribed(s)).collect();
    let mut found = Finding { worst: None };
    let is_ball = |s: &State<X>| matches!(model.shape(s), Shape::Ball);
    let largest = states.iter().filter(|s| is_ball(s)).map(|s| s.size).fold(0.0, f64::max);
    let mut cells = Cells::<X>::new(largest);
    let mut balls = Vec::new();
    for (i, state) in states.iter().enumerate().filter(|(_, s)| is_ball(s)) {
        cells.near(&model.placed(state).bounds(), |k, other| {
            let j: usize = balls[k as usize];
            if movable[i] || movable[j] {
                let gap = (state.position - other.centre).norm() - state.size - other.radius;
                found.offer(state, &states[j], -gap, state.size.min(other.radius));
            }
        });
        balls.push(i);
        cells.push(Ball { centre: state.position, radius: state.size });
    }
    for (i, state) in states.iter().enumerate().filter(|(_, s)| !is_ball(s)) {
        let placed = model.placed(state);
        match placed.shape {
            Shape::Ball => {}
            Shape::Cuboid { half } => cells.near(&placed.bounds(), |k, ball| {
                let j = balls[k as usize];
                if movable[i] || movable[j] {
                    let depth = ball.radius - box_distance(&placed, half, ball.centre);
                    let size = placed.shape.characteristic().filter(|_| placed.shape.has_volume());
                    found.offer(
                        state,
                        &states[j],
                        depth,
                        size.map_or(ball.radius, |s| ball.radius.min(s * state.size)),
                    );
                }
            }),
            Shape::HalfSpace => {
                for (j, other) in states.iter().enumerate().filter(|(j, _)| movable[*j]) {
                    let depth = depth_below(&placed, &model.placed(other));
                    if let (Some(depth), Some(size)) = (depth, model.shape(&states[j]).characteristic()) {
                        found.offer(state, other, depth, size * other.size);
                    }
                }
            }
        }
    }
    found.worst
}

struct Finding {
    worst: Option<Overlap>,
}

impl Finding {
    /// A pair that overlaps by `depth`, the smaller body being of `size`.
    fn offer<X: Dim>(&mut self, a: &State<X>, b: &State<X>, depth: f64, size: f64) {
        let share = depth / size;
        if share <= TOLERATED {
            return;
        }
        let bodies = (a.id.min(b.id), a.id.max(b.id));
        let overlap = Overlap { bodies, depth, share, pairs: 1 };
        self.worst = Some(match self.worst {
            None => overlap,
            Some(worst) => {
                // Ids decide between equals, so that the answer does not depend on the order of the search.
                let worse = share > worst.share || (share == worst.share && bodies < worst.bodies);
                Overlap { pairs: worst.pairs + 1, ..if worse { overlap } else { worst } }
            }
        });
    }
}

/// Distance of a point from a box; negative inside.
fn box_distance<X: Dim>(placed: &Placed<X>, half: X::Vector, point: X::Vector) -> f64 {
    let local = placed.orientation.unrotate(point - placed.position);
    let half = half * placed.size;
    let outside = X::Vector::from_fn(|i| (local[i].abs() - half[i]).max(0.0)).norm();
    let inside = (0..X::D).map(|i| local[i].abs() - half[i]).fold(f64::NEG_INFINITY, f64::max);
    outside + inside.min(0.0)
}

/// How deep a body reaches below the face of a half-space; `None` for what is unbounded.
fn depth_below<X: Dim>(plane: &Placed<X>, body: &Placed<X>) -> Option<f64> {
    let normal = plane.outward();
    let height = normal.dot(&(body.position - plane.position));
    match body.shape {
        Shape::Ball => Some(body.size - height),
        Shape::Cuboid { half } => {
            let local = body.orientation.unrotate(normal);
            Some((0..X::D).map(|i| local[i].abs() * half[i]).sum::<f64>() * body.size - height)
        }
        Shape::HalfSpace => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Angle, Plane};
    use crate::law::LawTable;
    use crate::model::{Material, Motion};
    use nalgebra::Vector2;

    fn model() -> Model<Plane> {
        Model {
            shapes: vec![Shape::Ball, Shape::Cuboid { half: Vector2::new(1.0, 0.5) }, Shape::HalfSpace],
            materials: vec![Material { name: "m".into(), density: 1.0 }],
            motions: vec![Motion::fixed(3)],
            laws: LawTable::new(1),
            gravity: Vector2::zeros(),
        }
    }

    fn body(id: u64, shape: u32, size: f64, x: f64, y: f64) -> State<Plane> {
        let mut state = State::at_rest(id, shape, 0, size, 1.0);
        state.position = Vector2::new(x, y);
        state
    }

    #[test]
    fn touching_balls_pass_and_overlapping_ones_are_named() {
        let apart = [body(5, 0, 1.0, 0.0, 0.0), body(2, 0, 0.1, 1.0995, 0.0)];
        assert_eq!(overlaps(&model(), &apart), None);
        let close = [body(5, 0, 1.0, 0.0, 0.0), body(2, 0, 0.1, 1.05, 0.0), body(9, 0, 0.1, 0.0, 1.09)];
        let found = overlaps(&model(), &close).unwrap();
        assert_eq!((found.bodies, found.pairs), ((BodyId(2), BodyId(5)), 2));
        assert!((found.depth - 0.05).abs() < 1e-12 && (found.share - 0.5).abs() < 1e-10);
    }

    #[test]
    fn a_ball_in_a_turned_box_and_a_box_in_the_floor_are_found() {
        let mut turned = body(1, 1, 1.0, 0.0, 0.0);
        turned.orientation = Angle(std::f64::consts::FRAC_PI_2);
        let beside = [turned, body(2, 0, 0.2, 0.71, 0.0)];
        assert_eq!(overlaps(&model(), &beside), None);
        let above = [turned, body(2, 0, 0.2, 0.0, 1.1)];
        assert!((overlaps(&model(), &above).unwrap().depth - 0.1).abs() < 1e-12);
        let mut floor = body(3, 2, 1.0, 0.0, -0.9);
        floor.orientation = Angle(std::f64::consts::FRAC_PI_2);
        floor.motion = 0;
        assert!((overlaps(&model(), &[turned, floor]).unwrap().depth - 0.1).abs() < 1e-12);
    }

    #[test]
    fn obstacles_may_overlap_each_other() {
        let mut pair = [body(1, 0, 1.0, 0.0, 0.0), body(2, 0, 1.0, 0.5, 0.0)];
        pair[0].motion = 0;
        assert!(overlaps(&model(), &pair).is_some());
        pair[1].motion = 0;
        assert_eq!(overlaps(&model(), &pair), None);
    }
}
