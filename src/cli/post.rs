//! `nscdd post`: evaluates measures on a checkpoint, on any number of processes and threads.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::PostArgs;
use super::launch::{agree, on_all_processes, pool};
use super::placement::Placement;
use super::resume::{find, run_folder};
use super::terminal::print;
use crate::base::error::{EXIT_DONE, Error, Result};
use crate::comm::Comm;
use crate::dim::{Dim, Plane, Space};
use crate::graphics::{Format, Rose};
use crate::measure::file::{self, MeasureRows};
use crate::measure::{self, Plots};
use crate::output::checkpoint::{self, CheckpointFacts};
use crate::output::columns::VerifiedFile;
use crate::scene::restore::restore;
use crate::scene::{Changes, Scene, changes};
use crate::simulation::Snapshot;
use crate::simulation::{RebuiltContacts, Simulation};

/// Share of the impulses that may be lost without a message: contacts that have opened since the middle of the step.
const TOLERATED: f64 = 1e-3;

pub(super) fn post(args: &PostArgs, quiet: bool) -> Result<i32> {
    on_all_processes(|comm| {
        let found = find(&args.from, args.out.as_deref(), &**comm);
        let opened = found.and_then(|(file, facts, folder)| {
            let scene = scene(args, &facts, &file)?;
            Ok((file, facts, folder, scene))
        });
        let (file, facts, folder, scene) = match agree(&**comm, opened)? {
            Ok(opened) => opened,
            Err(code) => return Ok(code),
        };
        let out = if args.out.is_some() { folder } else { folder.join("post") };
        let post = PostRun { file, facts, scene, out, plots: args.plots, quiet };
        pool(args.threads, &Placement::of(&**comm))?.install(|| match post.facts.dimension {
            2 => post.measure::<Plane>(comm),
            _ => post.measure::<Space>(comm),
        })
    })
}

/// Scene of the checkpoint with other measures; nothing else may change.
fn scene(args: &PostArgs, facts: &CheckpointFacts, file: &VerifiedFile) -> Result<Scene> {
    let folder = file.path().parent().unwrap_or(Path::new("."));
    let name = format!("the scene in {}", file.path().display());
    let scene = Scene::parse(&facts.scene, &name, folder, &args.sets)?;
    let Changes { serious, impossible } = changes(&facts.scene, &scene.text());
    if serious.is_empty() && impossible.is_empty() {
        return Ok(scene);
    }
    let reason = format!(
        "a finished simulation cannot be changed: {}; only `measure` can be set here",
        [serious, impossible].concat().join(", ")
    );
    Err(Error::system("measure", file.path(), reason))
}

/// An intact checkpoint and the request to evaluate.
struct PostRun {
    file: VerifiedFile,
    facts: CheckpointFacts,
    scene: Scene,
    /// Folder of the results.
    out: PathBuf,
    /// Format of the plots.
    plots: Format,
    quiet: bool,
}

impl PostRun {
    fn measure<X: Dim>(&self, comm: &Arc<dyn Comm>) -> Result<i32> {
        let Self { file, facts, scene, .. } = self;
        let restored = checkpoint::read::<X>(&**comm, file).and_then(|restored| restore(scene, restored));
        let restored = match agree(&**comm, restored)? {
            Ok(restored) => restored,
            Err(code) => return Ok(code),
        };
        let mut simulation = Simulation::resume(Arc::clone(comm), scene, facts, restored);
        let rebuilt = simulation.rebuild_contacts();
        let snapshot = simulation.view();
        let entries = if scene.measure.is_empty() { measure::default_measures::<X>() } else { scene.measure.clone() };
        let results: Vec<MeasureRows> = measure::measures::<X>(&entries, snapshot.model.has_deformables())
            .into_iter()
            .map(|named| {
                let rows = named.measure.rows(&snapshot);
                MeasureRows { name: named.name, quantities: named.measure.quantities(), rows }
            })
            .collect();
        let run = run_folder(file.path());
        let rose = measure::fabric_rose(&snapshot);
        let tables = match comm.is_root() {
            true => self.write_tables(&snapshot, &results, rose, run.as_deref()),
            false => Ok(Vec::new()),
        };
        let mut written = match agree(&**comm, tables)? {
            Ok(written) => written,
            Err(code) => return Ok(code),
        };
        let path = self.out.join("post.h5");
        file::write(&path, &snapshot, &results)?;
        written.push(path);
        if comm.is_root() && !self.quiet {
            self.print_results(&rebuilt, &results, &written)?;
        }
        Ok(EXIT_DONE)
    }

    /// Process 0 only: writes tables and plots, including those of the measures recorded by the run in `run`.
    fn write_tables<X: Dim>(
        &self,
        snapshot: &Snapshot<X>,
        results: &[MeasureRows],
        rose: Rose,
        run: Option<&Path>,
    ) -> Result<Vec<PathBuf>> {
        let out = &self.out;
        fs::create_dir_all(out).map_err(|e| Error::system("create", out, e))?;
        let mut tables: Plots = Vec::new();
        let mut plots: Plots = vec![("fabric-rose.svg".into(), rose.svg())];
        for MeasureRows { name, quantities, rows } in results {
            tables.push((format!("{name}.csv"), measure::csv(quantities, snapshot.now.step, snapshot.now.time, rows)));
            plots.extend(measure::draw(name, quantities, rows, None));
            let recorded =
                run.and_then(|run| measure::read(&run.join(measure::FOLDER).join(format!("{name}.csv")), quantities));
            if let Some((times, rows)) = recorded.filter(|(times, _)| times.len() > 1) {
                plots.extend(measure::draw(&format!("{name}{}", measure::IN_TIME), quantities, &rows, Some(&times)));
            }
        }
        let write = |path: PathBuf, bytes: Vec<u8>| {
            fs::write(&path, bytes).map_err(|e| Error::system("write", &path, e))?;
            Ok(path)
        };
        let tables = tables.into_iter().map(|(name, text)| write(out.join(name), text.into_bytes()));
        let plots = plots
            .into_iter()
            .map(|(name, svg)| write(out.join(name).with_extension(self.plots.ending()), self.plots.encode(svg)?));
        tables.chain(plots).collect()
    }

    /// Prints the results.
    fn print_results(&self, rebuilt: &RebuiltContacts, results: &[MeasureRows], written: &[PathBuf]) -> Result<i32> {
        let CheckpointFacts { step, time, .. } = self.facts;
        let mut text = format!("{}: after {step} steps, {time} s\n", self.file.path().display());
        let lost = rebuilt.remembered - rebuilt.found;
        if lost > TOLERATED * rebuilt.remembered {
            let share = 100.0 * lost / rebuilt.remembered;
            text += &format!("  {share:.1} % of the impulses belong to contacts that no longer exist\n");
        }
        for MeasureRows { name, quantities, rows } in results.iter().filter(|result| result.rows.len() == 1) {
            text += &format!("  {name}:\n");
            for (quantity, value) in quantities.iter().zip(&rows[0]).filter(|(q, _)| !q.name.starts_with("pdf_")) {
                text += &format!("    {} = {value:.6e} {}\n", quantity.name, quantity.unit);
            }
        }
        let count = |ending: &str| written.iter().filter(|path| path.extension().is_some_and(|e| e == ending)).count();
        let out = self.out.display();
        let plots = count(self.plots.ending());
        print(&(text + &format!("  written to {out}: post.h5, {} tables, {plots} plots\n", count("csv"))))
    }
}
