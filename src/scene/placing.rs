//! Conversion of a body's scene entry to a body of the model: shape, mass, placement and motion.

use super::block::FramedShape;
use super::meshing::Meshed;
use super::node_control::Controlled;
use super::values::positive;
use super::vectors::{direction, orientation, vector};
use super::words::{did_you_mean, list};
use super::{BodyEntry, Checked, Degrees, KeyPath, Loose, NumberOrArray, Scene, SceneProblem};
use crate::body::Node;
use crate::contactor::{Shape, keys};
use crate::dim::{Dim, Orientation, Vector};
use crate::model::{Control, Motion};

/// A body before it has an id and indices into the tables of the model.
#[derive(Clone, Debug)]
pub(crate) struct SceneBody<X: Dim> {
    pub(crate) shape: Shape<X>,
    /// Index of its material in the order of names.
    pub(crate) material: u32,
    pub(crate) motion: Option<Motion>,
    pub(crate) size: f64,
    /// Zero for shapes without volume.
    pub(crate) mass: f64,
    pub(crate) position: X::Vector,
    pub(crate) orientation: X::Orientation,
    pub(crate) velocity: X::Vector,
    pub(crate) spin: X::Spin,
    /// Of a deformable body that is deformed at the start.
    pub(crate) nodes: Vec<Node<X>>,
}

/// A shape with the size, position and orientation that its own keys determine.
struct BodyForm<X: Dim> {
    shape: Shape<X>,
    size: f64,
    position: Option<X::Vector>,
    orientation: Option<X::Orientation>,
    /// Position that the frame of the given corners determines, unless the body has a position of its own.
    centre: Option<X::Vector>,
    /// Rotation from the principal axes to the frame of the corners.
    axes: X::Orientation,
}

impl Scene {
    /// The index of the material `name` in the order of names; `at` is the key that names it.
    pub(crate) fn material(&self, name: &str, at: &KeyPath) -> Checked<u32> {
        match self.materials.keys().position(|known| known == name) {
            Some(index) => Ok(index as u32),
            None => {
                let known: Vec<&str> = self.materials.keys().map(String::as_str).collect();
                let problem = SceneProblem::value(at, format!("there is no material \"{name}\"")).label("unknown");
                Err(problem.help(if known.is_empty() {
                    format!("add a table [materials.{name}] with its density")
                } else {
                    did_you_mean(name, &known, "materials of the scene")
                }))
            }
        }
    }
}

impl BodyEntry {
    /// The name of its material.
    fn material(&self, at: &KeyPath) -> Checked<&str> {
        self.material.as_deref().ok_or_else(|| {
            let problem = SceneProblem::value(at, "this body has no `material`").label("missing here");
            problem.help("add material = \"...\", one of [materials]")
        })
    }

    /// Creates the body; `at` is its path in the scene.
    pub(crate) fn body<X: Dim>(&self, at: &KeyPath, scene: &Scene) -> Checked<SceneBody<X>> {
        let material = scene.material(self.material(at)?, &at.then("material"))?;
        let form = self.meshed_form::<X>(at, material, scene)?;
        let mut motion = self.motion::<X>(at, scene)?;
        let prescribed = motion.as_ref().is_some_and(|m| m.is_prescribed(X::D + X::R));
        let name = form.shape.name();
        if !form.shape.has_volume() && !prescribed {
            let problem = SceneProblem::key(&at.then(name), format!("a {name} has no mass and cannot move freely"));
            let help = "add fixed = true, or driven = { hold = true, velocity = { x = ... } }";
            let label = match &motion {
                None => "neither fixed nor driven".into(),
                Some(motion) => {
                    let names = Degrees::names(X::D).iter().zip(&motion.controls);
                    let free = names.filter(|(_, c)| !matches!(c, Control::Velocity(_))).map(|(name, _)| *name);
                    format!("no velocity is given for {}", list(&free.collect::<Vec<_>>()))
                }
            };
            return Err(problem.label(label).help(help));
        }
        let mass = self.mass_of(&form, at, scene)?;
        let position = match (form.position, &self.position) {
            (Some(position), _) => position,
            (None, Some(position)) => vector::<X::Vector>(&at.then("position"), position)?,
            (None, None) => form.centre.ok_or_else(|| super::explain::missing(at, "position"))?,
        };
        let orientation = match (form.orientation, &self.orientation) {
            (Some(orientation), _) => orientation,
            (None, Some(entry)) => orientation::<X>(&at.then("orientation"), entry)?,
            (None, None) => X::Orientation::identity(),
        }
        .times(&form.axes);
        let axes: X::Orientation = form.axes;
        let origin: X::Vector = form.centre.unwrap_or(X::Vector::zero());
        let frame = |node: X::Vector| origin + axes.rotate(node);
        let Controlled { shape, orientation } =
            self.control_nodes(form.shape, orientation, frame, &mut motion, (at, scene))?;
        let (velocity, spin) = self.start::<X>(at, motion.as_ref())?;
        Ok(SceneBody {
            shape,
            material,
            motion,
            size: form.size,
            mass,
            position,
            orientation,
            velocity,
            spin,
            nodes: Vec::new(),
        })
    }

    /// The shape of the body, or its mesh.
    fn meshed_form<X: Dim>(&self, at: &KeyPath, material: u32, scene: &Scene) -> Checked<BodyForm<X>> {
        let Some(mesh) = &self.mesh else { return self.form(at, scene) };
        let mesh_at = at.then("mesh");
        if self.mass.is_some() {
            let problem = SceneProblem::key(&at.then("mass"), "a meshed body takes no mass").label("superfluous");
            return Err(problem.help("its elements have the density of their materials"));
        }
        if self.shapes().is_empty() {
            let Meshed { shape, centre, axes } = mesh.of_file::<X>(&mesh_at, material, scene)?;
            let centre = Some(centre);
            return Ok(BodyForm { shape, size: 1.0, position: None, orientation: None, centre, axes });
        }
        let form = self.form::<X>(at, scene)?;
        let corners =
            self.polygon.as_ref().map(|polygon| polygon.corners(&at.then(keys::POLYGON))).transpose()?.flatten();
        let solid = (&form.shape, form.size);
        let Meshed { shape, centre, axes } = mesh.of_shape(solid, corners.as_deref(), &mesh_at, material, scene)?;
        if corners.is_some() {
            // In the frame of its corners.
            return Ok(BodyForm { shape, size: 1.0, centre: form.centre.and(Some(centre)), axes, ..form });
        }
        // The centre of the mesh is that of its shape, up to rounding where the mesh is symmetric.
        let shifted = form.centre.map(|own| own + form.axes.rotate(centre));
        Ok(BodyForm { shape, size: 1.0, centre: shifted, axes: form.axes.times(&axes), ..form })
    }

    /// The shape of the body; exactly one must be given.
    fn form<X: Dim>(&self, at: &KeyPath, scene: &Scene) -> Checked<BodyForm<X>> {
        let shapes = self.shapes();
        if let [first, second, ..] = shapes[..] {
            let problem =
                SceneProblem::key(&at.then(second), format!("this body has two shapes, {first} and {second}"));
            return Err(problem.label("one too many").also(&at.then(first), "the other").help("keep one of them"));
        }
        let identity = X::Orientation::identity();
        let plain =
            |shape, size| BodyForm { shape, size, position: None, orientation: None, centre: None, axes: identity };
        if let Some(FramedShape { shape, size, centre, axes }) = self.solid::<X>(at, scene)? {
            return Ok(BodyForm { centre, axes, ..plain(shape, size) });
        }
        if let Some(plane) = &self.plane {
            let normal_at = at.then(keys::PLANE).then("normal");
            let normal: X::Vector = vector(&normal_at, &plane.normal)?;
            self.refuse(at, keys::PLANE, "orientation", "its normal determines its orientation")?;
            let orientation = Some(X::pointing(direction(&normal_at, normal)?));
            return Ok(BodyForm { orientation, ..plain(Shape::HalfSpace, 1.0) });
        }
        if let Some(segment) = &self.segment {
            return self.segment_form(at, &segment.from, &segment.to);
        }
        if let Some(drum) = &self.drum {
            let here = at.then(keys::DRUM);
            positive(&here.then("radius"), drum.radius, "inner radius in m")?;
            let orientation = drum.axis.as_ref().map(|axis| self.drum_axis::<X>(at, axis)).transpose()?;
            return Ok(BodyForm { orientation, ..plain(Shape::Hollow, drum.radius) });
        }
        let problem = SceneProblem::value(at, "this body has no shape").label("no shape here");
        Err(problem.help(format!("add one of {}", list(&Self::all_shapes()))))
    }

    /// The orientation that rotates the last body axis into `axis`.
    fn drum_axis<X: Dim>(&self, at: &KeyPath, axis: &[f64]) -> Checked<X::Orientation> {
        let here = at.then(keys::DRUM).then("axis");
        if !X::HAS_ROTATION_AXIS {
            let problem = SceneProblem::key(&here, "a drum in 2 dimensions is a hollow disk and has no axis");
            return Err(problem.label("superfluous").help("remove `axis`"));
        }
        self.refuse(at, "drum with an axis", "orientation", "its axis determines its orientation")?;
        let axis: X::Vector = vector(&here, axis)?;
        // A quarter turn about the second axis takes the last axis to the first; `pointing` takes that to `axis`.
        let quarter = X::Spin::axis(1) * std::f64::consts::FRAC_PI_2;
        Ok(X::pointing(direction(&here, axis)?).times(&X::Orientation::identity().turned(quarter)))
    }

    fn segment_form<X: Dim>(&self, at: &KeyPath, from: &[f64], to: &[f64]) -> Checked<BodyForm<X>> {
        let here = at.then(keys::SEGMENT);
        if X::HAS_DEPTH {
            let problem = SceneProblem::key(&here, format!("there are no segments in {} dimensions", X::D));
            return Err(problem.label("not here").help("use a plane, or a thin box"));
        }
        self.refuse(at, keys::SEGMENT, "position", "its ends determine its position")?;
        self.refuse(at, keys::SEGMENT, "orientation", "its ends determine its orientation")?;
        let from: X::Vector = vector(&here.then("from"), from)?;
        let to: X::Vector = vector(&here.then("to"), to)?;
        let arm = to - from;
        if from == to {
            let problem = SceneProblem::value(&here.then("to"), "both ends of the segment are the same point");
            return Err(problem.label("the same as `from`").help("a segment needs a length"));
        }
        let shape = Shape::segment(0.5 * arm.norm());
        let orientation = Some(X::pointing(direction(&here, arm)?));
        let position = Some((from + to) * 0.5);
        Ok(BodyForm { shape, size: 1.0, position, orientation, centre: None, axes: X::Orientation::identity() })
    }

    /// Rejects a key that the shape already determines.
    fn refuse(&self, at: &KeyPath, shape: &str, key: &str, why: &str) -> Checked {
        let given = if key == "position" { self.position.is_some() } else { self.orientation.is_some() };
        if !given {
            return Ok(());
        }
        let problem = SceneProblem::key(&at.then(key), format!("a {shape} takes no {key}: {why}"));
        Err(problem.label("superfluous").help(format!("remove `{key}`")))
    }

    fn mass_of<X: Dim>(&self, form: &BodyForm<X>, at: &KeyPath, scene: &Scene) -> Checked<f64> {
        let name = form.shape.name();
        if let Some(mass) = self.mass {
            let mass_at = at.then("mass");
            if !form.shape.has_volume() {
                let problem = SceneProblem::key(&mass_at, format!("a {name} has no mass")).label("superfluous");
                return Err(problem.help("remove `mass`: only its prescribed motion moves such a body"));
            }
            positive(&mass_at, mass, "mass in kg; leave it out to compute it from the material's density")?;
            return Ok(mass);
        }
        if !form.shape.has_volume() {
            return Ok(0.0);
        }
        let density = self.material.as_ref().and_then(|name| scene.materials.get(name)).map_or(0.0, |m| m.density);
        let mass = form.shape.mass(form.size, density);
        if mass.is_normal() {
            return Ok(mass);
        }
        let problem =
            SceneProblem::key(&at.then(name), format!("a {name} of this size and density has the mass {mass} kg"));
        Err(problem.label("extreme size or density").help("sizes are in m, densities in kg/m3"))
    }

    /// Initial velocity and spin: driven values where prescribed, otherwise as given.
    fn start<X: Dim>(&self, at: &KeyPath, motion: Option<&Motion>) -> Checked<(X::Vector, X::Spin)> {
        let velocity_at = at.then("velocity");
        let mut velocity = match &self.velocity {
            Some(numbers) => vector::<X::Vector>(&velocity_at, numbers)?,
            None => X::Vector::zero(),
        };
        let spin_at = at.then("spin");
        let mut spin = self.spin.as_ref().map_or(Ok(X::Spin::zero()), |entry| spin::<X>(&spin_at, entry))?;
        if self.fixed && (velocity != X::Vector::zero() || spin != X::Spin::zero()) {
            let moving = if velocity == X::Vector::zero() { spin_at } else { velocity_at };
            let problem =
                SceneProblem::value(&moving, format!("a fixed body has no {}", moving.last())).label("it never moves");
            let help = "remove it, or write driven = { hold = true, velocity = { x = ... } } instead of fixed";
            return Err(problem.also(&at.then("fixed"), "fixed").help(help));
        }
        if let Some(motion) = motion {
            for i in 0..X::D {
                velocity[i] = motion.velocity(i, 0.0).unwrap_or(velocity[i]);
            }
            for i in 0..X::R {
                spin[i] = motion.velocity(X::D + i, 0.0).unwrap_or(spin[i]);
            }
        }
        Ok((velocity, spin))
    }
}

fn spin<X: Dim>(at: &KeyPath, entry: &Loose<NumberOrArray>) -> Checked<X::Spin> {
    match entry {
        Loose::Number(number) if !X::HAS_ROTATION_AXIS => Ok(X::Spin::from_fn(|_| *number)),
        Loose::Array(numbers) if X::HAS_ROTATION_AXIS => vector(at, numbers),
        _ => {
            let wanted = if X::HAS_ROTATION_AXIS { "three numbers [x, y, z]" } else { "one number" };
            let problem = SceneProblem::value(at, format!("in {} dimensions a spin is {wanted}", X::D));
            Err(problem.label(format!("not {wanted}")).help("angular velocity in rad/s"))
        }
    }
}
