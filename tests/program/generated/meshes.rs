//! Meshes of deformable bodies, and the elastic constants of materials.

use super::chance::{short, table};
use super::draft::{Draft, REACH};

/// Two triangles of different groups, in units of a hundredth of a metre.
const SQUARE: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"hard\"\n2 2 \"soft\"\n\
    $EndPhysicalNames\n$Nodes\n4\n1 -1 -1 0\n2 1 -1 0\n3 1 1 0\n4 -1 1 0\n$EndNodes\n$Elements\n2\n\
    1 2 2 1 1 1 2 3\n2 2 2 2 2 1 3 4\n$EndElements\n";
/// Two tetrahedra of different groups, likewise.
const WEDGE: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 1 \"hard\"\n3 2 \"soft\"\n\
    $EndPhysicalNames\n$Nodes\n5\n1 -1 -1 0\n2 1 -1 0\n3 0 1 0\n4 0 0 1\n5 0 0 -1\n$EndNodes\n$Elements\n2\n\
    1 4 2 1 1 1 2 3 4\n2 4 2 2 2 1 3 2 5\n$EndElements\n";

impl Draft {
    /// Elastic constants of a material, soft enough that bodies deform.
    pub(super) fn elastic(&mut self) -> String {
        let random = &mut self.later;
        let constants = table([
            Some(format!("young = {}", random.power(1e5, 1e8))),
            Some(format!("poisson = {}", random.between(0.0, 0.45))),
            random.maybe(2, "damping", |random| random.power(1e-6, 1e-3).to_string()),
            random.maybe(3, "mass_damping", |random| random.power(0.1, 10.0).to_string()),
        ]);
        format!("elastic = {constants}")
    }

    /// Loads on a group of nodes of a body with this mesh, or held nodes, once in a while: the mesh with the group, and
    /// `nodes`.
    pub(super) fn nodes_of(&mut self, mesh: Option<String>, can_hold: bool) -> (Option<String>, Option<String>) {
        let is_controlled = mesh.is_some() && self.later.one_in(2);
        let Some(mesh) = mesh.clone().filter(|_| is_controlled) else { return (mesh, None) };
        let is_from_file = mesh.contains("file");
        let axis = if self.dimension == 2 { "y" } else { "z" };
        let random = &mut self.later;
        let (speed, far) = (random.between(-0.1, 0.1), random.between(-1e-4, 1e-4));
        let held = match random.one_in(2) {
            true => format!("velocity = {{ x = {speed} }}, displacement = {{ {axis} = {far} }}"),
            false => format!("velocity = {}", self.rest()),
        };
        let random = &mut self.later;
        let loads = [
            random.one_in(2).then(|| format!("force = {{ x = {}, {axis} = 1.5 }}", random.between(-5.0, 5.0))),
            (!is_from_file).then(|| format!("pressure = {}", random.power(1.0, 100.0))),
        ];
        let is_loaded = loads.iter().any(Option::is_some);
        let control = if can_hold && !random.one_in(4) || !is_loaded { table([Some(held)]) } else { table(loads) };
        if is_from_file {
            return (Some(mesh), can_hold.then(|| format!("nodes.soft = {control}")));
        }
        let bounds = if random.one_in(2) { "min = [0]" } else { "max = [0, 1]" };
        let mesh = format!("{}, groups = {{ side = {{ {bounds} }} }} }}", mesh.trim_end_matches(" }"));
        (Some(mesh), Some(format!("nodes.side = {control}")))
    }

    /// Velocities of nodes that rest in a frame that may turn.
    pub(super) fn rest(&self) -> &'static str {
        if self.dimension == 2 { "{ x = 0, y = 0 }" } else { "{ x = 0, y = 0, z = 0 }" }
    }

    /// The mesh of a shape that can be meshed, once in a while.
    pub(super) fn mesh_of(&mut self, shape: &str) -> Option<String> {
        let plain = ["disk = ", "sphere = ", "box = ", "cylinder = "].iter().any(|name| shape.starts_with(name));
        if !plain || !self.later.one_in(4) {
            return None;
        }
        let kinds = if self.dimension == 2 { ["t3", "t6", "q4"] } else { ["tet4", "tet10", "hex8"] };
        let kind = kinds[self.known.len() % kinds.len()];
        let random = &mut self.later;
        let entries = [
            Some(format!("size = {}", short(random.between(0.5, 0.9) * REACH))),
            random.maybe(2, "elements", |_| format!("{kind:?}")),
            (self.dimension == 2).then(|| self.later.maybe(2, "plane", plane)).flatten(),
        ];
        Some(format!("mesh = {}", table(entries)))
    }

    /// A mesh from a file instead of a shape, once in a while.
    pub(super) fn mesh_from_file(&mut self) -> Option<String> {
        if !self.later.one_in(12) {
            return None;
        }
        let (file, text) = if self.dimension == 2 { ("square.msh", SQUARE) } else { ("wedge.msh", WEDGE) };
        if !self.files.iter().any(|(name, _)| name == file) {
            self.files.push((file.into(), text.into()));
        }
        let material = self.later.pick(&super::draft::MATERIALS);
        let entries = [
            Some(format!("file = {file:?}")),
            Some(format!("scale = {}", short(0.5 * REACH))),
            self.later.one_in(2).then(|| format!("materials = {{ hard = {material:?} }}")),
        ];
        Some(format!("mesh = {}", table(entries)))
    }
}

fn plane(random: &mut super::chance::Chance) -> String {
    format!("{:?}", random.pick(&["strain", "stress"]))
}
