//! `[[stop]]`: scene entries of the conditions that end a run early, and their checks.

use schemars::JsonSchema;
use serde::Deserialize;

use super::check::{axis, positive};
use super::words::list;
use super::{Checked, KeyPath, Scene, SceneProblem};

/// The run ends normally after the first step in which this condition holds. Exactly one of `kinetic_energy`, `bodies`,
/// `displacement`, `strain` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopEntry {
    /// All bodies have come to rest.
    pub kinetic_energy: Option<EnergyStop>,
    /// The number of bodies is below or above a limit.
    pub bodies: Option<BodiesStop>,
    /// The displacement of a body, for example of a driven wall, exceeds a limit.
    pub displacement: Option<DisplacementStop>,
    /// The relative change of the distance between two bodies, for example the plates of a press, exceeds a limit.
    pub strain: Option<StrainStop>,
    /// Earliest time, s.
    #[serde(default)]
    pub after: f64,
}

/// The total kinetic energy stays below a limit for some time.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyStop {
    /// Limit, J.
    pub below: f64,
    /// Duration for which it must be below the limit in every step, s.
    #[serde(default, rename = "for")]
    pub lasting: f64,
}

/// The number of bodies, obstacles included. Exactly one of `below` and `above` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodiesStop {
    /// The run ends when there are fewer bodies than this.
    pub below: Option<u64>,
    /// The run ends when there are more bodies than this.
    pub above: Option<u64>,
}

/// Displacement of a body since the start of the run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisplacementStop {
    /// Id of the body.
    pub body: u64,
    /// Axis: "x", "y" or "z".
    pub axis: String,
    /// The run ends when the displacement exceeds this, m; if negative, when the displacement against the axis exceeds
    /// its absolute value.
    pub beyond: f64,
}

/// Relative change of the distance between two bodies since the start of the run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrainStop {
    /// Ids of the bodies.
    pub between: [u64; 2],
    /// Axis along which the distance of their centres is measured: "x", "y" or "z".
    pub axis: String,
    /// The run ends when the relative increase exceeds this; if negative, when the relative decrease exceeds its
    /// absolute value.
    pub beyond: f64,
}

/// The index of the axis called `name`, in `dimension` dimensions.
pub(crate) fn axis_number(name: &str, dimension: usize) -> Option<usize> {
    axis(&KeyPath::default(), name, dimension).ok()
}

impl Scene {
    /// Requires every entry to have exactly one condition that can be met.
    pub(crate) fn check_stops(&self) -> Checked {
        for (i, entry) in self.stop.iter().enumerate() {
            let at = KeyPath::from("stop").then(i);
            self.check_stop(entry, &at)?;
        }
        Ok(())
    }

    fn check_stop(&self, entry: &StopEntry, at: &KeyPath) -> Checked {
        let given = [
            ("kinetic_energy", entry.kinetic_energy.is_some()),
            ("bodies", entry.bodies.is_some()),
            ("displacement", entry.displacement.is_some()),
            ("strain", entry.strain.is_some()),
        ];
        let names: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        match names[..] {
            [_] => {}
            [first, second, ..] => {
                let problem =
                    SceneProblem::key(&at.then(second), format!("this stop has two conditions, {first} and {second}"));
                let help = "give each a [[stop]] of its own: the run ends when one of them holds";
                return Err(problem.label("one too many").also(&at.then(first), "the other").help(help));
            }
            [] => {
                let problem = SceneProblem::value(at, "this stop has no condition").label("no condition here");
                return Err(problem.help(format!("add one of {}", list(&given.map(|(name, _)| name)))));
            }
        }
        Self::check_moment(&at.then("after"), entry.after)?;
        if let Some(energy) = &entry.kinetic_energy {
            let at = at.then("kinetic_energy");
            positive(&at.then("below"), energy.below, "energy in J; a kinetic energy is never below 0")?;
            Self::check_moment(&at.then("for"), energy.lasting)?;
        }
        if let Some(bodies) = &entry.bodies {
            let at = at.then("bodies");
            match (bodies.below, bodies.above) {
                (Some(_), None) | (None, Some(_)) => {}
                _ => {
                    let problem = SceneProblem::value(&at, "`bodies` needs either `below` or `above`");
                    return Err(problem.label("neither, or both").help("give each a [[stop]] of its own"));
                }
            }
            if bodies.below == Some(0) {
                let problem = SceneProblem::value(&at.then("below"), "there are never fewer than 0 bodies");
                return Err(problem.label("never holds").help("below = 1 ends the run when no body is left"));
            }
        }
        if let Some(stop) = &entry.displacement {
            let (at, dimension) = (at.then("displacement"), usize::from(self.world.dimension));
            axis(&at.then("axis"), &stop.axis, dimension)?;
            if stop.beyond == 0.0 {
                let problem =
                    SceneProblem::value(&at.then("beyond"), "`beyond` must not be 0: every body starts there");
                return Err(problem.label("zero").help("a distance in m, negative for one against the axis"));
            }
        }
        if let Some(stop) = &entry.strain {
            let (at, dimension) = (at.then("strain"), usize::from(self.world.dimension));
            axis(&at.then("axis"), &stop.axis, dimension)?;
            if stop.between[0] == stop.between[1] {
                let problem = SceneProblem::value(&at.then("between"), "a body has no distance from itself");
                return Err(problem.label("one body twice").help("name two bodies"));
            }
            if stop.beyond == 0.0 || stop.beyond <= -1.0 {
                let message = format!(
                    "`beyond` must be a nonzero fraction of the initial distance above -1, not {}",
                    stop.beyond
                );
                let problem = SceneProblem::value(&at.then("beyond"), message).label("out of range");
                return Err(problem.help("0.1 for a tenth further apart, -0.1 for a tenth closer"));
            }
        }
        Ok(())
    }

    /// Requires a time to be zero or positive.
    pub(crate) fn check_moment(at: &KeyPath, time: f64) -> Checked {
        if time >= 0.0 {
            return Ok(());
        }
        let problem = SceneProblem::value(at, format!("`{}` must not be negative, but it is {time}", at.last()));
        Err(problem.label("negative").help("a run starts at time 0"))
    }
}
