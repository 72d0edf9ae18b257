//! Randomly generated scenes: together they use every key of the schema, and each gives the same bytes on any number of
//! processes and threads and through a stop and a resumption.
//!
//! `./test` takes a few; `NSCDD_GENERATED=200 cargo test --release --test program generated` takes two hundred. A
//! failing scene is printed with its seed: `NSCDD_GENERATED_SEED=17` generates it again, runs it alone and keeps its
//! folder.

mod bodies;
mod chance;
mod coverage;
mod draft;
mod generators;
mod laws;
mod measures;
mod meshes;
mod population;
mod runs;
mod scenes;
mod settings;
mod shapes;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::program::{nscdd, text};
use coverage::Schema;
use scenes::generate;

/// Number of scenes that covers every key.
const ALL: u64 = 200;

/// Keys that no generated scene uses, with the reason.
const LEFT_OUT: [(&str, &str); 0] = [];

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn generated_scenes_give_the_same_bytes_on_any_number_of_processes_and_through_a_resumption() {
    if let Some(seed) = number("NSCDD_GENERATED_SEED") {
        let (scene, folder) = (generate(seed), tempfile::tempdir().unwrap().keep());
        println!("{}\nin {}", scene.text, folder.display());
        runs::agrees(&scene, &folder).unwrap();
        return;
    }
    let (count, next) = (number("NSCDD_GENERATED").unwrap_or(8), AtomicU64::new(0));
    let first = number("NSCDD_GENERATED_FIRST").unwrap_or(0);
    let (failures, finished, contacts) = (Mutex::new(Vec::new()), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= count {
                        break;
                    }
                    let (scene, folder) = (generate(first + seed), tempfile::tempdir().unwrap());
                    match runs::agrees(&scene, folder.path()) {
                        Ok(ending) => {
                            println!("seed {} agrees", scene.seed);
                            finished.fetch_add(u64::from(ending.is_finished), Ordering::Relaxed);
                            contacts.fetch_add(u64::from(ending.has_contacts), Ordering::Relaxed);
                        }
                        Err(what) => {
                            println!("seed {}: {what}\n{}", scene.seed, scene.text);
                            failures.lock().unwrap().push(scene.seed);
                        }
                    }
                }
            });
        }
    });
    let (finished, contacts) = (finished.into_inner(), contacts.into_inner());
    println!("{count} scenes: {finished} reached their end, {contacts} had contacts");
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "seeds {failures:?} differ; NSCDD_GENERATED_SEED={} runs the first", failures[0]);
    assert!(
        4 * finished >= 3 * count && 4 * contacts >= 3 * count,
        "scenes that end early or never touch prove little"
    );
}

#[test]
fn every_generated_scene_is_valid() {
    let seeds = match number("NSCDD_GENERATED") {
        Some(count) => (0..count).collect::<Vec<u64>>(),
        None => (0..ALL).step_by(5).collect(),
    };
    let mut refused = Vec::new();
    for seed in seeds {
        let (scene, folder) = (generate(seed), tempfile::tempdir().unwrap());
        let path = runs::write(&scene, folder.path());
        let output = nscdd(1, &["check", path.to_str().unwrap()]).output().unwrap();
        if !output.status.success() {
            println!("seed {seed}: {}", text(&output.stderr));
            refused.push(seed);
        }
    }
    assert!(refused.is_empty(), "seeds {refused:?} are refused");
}

#[test]
fn generated_scenes_use_every_key_of_the_schema() {
    let output = nscdd(1, &["schema"]).output().unwrap();
    let schema = Schema::new(&text(&output.stdout));
    let mut used = BTreeSet::new();
    for seed in 0..ALL {
        let scene = generate(seed);
        let parsed: toml::Table =
            scene.text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", scene.text));
        schema.used(&parsed, &mut used);
    }
    let left_out: BTreeSet<&str> = LEFT_OUT.iter().map(|(key, _)| *key).collect();
    let all = schema.all();
    let missing: Vec<&String> =
        all.iter().filter(|key| !used.contains(*key) && !left_out.contains(key.as_str())).collect();
    assert!(missing.is_empty(), "never used: {missing:#?}");
    let superfluous: Vec<&&str> = left_out.iter().filter(|key| used.contains(**key) || !all.contains(**key)).collect();
    assert!(superfluous.is_empty(), "left out without need: {superfluous:?}");
}
