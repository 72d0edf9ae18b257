//! The faces between parts: who is whose neighbour, across how much area.

use crate::{Cuts, Region};

/// Two parts with a common face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// The two parts, the lower number first.
    pub parts: [usize; 2],
    /// The area of the face (length in 2D, 1 in 1D), above 0.
    pub area: f64,
}

/// All faces between parts inside the box `within`, in ascending order of the parts.
///
/// Parts that meet in an edge or a corner only have no face, nor has a part without volume.
#[must_use]
pub fn faces<const D: usize>(cuts: &Cuts<D>, within: &Region<D>) -> Vec<Face> {
    let clipped = |part: usize| {
        let region = cuts.region(part);
        Region::<D> {
            min: std::array::from_fn(|axis| region.min[axis].max(within.min[axis])),
            max: std::array::from_fn(|axis| region.max[axis].min(within.max[axis])),
        }
    };
    let mut faces = Vec::new();
    for part in 0..cuts.parts() {
        let one = clipped(part);
        cuts.touching(&one.min, &one.max, |neighbour| {
            if neighbour <= part {
                return;
            }
            let other = clipped(neighbour);
            // A face is flat along one axis, and has length along all others.
            let (mut flat, mut area) = (0, 1.0);
            for axis in 0..D {
                let overlap = one.max[axis].min(other.max[axis]) - one.min[axis].max(other.min[axis]);
                let side = overlap == 0.0 && one.min[axis] < one.max[axis] && other.min[axis] < other.max[axis];
                if side {
                    flat += 1;
                } else {
                    area *= overlap.max(0.0);
                }
            }
            if flat == 1 && area > 0.0 {
                faces.push(Face { parts: [part, neighbour], area });
            }
        });
    }
    faces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cutter, Local, RegularGrid};

    #[test]
    fn a_grid_of_two_by_three_has_seven_faces() {
        let corners = [[0.0, 0.0], [4.0, 6.0]];
        let cuts = RegularGrid.cut(&corners, &[1, 1], 6, &Local);
        let within = Region { min: corners[0], max: corners[1] };
        let faces = faces(&cuts, &within);
        assert_eq!(faces.len(), 7);
        let area: f64 = faces.iter().map(|face| face.area).sum();
        assert!((area - (6.0 + 2.0 * 4.0)).abs() < 1e-9, "{area}");
        assert!(faces.iter().all(|face| face.parts[0] < face.parts[1]));
    }

    #[test]
    fn one_part_has_no_face() {
        assert!(faces(&Cuts::<3>::one(), &Region::EVERYWHERE).is_empty());
    }
}
