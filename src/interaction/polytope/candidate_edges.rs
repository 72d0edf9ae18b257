//! The edges that can define an axis perpendicular to an edge of each body.

use super::view::SolidView;
use crate::dim::{Dim, Vector};

/// A set of edges, on the stack unless there are many.
pub(in crate::interaction) struct EdgeSet {
    few: [[u32; 2]; 64],
    count: usize,
    many: Vec<[u32; 2]>,
}

impl Default for EdgeSet {
    fn default() -> Self {
        Self { few: [[0; 2]; 64], count: 0, many: Vec::new() }
    }
}

impl EdgeSet {
    pub(in crate::interaction) fn all(&self) -> &[[u32; 2]] {
        if self.many.is_empty() { &self.few[..self.count] } else { &self.many }
    }

    fn insert(&mut self, edge: [u32; 2]) {
        if self.all().contains(&edge) {
            return;
        }
        if self.many.is_empty() && self.count < self.few.len() {
            self.few[self.count] = edge;
            self.count += 1;
        } else {
            if self.many.is_empty() {
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(edge);
        }
    }
}

/// Collects the edges that can define an axis wider than `floor`: those of the faces that `cut` does not rule out, or
/// all edges of a body without faces.
pub(in crate::interaction) fn candidate_edges<X: Dim>(
    own: &SolidView<X>,
    cut: X::Vector,
    floor: f64,
    found: &mut EdgeSet,
) {
    if own.polytope.edges.is_empty() {
        return;
    }
    if own.polytope.faces.is_empty() {
        own.polytope.edges.iter().for_each(|&edge| found.insert(edge));
    }
    let cut = own.to_body(cut - own.centre);
    for (k, face) in own.polytope.faces.iter().enumerate() {
        if face.normal.dot(&cut) - own.offset(k) < floor.min(0.0) {
            continue;
        }
        let count = face.corners.len();
        for i in 0..count {
            let (p, q) = (face.corners[i], face.corners[if i + 1 == count { 0 } else { i + 1 }]);
            found.insert([p.min(q), p.max(q)]);
        }
    }
}
