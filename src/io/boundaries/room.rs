//! Room for bodies to be born in: is anything in the way?

use crate::contactor::{Bounds, Placed};
use crate::dim::Dim;
use crate::interaction::fine;
use crate::model::Model;
use crate::state::State;

/// The bodies near the places where others are born.
pub struct Room<'a, X: Dim> {
    model: &'a Model<X>,
    /// The time, s: where images are follows from it.
    time: f64,
    taken: Vec<(Bounds<X>, Placed<'a, X>)>,
}

impl<'a, X: Dim> Room<'a, X> {
    /// With these bodies in it at `time`.
    pub fn new(model: &'a Model<X>, bodies: &[State<X>], time: f64) -> Self {
        let mut room = Self { model, time, taken: Vec::with_capacity(bodies.len()) };
        bodies.iter().for_each(|state| room.take(state));
        room
    }

    /// One more body is in it.
    pub fn take(&mut self, state: &State<X>) {
        let Self { model, time, taken } = self;
        model.images(&model.placed(state), 0.0, *time, |_, placed| taken.push((placed.bounds(), placed)));
    }

    /// Does the body overlap nothing where it is?
    pub fn has(&self, state: &State<X>) -> bool {
        let mut overlaps = false;
        self.model.images(&self.model.placed(state), 0.0, self.time, |_, placed| {
            let bounds = placed.bounds();
            for (_, other) in self.taken.iter().filter(|(other, _)| other.meets(&bounds)) {
                fine::touches(other, &placed, 0.0, |touch| overlaps |= touch.gap < 0.0);
            }
        });
        !overlaps
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

    #[test]
    fn there_is_room_beside_a_body_and_none_where_it_is() {
        let (shapes, laws) = (vec![Shape::Ball], LawTable::new(1));
        let model: Model<Plane> = Model {
            shapes,
            materials: vec![],
            motions: vec![],
            laws,
            links: Links::default(),
            gravity: Vector2::zeros(),
            tilt: None,
            cell: None,
            membranes: Vec::new(),
        };
        let ball = |x: f64| State { position: Vector2::new(x, 0.0), ..State::at_rest(1, 0, 0, 0.5, 1.0) };
        let mut room = Room::new(&model, &[ball(0.0)], 0.0);
        assert_eq!([0.5, 0.99, 1.01, 2.5].map(|x| room.has(&ball(x))), [false, false, true, true]);
        room.take(&ball(2.0));
        assert!(room.has(&ball(1.0)) && !room.has(&ball(1.2)) && !room.has(&ball(2.5)));
    }
}
