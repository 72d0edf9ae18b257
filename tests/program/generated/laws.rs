//! Materials of very different densities, and a law for every pair of them.

use super::chance::{Chance, table};
use super::draft::{Draft, MATERIALS};

impl Draft {
    /// Adds the sections of materials and laws.
    pub(super) fn materials(&mut self) {
        let ratio = self.random.pick(&[1.0, 10.0, 1e3, 1e5]);
        for name in MATERIALS {
            let density = 500.0 * self.random.power(1.0, 1.0 + ratio);
            let elastic = self.elastic();
            self.add(&format!("[materials.{name}]"), [Some(format!("density = {density:.0}")), Some(elastic)]);
        }
        let law = |draft: &mut Self, between: [&str; 2]| {
            let mut law = law(&mut draft.random);
            if between != ["*", "*"] {
                // All bodies of a named material may be round, and have no area of contact.
                law = law.replace("per_area = true", "per_area = false");
            }
            draft.add("[[laws]]", [Some(format!("between = {between:?}")), Some(law)]);
        };
        match self.random.below(3) {
            0 => law(self, ["*", "*"]),
            1 => {
                law(self, ["*", "*"]);
                let one = self.random.pick(&MATERIALS);
                law(self, [one, one]);
            }
            _ => {
                for (i, a) in MATERIALS.iter().enumerate() {
                    MATERIALS[i..].iter().for_each(|b| law(self, [a, b]));
                }
            }
        }
    }
}

/// Name of a law and its entries.
type GivenLaw = (&'static str, Vec<Option<String>>);

/// One of all laws; every other one is Coulomb friction.
fn law(random: &mut Chance) -> String {
    let rolling = random.maybe(3, "rolling", |random| random.between(0.01, 0.2).to_string());
    let (name, entries) = match random.below(28) {
        0 => ("frictionless", Vec::new()),
        1 => {
            let tangent = random.maybe(2, "tangent", |random| random.between(0.0, 1.0).to_string());
            let stiffness = tangent.as_ref().map(|_| "stiffness = 2.5".to_owned());
            (
                "restitution",
                vec![given("normal", random.between(0.0, 1.0)), friction(random), tangent, rolling, stiffness],
            )
        }
        2 => ("bilateral", Vec::new()),
        27 => ("none", Vec::new()),
        number @ 3..=6 => cohesive_law(random, number),
        number @ 7..=13 => law_with_scale(random, number),
        _ => ("coulomb", vec![friction(random), rolling]),
    };
    format!("{name} = {}", table(entries))
}

fn friction(random: &mut Chance) -> Option<String> {
    Some(format!("friction = {}", random.pick(&[0.0, 0.2, 0.5, 1.0])))
}

fn given(key: &str, value: f64) -> Option<String> {
    Some(format!("{key} = {value}"))
}

/// Laws that resist tension.
fn cohesive_law(random: &mut Chance, number: usize) -> GivenLaw {
    match number {
        3 => {
            let distance = random.maybe(2, "distance", |random| random.power(1e-4, 1e-2).to_string());
            ("adhesion", vec![given("force", random.power(1.0, 100.0)), distance, friction(random)])
        }
        4 => {
            let angle = random.maybe(2, "contact_angle", |random| random.between(0.0, 1.0).to_string());
            let volume = given("volume", random.power(1e-10, 1e-8));
            ("capillary", vec![given("surface_tension", 0.072), volume, angle, friction(random)])
        }
        5 => {
            let entries = vec![
                Some("stiffness = [1e6, 8e5]".into()),
                given("energy", random.power(0.1, 10.0)),
                friction(random),
                random.maybe(3, "intact", |random| random.one_in(2).to_string()),
                random.maybe(2, "strength", |random| random.between(50.0, 300.0).to_string()),
                random.maybe(2, "viscosity", |random| random.power(1e-4, 1e-2).to_string()),
                random.maybe(3, "per_area", |random| random.one_in(2).to_string()),
            ];
            ("cohesive_zone", entries)
        }
        _ => {
            let intact = random.maybe(3, "intact", |random| random.one_in(2).to_string());
            let (cohesion, tension) = (random.power(1.0, 1e3), random.power(1.0, 1e3));
            let area = random.maybe(3, "per_area", |random| random.one_in(2).to_string());
            ("joint", vec![given("cohesion", cohesion), given("tension", tension), friction(random), intact, area])
        }
    }
}

/// Laws with a force, stiffness, velocity or time of their own.
fn law_with_scale(random: &mut Chance, number: usize) -> GivenLaw {
    match number {
        7 => {
            let threshold = random.power(1.0, 100.0).to_string();
            ("orowan", vec![friction(random), Some(format!("threshold = {threshold}"))])
        }
        8 => {
            let factor = random.maybe(2, "factor", |random| random.between(0.1, 2.0).to_string());
            ("orowan", vec![friction(random), Some("threshold = \"mean\"".into()), factor])
        }
        9 => {
            let rubs = random.one_in(2).then(|| friction(random)).flatten();
            let tangent = random.maybe(2, "tangent", |random| random.power(0.1, 10.0).to_string());
            ("percussion", vec![given("normal", random.power(1.0, 100.0)), rubs, tangent])
        }
        10 => {
            let viscosity = random.maybe(2, "viscosity", |random| random.power(1.0, 100.0).to_string());
            ("repulsion", vec![given("stiffness", random.power(1e4, 1e6)), friction(random), viscosity])
        }
        11 => {
            let velocity = random.maybe(2, "velocity", |random| random.power(1e-4, 1e-1).to_string());
            let dynamic = random.between(0.1, 0.5);
            let rest = given("static", random.between(0.5, 1.0));
            ("static_dynamic", vec![rest, given("dynamic", dynamic), velocity])
        }
        12 => ("tresca", vec![given("limit", random.power(1.0, 100.0))]),
        _ => {
            let damping = random.maybe(2, "damping", |random| random.between(0.0, 2.0).to_string());
            let period = random.maybe(2, "period", |random| random.power(1e-3, 1e-2).to_string());
            ("viscoelastic", vec![damping, friction(random), period])
        }
    }
}
