//! Check for overlapping bodies in the initial configuration.
//!
//! Uses the same detection as the time steps; deformable bodies are taken undeformed. Obstacles may overlap each other,
//! since walls meet in corners; so may bodies that are joined.

use std::collections::BTreeSet;

use crate::body::{BodyId, State};
use crate::contactor::PosedShape;
use crate::dim::Dim;
use crate::interaction::meshed::{self, ContactSide, UndeformedNodes};
use crate::interaction::{broad_phase, narrow_phase};
use crate::model::Model;

/// Tolerated overlap, relative to the smaller body: the first steps remove it.
const TOLERATED: f64 = 0.01;

/// The overlaps of a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Overlap {
    /// The worst pair, lower id first.
    pub(crate) bodies: (BodyId, BodyId),
    /// Overlap of that pair, m.
    pub(crate) depth: f64,
    /// The same relative to the radius or least half-edge of the smaller body.
    pub(crate) share: f64,
    /// Number of overlapping pairs.
    pub(crate) pairs: u64,
}

/// The overlaps beyond the tolerance, if any.
pub(crate) fn overlaps<X: Dim>(model: &Model<X>, states: &[State<X>]) -> Option<Overlap> {
    let (mut items, mut images) = (Vec::new(), Vec::new());
    for state in states {
        model.images(&model.placed(state), 0.0, 0.0, |_, placed| {
            items.push(broad_phase::BroadPhaseItem {
                bounds: placed.bounds(),
                is_ball: placed.shape.is_ball(),
                is_obstacle: model.is_prescribed(state),
            });
            images.push((state, placed));
        });
    }
    let undeformed = |(_, placed): &(&State<X>, PosedShape<'_, X>)| {
        placed.shape.as_meshed().map(|mesh| UndeformedNodes::new(mesh, placed.position, &placed.orientation))
    };
    let nodes: Vec<Option<UndeformedNodes<X>>> = images.iter().map(undeformed).collect();
    let mut worst: Option<Overlap> = None;
    let mut seen = BTreeSet::new();
    for [i, j] in broad_phase::pairs(&items) {
        let ((a, _), (b, _)) = (&images[i as usize], &images[j as usize]);
        if a.id == b.id || model.are_apart(a, b) {
            continue;
        }
        let mut depth = 0.0f64;
        let side = |k: u32| match (images[k as usize].1.shape.as_meshed(), &nodes[k as usize]) {
            (Some(mesh), Some(nodes)) => nodes.side(mesh),
            _ => ContactSide::Rigid(images[k as usize].1),
        };
        match [side(i), side(j)] {
            [ContactSide::Rigid(a), ContactSide::Rigid(b)] => {
                narrow_phase::touches(&a, &b, 0.0, |touch| depth = depth.max(-touch.gap));
            }
            sides => {
                let mut found = Vec::new();
                meshed::touches(sides, 0.0, &mut found);
                depth = found.iter().map(|found| -found.point.gap).fold(depth, f64::max);
            }
        }
        let share = depth / smaller(model, a, b);
        // In a periodic cell the same pair may be found at two faces.
        if share <= TOLERATED || !seen.insert([a.id, b.id]) {
            continue;
        }
        let found = Overlap { bodies: (a.id.min(b.id), a.id.max(b.id)), depth, share, pairs: 1 };
        worst = Some(match worst {
            None => found,
            Some(before) => {
                let deeper = if (share, before.bodies) > (before.share, found.bodies) { found } else { before };
                Overlap { pairs: before.pairs + 1, ..deeper }
            }
        });
    }
    worst
}

/// Length of the smaller of two bodies; bodies without volume or without bounds do not count.
fn smaller<X: Dim>(model: &Model<X>, a: &State<X>, b: &State<X>) -> f64 {
    let length = |s: &State<X>| if model.shape(s).has_volume() { model.length(s) } else { f64::INFINITY };
    length(a).min(length(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contactor::Shape;
    use crate::dim::{Angle, Plane};
    use crate::law::LawTable;
    use crate::model::{Links, Material, Motion};
    use nalgebra::Vector2;

    fn model() -> Model<Plane> {
        Model {
            shapes: vec![Shape::Ball, Shape::cuboid(Vector2::new(1.0, 0.5)).unwrap(), Shape::HalfSpace],
            materials: vec![Material { name: "m".into(), density: 1.0 }],
            motions: vec![Motion::fixed(3)],
            laws: LawTable::new(1),
            links: Links::default(),
            gravity: Vector2::zeros(),
            tilt: None,
            cell: None,
            membranes: Vec::new(),
            deformables: Vec::new(),
            facing: Vec::new(),
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
