//! Checks of `[[measure]]`, and the names and axes of measures.

use std::collections::BTreeSet;

use super::values::{at_least_one, axis, corners, positive};
use super::words::{did_you_mean, list};
use super::{BoxBounds, Checked, CutMeasure, KeyPath, MeasureEntry, NodesMeasure, ProfileMeasure, Scene, SceneProblem};

/// More slices, bins or bodies than this are taken for a typing error.
const MAX_PARTS: u64 = 10_000;

impl ProfileMeasure {
    /// The indices of the axis across the slices and of the flow axis, in `dimension` dimensions.
    pub fn axes(&self, dimension: usize) -> Option<[usize; 2]> {
        let number = |name: &str| axis(&KeyPath::default(), name, dimension).ok();
        let across = number(&self.axis)?;
        let along = match &self.along {
            Some(name) => number(name)?,
            None => usize::from(across == 0),
        };
        Some([across, along])
    }
}

impl CutMeasure {
    /// The index of the axis, in `dimension` dimensions.
    pub fn axis(&self, dimension: usize) -> Option<usize> {
        axis(&KeyPath::default(), &self.axis, dimension).ok()
    }
}

impl MeasureEntry {
    /// All kinds of measures, and whether this entry gives them.
    fn kinds(&self) -> [(&'static str, bool); 9] {
        [
            ("stress", self.stress.is_some()),
            ("contacts", self.contacts.is_some()),
            ("forces", self.forces.is_some()),
            ("profile", self.profile.is_some()),
            ("reaction", self.reaction.is_some()),
            ("nodes", self.nodes.is_some()),
            ("cut", self.cut.is_some()),
            ("track", self.track.is_some()),
            ("energy", self.energy.is_some()),
        ]
    }

    /// The kind of this measure.
    fn kind(&self) -> &'static str {
        self.kinds().into_iter().find(|(_, given)| *given).map_or("nothing", |(name, _)| name)
    }

    /// Names of the files of these entries, without extension.
    pub fn names(entries: &[Self]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for (i, entry) in entries.iter().enumerate() {
            let kind = entry.kind();
            let number = 1 + entries[..i].iter().filter(|e| e.name.is_none() && e.kind() == kind).count();
            let usual = if number == 1 { kind.to_owned() } else { format!("{kind}-{number}") };
            names.push(entry.name.clone().unwrap_or(usual));
        }
        names
    }
}

impl Scene {
    /// Requires every measure to have exactly one kind and a file of its own.
    pub(crate) fn check_measures(&self) -> Checked {
        for (i, entry) in self.measure.iter().enumerate() {
            self.check_measure(entry, &KeyPath::from("measure").then(i))?;
        }
        let mut taken = BTreeSet::new();
        for (i, name) in MeasureEntry::names(&self.measure).into_iter().enumerate() {
            let at = KeyPath::from("measure").then(i);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
            if name.is_empty() || !name.chars().all(is_plain) {
                let problem = SceneProblem::value(&at.then("name"), format!("{name:?} is not a valid file name"));
                return Err(problem.label("invalid characters").help("use letters, digits, - and _"));
            }
            if !taken.insert(name.clone()) {
                let problem =
                    SceneProblem::value(&at, format!("two measures are called \"{name}\"")).label("the second");
                return Err(problem.help("give one of them another `name`: each writes its own file"));
            }
        }
        Ok(())
    }

    fn check_measure(&self, entry: &MeasureEntry, at: &KeyPath) -> Checked {
        let kinds = entry.kinds();
        let given: Vec<&str> = kinds.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        match given[..] {
            [_] => {}
            [first, second, ..] => {
                let problem = SceneProblem::key(
                    &at.then(second),
                    format!("this measure has two quantities, {first} and {second}"),
                );
                let help = "give each a [[measure]] of its own";
                return Err(problem.label("one too many").also(&at.then(first), "the other").help(help));
            }
            [] => {
                let problem = SceneProblem::value(at, "this measure has no quantity").label("no quantity here");
                return Err(problem.help(format!("add one of {}", list(&kinds.map(|(name, _)| name)))));
            }
        }
        if let Some(every) = entry.every {
            positive(&at.then("every"), every, "simulated seconds between two rows; leave it out for every step")?;
        }
        let regions = [
            ("stress", entry.stress.as_ref().and_then(|m| m.region.as_ref())),
            ("contacts", entry.contacts.as_ref().and_then(|m| m.region.as_ref())),
            ("forces", entry.forces.as_ref().and_then(|m| m.region.as_ref())),
        ];
        let dimension = usize::from(self.world.dimension);
        for (kind, region) in regions {
            if let Some(BoxBounds { min, max }) = region {
                corners(&at.then(kind).then("box"), min, max, dimension)?;
            }
        }
        if let Some(forces) = &entry.forces {
            let at = at.then("forces");
            parts(&at.then("bins"), forces.bins, "40 is usual")?;
            positive(&at.then("up_to"), forces.up_to, "in units of the mean force; few contacts carry more than 6")?;
        }
        if let Some(profile) = &entry.profile {
            check_profile(profile, &at.then("profile"), dimension)?;
        }
        if let Some(cut) = &entry.cut {
            let at = at.then("cut");
            axis(&at.then("axis"), &cut.axis, dimension)?;
            parts(&at.then("at"), cut.at.len() as u64, "where the planes are, m: at = [0.1, 0.2]")?;
        }
        check_bodies(entry, at)?;
        entry.nodes.as_ref().map_or(Ok(()), |nodes| self.check_groups(nodes, &at.then("nodes")))
    }

    /// Requires the bodies that the scene lists under these ids to have the group.
    fn check_groups(&self, nodes: &NodesMeasure, at: &KeyPath) -> Checked {
        for (k, body) in nodes.bodies.iter().enumerate() {
            let Some(entry) = self.bodies.iter().find(|entry| entry.id == Some(*body)) else { continue };
            if !entry.nodes.contains_key(&nodes.group) {
                let known: Vec<&str> = entry.nodes.keys().map(String::as_str).collect();
                let problem = SceneProblem::value(
                    &at.then("group"),
                    format!("body {body} has no group \"{}\" under `nodes`", nodes.group),
                );
                return Err(problem.label("unknown").also(&at.then("bodies").then(k), "this body").help(
                    match known[..] {
                        [] => format!("give it one: nodes.{} = {{ velocity = {{ x = 0, y = 0 }} }}", nodes.group),
                        _ => did_you_mean(&nodes.group, &known, "its groups are"),
                    },
                ));
            }
        }
        Ok(())
    }
}

/// Requires the lists of bodies to be neither empty nor to name a body twice.
fn check_bodies(entry: &MeasureEntry, at: &KeyPath) -> Checked {
    let bodies = [
        ("reaction", entry.reaction.as_ref().map(|m| &m.bodies)),
        ("nodes", entry.nodes.as_ref().map(|m| &m.bodies)),
        ("track", entry.track.as_ref().map(|m| &m.bodies)),
    ];
    for (kind, bodies) in bodies {
        let Some(bodies) = bodies else { continue };
        let at = at.then(kind).then("bodies");
        parts(&at, bodies.len() as u64, "ids of bodies: bodies = [0, 7]")?;
        if let Some(k) = (1..bodies.len()).find(|&k| bodies[..k].contains(&bodies[k])) {
            let problem = SceneProblem::value(&at.then(k), format!("body {} is named twice", bodies[k]));
            return Err(problem.label("again").help("name each body once"));
        }
    }
    Ok(())
}

fn check_profile(profile: &ProfileMeasure, at: &KeyPath, dimension: usize) -> Checked {
    let across = axis(&at.then("axis"), &profile.axis, dimension)?;
    if let Some(name) = &profile.along
        && axis(&at.then("along"), name, dimension)? == across
    {
        let problem = SceneProblem::value(&at.then("along"), format!("`axis` and `along` are both {name}"));
        return Err(problem.label("the same axis").help("`axis` is normal to the slices, `along` lies within them"));
    }
    parts(&at.then("slices"), profile.slices, "a slice should be several diameters thick, to contain enough contacts")?;
    if let (Some(min), Some(max)) = (profile.min, profile.max)
        && min >= max
    {
        let problem =
            SceneProblem::value(&at.then("max"), format!("the slices end at {max}, before they begin at {min}"));
        return Err(problem.label("not above min").help("min is the lower end, max the upper one"));
    }
    Ok(())
}

/// Requires at least one item, and not too many.
fn parts(at: &KeyPath, count: u64, help: &str) -> Checked {
    at_least_one(at, count, help)?;
    if count <= MAX_PARTS {
        return Ok(());
    }
    let problem = SceneProblem::value(at, format!("{count} of them are too many for one file")).label("too many");
    Err(problem.help(format!("at most {MAX_PARTS}")))
}
