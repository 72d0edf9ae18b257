//! Conversion of the blocks of a building to bodies: shape or mesh, mass and placement.

use std::collections::BTreeMap;

use super::group_meshes::few_meshes;
use super::meshing::Meshed;
use super::{Checked, GeneratorEntry, KeyPath, MeshEntry, Scene, SceneBody, SceneProblem};
use crate::contactor::{MassProperties, Polytope, Shape};
use crate::dim::{Dim, Orientation, Vector};
use crate::generate::{Numbering, Stone};
use crate::model::Motion;

/// A shape with the properties that a body needs: its mass, and its centre and axes in the frame of its corners.
#[derive(Clone)]
struct BlockShape<X: Dim> {
    shape: Shape<X>,
    mass: f64,
    centre: X::Vector,
    orientation: X::Orientation,
}

impl GeneratorEntry {
    /// The bodies with their ids; `at` is the key of the building, whose parent is the generator.
    pub(crate) fn lay<X: Dim>(
        &self,
        stones: impl Iterator<Item = Stone<X>>,
        at: &KeyPath,
        scene: &Scene,
        numbering: &mut Numbering,
    ) -> Checked<Vec<(u64, SceneBody<X>)>> {
        let material = scene.material(&self.material, &at.parent().then("material"))?;
        let density = scene.materials.get(&self.material).map_or(0.0, |m| m.density);
        // Blocks of one kind have the same corners to the last bit: they share one hull and one mesh.
        let mut blocks: BTreeMap<(bool, Vec<u64>), BlockShape<X>> = BTreeMap::new();
        let mut bodies = Vec::new();
        for stone in stones {
            let corners = stone.corners.iter().flat_map(|c| c.as_slice()).map(|x| x.to_bits()).collect();
            let mesh = self.mesh.as_ref().filter(|_| !stone.fixed);
            let key = (mesh.is_some(), corners);
            let known = blocks.get(&key).cloned();
            let BlockShape { shape, mass, centre, orientation } = match known {
                Some(block) => block,
                None => {
                    let block = match mesh {
                        Some(mesh) => BlockShape::meshed(&stone.corners, mesh, (at, material), scene)?,
                        None => BlockShape::new(&stone.corners, density, at)?,
                    };
                    blocks.insert(key, block.clone());
                    few_meshes(blocks.keys().filter(|(is_meshed, _)| *is_meshed).count(), &at.parent().then("mesh"))?;
                    block
                }
            };
            let rotation = stone.orientation();
            let position = stone.position + rotation.rotate(centre);
            if !position.is_finite() {
                let problem = SceneProblem::value(at, "the position of a block is not finite").label("extreme size");
                return Err(problem.help("lengths are in m"));
            }
            let body = SceneBody {
                shape,
                material,
                motion: stone.fixed.then(|| Motion::fixed(X::D + X::R)),
                size: 1.0,
                mass,
                position,
                orientation: rotation.times(&orientation),
                velocity: X::Vector::zero(),
                spin: X::Spin::zero(),
                nodes: Vec::new(),
            };
            bodies.push((numbering.take(), body));
        }
        if bodies.is_empty() {
            let problem = SceneProblem::value(at, "its openings leave nothing of the wall").label("no block left");
            return Err(problem.help("make the openings smaller"));
        }
        Ok(bodies)
    }
}

impl<X: Dim> BlockShape<X> {
    fn new(corners: &[X::Vector], density: f64, at: &KeyPath) -> Checked<Self> {
        let (polytope, properties) = Polytope::convex(corners).map_err(|fault| {
            let problem = SceneProblem::value(at, format!("a block is not a solid body: {fault}"));
            problem.label("extreme size").help("lengths are in m; none may be a billion times another")
        })?;
        let MassProperties { centre, orientation, .. } = properties;
        let shape = Shape::block(X::POLYTOPE_NAME, polytope, properties);
        let mass = shape.mass(1.0, density);
        if !mass.is_normal() {
            let problem = SceneProblem::value(at, format!("a block has the mass {mass} kg"));
            let problem = problem.label("extreme size or density");
            return Err(problem.help("sizes are in m, densities in kg/m3"));
        }
        Ok(Self { shape, mass, centre, orientation })
    }

    /// The mesh of a block: of quadrilaterals or hexahedra in boxes.
    fn meshed(
        corners: &[X::Vector],
        mesh: &MeshEntry,
        (at, material): (&KeyPath, u32),
        scene: &Scene,
    ) -> Checked<Self> {
        let mesh_at = at.parent().then("mesh");
        let solid = Self::new(corners, 1.0, at)?;
        let solid = boxed(corners).unwrap_or(solid);
        let Meshed { shape, centre, axes } = mesh.of_shape((&solid.shape, 1.0), None, &mesh_at, material, scene)?;
        let mass = shape.mass(1.0, 0.0);
        let centre = solid.centre + solid.orientation.rotate(centre);
        Ok(Self { shape, mass, centre, orientation: solid.orientation.times(&axes) })
    }
}

/// The box with these corners, if all lie at the corners of their bounding box.
fn boxed<X: Dim>(corners: &[X::Vector]) -> Option<BlockShape<X>> {
    let first = *corners.first()?;
    let (least, most) = corners.iter().fold((first, first), |(least, most), p| (least.lower(p), most.upper(p)));
    let is_corner = |p: &X::Vector| (0..X::D).all(|k| p[k] == least[k] || p[k] == most[k]);
    if corners.len() != 1 << X::D || !corners.iter().all(is_corner) {
        return None;
    }
    let shape = Shape::cuboid((most - least) * 0.5).ok()?;
    let mass = shape.mass(1.0, 1.0);
    Some(BlockShape { shape, mass, centre: (least + most) * 0.5, orientation: X::Orientation::identity() })
}
