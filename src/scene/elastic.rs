//! The operators of the deformable bodies of a scene: one for each mesh with its materials, shared by all bodies that
//! are alike.

use std::sync::Arc;

use rayon::prelude::*;

use super::meshing::{elastic_materials, refused};
use super::{Checked, KeyPath, Scene, SceneProblem};
use crate::body::{Deformable, State};
use crate::contactor::{MeshedShape, Shape};
use crate::dim::Dim;
use crate::fem::elastic::{ElasticBody, ElasticMesh, ElasticStep, Formulations, PlaneState};
use crate::model::Model;

/// For each shape, the operator of its bodies if they are deformable, without matrices.
pub(crate) fn elastic_operators<X: Dim>(
    shapes: &[Shape<X>],
    scene: &Scene,
) -> Checked<Vec<Option<Arc<dyn Deformable<X>>>>> {
    let made: Vec<Checked<Option<Arc<dyn Deformable<X>>>>> =
        shapes.par_iter().map(|shape| shape.as_meshed().map(|mesh| operator(mesh, scene)).transpose()).collect();
    made.into_iter().collect()
}

fn operator<X: Dim>(shape: &MeshedShape<X>, scene: &Scene) -> Checked<Arc<dyn Deformable<X>>> {
    let at = KeyPath::from("materials");
    let materials = elastic_materials(&shape.materials, scene, &at)?;
    let plane = if shape.is_sheet { PlaneState::Stress } else { PlaneState::Strain };
    let (h, theta) = (scene.time.step, scene.time.theta);
    let mesh = ElasticMesh::new(Arc::new(shape.mesh.clone()), &materials, plane, Formulations::default());
    let step = ElasticStep { h, theta, centrifugal: true };
    let body = mesh.and_then(|mesh| ElasticBody::new(mesh, step, &shape.held));
    Ok(Arc::new(body.map_err(|fault| refused(&at, &fault))?))
}

/// Makes matrices and factors of the deformable bodies of this process. Those of bodies that come later from other
/// processes are made in the step; they have been made elsewhere, so that every mistake is found here by some process.
pub(crate) fn factor<X: Dim>(model: &Model<X>, states: &[State<X>]) -> Checked {
    let refuse = |fault: String| SceneProblem::value(&"materials".into(), fault).label("here");
    model.prepare(states).map_err(refuse)
}
