//! `nscdd bench`: performance of the program on this machine, in about a minute.
//!
//! The benchmark runs a few steps of fifty sweeps each on a packing of spheres in a box, on 1, 2, 4, ... threads; under
//! mpirun, one row for all processes. It also reports the memory bandwidth, which limits the sweeps.

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;

use super::args::BenchArgs;
use super::launch::{on_all_processes, plan, pool};
use super::placement::Placement;
use super::run::begin;
use super::terminal::print;
use crate::base::error::{EXIT_DONE, Error, Result};
use crate::comm::Comm;
use crate::dim::{Dim, Plane, Space};
use crate::output::memory;
use crate::scene::Scene;
use crate::scene::setup::setup;
use crate::simulation::Simulation;
use crate::simulation::timing::Phase;
use crate::solver::instructions;

/// Timed steps, and warm-up steps that fill the caches and the contact history.
const STEPS: usize = 5;
const WARM_UP_STEPS: usize = 2;
const SWEEPS: u32 = 50;

/// Results of the benchmark.
#[derive(Serialize)]
struct BenchTable {
    program: &'static str,
    instructions: &'static str,
    cores: usize,
    /// Memory bandwidth, bytes/s, on one thread and on all.
    memory_bandwidth: [f64; 2],
    dimension: usize,
    bodies: usize,
    contacts: u64,
    subdomains: usize,
    peak_memory_mebibytes: u64,
    rows: Vec<BenchRow>,
}

/// Results for one number of processes and threads.
#[derive(Serialize)]
struct BenchRow {
    processes: usize,
    threads: usize,
    /// Contacts updated per second of sweep time.
    updates_per_second: f64,
    /// Wall time of a step of fifty sweeps, s.
    seconds_a_step: f64,
    /// Fraction of the step spent in each phase.
    phases: Vec<(&'static str, f64)>,
}

pub(super) fn bench(args: &BenchArgs) -> Result<i32> {
    on_all_processes(|comm| {
        let scene = scene(args.bodies, args.dimension)?;
        pool(args.threads, &Placement::of(&**comm))?.install(|| match args.dimension {
            2 => measure::<Plane>(&scene, args, comm),
            _ => measure::<Space>(&scene, args, comm),
        })
    })
}

/// A tall box. The packing is about three quarters as high as the box is wide.
fn scene(bodies: u32, dimension: u8) -> Result<Scene> {
    let (radius, height) = (0.01, 100.0);
    let cell: f64 = if dimension == 2 { 4.4e-4 } else { 8e-6 };
    let width = (f64::from(bodies) * cell).powf(1.0 / f64::from(dimension)).max(0.1);
    let (origin, corner) = match dimension {
        2 => ("[0, 0]".to_owned(), format!("[{width}, {height}]")),
        _ => ("[0, 0, 0]".to_owned(), format!("[{width}, {width}, {height}]")),
    };
    let text = format!(
        "[world]\ndimension = {dimension}\n[time]\nstep = 1e-4\nend = 1\n\
         [solver]\ntolerance = 1e-14\nmax_sweeps = {SWEEPS}\n\
         [materials.glass]\ndensity = 2500\n[[laws]]\nbetween = [\"glass\", \"glass\"]\ncoulomb.friction = 0.5\n\
         [[generators]]\nmaterial = \"glass\"\nwalls = {{ min = {origin}, max = {corner} }}\n\
         [[generators]]\nmaterial = \"glass\"\n\
         deposit = {{ min = {origin}, max = {corner}, count = {bodies}, radius = {{ uniform = [{}, {radius}] }} }}\n",
        0.8 * radius
    );
    Scene::parse(&text, "bench", std::path::Path::new("."), &[])
}

fn measure<X: Dim>(scene: &Scene, args: &BenchArgs, comm: &Arc<dyn Comm>) -> Result<i32> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let mut table = BenchTable {
        program: concat!("nscdd ", env!("CARGO_PKG_VERSION")),
        instructions: instructions(),
        cores,
        memory_bandwidth: [bandwidth(1)?, bandwidth(rayon::current_num_threads())?],
        dimension: X::D,
        bodies: args.bodies as usize,
        contacts: 0,
        subdomains: 0,
        peak_memory_mebibytes: 0,
        rows: Vec::new(),
    };
    if comm.size() > 1 {
        let simulation = match begin::<X>(scene, comm)? {
            Ok(simulation) => simulation,
            Err(code) => return Ok(code),
        };
        table.add(simulation)?;
    } else {
        let most = rayon::current_num_threads();
        let counts = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|&n| n < most).chain([most]);
        for threads in counts {
            let built = setup::<X>(scene)?;
            let simulation = Simulation::new(built.model, built.bodies, built.bounds, plan(scene));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map_err(|e| Error::system("start", "threads", e))?.install(|| table.add(simulation))?;
        }
    }
    table.peak_memory_mebibytes = memory::peak();
    if comm.is_root() {
        if args.json {
            print(&format!("{}\n", table.json()?))?
        } else {
            print(&table.text())?
        };
    }
    Ok(EXIT_DONE)
}

impl BenchTable {
    /// Collective. Simulates a few steps and adds a row; the slowest process determines the time.
    fn add<X: Dim>(&mut self, mut simulation: Simulation<X>) -> Result<()> {
        let mut updates = 0;
        let (mut before, mut clock) = (simulation.timing.clone(), Instant::now());
        for step in 0..WARM_UP_STEPS + STEPS {
            if step == WARM_UP_STEPS {
                (before, clock, updates) = (simulation.timing.clone(), Instant::now(), 0);
            }
            let report = simulation.step()?;
            self.contacts = report.certificate.contacts;
            updates += report.certificate.contacts * u64::from(report.certificate.sweeps);
        }
        let mut times = vec![clock.elapsed().as_secs_f64()];
        times.extend(Phase::ALL.iter().map(|&phase| simulation.timing.seconds(phase) - before.seconds(phase)));
        let comm = simulation.domain().comm();
        comm.max(&mut times);
        let total: f64 = times[1..].iter().sum();
        self.subdomains = simulation.domain().parts();
        self.rows.push(BenchRow {
            processes: comm.size(),
            threads: rayon::current_num_threads(),
            updates_per_second: updates as f64 / times[1 + Phase::Solve as usize],
            seconds_a_step: times[0] / STEPS as f64,
            phases: Phase::ALL.iter().zip(&times[1..]).map(|(phase, time)| (phase.name(), time / total)).collect(),
        });
        Ok(())
    }

    fn json(&self) -> Result<String> {
        serde_json::to_string_pretty(self).map_err(|e| Error::system("write", "the table", e))
    }

    fn text(&self) -> String {
        let [one, all] = self.memory_bandwidth.map(|rate| rate / 1e9);
        let name = if self.dimension == 2 { "disks" } else { "spheres" };
        let mut text = format!(
            "{}, {} cores, {}\nmemory: {one:.1} GB/s on one thread, {all:.1} GB/s on all\n\
             {} {name} in {} subdomains, {} contacts, steps of {SWEEPS} sweeps\n\n",
            self.program, self.cores, self.instructions, self.bodies, self.subdomains, self.contacts
        );
        text += "processes  threads  updates/s  speed-up  of memory  a step    solve  detect  assemble  rest\n";
        let first = self.rows.first().map_or(1.0, |row| row.updates_per_second);
        for row in &self.rows {
            let share = |phase: Phase| 100.0 * row.phases[phase as usize].1;
            let (solve, detect, assemble) = (share(Phase::Solve), share(Phase::Detect), share(Phase::Assemble));
            // Memory traffic of a batched sweep per contact: coefficients, impulses (read and written), two bodies.
            let bytes = 8.0 * (2.0 * self.dimension as f64 + 5.0 + self.dimension as f64);
            let of_memory =
                100.0 * bytes * row.updates_per_second / self.memory_bandwidth[usize::from(row.threads > 1)];
            text += &format!(
                "{:9}  {:7}  {:7.1} M  {:8.2}  {of_memory:7.0} %  {:6.3} s  {solve:4.0} %  {detect:4.0} %  {assemble:6.0} %  \
                 {:3.0} %\n",
                row.processes,
                row.threads,
                row.updates_per_second / 1e6,
                row.updates_per_second / first,
                row.seconds_a_step,
                100.0 - solve - detect - assemble
            );
        }
        text + &format!("\npeak memory {} MiB of this process\n", self.peak_memory_mebibytes)
    }
}

/// Bandwidth of the triad a = b + 3 c on this number of threads, bytes/s; the best of several trials.
fn bandwidth(threads: usize) -> Result<f64> {
    const COUNT: usize = 8 << 20;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|e| Error::system("start", "threads", e))?.install(|| {
        let (mut a, b, c) = (vec![0.0f64; COUNT], vec![1.0f64; COUNT], vec![2.0f64; COUNT]);
        let block = COUNT.div_ceil(threads);
        let mut best = f64::INFINITY;
        for _ in 0..6 {
            let clock = Instant::now();
            a.par_chunks_mut(block).zip(b.par_chunks(block)).zip(c.par_chunks(block)).for_each(|((a, b), c)| {
                a.iter_mut().zip(b).zip(c).for_each(|((a, b), c)| *a = b + 3.0 * c);
            });
            best = best.min(clock.elapsed().as_secs_f64());
        }
        Ok(std::hint::black_box(&a).len() as f64 * 24.0 / best)
    })
}
