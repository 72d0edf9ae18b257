//! Order of elimination that keeps the factor of a mesh sparse: nested dissection (George, SIAM J. Numer. Anal. 10
//! (1973) 345) by coordinates.
//!
//! The nodes are halved across their longest extent. Those of one half that touch the other one separate the halves;
//! they come last, and each half is divided likewise. In large meshes in space the factor has a quarter fewer entries
//! than by minimum degree, in the plane more.

use super::assembly::NodeMatrix;
use crate::dim::{Dim, Vector};

/// Sets of at most this number of nodes are not divided.
const LEAF: usize = 24;

/// Nodes in the order of elimination. The pattern of `mass` tells which ones touch.
pub(super) fn dissection<X: Dim>(positions: &[X::Vector], mass: &NodeMatrix) -> Vec<usize> {
    let mut side = vec![0; positions.len()];
    let mut order = Vec::with_capacity(positions.len());
    // Sets still to be ordered; a later set is eliminated earlier, so `order` is filled from its end.
    let mut sets = vec![(0..positions.len()).collect::<Vec<usize>>()];
    let mut stamp = 0;
    while let Some(mut nodes) = sets.pop() {
        if nodes.len() <= LEAF {
            order.extend(nodes.into_iter().rev());
            continue;
        }
        let axis = longest_axis::<X>(positions, &nodes);
        nodes.sort_unstable_by(|&a, &b| positions[a][axis].total_cmp(&positions[b][axis]).then(a.cmp(&b)));
        let second = nodes.split_off(nodes.len() / 2);
        stamp += 2;
        nodes.iter().for_each(|&node| side[node] = stamp);
        second.iter().for_each(|&node| side[node] = stamp + 1);
        let touches = |node: usize, other: usize| {
            mass.outer_view(node).is_some_and(|row| row.indices().iter().any(|&near| side[near] == other))
        };
        let split =
            |half: &[usize], other: usize| half.iter().partition::<Vec<usize>, _>(|&&node| touches(node, other));
        let (from_first, from_second) = (split(&nodes, stamp + 1), split(&second, stamp));
        let (between, first, second) = if from_first.0.len() <= from_second.0.len() {
            (from_first.0, from_first.1, second)
        } else {
            (from_second.0, nodes, from_second.1)
        };
        order.extend(between.into_iter().rev());
        sets.extend([first, second]);
    }
    order.reverse();
    order
}

fn longest_axis<X: Dim>(positions: &[X::Vector], nodes: &[usize]) -> usize {
    let extent = |axis: usize| {
        let along = nodes.iter().map(|&node| positions[node][axis]);
        let bounds = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        bounds.1 - bounds.0
    };
    (1..X::Vector::N).fold(0, |best, axis| if extent(axis) > extent(best) { axis } else { best })
}

#[cfg(test)]
mod tests {
    use super::super::test_support::{STEEL, grid, matrices};
    use super::super::{PlaneState, SparseFactor};
    use super::*;
    use crate::dim::Space;
    use crate::fem::mesh::ElementKind;

    #[test]
    fn dissection_lists_every_node_once_and_saves_entries_in_space() {
        let matrices =
            matrices(grid::<Space>(ElementKind::Hex8, &[10, 9, 9], &[0.3, 0.2, 0.2]), STEEL, PlaneState::Strain);
        let nodes = dissection::<Space>(&matrices.mesh().nodes, matrices.mass());
        let mut sorted = nodes.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().copied().eq(0..1100));
        let order: Vec<usize> = nodes.iter().flat_map(|node| (0..3).map(move |k| 3 * node + k)).collect();
        let step = matrices.combined(1.0, 0.0, 1e-9);
        let [plain, divided] = [None, Some(&order[..])].map(|order| SparseFactor::new(&step, order).unwrap());
        assert!(divided.entries() < plain.entries(), "{} {}", divided.entries(), plain.entries());
        let right: Vec<f64> = (0..3300).map(|k| (k as f64).sin()).collect();
        let [first, second] = [&plain, &divided].map(|factor| {
            let mut x = right.clone();
            factor.solve(&mut x);
            x
        });
        let largest = first.iter().fold(0f64, |max, x| max.max(x.abs()));
        assert!(first.iter().zip(&second).all(|(a, b)| (a - b).abs() < 1e-11 * largest));
    }
}
