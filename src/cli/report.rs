//! `nscdd report`: report of a run as an HTML page.

use std::path::{Path, PathBuf};

use clap::Args;

use super::launch::pool;
use super::placement::Placement;
use super::terminal::print;
use crate::base::error::{EXIT_DONE, Error, Result};
use crate::comm::SerialComm;
use crate::report::{ReportOptions, WrittenReport, write};

#[derive(Args)]
pub(super) struct ReportArgs {
    /// The folder of a run.
    run: PathBuf,
    /// The file to write [default: report.html in the folder of the run].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Greatest size of the file, MB; frames, forces and bodies are omitted until it fits.
    #[arg(long, value_name = "MB", default_value_t = 4.0)]
    budget: f64,
    /// Greatest number of frames in the film.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Number of threads; it does not affect the report [default: all cores].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

pub(super) fn report(args: &ReportArgs, quiet: bool) -> Result<i32> {
    if !(args.budget >= 0.5 && args.budget <= 500.0) {
        return Err(Error::system("report on", &args.run, "--budget must be a number of megabytes from 0.5 to 500"));
    }
    let out = args.out.clone().unwrap_or_else(|| args.run.join("report.html"));
    let is_page = out.extension().is_some_and(|ending| ending == "html" || ending == "htm");
    if !is_page {
        return Err(Error::system("write", &out, "the name of a report must end in .html"));
    }
    if let Some(folder) = out.parent().filter(|folder| args.out.is_some() && *folder != Path::new("")) {
        std::fs::create_dir_all(folder).map_err(|e| Error::system("create", folder, e))?;
    }
    let options = ReportOptions { budget: (args.budget * 1e6) as usize, frames: args.frames as usize };
    let written = pool(args.threads, &Placement::of(&SerialComm))?.install(|| write(&args.run, &options, &out))?;
    let WrittenReport { path, bytes, frames: [shown, all], notes } = written;
    let mut text = format!("report: {} ({:.1} MB, {shown} of {all} frames)\n", path.display(), bytes as f64 / 1e6);
    notes.iter().for_each(|note| text += &format!("  {note}\n"));
    if quiet { Ok(EXIT_DONE) } else { print(&text) }
}
