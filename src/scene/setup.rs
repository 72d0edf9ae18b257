//! Creation of the model and the bodies at time zero from a scene.
//!
//! The result does not depend on the order in which the scene lists its bodies, provided that it gives their ids: the
//! tables of shapes, materials and motions contain each entry once, in a canonical order.

use std::collections::BTreeMap;

use super::elastic::{elastic_operators, factor};
use crate::base::error::Error;
use crate::body::{Bodies, FREE, Node, NodesById, State};
use crate::comm::{Comm, SerialComm};
use crate::contactor::facing::FacingParts;
use crate::contactor::{Bounds, Shape, ShapeSubstitution};
use crate::dim::{Dim, Vector};
use crate::model::{Links, Material, Model, Motion};

use super::halt::{Halt, together};
use super::linking;
use super::population::population;
use super::scene_bodies::{Group, SceneBodies, Single};
use super::starting::{check_named, check_step};
use super::substitution::substitution;
use super::{BoxBounds, Checked, KeyPath, MaterialUse, Scene, SceneBody, SceneProblem, check_fit};
use super::{law_table, motion_order, shape_order};
use crate::generate::Numbered;
use crate::integrator::starting_velocities;
use crate::population::Population;

/// A scene in the form that a run needs.
pub struct Setup<X: Dim> {
    /// Shapes, materials, motions, laws, gravity.
    pub model: Model<X>,
    /// Bodies at time zero: all of them, or the share of this process.
    pub bodies: Bodies<X>,
    /// The box that no body may leave, if there is one.
    pub bounds: Option<Bounds<X>>,
    /// Feeds, sinks, removals and stop conditions.
    pub population: Population<X>,
}

impl<X: Dim> Setup<X> {
    /// Number of subdomains of the scene, if these are all its bodies.
    pub fn subdomains(&self, scene: &Scene) -> usize {
        let free = self.bodies.states().iter().filter(|state| !self.model.is_prescribed(state));
        let spheres = free.map(|state| self.model.shape(state).cost()).sum::<u64>();
        let all = spheres.saturating_add(self.population.spheres_of_feeds());
        scene.domain.subdomains.under(scene.solver.method).resolve(all as usize)
    }

    /// Makes the factors of the deformable bodies of this process. [`setup`] has made them; after
    /// [`restore`](super::restore::restore) only a run that continues needs them.
    pub fn factor(&self, scene: &Scene) -> Result<(), Error> {
        factor(&self.model, self.bodies.states()).map_err(|problem| scene.fail(problem))
    }
}

/// Acceleration of gravity at sea level, m/s2.
const GRAVITY: f64 = 9.81;

/// Creates the bodies of a scene and checks that they form a valid initial state.
pub fn setup<X: Dim>(scene: &Scene) -> Result<Setup<X>, Error> {
    let (scene_bodies, setup) = prepare(scene, &SerialComm)?;
    scene_bodies
        .check_overlap(&setup.model, setup.bodies.states())
        .map_err(|problem| Halt::from(problem).error(scene))?;
    Ok(setup)
}

/// The acceleration of gravity.
pub(crate) fn gravity<X: Dim>(scene: &Scene) -> X::Vector {
    let down = X::Vector::axis(X::D - 1) * -GRAVITY;
    scene.world.gravity.as_ref().map_or(down, |g| X::Vector::read(g))
}

/// The box that no body may leave.
pub(crate) fn bounds<X: Dim>(scene: &Scene) -> Option<Bounds<X>> {
    let BoxBounds { min, max } = scene.world.bounds.as_ref()?;
    Some(Bounds { min: X::Vector::read(min), max: X::Vector::read(max) })
}

/// Collective. Creates the share of this process: all obstacles and its part of the free bodies. Overlaps are checked
/// afterwards (`interaction::overlaps`). A mistake that another process found is [`Error::Reported`].
pub fn setup_share<X: Dim>(scene: &Scene, comm: &dyn Comm) -> Result<Setup<X>, Error> {
    prepare(scene, comm).map(|(_, setup)| setup)
}

fn prepare<X: Dim>(scene: &Scene, comm: &dyn Comm) -> Result<(SceneBodies<X>, Setup<X>), Error> {
    scene.check()?;
    assert_eq!(usize::from(scene.world.dimension), X::D, "a scene is set up in the dimension it names");
    assemble(scene, comm).map_err(|halt| halt.error(scene))
}

fn assemble<X: Dim>(scene: &Scene, comm: &dyn Comm) -> Result<(SceneBodies<X>, Setup<X>), Halt> {
    let scene_bodies = SceneBodies::<X>::gather(scene, comm)?;
    let mut setup = together(comm, scene_bodies.make(scene))?;
    setup.model.links = linking::links(scene, comm, &setup.model, setup.bodies.states())?;
    check_named(scene, setup.bodies.states(), comm)?;
    Ok((scene_bodies, setup))
}

impl<X: Dim> SceneBodies<X> {
    /// Creates the setup and runs the checks that need no communication.
    fn make(&self, scene: &Scene) -> Checked<Setup<X>> {
        let (model, states) = self.tabulate(scene)?;
        let bounds = bounds(scene);
        let population = population(scene, &model)?;
        check_step(scene, &model, &states, population.smallest())?;
        self.check_travel(scene, &model, &states, &population)?;
        check_fit(scene, &model, &states, population.largest())?;
        if let Some(bounds) = &bounds {
            self.check_inside(bounds, &model, &states)?;
        }
        factor(&model, &states)?;
        let nodes = self.nodes(&model, &states);
        Ok(Setup { model, bodies: Bodies::with_nodes(states, nodes), bounds, population })
    }

    /// The nodes of all deformable bodies: undeformed and with the velocities at which they are held, but for those
    /// that another run has deformed.
    fn nodes(&self, model: &Model<X>, states: &[State<X>]) -> NodesById<X> {
        let deformed = self.single.iter().filter(|single| !single.body.nodes.is_empty());
        let deformed: BTreeMap<u64, &Vec<Node<X>>> = deformed.map(|single| (single.id, &single.body.nodes)).collect();
        let nodes = |state: &State<X>| {
            let count = model.deformable(state)?.nodes();
            if let Some(given) = deformed.get(&state.id.0).filter(|nodes| nodes.len() == count) {
                return Some((state.id, given.to_vec()));
            }
            let mut nodes: Vec<Node<X>> = vec![Node::zero(); count];
            let controls = model.motion(state).map_or(&[][..], |motion| &motion.nodes);
            for (node, velocity) in controls.iter().flat_map(|control| starting_velocities::<X>(control)) {
                (0..X::D).filter(|&k| velocity[k] != 0.0).for_each(|k| nodes[node as usize].velocity[k] = velocity[k]);
            }
            Some((state.id, nodes))
        };
        states.iter().filter_map(nodes).collect()
    }

    /// The model, and the states that refer to its tables.
    fn tabulate(&self, scene: &Scene) -> Checked<(Model<X>, Vec<State<X>>)> {
        let shapes = self.shapes_in_use(scene)?;
        let given = self.single.iter().filter_map(|single| single.body.motion.clone());
        let motions: BTreeMap<Vec<u64>, Motion> = given.map(|motion| (motion_order(&motion), motion)).collect();
        let motion_keys: Vec<&Vec<u64>> = motions.keys().collect();
        let materials: Vec<Material> = (scene.materials.iter())
            .map(|(name, entry)| Material { name: name.clone(), density: entry.density })
            .collect();

        let shape_index = |shape: &Shape<X>| place(shapes.binary_search_by_key(&shape_order(shape), shape_order));
        let motion_index = |motion: &Motion| place(motion_keys.binary_search(&&motion_order(motion)));
        let mut states =
            Vec::with_capacity(self.single.len() + self.groups.iter().map(|g| g.balls.len()).sum::<usize>());
        self.add_single(&mut states, shape_index, motion_index);
        for group in &self.groups {
            group.add_balls(&mut states, shape_index, materials[group.material as usize].density)?;
        }
        let nothing = self.single.is_empty() && self.groups.iter().all(|group| group.total == 0);
        if nothing && scene.feeds.is_empty() {
            let problem = SceneProblem::value(&"generators.0".into(), "the scene has no bodies").label("makes none");
            return Err(problem.help("add [[bodies]] one by one, or [[generators]] for many"));
        }
        let laws = law_table(scene, &self.populations(scene)?)?;
        let motions = motions.into_values().collect();
        let (links, tilt) = (Links::default(), scene.tilt()?);
        let cell = scene.cell::<X>()?;
        let (gravity, membranes) = (gravity::<X>(scene), scene.membranes()?);
        let deformables = elastic_operators(&shapes, scene)?;
        let facing = FacingParts::of_all(&shapes);
        let model =
            Model { shapes, materials, motions, laws, links, gravity, tilt, cell, membranes, deformables, facing };
        if let (Some(cell), true) = (&model.cell, scene.starts_in_flow()) {
            states.iter_mut().for_each(|state| state.velocity += cell.flow(state.position));
        }
        Ok((model, states))
    }

    /// The shapes of all bodies, initial or added by feeds, each once and in canonical order.
    fn shapes_in_use(&self, scene: &Scene) -> Checked<Vec<Shape<X>>> {
        let mut shapes: Vec<Shape<X>> = self.single.iter().map(|single| single.body.shape.clone()).collect();
        for group in self.groups.iter().filter(|group| group.total > 0) {
            match &group.meshes {
                Some(meshes) => shapes.extend(meshes.shapes().cloned()),
                None => shapes.extend_from_slice(group.substitution.shapes()),
            }
        }
        for (i, feed) in scene.feeds.iter().enumerate() {
            let substitution = substitution(feed, &KeyPath::from("feeds").then(i), scene, u64::MAX)?;
            shapes.extend_from_slice(substitution.shapes());
        }
        shapes.sort_by_key(shape_order);
        shapes.dedup_by_key(|shape| shape_order(shape));
        Ok(shapes)
    }

    /// Adds the listed bodies: all obstacles and the share of this process of the others.
    fn add_single(
        &self,
        states: &mut Vec<State<X>>,
        shape_index: impl Fn(&Shape<X>) -> u32,
        motion_index: impl Fn(&Motion) -> u32,
    ) {
        let part = self.share.of(self.single.iter().filter(|single| is_movable(&single.body)).count() as u64);
        let mut movable = 0..;
        for Single { id, body, .. } in &self.single {
            if is_movable(body) && !movable.next().is_some_and(|number| part.contains(&number)) {
                continue;
            }
            let mut state = State::at_rest(*id, shape_index(&body.shape), body.material, body.size, body.mass);
            state.motion = body.motion.as_ref().map_or(FREE, &motion_index);
            (state.position, state.orientation) = (body.position, body.orientation);
            (state.velocity, state.spin) = (body.velocity, body.spin);
            states.push(state);
        }
    }

    /// The number of bodies of each material.
    fn populations(&self, scene: &Scene) -> Checked<Vec<MaterialUse>> {
        let mut populations = vec![MaterialUse::default(); scene.materials.len()];
        let mut count = |material: u32, [bodies, movable]: [u64; 2], has_faces: bool, at: &KeyPath| {
            let population = &mut populations[material as usize];
            population.bodies += bodies;
            population.movable += movable;
            population.has_faces |= has_faces;
            population.named_at.get_or_insert_with(|| at.then("material"));
        };
        for Single { at, body, .. } in &self.single {
            count(body.material, [1, u64::from(is_movable(body))], body.shape.has_faces(), at);
        }
        let any_face = |substitution: &ShapeSubstitution<X>| substitution.shapes().iter().any(Shape::has_faces);
        for Group { at, material, total, substitution, mesh, .. } in &self.groups {
            count(*material, [*total; 2], mesh.is_some() || any_face(substitution), at);
        }
        for (i, feed) in scene.feeds.iter().enumerate() {
            let (at, total) = (KeyPath::from("feeds").then(i), feed.total.unwrap_or(u64::from(u32::MAX)));
            let substitution = substitution(feed, &at, scene, u64::MAX)?;
            let material = scene.material(&feed.material, &at.then("material"))?;
            count(material, [total; 2], any_face(&substitution), &at);
        }
        Ok(populations)
    }
}

impl<X: Dim> Group<X> {
    /// Adds its balls, or the shapes substituted for them.
    fn add_balls(&self, states: &mut Vec<State<X>>, shape_index: impl Fn(&Shape<X>) -> u32, density: f64) -> Checked {
        let Self { at, material, velocity, balls, first, substitution, .. } = self;
        if let Some(meshes) = &self.meshes {
            meshes.add_bodies(self.unmeshed(), states, shape_index);
            return Ok(());
        }
        let indices: Vec<u32> = substitution.shapes().iter().map(shape_index).collect();
        for (k, Numbered { id, ball }) in balls.iter().enumerate() {
            let choice = substitution.choice(first + k as u64, *id);
            let shape = &substitution.shapes()[choice];
            let size = ball.radius / shape.reach();
            let mass = shape.mass(size, density);
            if !mass.is_normal() {
                let message = format!("a {} of radius {} m has the mass {mass} kg", shape.name(), ball.radius);
                let problem = SceneProblem::value(at, message).label("extreme size or density");
                return Err(problem.help("sizes are in m, densities in kg/m3"));
            }
            let mut state = State::at_rest(*id, indices[choice], *material, size, mass);
            (state.position, state.velocity) = (ball.centre, *velocity);
            state.orientation = substitution.orientation(*id);
            states.push(state);
        }
        Ok(())
    }
}

/// Whether at least one degree of freedom is not prescribed.
fn is_movable<X: Dim>(body: &SceneBody<X>) -> bool {
    !body.motion.as_ref().is_some_and(|m| m.is_prescribed(X::D + X::R))
}

/// The index found by a search; it exists, since the table contains all entries.
fn place(found: Result<usize, usize>) -> u32 {
    match found {
        Ok(place) | Err(place) => place as u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{ROOT, thread_comms};
    use crate::dim::{Orientation, Plane, Space};
    use std::path::Path;

    const HEAD: &str = "world.dimension = 3\ntime = { step = 1e-3, end = 1 }\nmaterials.glass.density = 2500\n\
                        materials.steel.density = 7800\n[[laws]]\nbetween = [\"*\", \"*\"]\nfrictionless = {}\n";

    fn set_up<X: Dim>(text: &str) -> Result<Setup<X>, Error> {
        setup(&Scene::parse(text, "test", Path::new(""), &[])?)
    }

    #[test]
    fn a_deposit_may_fill_its_box_to_the_top_but_not_beyond() {
        // In floating point, 1.17 - 1.04 is less than 0.13.
        let filled = |height: &str| {
            let head = HEAD.replace("dimension = 3", "dimension = 2");
            let corners = "min = [0, 1.04], max = [1, 1.17]";
            let deposit = format!("deposit = {{ {corners}, height = {height}, radius = 0.03 }}");
            set_up::<Plane>(&format!("{head}[[generators]]\nmaterial = \"glass\"\n{deposit}\n"))
        };
        assert!(filled("0.13").is_ok_and(|setup| setup.bodies.states().len() >= 16), "a full row of them");
        assert!(filled("0.1301").is_err());
    }

    #[test]
    fn a_scene_that_lists_its_bodies_in_another_order_gives_the_same_states() {
        let bodies = [
            "[[bodies]]\nid = 9\nmaterial = \"steel\"\nplane.normal = [0, 0, 2]\nposition = [0, 0, 0]\nfixed = true\n",
            "[[bodies]]\nid = 4\nmaterial = \"glass\"\nsphere.radius = 0.1\nposition = [0, 0, 0.1]\n",
            "[[bodies]]\nid = 5\nmaterial = \"glass\"\nbox.size = [0.1, 0.2, 0.3]\nposition = [1, 0, 1]\nspin = [0, 0, 1]\n",
            "[[bodies]]\nid = 6\nmaterial = \"steel\"\nsphere.radius = 0.2\nposition = [2, 0, 1]\ndriven.force.x = 3\n",
            "[[generators]]\nfirst_id = 100\nmaterial = \"glass\"\nlattice = { count = [3, 2, 1], spacing = 0.3, \
             origin = [5, 5, 5], jitter = 0.5, radius = { uniform = [0.05, 0.1] } }\n",
            "[[generators]]\nfirst_id = 200\nmaterial = \"steel\"\nwalls = { min = [-9, -9, -9], max = [9, 9, 9] }\n",
        ];
        let rows = |order: [usize; 6]| {
            let text = order.iter().fold(HEAD.to_owned(), |text, &i| text + bodies[i]);
            let setup = set_up::<Space>(&text).unwrap();
            let mut rows = Vec::new();
            setup.bodies.states().iter().for_each(|s| crate::body::Row::write_row(s, &mut rows));
            (rows, setup.model.shapes, setup.model.motions)
        };
        let reference = rows([0, 1, 2, 3, 4, 5]);
        assert_eq!(reference.1.len(), 3);
        assert_eq!(reference.2.len(), 2);
        assert_eq!(reference, rows([5, 3, 1, 4, 2, 0]));
        assert_eq!(reference, rows([3, 4, 0, 2, 1, 5]));
    }

    #[test]
    fn bodies_without_a_number_take_the_lowest_left_in_the_order_of_the_file() {
        let ball = |id: &str, x: f64| {
            format!("[[bodies]]\n{id}\nmaterial = \"glass\"\nsphere.radius = 0.1\nposition = [{x}, 0, 0]\n")
        };
        let text = HEAD.to_owned()
            + "[[generators]]\nmaterial = \"glass\"\nlattice = { count = [2, 1, 1], spacing = 1, origin = [0, 9, 0], radius = 0.1 }\n"
            + &ball("", 1.0)
            + &ball("id = 1", 2.0)
            + &ball("", 3.0);
        let setup = set_up::<Space>(&text).unwrap();
        let at = |id| setup.bodies.find(id).unwrap().position.x;
        assert_eq!([0, 1, 2, 3, 4].map(at), [1.0, 2.0, 3.0, 0.5, 1.5]);
    }

    #[test]
    fn a_driven_body_starts_as_driven_and_a_plane_looks_along_its_normal() {
        let text = HEAD.to_owned()
            + "[[bodies]]\nmaterial = \"glass\"\nsphere.radius = 0.1\nposition = [0, 0, 1]\nvelocity = [1, 2, 3]\n\
               driven.velocity = { y = { ramp = { from = 7, to = 8, start = 1, end = 2 } }, rz = 5 }\n\
               [[bodies]]\nmaterial = \"steel\"\nplane.normal = [0, 3, 4]\nposition = [0, 0, -5]\n\
               driven = { hold = true, velocity.x = 2 }\n";
        let setup = set_up::<Space>(&text).unwrap();
        let (ball, plane) = (setup.bodies.find(0).unwrap(), setup.bodies.find(1).unwrap());
        assert_eq!(ball.velocity.as_slice(), [1.0, 7.0, 3.0]);
        assert_eq!(ball.spin.as_slice(), [0.0, 0.0, 5.0]);
        assert!(setup.model.is_prescribed(plane) && !setup.model.is_prescribed(ball));
        let normal = plane.orientation.rotate(Vector::axis(0));
        assert!((normal - nalgebra::Vector3::new(0.0, 0.6, 0.8)).norm() < 1e-15);
        assert_eq!(setup.model.gravity.as_slice(), [0.0, 0.0, -9.81]);
    }

    #[test]
    fn a_segment_lies_between_its_ends() {
        let text = HEAD.replace("dimension = 3", "dimension = 2")
            + "[[bodies]]\nmaterial = \"steel\"\nsegment = { from = [1, 1], to = [1, 3] }\nfixed = true\n";
        let setup = set_up::<Plane>(&text).unwrap();
        let wall = setup.model.placed(setup.bodies.find(0).unwrap());
        assert_eq!(wall.position.as_slice(), [1.0, 2.0]);
        let bounds = wall.bounds();
        assert!((bounds.max - nalgebra::Vector2::new(1.0, 3.0)).norm() < 1e-15);
        assert_eq!(wall.shape.name(), "segment");
    }

    #[test]
    fn the_shares_of_processes_are_the_whole_and_refer_to_the_same_tables() {
        let text = HEAD.to_owned()
            + "[[bodies]]\nmaterial = \"steel\"\nplane.normal = [0, 0, 2]\nposition = [0, 0, -2]\nfixed = true\n\
               [[bodies]]\nmaterial = \"glass\"\nbox.size = [0.1, 0.2, 0.3]\nposition = [1, 0, 9]\n\
               [[bodies]]\nmaterial = \"glass\"\nbox.size = [0.1, 0.2, 0.4]\nposition = [2, 0, 9]\n\
               [[generators]]\nmaterial = \"glass\"\nlattice = { count = [3, 3, 3], spacing = 0.3, origin = [0, 0, 0], \
               jitter = 0.5, radius = { uniform = [0.05, 0.1] } }\n\
               [[generators]]\nmaterial = \"steel\"\nshape.grain.corners = 8\nlattice = { count = [5, 1, 1], \
               spacing = 0.3, origin = [0, 0, 5], radius = 0.1 }\n\
               [[generators]]\nmaterial = \"glass\"\ndeposit = { min = [5, 5, 0], max = [6, 6, 3], count = 20, radius = 0.1 }\n";
        let scene = Scene::parse(&text, "test", Path::new(""), &[]).unwrap();
        let whole = setup::<Space>(&scene).unwrap();
        for size in [2, 3, 7] {
            let mut states = Vec::new();
            let parts = thread_comms(size, |comm| setup_share::<Space>(&scene, comm).unwrap());
            for (rank, part) in parts.iter().enumerate() {
                assert_eq!(part.model.shapes, whole.model.shapes);
                assert!(part.bodies.len() <= 54 / size + 5);
                let is_new = |s: &&State<Space>| rank == ROOT || !part.model.is_prescribed(s);
                states.extend(part.bodies.states().iter().filter(is_new).copied());
            }
            assert_eq!(Bodies::new(states), whole.bodies, "{size} processes");
        }
    }

    #[test]
    fn a_hundred_thousand_balls_on_a_lattice_are_set_up_and_checked() {
        let text = HEAD.to_owned()
            + "[[generators]]\nmaterial = \"glass\"\nlattice = { count = [50, 50, 40], spacing = 0.2, origin = [0, 0, 0], radius = 0.1 }\n";
        assert_eq!(set_up::<Space>(&text).unwrap().bodies.len(), 100_000);
    }
}
