//! Feeds, sinks and removals, links, membranes, and stop conditions.

use super::bodies::radii;
use super::chance::{short, table};
use super::draft::{Draft, Known, PITCH};

impl Draft {
    /// A feed above all other bodies, often active before the first step.
    pub(super) fn feed(&mut self) {
        let (width, depth) = (self.width(), self.depth());
        let (min, max) = ([0.0, 0.0, self.top], [width, depth, self.top + 3.0 * PITCH]);
        let region = self.region(min, max);
        self.top += 3.0 * PITCH;
        let end = self.end();
        let random = &mut self.random;
        let amount = match random.one_in(2) {
            true => format!("rate = {}", random.power(200.0, 5000.0)),
            false => format!("count = {}\nevery = {}", 1 + random.below(6), random.between(0.1 * end, end)),
        };
        let shape = self.random.one_in(2).then(|| self.substitute());
        let is_random = shape.as_ref().is_some_and(|shape| shape.contains("grain = "));
        let velocity = self.random.one_in(2).then(|| {
            let down = self.random.between(-2.0, -0.2);
            format!("velocity = {}", self.vector([0.1, 0.0, down]))
        });
        let start = if self.random.one_in(3) { short(0.2 * end) } else { 0.0 };
        let random = &mut self.random;
        let lines = [
            Some(format!("radius = {}", radii(random, 0.015, 0.03))),
            Some(format!("box = {region}")),
            Some(amount),
            (start > 0.0).then(|| format!("start = {start}")),
            random.maybe(4, "end", |_| short(0.7 * end).to_string()),
            random.maybe(2, "total", |random| (1 + random.below(20)).to_string()),
            random.maybe(5, "above", |random| random.between(0.01, 0.05).to_string()),
            random.maybe(2, "seed", |random| random.below(1000).to_string()),
            is_random.then(|| format!("variety = {}", 1 + random.below(4))),
            velocity,
            shape.map(|shape| format!("shape = {shape}")),
        ];
        let material = self.material();
        self.add("[[feeds]]", [material].into_iter().chain(lines));
    }

    /// A sink in a corner, sometimes above the lowest layer.
    pub(super) fn sink(&mut self) {
        let share = self.random.between(0.1, 0.5);
        let low = self.random.pick(&[0.0, 0.0, PITCH]);
        let region = self.region([0.0, 0.0, low], [share * self.width(), self.depth(), low + PITCH]);
        self.add("[[sinks]]", [Some(format!("box = {region}"))]);
    }

    /// Removals of bodies, some before the first step.
    pub(super) fn removals(&mut self) {
        let count = 1 + self.random.below(2);
        for known in self.some_known(count, |_| true) {
            let line = match self.random.below(4) {
                0 => "at = 0".into(),
                1 => {
                    let after = self.random.maybe(2, "after", |_| "0.004".into());
                    let below = Some(format!("kinetic_energy_below = {}", self.random.power(1e-3, 1e3)));
                    format!("when = {}", table([below, after]))
                }
                _ => format!("at = {}", self.moment()),
            };
            self.add("[[removals]]", [Some(format!("body = {}", known.id)), Some(line)]);
        }
    }

    /// Up to `count` different bodies with an id that are `wanted`.
    fn some_known(&mut self, count: usize, wanted: impl Fn(&Known) -> bool) -> Vec<Known> {
        let mut left: Vec<Known> = self.known.iter().copied().filter(wanted).collect();
        (0..count.min(left.len())).map(|_| left.swap_remove(self.random.below(left.len()))).collect()
    }

    /// Ids of up to `count` bodies.
    pub(super) fn some_ids(&mut self, count: usize) -> Vec<u64> {
        self.some_known(count, |_| true).iter().map(|known| known.id).collect()
    }

    /// Links of every kind between neighbours of a layer, some to bodies that do not move.
    pub(super) fn links(&mut self) {
        let is_linkable = |known: &Known| known.is_bounded && known.at[0].is_finite();
        let all: Vec<Known> = self.known.iter().copied().filter(is_linkable).collect();
        for pair in all.windows(2) {
            let [a, b] = [pair[0], pair[1]];
            if !(a.is_free || b.is_free) || self.random.one_in(3) {
                continue;
            }
            self.has_links = true;
            let way: Vec<f64> = (0..3).map(|k| b.at[k] - a.at[k]).collect();
            let distance = way.iter().map(|x| x * x).sum::<f64>().sqrt();
            let middle: [f64; 3] = std::array::from_fn(|k| 0.5 * (a.at[k] + b.at[k]));
            let mut at = None;
            let random = &mut self.random;
            let kind = match random.below(5) {
                0 => {
                    let length = random.maybe(2, "length", |random| (distance * random.between(1.0, 1.1)).to_string());
                    let strength = random.maybe(2, "strength", |random| random.power(1.0, 1e3).to_string());
                    format!("wire = {}", table([length, strength]))
                }
                1 => format!("rod = {}", table([random.maybe(2, "length", |_| distance.to_string())])),
                2 => {
                    let stiffness = Some(format!("stiffness = {}", random.power(10.0, 1e5)));
                    let viscosity = random.maybe(2, "viscosity", |random| random.power(0.1, 10.0).to_string());
                    let length = random.maybe(2, "length", |random| (distance * random.between(0.8, 1.2)).to_string());
                    format!("spring = {}", table([stiffness, viscosity, length]))
                }
                3 => {
                    at = Some(format!("at = [{}]", self.vector(middle)));
                    "ball_joint = {}".into()
                }
                _ => {
                    at = Some(format!("at = [{}]", self.vector(middle)));
                    if self.dimension == 2 { "hinge = {}".into() } else { "hinge = { axis = [0, 1, 0.2] }".into() }
                }
            };
            if at.is_none() && !kind.contains("length") && self.random.one_in(2) {
                let ends = [a, b].map(|end| self.vector(end.at));
                at = Some(format!("at = [{}, {}]", ends[0], ends[1]));
            }
            let collide = self.random.maybe(3, "collide", |random| random.one_in(2).to_string());
            let between = Some(format!("between = [{}, {}]", a.id, b.id));
            self.add("[[links]]", [between, at, Some(kind), collide]);
        }
    }

    /// Pressure on some sides of the sample.
    pub(super) fn membranes(&mut self) {
        let axis = self.random.pick(self.axes());
        let both = self.random.one_in(2);
        for side in ["+", "-"].into_iter().take(1 + usize::from(both)) {
            let pressure = self.signal(1e3, 3e4);
            let region = self.random.one_in(3).then(|| format!("box = {}", self.any_region()));
            let spacing = self.random.maybe(2, "spacing", |random| random.between(0.005, 0.02).to_string());
            let lines =
                [Some(format!("side = \"{side}{axis}\"")), Some(format!("pressure = {pressure}")), spacing, region];
            self.add("[[membranes]]", lines);
        }
    }

    /// Stop conditions; most never hold.
    pub(super) fn stop(&mut self) {
        let up = self.up();
        let bodies = self.some_ids(2);
        let random = &mut self.random;
        let condition = match random.below(4) {
            0 => {
                let lasting = random.maybe(2, "for", |_| "0.003".into());
                format!("kinetic_energy = {}", table([Some(format!("below = {}", random.power(1e-6, 1.0))), lasting]))
            }
            1 => match random.one_in(2) {
                true => format!("bodies = {{ below = {} }}", 1 + random.below(20)),
                false => format!("bodies = {{ above = {} }}", 20 + random.below(60)),
            },
            2 if !bodies.is_empty() => {
                let beyond = random.pick(&[-0.02, -0.005, 0.005, 0.02]);
                format!("displacement = {{ body = {}, axis = \"{up}\", beyond = {beyond} }}", bodies[0])
            }
            _ if bodies.len() > 1 => {
                let beyond = random.pick(&[-0.2, -0.01, 0.01, 0.2]);
                format!("strain = {{ between = [{}, {}], axis = \"x\", beyond = {beyond} }}", bodies[0], bodies[1])
            }
            _ => "bodies = { below = 2 }".into(),
        };
        let after = self.random.one_in(2).then(|| format!("after = {}", self.moment()));
        self.add("[[stop]]", [Some(condition), after]);
    }
}
