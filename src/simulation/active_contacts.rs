//! Active contacts of a step for post-processing: bodies, position, impulse and friction bound.
//!
//! Each process has those of its own subdomains, in arbitrary order: consumers sum them exactly or sort them by id. In
//! a periodic cell a contact is reported at the image whose point lies in the cell.

use rayon::prelude::*;

use crate::body::{Bodies, BodyId};
use crate::comm::{MessageItem, Reader, Writer};
use crate::dim::{Dim, Vector};
use crate::domain::{Domain, SolvedContact};
use crate::interaction::DetectedContact;
use crate::interaction::history::ContactId;
use crate::model::{HERE, Model};

/// A contact or link that carries an impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActiveContact<X: Dim> {
    /// Ids of the two bodies, the lower one first.
    pub bodies: [BodyId; 2],
    /// Features of the two shapes that are in contact.
    pub feature: u64,
    /// True for grains, false for walls.
    pub is_grain: [bool; 2],
    /// Centres of the two bodies, m.
    pub centres: [X::Vector; 2],
    /// Contact point, m.
    pub point: X::Vector,
    /// Unit normal from the first body to the second.
    pub normal: X::Vector,
    /// Impulse on the second body, N s.
    pub impulse: X::Vector,
    /// Greatest tangential impulse that the law allows, N s; infinite if unbounded.
    pub bound: f64,
}

impl<X: Dim> ActiveContact<X> {
    /// The contact as seen at `time`, the end of the step.
    fn of(contact: &SolvedContact<X>, model: &Model<X>, time: f64) -> Self {
        let DetectedContact { feature, normal, mut point, image, .. } = contact.detected;
        let mut centres = contact.bodies.map(|state| state.position);
        if let Some(cell) = &model.cell {
            if image != HERE {
                centres[1] += cell.shift(image, time);
            }
            let shift = cell.shift(cell.home(point, time), time);
            centres.iter_mut().chain([&mut point]).for_each(|position| *position += shift);
        }
        Self {
            bodies: contact.bodies.map(|state| state.id),
            feature,
            is_grain: contact.bodies.map(|state| model.is_grain(state)),
            centres,
            point,
            normal,
            impulse: contact.impulse,
            bound: contact.bound(),
        }
    }

    /// Branch vector from the centre of the first body to that of the second, m; for a wall the contact point replaces
    /// the centre.
    pub fn branch(&self) -> X::Vector {
        self.end(1) - self.end(0)
    }

    /// Start (0) or end (1) of the branch vector, m.
    pub fn end(&self, side: usize) -> X::Vector {
        if self.is_grain[side] { self.centres[side] } else { self.point }
    }

    /// Normal component of the impulse, N s.
    pub fn normal_impulse(&self) -> f64 {
        self.impulse.dot(&self.normal)
    }

    /// Norm of the tangential component of the impulse, N s.
    pub fn tangential_impulse(&self) -> f64 {
        (self.impulse - self.normal * self.normal_impulse()).norm()
    }

    /// True for a link, false for a contact.
    pub fn is_link(&self) -> bool {
        ContactId::link_of(self.feature).is_some()
    }

    /// True if at least one of the bodies is a grain.
    pub fn has_grain(&self) -> bool {
        self.is_grain[0] || self.is_grain[1]
    }

    /// Orders by ids; contacts with equal ids, which periodic images may have, by position.
    pub(crate) fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let components = (0..X::D).map(|k| self.point[k].total_cmp(&other.point[k]));
        let by_position = components.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then);
        (self.bodies, self.feature).cmp(&(other.bodies, other.feature)).then(by_position)
    }
}

impl<X: Dim> MessageItem for ActiveContact<X> {
    fn write_to(&self, message: &mut Writer) {
        message.write(&(self.bodies, self.feature, self.is_grain, self.centres));
        message.write(&[self.point, self.normal, self.impulse]);
        message.write(&self.bound);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        let (bodies, feature, is_grain, centres) = message.read();
        let [point, normal, impulse] = message.read();
        Self { bodies, feature, is_grain, centres, point, normal, impulse, bound: message.read() }
    }
}

impl<X: Dim> Domain<X> {
    /// Active contacts of the subdomains of this process at `time`, the end of the step.
    pub fn active_contacts(&self, model: &Model<X>, bodies: &Bodies<X>, time: f64) -> Vec<ActiveContact<X>> {
        let active = |subdomain| self.contacts(subdomain, bodies).filter(SolvedContact::is_active);
        let all = |subdomain| active(subdomain).map(|contact| ActiveContact::of(&contact, model, time));
        self.subdomains().par_iter().flat_map_iter(all).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Plane;
    use nalgebra::Vector2;

    fn contact() -> ActiveContact<Plane> {
        ActiveContact {
            bodies: [BodyId(3), BodyId(9)],
            feature: 7,
            is_grain: [true, false],
            centres: [Vector2::new(0.0, 1.0), Vector2::new(50.0, -3.0)],
            point: Vector2::new(0.0, 0.5),
            normal: Vector2::new(0.0, -1.0),
            impulse: Vector2::new(0.3, -2.0),
            bound: 0.8,
        }
    }

    #[test]
    fn the_branch_to_a_wall_ends_at_the_contact() {
        assert_eq!(contact().branch(), Vector2::new(0.0, -0.5));
        assert_eq!((contact().normal_impulse(), contact().tangential_impulse()), (2.0, 0.3));
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let mut message = Writer::default();
        message.write(&contact());
        let mut read = Reader(&message.0);
        assert_eq!(read.read::<ActiveContact<_>>(), contact());
        assert!(read.is_done());
    }
}
