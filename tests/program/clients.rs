//! Other programs read the output of a run: h5py the checkpoints, VTK (and so ParaView) the frames.
//!
//! The Python packages are installed into a virtual environment in the target folder. Where that is impossible the test
//! reports that it was skipped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::{nscdd, text};

/// A Python with h5py, numpy and vtk, or the reason why there is none.
pub(crate) fn python() -> Result<PathBuf, String> {
    python_with("clients", &["h5py", "numpy", "vtk"], "import h5py, numpy, vtkmodules.vtkIOHDF")
}

/// A Python with these packages in its own environment, in which `probe` runs, or the reason why there is none.
pub(crate) fn python_with(environment: &str, packages: &[&str], probe: &str) -> Result<PathBuf, String> {
    let environment = Path::new(env!("CARGO_TARGET_TMPDIR")).join(environment);
    let python = environment.join("bin/python");
    if runs(&python, probe) {
        return Ok(python);
    }
    let run = |command: &mut Command| match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(text(&output.stderr)),
        Err(error) => Err(error.to_string()),
    };
    run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    run(Command::new(&python).args(["-m", "pip", "install", "-q"]).args(packages))?;
    if runs(&python, probe) { Ok(python) } else { Err("the packages do not load".into()) }
}

fn runs(python: &Path, code: &str) -> bool {
    let tried = Command::new(python).args(["-c", code]).stderr(Stdio::null()).status();
    tried.is_ok_and(|status| status.success())
}

#[test]
fn h5py_reads_checkpoints_and_vtk_reads_frames() {
    let python = match python() {
        Ok(python) => python,
        Err(why) => {
            println!("skipped: no Python with h5py and vtk: {why}");
            return;
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let ranks = if cfg!(feature = "mpi") { 2 } else { 1 };
    for (scene, sets) in [
        ("scenes/tumbling-solids.toml", ["output.frames.every=0.1", "output.frames.packed=true"]),
        ("scenes/pentagons.toml", ["output.frames.every=0.1", "output.frames.packed=false"]),
    ] {
        let out = folder.path().join(Path::new(scene).file_stem().unwrap());
        let sets = ["--set", sets[0], "--set", sets[1], "--set", "domain.subdomains=4", "--set", "time.end=0.3"];
        let all = [vec!["run", scene, "-q", "--out", out.to_str().unwrap()], sets.to_vec()].concat();
        let output = nscdd(ranks, &all).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        for (client, file, expected) in
            [("read_checkpoint.py", "final.h5", "bodies"), ("read_frames.py", "frames.vtkhdf", "velocity")]
        {
            let script = format!("tests/clients/{client}");
            let read = Command::new(&python).arg(script).arg(out.join(file)).output().unwrap();
            let (said, wrong) = (text(&read.stdout), text(&read.stderr));
            assert!(read.status.success(), "{scene}, {client}: {said}{wrong}");
            assert!(said.contains(expected), "{scene}, {client}: {said}");
        }
    }
}

#[test]
fn the_python_snippets_of_the_book_run() {
    let packages = ["h5py", "numpy", "matplotlib", "pyvista"];
    let python = match python_with("snippets", &packages, "import h5py, numpy, matplotlib") {
        Ok(python) => python,
        Err(why) => {
            println!("skipped: no Python with h5py and pyvista: {why}");
            return;
        }
    };
    // Off-screen rendering with VTK does not work on every machine and may crash Python.
    let draws = "import pyvista; pyvista.Plotter(off_screen=True).screenshot(return_img=True)";
    let without = if runs(&python, draws) { &[][..] } else { &["--without", "pyvista"] };
    let folder = tempfile::tempdir().unwrap();
    // The run that docs/python.md asks its reader to make.
    let measures = "measure=[{ every = 0.02, stress = {} }, { every = 0.02, energy = {} }]";
    let run = ["run", "heap.toml", "-q", "--set", measures, "--set", "output.checkpoint.every_seconds=0.25"];
    for arguments in [&["new", "heap"][..], &run, &["post", "out/heap"]] {
        let output = nscdd(1, arguments).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/run_snippets.py");
    for (page, snippets) in [("docs/python.md", 10), ("docs/checkpoints.md", 1)] {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let ran =
            Command::new(&python).arg(&script).arg(&page).args(without).current_dir(folder.path()).output().unwrap();
        let (said, wrong) = (text(&ran.stdout), text(&ran.stderr));
        assert!(ran.status.success(), "{said}{wrong}");
        let found = said.matches("== ").count();
        assert_eq!(found, snippets, "a page with other snippets than this test knows of: {said}");
        println!("{said}");
    }
}
