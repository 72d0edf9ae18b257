//! Creation and numbering of the bodies of a scene: listed bodies, restored bodies and those of generators.
//!
//! Explicit ids are assigned first, then the lowest free ids in the order of the file. Every process creates all
//! obstacles, listed bodies and blocks, and its own share of generated balls.

use super::group_meshes::{self, GroupMeshes, UnmeshedBalls};
use super::halt::{Halt, together};
use super::substitution;
use super::{Checked, Generated, KeyPath, MeshEntry, Scene, SceneBody, SceneProblem};
use crate::comm::Comm;
use crate::contactor::Shape;
use crate::contactor::ShapeSubstitution;
use crate::dim::{Dim, Vector};
use crate::generate::share::Share;
use crate::generate::{Claimed, Numbered, Numbering};
use crate::model::Motion;

/// All bodies before they become states; of generated balls, the share of this process.
pub(crate) struct SceneBodies<X: Dim> {
    pub(crate) single: Vec<Single<X>>,
    pub(crate) groups: Vec<Group<X>>,
    pub(crate) share: Share,
}

/// A body with its id and its path in the scene.
pub(crate) struct Single<X: Dim> {
    pub(crate) id: u64,
    pub(crate) at: KeyPath,
    pub(crate) body: SceneBody<X>,
}

/// Free balls, or the shapes substituted for them, of one generator, with one material and one initial velocity.
pub(crate) struct Group<X: Dim> {
    pub(crate) at: KeyPath,
    pub(crate) material: u32,
    pub(crate) velocity: X::Vector,
    pub(crate) balls: Vec<Numbered<X>>,
    /// Number of the first of them within the whole group; `total` is the number of all.
    pub(crate) first: u64,
    pub(crate) total: u64,
    pub(crate) substitution: ShapeSubstitution<X>,
    /// How the bodies are meshed, if they are deformable.
    pub(crate) mesh: Option<MeshEntry>,
    /// The meshes of the bodies, once they are made.
    pub(crate) meshes: Option<GroupMeshes<X>>,
}

impl<X: Dim> Group<X> {
    /// Its bodies before they are meshed.
    pub(crate) fn unmeshed(&self) -> UnmeshedBalls<'_, X> {
        let Self { balls, first, substitution, material, velocity, .. } = self;
        UnmeshedBalls { balls, first: *first, substitution, material: *material, velocity: *velocity }
    }
}

/// The bodies known before any generator runs.
struct Listed<X: Dim> {
    /// Bodies restored from other runs.
    scene_bodies: SceneBodies<X>,
    /// Bodies listed one by one, with their positions in the list.
    bodies: Vec<(usize, SceneBody<X>)>,
    /// The ids given explicitly to any of these bodies.
    claimed: Claimed,
}

impl<X: Dim> SceneBodies<X> {
    /// Collective. Creates and numbers all bodies: explicit ids first, then the lowest free ids in the order of the
    /// file.
    pub(crate) fn gather(scene: &Scene, comm: &dyn Comm) -> Result<Self, Halt> {
        let generator_at = |i: usize| KeyPath::from("generators").then(i);
        let Listed { mut scene_bodies, bodies, mut claimed } = together(comm, Self::listed(scene, Share::on(comm)))?;
        for (i, entry) in scene.generators.iter().enumerate() {
            if let Some(first) = entry.first_id {
                let mut numbering = Numbering::consecutive(first);
                together(comm, scene_bodies.generate(scene, i, &generator_at(i), &mut numbering, comm))?;
                let at = generator_at(i).then("first_id");
                let made = numbering.peek() - first;
                claimed.claim(first, made).map_err(|id| {
                    let problem = SceneProblem::value(&at, format!("two bodies have the id {id}"));
                    let problem =
                        problem.label(format!("its {made} bodies take the ids from {first} to {}", first + made - 1));
                    problem.help("choose a `first_id` that does not collide with the ids of other bodies")
                })?;
            }
        }
        let mut numbering = Numbering::around(claimed);
        for (i, body) in bodies {
            let id = scene.bodies[i].id.unwrap_or_else(|| numbering.take());
            scene_bodies.single.push(Single { id, at: KeyPath::from("bodies").then(i), body });
        }
        for (i, entry) in scene.generators.iter().enumerate() {
            if entry.first_id.is_none() {
                together(comm, scene_bodies.generate(scene, i, &generator_at(i), &mut numbering, comm))?;
            }
        }
        for group in &mut scene_bodies.groups {
            if let Some(entry) = &group.mesh {
                group.meshes = Some(GroupMeshes::make(entry, &group.at, group.unmeshed(), scene, comm)?);
            }
        }
        Ok(scene_bodies)
    }

    /// The bodies that the scene lists one by one.
    fn listed(scene: &Scene, share: Share) -> Checked<Listed<X>> {
        let body_at = |i: usize| KeyPath::from("bodies").then(i);
        let listed = || scene.bodies.iter().enumerate();
        let single = listed().filter(|(_, entry)| entry.from.is_none());
        let bodies: Vec<(usize, SceneBody<X>)> =
            single.map(|(i, entry)| Ok((i, entry.body::<X>(&body_at(i), scene)?))).collect::<Checked<_>>()?;
        let mut scene_bodies = Self { single: Vec::new(), groups: Vec::new(), share };
        let mut claimed = Claimed::default();
        let given = scene.bodies.iter().enumerate().filter_map(|(i, entry)| Some((entry.id?, i)));
        let mut given: Vec<(u64, usize)> = given.collect();
        given.sort_unstable();
        for (k, &(id, i)) in given.iter().enumerate() {
            let id_at = |i: usize| body_at(i).then("id");
            claimed.claim(id, 1).map_err(|id| duplicate_id(&id_at(i), id, &id_at(given[k - 1].1)))?;
        }
        for (i, entry) in listed() {
            scene_bodies.restore(entry.restored::<X>(&body_at(i), scene)?, &body_at(i), &mut claimed)?;
        }
        Ok(Listed { scene_bodies, bodies, claimed })
    }

    /// Adds the bodies of another run, which keep their ids. `bodies` is sorted by id.
    fn restore(&mut self, bodies: Vec<(u64, SceneBody<X>)>, at: &KeyPath, claimed: &mut Claimed) -> Checked {
        for run in bodies.chunk_by(|(a, _), (b, _)| a.checked_add(1) == Some(*b)) {
            claimed.claim(run[0].0, run.len() as u64).map_err(|id| {
                let problem = SceneProblem::value(&at.then("from"), format!("two bodies have the id {id}"));
                let problem = problem.label("its bodies keep their ids");
                problem.help("give the other one another `id` or `first_id`, or none to number it automatically")
            })?;
        }
        self.single.extend(bodies.into_iter().map(|(id, body)| Single { id, at: at.clone(), body }));
        Ok(())
    }

    /// Collective. Creates the bodies of one generator.
    fn generate(
        &mut self,
        scene: &Scene,
        index: usize,
        at: &KeyPath,
        numbering: &mut Numbering,
        comm: &dyn Comm,
    ) -> Checked {
        let entry = &scene.generators[index];
        let material = scene.material(&entry.material, &at.then("material"))?;
        match entry.generate::<X>(at, scene, numbering, comm)? {
            Generated::Balls { balls, first, total, velocity } => {
                let substitution = substitution::substitution(entry, at, scene, total)?;
                let (at, mesh, meshes) = (at.clone(), entry.mesh.clone(), None);
                let group = Group { at, material, velocity, balls, first, total, substitution, mesh, meshes };
                self.groups.push(group);
            }
            Generated::Walls(walls) => {
                substitution::refuse(entry, at)?;
                group_meshes::refuse(entry, at)?;
                self.single.extend(walls.into_iter().map(|(id, wall)| {
                    let body = SceneBody {
                        shape: Shape::HalfSpace,
                        material,
                        motion: Some(Motion::fixed(X::D + X::R)),
                        size: 1.0,
                        mass: 0.0,
                        position: wall.position,
                        orientation: X::pointing(wall.normal),
                        velocity: X::Vector::zero(),
                        spin: X::Spin::zero(),
                        nodes: Vec::new(),
                    };
                    Single { id, at: at.clone(), body }
                }));
            }
            Generated::Bodies(bodies) => {
                substitution::refuse(entry, at)?;
                self.single.extend(bodies.into_iter().map(|(id, body)| Single { id, at: at.clone(), body }));
            }
        }
        Ok(())
    }
}

fn duplicate_id(at: &KeyPath, id: u64, first: &KeyPath) -> SceneProblem {
    let problem = SceneProblem::value(at, format!("two bodies have the id {id}")).label("the second");
    problem.also(first, "the first").help("give each its own, or leave `id` out to number them automatically")
}
