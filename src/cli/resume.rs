//! `nscdd resume`: continues from the latest intact checkpoint of a run, on any number of processes and threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::ResumeArgs;
use super::launch::{Launch, LaunchContext, agree, catch_signals, on_all_processes, pool, scene_name};
use super::placement::Placement;
use crate::base::error::{Error, Result, called_as, say};
use crate::comm::Comm;
use crate::dim::{Dim, Plane, Space};
use crate::output::checkpoint::{self, CheckpointFacts, Checkpoints, candidates};
use crate::output::columns::VerifiedFile;
use crate::output::folder::RunFolder;
use crate::scene::restore::restore;
use crate::scene::{Changes, Scene, changes};
use crate::simulation::Simulation;

pub(super) fn resume(args: &ResumeArgs, quiet: bool) -> Result<i32> {
    let stop = catch_signals()?;
    on_all_processes(|comm| {
        let found = find(&args.from, args.out.as_deref(), &**comm);
        let opened = found.and_then(|(file, facts, folder)| {
            let scene = scene(args, &facts, &folder)?;
            Ok((file, facts, folder, scene))
        });
        let (file, facts, folder, scene) = match agree(&**comm, opened)? {
            Ok(opened) => opened,
            Err(code) => return Ok(code),
        };
        if comm.is_root() && !quiet {
            say(format_args!("nscdd: resuming from step {} ({} s), {}", facts.step, facts.time, file.path().display()));
        }
        let run = ResumedRun { file, facts, folder, scene };
        let placement = Placement::of(&**comm);
        let context = LaunchContext { comm, placement: &placement, stop: &stop, quiet };
        pool(args.engine.threads, &placement)?.install(|| match run.facts.dimension {
            2 => run.simulate::<Plane>(args, &context),
            _ => run.simulate::<Space>(args, &context),
        })
    })
}

/// An intact checkpoint and the folder in which the run continues.
struct ResumedRun {
    file: VerifiedFile,
    facts: CheckpointFacts,
    folder: PathBuf,
    scene: Scene,
}

impl ResumedRun {
    fn simulate<X: Dim>(self, args: &ResumeArgs, context: &LaunchContext) -> Result<i32> {
        let comm = context.comm;
        let Self { file, facts, folder: path, scene } = self;
        // The read is collective: it fails on every process or on none.
        let restored = checkpoint::read::<X>(&**comm, &file);
        let restored = restored.and_then(|restored| restore(&scene, restored));
        let restored = restored.and_then(|restored| restored.0.factor(&scene).map(|()| restored));
        let restored = match agree(&**comm, restored)? {
            Ok(restored) => restored,
            Err(code) => return Ok(code),
        };
        let selection = scene.output.selection();
        let open = || {
            if !comm.is_root() {
                return Ok(RunFolder::on_other_process(&path, selection));
            }
            let folder = RunFolder::resume(&path, &scene.text(), selection, facts.step, facts.time)?;
            // Later checkpoints will be written again.
            let set = Checkpoints::new(&path, scene.output.checkpoint.keep as usize);
            let pruned = set.prepare().and_then(|()| set.prune(facts.step));
            pruned.map_err(|e| Error::system("clean up the checkpoints in", &path, e))?;
            Ok(folder)
        };
        let folder = match agree(&**comm, open())? {
            Ok(folder) => folder,
            Err(code) => return Ok(code),
        };
        let simulation = Simulation::resume(Arc::clone(comm), &scene, &facts, restored);
        let name = scene_name(&path);
        let (counts, args) = (facts.counts, &args.engine);
        Launch { scene: &scene, name, path, folder, counts, args, context, resumed: true }.start(simulation)
    }
}

/// Collective. Finds the checkpoint to continue from, with its facts, and the folder of the run, or `out`. Damaged
/// files are reported and skipped.
pub(super) fn find(
    given: &Path,
    out: Option<&Path>,
    comm: &dyn Comm,
) -> Result<(VerifiedFile, CheckpointFacts, PathBuf)> {
    let paths = match comm.is_root() {
        true if given.is_dir() => candidates(given),
        true => vec![given.to_owned()],
        false => Vec::new(),
    };
    // All use the listing of process 0: the others may see another state of the folder.
    let is_folder = comm.broadcast(vec![u8::from(given.is_dir())]) == [1];
    let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let paths = String::from_utf8_lossy(&comm.broadcast(paths.join("\n").into_bytes())).into_owned();
    let mut best: Option<(VerifiedFile, CheckpointFacts)> = None;
    for path in paths.lines().map(Path::new) {
        // `final.h5` comes first, then the checkpoints, latest first. The newest of `final.h5` and the first intact
        // checkpoint is used.
        let is_final = path == checkpoint::final_path(given);
        let opened =
            VerifiedFile::open(comm, path).and_then(|file| checkpoint::facts(&file).map(|facts| (file, facts)));
        match opened {
            Ok((file, facts)) => {
                let newer = best.as_ref().is_none_or(|(_, best)| best.step < facts.step);
                if newer {
                    best = Some((file, facts));
                }
                if !is_final {
                    break;
                }
            }
            Err(error) if is_folder => {
                if comm.is_root() {
                    say(format_args!("nscdd: skipped: {error}"));
                }
            }
            Err(error) => return Err(Error::system("read", path, error.reason)),
        }
    }
    let Some((file, facts)) = best else {
        let scene = given.join("scene.toml");
        let reason = format!(
            "it has no valid checkpoint; start again with: {} run {} --out {} --overwrite",
            called_as(),
            scene.display(),
            given.display()
        );
        return Err(Error::system("resume", given, reason));
    };
    let folder = match (out, is_folder) {
        (Some(out), _) => out.to_owned(),
        (None, true) => given.to_owned(),
        (None, false) => run_folder(given).ok_or_else(|| {
            let reason = "it is not in the folder of a run; give the folder to continue in with --out";
            Error::system("resume", given, reason)
        })?,
    };
    Ok((file, facts, folder))
}

/// Folder of the run that a checkpoint belongs to.
pub(super) fn run_folder(file: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(file).ok()?.parent()?.to_owned();
    [folder.clone(), folder.parent()?.to_owned()].into_iter().find(|folder| folder.join("scene.toml").exists())
}

/// Scene to continue with: that of the folder, modified by `--set`. Differences from the scene of the checkpoint are
/// refused unless they are harmless or accepted.
fn scene(args: &ResumeArgs, facts: &CheckpointFacts, folder: &Path) -> Result<Scene> {
    let path = folder.join("scene.toml");
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(_) => facts.scene.clone(),
    };
    let scene = Scene::parse(&text, &path.display().to_string(), folder, &args.sets)?;
    let Changes { serious, impossible } = changes(&facts.scene, &scene.text());
    if !impossible.is_empty() {
        let reason = format!(
            "the scene has changed in keys that define existing bodies: {}; undo the change, or start a new scene with [[bodies]] from = \"{}\"",
            impossible.join(", "),
            checkpoint::final_path(folder).display(),
        );
        return Err(Error::system("resume", folder, reason));
    }
    if !serious.is_empty() && !args.accept_changes {
        let reason = format!(
            "the scene differs from the one that was run; changed: {}; undo the change, or continue with --accept-changes",
            serious.join(", ")
        );
        return Err(Error::system("resume", folder, reason));
    }
    Ok(scene)
}
