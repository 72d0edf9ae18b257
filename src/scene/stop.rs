//! `[[stop]]`: scene entries of the conditions that end a run early, and their checks.

use schemars::JsonSchema;
use serde::Deserialize;

use super::check::{axis, positive};
use super::words::list;
use super::{Checked, KeyPath, Scene, SceneProblem};

/// The run ends, as finished, after the first step in which this holds. Exactly one of `kinetic_energy`, `bodies`,
/// `displacement`, `strain` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopEntry {
    /// Everything has come to rest.
    pub kinetic_energy: Option<EnergyStop>,
    /// There are few or many bodies.
    pub bodies: Option<BodiesStop>,
    /// A body, a driven wall for example, has moved so far.
    pub displacement: Option<DisplacementStop>,
    /// Two bodies, the plates of a press for example, have come closer to each other or moved apart by so much.
    pub strain: Option<StrainStop>,
    /// Not before this time, s.
    #[serde(default)]
    pub after: f64,
}

/// The kinetic energy of all bodies together is low for a while.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyStop {
    /// Less than this, J...
    pub below: f64,
    /// ...in every step for this time, s.
    #[serde(default, rename = "for")]
    pub lasting: f64,
}

/// The number of bodies, obstacles included. Exactly one of `below` and `above` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodiesStop {
    /// Fewer than this.
    pub below: Option<u64>,
    /// More than this.
    pub above: Option<u64>,
}

/// How far a body has moved since the start of the run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisplacementStop {
    /// Number of the body.
    pub body: u64,
    /// Along which axis: "x", "y" or "z".
    pub axis: String,
    /// Further than this, m; where it is negative, further than this against the axis.
    pub beyond: f64,
}

/// How much the distance between two bodies has grown since the start of the run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrainStop {
    /// Numbers of the bodies.
    pub between: [u64; 2],
    /// The axis along which their centres are apart: "x", "y" or "z".
    pub axis: String,
    /// Grown by more than this part of what it was; where it is negative, shrunk by more.
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
                    SceneProblem::key(&at.then(second), format!("one stop with two conditions, {first} and {second}"));
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
                return Err(problem.label("never holds").help("below = 1 ends the run when the last one is gone"));
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
                let message = format!("`beyond` is a part of the distance at the start, not {}", stop.beyond);
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
