//! The folder of a run and everything written into it.

use std::fs;
use std::path::{Path, PathBuf};

use super::history::{COLUMNS, Lines, Report, timings_header, timings_line};
use super::timing::Timing;
use super::vtkhdf::{Frame, FrameFile};
use crate::error::{Error, Result};

/// Files that tell that a folder holds a run already.
const MARKS: [&str; 3] = ["history.csv", "summary.json", "final.h5"];

/// An open run folder.
pub struct Folder {
    path: PathBuf,
    history: Option<Lines>,
    timings: Lines,
    frames: Option<FrameFile>,
}

/// When frames are due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// Simulated seconds between frames.
    every: f64,
    next: u64,
}

impl Schedule {
    /// A frame every so many seconds; never if absent.
    pub fn new(every: Option<f64>) -> Self {
        Self { every: every.unwrap_or(f64::INFINITY), next: 0 }
    }

    /// Is one due at `time`? Half a step of tolerance, since times are multiples of `h`.
    pub fn is_due(&mut self, time: f64, h: f64) -> bool {
        if self.every == f64::INFINITY || time + 0.5 * h < self.next as f64 * self.every {
            return false;
        }
        while time + 0.5 * h >= self.next as f64 * self.every {
            self.next += 1;
        }
        true
    }
}

/// What to write, and how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wishes {
    /// Simulated seconds between frames; none if absent.
    pub frames_every: Option<f64>,
    /// Write a history?
    pub history: bool,
    /// Replace the run that is there.
    pub overwrite: bool,
}

impl Folder {
    /// Does a run live there already?
    pub fn is_taken(path: &Path) -> bool {
        MARKS.iter().any(|mark| path.join(mark).exists())
    }

    /// Make the folder and its files; `scene` is the text as run.
    pub fn create(path: &Path, scene: &str, wishes: Wishes) -> Result<Self> {
        if Self::is_taken(path) {
            if !wishes.overwrite {
                let reason = "it holds a run already; choose another folder with --out, or replace it with --overwrite";
                return Err(Error::system("write to", path, reason));
            }
            for name in ["history.csv", "timings.csv", "frames.vtkhdf", "final.h5", "summary.json", "scene.toml"] {
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
        fs::write(&scene_path, scene).map_err(|e| Error::system("write", &scene_path, e))?;
        let history = match wishes.history {
            true => Some(Lines::create(&path.join("history.csv"), &COLUMNS.join(","))?),
            false => None,
        };
        let frames_path = path.join("frames.vtkhdf");
        let frames = match wishes.frames_every {
            Some(_) => Some(FrameFile::create(&frames_path).map_err(|e| Error::system("create", &frames_path, e))?),
            None => None,
        };
        let timings = Lines::create(&path.join("timings.csv"), &timings_header())?;
        Ok(Self { path: path.to_owned(), history, timings, frames })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A line for each step.
    pub fn record(&mut self, report: &Report, timing: &Timing) -> Result<()> {
        if let Some(history) = &mut self.history {
            history.add(&report.line())?;
        }
        self.timings.add(&timings_line(report.step, timing))
    }

    /// One more frame, if frames are wanted.
    pub fn show(&mut self, frame: &Frame) -> Result<()> {
        let Some(frames) = &mut self.frames else { return Ok(()) };
        let path = self.path.join("frames.vtkhdf");
        frames.append(frame).map_err(|e| Error::system("write", path, e))
    }

    /// Number of frames so far.
    pub fn frames(&self) -> usize {
        self.frames.as_ref().map_or(0, FrameFile::frames)
    }

    /// Everything recorded so far is on disk.
    pub fn flush(&mut self) -> Result<()> {
        if let Some(history) = &mut self.history {
            history.flush()?;
        }
        self.timings.flush()
    }
}
