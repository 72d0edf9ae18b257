//! `[[bodies]] from = "final.h5"`: bodies taken from the output of another run.

use std::path::Path;

use super::{BodyEntry, Checked, KeyPath, Scene, SceneBody, SceneProblem, Which};
use crate::body::{Node, State};
use crate::comm::SerialComm;
use crate::contactor::Shape;
use crate::dim::{Dim, Vector};
use crate::model::Motion;
use crate::output::checkpoint::{Restored, facts, read};
use crate::output::columns::VerifiedFile;

impl BodyEntry {
    /// The bodies of the file with their ids; empty if this entry names no file.
    pub(crate) fn restored<X: Dim>(&self, at: &KeyPath, scene: &Scene) -> Checked<Vec<(u64, SceneBody<X>)>> {
        let Some(file) = &self.from else { return Ok(Vec::new()) };
        self.check_alone(at)?;
        let from_at = at.then("from");
        let refuse = |reason: String| {
            let problem = SceneProblem::value(&from_at, format!("cannot start from {}: {reason}", file.display()));
            problem.label("no valid checkpoint").help("give final.h5 of a run, or one of its checkpoints")
        };
        let Restored { shapes, materials, motions, bodies, .. } = open::<X>(&scene.resolve(file)).map_err(refuse)?;
        let find = |name: &String| match &self.material {
            Some(other) => scene.material(other, &at.then("material")),
            None => scene.material(name, &from_at),
        };
        // Only materials that are used need to exist in this scene.
        let mut known: Vec<Option<u32>> = vec![None; materials.len()];
        let mut restored = Vec::new();
        let mut order: Vec<usize> = (0..bodies.len()).collect();
        order.sort_unstable_by_key(|&i| bodies.states()[i].id);
        for i in order {
            let state = &bodies.states()[i];
            let motion = motions.get(state.motion as usize);
            let is_obstacle = motion.is_some_and(|motion| motion.is_prescribed(X::D + X::R));
            if is_obstacle && self.which == Which::Free {
                continue;
            }
            let index = state.material as usize;
            let material = match known[index] {
                Some(material) => material,
                None => *known[index].insert(find(&materials[index].name)?),
            };
            let mut shape = shapes[state.shape as usize].clone();
            if let Shape::Meshed(mesh) = &mut shape {
                // The elements refer to the materials of the file.
                for own in &mut mesh.materials {
                    *own = materials.get(*own as usize).map_or(Ok(material), |named| find(&named.name))?;
                }
            }
            let nodes = self.nodes_of(bodies.nodes().of(i));
            restored.push((state.id.0, SceneBody { nodes, ..body(state, shape, material, motion, self.at_rest) }));
        }
        if restored.is_empty() {
            return Err(refuse("it has no free bodies; use `which = \"all\"`".into()));
        }
        Ok(restored)
    }

    /// Nodes of a body as it starts: with `at_rest` it keeps its deformation only.
    fn nodes_of<X: Dim>(&self, nodes: &[Node<X>]) -> Vec<Node<X>> {
        let velocity = |node: &Node<X>| if self.at_rest { X::Vector::zero() } else { node.velocity };
        nodes.iter().map(|node| Node { velocity: velocity(node), ..*node }).collect()
    }

    /// Rejects keys that describe a single body.
    fn check_alone(&self, at: &KeyPath) -> Checked {
        let single = [
            ("id", self.id.is_some()),
            ("position", self.position.is_some()),
            ("orientation", self.orientation.is_some()),
            ("velocity", self.velocity.is_some()),
            ("spin", self.spin.is_some()),
            ("mass", self.mass.is_some()),
            ("fixed", self.fixed),
            ("driven", self.driven.is_some()),
            ("mesh", self.mesh.is_some()),
            ("nodes", !self.nodes.is_empty()),
        ];
        let given = single.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
        match self.shapes().into_iter().chain(given).next() {
            None => Ok(()),
            Some(name) => {
                let problem = SceneProblem::key(&at.then(name), format!("`{name}` cannot be used with `from`"));
                let problem = problem.label("for a single body").also(&at.then("from"), "many bodies");
                Err(problem
                    .help("bodies from a file keep their properties; only material, which and at_rest can be given"))
            }
        }
    }
}

fn open<X: Dim>(path: &Path) -> Result<Restored<X>, String> {
    let file = VerifiedFile::open(&SerialComm, path).map_err(|error| error.reason)?;
    let facts = facts(&file).map_err(|error| error.reason)?;
    if facts.dimension != X::D as u64 {
        return Err(format!("its bodies have {} dimensions, this scene has {}", facts.dimension, X::D));
    }
    read(&SerialComm, &file).map_err(|error| error.to_string())
}

fn body<X: Dim>(
    state: &State<X>,
    shape: Shape<X>,
    material: u32,
    motion: Option<&Motion>,
    at_rest: bool,
) -> SceneBody<X> {
    let (velocity, spin) = if at_rest { (X::Vector::zero(), X::Spin::zero()) } else { (state.velocity, state.spin) };
    SceneBody {
        shape,
        material,
        motion: motion.cloned(),
        size: state.size,
        mass: state.mass,
        position: state.position,
        orientation: state.orientation,
        velocity,
        spin,
        nodes: Vec::new(),
    }
}
