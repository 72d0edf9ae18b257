//! How good a partition is: balance, cut, colours, surface.

use crate::Face;

/// The weight of each part. On several processes, sum the result over them.
#[must_use]
pub fn part_weights(assignment: &[u32], weights: &[u32], parts: usize) -> Vec<u64> {
    let mut sums = vec![0; parts];
    for (&part, &weight) in assignment.iter().zip(weights) {
        sums[part as usize] += u64::from(weight);
    }
    sums
}

/// The heaviest part over the mean: 1 is perfect. Parts without any weight are in balance.
#[must_use]
pub fn imbalance(part_weights: &[u64]) -> f64 {
    let total: u64 = part_weights.iter().sum();
    let heaviest = part_weights.iter().copied().max().unwrap_or(0);
    if total == 0 { 1.0 } else { heaviest as f64 * part_weights.len() as f64 / total as f64 }
}

/// How many of the pairs of neighbouring points lie in two parts.
#[must_use]
pub fn edge_cut(pairs: &[[usize; 2]], assignment: &[u32]) -> usize {
    pairs.iter().filter(|&&[a, b]| assignment[a] != assignment[b]).count()
}

/// The share of the area between parts that separates parts of one colour: 0 is a proper
/// colouring.
#[must_use]
pub fn equal_colours(faces: &[Face], colour: impl Fn(usize) -> u8) -> f64 {
    let equal = faces.iter().filter(|face| colour(face.parts[0]) == colour(face.parts[1]));
    let (equal, all) = (interface(equal), interface(faces));
    if all > 0.0 { equal / all } else { 0.0 }
}

/// The area between parts: what all exchanges together grow with.
#[must_use]
pub fn interface<'a>(faces: impl IntoIterator<Item = &'a Face>) -> f64 {
    faces.into_iter().map(|face| face.area).sum()
}

/// The area each part shares with others: what its own exchange grows with.
#[must_use]
pub fn part_interfaces(faces: &[Face], parts: usize) -> Vec<f64> {
    let mut areas = vec![0.0; parts];
    for face in faces {
        face.parts.iter().for_each(|&part| areas[part] += face.area);
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balance_is_the_heaviest_part_over_the_mean() {
        let sums = part_weights(&[0, 1, 1, 2], &[4, 1, 2, 5], 4);
        assert_eq!(sums, [4, 3, 5, 0]);
        assert!((imbalance(&sums) - 5.0 / 3.0).abs() < 1e-15);
        assert!((imbalance(&[0, 0]) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn an_edge_within_a_part_is_not_cut() {
        assert_eq!(edge_cut(&[[0, 1], [1, 2], [0, 2]], &[7, 7, 8]), 2);
    }

    #[test]
    fn surfaces_add_up_and_know_colours() {
        let faces = [Face { parts: [0, 1], area: 3.0 }, Face { parts: [1, 2], area: 1.0 }];
        assert!((interface(&faces) - 4.0).abs() < 1e-15);
        assert_eq!(part_interfaces(&faces, 3), [3.0, 4.0, 1.0]);
        let share = equal_colours(&faces, |part| u8::from(part == 0));
        assert!((share - 0.25).abs() < 1e-15);
    }
}
