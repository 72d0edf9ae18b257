//! Selection of the law between two materials from the scene's entries, and their checks.
//!
//! An entry for two named materials takes precedence over one with a `"*"`, and that over `["*", "*"]`. Two entries of
//! the same rank for one pair are an error: the result must not depend on their order.

use super::words::{did_you_mean, list};
use super::{Checked, KeyPath, Scene, SceneProblem};
use crate::dim::{Dim, Plane};
use crate::law::{LawEntry, LawTable};

/// Stands for any material.
const ANY: &str = "*";

/// The number of bodies of a material.
#[derive(Clone, Debug, Default)]
pub(crate) struct MaterialUse {
    /// All bodies.
    pub(crate) bodies: u64,
    /// Bodies that are not prescribed in every degree of freedom.
    pub(crate) movable: u64,
    /// Whether any of them has flat faces.
    pub(crate) has_faces: bool,
    /// The key that gives one of the bodies its material.
    pub(crate) named_at: Option<KeyPath>,
}

impl Scene {
    /// Requires each entry to name two known materials and one law with valid parameters, and no pair to be named
    /// twice.
    pub(crate) fn check_laws(&self) -> Checked {
        for (i, entry) in self.laws.iter().enumerate() {
            let at = KeyPath::from("laws").then(i);
            self.check_entry(entry, &at)?;
            if let Some(first) = self.laws[..i].iter().position(|other| same_pair(&other.between, &entry.between)) {
                let [a, b] = &entry.between;
                let problem =
                    SceneProblem::value(&at.then("between"), format!("there are two laws between \"{a}\" and \"{b}\""));
                let first = KeyPath::from("laws").then(first).then("between");
                return Err(problem.label("the second").also(&first, "the first").help("keep one of them"));
            }
        }
        Ok(())
    }

    fn check_entry(&self, entry: &LawEntry, at: &KeyPath) -> Checked {
        let between = at.then("between");
        let (_, found) = between.follow(self.source.item());
        let names = found.children().len();
        if names != entry.between.len() {
            let problem =
                SceneProblem::value(&between, format!("`between` names {names} materials where 2 are needed"));
            return Err(problem.label("not a pair").help("a law acts between two materials, or one and itself"));
        }
        let known: Vec<&str> = self.materials.keys().map(String::as_str).collect();
        for (k, name) in entry.between.iter().enumerate() {
            if name != ANY && !known.contains(&name.as_str()) {
                let problem = SceneProblem::value(&between.then(k), format!("there is no material \"{name}\""));
                return Err(problem.label("unknown").help(did_you_mean(
                    name,
                    &known,
                    "\"*\" is any; materials of the scene",
                )));
            }
        }
        let given = entry.given();
        if let [first, second, ..] = given[..] {
            let problem = SceneProblem::key(&at.then(second), format!("this entry has two laws, {first} and {second}"));
            return Err(problem.label("one too many").also(&at.then(first), "the other").help("keep one of them"));
        }
        match entry.law::<Plane>() {
            None => {
                let problem = SceneProblem::value(at, "this entry names no law").label("no law here");
                Err(problem.help(format!("add one of {}", list(LawEntry::NAMES))))
            }
            Some(Ok(_)) => Ok(()),
            Some(Err(bad)) => {
                let path = given.iter().fold(at.clone(), |at, law| at.then(law)).then(bad.key);
                Err(SceneProblem::value(&path, bad.message).label("out of range").help(bad.help))
            }
        }
    }
}

/// Whether two entries name the same pair.
fn same_pair([a, b]: &[String; 2], [c, d]: &[String; 2]) -> bool {
    (a, b) == (c, d) || (a, b) == (d, c)
}

/// The rank of an entry that applies to the pair, by its number of wildcards: 0 is the most specific.
fn rank([a, b]: &[String; 2], x: &str, y: &str) -> Option<usize> {
    let fits = |pattern: &str, name: &str| pattern == ANY || pattern == name;
    let applies = (fits(a, x) && fits(b, y)) || (fits(a, y) && fits(b, x));
    applies.then(|| [a, b].into_iter().filter(|name| *name == ANY).count())
}

/// The table of laws between materials; an error if a pair that can come into contact has none. `populations` is in the
/// order of the materials.
pub(crate) fn law_table<X: Dim>(scene: &Scene, populations: &[MaterialUse]) -> Checked<LawTable<X>> {
    let names: Vec<&String> = scene.materials.keys().collect();
    let mut table = LawTable::new(names.len());
    if scene.laws.len() > usize::from(u16::MAX) {
        let message = format!("the scene has {} laws, more than {}", scene.laws.len(), u16::MAX);
        return Err(SceneProblem::value(&KeyPath::default(), message).help("use \"*\" for many materials at once"));
    }
    // The check of the scene has already rejected entries without a valid law.
    let laws = scene.laws.iter().map(|entry| entry.law::<X>().and_then(Result::ok));
    let numbers: Vec<Option<u16>> = laws.map(|law| law.map(|law| table.add(law))).collect();
    for (i, a) in names.iter().enumerate() {
        for (j, b) in names.iter().enumerate().skip(i) {
            let mut entries: Vec<(usize, usize)> = (0..scene.laws.len())
                .filter_map(|k| rank(&scene.laws[k].between, a, b).map(|rank| (rank, k)))
                .collect();
            entries.sort_unstable();
            let meet = can_meet(&populations[i], &populations[j], i == j);
            match entries[..] {
                [] if meet => return Err(missing_law(a, b, &populations[i], &populations[j])),
                [(first, k), (second, l), ..] if meet && first == second => return Err(ambiguous(a, b, k, l)),
                [] => {}
                [(wildcards, k), ..] => {
                    numbers[k].map(|law| table.set(i, j, law));
                    let per_area = table.between(i as u32, j as u32).is_some_and(|law| law.is_per_area());
                    let round = [(a, i), (b, j)].into_iter().find(|&(_, i)| !populations[i].has_faces);
                    if let (Some((name, _)), true, 0) = (round, per_area && meet, wildcards) {
                        return Err(without_area(scene, k, name));
                    }
                }
            }
        }
    }
    Ok(table)
}

/// Whether bodies of the two materials can come into contact: two obstacles never do, nor does a single body.
fn can_meet(a: &MaterialUse, b: &MaterialUse, same: bool) -> bool {
    if same { a.movable > 0 && a.bodies > 1 } else { a.bodies > 0 && b.bodies > 0 && a.movable + b.movable > 0 }
}

fn missing_law(a: &str, b: &str, first: &MaterialUse, second: &MaterialUse) -> SceneProblem {
    let root = KeyPath::default();
    let at = second.named_at.as_ref().unwrap_or(&root);
    let problem = if a == b {
        let message = format!("there is no law between two bodies of \"{a}\"");
        SceneProblem::value(at, message).label(format!("bodies of \"{a}\" can touch each other"))
    } else {
        let problem = SceneProblem::value(at, format!("there is no law between \"{a}\" and \"{b}\""));
        let problem = problem.label(format!("this body of \"{b}\" can touch \"{a}\""));
        match &first.named_at {
            Some(other) => problem.also(other, format!("this body is of \"{a}\"")),
            None => problem,
        }
    };
    problem.help(format!("add\n[[laws]]\nbetween = [\"{a}\", \"{b}\"]\ncoulomb = {{ friction = 0.5 }}"))
}

/// A law per area between named materials of which one has bodies without flat faces only.
fn without_area(scene: &Scene, law: usize, name: &str) -> SceneProblem {
    let at = KeyPath::from("laws").then(law);
    let at = scene.laws[law].given().iter().fold(at, |at, law| at.then(law)).then("per_area");
    let message = format!("bodies of \"{name}\" have no flat faces, and so no area of contact");
    SceneProblem::key(&at, message)
        .label("bonds nothing")
        .help("leave per_area out, and give the constants of a contact point")
}

fn ambiguous(a: &str, b: &str, first: usize, second: usize) -> SceneProblem {
    let between = |k: usize| KeyPath::from("laws").then(k).then("between");
    let problem = SceneProblem::value(&between(second), format!("two laws with \"*\" fit \"{a}\" and \"{b}\""));
    let help = format!("add an entry with between = [\"{a}\", \"{b}\"] to say which acts");
    problem.label("the second").also(&between(first), "the first").help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(a: &str, b: &str) -> [String; 2] {
        [a.into(), b.into()]
    }

    #[test]
    fn named_materials_go_before_any() {
        assert_eq!(rank(&pair("glass", "steel"), "steel", "glass"), Some(0));
        assert_eq!(rank(&pair("*", "steel"), "steel", "glass"), Some(1));
        assert_eq!(rank(&pair("*", "*"), "steel", "glass"), Some(2));
        assert_eq!(rank(&pair("*", "steel"), "sand", "glass"), None);
        assert_eq!(rank(&pair("glass", "glass"), "steel", "glass"), None);
    }

    #[test]
    fn obstacles_do_not_meet_each_other() {
        let population = |bodies, movable| MaterialUse { bodies, movable, has_faces: false, named_at: None };
        assert!(!can_meet(&population(6, 0), &population(6, 0), true));
        assert!(!can_meet(&population(1, 1), &population(1, 1), true));
        assert!(can_meet(&population(2, 1), &population(2, 1), true));
        assert!(can_meet(&population(1, 1), &population(6, 0), false));
        assert!(!can_meet(&population(1, 1), &population(0, 0), false));
    }
}
