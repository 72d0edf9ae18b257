//! Checks of `[[stop]]`.

use super::values::{axis, positive};
use super::words::list;
use super::{BodiesStop, Checked, DisplacementStop, KeyPath, Scene, SceneProblem, StopEntry, StrainStop};

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
        check_one_condition(entry, at)?;
        Self::check_not_negative(&at.then("after"), entry.after)?;
        if let Some(energy) = &entry.kinetic_energy {
            let at = at.then("kinetic_energy");
            positive(&at.then("below"), energy.below, "energy in J; a kinetic energy is never below 0")?;
            Self::check_not_negative(&at.then("for"), energy.lasting)?;
        }
        let dimension = usize::from(self.world.dimension);
        entry.bodies.as_ref().map_or(Ok(()), |stop| check_bodies(stop, &at.then("bodies")))?;
        let moved = entry.displacement.as_ref();
        moved.map_or(Ok(()), |stop| check_displacement(stop, &at.then("displacement"), dimension))?;
        entry.strain.as_ref().map_or(Ok(()), |stop| check_strain(stop, &at.then("strain"), dimension))
    }

    /// Requires a time to be zero or positive.
    pub(crate) fn check_not_negative(at: &KeyPath, time: f64) -> Checked {
        if time >= 0.0 {
            return Ok(());
        }
        let problem = SceneProblem::value(at, format!("`{}` must not be negative, but it is {time}", at.last()));
        Err(problem.label("negative").help("a run starts at time 0"))
    }
}

fn check_one_condition(entry: &StopEntry, at: &KeyPath) -> Checked {
    let given = [
        ("kinetic_energy", entry.kinetic_energy.is_some()),
        ("bodies", entry.bodies.is_some()),
        ("displacement", entry.displacement.is_some()),
        ("strain", entry.strain.is_some()),
    ];
    let names: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    match names[..] {
        [_] => Ok(()),
        [first, second, ..] => {
            let problem =
                SceneProblem::key(&at.then(second), format!("this stop has two conditions, {first} and {second}"));
            let help = "give each a [[stop]] of its own: the run ends when one of them holds";
            Err(problem.label("one too many").also(&at.then(first), "the other").help(help))
        }
        [] => {
            let problem = SceneProblem::value(at, "this stop has no condition").label("no condition here");
            Err(problem.help(format!("add one of {}", list(&given.map(|(name, _)| name)))))
        }
    }
}

fn check_bodies(stop: &BodiesStop, at: &KeyPath) -> Checked {
    match (stop.below, stop.above) {
        (Some(_), None) | (None, Some(_)) => {}
        _ => {
            let problem = SceneProblem::value(at, "`bodies` needs either `below` or `above`");
            return Err(problem.label("neither, or both").help("give each a [[stop]] of its own"));
        }
    }
    if stop.below == Some(0) {
        let problem = SceneProblem::value(&at.then("below"), "there are never fewer than 0 bodies");
        return Err(problem.label("never holds").help("below = 1 ends the run when no body is left"));
    }
    Ok(())
}

fn check_displacement(stop: &DisplacementStop, at: &KeyPath, dimension: usize) -> Checked {
    axis(&at.then("axis"), &stop.axis, dimension)?;
    if stop.beyond == 0.0 {
        let problem = SceneProblem::value(&at.then("beyond"), "`beyond` must not be 0: every body starts there");
        return Err(problem.label("zero").help("a distance in m, negative for one against the axis"));
    }
    Ok(())
}

fn check_strain(stop: &StrainStop, at: &KeyPath, dimension: usize) -> Checked {
    axis(&at.then("axis"), &stop.axis, dimension)?;
    if stop.between[0] == stop.between[1] {
        let problem = SceneProblem::value(&at.then("between"), "a body has no distance from itself");
        return Err(problem.label("one body twice").help("name two bodies"));
    }
    if stop.beyond == 0.0 || stop.beyond <= -1.0 {
        let message =
            format!("`beyond` must be a nonzero fraction of the initial distance above -1, not {}", stop.beyond);
        let problem = SceneProblem::value(&at.then("beyond"), message).label("out of range");
        return Err(problem.help("0.1 for a tenth further apart, -0.1 for a tenth closer"));
    }
    Ok(())
}
