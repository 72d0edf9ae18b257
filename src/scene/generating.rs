//! Creation of the bodies of a generator from its scene entry.

use super::csv_table::CsvTable;
use super::values::{between, corners, few_enough, length, positive};
use super::vectors::vector;
use super::words::{did_you_mean, list};
use super::{
    Checked, CsvEntry, DepositEntry, GeneratorEntry, KeyPath, LatticeEntry, Loose, RadiusEntry, RadiusTable, Scene,
    SceneBody, SceneProblem, WallsEntry,
};
use crate::comm::Comm;
use crate::contactor::Bounds;
use crate::contactor::Radii;
use crate::dim::{Dim, Vector};
use crate::generate::share::Share;
use crate::generate::{
    self, BoxSide, BoxWall, Deposit, DepositPart, DepositTarget, Full, GeneratedBall, Lattice, Numbered, Numbering,
};

/// The bodies of a generator.
pub(crate) enum Generated<X: Dim> {
    /// Free balls with one initial velocity: a share of `total`, from number `first` on.
    Balls { balls: Vec<Numbered<X>>, first: u64, total: u64, velocity: X::Vector },
    /// Fixed half-spaces.
    Walls(Vec<(u64, BoxWall<X>)>),
    /// Blocks of a building.
    Bodies(Vec<(u64, SceneBody<X>)>),
}

impl GeneratorEntry {
    /// Collective. Creates the bodies with ids from `numbering`; `at` is the path of the generator in the scene. Every
    /// process creates a share of the balls. Walls and blocks are few and are created on every process.
    pub(crate) fn generate<X: Dim>(
        &self,
        at: &KeyPath,
        scene: &Scene,
        numbering: &mut Numbering,
        comm: &dyn Comm,
    ) -> Checked<Generated<X>> {
        let kinds = self.kinds();
        if let [first, second, ..] = kinds[..] {
            let problem =
                SceneProblem::key(&at.then(second), format!("this generator has two kinds, {first} and {second}"));
            let help = "give each a [[generators]] of its own";
            return Err(problem.label("one too many").also(&at.then(first), "the other").help(help));
        }
        if let Some(entry) = &self.lattice {
            self.lattice(entry, &at.then("lattice"), numbering, Share::on(comm))
        } else if let Some(entry) = &self.deposit {
            self.deposit(entry, &at.then("deposit"), numbering, comm)
        } else if let Some(entry) = &self.walls {
            walls(entry, &at.then("walls"), numbering)
        } else if let Some(entry) = &self.csv {
            csv(entry, &at.then("csv"), scene, numbering, Share::on(comm))
        } else if let Some(entry) = &self.masonry {
            let at = at.then("masonry");
            Ok(Generated::Bodies(self.lay(entry.wall::<X>(&at)?.stones(), &at, scene, numbering)?))
        } else if let Some(entry) = &self.arch {
            let at = at.then("arch");
            Ok(Generated::Bodies(self.lay(entry.arch::<X>(&at)?.stones(), &at, scene, numbering)?))
        } else if let Some(entry) = &self.column {
            let at = at.then("column");
            Ok(Generated::Bodies(self.lay(entry.column::<X>(&at)?.stones(), &at, scene, numbering)?))
        } else {
            let problem = SceneProblem::value(at, "this generator makes nothing").label("no kind here");
            Err(problem.help(format!("add one of {}", list(&Self::KINDS))))
        }
    }

    fn lattice<X: Dim>(
        &self,
        entry: &LatticeEntry,
        at: &KeyPath,
        numbering: &mut Numbering,
        share: Share,
    ) -> Checked<Generated<X>> {
        let count_at = at.then("count");
        length(&count_at, entry.count.len(), X::D)?;
        if let Some(i) = entry.count.iter().position(|&n| n == 0) {
            let problem = SceneProblem::value(&count_at.then(i), "a lattice with 0 balls along an axis is empty");
            return Err(problem.label("none").help("at least 1 along each axis"));
        }
        let spacing_at = at.then("spacing");
        let spacing: X::Vector = match &entry.spacing {
            Loose::Number(spacing) => X::Vector::from_fn(|_| *spacing),
            Loose::Array(numbers) => vector(&spacing_at, numbers)?,
            Loose::Table(_) => return Err(SceneProblem::value(&spacing_at, "`spacing` is a number or an array")),
        };
        for i in 0..X::D {
            positive(&spacing_at, spacing[i], "distance between centres in m")?;
        }
        between(&at.then("jitter"), entry.jitter, 0.0, 1.0, "share of the free space: 0 for none, 1 for all of it")?;
        let lattice = Lattice::<X> {
            count: entry.count.clone(),
            spacing,
            origin: vector(&at.then("origin"), &entry.origin)?,
            jitter: entry.jitter,
            radii: radii(&entry.radius, &at.then("radius"))?,
            seed: self.seed,
        };
        few_enough(&count_at, lattice.len() as f64)?;
        if let Some(axis) = lattice.overlapping_axis() {
            let (radius, spacing) = (lattice.radii.largest(), lattice.spacing[axis]);
            let message = format!("balls of radius {radius} m overlap on a lattice of spacing {spacing} m");
            let problem = SceneProblem::value(&spacing_at, message).label("less than two radii");
            return Err(problem.also(&at.then("radius"), "the radius").help(format!("at least {}", 2.0 * radius)));
        }
        let velocity = velocity::<X>(entry.velocity.as_deref(), at)?;
        let total = lattice.len() as u64;
        let part = share.of(total);
        let first = part.start;
        Ok(Generated::Balls { balls: lattice.balls(numbering, part), first, total, velocity })
    }

    fn deposit<X: Dim>(
        &self,
        entry: &DepositEntry,
        at: &KeyPath,
        numbering: &mut Numbering,
        comm: &dyn Comm,
    ) -> Checked<Generated<X>> {
        corners(at, &entry.min, &entry.max, X::D)?;
        let basin = Bounds::<X> { min: X::Vector::read(&entry.min), max: X::Vector::read(&entry.max) };
        let radii = radii(&entry.radius, &at.then("radius"))?;
        let box_height = basin.max[X::D - 1] - basin.min[X::D - 1];
        let (target, target_at) = match (entry.count, entry.height) {
            (Some(count), None) => (DepositTarget::Count(count), at.then("count")),
            (None, Some(height)) => {
                let height_at = at.then("height");
                positive(&height_at, height, "height above the floor of the box in m")?;
                // A box from 1.04 to 1.17 is 0.13 high up to the last bit.
                if height > box_height * (1.0 + 1e-9) {
                    let problem =
                        SceneProblem::value(&height_at, format!("`height` is {height} m in a box {box_height} m high"));
                    return Err(problem
                        .label("higher than the box")
                        .also(&at.then("max"), "the top of the box")
                        .help("lower it, or raise the box"));
                }
                (DepositTarget::Height(height), height_at)
            }
            _ => {
                let problem = SceneProblem::value(at, "a deposit needs either `count` or `height`");
                return Err(problem
                    .label("neither, or both")
                    .help("give the number of balls, or the height up to which the box is filled"));
            }
        };
        let available = match target {
            DepositTarget::Count(_) => box_height,
            DepositTarget::Height(height) => height,
        };
        let narrowest = (0..X::D - 1).map(|i| basin.max[i] - basin.min[i]).fold(available, f64::min);
        if 2.0 * radii.largest() > narrowest {
            let message = format!("balls of radius {} m do not fit into {narrowest} m", radii.largest());
            let problem = SceneProblem::value(&at.then("radius"), message).label("too large");
            return Err(problem.help("make the balls smaller or the box wider"));
        }
        let deposit = Deposit::<X> { basin, target, radii, seed: self.seed };
        few_enough(&target_at, deposit.at_most())?;
        match deposit.part(numbering, comm) {
            Ok(DepositPart { balls, first, total }) => {
                Ok(Generated::Balls { balls, first, total, velocity: X::Vector::zero() })
            }
            Err(Full { placed }) => {
                let problem = SceneProblem::value(&target_at, format!("the box is full after {placed} balls"));
                let wanted = entry.count.unwrap_or(placed);
                Err(problem
                    .label(format!("{wanted} are requested"))
                    .help("enlarge the box, or request fewer or smaller balls"))
            }
        }
    }
}

fn walls<X: Dim>(entry: &WallsEntry, at: &KeyPath, numbering: &mut Numbering) -> Checked<Generated<X>> {
    corners(at, &entry.min, &entry.max, X::D)?;
    let sides: Vec<BoxSide> = BoxSide::all::<X>().collect();
    let names: Vec<&str> = sides.iter().map(|side| side.name()).collect();
    let mut open = Vec::new();
    for (i, name) in entry.open.iter().enumerate() {
        match sides.iter().find(|side| side.name() == name) {
            Some(side) => open.push(*side),
            None => {
                let problem = SceneProblem::value(&at.then("open").then(i), format!("the box has no side \"{name}\""));
                return Err(problem.label("unknown").help(did_you_mean(name, &names, "its sides are")));
            }
        }
    }
    let walls = generate::walls::<X>(X::Vector::read(&entry.min), X::Vector::read(&entry.max), &open);
    Ok(Generated::Walls(walls.into_iter().map(|wall| (numbering.take(), wall)).collect()))
}

fn csv<X: Dim>(
    entry: &CsvEntry,
    at: &KeyPath,
    scene: &Scene,
    numbering: &mut Numbering,
    share: Share,
) -> Checked<Generated<X>> {
    let names: Vec<&str> = ["x", "y", "z"].into_iter().take(X::D).chain(["r"]).collect();
    let table = CsvTable::open(&scene.source.resolve(&entry.file), &at.then("file"), &names)?;
    few_enough(&at.then("file"), table.rows() as f64)?;
    let total = table.rows();
    let part = share.of(total);
    let first = part.start;
    let mut balls = Vec::with_capacity((part.end - part.start) as usize);
    numbering.skip(part.start);
    table.read(part.clone(), |row| {
        let radius = row[X::D];
        if radius <= 0.0 {
            let message = format!("the radius must be greater than 0, not {radius}");
            return Err((message, "the column r holds radii in m"));
        }
        balls.push(Numbered { id: numbering.take(), ball: GeneratedBall { centre: X::Vector::read(row), radius } });
        Ok(())
    })?;
    numbering.skip(total - part.end);
    Ok(Generated::Balls { balls, first, total, velocity: velocity::<X>(entry.velocity.as_deref(), at)? })
}

fn velocity<X: Dim>(numbers: Option<&[f64]>, at: &KeyPath) -> Checked<X::Vector> {
    numbers.map_or(Ok(X::Vector::zero()), |numbers| vector(&at.then("velocity"), numbers))
}

/// The distribution of radii that an entry describes.
pub(crate) fn radii(entry: &RadiusEntry, at: &KeyPath) -> Checked<Radii> {
    let table = match entry {
        Loose::Number(radius) => {
            positive(at, *radius, "radius in m")?;
            return Ok(Radii::Same(*radius));
        }
        Loose::Table(table) => table,
        Loose::Array(_) => return Err(one_way(at)),
    };
    let each_positive = |at: &KeyPath, radii: &[f64]| {
        radii.iter().enumerate().try_for_each(|(i, radius)| {
            positive(&at.then(i), *radius, "radii in m")
                .map_err(|p| SceneProblem { message: format!("a radius must be greater than 0, not {radius}"), ..p })
        })
    };
    match table {
        RadiusTable { uniform: Some(range), two: None, share: None, list: None } => {
            let at = at.then("uniform");
            let [least, most] = pair(&at, range)?;
            each_positive(&at, range)?;
            Ok(Radii::Uniform(least, most))
        }
        RadiusTable { uniform: None, two: Some(radii), share: Some(share), list: None } => {
            let two_at = at.then("two");
            let [small, large] = pair(&two_at, radii)?;
            each_positive(&two_at, radii)?;
            between(&at.then("share"), *share, 0.0, 1.0, "share of large balls by number: 0.3 for 30 %")?;
            Ok(Radii::Two { small, large, share: *share })
        }
        RadiusTable { uniform: None, two: None, share: None, list: Some(radii) } => {
            let at = at.then("list");
            if radii.is_empty() {
                let problem = SceneProblem::value(&at, "the list of radii is empty").label("no radius");
                return Err(problem.help("write list = [0.01, 0.02]"));
            }
            each_positive(&at, radii)?;
            Ok(Radii::List(radii.clone()))
        }
        _ => Err(one_way(at)),
    }
}

fn one_way(at: &KeyPath) -> SceneProblem {
    let problem = SceneProblem::value(at, "radii must be given in exactly one way").label("none, or more than one");
    problem.help("a number, { uniform = [min, max] }, { two = [small, large], share = 0.3 } or { list = [...] }")
}

/// A pair of radii, the smaller first.
fn pair(at: &KeyPath, radii: &[f64]) -> Checked<[f64; 2]> {
    match radii {
        [small, large] if small <= large => Ok([*small, *large]),
        _ => {
            let problem = SceneProblem::value(at, format!("`{}` is a pair of radii, the smaller first", at.last()));
            Err(problem.label("not such a pair").help("write [0.01, 0.02]"))
        }
    }
}
