//! Reading of checkpoints on any number of processes.

use partitioning::Cuts;

use super::FORMAT;
use super::definitions::unpack;
use super::rows::rows;
use crate::base::error::{Error, Result};
use crate::body::{Bodies, BodyId, FREE, NodeRow, NodesById, State};
use crate::comm::{Comm, Exchange, Reader, Writer, all_agree};
use crate::contactor::Shape;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::interaction::history::ContactRecord;
use crate::model::{Link, Links, Material, Motion};
use crate::output::columns::{Attribute, ColumnValues, ColumnsError, VerifiedFile};
use crate::output::summary::RunCounts;
use crate::population::PopulationCounters;
use crate::simulation::warnings::Warnings;
use crate::solver::EnergyBalance;

/// Scalar content of a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckpointFacts {
    /// Program and version that wrote it.
    pub program: String,
    /// Dimension, 2 or 3.
    pub dimension: u64,
    /// Steps made.
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Energy balance.
    pub energy: EnergyBalance,
    /// Mean normal impulse of the contacts that carried one in the last step, N s.
    pub mean_impulse: f64,
    /// Counters of feeds, sinks, removals and stop conditions.
    pub counters: PopulationCounters,
    /// Counts of the run.
    pub counts: RunCounts,
    /// Warnings of the run.
    pub warnings: Warnings,
    /// Text of the scene as run.
    pub scene: String,
}

/// State from which a run continues: the part of this process.
pub struct Restored<X: Dim> {
    /// Shapes, indexed by the states.
    pub shapes: Vec<Shape<X>>,
    /// Materials, indexed by the states.
    pub materials: Vec<Material>,
    /// Motions, indexed by the states.
    pub motions: Vec<Motion>,
    /// All links.
    pub links: Links<X>,
    /// A share of the free bodies, and all obstacles.
    pub bodies: Bodies<X>,
    /// Their contact history.
    pub history: ContactHistory<X>,
    /// Cuts of space.
    pub cuts: Cuts<3>,
}

/// The attributes of a checkpoint.
struct Attributes<'a> {
    file: &'a VerifiedFile,
    all: Vec<(String, Attribute)>,
}

impl Attributes<'_> {
    fn find(&self, name: &str) -> Option<&Attribute> {
        self.all.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    fn missing(&self, name: &str) -> ColumnsError {
        self.file.fail(format!("it lacks the attribute `{name}` of a checkpoint"))
    }

    fn integer(&self, name: &str) -> std::result::Result<u64, ColumnsError> {
        match self.find(name) {
            Some(Attribute::Integer(value)) => Ok(*value),
            _ => Err(self.missing(name)),
        }
    }

    fn float(&self, name: &str) -> std::result::Result<f64, ColumnsError> {
        match self.find(name) {
            Some(Attribute::Float(value)) => Ok(*value),
            _ => Err(self.missing(name)),
        }
    }

    fn text(&self, name: &str) -> std::result::Result<String, ColumnsError> {
        match self.find(name) {
            Some(Attribute::Text(value)) => Ok(value.clone()),
            _ => Err(self.missing(name)),
        }
    }

    /// Counters of feeds, sinks, removals and stop conditions, with their columns.
    fn counters(&self) -> std::result::Result<PopulationCounters, ColumnsError> {
        let file = self.file;
        let numbers = |group: &str, name: &str| match file.column(group, name, None)?.values {
            ColumnValues::Integer(values) => Ok(values),
            _ => Err(file.fail(format!("/{group}/{name} is of another type"))),
        };
        let starts = match file.column("stops", "start", None)?.values {
            ColumnValues::Float(values) => values,
            _ => return Err(file.fail("/stops/start is of another type")),
        };
        Ok(PopulationCounters {
            next_id: self.integer("next_id")?,
            spheres: self.integer("spheres").or_else(|_| self.integer("free_at_start"))?,
            smallest: self.float("smallest")?,
            left: self.integer("left_the_world")?,
            born: numbers("feeds", "born")?,
            swallowed: numbers("sinks", "swallowed")?,
            removed: numbers("removals", "done")?,
            held: numbers("stops", "held")?,
            starts,
        })
    }

    fn run_counts(&self) -> std::result::Result<RunCounts, ColumnsError> {
        Ok(RunCounts {
            sweeps: self.integer("sweeps")?,
            contact_updates: self.integer("contact_updates")?,
            unconverged_steps: self.integer("unconverged_steps")?,
            worst_residual: self.float("worst_residual")?,
            worst_velocity_error: self.float("worst_velocity_error")?,
            max_penetration: self.float("max_penetration")?,
            painleve_contacts: self.integer("painleve_contacts")?,
            ambiguous_contacts: self.integer("ambiguous_contacts")?,
        })
    }

    fn energy_balance(&self) -> std::result::Result<EnergyBalance, ColumnsError> {
        let mut energies = EnergyBalance::default().values();
        for (energy, name) in energies.iter_mut().zip(EnergyBalance::NAMES) {
            *energy = self.float(name)?;
        }
        Ok(EnergyBalance::from_values(energies))
    }
}

/// Reads the scalar content of a checkpoint.
pub fn facts(file: &VerifiedFile) -> std::result::Result<CheckpointFacts, ColumnsError> {
    let attributes = Attributes { file, all: file.attributes()? };
    let format = attributes.integer("format")?;
    if format != FORMAT {
        let reason =
            format!("it has format {format}, this program reads format {FORMAT}; use the program that wrote it");
        return Err(file.fail(reason));
    }
    let (counters, counts) = (attributes.counters()?, attributes.run_counts()?);
    let energy = attributes.energy_balance()?;
    Ok(CheckpointFacts {
        program: attributes.text("program")?,
        dimension: attributes.integer("dimension")?,
        step: attributes.integer("step")?,
        time: attributes.float("time")?,
        energy,
        mean_impulse: attributes.float("mean_impulse")?,
        counters,
        counts,
        warnings: super::warnings::read(file)?,
        scene: attributes.text("scene")?,
    })
}

/// Collective. Reads the part of this process of the checkpoint; all processes succeed or all fail.
pub fn read<X: Dim>(comm: &dyn Comm, file: &VerifiedFile) -> Result<Restored<X>> {
    let failed = |reason: String| {
        let ColumnsError { path, reason, .. } = file.fail(reason);
        Error::system("read", path, reason)
    };
    let tables = all_agree(comm, tables(file)).map_err(failed)?;
    let (rank, size) = (comm.rank(), comm.size());
    let share = |rows: usize| rows * rank / size..rows * (rank + 1) / size;
    let states = all_agree(comm, states::<X>(file, share, &tables)).map_err(failed)?;
    let records = all_agree(comm, records::<X>(file, share)).map_err(failed)?;
    let nodes = all_agree(comm, nodes::<X>(file, share)).map_err(failed)?;
    let (bodies, history) =
        all_agree(comm, redistribute(comm, states, nodes, records, &tables.motions)).map_err(failed)?;
    let CheckpointTables { shapes, materials, motions, links, cuts } = tables;
    Ok(Restored { shapes, materials, motions, links: Links::new(links), bodies, history, cuts })
}

/// Tables that every process holds.
struct CheckpointTables<X: Dim> {
    shapes: Vec<Shape<X>>,
    materials: Vec<Material>,
    motions: Vec<Motion>,
    links: Vec<Link<X>>,
    cuts: Cuts<3>,
}

fn tables<X: Dim>(file: &VerifiedFile) -> std::result::Result<CheckpointTables<X>, String> {
    let column = |group: &str, name: &str| file.column(group, name, None).map_err(|error| error.reason);
    let (ColumnValues::Text(names), ColumnValues::Float(densities), ColumnValues::Float(numbers)) = (
        column("materials", "name")?.values,
        column("materials", "density")?.values,
        column("cuts", "numbers")?.values,
    ) else {
        return Err("materials or cuts of another type".into());
    };
    let materials = names.into_iter().zip(densities).map(|(name, density)| Material { name, density }).collect();
    let cuts = Cuts::from_numbers(&numbers).ok_or("/cuts is not a partition of space")?;
    let shapes = unpack(file, "shapes", "shape_definitions")?;
    let motions = unpack(file, "motions", "motion_definitions")?;
    let links = unpack(file, "links", "link_definitions")?;
    Ok(CheckpointTables { shapes, materials, motions, links, cuts })
}

fn states<X: Dim>(
    file: &VerifiedFile,
    share: impl Fn(usize) -> std::ops::Range<usize>,
    tables: &CheckpointTables<X>,
) -> std::result::Result<Vec<State<X>>, String> {
    let own = share(file.rows("bodies", "id").map_err(|error| error.reason)?);
    let states: Vec<State<X>> = rows(file, "bodies", own)?;
    for state in &states {
        let known = (state.shape as usize) < tables.shapes.len()
            && (state.material as usize) < tables.materials.len()
            && (state.motion == FREE || (state.motion as usize) < tables.motions.len());
        if !known {
            return Err(format!("body {} refers to a shape, material or motion that does not exist", state.id.0));
        }
    }
    Ok(states)
}

fn records<X: Dim>(
    file: &VerifiedFile,
    share: impl Fn(usize) -> std::ops::Range<usize>,
) -> std::result::Result<Vec<ContactRecord<X>>, String> {
    rows(file, "contacts", share(file.rows("contacts", "first").map_err(|error| error.reason)?))
}

fn nodes<X: Dim>(
    file: &VerifiedFile,
    share: impl Fn(usize) -> std::ops::Range<usize>,
) -> std::result::Result<Vec<NodeRow<X>>, String> {
    // Only deformable bodies have nodes.
    if file.columns("nodes").map_err(|error| error.reason)?.is_empty() {
        return Ok(Vec::new());
    }
    rows(file, "nodes", share(file.rows("nodes", "body").map_err(|error| error.reason)?))
}

/// The nodes of each body from their rows in any order.
fn nodes_by_body<X: Dim>(mut rows: Vec<NodeRow<X>>) -> std::result::Result<NodesById<X>, String> {
    rows.sort_unstable_by_key(|row| (row.body, row.number));
    let of_body = |rows: &[NodeRow<X>]| {
        let is_whole = rows.iter().zip(0..).all(|(row, number)| row.number == number);
        let nodes = rows.iter().map(|row| row.node).collect();
        if is_whole { Ok((rows[0].body, nodes)) } else { Err(format!("body {} lacks a node", rows[0].body.0)) }
    };
    rows.chunk_by(|a, b| a.body == b.body).map(of_body).collect()
}

/// Collective. Sends obstacles and their nodes to every process, other nodes to the process of their body, and contact
/// records to the process of the body that keeps them.
fn redistribute<X: Dim>(
    comm: &dyn Comm,
    states: Vec<State<X>>,
    nodes: Vec<NodeRow<X>>,
    records: Vec<ContactRecord<X>>,
    motions: &[Motion],
) -> std::result::Result<(Bodies<X>, ContactHistory<X>), String> {
    let is_obstacle =
        |state: &State<X>| motions.get(state.motion as usize).is_some_and(|motion| motion.is_prescribed(X::D + X::R));
    // First id of every process, as rows are sorted by id; a process without rows takes that of the next one.
    let mut message = Writer::default();
    message.u64(states.first().map_or(u64::MAX, |state| state.id.0));
    states.iter().filter(|state| is_obstacle(state)).for_each(|state| message.write(state));
    let (mut firsts, mut obstacles) = (Vec::new(), Vec::new());
    for bytes in comm.all_gather(message.0) {
        let mut message = Reader(&bytes);
        firsts.push(message.u64());
        obstacles.extend(message.read_all::<State<X>>());
    }
    for rank in (0..firsts.len().saturating_sub(1)).rev() {
        firsts[rank] = firsts[rank].min(firsts[rank + 1]);
    }
    let keeper = |record: &ContactRecord<X>| {
        let first = record.id.a;
        let is_obstacle = obstacles.binary_search_by_key(&first, |state| state.id).is_ok();
        if is_obstacle { record.id.b } else { first }
    };
    let host = |id: BodyId| firsts.partition_point(|&first| first <= id.0).saturating_sub(1);
    let mut out = Exchange::default();
    for row in &nodes {
        // Obstacles are on every process, and so are their nodes.
        match obstacles.binary_search_by_key(&row.body, |state| state.id) {
            Ok(_) => (0..comm.size()).for_each(|rank| out.to(rank).write(row)),
            Err(_) => out.to(host(row.body)).write(row),
        }
    }
    let nodes = out.swap_items(comm);
    let mut out = Exchange::default();
    records.iter().for_each(|record| out.to(host(keeper(record))).write(record));
    // The last exchange: from here on a process may fail alone.
    let records: Vec<ContactRecord<X>> = out.swap_items(comm);
    let nodes = nodes_by_body(nodes)?;
    let own: Vec<State<X>> = states.into_iter().filter(|state| !is_obstacle(state)).collect();
    let bodies = Bodies::with_nodes(own.into_iter().chain(obstacles.iter().copied()).collect(), nodes);
    let mut places: Vec<(BodyId, u32)> = (0u32..).zip(bodies.states()).map(|(i, state)| (state.id, i)).collect();
    places.sort_unstable();
    if let Some(pair) = places.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!("two bodies have the id {}", pair[0].0.0));
    }
    let mut keyed = Vec::new();
    for record in records {
        let place = places.binary_search_by_key(&keeper(&record), |entry| entry.0);
        let place =
            place.map_err(|_| format!("a contact refers to body {}, which does not exist", keeper(&record).0))?;
        keyed.push((places[place].1, record));
    }
    let history = ContactHistory::new(bodies.len(), keyed);
    Ok((bodies, history))
}
