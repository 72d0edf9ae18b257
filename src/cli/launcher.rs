//! Selection of the MPI launcher: the command given by the user, otherwise `mpirun`; inside a SLURM allocation `srun`
//! or `mpirun`, chosen as in `jobs/`, by the same variables (`jobs/environment.sh`).
//!
//! Input: `--launcher` and the environment. Output: command lines to try, in order of preference. Only a trial shows
//! whether one of them connects the processes: if `srun` and MPI are incompatible, each process runs alone.

use std::fmt;
use std::path::Path;
use std::process::Command;

use crate::base::error::{Error, Result};

/// Default options, as in `jobs/environment.sh`.
const SRUN_OPTIONS: &str = "--mpi=pmix --cpu-bind=cores";
/// Default options, as in `jobs/environment.sh`.
const MPIRUN_OPTIONS: &str = "--bind-to core:overload-allowed";

/// A command line with the placeholders {ranks}, {threads} and {nodes}.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Launcher {
    words: Vec<String>,
}

/// Resources of a launch.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaunchRequest {
    /// Number of processes.
    pub(super) ranks: usize,
    /// Threads per process.
    pub(super) threads: usize,
    /// Number of machines.
    pub(super) nodes: usize,
}

impl Launcher {
    /// Launchers to try, in order. `variable` reads the environment.
    pub(super) fn candidates(given: Option<&str>, variable: impl Fn(&str) -> Option<String>) -> Result<Vec<Self>> {
        if let Some(given) = given {
            return Ok(vec![Self::of(given)?]);
        }
        if variable("SLURM_JOB_ID").is_none() {
            return Ok(vec![Self::of("mpirun -n {ranks}")?]);
        }
        let set = |name: &str, default: &str| variable(name).filter(|text| !text.is_empty()).unwrap_or(default.into());
        // A failed process ends the others only after a delay: all of them may be about to exit with the same code.
        let srun = Self::of(&format!(
            "srun {} --nodes={{nodes}} --ntasks={{ranks}} --cpus-per-task={{threads}} --kill-on-bad-exit=0 --wait=60",
            set("NSCDD_SRUN_OPTIONS", SRUN_OPTIONS)
        ))?;
        let mpirun = Self::of(&format!(
            "mpirun {} --oversubscribe --map-by slot:PE={{threads}} -n {{ranks}}",
            set("NSCDD_MPIRUN_OPTIONS", MPIRUN_OPTIONS)
        ))?;
        match set("NSCDD_LAUNCHER", "auto").as_str() {
            "auto" => Ok(vec![srun, mpirun]),
            "srun" => Ok(vec![srun]),
            "mpirun" => Ok(vec![mpirun]),
            other => Err(misuse(&format!("NSCDD_LAUNCHER is {other}"), "it must be srun, mpirun or auto")),
        }
    }

    fn of(line: &str) -> Result<Self> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        match words.is_empty() {
            true => Err(misuse("--launcher is empty", "for example 'mpirun -n {ranks}'")),
            false => Ok(Self { words }),
        }
    }

    /// The executable of the launcher.
    pub(super) fn name(&self) -> &str {
        &self.words[0]
    }

    /// Command line that starts `program`, without its arguments.
    pub(super) fn command(&self, request: LaunchRequest, program: &Path) -> Command {
        let words = self.filled(request);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).arg(program);
        command
    }

    fn filled(&self, request: LaunchRequest) -> Vec<String> {
        let LaunchRequest { ranks, threads, nodes } = request;
        let numbers = [("{ranks}", ranks), ("{threads}", threads), ("{nodes}", nodes)];
        let fill =
            |word: &String| numbers.iter().fold(word.clone(), |word, (name, n)| word.replace(name, &n.to_string()));
        self.words.iter().map(fill).collect()
    }
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

/// The error of an invalid command line, with advice.
pub(super) fn misuse(what: &str, help: &str) -> Error {
    Error::Input(Box::new(miette::MietteDiagnostic::new(what).with_help(help)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(given: Option<&str>, variables: &[(&str, &str)]) -> Result<Vec<String>> {
        let variable = |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, text)| (*text).to_owned());
        let request = LaunchRequest { ranks: 8, threads: 3, nodes: 2 };
        Ok(Launcher::candidates(given, variable)?.iter().map(|one| one.filled(request).join(" ")).collect())
    }

    #[test]
    fn srun_is_tried_first_with_the_options_of_the_site_then_mpirun() {
        let job = ("SLURM_JOB_ID", "7");
        assert_eq!(lines(None, &[]).unwrap(), ["mpirun -n 8"]);
        assert_eq!(lines(Some("run {ranks} on {nodes}"), &[job]).unwrap(), ["run 8 on 2"]);
        let [srun, mpirun] = &lines(None, &[job, ("NSCDD_SRUN_OPTIONS", "--mpi=pmix_v4")]).unwrap()[..] else {
            panic!("two to try")
        };
        assert!(srun.starts_with("srun --mpi=pmix_v4 --nodes=2 --ntasks=8 --cpus-per-task=3 "), "{srun}");
        assert_eq!(mpirun, "mpirun --bind-to core:overload-allowed --oversubscribe --map-by slot:PE=3 -n 8");
        assert!(lines(None, &[job]).unwrap()[0].starts_with("srun --mpi=pmix --cpu-bind=cores "));
        assert_eq!(&lines(None, &[job, ("NSCDD_LAUNCHER", "mpirun")]).unwrap()[0], mpirun);
        assert!(lines(None, &[job, ("NSCDD_LAUNCHER", "ssh")]).is_err() && lines(Some(" "), &[]).is_err());
    }

    #[test]
    fn the_defaults_are_those_of_the_jobs() {
        let file = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/jobs/environment.sh")).unwrap();
        for (name, value) in [("SRUN", SRUN_OPTIONS), ("MPIRUN", MPIRUN_OPTIONS)] {
            let line = format!(": \"${{NSCDD_{name}_OPTIONS:={value}}}\"");
            assert!(file.contains(&line), "{line}");
        }
    }
}
