//! Corners in notches: contacts of a part of a non-convex body beyond the end of its face.
//!
//! In a notch of a compound body the faces of two parts meet, and a corner of the other body that slides along one of
//! them reaches the other. For the part with that other face, the corner lies beyond the end of the face, where the
//! axis between the two parts passes through the neighbouring part. Every open face is therefore tested by itself, for
//! all corners no further beyond its end than they can move in a step.

use super::clip::{ClippedFaces, single_name};
use super::view::Contact;
use crate::contactor::Polytope;
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;

/// Distinguishes faces from corners in feature numbers.
const FACE: u32 = 0x4000;

impl<X: Dim> Contact<'_, '_, X> {
    /// Emits corners in notches, except for those at the face `used` of the first or (true) the second body.
    pub(super) fn notches(&self, used: Option<(usize, bool)>, emit: &mut impl FnMut(ContactPoint<X>)) {
        let pair = self.pair;
        for second in [false, true] {
            let (own, other) = if second { (&pair.b, &pair.a) } else { (&pair.a, &pair.b) };
            let Polytope { faces, seams, .. } = own.polytope;
            if seams.is_empty() {
                continue;
            }
            let open = |k: &usize| !faces[*k].covered && used != Some((*k, second));
            for face in (0..faces.len()).filter(open) {
                let clipped = ClippedFaces {
                    reference: own,
                    reference_face: face,
                    incident: other,
                    incident_face: 0,
                    normal: own.normal(face),
                    reference_second: second,
                    scale: pair.scale,
                };
                self.notch(&clipped, emit);
            }
        }
    }

    /// Emits the corners of the incident part in the notches at the ends of the reference face.
    fn notch(&self, clipped: &ClippedFaces<X>, emit: &mut impl FnMut(ContactPoint<X>)) {
        let ClippedFaces { reference: own, incident: other, normal, reference_second: second, .. } = *clipped;
        let face = clipped.reference_face;
        let over = normal.dot(&(other.centre - own.centre)) - own.offset(face);
        if over - other.support(-normal).1 > self.limit {
            return;
        }
        let inward = other.to_body(normal);
        let [own_round, other_round] = if second { [self.rounding[1], self.rounding[0]] } else { self.rounding };
        for (corner, vertex) in (0..).zip(&other.polytope.vertices) {
            let height = over + inward.dot(vertex) * other.size;
            if height.abs() > self.limit || !other.polytope.admits(corner, -inward) {
                continue;
            }
            let at = other.corner(corner);
            if clipped.is_past(at, self.limit) == Some(true) {
                let point = self.pair.middle + (at - normal * (0.5 * (height - (own_round - other_round))));
                let names = if second { [corner, face as u32 | FACE] } else { [face as u32 | FACE, corner] };
                let normal = if second { -normal } else { normal };
                let gap = height - (own_round + other_round);
                emit(ContactPoint { feature: single_name(names).into(), normal, point, gap });
            }
        }
    }
}
