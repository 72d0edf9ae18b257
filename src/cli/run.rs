//! `nscdd run`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::RunArgs;
use crate::comm::{self, Comm};
use crate::dim::{Dim, Plane, Space};
use crate::error::{EXIT_DONE, EXIT_STOPPED, Error, Result};
use crate::integrator::Theta;
use crate::io::folder::{Folder, Wishes};
use crate::io::memory;
use crate::io::scene::Scene;
use crate::io::setup::{Setup, setup, setup_share};
use crate::io::share::Share;
use crate::strategy::{self, Ending, Options, Plan, Simulation};

pub(super) fn run(args: &RunArgs, quiet: bool) -> Result<i32> {
    let comm = comm::start();
    let code = start(args, quiet, &comm);
    match code {
        // Processes end together; one that fails alone must not leave the others waiting.
        Err(error) if comm.size() > 1 => {
            super::report(&error);
            comm.abort(error.exit_code())
        }
        code => code,
    }
}

fn start(args: &RunArgs, quiet: bool, comm: &Arc<dyn Comm>) -> Result<i32> {
    let scene = match agreed(&**comm, Scene::load(&args.scene.scene, &args.scene.sets))? {
        Ok(scene) => scene,
        Err(code) => return Ok(code),
    };
    let threads = args.threads.unwrap_or_else(|| threads_each(comm.size()));
    // The thread that talks to other processes is one of them.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build();
    let pool = pool.map_err(|e| Error::system("start", "threads", e))?;
    pool.install(|| match scene.world.dimension {
        2 => simulate::<Plane>(&scene, args, quiet, comm),
        _ => simulate::<Space>(&scene, args, quiet, comm),
    })
}

/// Threads of each of `size` processes: the cores of a machine shared among its processes.
fn threads_each(size: usize) -> usize {
    if size == 1 {
        return 0; // All cores.
    }
    let local = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"];
    let local = local.iter().find_map(|name| std::env::var(name).ok()?.parse::<usize>().ok()).unwrap_or(size);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    (cores / local.max(1)).max(1)
}

/// What all processes made of the same thing: their values, or the code to end with if one of them failed. The failure
/// is reported once, by the first process that met it.
fn agreed<T>(comm: &dyn Comm, own: Result<T>) -> Result<std::result::Result<T, i32>> {
    if comm.size() == 1 {
        return own.map(Ok);
    }
    let mut first = [if own.is_err() { comm.rank() as f64 } else { f64::INFINITY }];
    comm.min(&mut first);
    match own {
        Ok(value) if first[0] == f64::INFINITY => Ok(Ok(value)),
        own => {
            let mut code = [own.as_ref().err().map_or(0.0, |error| f64::from(error.exit_code()))];
            comm.max(&mut code);
            if let Err(error) = &own
                && first[0] == comm.rank() as f64
            {
                super::report(error);
            }
            Ok(Err(code[0] as i32))
        }
    }
}

/// The part of a scene that says how to simulate.
pub fn plan(scene: &Scene) -> Plan {
    Plan {
        integrator: Theta { h: scene.time.step, theta: scene.time.theta, gyroscopic: scene.time.gyroscopic },
        domain: scene.domain.clone(),
        solver: scene.solver.clone(),
        detection: scene.detection.clone(),
    }
}

fn simulate<X: Dim>(scene: &Scene, args: &RunArgs, quiet: bool, comm: &Arc<dyn Comm>) -> Result<i32> {
    let mut simulation = match begin::<X>(scene, comm)? {
        Ok(simulation) => simulation,
        Err(code) => return Ok(code),
    };
    let path = folder_path(scene, args);
    let frames_every = scene.output.frames.as_ref().map(|f| f.every);
    let wishes = Wishes { frames_every, history: scene.output.history, overwrite: args.overwrite };
    let text = scene.text();
    let folder = (comm.rank() == 0).then(|| Folder::create(&path, &text, wishes)).transpose();
    let folder = match agreed(&**comm, folder)? {
        Ok(folder) => folder,
        Err(code) => return Ok(code),
    };
    if let Some(seed) = args.shuffle {
        simulation.shuffle(seed);
    }
    let parts = simulation.domain().parts();
    tracing::info!(subdomains = parts, processes = comm.size(), threads = rayon::current_num_threads(), "simulating");
    if comm.size() > parts && comm.rank() == 0 {
        let idle = comm.size() - parts;
        eprintln!("nscdd: {parts} subdomains for {} processes: {idle} stay idle; raise domain.subdomains", comm.size());
    }
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // A second signal ends the program at once, in case a step takes long.
        let registered = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)));
        registered.map_err(|e| Error::system("catch", "signals", e))?;
    }
    let silent = quiet || comm.rank() > 0;
    let scene_name = name_of(&args.scene.scene);
    let options = Options { end: scene.time.end, scene: scene_name, text, frames_every, quiet: silent, stop: &stop };
    let (summary, code) = match strategy::run(&mut simulation, folder, &options)? {
        Ending::Finished(summary) => (summary, Ok(EXIT_DONE)),
        Ending::Stopped(summary) => (summary, Ok(EXIT_STOPPED)),
        Ending::Failed(summary, error) => (summary, Err(error)),
    };
    let (bytes, neighbours) = simulation.domain().traffic();
    let (rank, own) = (comm.rank(), simulation.bodies.len());
    tracing::info!(rank, bodies_here = own, neighbours, bytes_sent_a_sweep = bytes, "at the end");
    tracing::info!(rank, mebibytes = memory::peak(), "peak memory");
    if !silent {
        println!("{}", summary.text(&path));
        if code.as_ref().is_ok_and(|&c| c == EXIT_STOPPED) {
            println!("stopped on request after step {}: everything up to there is written", summary.steps);
        }
    }
    match agreed(&**comm, code)? {
        Ok(code) | Err(code) => Ok(code),
    }
}

/// The simulation with this process' share of the bodies, or the code to end with. If anything is wrong, process 0
/// makes the whole scene, to say what one process alone would have said.
fn begin<X: Dim>(scene: &Scene, comm: &Arc<dyn Comm>) -> Result<std::result::Result<Simulation<X>, i32>> {
    let (rank, size) = (comm.rank(), comm.size());
    let mut own = setup_share::<X>(scene, Share::new(rank, size));
    let mut failed = [f64::from(u8::from(own.is_err()))];
    comm.max(&mut failed);
    if failed[0] > 0.0 && rank == 0 && size > 1 {
        own = setup::<X>(scene).and(own);
    }
    let Setup { model, bodies, bounds } = match agreed(&**comm, own)? {
        Ok(setup) => setup,
        Err(code) => return Ok(Err(code)),
    };
    let mut simulation = Simulation::on(Arc::clone(comm), model, bodies, bounds, plan(scene));
    if size > 1 && simulation.starts_with_overlap() {
        let whole = if rank == 0 { setup::<X>(scene).map(drop) } else { Ok(()) };
        if let Err(code) = agreed(&**comm, whole)? {
            return Ok(Err(code));
        }
    }
    Ok(Ok(simulation))
}

fn name_of(scene: &Path) -> String {
    scene.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy().into_owned())
}

fn folder_path(scene: &Scene, args: &RunArgs) -> PathBuf {
    let given = args.out.clone().or_else(|| scene.output.directory.clone());
    given.unwrap_or_else(|| Path::new("out").join(name_of(&args.scene.scene)))
}
