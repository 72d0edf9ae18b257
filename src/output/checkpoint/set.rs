//! The checkpoints of a run: the newest few files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::output::columns::unfinished_name;

/// Subfolder of the checkpoints.
const FOLDER: &str = "checkpoints";

/// Path of the last state of a run that reached its end.
pub fn final_path(run: &Path) -> PathBuf {
    run.join("final.h5")
}

/// Path of the state in which a run failed: for inspection, not for resuming.
pub fn failed_path(run: &Path) -> PathBuf {
    run.join("failed.h5")
}

/// The newest few checkpoints of a run.
pub struct Checkpoints {
    folder: PathBuf,
    keep: usize,
}

impl Checkpoints {
    /// The checkpoints of the run in folder `run`, of which `keep` are kept.
    pub fn new(run: &Path, keep: usize) -> Self {
        Self { folder: run.join(FOLDER), keep: keep.max(1) }
    }

    /// Path of the checkpoint after `step` steps.
    pub fn path(&self, step: u64) -> PathBuf {
        self.folder.join(format!("step-{step:010}.h5"))
    }

    /// Creates the folder.
    pub fn prepare(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)
    }

    /// Removes all but the newest ones, and the remains of an interrupted write. Checkpoints after `step` are also
    /// removed: they stem from an earlier run that is now repeated from there.
    pub fn prune(&self, step: u64) -> io::Result<()> {
        let mut steps = steps(&self.folder)?;
        let later = steps.partition_point(|&own| own <= step);
        let mut old = steps.split_off(later);
        old.extend(&steps[..steps.len().saturating_sub(self.keep)]);
        for step in old {
            fs::remove_file(self.path(step))?;
        }
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let is_unfinished = path.extension().is_some_and(|own| own == "tmp");
            if is_unfinished {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Removes all checkpoints: a new run replaces them.
    pub fn clear(&self) -> io::Result<()> {
        match steps(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(steps) => {
                for step in steps {
                    fs::remove_file(self.path(step))?;
                    // Left by an interrupted write, if it exists.
                    let _ = fs::remove_file(unfinished_name(&self.path(step)));
                }
                // Fails if the folder contains other files: they stay.
                let _ = fs::remove_dir(&self.folder);
                Ok(())
            }
        }
    }
}

/// The steps of the checkpoints in the folder, in increasing order.
fn steps(folder: &Path) -> io::Result<Vec<u64>> {
    let mut steps = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = |name: &str| name.strip_prefix("step-")?.strip_suffix(".h5")?.parse::<u64>().ok();
        let step = name.to_str().and_then(number);
        steps.extend(step);
    }
    steps.sort_unstable();
    Ok(steps)
}

/// Files from which the run in folder `run` can resume: `final.h5`, which may be older or newer than the checkpoints of
/// a run that was extended, then the checkpoints, newest first.
pub fn candidates(run: &Path) -> Vec<PathBuf> {
    let set = Checkpoints::new(run, 1);
    let steps = steps(&set.folder).unwrap_or_default();
    let last = final_path(run);
    last.exists().then_some(last).into_iter().chain(steps.iter().rev().map(|&step| set.path(step))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(run: &Path) -> Vec<u64> {
        steps(&run.join(FOLDER)).unwrap()
    }

    #[test]
    fn the_newest_are_kept_and_what_is_not_a_checkpoint_is_left_alone() {
        let run = tempfile::tempdir().unwrap();
        let set = Checkpoints::new(run.path(), 2);
        set.prepare().unwrap();
        for step in [5, 100, 20, 1_000] {
            fs::write(set.path(step), "").unwrap();
        }
        fs::write(run.path().join(FOLDER).join("notes.txt"), "").unwrap();
        fs::write(unfinished_name(&set.path(30)), "").unwrap();
        set.prune(1_000).unwrap();
        assert_eq!(names(run.path()), [100, 1_000]);
        assert!(!unfinished_name(&set.path(30)).exists());
        set.prune(500).unwrap();
        assert_eq!(names(run.path()), [100]);
        set.clear().unwrap();
        assert!(run.path().join(FOLDER).join("notes.txt").exists());
        assert_eq!(candidates(run.path()), Vec::<PathBuf>::new());
    }
}
