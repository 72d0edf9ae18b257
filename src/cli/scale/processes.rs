//! Programs that a scaling study starts, and the cores they are bound to.

use std::path::PathBuf;
use std::process::{Command, ExitStatus, Output, Stdio};

use crate::base::error::{EXIT_DONE, EXIT_STOPPED, Error, Result};
use crate::cli::placement::usable_cores;

/// Exit codes of a run that made its steps.
pub(super) const ENDS: [i32; 2] = [EXIT_DONE, EXIT_STOPPED];

/// The path of this program as invoked, which may be a wrapper.
pub(super) fn this_program() -> Result<PathBuf> {
    let named = std::env::args_os().next().map(PathBuf::from).filter(|path| path.components().count() > 1);
    match named.filter(|path| path.exists()) {
        Some(path) => Ok(path),
        None => std::env::current_exe().map_err(|e| Error::system("find", "this program", e)),
    }
}

/// Runs the command and returns its standard output.
pub(super) fn output(mut command: Command, codes: &[i32]) -> Result<String> {
    let named = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|e| Error::system("start", command.get_program().to_string_lossy().as_ref(), e))?;
    accept(&named, &output, codes)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// An error unless the command ended with one of these codes.
pub(super) fn accept(named: &str, output: &Output, codes: &[i32]) -> Result<()> {
    if output.status.code().is_some_and(|code| codes.contains(&code)) {
        return Ok(());
    }
    Err(Error::system("run", named, String::from_utf8_lossy(&output.stderr).trim_end()))
}

/// The cores that this process may use, if processes can be bound to them.
pub(super) fn bindable_cores() -> Option<Vec<u32>> {
    let found = Command::new("taskset").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.ok().filter(ExitStatus::success).map(|_| usable_cores())
}
