//! Deformable bodies in worlds built by hand, for tests.

use std::sync::Arc;

use crate::support::World;
use nscdd::body::{BodyId, Node, State};
use nscdd::comm::{Comm, Reader, Writer};
use nscdd::contactor::{MeshedShape, Shape};
use nscdd::dim::Dim;
use nscdd::fem::elastic::{
    ElasticBody, ElasticMaterial, ElasticMesh, ElasticStep, Formulations, PlaneState, in_body_axes,
};
use nscdd::fem::mesh::{ElementKind, MeshTarget, VolumeMesh};
use nscdd::simulation::Simulation;

/// Adds a shape with this mesh; returns its number.
pub(crate) fn mesh_shape<X: Dim>(
    world: &mut World<X>,
    mesh: &VolumeMesh<X>,
    material: ElasticMaterial,
    plane: PlaneState,
) -> u32 {
    let centred = in_body_axes(mesh, &[material]).unwrap();
    let (h, theta) = (world.plan.integrator.h, world.plan.integrator.theta);
    let mesh = ElasticMesh::new(Arc::new(centred.mesh.clone()), &[material], plane, Formulations::default()).unwrap();
    let body = ElasticBody::new(mesh, ElasticStep { h, theta, centrifugal: true }, &[]).unwrap();
    let surface = centred.mesh.surface();
    let mass = (centred.mass, centred.properties);
    let shape = MeshedShape::new("mesh", centred.mesh, surface, vec![0], mass, plane == PlaneState::Stress);
    world.shapes.push(Shape::Meshed(Box::new(shape)));
    world.deformables.resize_with(world.shapes.len() - 1, || None);
    world.deformables.push(Some(Arc::new(body)));
    world.shapes.len() as u32 - 1
}

/// Adds a deformable body of a shape, undeformed and at rest; returns its id.
pub(crate) fn add<X: Dim>(world: &mut World<X>, shape: u32, position: X::Vector) -> u64 {
    let id = world.states.len() as u64;
    let mass = world.shapes[shape as usize].mass(1.0, 0.0);
    world.states.push(State { position, ..State::at_rest(id, shape, 0, 1.0, mass) });
    let nodes = world.deformables[shape as usize].as_ref().unwrap().nodes();
    world.nodes.push((BodyId(id), vec![Node::zero(); nodes]));
    id
}

pub(crate) fn target(size: f64, kind: ElementKind) -> MeshTarget {
    MeshTarget { size, kind }
}

/// Nodes of a body of this process.
pub(crate) fn nodes<X: Dim>(simulation: &Simulation<X>, id: u64) -> &[Node<X>] {
    let index = simulation.bodies.states().iter().position(|state| state.id == BodyId(id)).unwrap();
    let all = simulation.bodies.nodes();
    if all.is_empty() { &[] } else { all.of(index) }
}

/// Collective. Bits of position, velocity and nodes of all bodies, by id.
pub(crate) fn bits_by_id<X: Dim>(simulation: &Simulation<X>, comm: &dyn Comm) -> Vec<Vec<u64>> {
    let mut message = Writer::default();
    for state in simulation.domain().counted(&simulation.bodies) {
        let nodes = nodes(simulation, state.id.0);
        message.u64(state.id.0);
        message.u32(nodes.len() as u32);
        message.write(&[state.position, state.velocity]);
        nodes.iter().for_each(|node| message.write(node));
    }
    let mut found = Vec::new();
    for bytes in comm.all_gather(message.0) {
        let mut message = Reader(&bytes);
        while !message.is_done() {
            let (id, nodes) = (message.u64(), message.u32() as usize);
            let numbers = (0..2 * X::D * (1 + nodes)).map(|_| message.read::<f64>().to_bits());
            found.push([id].into_iter().chain(numbers).collect());
        }
    }
    found.sort_unstable();
    found
}
