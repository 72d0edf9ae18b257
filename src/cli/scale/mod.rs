//! `nscdd scale`: scaling study of a scene, with a performance model and its predictions.
//!
//! The program starts itself through the MPI launcher, once per number of processes, and reads the output of those
//! runs.

mod advice;
mod ping;
mod processes;
mod widen;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;

use super::args::SceneArgs;
use super::launcher::{LaunchRequest, Launcher, misuse};
use super::terminal::print;
use crate::base::error::{EXIT_DONE, Error, Result, say};
use crate::domain::SubdomainCount;
use crate::scale::{Network, ScalingKind, ScalingModel, ScalingPoint, chart, csv, predictions, text};
use crate::scene::Scene;

use advice::{StudyCores, advice};
use ping::Ping;
pub(super) use ping::ping;
use processes::{ENDS, accept, bindable_cores, output, this_program};
use widen::widened;

/// Subdomains per process of the largest run: enough for an even distribution.
const SUBDOMAINS: usize = 8;

#[derive(Args)]
pub(super) struct ScaleArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Numbers of processes [default: 1, 2, 4 and so on up to the number of cores].
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    ranks: Vec<u32>,
    /// Threads per process.
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Steps per run.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Also measure weak scaling, with this number of spheres per process on a lattice in a box.
    #[arg(long, value_name = "BODIES", num_args = 0..=1, default_missing_value = "20000")]
    weak: Option<u32>,
    /// Also measure weak scaling of the scene itself: along this axis as many times as wide, with as many times the
    /// bodies, as there are processes.
    #[arg(long, value_name = "AXIS", value_parser = ["x", "y", "z"], conflicts_with = "weak")]
    weak_along: Option<String>,
    /// Skip the independent copies of the run on one process that tell what the machine allows.
    #[arg(long)]
    no_copies: bool,
    /// Folder for the results [default: out/scale-NAME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Command that starts {ranks} processes [default: mpirun; inside a SLURM allocation srun, if it connects two
    /// processes].
    #[arg(long, value_name = "COMMAND")]
    launcher: Option<String>,
}

/// A scaling study in progress.
struct Study<'a> {
    args: &'a ScaleArgs,
    folder: PathBuf,
    ranks: Vec<usize>,
    cores: StudyCores,
    nodes: usize,
    quiet: bool,
}

pub(super) fn scale(args: &ScaleArgs, quiet: bool) -> Result<i32> {
    if std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some() || std::env::var_os("PMI_SIZE").is_some() {
        return Err(misuse(
            "this is one of several processes",
            "nscdd scale starts them itself: run it without mpirun",
        ));
    }
    let scene = Scene::load(&args.scene.scene, &args.scene.sets)?;
    let name = args.scene.scene.file_stem().map_or("scene".into(), |name| name.to_string_lossy().into_owned());
    let study = Study::new(args, &name, quiet);
    let wide = study.wide_scenes(&scene)?;
    let (launcher, network) = study.launcher()?;
    let given = match scene.domain.subdomains {
        SubdomainCount::Given(count) => count as usize,
        _ => 0,
    };
    let most = study.ranks.last().copied().unwrap_or(1);
    let parts = given.max(if most > 1 { SUBDOMAINS * most } else { given.max(1) });
    let sets: Vec<String> = args.scene.sets.iter().cloned().chain([format!("domain.subdomains={parts}")]).collect();
    study.measure(ScalingKind::Strong, &launcher, network, |_| (args.scene.scene.clone(), sets.clone()))?;
    if let Some(bodies) = args.weak {
        let file = study.folder.join("weak.toml");
        std::fs::write(&file, WEAK).map_err(|e| Error::system("write", &file, e))?;
        study.measure(ScalingKind::Weak, &launcher, network, |processes| {
            (file.clone(), weak_settings(bodies, processes))
        })?;
    }
    if !wide.is_empty() {
        for (processes, text) in &wide {
            let file = study.weak_file(*processes);
            std::fs::write(&file, text).map_err(|e| Error::system("write", &file, e))?;
        }
        study.measure(ScalingKind::Weak, &launcher, network, |processes| {
            (study.weak_file(processes), vec![format!("domain.subdomains={}", SUBDOMAINS * processes)])
        })?;
    }
    print(&format!("tables and pictures: {}\n", study.folder.display()))
}

impl<'a> Study<'a> {
    fn new(args: &'a ScaleArgs, name: &str, quiet: bool) -> Self {
        let nodes = std::env::var("SLURM_JOB_NUM_NODES").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
        let cores = StudyCores::of(nodes);
        let mut ranks: Vec<usize> = args.ranks.iter().map(|&n| n as usize).collect();
        if ranks.is_empty() {
            ranks =
                std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|n| n * args.threads <= cores.all).collect();
            if ranks.is_empty() {
                ranks = vec![1];
            }
        }
        ranks.sort_unstable();
        ranks.dedup();
        let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(format!("scale-{name}")));
        Self { args, folder, ranks, cores, nodes, quiet }
    }

    /// With `--weak-along`, for each number of processes the scene that is as many times as wide.
    fn wide_scenes(&self, scene: &Scene) -> Result<Vec<(usize, String)>> {
        let Some(axis) = &self.args.weak_along else { return Ok(Vec::new()) };
        // The independent copies are of the scene on one process.
        let one = (!self.ranks.contains(&1)).then_some(1);
        let all = self.ranks.iter().copied().chain(one);
        all.map(|processes| Ok((processes, widened_scene(scene, axis, processes)?))).collect()
    }

    /// File of the scene that is as many times as wide as there are processes.
    fn weak_file(&self, processes: usize) -> PathBuf {
        self.folder.join(format!("weak-{processes}.toml"))
    }

    /// Command that starts this program on that many processes.
    fn program(&self, launcher: &Launcher, processes: usize) -> Result<Command> {
        let program = this_program()?;
        if processes == 1 {
            return Ok(Command::new(program));
        }
        let threads = self.args.threads;
        // The least number of machines with enough cores.
        let each = (self.cores.all / self.nodes / threads.max(1)).max(1);
        let request = LaunchRequest { ranks: processes, threads, nodes: processes.div_ceil(each).min(self.nodes) };
        let mut command = launcher.command(request, &program);
        if processes * threads > self.cores.all {
            // Oversubscription is allowed, and labelled in the results.
            command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("OMPI_MCA_mpi_yield_when_idle", "1");
        }
        Ok(command)
    }

    /// Finds the first launcher that connects two processes, and measures messages between them.
    fn launcher(&self) -> Result<(Launcher, Network)> {
        let variable = |name: &str| std::env::var(name).ok();
        let candidates = Launcher::candidates(self.args.launcher.as_deref(), variable)?;
        let mut failed = None;
        for launcher in candidates {
            if let Some(error) = failed.filter(|_| !self.quiet) {
                say(format_args!("nscdd: {error}\nnscdd: trying {}", launcher.name()));
            }
            match self.ping(&launcher) {
                Ok(network) => {
                    if !self.quiet {
                        say(format_args!("nscdd: processes are started by {}: {launcher}", launcher.name()));
                    }
                    return Ok((launcher, network));
                }
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.unwrap_or_else(|| misuse("there is no launcher", "give one: --launcher 'mpirun -n {ranks}'")))
    }

    /// Measures messages between two processes.
    fn ping(&self, launcher: &Launcher) -> Result<Network> {
        let mut command = self.program(launcher, 2)?;
        command.arg("ping").env("OMPI_MCA_rmaps_base_oversubscribe", "1");
        let output = output(command, &[EXIT_DONE])?;
        // Unconnected processes print one line each.
        let first = output.lines().next().unwrap_or_default();
        let ping: Ping = serde_json::from_str(first).map_err(|e| Error::system("read", "ping", e))?;
        check_connected(launcher, 2, ping.processes)?;
        Ok(Network { latency: ping.latency_s, bandwidth: ping.bytes_a_second })
    }

    /// Adds the arguments of a run of a scene with settings.
    fn add_run(&self, command: &mut Command, (file, sets): &(PathBuf, Vec<String>), folder: &Path) {
        command.arg("run").arg(file).args(sets.iter().flat_map(|set| ["--set", set]));
        // A diagnosis by process 0 alone would add to the time of all processes.
        command.args(["--overwrite", "--quiet", "--no-diagnosis", "--threads", &self.args.threads.to_string()]);
        command.args(["--stop-after", &self.args.steps.to_string()]).arg("--out").arg(folder);
    }

    /// Mean time of a step of so many independent copies of the run on one process, all at once and each on cores of
    /// its own, s. None for one copy, on several machines, and where there are too few cores.
    fn copies(&self, kind: ScalingKind, count: usize, one: &(PathBuf, Vec<String>)) -> Result<Option<f64>> {
        let threads = self.args.threads;
        let is_possible = count > 1 && self.nodes == 1 && count * threads <= self.cores.all && self.ranks[0] == 1;
        if self.args.no_copies || !is_possible {
            return Ok(None);
        }
        if !self.quiet {
            say(format_args!("{} scaling: {count} independent copies of the run on one process", kind.name()));
        }
        let cores = bindable_cores().filter(|cores| cores.len() >= count * threads);
        let folder = |copy: usize| self.folder.join(format!("{}-{count}-copies", kind.name())).join(copy.to_string());
        let mut running = Vec::new();
        for copy in 0..count {
            let program = this_program()?;
            let mut command = match &cores {
                Some(cores) => {
                    let own: Vec<String> = cores[copy * threads..][..threads].iter().map(u32::to_string).collect();
                    let mut command = Command::new("taskset");
                    command.args(["-c", &own.join(",")]).arg(program);
                    command
                }
                None => Command::new(program),
            };
            self.add_run(&mut command, one, &folder(copy));
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let named = format!("{command:?}");
            running.push((named, command.spawn().map_err(|e| Error::system("start", "a copy", e))?));
        }
        // All are waited for, also if one fails.
        let ended: Vec<_> = running.into_iter().map(|(named, child)| (named, child.wait_with_output())).collect();
        let mut sum = 0.0;
        for (copy, (named, result)) in ended.into_iter().enumerate() {
            accept(&named, &result.map_err(|e| Error::system("wait for", &named, e))?, &ENDS)?;
            sum += ScalingPoint::read(&folder(copy), self.cores.all)?.times.seconds;
        }
        Ok(Some(sum / count as f64))
    }

    /// Performs all runs of a kind, prints their report and writes the table and the chart.
    fn measure(
        &self,
        kind: ScalingKind,
        launcher: &Launcher,
        network: Network,
        scene: impl Fn(usize) -> (PathBuf, Vec<String>),
    ) -> Result<()> {
        let mut points = Vec::new();
        for &processes in &self.ranks {
            let (file, sets) = scene(processes);
            let folder = self.folder.join(format!("{}-{processes}", kind.name()));
            if !self.quiet {
                say(format_args!("{} scaling: {processes} process(es)", kind.name()));
            }
            let mut command = self.program(launcher, processes)?;
            self.add_run(&mut command, &(file, sets), &folder);
            output(command, &ENDS)?;
            let point = ScalingPoint::read(&folder, self.cores.all)?;
            check_connected(launcher, processes, point.processes)?;
            points.push(ScalingPoint { copies: self.copies(kind, processes, &scene(1))?, ..point });
        }
        let Some(model) = ScalingModel::fit(&points, network) else { return Ok(()) };
        let predictions = predictions(kind, &points, network);
        print(&text(kind, &points, &model, &predictions))?;
        if let Some(line) = advice(self.cores, self.args.threads, &points) {
            print(&line)?;
        }
        for (end, content) in [("csv", csv(kind, &points, &predictions)), ("svg", chart(kind, &points, &model))] {
            let file = self.folder.join(format!("{}.{end}", kind.name()));
            std::fs::write(&file, content).map_err(|e| Error::system("write", &file, e))?;
        }
        Ok(())
    }
}

/// Checks that as many processes are connected as were requested.
fn check_connected(launcher: &Launcher, requested: usize, connected: usize) -> Result<()> {
    if requested == connected {
        return Ok(());
    }
    let found = if connected == 1 { "each process was alone".into() } else { format!("{connected} were connected") };
    let reason = format!(
        "{found}; give the launcher of the MPI that nscdd was built with, and {{ranks}} in it: --launcher 'mpirun -n {{ranks}}', \
         or inside SLURM NSCDD_SRUN_OPTIONS=--mpi=... (srun --mpi=list names them)"
    );
    Err(Error::system("start", format!("{requested} processes by `{launcher}`"), reason))
}

/// Text of the scene made `factor` times as wide along `axis`.
fn widened_scene(scene: &Scene, axis: &str, factor: usize) -> Result<String> {
    let axis = ["x", "y", "z"].iter().position(|name| *name == axis).unwrap_or(0);
    let help = "supported are scenes of walls, deposits, lattices, feeds, sinks, listed bodies, and planes along or across \
                the axis; --weak N measures a lattice of N spheres per process instead";
    let refuse = |what: &str| misuse(&format!("the scene cannot be widened for weak scaling: {what}"), help);
    if axis >= usize::from(scene.world.dimension) {
        return Err(refuse("it has no such axis"));
    }
    let text = widened(&scene.text(), axis, factor).map_err(|what| refuse(&what))?;
    Scene::parse(&text, "the widened scene", Path::new("."), &[]).map(|_| text)
}

/// Touching spheres in a box; [`weak_settings`] sets their number.
const WEAK: &str = r#"[world]
dimension = 3
[time]
step = 1e-4
end = 1
[materials.glass]
density = 2500
[[laws]]
between = ["glass", "glass"]
coulomb = { friction = 0.5 }
[[generators]]
material = "glass"
walls = { min = [0, 0, 0], max = [1, 1, 1], open = ["+z"] }
[[generators]]
material = "glass"
lattice = { count = [10, 10, 10], spacing = 0.1, origin = [0, 0, 0], radius = 0.05, velocity = [-0.01, -0.01, -0.01] }
"#;

/// Settings for this number of spheres per process, on a floor as nearly square as possible.
fn weak_settings(bodies: u32, processes: usize) -> Vec<String> {
    let side = f64::from(bodies).cbrt().round().max(1.0) as usize;
    let rows = (1..=processes).filter(|n| processes.is_multiple_of(*n) && n * n <= processes).max().unwrap_or(1);
    let (x, y) = (side * processes / rows, side * rows);
    let [length, width, height] = [x, y, side + 10].map(|n| 0.1 * n as f64);
    vec![
        format!("generators.0.walls.max=[{length:.1}, {width:.1}, {height:.1}]"),
        format!("generators.1.lattice.count=[{x}, {y}, {side}]"),
        format!("domain.subdomains={}", SUBDOMAINS * processes),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weak_problem_grows_with_the_processes_on_a_floor_as_nearly_square_as_possible() {
        assert_eq!(weak_settings(1000, 1)[1], "generators.1.lattice.count=[10, 10, 10]");
        assert_eq!(weak_settings(1000, 6)[1], "generators.1.lattice.count=[30, 20, 10]");
        assert_eq!(weak_settings(1000, 7)[1], "generators.1.lattice.count=[70, 10, 10]");
        for processes in [1, 2, 6, 16] {
            Scene::parse(WEAK, "weak", Path::new("."), &weak_settings(8, processes)).unwrap();
        }
    }
}
