//! The sides of an axis-aligned box and the half-spaces that bound it.

use crate::dim::{Dim, Vector};

/// One side of an axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxSide {
    /// Index of the axis.
    pub axis: usize,
    /// Whether this is the side of larger coordinates.
    pub upper: bool,
}

impl BoxSide {
    /// All sides, in order: -x, +x, -y, ...
    pub fn all<X: Dim>() -> impl Iterator<Item = BoxSide> {
        (0..X::D).flat_map(|axis| [false, true].map(|upper| BoxSide { axis, upper }))
    }

    /// Name in scenes: "-x", "+x", ...
    pub fn name(self) -> &'static str {
        const NAMES: [[&str; 2]; 3] = [["-x", "+x"], ["-y", "+y"], ["-z", "+z"]];
        NAMES[self.axis][usize::from(self.upper)]
    }
}

/// A plane that bounds the box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxWall<X: Dim> {
    /// Centre of the side, m.
    pub position: X::Vector,
    /// Unit normal, into the box.
    pub normal: X::Vector,
}

/// The walls of the box from `min` to `max`, except the sides in `open`.
pub fn walls<X: Dim>(min: X::Vector, max: X::Vector, open: &[BoxSide]) -> Vec<BoxWall<X>> {
    BoxSide::all::<X>()
        .filter(|side| !open.contains(side))
        .map(|side| {
            let mut position = (min + max) * 0.5;
            position[side.axis] = if side.upper { max[side.axis] } else { min[side.axis] };
            let mut normal = X::Vector::zero();
            normal[side.axis] = if side.upper { -1.0 } else { 1.0 };
            BoxWall { position, normal }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use nalgebra::Vector3;

    #[test]
    fn an_open_box_has_five_walls_that_look_inwards() {
        let (min, max) = (Vector3::new(-1.0, 0.0, 2.0), Vector3::new(1.0, 3.0, 4.0));
        let open: Vec<BoxSide> = BoxSide::all::<Space>().filter(|s| s.name() == "+z").collect();
        let walls = walls::<Space>(min, max, &open);
        assert_eq!(walls.len(), 5);
        let middle = (min + max) * 0.5;
        assert!(walls.iter().all(|w| Vector::dot(&(middle - w.position), &w.normal) > 0.0));
        assert_eq!(walls[1].position, Vector3::new(1.0, 1.5, 3.0));
    }
}
