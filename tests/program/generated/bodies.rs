//! Individual bodies in slots, some of them fixed or driven, and the obstacles around them.

use super::chance::{Chance, short, table};
use super::draft::{Draft, Known, PITCH};

impl Draft {
    /// A layer of bodies of every shape, in most of its slots.
    pub(super) fn singles(&mut self) {
        for at in self.layer() {
            if self.random.one_in(5) {
                continue;
            }
            self.single(at);
        }
    }

    fn single(&mut self, at: [f64; 3]) {
        let (id, dimension) = (self.take_ids(1), self.dimension);
        let shape = self.shape();
        let (is_fixed, is_driven) = (self.random.one_in(12), self.random.one_in(8));
        let driven = (is_driven && !is_fixed).then(|| self.driven());
        let moves = !is_fixed && driven.is_none();
        let velocity = if moves { self.falling() } else { None };
        let spin = (moves && self.random.one_in(3)).then(|| match dimension {
            2 => format!("spin = {}", self.random.between(-20.0, 20.0)),
            _ => format!("spin = {}", self.any_vector(20.0)),
        });
        let mass = self.random.maybe(10, "mass", |random| random.power(0.1, 100.0).to_string());
        let orientation = self.orientation(2);
        let mesh = self.mesh_from_file().or_else(|| self.mesh_of(&shape));
        let is_from_file = mesh.as_ref().is_some_and(|mesh| mesh.contains("file"));
        let mass = mass.filter(|_| mesh.is_none());
        let can_hold = moves && velocity.is_none() && spin.is_none();
        let (mesh, nodes) = if is_fixed { (mesh, None) } else { self.nodes_of(mesh, can_hold) };
        if let Some(nodes) = &nodes {
            self.groups.push((id, if nodes.contains("nodes.soft") { "soft" } else { "side" }));
        }
        // The frame in which nodes are held may move.
        let is_held = nodes.as_ref().is_some_and(|nodes| nodes.contains("velocity"));
        let rests = nodes.as_ref().is_some_and(|nodes| nodes.contains(self.rest()));
        let moved = match (rests, self.dimension) {
            (false, _) => "{ velocity = { x = 0.2 } }",
            (true, 2) => "{ velocity = { x = 0.2, r = 3 } }",
            (true, _) => "{ velocity = { rx = 1, rz = -3 } }",
        };
        let frame = (is_held && self.later.one_in(2)).then(|| moved.to_owned());
        let driven = driven.or(frame);
        let lines = [
            Some(format!("id = {id}")),
            self.material(),
            (!is_from_file).then_some(shape),
            mesh,
            Some(format!("position = {}", self.vector(at))),
            orientation,
            velocity,
            spin,
            mass,
            is_fixed.then(|| "fixed = true".into()),
            driven.map(|driven| format!("driven = {driven}")),
            nodes,
        ];
        self.add("[[bodies]]", lines);
        self.known.push(Known { id, at, is_free: moves, is_bounded: true });
    }

    /// Prescribed velocities for some degrees of freedom, forces for others.
    fn driven(&mut self) -> String {
        let degrees: &[&str] = if self.dimension == 2 { &["x", "y", "r"] } else { &["x", "y", "z", "rx", "ry", "rz"] };
        let (mut velocities, mut forces) = (Vec::new(), Vec::new());
        for degree in degrees {
            match self.random.below(4) {
                0 => {
                    let signal = self.signal(-1.0, 1.0);
                    velocities.push(Some(format!("{degree} = {signal}")));
                }
                1 => {
                    let signal = self.signal(-50.0, 50.0);
                    forces.push(Some(format!("{degree} = {signal}")));
                }
                _ => {}
            }
        }
        // A body that is held takes no force.
        let holds = forces.is_empty() && self.random.one_in(2);
        if velocities.is_empty() && forces.is_empty() {
            velocities.push(Some("x = 0.3".into()));
        }
        table([
            (!velocities.is_empty()).then(|| format!("velocity = {}", table(velocities))),
            (!forces.is_empty()).then(|| format!("force = {}", table(forces))),
            holds.then(|| "hold = true".into()),
            self.random.maybe(3, "gravity", |random| random.one_in(2).to_string()),
        ])
    }

    /// A plane below everything.
    pub(super) fn floor(&mut self) {
        let id = self.take_ids(1);
        let shakes = self.random.one_in(4);
        let motion = match shakes {
            true => format!("driven = {{ hold = true, velocity = {{ {} = {} }} }}", self.up(), self.signal(-0.2, 0.2)),
            false => "fixed = true".into(),
        };
        let lines = [
            Some(format!("id = {id}")),
            self.material(),
            Some(format!("plane = {{ normal = {} }}", self.vector([0.0, 0.0, 1.0]))),
            Some(format!("position = {}", self.vector([0.0; 3]))),
            Some(motion),
        ];
        self.add("[[bodies]]", lines);
        self.known.push(Known { id, at: [0.0; 3], is_free: false, is_bounded: false });
    }

    /// An inclined wall over part of the floor, in 2D.
    pub(super) fn segment(&mut self) {
        let (up, width) = (self.top + 0.01, self.width());
        let id = self.take_ids(1);
        let rise = self.random.between(0.0, 0.5 * PITCH);
        let lines = [
            Some(format!("id = {id}")),
            self.material(),
            Some(format!("segment = {{ from = [0.1, {}], to = [{}, {}] }}", short(up), short(0.6 * width), up + rise)),
            Some("fixed = true".into()),
        ];
        self.add("[[bodies]]", lines);
        self.top += PITCH;
        self.known.push(Known { id, at: [0.1, 0.0, up], is_free: false, is_bounded: true });
    }

    /// A rotating drum around all slots up to `height`.
    pub(super) fn drum(&mut self, height: f64) {
        let half = [0.5 * self.width(), 0.5 * self.depth(), 0.5 * height];
        let id = self.take_ids(1);
        let radius = half[0].hypot(half[2]);
        let axis = (self.dimension == 3).then_some("axis = [0, 1, 0]".to_owned());
        let about = if self.dimension == 2 { "r" } else { "ry" };
        let turns = self.signal(-3.0, 3.0);
        let lines = [
            Some(format!("id = {id}")),
            self.material(),
            Some(format!("drum = {}", table([Some(format!("radius = {}", short(radius * 1.01))), axis]))),
            Some(format!("position = {}", self.vector(half))),
            Some(format!("driven = {{ hold = true, velocity = {{ {about} = {turns} }} }}")),
        ];
        self.add("[[bodies]]", lines);
        self.known.push(Known { id, at: half, is_free: false, is_bounded: false });
    }

    /// Plates below and above the sample from the floor to `height`, the upper one loaded or driven.
    pub(super) fn plates(&mut self, height: f64) {
        let (width, depth) = (self.width(), self.depth());
        for (up, is_upper) in [(-0.03, false), (height + 0.031, true)] {
            let id = self.take_ids(1);
            let speed = self.random.between(-0.5, -0.05);
            let motion = match (is_upper, self.random.one_in(2), self.dimension) {
                (false, ..) => "fixed = true".to_owned(),
                (_, true, _) => format!("driven = {{ hold = true, velocity = {{ {} = {speed} }} }}", self.up()),
                (_, _, 2) => "driven = { velocity = { x = 0, r = 0 }, force = { y = -500 } }".into(),
                _ => "driven = { velocity = { x = 0, y = 0, rx = 0, ry = 0, rz = 0 }, force = { z = -100 } }".into(),
            };
            let at = [0.5 * width, 0.5 * depth, up];
            let lines = [
                Some(format!("id = {id}")),
                self.material(),
                Some(format!("box = {{ size = {} }}", self.vector([3.0 * width, 3.0 * depth, 0.06]))),
                Some(format!("position = {}", self.vector(at))),
                Some(motion),
            ];
            self.add("[[bodies]]", lines);
            self.known.push(Known { id, at, is_free: false, is_bounded: true });
        }
    }
}

/// Radii of many spheres, all between two values.
pub(super) fn radii(random: &mut Chance, least: f64, most: f64) -> String {
    let middle = short(0.5 * (least + most));
    match random.below(5) {
        0 => format!("{{ uniform = [{least}, {most}] }}"),
        1 => format!("{{ two = [{least}, {most}], share = {} }}", random.between(0.1, 0.9)),
        2 => format!("{{ list = [{least}, {middle}, {most}] }}"),
        3 => least.to_string(),
        _ => most.to_string(),
    }
}
