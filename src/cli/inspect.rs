//! `nscdd inspect`: contents of a checkpoint, or differences between two.

use std::path::Path;

use super::args::InspectArgs;
use super::terminal::print;
use crate::base::error::{EXIT_DONE, Error, Result};
use crate::comm::SerialComm;
use crate::output::checkpoint::{CheckpointFacts, compare, facts};
use crate::output::columns::{ColumnsError, FileContent, VerifiedFile};

/// Exit code if two files differ, as for `cmp` and `diff`.
const EXIT_DIFFERENT: i32 = 1;

pub(super) fn inspect(args: &InspectArgs) -> Result<i32> {
    let (file, facts, content) = open(&args.file)?;
    let Some(other) = &args.other else {
        let described = describe(&file, &facts).map_err(|error| Error::system("read", &args.file, error.reason))?;
        return print(&described);
    };
    let (_, _, second) = open(other)?;
    let differences = compare(&content, &second);
    if differences.is_empty() {
        print("the two files have the same content, bit for bit\n")?;
        return Ok(EXIT_DONE);
    }
    let lines: String = differences.iter().map(|difference| format!("{difference}\n")).collect();
    print(&lines)?;
    Ok(EXIT_DIFFERENT)
}

fn open(path: &Path) -> Result<(VerifiedFile, CheckpointFacts, FileContent)> {
    let read = || {
        let file = VerifiedFile::open(&SerialComm, path)?;
        let (facts, content) = (facts(&file)?, file.content()?);
        Ok((file, facts, content))
    };
    read().map_err(|error: ColumnsError| Error::system("read", path, error.reason))
}

fn describe(file: &VerifiedFile, facts: &CheckpointFacts) -> std::result::Result<String, ColumnsError> {
    let CheckpointFacts { program, dimension, step, time, energy, counts, scene, .. } = facts;
    let mut text = format!(
        "{}: complete, checksum valid\n  written by {program}\n  {dimension}D, after {step} steps, {time} s simulated\n  \
         {:.6} J dissipated, {} sweeps, {} steps not converged, deepest penetration {:.1e} of a radius\n",
        file.path().display(),
        energy.dissipated(),
        counts.sweeps,
        counts.unconverged_steps,
        counts.max_penetration,
    );
    for group in file.groups()? {
        let columns = file.columns(&group)?;
        let rows = columns.first().map_or(Ok(0), |first| file.rows(&group, first))?;
        text += &format!("  /{group}: {rows} row{}\n", if rows == 1 { "" } else { "s" });
        for name in columns {
            let column = file.column(&group, &name, Some(0..0))?;
            let width = if column.width == 1 { String::new() } else { format!("[{}]", column.width) };
            let unit = if column.unit.is_empty() { String::new() } else { format!(", {}", column.unit) };
            text += &format!("    {name}{width}: {}{unit}\n", column.about);
        }
    }
    let title = scene.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    text += &format!("  scene: {} lines, beginning: {title}\n", scene.lines().count());
    Ok(text)
}
