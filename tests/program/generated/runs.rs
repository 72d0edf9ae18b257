//! A generated scene run in many ways, all of which must give the same bytes.
//!
//! One process with one thread is the reference. The others: two threads; two and three processes; and a run that
//! stops, loses its latest checkpoints as if killed after writing them, and resumes from an older one on another number
//! of processes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::scenes::Generated;
use crate::program::{nscdd, text};

/// Result of a run: its exit code, and all files that must not depend on how it was run.
struct Left {
    code: Option<i32>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    said: String,
}

/// How the reference run ended.
pub(super) struct Ending {
    pub(super) is_finished: bool,
    pub(super) has_contacts: bool,
}

/// Files that depend on the machine and on timings.
const OWN: [&str; 5] = ["timings.csv", "ranks.csv", "summary.json", "scene.toml", "checkpoints"];

/// Writes the scene into the folder; returns its path.
pub(super) fn write(scene: &Generated, folder: &Path) -> PathBuf {
    let path = folder.join("scene.toml");
    fs::write(&path, &scene.text).unwrap();
    for (name, text) in &scene.files {
        fs::write(folder.join(name), text).unwrap();
    }
    if let Some(text) = &scene.before {
        let (before, out) = (folder.join("before.toml"), folder.join("before"));
        fs::write(&before, text).unwrap();
        let ran = launch(1, &["run", before.to_str().unwrap(), "-q", "--out", out.to_str().unwrap()], &out);
        assert_eq!(ran.code, Some(0), "{}\n{text}", ran.said);
    }
    path
}

/// Runs the scene in every way; on failure, returns which of them differs, and where.
pub(super) fn agrees(scene: &Generated, folder: &Path) -> Result<Ending, String> {
    let path = write(scene, folder);
    let run = |name: &str, ranks: usize, arguments: &[&str]| {
        let out = folder.join(name);
        let all = [&["run", path.to_str().unwrap(), "-q", "--out", out.to_str().unwrap()], arguments].concat();
        (launch(ranks, &all, &out), out)
    };
    let (one, _) = run("one", 1, &["--threads", "1"]);
    if !matches!(one.code, Some(0 | 3 | 4)) {
        return Err(format!("one process ends with {:?}: {}", one.code, one.said));
    }
    let seed = scene.seed as usize;
    let threads = ["1", "2"];
    let shuffle = (seed + 7).to_string();
    let mut three = vec!["--threads", threads[(seed + 1) % 2]];
    if seed % 4 >= 2 {
        three.extend(["--shuffle", &shuffle]);
    }
    let ways =
        [("threads", 1, vec!["--threads", "2"]), ("two", 2, vec!["--threads", threads[seed % 2]]), ("three", 3, three)];
    for (name, ranks, arguments) in ways {
        let (other, _) = run(name, ranks, &arguments);
        compare(&one, &other).map_err(|what| format!("on {ranks} processes, {arguments:?}: {what}"))?;
    }
    let stop = (2 + seed * 5 % 17).to_string();
    let (first, then) = (1 + seed % 3, 1 + (seed / 3) % 3);
    let (begun, out) = run("parts", first, &["--threads", threads[(seed / 2) % 2], "--stop-after", &stop]);
    let parts = match begun.code {
        Some(75) => {
            let from = lose_newest(&out, seed);
            let resumed = launch(then, &["resume", out.to_str().unwrap(), "-q", "--threads", threads[seed % 2]], &out);
            (resumed, format!("after a stop at step {stop} on {first} processes, resumed from {from} on {then}"))
        }
        _ => (begun, format!("with --stop-after {stop} on {first} processes")),
    };
    compare(&one, &parts.0).map_err(|what| format!("{}: {what}", parts.1))?;
    let active = |line: &str| line.split(',').nth(8).is_some_and(|count| count != "0");
    let history = one.files.get(Path::new("history.csv"));
    let has_contacts = history.is_none_or(|history| text(history).lines().skip(1).any(active));
    Ok(Ending { is_finished: one.code == Some(0), has_contacts })
}

/// Keeps one of the checkpoints and those before it: as if the process had been killed after it, while the other files
/// are more recent.
fn lose_newest(run: &Path, seed: usize) -> String {
    let listed = fs::read_dir(run.join("checkpoints")).unwrap().flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> = listed.filter(|path| path.extension().is_some_and(|e| e == "h5")).collect();
    all.sort();
    let lost = (seed / 2) % all.len();
    all.drain(all.len() - lost..).for_each(|path| fs::remove_file(path).unwrap());
    all[all.len() - 1].file_stem().unwrap().to_string_lossy().into_owned()
}

fn launch(ranks: usize, arguments: &[&str], out: &Path) -> Left {
    let output = nscdd(ranks, arguments).output().unwrap();
    let mut files = BTreeMap::new();
    collect(out, out, &mut files);
    Left { code: output.status.code(), files, said: text(&output.stderr) }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        // Both are below `root`.
        let name = path.strip_prefix(root).unwrap().to_owned();
        if OWN.iter().any(|own| name == Path::new(own)) {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// Compares exit code, file names and bytes; on failure, returns the difference.
fn compare(one: &Left, other: &Left) -> Result<(), String> {
    if one.code != other.code {
        return Err(format!("exit code {:?} instead of {:?}: {}", other.code, one.code, other.said));
    }
    if !one.files.keys().eq(other.files.keys()) {
        return Err(format!("files {:?} instead of {:?}", other.files.keys(), one.files.keys()));
    }
    let mut differences = Vec::new();
    for (name, bytes) in &one.files {
        let others = &other.files[name];
        if bytes == others {
            continue;
        }
        let is_text = name.extension().is_some_and(|extension| extension == "csv");
        differences.push(match is_text {
            true => {
                let (bytes, others) = (text(bytes), text(others));
                let pairs = bytes.lines().zip(others.lines()).enumerate();
                let first = pairs.into_iter().find(|(_, (a, b))| a != b);
                match first {
                    Some((line, (a, b))) => format!("{} in line {}:\n{b}\ninstead of\n{a}", name.display(), line + 1),
                    None => {
                        format!(
                            "{}: {} lines instead of {}",
                            name.display(),
                            others.lines().count(),
                            bytes.lines().count()
                        )
                    }
                }
            }
            false => format!("{} ({} bytes, {})", name.display(), bytes.len(), others.len()),
        });
    }
    if differences.is_empty() { Ok(()) } else { Err(differences.join("; ")) }
}
