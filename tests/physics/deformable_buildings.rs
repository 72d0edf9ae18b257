//! Arches, walls and columns of deformable blocks, from generators.

use std::path::Path;

use crate::support::simulate;
use nscdd::contactor::Shape;
use nscdd::dim::{Dim, Orientation, Plane, Space, Vector};
use nscdd::fem::mesh::ElementKind;
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

/// The building, with blocks that are rigid or meshed.
fn built<X: Dim>(building: &str, mesh: &str) -> Simulation<X> {
    let text = format!(
        "world = {{ dimension = {} }}\ntime = {{ step = 1e-3, end = 1 }}\n\
         materials.stone = {{ density = 2600, elastic = {{ young = 1e9, poisson = 0.2 }} }}\n\
         [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = {{ friction = 0.8 }}\n\
         [[generators]]\nmaterial = \"stone\"\n{mesh}\n{building}\n",
        X::D
    );
    simulate(&Scene::parse(&text, "test", Path::new(""), &[]).unwrap())
}

/// Meshed blocks have the masses, places and corners of rigid ones; returns the kinds of their elements.
fn agree<X: Dim>(building: &str, size: f64) -> Vec<ElementKind> {
    let (rigid, meshed) = (built::<X>(building, ""), built::<X>(building, &format!("mesh.size = {size}")));
    assert_eq!(rigid.bodies.len(), meshed.bodies.len());
    let mut kinds = Vec::new();
    for state in rigid.bodies.states() {
        let other = meshed.bodies.find(state.id.0).unwrap();
        assert!((state.mass - other.mass).abs() < 1e-9 * state.mass, "{state:?}, {other:?}");
        assert!((state.position - other.position).norm() < 1e-9, "{state:?}, {other:?}");
        let Some(mesh) = meshed.model.shape(other).as_meshed() else {
            assert!(rigid.model.is_prescribed(state), "{state:?}");
            continue;
        };
        let nodes: Vec<X::Vector> =
            mesh.mesh.nodes.iter().map(|node| other.position + other.orientation.rotate(*node)).collect();
        let Shape::Polytope(block) = rigid.model.shape(state) else { panic!("{state:?}") };
        for corner in &block.polytope.vertices {
            let place = state.position + state.orientation.rotate(*corner * state.size);
            assert!(nodes.iter().any(|node| (*node - place).norm() < 1e-9), "{place:?} in {state:?}");
        }
        kinds.push(mesh.mesh.elements[0].kind);
    }
    kinds.dedup();
    kinds
}

#[test]
fn meshed_voussoirs_bricks_and_drums_stand_where_rigid_ones_do() {
    let arch = "arch = { inner_radius = 0.9, thickness = 0.2, voussoirs = 7, centre = [0, 0] }";
    assert_eq!(agree::<Plane>(arch, 0.1), [ElementKind::T3]);
    let wall = "masonry = { brick = [0.12, 0.06], courses = 3, bricks = 3, origin = [1, 2], joint = 0.001, \
        openings = [{ min = [0.1, 0.05], max = [0.25, 0.13] }] }";
    assert_eq!(agree::<Plane>(wall, 0.03), [ElementKind::Q4]);
    let column =
        "column = { drums = 3, radius = 0.1, height = 0.2, origin = [0, 0, 1], capital.size = [0.3, 0.3, 0.1] }";
    assert_eq!(agree::<Space>(column, 0.1), [ElementKind::Tet4, ElementKind::Hex8]);
    let arch = "arch = { inner_radius = 0.9, thickness = 0.2, voussoirs = 7, centre = [0, 0, 0], depth = 0.3 }";
    assert_eq!(agree::<Space>(arch, 0.2), [ElementKind::Tet4]);
}
