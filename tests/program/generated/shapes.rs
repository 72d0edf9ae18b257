//! Shapes of every kind, no point of which is farther than [`REACH`] from the centre of its slot.

use super::chance::{short, table};
use super::draft::{Draft, REACH};

/// A tetrahedron about its centre.
const TETRAHEDRON: &str = "v 1 1 1\nv 1 -1 -1\nv -1 1 -1\nv -1 -1 1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";
/// A non-convex surface.
const NOTCHED: &str = include_str!("../../broken/notched.stl");

impl Draft {
    /// The shape of a single body, as `name = { ... }`.
    pub(super) fn shape(&mut self) -> String {
        self.solid(1.0, true)
    }

    /// The shape that replaces the spheres of a generator or feed, as a table.
    pub(super) fn substitute(&mut self) -> String {
        let shape = self.solid(1.0, false);
        format!("{{ {shape} }}")
    }

    /// A shape of `scale` times the size of a slot, with its own radius or the one given by a generator.
    fn solid(&mut self, scale: f64, is_own: bool) -> String {
        match self.random.below(8) {
            0 => self.ball(scale),
            1 => {
                let edges = [0.5, 0.6, 0.7].map(|edge| edge * 1.3 * scale * REACH);
                format!("box = {{ size = {} }}", self.vector(edges))
            }
            2 => {
                let (radius, length) = (short(0.45 * scale * REACH), short(0.9 * scale * REACH));
                format!("capsule = {{ radius = {radius}, length = {length} }}")
            }
            3 => self.grain(scale, is_own),
            4 => self.compound(scale, is_own),
            5 if self.dimension == 3 => {
                let (radius, length) = (short(0.6 * scale * REACH), short(scale * REACH));
                format!("cylinder = {{ radius = {radius}, length = {length} }}")
            }
            _ if self.dimension == 2 => self.polygon(scale),
            _ => self.polyhedron(scale, is_own),
        }
    }

    fn ball(&mut self, scale: f64) -> String {
        let name = if self.dimension == 2 { "disk" } else { "sphere" };
        let least = self.random.pick(&[0.15, 0.5]);
        format!("{name} = {{ radius = {} }}", short(self.random.between(least, 0.95) * scale * REACH))
    }

    fn grain(&mut self, scale: f64, is_own: bool) -> String {
        let corners = self.dimension + 1 + self.random.below(8);
        let random = &mut self.random;
        let entries = [
            Some(format!("corners = {corners}")),
            is_own.then(|| format!("radius = {}", short(0.9 * scale * REACH))),
            random.maybe(2, "aspect", |random| random.between(0.5, 1.0).to_string()),
            random.maybe(2, "irregularity", |random| random.between(0.0, 0.6).to_string()),
            random.maybe(2, "seed", |random| random.below(100).to_string()),
        ];
        format!("grain = {}", table(entries))
    }

    /// Two or three parts side by side.
    fn compound(&mut self, scale: f64, is_own: bool) -> String {
        let away = 0.5 * scale * REACH;
        let count = 2 + self.random.below(2);
        let parts: Vec<String> = (0..count)
            .map(|k| {
                let nested = scale > 0.9 && self.random.one_in(8);
                let shape = match k {
                    0 if nested => self.compound(0.45 * scale, is_own),
                    _ if self.random.one_in(2) => self.ball(0.45 * scale),
                    _ => self.solid_part(0.45 * scale, is_own),
                };
                let position = (k > 0 || self.random.one_in(2)).then(|| {
                    let place = [[-away, 0.0, 0.0], [away, 0.0, 0.0], [0.0, 0.0, away]][k];
                    format!("position = {}", self.vector(place))
                });
                let orientation = self.orientation(3);
                table([Some(shape), position, orientation])
            })
            .collect();
        format!("compound = [{}]", parts.join(", "))
    }

    /// A part that is not a compound itself.
    fn solid_part(&mut self, scale: f64, is_own: bool) -> String {
        loop {
            let shape = self.solid(scale, is_own);
            if !shape.starts_with("compound") && !shape.contains("file = ") {
                return shape;
            }
        }
    }

    /// An orientation, once in `count` times.
    pub(super) fn orientation(&mut self, count: usize) -> Option<String> {
        if !self.random.one_in(count) {
            return None;
        }
        let angle = self.random.between(-3.0, 3.0);
        let turn = match self.dimension {
            2 => angle.to_string(),
            _ if self.random.one_in(2) => {
                let (sine, cosine) = (0.5 * angle).sin_cos();
                format!("[{cosine}, 0, {sine}, 0]")
            }
            _ => format!("{{ axis = [1, {}, 0.5], angle = {angle} }}", self.random.between(-1.0, 1.0)),
        };
        Some(format!("orientation = {turn}"))
    }

    fn polygon(&mut self, scale: f64) -> String {
        let radius = 0.9 * scale * REACH;
        let corners = |points: &[[f64; 2]]| {
            let points: Vec<String> =
                points.iter().map(|[x, y]| format!("[{}, {}]", short(radius * x), short(radius * y))).collect();
            format!("[{}]", points.join(", "))
        };
        let radius = short(radius);
        let entries = match self.random.below(4) {
            0 => format!("sides = {}, radius = {radius}", 3 + self.random.below(6)),
            1 => format!("vertices = {}", corners(&[[-0.6, -0.5], [0.7, -0.4], [0.5, 0.6], [-0.5, 0.5]])),
            2 => {
                let notched = [[-0.6, -0.6], [0.6, -0.6], [0.6, 0.0], [0.0, 0.1], [-0.1, 0.7], [-0.6, 0.6]];
                format!("outline = {}", corners(&notched))
            }
            _ => {
                let inner = self.random.maybe(2, "inner", |random| random.between(0.3, 0.7).to_string());
                let points = 3 + self.random.below(4);
                let entries = [Some(format!("points = {points}, radius = {radius}")), inner];
                entries.into_iter().flatten().collect::<Vec<_>>().join(", ")
            }
        };
        format!("polygon = {{ {entries} }}")
    }

    fn polyhedron(&mut self, scale: f64, is_own: bool) -> String {
        let radius = short(0.9 * scale * REACH);
        let names = ["tetrahedron", "cube", "octahedron", "dodecahedron", "icosahedron", "ballast"];
        let entries = match self.random.below(if is_own { 5 } else { 2 }) {
            0 | 1 => format!("name = {:?}, radius = {radius}", self.random.pick(&names)),
            2 => {
                let edge = short(0.55 * scale * REACH);
                let corners = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].map(|[x, y]| {
                    format!("[{}, {}, {}], [{}, {}, {edge}]", x * edge, y * edge, -edge, 0.8 * x * edge, 0.8 * y * edge)
                });
                format!("vertices = [{}]", corners.join(", "))
            }
            3 => {
                self.file("tetrahedron.obj", TETRAHEDRON);
                format!("file = \"tetrahedron.obj\", scale = {}", short(0.5 * scale * REACH))
            }
            _ => {
                self.file("notched.stl", NOTCHED);
                format!("file = \"notched.stl\", parts = 3, scale = {}", short(0.4 * scale * REACH))
            }
        };
        format!("polyhedron = {{ {entries} }}")
    }

    /// Adds a file next to the scene, once.
    fn file(&mut self, name: &str, text: &str) {
        if self.files.iter().all(|(other, _)| other != name) {
            self.files.push((name.into(), text.into()));
        }
    }
}
