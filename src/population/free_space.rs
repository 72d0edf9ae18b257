//! Free space for new bodies: overlap tests with the bodies near feeds.

use crate::body::State;
use crate::contactor::{Bounds, PosedShape};
use crate::dim::Dim;
use crate::interaction::narrow_phase;
use crate::model::Model;

/// Bodies near the regions where others are born.
pub struct FreeSpace<'a, X: Dim> {
    model: &'a Model<X>,
    /// Time, s; it determines the positions of periodic images.
    time: f64,
    occupied: Vec<(Bounds<X>, PosedShape<'a, X>)>,
}

impl<'a, X: Dim> FreeSpace<'a, X> {
    /// Space occupied by these bodies at `time`.
    pub fn new(model: &'a Model<X>, bodies: &[State<X>], time: f64) -> Self {
        let mut space = Self { model, time, occupied: Vec::with_capacity(bodies.len()) };
        bodies.iter().for_each(|state| space.add(state));
        space
    }

    /// Adds a body.
    pub fn add(&mut self, state: &State<X>) {
        let Self { model, time, occupied } = self;
        model.images(&model.placed(state), 0.0, *time, |_, placed| occupied.push((placed.bounds(), placed)));
    }

    /// Is the space of the body at its position free?
    pub fn is_free(&self, state: &State<X>) -> bool {
        let mut overlaps = false;
        self.model.images(&self.model.placed(state), 0.0, self.time, |_, placed| {
            let bounds = placed.bounds();
            for (_, other) in self.occupied.iter().filter(|(other, _)| other.meets(&bounds)) {
                narrow_phase::touches(other, &placed, 0.0, |touch| overlaps |= touch.gap < 0.0);
            }
        });
        !overlaps
    }

    /// Lowers the body vertically to `distance` above the position of first contact, or until its centre is at
    /// `lowest`. Each iteration moves it by the free distance around it, so it passes through nothing.
    pub fn lowered(&self, mut state: State<X>, distance: f64, lowest: f64) -> State<X> {
        let (up, highest) = (X::D - 1, state.position[X::D - 1]);
        loop {
            let height = state.position[up] - lowest;
            let free = self.nearest(&state, height);
            if free >= height {
                state.position[up] = lowest;
                return state;
            }
            if free < 0.01 * distance {
                state.position[up] = highest.min(state.position[up] + distance);
                return state;
            }
            state.position[up] -= free;
        }
    }

    /// Distance from the body to the nearest other, m, at most `far`.
    fn nearest(&self, state: &State<X>, far: f64) -> f64 {
        let mut least = far;
        self.model.images(&self.model.placed(state), far, self.time, |_, placed| {
            for (bounds, other) in &self.occupied {
                if bounds.meets(&placed.bounds().inflated(least)) {
                    narrow_phase::touches(other, &placed, least, |touch| least = least.min(touch.gap));
                }
            }
        });
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contactor::Shape;
    use crate::dim::Plane;
    use crate::law::LawTable;
    use crate::model::Links;
    use nalgebra::Vector2;

    fn model() -> Model<Plane> {
        let (shapes, laws) = (vec![Shape::Ball], LawTable::new(1));
        Model {
            shapes,
            materials: vec![],
            motions: vec![],
            laws,
            links: Links::default(),
            gravity: Vector2::zeros(),
            tilt: None,
            cell: None,
            membranes: Vec::new(),
            deformables: Vec::new(),
            facing: Vec::new(),
        }
    }

    fn ball(x: f64, y: f64) -> State<Plane> {
        State { position: Vector2::new(x, y), ..State::at_rest(1, 0, 0, 0.5, 1.0) }
    }

    #[test]
    fn space_is_free_beside_a_body_but_not_inside_it() {
        let model = model();
        let ball = |x: f64| ball(x, 0.0);
        let mut space = FreeSpace::new(&model, &[ball(0.0)], 0.0);
        assert_eq!([0.5, 0.99, 1.01, 2.5].map(|x| space.is_free(&ball(x))), [false, false, true, true]);
        space.add(&ball(2.0));
        assert!(space.is_free(&ball(1.0)) && !space.is_free(&ball(1.2)) && !space.is_free(&ball(2.5)));
    }

    #[test]
    fn a_body_comes_down_to_the_given_height_above_what_it_would_touch_or_to_the_bottom() {
        let model = model();
        let space = FreeSpace::new(&model, &[ball(0.0, 0.0), ball(3.0, 1.0)], 0.0);
        let height = |x: f64| space.lowered(ball(x, 9.0), 0.01, -2.0).position[1];
        assert!((1.01..1.0102).contains(&height(0.0)), "straight above: {}", height(0.0));
        let beside = 0.75f64.sqrt() + 0.01;
        assert!([0.5, -0.5].iter().all(|&x| (beside..beside + 3e-4).contains(&height(x))), "down a side");
        assert!((2.01..2.0102).contains(&height(3.0)));
        assert_eq!([height(1.005), height(1.7)], [-2.0; 2], "past the side of one, and between the two");
        assert_eq!(space.lowered(ball(0.0, 1.005), 0.01, -2.0).position[1], 1.005, "never up");
    }
}
