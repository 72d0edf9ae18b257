//! Generators of many bodies: lattices, deposits, files, walls, and masonry.

use super::bodies::radii;
use super::chance::{short, table};
use super::draft::{Draft, Known, PITCH, REACH};

impl Draft {
    /// Planes around all slots, up to far above.
    pub(super) fn walls(&mut self) {
        let id = self.take_ids(10);
        let open = match (self.random.below(4), self.dimension) {
            (0, _) => None,
            (1, _) => Some(vec!["+x".to_owned(), format!("+{}", self.up())]),
            _ => Some(vec![format!("+{}", self.up())]),
        };
        let (min, max) = ([0.0; 3], [self.width(), self.depth(), 3.0]);
        let walls = table([
            Some(format!("min = {}", self.vector(min))),
            Some(format!("max = {}", self.vector(max))),
            open.map(|open| format!("open = {open:?}")),
        ]);
        let numbered = self.random.one_in(2);
        if numbered {
            self.known.push(Known { id, at: [0.0; 3], is_free: false, is_bounded: false });
        }
        let lines = [self.material(), numbered.then(|| format!("first_id = {id}")), Some(format!("walls = {walls}"))];
        self.add("[[generators]]", lines);
    }

    /// Common part of the generators of spheres.
    fn balls(&mut self, count: u64, balls: String) {
        let shape = self.random.one_in(2).then(|| self.substitute());
        let variety = shape.as_ref().is_some_and(|shape| shape.contains("grain = "));
        let variety =
            variety.then(|| self.random.maybe(2, "variety", |random| (1 + random.below(5)).to_string())).flatten();
        let mesh = if shape.is_none() { self.mesh_of("disk = ") } else { None };
        let id = self.take_ids(count);
        let numbered = self.random.one_in(2);
        if numbered && count > 0 {
            // Its position is irrelevant to the sections that refer to it.
            self.known.push(Known { id, at: [f64::NAN; 3], is_free: true, is_bounded: true });
        }
        let lines = [
            self.material(),
            numbered.then(|| format!("first_id = {id}")),
            self.random.maybe(3, "seed", |random| random.below(1000).to_string()),
            shape.map(|shape| format!("shape = {shape}")),
            variety,
            mesh,
            Some(balls),
        ];
        self.add("[[generators]]", lines);
    }

    /// Spheres on a lattice, in one or two layers.
    pub(super) fn lattice(&mut self) {
        let layers = 1 + self.random.below(2);
        let [across, deep] = self.slots;
        let count = match self.dimension {
            2 => format!("[{across}, {layers}]"),
            _ => format!("[{across}, {deep}, {layers}]"),
        };
        let most = 0.5 * PITCH;
        let spacing = match self.random.one_in(2) {
            true => PITCH.to_string(),
            false => self.vector([PITCH; 3]),
        };
        let origin = self.vector([0.0, 0.0, self.top]);
        let velocity = self.falling();
        let lattice = table([
            Some(format!("count = {count}, spacing = {spacing}, origin = {origin}")),
            Some(format!("radius = {}", radii(&mut self.random, short(0.75 * most), short(0.99 * most)))),
            self.random.maybe(2, "jitter", |random| random.between(0.1, 1.0).to_string()),
            velocity,
        ]);
        self.top += layers as f64 * PITCH;
        self.balls((across * deep * layers) as u64, format!("lattice = {lattice}"));
    }

    /// Dense packing of spheres that touch from the start.
    pub(super) fn deposit(&mut self) {
        let height = 4.0 * PITCH;
        let (least, most) = (0.03, REACH);
        let balls = self.slots[0] * self.slots[1] * 2 + self.random.below(8);
        let amount = match self.random.one_in(3) {
            true => format!("height = {}", short(0.5 * height)),
            false => format!("count = {balls}"),
        };
        let (min, max) = ([0.0, 0.0, self.top], [self.width(), self.depth(), self.top + height]);
        let radius = radii(&mut self.random, least, most);
        let (min, max) = (self.vector(min), self.vector(max));
        self.top += height;
        // The number of spheres in a given height is unknown here; enough ids are reserved.
        self.balls(500, format!("deposit = {{ min = {min}, max = {max}, {amount}, radius = {radius} }}"));
    }

    /// Spheres from the final state of an earlier run, which moves them slightly.
    pub(super) fn earlier(&mut self) {
        let slots = self.layer();
        let ids = self.take_ids(slots.len() as u64);
        let name = if self.dimension == 2 { "disk" } else { "sphere" };
        let mut text = format!(
            "[world]\ndimension = {}\n[time]\nstep = 1e-3\nend = 0.003\n[[laws]]\nbetween = [\"*\", \"*\"]\n\
             coulomb = {{ friction = 0.3 }}\n[materials.stone]\ndensity = 1000\n",
            self.dimension
        );
        for (id, at) in (ids..).zip(slots) {
            let is_fixed = id == ids;
            let end = if is_fixed { "fixed = true" } else { "spin = 0" };
            let end = if is_fixed || self.dimension == 2 { end } else { "spin = [0, 1, 0]" };
            text += &format!(
                "[[bodies]]\nid = {id}\nmaterial = \"stone\"\n{name} = {{ radius = {REACH} }}\nposition = {}\n{end}\n",
                self.vector(at)
            );
            self.known.extend((!is_fixed).then_some(Known { id, at: [f64::NAN; 3], is_free: true, is_bounded: true }));
        }
        self.before = Some(text);
        let lines = [
            Some("from = \"before/final.h5\"".into()),
            self.random.one_in(2).then(|| "material = \"foam\"".into()),
            self.random.maybe(2, "which", |random| format!("{:?}", random.pick(&["free", "all"]))),
            self.random.maybe(2, "at_rest", |random| random.one_in(2).to_string()),
        ];
        self.add("[[bodies]]", lines);
    }

    /// Spheres from a file.
    pub(super) fn csv(&mut self) {
        let name = format!("balls-{}.csv", self.files.len());
        let mut rows = if self.dimension == 2 { "x, y, r\n".to_owned() } else { "x, y, z, r\n".to_owned() };
        let slots = self.layer();
        for at in &slots {
            let place = self.vector(*at);
            rows += &format!("{}, {}\n", place.trim_matches(['[', ']']), self.random.between(0.6 * REACH, REACH));
        }
        self.files.push((name.clone(), rows));
        let velocity = self.falling();
        let csv = table([Some(format!("file = \"{name}\"")), velocity]);
        self.balls(slots.len() as u64, format!("csv = {csv}"));
    }

    /// A wall, an arch or a column on the floor, with nothing else below its top.
    pub(super) fn building(&mut self) {
        let is_plane = self.dimension == 2;
        let building = match self.random.below(3) {
            0 => {
                let brick = if is_plane { "[0.12, 0.06]" } else { "[0.12, 0.06, 0.06]" };
                let openings =
                    self.random.maybe(2, "openings", |_| "[{ min = [0.12, 0.06], max = [0.24, 0.12] }]".into());
                let courses = 3 + self.random.below(2);
                self.top = 0.06 * courses as f64 + 0.02;
                let masonry = table([
                    Some(format!("brick = {brick}, courses = {courses}, bricks = 3")),
                    Some(format!("origin = {}", self.vector([0.0; 3]))),
                    self.random.maybe(2, "joint", |_| "0.0005".into()),
                    openings,
                ]);
                format!("masonry = {masonry}")
            }
            1 => {
                self.top = 0.45;
                let arch = table([
                    Some("inner_radius = 0.2, thickness = 0.1".into()),
                    Some(format!("voussoirs = {}", 5 + self.random.below(5))),
                    Some(format!("centre = {}", self.vector([0.3, 0.1, 0.0]))),
                    self.random.maybe(3, "abutments", |random| random.one_in(2).to_string()),
                    self.random.maybe(3, "angle", |random| random.between(2.0, 3.1).to_string()),
                    (!is_plane).then(|| "depth = 0.1".into()),
                ]);
                format!("arch = {arch}")
            }
            _ => {
                let drums = 3 + self.random.below(3);
                self.top = 0.05 * drums as f64 + 0.08;
                let capital = if is_plane { "[0.14, 0.04]" } else { "[0.14, 0.14, 0.04]" };
                let column = table([
                    Some(format!("drums = {drums}, radius = 0.05, height = 0.05")),
                    Some(format!("origin = {}", self.vector([0.1, 0.1, 0.0]))),
                    self.random.maybe(2, "capital", |_| format!("{{ size = {capital} }}")),
                    if is_plane {
                        None
                    } else {
                        self.random.maybe(1, "sides", |random| (5 + random.below(6)).to_string())
                    },
                ]);
                format!("column = {column}")
            }
        };
        let material = self.material();
        let random = &mut self.later;
        let mesh = random.one_in(3).then(|| format!("mesh = {{ size = {} }}", short(random.between(0.5, 0.9) * REACH)));
        self.add("[[generators]]", [material, mesh, Some(building)]);
    }
}
