//! Meshed shapes from their scene entries: the mesh of a shape or of a file, with the finite element mass of its
//! materials.

use super::entry::{ElementChoice, PlaneChoice};
use super::values::positive;
use super::{Checked, KeyPath, MeshEntry, Scene, SceneProblem};
use crate::contactor::{MeshedShape, Shape, keys};
use crate::dim::{Dim, Vector};
use crate::fem::elastic::{ElasticFault, ElasticMaterial, in_body_axes};
use crate::fem::mesh::{Element, ElementKind, MeshGroup, MeshTarget, MeshingFault, VolumeMesh};
use nalgebra::Vector2;

/// A meshed shape, and where its centre and axes are in the frame of the shape or of the file.
pub(crate) struct Meshed<X: Dim> {
    pub(crate) shape: Shape<X>,
    pub(crate) centre: X::Vector,
    pub(crate) axes: X::Orientation,
}

impl MeshEntry {
    /// The mesh of its file; an entry without a file needs a `shape` to mesh.
    pub(crate) fn of_file<X: Dim>(&self, at: &KeyPath, material: u32, scene: &Scene) -> Checked<Meshed<X>> {
        let Some(file) = &self.file else {
            let problem = SceneProblem::value(at, "this mesh has neither a shape nor a file").label("nothing to mesh");
            return Err(problem.help("add a shape with volume beside it, or mesh.file = \"body.msh\""));
        };
        for (key, given) in [("size", self.size.is_some()), ("elements", self.elements.is_some())] {
            if given {
                let problem = SceneProblem::key(&at.then(key), format!("a mesh from a file takes no {key}"));
                return Err(problem.label("superfluous").help("the file has its elements"));
            }
        }
        let scale = self.scale.unwrap_or(1.0);
        positive(&at.then("scale"), scale, "factor from the units of the file to m")?;
        let mut mesh = VolumeMesh::<X>::read(&scene.source.resolve(file)).map_err(|fault| {
            let problem = SceneProblem::value(&at.then("file"), fault.to_string()).label("this file");
            problem.help("a mesh in Gmsh 2.2 or 4.1 (.msh), VTK legacy (.vtk) or VTU format")
        })?;
        mesh.nodes.iter_mut().for_each(|node| *node = *node * scale);
        self.finish(mesh, at, material, scene)
    }

    /// The mesh of a shape of this size, or of a polygon with these corners.
    pub(crate) fn of_shape<X: Dim>(
        &self,
        (shape, size): (&Shape<X>, f64),
        corners: Option<&[Vector2<f64>]>,
        at: &KeyPath,
        material: u32,
        scene: &Scene,
    ) -> Checked<Meshed<X>> {
        let Some(length) = self.size else {
            return Err(super::explain::missing(at, "size"));
        };
        for (key, given) in [("file", self.file.is_some()), ("scale", self.scale.is_some())] {
            if given {
                let problem =
                    SceneProblem::key(&at.then(key), format!("the mesh of a {} takes no {key}", shape.name()));
                return Err(problem.label("superfluous").help("remove it, or the shape"));
            }
        }
        positive(&at.then("size"), length, "length of the edges of elements in m")?;
        let kind = self.elements.map_or_else(|| default_kind(shape), ElementChoice::kind);
        let target = MeshTarget { size: length, kind };
        let made = match corners {
            Some(corners) => plain(VolumeMesh::polygon(corners, target).map(in_dimension)),
            None => mesh_of(shape, size, target),
        };
        let mesh =
            made.map_err(|(what, remedy)| SceneProblem::value(at, what).label("cannot be meshed").help(remedy))?;
        self.finish(mesh, at, material, scene)
    }

    /// Moves a mesh to its centre of mass and principal axes.
    fn finish<X: Dim>(&self, mesh: VolumeMesh<X>, at: &KeyPath, material: u32, scene: &Scene) -> Checked<Meshed<X>> {
        let groups_at = at.then("materials");
        for name in self.materials.keys() {
            if !mesh.groups.iter().any(|group| group.dimension == X::D && group.name == *name) {
                let known: Vec<&str> = mesh.groups.iter().map(|group| group.name.as_str()).collect();
                let problem = SceneProblem::key(&groups_at.then(name), format!("the mesh has no group \"{name}\""));
                return Err(problem.label("unknown").help(format!("its groups are: {}", known.join(", "))));
            }
        }
        let of_group = |name: &String| match self.materials.get(name) {
            Some(named) => scene.material(named, &groups_at.then(name)),
            None => Ok(material),
        };
        let own: Vec<u32> = mesh.groups.iter().map(|group| of_group(&group.name)).collect::<Checked<_>>()?;
        let materials: Vec<u32> = own.into_iter().chain([material]).collect();
        let elastic = elastic_materials(&materials, scene, at)?;
        let mesh = grouped(mesh, materials.len() as u32 - 1);
        let centred = in_body_axes(&mesh, &elastic).map_err(|fault| refused(at, &fault))?;
        let surface = centred.mesh.surface();
        let (centre, axes) = (centred.properties.centre, centred.properties.orientation);
        let is_sheet = self.plane == PlaneChoice::Stress;
        let mass = (centred.mass, centred.properties);
        let shape = MeshedShape::new(keys::MESH, centred.mesh, surface, materials, mass, is_sheet);
        Ok(Meshed { shape: Shape::Meshed(Box::new(shape)), centre, axes })
    }
}

/// Gives the elements without a group one of their own, number `rest`.
fn grouped<X: Dim>(mut mesh: VolumeMesh<X>, rest: u32) -> VolumeMesh<X> {
    mesh.groups.push(MeshGroup { dimension: X::D, ..MeshGroup::default() });
    for element in &mut mesh.elements {
        if element.group == Element::NO_GROUP {
            element.group = rest;
        }
    }
    mesh
}

/// The elastic constants of these materials, by their index.
pub(crate) fn elastic_materials(materials: &[u32], scene: &Scene, at: &KeyPath) -> Checked<Vec<ElasticMaterial>> {
    let constants = |&material: &u32| {
        // The index is that of a name of the scene.
        let (name, entry) =
            scene.materials.iter().nth(material as usize).ok_or_else(|| super::explain::missing(at, "material"))?;
        let Some(elastic) = entry.elastic else {
            let message = format!("the material \"{name}\" of a meshed body has no elastic constants");
            let problem = SceneProblem::value(at, message).label("deformable");
            return Err(problem.help(format!("add elastic = {{ young = 1e9, poisson = 0.3 }} to [materials.{name}]")));
        };
        let damping = elastic.damping.unwrap_or(0.1 * scene.time.step);
        let made = ElasticMaterial {
            density: entry.density,
            young: elastic.young,
            poisson: elastic.poisson,
            damping,
            mass_damping: elastic.mass_damping,
        };
        made.check(0)
            .map_err(|fault| refused(&KeyPath::from("materials").then(name.as_str()).then("elastic"), &fault))?;
        Ok(made)
    };
    materials.iter().map(constants).collect()
}

/// What is wrong with the elastic body at a key.
pub(crate) fn refused(at: &KeyPath, fault: &ElasticFault) -> SceneProblem {
    SceneProblem::value(at, fault.to_string()).label("here")
}

impl ElementChoice {
    fn kind(self) -> ElementKind {
        match self {
            Self::T3 => ElementKind::T3,
            Self::T6 => ElementKind::T6,
            Self::Q4 => ElementKind::Q4,
            Self::Tet4 => ElementKind::Tet4,
            Self::Tet10 => ElementKind::Tet10,
            Self::Hex8 => ElementKind::Hex8,
        }
    }
}

/// Kind of the elements of a shape unless the scene names one.
fn default_kind<X: Dim>(shape: &Shape<X>) -> ElementKind {
    match (shape.name() == keys::BOX, X::HAS_DEPTH) {
        (true, false) => ElementKind::Q4,
        (true, true) => ElementKind::Hex8,
        (false, false) => ElementKind::T3,
        (false, true) => ElementKind::Tet4,
    }
}

/// The mesh of a shape of this size about its centre; or what is wrong, and what to do.
fn mesh_of<X: Dim>(shape: &Shape<X>, size: f64, target: MeshTarget) -> Result<VolumeMesh<X>, (String, &'static str)> {
    let made = match shape {
        Shape::Ball => VolumeMesh::ball(size, target),
        Shape::Cylinder { half_length } => VolumeMesh::cylinder(size, half_length * size, target).map(in_dimension),
        Shape::Polytope(block) if block.rounding == 0.0 && shape.name() == keys::BOX => {
            let corners = block.polytope.vertices.iter();
            VolumeMesh::block(corners.fold(X::Vector::zero(), |most, corner| most.upper(corner)) * (2.0 * size), target)
        }
        Shape::Polytope(block) if block.rounding == 0.0 => {
            let vertices: Vec<X::Vector> = block.polytope.vertices.iter().map(|corner| *corner * size).collect();
            let faces: Vec<Vec<u32>> = block.polytope.faces.iter().map(|face| face.corners.clone()).collect();
            VolumeMesh::polytope(&vertices, &faces, target)
        }
        Shape::Polytope(_) | Shape::Compound(_) | Shape::Meshed(_) | Shape::HalfSpace | Shape::Hollow => {
            let what = format!("a {} has no mesh generator", shape.name());
            return Err((what, "mesh it with another program, for example Gmsh, and write mesh.file = \"body.msh\""));
        }
    };
    plain(made)
}

/// A fault as its message and its remedy.
fn plain<T>(made: Result<T, MeshingFault>) -> Result<T, (String, &'static str)> {
    made.map_err(|fault| (fault.what, fault.remedy))
}

/// A mesh of the dimension `X`, which is that of the given one.
fn in_dimension<X: Dim, Y: Dim>(mesh: VolumeMesh<Y>) -> VolumeMesh<X> {
    let nodes = mesh.nodes.iter().map(|node| X::Vector::from_fn(|k| node[k])).collect();
    VolumeMesh { nodes, elements: mesh.elements, groups: mesh.groups }
}
