//! Which nodes are coupled: nodes of a common element. All matrices of a mesh have this pattern.

use sprs::CsMat;

use crate::dim::Dim;
use crate::fem::mesh::VolumeMesh;

/// Neighbours of each node, itself among them, increasing.
#[derive(Clone, Debug)]
pub(super) struct NodePattern {
    /// First neighbour of each node, and their number at the end.
    starts: Vec<usize>,
    neighbours: Vec<usize>,
}

impl NodePattern {
    /// Of a mesh with valid elements, in which each node belongs to one.
    pub(super) fn of<X: Dim>(mesh: &VolumeMesh<X>) -> Self {
        let mut around = vec![Vec::new(); mesh.nodes.len()];
        for (index, element) in mesh.elements.iter().enumerate() {
            element.nodes().iter().for_each(|&node| around[node as usize].push(index));
        }
        let (mut starts, mut neighbours) = (vec![0], Vec::new());
        for elements in &around {
            let nodes = elements.iter().flat_map(|&index| mesh.elements[index].nodes());
            let mut own: Vec<usize> = nodes.map(|&node| node as usize).collect();
            own.sort_unstable();
            own.dedup();
            neighbours.append(&mut own);
            starts.push(neighbours.len());
        }
        Self { starts, neighbours }
    }

    /// Number of entries of a matrix.
    pub(super) fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Place of an entry; both nodes belong to a common element.
    pub(super) fn place(&self, row: u32, column: u32) -> usize {
        let (start, end) = (self.starts[row as usize], self.starts[row as usize + 1]);
        start + self.neighbours[start..end].partition_point(|&node| node < column as usize)
    }

    /// The matrix with these entries.
    pub(super) fn matrix<T>(&self, entries: Vec<T>) -> CsMat<T> {
        let count = self.starts.len() - 1;
        CsMat::new((count, count), self.starts.clone(), self.neighbours.clone(), entries)
    }
}
