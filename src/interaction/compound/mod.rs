//! Narrow phase for compounds: every part of one body against every part of the other.
//!
//! A contact point counts only if it lies on the surface of the compound: points inside other parts, and corners and
//! edges along seams that the compound does not have, are dropped, and overlaps are those of the outlines
//! (`depths.rs`). Bodies have few parts; a part out of reach costs one comparison.

mod depths;
mod inside;

use super::simple_shapes;
use crate::contactor::PosedShape;
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;
use depths::{Outlines, parts};
use inside::Overlaps;

/// Calls `emit` for each contact point of `a` and `b`, at least one of which is a compound.
pub(super) fn touches<X: Dim>(
    a: &PosedShape<'_, X>,
    b: &PosedShape<'_, X>,
    alert: f64,
    emit: &mut dyn FnMut(ContactPoint<X>),
) {
    // Skips the parts of the first body that cannot reach the second at all.
    let reach = b.shape.reach() * b.size + alert;
    let (outlines, mut overlaps) = (Outlines::new([a, b]), Overlaps::none());
    for (i, part_a) in parts(a) {
        let own = part_a.shape.reach() * part_a.size;
        if (part_a.position - b.position).norm() > own + reach {
            continue;
        }
        for (j, part_b) in parts(b) {
            let other = part_b.shape.reach() * part_b.size;
            if (part_a.position - part_b.position).norm() > own + other + alert {
                continue;
            }
            simple_shapes::touches(&part_a, &part_b, alert, |touch| {
                let point = half_way(&touch, &part_a, &part_b);
                let half = touch.normal * (0.5 * touch.gap);
                let [on_a, on_b] = [point - half, point + half];
                let is_on_surface = is_outside(a, i, on_a, touch.normal, (on_b, &part_b))
                    && is_outside(b, j, on_b, -touch.normal, (on_a, &part_a));
                if is_on_surface
                    && let Some(touch) = outlines.filter(ContactPoint { point, ..touch }, [&part_a, &part_b])
                {
                    overlaps.add(&touch);
                    emit(ContactPoint { feature: touch.feature | (i as u64) << 32 | (j as u64) << 48, ..touch });
                }
            });
        }
    }
    outlines.inside(&mut overlaps, emit);
}

/// The contact point of two parts half-way between their surfaces; only the point of two spheres lies elsewhere.
fn half_way<X: Dim>(touch: &ContactPoint<X>, a: &PosedShape<'_, X>, b: &PosedShape<'_, X>) -> X::Vector {
    match a.shape.is_ball() && b.shape.is_ball() {
        true => a.position + touch.normal * (a.size + 0.5 * touch.gap),
        false => touch.point,
    }
}

fn is_outside<X: Dim>(
    body: &PosedShape<'_, X>,
    part: usize,
    point: X::Vector,
    n: X::Vector,
    from: (X::Vector, &PosedShape<'_, X>),
) -> bool {
    body.shape.as_compound().is_none_or(|compound| compound.is_outside(body, part, point, n, from))
}

#[cfg(test)]
mod outlines;
#[cfg(test)]
mod rocks;
#[cfg(test)]
mod tests;
