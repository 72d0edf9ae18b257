//! Meshes of the deformable bodies of a generator: one for each radius and each shape that replaces balls.

use std::collections::BTreeMap;

use super::halt::{Halt, together};
use super::meshing::Meshed;
use super::{Checked, GeneratorEntry, KeyPath, MeshEntry, Scene, SceneProblem};
use crate::body::State;
use crate::comm::{Comm, all_gather_items};
use crate::contactor::{Shape, ShapeSubstitution};
use crate::dim::{Dim, Orientation};
use crate::generate::Numbered;

/// Largest number of meshes of a generator: each has a factor of its own.
const MOST_MESHES: usize = 200;

/// The bodies of a generator on this process, before they are meshed.
#[derive(Clone, Copy)]
pub(crate) struct UnmeshedBalls<'a, X: Dim> {
    pub(crate) balls: &'a [Numbered<X>],
    /// Number of the first of them within the generator.
    pub(crate) first: u64,
    pub(crate) substitution: &'a ShapeSubstitution<X>,
    pub(crate) material: u32,
    pub(crate) velocity: X::Vector,
}

impl<X: Dim> UnmeshedBalls<'_, X> {
    /// The number of the shape of each body, and the bits of its radius.
    fn kinds(&self) -> impl Iterator<Item = (u64, u64)> {
        let kind = |(number, ball): (u64, &Numbered<X>)| {
            (self.substitution.choice(number, ball.id) as u64, ball.ball.radius.to_bits())
        };
        (self.first..).zip(self.balls).map(kind)
    }
}

/// The meshes of a generator by the number of the shape and the bits of the radius.
pub(crate) struct GroupMeshes<X: Dim>(BTreeMap<(u64, u64), Meshed<X>>);

impl<X: Dim> GroupMeshes<X> {
    /// Collective. The meshes of all bodies of the generator at `at`.
    pub(crate) fn make(
        entry: &MeshEntry,
        at: &KeyPath,
        group: UnmeshedBalls<'_, X>,
        scene: &Scene,
        comm: &dyn Comm,
    ) -> Result<Self, Halt> {
        let at = &at.then("mesh");
        let mut kinds: Vec<(u64, u64)> = group.kinds().collect();
        kinds.sort_unstable();
        kinds.dedup();
        let mut kinds = all_gather_items(comm, kinds);
        kinds.sort_unstable();
        kinds.dedup();
        let make = || -> Checked<Self> {
            few_meshes(kinds.len(), at)?;
            let mesh = |&(choice, radius): &(u64, u64)| {
                let shape = &group.substitution.shapes()[choice as usize];
                let size = f64::from_bits(radius) / shape.reach();
                Ok(((choice, radius), entry.of_shape((shape, size), None, at, group.material, scene)?))
            };
            Ok(Self(kinds.iter().map(mesh).collect::<Checked<_>>()?))
        };
        together(comm, make())
    }

    /// The shapes of all meshes.
    pub(crate) fn shapes(&self) -> impl Iterator<Item = &Shape<X>> {
        self.0.values().map(|mesh| &mesh.shape)
    }

    /// Adds the bodies of this process, each with the mesh of its kind.
    pub(crate) fn add_bodies(
        &self,
        group: UnmeshedBalls<'_, X>,
        states: &mut Vec<State<X>>,
        index: impl Fn(&Shape<X>) -> u32,
    ) {
        let indices: BTreeMap<(u64, u64), u32> = self.0.iter().map(|(key, mesh)| (*key, index(&mesh.shape))).collect();
        for (key, Numbered { id, ball }) in group.kinds().zip(group.balls) {
            let (mesh, shape) = (&self.0[&key], indices[&key]);
            let mut state = State::at_rest(*id, shape, group.material, 1.0, mesh.shape.mass(1.0, 0.0));
            let orientation = group.substitution.orientation(*id);
            state.position = ball.centre + orientation.rotate(mesh.centre);
            state.orientation = orientation.times(&mesh.axes);
            state.velocity = group.velocity;
            states.push(state);
        }
    }
}

/// Requires at most [`MOST_MESHES`] different bodies.
pub(crate) fn few_meshes(count: usize, at: &KeyPath) -> Checked {
    if count <= MOST_MESHES {
        return Ok(());
    }
    let message = format!("{count} different bodies need as many meshes and factors");
    let help = format!("at most {MOST_MESHES} in all: give a few radii as a list, or blocks of a few sizes");
    Err(SceneProblem::value(at, message).label("too many").help(help))
}

/// Rejects a mesh in a generator of planes.
pub(crate) fn refuse(entry: &GeneratorEntry, at: &KeyPath) -> Checked {
    if entry.mesh.is_none() {
        return Ok(());
    }
    let problem = SceneProblem::key(&at.then("mesh"), "this generator makes planes, which have no mesh");
    Err(problem.label("superfluous").help("use `mesh` with lattice, deposit, csv, masonry, arch or column"))
}
