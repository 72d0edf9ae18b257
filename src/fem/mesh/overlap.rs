//! Checks that a mesh does not lie over itself: elements without a common node do not overlap.
//!
//! An element is taken as the convex hull of its corners. Two hulls overlap if no normal of a face and no cross product
//! of two edges separates them (in the plane there are no such products). Where two parts of a mesh overlap, an element at the surface of one of them does.

use crate::dim::{Dim, Vector};

use super::VolumeMesh;
use super::fault::MeshDefect;
use super::point_tree::PointTree;

/// Depth of an overlap relative to the smaller element below which it is rounding.
const ROUNDING: f64 = 1e-6;

/// The smallest box around an element.
struct ElementBox<X: Dim> {
    min: X::Vector,
    max: X::Vector,
}

impl<X: Dim> ElementBox<X> {
    /// Half of its longest edge, m.
    fn half(&self) -> f64 {
        (0..X::D).map(|k| 0.5 * (self.max[k] - self.min[k])).fold(0.0, f64::max)
    }

    fn meets(&self, other: &Self) -> bool {
        (0..X::D).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }
}

pub(super) fn check<X: Dim>(mesh: &VolumeMesh<X>) -> Result<(), MeshDefect> {
    let mut at_surface = vec![false; mesh.elements.len()];
    mesh.boundary_faces().iter().for_each(|face| at_surface[face.element as usize] = true);
    let boxes: Vec<ElementBox<X>> = (0..mesh.elements.len()).map(|number| bounds(mesh, number)).collect();
    let centres: Vec<X::Vector> = boxes.iter().map(|own| (own.min + own.max) * 0.5).collect();
    let tree = PointTree::new(&centres, 0..mesh.elements.len() as u32);
    for (number, own) in boxes.iter().enumerate() {
        // Elements that are smaller, or equal and of a lower number, have their centres in this box.
        let around = X::Vector::from_fn(|_| own.half());
        let mut over: Option<u32> = None;
        tree.in_box(own.min - around, own.max + around, |other| {
            let (k, theirs) = (other as usize, &boxes[other as usize]);
            let is_first = (theirs.half(), k) < (own.half(), number);
            if is_first && (at_surface[number] || at_surface[k]) && own.meets(theirs) && overlap(mesh, [number, k]) {
                over = Some(over.map_or(other, |least| least.min(other)));
            }
        });
        if let Some(other) = over {
            let remedy = "mesh the shape again; bodies that should slide over each other are separate bodies";
            return Err(MeshDefect::of_pair(
                number as u32,
                other,
                "the mesh lies over itself: elements overlap",
                remedy,
            ));
        }
    }
    Ok(())
}

fn bounds<X: Dim>(mesh: &VolumeMesh<X>, number: usize) -> ElementBox<X> {
    let corners = corners(mesh, number);
    let least = corners.iter().fold(corners[0], |min, p| min.lower(p));
    let most = corners.iter().fold(corners[0], |max, p| max.upper(p));
    ElementBox { min: least, max: most }
}

fn corners<X: Dim>(mesh: &VolumeMesh<X>, number: usize) -> Vec<X::Vector> {
    mesh.elements[number].corners().iter().map(|&node| mesh.nodes[node as usize]).collect()
}

/// Whether two elements overlap and have no common node.
fn overlap<X: Dim>(mesh: &VolumeMesh<X>, numbers: [usize; 2]) -> bool {
    let [first, second] = numbers.map(|number| &mesh.elements[number]);
    if first.nodes().iter().any(|node| second.nodes().contains(node)) {
        return false;
    }
    let hulls = numbers.map(|number| corners(mesh, number));
    let size = hulls.iter().map(|hull| (hull[1] - hull[0]).norm()).fold(f64::INFINITY, f64::min);
    let separates = |axis: X::Vector| {
        let length = axis.norm();
        let range = |hull: &[X::Vector]| {
            let along = hull.iter().map(|corner| corner.dot(&axis));
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], x| [least.min(x), most.max(x)])
        };
        let [a, b] = [range(&hulls[0]), range(&hulls[1])];
        length > 0.0 && a[1].min(b[1]) - a[0].max(b[0]) <= ROUNDING * size * length
    };
    let normals = numbers.iter().flat_map(|&number| face_normals(mesh, number));
    if normals.into_iter().any(separates) {
        return false;
    }
    let [own, other] = numbers.map(|number| edges(mesh, number));
    let mut crossed = own.iter().flat_map(|a| other.iter().map(|b| X::across(*a, *b)));
    !crossed.any(separates)
}

fn face_normals<X: Dim>(mesh: &VolumeMesh<X>, number: usize) -> Vec<X::Vector> {
    let element = &mesh.elements[number];
    let mut normals = Vec::new();
    for face in 0..element.kind.faces().len() {
        element.each_facet(face, |facet| {
            let corners: Vec<X::Vector> = facet.nodes().iter().map(|&node| mesh.nodes[node as usize]).collect();
            normals.push(X::area_vector(&corners));
        });
    }
    normals
}

fn edges<X: Dim>(mesh: &VolumeMesh<X>, number: usize) -> Vec<X::Vector> {
    let element = &mesh.elements[number];
    let at = |k: usize| mesh.nodes[element.nodes()[k] as usize];
    element.kind.edges().iter().map(|&[a, b]| at(b) - at(a)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use crate::fem::mesh::{Element, ElementKind};

    /// A strip that is wound by `turns` about an axis across it, on radii that hardly grow.
    fn wound<X: Dim>(kind: ElementKind, turns: f64) -> VolumeMesh<X> {
        let extent = X::Vector::from_fn(|k| [1.0, 0.1, 0.1][k]);
        let mut mesh = VolumeMesh::<X>::grid(extent, &[40, 1, 1], kind).unwrap();
        for node in &mut mesh.nodes {
            // Slightly spiral and aslant, so that nodes of one turn do not lie on faces of the other.
            let (angle, radius) = (std::f64::consts::TAU * turns * node[0], 1.0 - node[1] + 0.05 * node[0]);
            let (x, y) = (radius * angle.sin(), 1.0 - radius * angle.cos());
            *node = X::Vector::from_fn(|k| [x, y, node[k] + 0.03 * node[0]][k]);
        }
        mesh
    }

    fn is_found_when_it_lies_over_itself<X: Dim>(kind: ElementKind) {
        assert_eq!(wound::<X>(kind, 0.9).check(), Ok(()), "{kind:?}");
        let found = wound::<X>(kind, 1.2).check().unwrap_err().to_string();
        assert!(found.contains("the mesh lies over itself"), "{kind:?}: {found}");
    }

    #[test]
    fn a_strip_wound_over_its_own_start_lies_over_itself() {
        for kind in ElementKind::ALL {
            match kind.dimension() {
                2 => is_found_when_it_lies_over_itself::<Plane>(kind),
                _ => is_found_when_it_lies_over_itself::<Space>(kind),
            }
        }
    }

    #[test]
    fn bars_that_cross_without_a_node_in_each_other_lie_over_each_other() {
        // A strip of long elements along a path that returns and crosses its first element.
        let path = [[-2.0, 0.0], [2.0, 0.0], [3.0, 1.0], [2.0, 2.0], [1.0, 2.0], [0.0, 1.0], [0.0, -1.0]];
        let strip = |count: usize| {
            let path: Vec<_> = path[..count].iter().map(|&[x, y]| nalgebra::Vector2::new(x, y)).collect();
            let across = |k: usize| {
                let along = path[(k + 1).min(count - 1)] - path[k.saturating_sub(1)];
                nalgebra::Vector2::new(-along.y, along.x) * (0.1 / along.norm())
            };
            let nodes = (0..count).flat_map(|k| [path[k] - across(k), path[k] + across(k)]).collect();
            let quad = |k: u32| Element::new(ElementKind::Q4, &[2 * k, 2 * k + 2, 2 * k + 3, 2 * k + 1], 0);
            let elements = (0..count as u32 - 1).map(quad).collect();
            VolumeMesh::<Plane> { nodes, elements, ..VolumeMesh::default() }
        };
        assert_eq!(strip(6).check(), Ok(()));
        let found = strip(7).check().unwrap_err();
        assert_eq!((found.element, found.other), (Some(0), Some(5)), "{found}");
    }
}
