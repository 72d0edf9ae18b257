//! Contact of meshed bodies, deformed as they are at mid-step, with rigid bodies and with each other.
//!
//! Contact points are nodes of one surface on facets of the other, from both sides (two-pass node-to-segment): in the
//! plane these are the ends of the overlap of two segments, so that a uniform pressure passes exactly. In space the
//! crossings of edges join them. Against a rigid shape a node is a sphere of radius zero, and the corners of the shape
//! are tried on the facets.

mod edges;
mod facet;
mod node_target;
mod point;
mod quadrilateral;
mod rigid;
mod self_contact;
mod side;
mod surfaces;
mod two_sided;

use crate::contactor::PosedShape;
use crate::dim::Dim;

pub use point::MeshedPoint;
pub use self_contact::self_touches;
pub use side::{ContactSide, DeformedSurface, UndeformedNodes};

/// Contact points of two bodies of which at least one is meshed, appended to `found`: those whose gap is at most
/// `alert`.
pub fn touches<X: Dim>(sides: [ContactSide<'_, X>; 2], alert: f64, found: &mut Vec<MeshedPoint<X>>) {
    let from = found.len();
    match sides {
        [ContactSide::Meshed(first), ContactSide::Meshed(second)] => surfaces::touches(&first, &second, alert, found),
        [ContactSide::Meshed(surface), ContactSide::Rigid(shape)] => rigid_touches(&surface, &shape, alert, found),
        [ContactSide::Rigid(shape), ContactSide::Meshed(surface)] => {
            rigid_touches(&surface, &shape, alert, found);
            found[from..].iter_mut().for_each(|point| *point = point.swapped());
        }
        [ContactSide::Rigid(_), ContactSide::Rigid(_)] => {}
    }
}

/// Contact points of a surface with a rigid shape, part by part.
fn rigid_touches<X: Dim>(
    surface: &DeformedSurface<'_, X>,
    shape: &PosedShape<'_, X>,
    alert: f64,
    found: &mut Vec<MeshedPoint<X>>,
) {
    match shape.shape.as_compound() {
        None => rigid::touches(surface, shape, 0, alert, found),
        Some(compound) => {
            for (number, part) in (0..).zip(&compound.parts) {
                rigid::touches(surface, &part.placed(shape), number, alert, found);
            }
        }
    }
}
