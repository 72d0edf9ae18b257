//! The run folder and the files written into it.

use std::fs;
use std::path::{Path, PathBuf};

use super::checkpoint::Checkpoints;
use super::columns::{replace_file, unfinished_name};
use super::history::{COLUMNS, CsvFile, TimingsLine, timings_header};
use super::vtkhdf::{Frame, FrameFile};
use crate::base::error::{Error, Result, called_as};
use crate::comm::Comm;
use crate::simulation::StepReport;
use crate::simulation::timing::Timing;

/// Subfolder of the measures.
pub const MEASURES: &str = "measures";
/// File of the frames.
const FRAMES: &str = "frames.vtkhdf";
/// Files whose presence shows that a folder already holds a run.
const MARKS: [&str; 4] = ["history.csv", "timings.csv", "summary.json", "final.h5"];
/// All files that a run may leave, besides its checkpoints.
const FILES: [&str; 8] =
    ["history.csv", "timings.csv", "ranks.csv", "frames.vtkhdf", "final.h5", "failed.h5", "summary.json", "scene.toml"];

/// An open run folder. Process 0 writes the tables; all processes write frames.
pub struct RunFolder {
    path: PathBuf,
    history: Option<CsvFile>,
    timings: Option<CsvFile>,
    frames: Option<FrameFile>,
    /// Message about frames that could not be continued.
    pub(crate) renamed_frames: Option<String>,
}

/// Selection of the output files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutputSelection {
    /// Whether frames are compressed; `None` for no frames.
    pub frames: Option<bool>,
    /// True if a history is written.
    pub history: bool,
}

impl RunFolder {
    /// The folder on a process other than 0, which has opened it.
    pub fn on_other_process(path: &Path, selection: OutputSelection) -> Self {
        let frames = selection.frames.map(|_| FrameFile::on_other_process(&path.join(FRAMES)));
        Self { path: path.to_owned(), history: None, timings: None, frames, renamed_frames: None }
    }

    /// True if the folder already holds a run.
    pub fn holds_run(path: &Path) -> bool {
        MARKS.iter().any(|mark| path.join(mark).exists())
    }

    /// Creates the folder and its files; `scene` is the text as run. With `overwrite` an existing run is replaced.
    pub fn create(path: &Path, scene: &str, selection: OutputSelection, overwrite: bool) -> Result<Self> {
        if Self::holds_run(path) {
            if !overwrite {
                let me = called_as();
                let reason = format!(
                    "it already holds a run; continue it ({me} resume), choose another folder with --out, or replace it with --overwrite"
                );
                return Err(Error::system("write to", path, reason));
            }
            Checkpoints::new(path, 1).clear().map_err(|e| Error::system("replace the checkpoints in", path, e))?;
            super::fclib::clear(path).map_err(|e| Error::system("replace the problems in", path, e))?;
            clear_measures(&path.join(MEASURES)).map_err(|e| Error::system("replace the measures in", path, e))?;
            for name in FILES {
                match fs::remove_file(path.join(name)) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                        return Err(Error::system("replace", path.join(name), e));
                    }
                    _ => {}
                }
            }
        }
        fs::create_dir_all(path).map_err(|e| Error::system("create", path, e))?;
        let scene_path = path.join("scene.toml");
        write_atomically(&scene_path, scene)?;
        let history = match selection.history {
            true => Some(CsvFile::create(&path.join("history.csv"), &COLUMNS.join(","))?),
            false => None,
        };
        let frames_path = path.join(FRAMES);
        let create = |packed| FrameFile::create(&frames_path, packed);
        let frames = selection.frames.map(create).transpose().map_err(|e| Error::system("create", &frames_path, e))?;
        let timings = Some(CsvFile::create(&path.join("timings.csv"), &timings_header())?);
        Ok(Self { path: path.to_owned(), history, timings, frames, renamed_frames: None })
    }

    /// Reopens the folder of an earlier run, rewound to its state after `step` steps at `time`; `scene` is the text of
    /// the continued run.
    pub fn resume(path: &Path, scene: &str, selection: OutputSelection, step: u64, time: f64) -> Result<Self> {
        fs::create_dir_all(path).map_err(|e| Error::system("create", path, e))?;
        write_atomically(&path.join("scene.toml"), scene)?;
        let history = match selection.history {
            true => Some(CsvFile::resume(&path.join("history.csv"), &COLUMNS.join(","), step)?),
            false => None,
        };
        let mut renamed_frames = None;
        let frames =
            selection.frames.map(|packed| resume_frames(&path.join(FRAMES), time, packed, &mut renamed_frames));
        let frames = frames.transpose()?;
        let timings = Some(CsvFile::resume(&path.join("timings.csv"), &timings_header(), step)?);
        Ok(Self { path: path.to_owned(), history, timings, frames, renamed_frames })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the lines of a step.
    pub fn record(&mut self, report: &StepReport, timing: &Timing) -> Result<()> {
        if let Some(history) = &mut self.history {
            history.add(report)?;
        }
        match &mut self.timings {
            Some(timings) => timings.add(TimingsLine(report.step, timing)),
            None => Ok(()),
        }
    }

    /// Collective. Appends a frame, if frames are selected; every process passes its part, and all succeed or all fail.
    pub fn append_frame(&mut self, comm: &dyn Comm, frame: &Frame) -> Result<()> {
        let Some(frames) = &mut self.frames else { return Ok(()) };
        let path = self.path.join(FRAMES);
        frames.append(comm, frame).map_err(|e| Error::system("write", path, e.reason()).everywhere(comm.is_root()))
    }

    /// Number of frames so far.
    pub fn frames(&self) -> usize {
        self.frames.as_ref().map_or(0, FrameFile::frames)
    }

    /// Writes everything recorded so far to disk.
    pub fn flush(&mut self) -> Result<()> {
        self.history.iter_mut().chain(&mut self.timings).try_for_each(CsvFile::flush)?;
        let frames = self.frames.as_ref().map_or(Ok(()), FrameFile::sync);
        frames.map_err(|e| Error::system("write", self.path.join(FRAMES), e))
    }
}

/// Removes the tables of a run that is replaced.
fn clear_measures(folder: &Path) -> std::io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "csv") {
            fs::remove_file(path)?;
        }
    }
    // Fails if the folder contains other files: they stay.
    let _ = fs::remove_dir(folder);
    Ok(())
}

/// Replaces the file by this text, atomically.
fn write_atomically(path: &Path, text: &str) -> Result<()> {
    let unfinished = unfinished_name(path);
    let written = fs::write(&unfinished, text).and_then(|()| replace_file(&unfinished, path));
    written.map_err(|e| Error::system("write", path, e))
}

/// Reopens the frames up to `time`. A file that cannot be read is renamed, and `renamed_frames` gets a message.
fn resume_frames(path: &Path, time: f64, packed: bool, renamed_frames: &mut Option<String>) -> Result<FrameFile> {
    let create = || FrameFile::create(path, packed).map_err(|e| Error::system("create", path, e));
    if !path.exists() {
        return create();
    }
    match FrameFile::resume(path, time, packed) {
        Ok(frames) => Ok(frames),
        Err(error) if !error.is_damage() => Err(Error::system("rewind", path, error.reason())),
        Err(error) => {
            let renamed = path.with_extension("damaged.vtkhdf");
            fs::rename(path, &renamed).map_err(|e| Error::system("put aside", path, e))?;
            *renamed_frames =
                Some(format!("{error}; it was renamed to {}, and a new file is started", renamed.display()));
            create()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flush_writes_the_frames_to_disk_and_fails_if_they_are_gone() {
        let parent = tempfile::tempdir().unwrap();
        let selection = OutputSelection { frames: Some(true), history: true };
        let mut folder = RunFolder::create(parent.path(), "", selection, false).unwrap();
        folder.flush().unwrap();
        let mut on_other_process = RunFolder::on_other_process(parent.path(), selection);
        on_other_process.flush().unwrap();
        fs::remove_file(parent.path().join(FRAMES)).unwrap();
        for folder in [&mut folder, &mut on_other_process] {
            assert!(folder.flush().unwrap_err().to_string().contains(FRAMES));
        }
    }
}
