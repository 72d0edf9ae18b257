//! Contact of a polytope, or a rounded line, with a sphere.
//!
//! In: a solid and the sphere. Out: one contact point, on the line from the nearest point of the surface to the centre.

use super::view::{Solid, SolidView};
use crate::contactor::Face;
use crate::dim::{Dim, Orientation, Square, Vector};
use crate::interaction::contact_point::ContactPoint;

/// Calls `emit` for the contact point of `a` and a sphere, if its gap is at most `alert`. A centre inside the polytope
/// leaves through the nearest face.
pub fn touches_ball<X: Dim>(
    a: &Solid<X>,
    centre: X::Vector,
    radius: f64,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    let view = SolidView::new(a, X::Vector::zero());
    let at = view.to_body(centre - a.position);
    let limit = alert + radius + a.rounding;
    if a.polytope.faces.is_empty() {
        return line_touches_ball(a, centre, radius, alert, emit);
    }
    let (mut face, mut most) = (0, f64::NEG_INFINITY);
    for (k, Face { normal, covered, .. }) in a.polytope.faces.iter().enumerate() {
        let height = normal.dot(&at) - view.offset(k);
        if height > limit {
            return;
        }
        // No exit from a compound leads through a covered face.
        if height > most && (height > 0.0 || !covered) {
            (face, most) = (k, height);
        }
    }
    let mut outward = a.polytope.faces[face].normal;
    let mut separation = most;
    if most > 0.0 {
        // The nearest point lies on one of the faces in front of which the centre lies.
        let mut nearest2 = f64::INFINITY;
        for (k, Face { normal, .. }) in a.polytope.faces.iter().enumerate() {
            let height = normal.dot(&at) - view.offset(k);
            if height <= 0.0 || height * height >= nearest2 {
                continue;
            }
            let away = a.polytope.from_face(k, a.size, at, height);
            let norm2 = away.map_or(height * height, |away| away.norm2());
            if norm2 < nearest2 {
                nearest2 = norm2;
                separation = away.map_or(height, |_| norm2.sqrt());
                outward = away.filter(|_| norm2 > 0.0).map_or(*normal, |away| away * (1.0 / separation));
            }
        }
    }
    let gap = separation - radius - a.rounding;
    if gap <= alert {
        let normal = a.orientation.rotate(outward);
        emit(ContactPoint { feature: 0, normal, point: centre - normal * (radius + 0.5 * gap), gap });
    }
}

/// The same for a polytope of edges without faces. A centre on an edge leaves perpendicular to it.
fn line_touches_ball<X: Dim>(
    a: &Solid<X>,
    centre: X::Vector,
    radius: f64,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    let at = a.orientation.unrotate(centre - a.position);
    let mut nearest: Option<(X::Vector, X::Vector)> = None;
    for [p, q] in &a.polytope.edges {
        let (from, to) = (a.polytope.vertices[*p as usize] * a.size, a.polytope.vertices[*q as usize] * a.size);
        let edge = to - from;
        let t = ((at - from).dot(&edge) / edge.norm2()).clamp(0.0, 1.0);
        let away = if t > 0.5 { at - to + edge * (1.0 - t) } else { at - from - edge * t };
        // Beside the edge, the direction is perpendicular to it to the last digit, however close the centre is.
        let is_beside = t > 0.0 && t < 1.0;
        let away = if is_beside { away - edge * (away.dot(&edge) / edge.norm2()) } else { away };
        if nearest.is_none_or(|(known, _)| away.norm2() < known.norm2()) {
            nearest = Some((away, edge));
        }
    }
    let Some((away, edge)) = nearest else { return };
    let distance = away.norm();
    let gap = distance - (radius + a.rounding);
    if gap <= alert {
        let aside = || X::frame(edge * (1.0 / edge.norm())).row_vector(1);
        let outward = if distance > 0.0 { away * (1.0 / distance) } else { aside() };
        let normal = a.orientation.rotate(outward);
        emit(ContactPoint { feature: 0, normal, point: centre - normal * (radius + 0.5 * gap), gap });
    }
}
