//! What a reader found in a file: nodes and cells of all dimensions, with the numbers of their groups.
//!
//! [`Draft::finish`] makes a mesh of it: cells of the dimension of the scene become elements, those of lower
//! dimension members of groups.

use std::collections::{BTreeMap, HashMap};

use crate::dim::{Dim, Vector};
use crate::fem::mesh::fault::{MeshDefect, ReadTrouble};
use crate::fem::mesh::{Element, ElementKind, MeshGroup, VolumeMesh};

/// Deviation from a plane of constant z, relative to the size of the mesh, up to which a mesh lies in it.
const FLAT: f64 = 1e-9;

/// Shapes of cells in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum CellShape {
    Point,
    Line,
    QuadraticLine,
    Whole(ElementKind),
}

impl CellShape {
    pub(super) fn dimension(self) -> usize {
        match self {
            Self::Point => 0,
            Self::Line | Self::QuadraticLine => 1,
            Self::Whole(kind) => kind.dimension(),
        }
    }

    pub(super) fn node_count(self) -> usize {
        match self {
            Self::Point => 1,
            Self::Line => 2,
            Self::QuadraticLine => 3,
            Self::Whole(kind) => kind.node_count(),
        }
    }
}

/// A cell; its nodes are `Draft::cell_nodes` from `start` on.
struct DraftCell {
    shape: CellShape,
    start: usize,
    group: Option<i64>,
    /// Number in the file.
    number: usize,
    line: Option<usize>,
}

/// Nodes, cells and names of groups.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) nodes: Vec<[f64; 3]>,
    /// Names of groups by dimension and number.
    pub(super) names: BTreeMap<(usize, i64), String>,
    cells: Vec<DraftCell>,
    cell_nodes: Vec<u32>,
}

impl Draft {
    /// Adds a cell with all its groups.
    pub(super) fn add(
        &mut self,
        shape: CellShape,
        nodes: &[u32],
        groups: &[i64],
        number: usize,
        line: Option<usize>,
    ) -> Result<(), ReadTrouble> {
        let at = |what: String| ReadTrouble { line, element: Some(number), what, remedy: super::damaged::EXPORT_AGAIN };
        if nodes.len() != shape.node_count() {
            return Err(at(format!("has {} nodes, its type {}", nodes.len(), shape.node_count())));
        }
        if let Some(&node) = nodes.iter().find(|&&node| node as usize >= self.nodes.len()) {
            return Err(at(format!("refers to node {node} (counted from zero) of {}", self.nodes.len())));
        }
        let start = self.cell_nodes.len();
        self.cell_nodes.extend(nodes);
        let unique = groups.iter().enumerate().filter(|(k, group)| !groups[..*k].contains(group));
        let cell = |group: Option<i64>| DraftCell { shape, start, group, number, line };
        self.cells.extend(unique.map(|(_, &group)| cell(Some(group))));
        if groups.is_empty() {
            self.cells.push(cell(None));
        }
        Ok(())
    }

    fn nodes_of(&self, cell: &DraftCell) -> &[u32] {
        &self.cell_nodes[cell.start..cell.start + cell.shape.node_count()]
    }

    /// The mesh, checked.
    pub(super) fn finish<X: Dim>(self) -> Result<VolumeMesh<X>, ReadTrouble> {
        self.check_dimensions(X::D)?;
        let (mut mesh, first_cells) = self.elements_and_groups::<X>()?;
        mesh.drop_unused_nodes();
        mesh.orient();
        mesh.check().map_err(|defect| self.in_numbers_of_the_file(defect, &first_cells))?;
        mesh.orient_group_faces();
        Ok(mesh)
    }

    fn check_dimensions(&self, dimension: usize) -> Result<(), ReadTrouble> {
        if let Some(cell) = self.cells.iter().find(|cell| cell.shape.dimension() > dimension) {
            let what = format!("has {} dimensions, the scene has {dimension}", cell.shape.dimension());
            let remedy = "give a mesh of the dimension of the scene";
            return Err(ReadTrouble { line: cell.line, element: Some(cell.number), what, remedy });
        }
        if !self.cells.iter().any(|cell| cell.shape.dimension() == dimension) {
            let highest = self.cells.iter().map(|cell| cell.shape.dimension()).max().unwrap_or(0);
            let what = format!(
                "has no elements of {dimension} dimensions among its {} cells (of at most {highest})",
                self.cells.len()
            );
            return Err(ReadTrouble::new(what, "mesh the whole body, not only its boundary, and save those elements"));
        }
        Ok(())
    }

    /// The positions, of which components beyond the dimension of the scene must be constant over the elements.
    fn positions<X: Dim>(&self, is_used: &[bool]) -> Result<Vec<X::Vector>, ReadTrouble> {
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for (number, (node, _)) in self.nodes.iter().zip(is_used).enumerate().filter(|(_, (_, used))| **used) {
            if !node.iter().all(|x| x.is_finite()) {
                let what = format!("node {number} (counted from zero) lies at {node:?}");
                return Err(ReadTrouble::new(what, "give finite coordinates"));
            }
            for k in 0..3 {
                (min[k], max[k]) = (min[k].min(node[k]), max[k].max(node[k]));
            }
        }
        let size = (0..3).map(|k| max[k] - min[k]).fold(0.0, f64::max);
        if let Some(k) = (X::D..3).find(|&k| max[k] - min[k] > FLAT * size) {
            let what = format!("z varies from {:e} to {:e} m", min[k], max[k]);
            return Err(ReadTrouble::new(what, "a mesh of a plane scene lies in a plane of constant z"));
        }
        Ok(self.nodes.iter().map(|node| X::Vector::read(node)).collect())
    }

    /// Elements and groups; beside them, the cell that each element was first.
    fn elements_and_groups<X: Dim>(&self) -> Result<(VolumeMesh<X>, Vec<usize>), ReadTrouble> {
        let mut elements: Vec<Element> = Vec::new();
        let mut first_cells = Vec::new();
        let mut groups: BTreeMap<(usize, i64), MeshGroup> = BTreeMap::new();
        let mut is_used = vec![false; self.nodes.len()];
        // A cell of several groups occurs several times: each occurrence has another group.
        let mut known: HashMap<&[u32], (usize, Vec<Option<i64>>)> = HashMap::new();
        let mut element_groups: Vec<(usize, i64)> = Vec::new();
        for (number, cell) in self.cells.iter().enumerate() {
            let nodes = self.nodes_of(cell);
            let dimension = cell.shape.dimension();
            if let (CellShape::Whole(kind), true) = (cell.shape, dimension == X::D) {
                nodes.iter().for_each(|&node| is_used[node as usize] = true);
                let (first, seen) = known.entry(nodes).or_insert((elements.len(), Vec::new()));
                let is_repeated = *first < elements.len() && seen.contains(&cell.group);
                if *first == elements.len() || is_repeated {
                    elements.push(Element::new(kind, nodes, Element::NO_GROUP));
                    element_groups.extend(cell.group.map(|group| (elements.len() - 1, group)));
                    first_cells.push(number);
                }
                seen.push(cell.group);
            }
            if let Some(tag) = cell.group {
                let group = groups.entry((dimension, tag)).or_insert_with(|| self.empty_group::<X>(dimension, tag));
                group.nodes.extend(nodes);
                if dimension + 1 == X::D {
                    group.faces.push(nodes.to_vec());
                }
            }
        }
        let places: HashMap<(usize, i64), u32> = groups.keys().enumerate().map(|(k, &key)| (key, k as u32)).collect();
        for (element, group) in element_groups {
            if let Some(&place) = places.get(&(X::D, group)) {
                elements[element].group = place;
            }
        }
        let mut mesh = VolumeMesh { nodes: self.positions::<X>(&is_used)?, elements, groups: Vec::new() };
        for (_, mut group) in groups {
            group.nodes.sort_unstable();
            group.nodes.dedup();
            mesh.groups.push(group);
        }
        Ok((mesh, first_cells))
    }

    fn empty_group<X: Dim>(&self, dimension: usize, tag: i64) -> MeshGroup {
        let name = self.names.get(&(dimension, tag)).cloned().unwrap_or_else(|| format!("group-{tag}"));
        let members = if dimension + 1 >= X::D { dimension } else { 0 };
        MeshGroup { name, dimension: members, nodes: Vec::new(), faces: Vec::new() }
    }

    fn in_numbers_of_the_file(&self, defect: MeshDefect, first_cells: &[usize]) -> ReadTrouble {
        let cell = |element: usize| first_cells.get(element).map(|&k| &self.cells[k]);
        let mut what = defect.what;
        if let Some(other) = defect.other.and_then(cell) {
            what = format!("{what} (element {})", other.number);
        }
        let own = defect.element.and_then(cell);
        ReadTrouble { line: own.and_then(|c| c.line), element: own.map(|c| c.number), what, remedy: defect.remedy }
    }
}
