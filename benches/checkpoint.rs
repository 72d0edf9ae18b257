//! Cost of a checkpoint: a million spheres, compared with a plain HDF5 write of as many bytes by the same processes.
//!
//! `cargo bench --bench checkpoint`, or the program it builds under `mpirun -n 2`. Prints the best of several
//! alternating trials of each, and the bytes per body and per contact. Reported, not asserted; the target is a ratio of
//! at most 1.3.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use nalgebra::Vector3;
use nscdd::base::huge_pages::HugePages;
use nscdd::body::{FREE, Row, State};
use nscdd::cli::plan;
use nscdd::comm::{self, Comm};
use nscdd::dim::Space;
use nscdd::output::checkpoint::{CheckpointContent, write};
use nscdd::output::columns::{Column, ColumnTable, ColumnValues, RowOwners, write_plain};
use nscdd::output::summary::RunCounts;
use nscdd::scene::Scene;
use nscdd::scene::setup::setup_share;
use nscdd::simulation::Simulation;
use nscdd::solver::EnergyBalance;

#[global_allocator]
static MEMORY: HugePages = HugePages;

const SCENE: &str = r#"
[world]
dimension = 3
[time]
step = 1e-4
end = 1
[domain]
subdomains = 64
[solver]
max_sweeps = 5
[materials.stone]
density = 2600
[[laws]]
between = ["stone", "stone"]
coulomb = { friction = 0.5 }
[[generators]]
material = "stone"
walls = { min = [0, 0, 0], max = [10, 10, 12], open = ["+z"] }
[[generators]]
material = "stone"
lattice = { count = [100, 100, 100], spacing = 0.1, origin = [0, 0, 0], radius = 0.05 }
"#;

fn main() {
    // As in the program: the main thread, which communicates, is part of the pool.
    rayon::ThreadPoolBuilder::new().use_current_thread().build_global().unwrap();
    let comm = comm::start();
    let simulation = compressed(&comm);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (checkpoint, plain) = (folder.join("bench-checkpoint.h5"), folder.join("bench-plain.h5"));
    let counts = RunCounts::default();
    let moment = CheckpointContent {
        model: &simulation.model,
        domain: simulation.domain(),
        bodies: &simulation.bodies,
        history: &simulation.history,
        step: 2,
        time: 0.0,
        energy: &EnergyBalance::default(),
        mean_impulse: 0.0,
        counters: &Default::default(),
        counts: &counts,
        warnings: &Default::default(),
        scene: SCENE,
    };
    let (domain, all) = (simulation.domain(), &simulation.bodies);
    let bodies = domain.body_rows(all, &domain.id_index(all)).total;
    let contacts = domain.count_records(all, &simulation.history);
    let mut best = [f64::INFINITY; 3];
    let mut bytes = 0;
    for _ in 0..5 {
        // Runs give every checkpoint a new name: neither write pays for truncating an earlier file.
        clear(&*comm, [&checkpoint, &plain]);
        let sort = || drop(domain.body_rows(all, &domain.id_index(all)));
        best[2] = best[2].min(timed(&*comm, sort));
        best[0] = best[0].min(timed(&*comm, || write(&checkpoint, &moment).unwrap()));
        bytes = std::fs::metadata(&checkpoint).unwrap().len() as usize;
        // As many bytes in one column, by the same processes, synchronised to disk.
        let (rank, size, total) = (comm.rank(), comm.size(), bytes / 8);
        let (start, end) = (total * rank / size, total * (rank + 1) / size);
        let column = Column::new("x", "", "", 1, ColumnValues::Float(vec![1.0 / 3.0; end - start]));
        let rows = RowOwners::Spread { start, total };
        let table = ColumnTable { name: "plain", columns: vec![column], rows };
        best[1] = best[1].min(timed(&*comm, || write_plain(&*comm, &plain, vec![table]).unwrap()));
    }
    if comm.is_root() {
        println!("{bodies} bodies, {contacts} contacts that carry an impulse, {} process(es)", comm.size());
        let row = State::<Space>::row_bytes();
        let contact = (bytes - bodies * row) as f64 / contacts as f64;
        println!("{:.1} MB: {row} B a body, {contact:.1} B a contact", bytes as f64 / 1e6);
        println!("checkpoint {:.3} s, plain write {:.3} s, ratio {:.2}", best[0], best[1], best[0] / best[1]);
        println!("of it {:.3} s until the bodies are in the order of the file", best[2]);
    }
    clear(&*comm, [&checkpoint, &plain]);
}

/// The scene after two steps in which all bodies press towards the centre, so that every contact is active.
fn compressed(comm: &Arc<dyn Comm>) -> Simulation<Space> {
    let scene = Scene::parse(SCENE, "bench", Path::new("."), &[]).unwrap();
    let mut setup = setup_share::<Space>(&scene, &**comm).unwrap();
    let middle = Vector3::repeat(5.0);
    let free = setup.bodies.states_mut().iter_mut().filter(|state| state.motion == FREE);
    free.for_each(|state| state.velocity = (middle - state.position) * 0.01);
    let mut simulation = Simulation::on(Arc::clone(comm), setup.model, setup.bodies, setup.bounds, plan(&scene));
    for _ in 0..2 {
        simulation.step().unwrap();
    }
    simulation
}

/// Removes the files and synchronises the disk.
fn clear(comm: &dyn Comm, files: [&Path; 2]) {
    if comm.is_root() {
        files.iter().for_each(|file| drop(std::fs::remove_file(file)));
        std::fs::File::open(env!("CARGO_TARGET_TMPDIR")).unwrap().sync_all().unwrap();
    }
}

/// Time until the last process is done, s.
fn timed(comm: &dyn Comm, work: impl FnOnce()) -> f64 {
    comm.max(&mut [0.0]);
    let start = Instant::now();
    work();
    let mut seconds = [start.elapsed().as_secs_f64()];
    comm.max(&mut seconds);
    seconds[0]
}
