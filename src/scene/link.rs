//! Checks of `[[links]]`.

use super::values::{length, positive};
use super::words::list;
use super::{Checked, KeyPath, LinkEntry, Scene, SceneProblem, SpringEntry};

impl LinkEntry {
    /// Names of all kinds.
    const NAMES: [&'static str; 5] = ["wire", "rod", "spring", "ball_joint", "hinge"];

    /// Names of the kinds given in this entry.
    fn given(&self) -> Vec<&'static str> {
        let given = [
            self.wire.is_some(),
            self.rod.is_some(),
            self.spring.is_some(),
            self.ball_joint.is_some(),
            self.hinge.is_some(),
        ];
        Self::NAMES.into_iter().zip(given).filter_map(|(name, given)| given.then_some(name)).collect()
    }

    /// Whether the link keeps two points together.
    pub(crate) fn is_joint(&self) -> bool {
        self.ball_joint.is_some() || self.hinge.is_some()
    }

    /// Whether the two bodies collide with each other.
    pub(crate) fn collides(&self) -> bool {
        self.collide.unwrap_or(!self.is_joint())
    }

    /// The given length, if any, and its key.
    pub(crate) fn length(&self, at: &KeyPath) -> (Option<f64>, KeyPath) {
        let kinds = [
            ("wire", self.wire.as_ref().and_then(|wire| wire.length)),
            ("rod", self.rod.as_ref().and_then(|rod| rod.length)),
            ("spring", self.spring.as_ref().and_then(|spring| spring.length)),
        ];
        let found = kinds.into_iter().find(|(_, length)| length.is_some());
        found.map_or((None, at.clone()), |(kind, length)| (length, at.then(kind).then("length")))
    }

    fn check(&self, at: &KeyPath, dimension: usize) -> Checked {
        let between = at.then("between");
        if self.between.len() != 2 {
            let message = format!("`between` names {} bodies where 2 are needed", self.between.len());
            return Err(SceneProblem::value(&between, message)
                .label("not a pair")
                .help("the ids of the two bodies it links"));
        }
        if self.between[0] == self.between[1] {
            let message = format!("body {} is linked to itself", self.between[0]);
            return Err(SceneProblem::value(&between, message).label("twice the same").help("a link needs two bodies"));
        }
        let given = self.given();
        if let [first, second, ..] = given[..] {
            let problem = SceneProblem::key(&at.then(second), format!("this link has two kinds, {first} and {second}"));
            let problem = problem.label("one too many").also(&at.then(first), "the other");
            return Err(problem.help("keep one of them; two links may join the same bodies"));
        }
        if given.is_empty() {
            let problem = SceneProblem::value(at, "this entry names no kind of link").label("no kind here");
            return Err(problem.help(format!("add one of {}", list(&Self::NAMES))));
        }
        self.check_points(at, dimension)?;
        self.check_parameters(at)
    }

    fn check_points(&self, at: &KeyPath, dimension: usize) -> Checked {
        let points_at = at.then("at");
        match &self.at {
            None if self.is_joint() => {
                let problem = SceneProblem::value(at, "this joint has no position").label("`at` is missing");
                return Err(problem.help("add at = [[...]], the point where the two bodies are joined"));
            }
            None => return Ok(()),
            Some(points) => {
                if !(1..=2).contains(&points.len()) {
                    let message = format!("`at` has {} points where 1 or 2 are needed", points.len());
                    let problem = SceneProblem::value(&points_at, message).label("not one or two");
                    return Err(problem.help("a point on each body, [[...], [...]], or one for both, [[...]]"));
                }
                for (k, point) in points.iter().enumerate() {
                    length(&points_at.then(k), point.len(), dimension)
                        .map_err(|p| SceneProblem { message: p.message.replace(&format!("`{k}`"), "a point"), ..p })?;
                }
            }
        }
        match self.at.as_deref() {
            Some([first, second]) if self.is_joint() && first != second => {
                let problem = SceneProblem::value(&points_at.then(1), "the two points of a joint must be the same");
                let problem = problem.label("another point").also(&points_at.then(0), "the first");
                Err(problem.help("give one point; bodies that are apart can be linked by a rod"))
            }
            _ => Ok(()),
        }
    }

    fn check_parameters(&self, at: &KeyPath) -> Checked {
        let (length, length_at) = self.length(at);
        match length {
            Some(length) if self.spring.is_some() => not_negative(&length_at, length, "rest length, m")?,
            Some(length) => positive(&length_at, length, "leave it out to use the distance at the start")?,
            None => {}
        }
        if let Some(strength) = self.wire.as_ref().and_then(|wire| wire.strength) {
            let help = "tensile strength, N; leave it out for a wire that does not break";
            positive(&at.then("wire").then("strength"), strength, help)?;
        }
        if let Some(SpringEntry { stiffness, viscosity, .. }) = self.spring {
            let here = at.then("spring");
            not_negative(&here.then("stiffness"), stiffness, "force over change of length, N/m")?;
            not_negative(&here.then("viscosity"), viscosity, "force over speed, N s/m")?;
            if stiffness == 0.0 && viscosity == 0.0 {
                let problem = SceneProblem::value(&here, "a spring without stiffness and viscosity does nothing");
                return Err(problem.label("no force").help("give it a stiffness, N/m, or a viscosity, N s/m"));
            }
        }
        Ok(())
    }
}

fn not_negative(path: &KeyPath, value: f64, help: &str) -> Checked {
    if value >= 0.0 {
        return Ok(());
    }
    let problem = SceneProblem::value(path, format!("`{}` must not be negative, but it is {value}", path.last()));
    Err(problem.label("negative").help(help))
}

impl Scene {
    /// Requires each link to join two bodies in exactly one way, with valid parameters.
    pub(crate) fn check_links(&self) -> Checked {
        let dimension = usize::from(self.world.dimension);
        let at = |i: usize| KeyPath::from("links").then(i);
        self.links.iter().enumerate().try_for_each(|(i, entry)| entry.check(&at(i), dimension))
    }
}
