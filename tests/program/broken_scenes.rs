//! Error messages for invalid scenes, word for word; and randomly corrupted scenes, which must never cause a panic.
//!
//! Each `NNN-name.toml` in `tests/broken` is loaded and set up (with the changes requested by its lines `# --set
//! key=value`) and must be rejected with exactly the text of `NNN-name.txt`. To rewrite these texts after a change of
//! wording: `REWRITE_EXPECTED=1 cargo test --release --test program broken_scenes`, then review every one that changed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use miette::{GraphicalReportHandler, GraphicalTheme};
use nscdd::base::Random;
use nscdd::base::error::{EXIT_BAD_INPUT, Error};
use nscdd::dim::{Plane, Space};
use nscdd::scene::setup::setup;
use nscdd::scene::{Loose, Scene, schema};

const FOLDER: &str = "tests/broken";
/// A scene that does not exist and so has no file.
const ABSENT: &str = "000-no-such-file";

/// Loads and sets up a scene; returns the number of bodies on success.
fn start(scene: &Scene) -> Result<usize, Error> {
    match scene.world.dimension {
        2 => setup::<Plane>(scene).map(|setup| setup.bodies.len()),
        _ => setup::<Space>(scene).map(|setup| setup.bodies.len()),
    }
}

/// The message as shown on a wide terminal without colours.
fn shown(error: &Error) -> String {
    let Error::Input(diagnostic) = error else { panic!("not an input error: {error}") };
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(120);
    let mut text = String::new();
    handler.render_report(&mut text, diagnostic.as_ref()).unwrap();
    text
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let scenes = files.filter_map(|file| file.strip_suffix(".toml").map(str::to_owned));
    let mut names: Vec<String> = scenes.filter(|name| name.starts_with(|c: char| c.is_ascii_digit())).collect();
    names.push(ABSENT.to_owned());
    names.sort();
    names
}

#[test]
fn every_broken_scene_is_refused_in_these_words() {
    let rewrite = std::env::var_os("REWRITE_EXPECTED").is_some();
    let names = names();
    assert!(names.len() > 100, "only {} broken scenes found", names.len());
    let mut changed = Vec::new();
    for name in names {
        let path = Path::new(FOLDER).join(format!("{name}.toml"));
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap_or_default()).into_owned();
        let sets: Vec<String> = text.lines().filter_map(|l| l.strip_prefix("# --set ")).map(str::to_owned).collect();
        let error = Scene::load(&path, &sets).and_then(|scene| start(&scene)).expect_err(&name);
        assert_eq!(error.exit_code(), EXIT_BAD_INPUT);
        let (told, expected_at) = (shown(&error), path.with_extension("txt"));
        if rewrite {
            std::fs::write(expected_at, told).unwrap();
        } else if std::fs::read_to_string(expected_at).unwrap_or_default() != told {
            changed.push(format!("{name}:\n{told}"));
        }
    }
    assert!(changed.is_empty(), "told otherwise than expected:\n{}", changed.join("\n"));
}

fn valid(name: &str) -> String {
    std::fs::read_to_string(Path::new(FOLDER).join(format!("{name}.toml"))).unwrap()
}

fn parse(text: &str, sets: &[&str]) -> Result<Scene, Error> {
    let sets: Vec<String> = sets.iter().map(|s| (*s).to_owned()).collect();
    Scene::parse(text, "scene.toml", Path::new(FOLDER), &sets)
}

#[test]
fn the_valid_scenes_start() {
    let plane = parse(&valid("valid-plane"), &[]).unwrap();
    assert!(start(&plane).unwrap() > 100);
    assert_eq!((plane.time.theta, plane.output.frames.unwrap().every), (0.5, 0.05));
    let space = parse(&valid("valid-space"), &[]).unwrap();
    assert_eq!(start(&space).unwrap(), 2 + 5 + 100 + 3 + (2 + 4) + (5 + 2) + (2 + 1) + (6 + 4));
}

#[test]
fn a_changed_scene_is_written_as_run_and_reads_the_same_again() {
    let sets = ["time.end=0.3", "bodies.0.velocity=[0, 0, -2]", "solver.max_sweeps=77", "output.directory=elsewhere"];
    let scene = parse(&valid("valid-space"), &sets).unwrap();
    assert_eq!((scene.time.end, scene.solver.max_sweeps), (0.3, 77));
    assert_eq!(scene.bodies[0].velocity.as_deref(), Some(&[0.0, 0.0, -2.0][..]));
    // Another folder: the file with the grains must still be found.
    let again = Scene::parse(&scene.text(), "scene.toml", Path::new("/"), &[]).unwrap();
    assert_eq!(start(&again).unwrap(), start(&scene).unwrap());
    assert_eq!(again.time, scene.time);
    assert_eq!(again.text(), scene.text());
}

#[test]
fn the_schema_names_every_table() {
    let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
    let ways =
        ["world", "time", "domain", "solver", "detection", "materials", "laws", "bodies", "generators", "output"];
    for table in ways.into_iter().chain(["feeds", "sinks", "removals", "stop", "measure"]) {
        assert!(schema["properties"][table].is_object(), "{table}");
    }
}

/// Returns true if the scene has few enough bodies to be set up some thousand times.
fn is_small(scene: &Scene) -> bool {
    scene.generators.iter().all(|generator| {
        let lattice =
            generator.lattice.as_ref().is_none_or(|l| l.count.iter().map(|&n| n as f64).product::<f64>() < 1e4);
        let deposit = generator.deposit.as_ref().is_none_or(|d| {
            let volume: f64 = d.min.iter().zip(&d.max).map(|(a, b)| b - a).product();
            let least = match &d.radius {
                Loose::Number(radius) => *radius,
                Loose::Table(table) => {
                    let lists = [&table.uniform, &table.two, &table.list];
                    lists.into_iter().flatten().flatten().copied().fold(f64::INFINITY, f64::min)
                }
                Loose::Array(_) => 0.0,
            };
            d.count.map_or(volume / least.powi(2), |count| count as f64) < 1e4
        });
        let masonry = generator.masonry.as_ref().is_none_or(|m| (m.courses as f64) * (m.bricks as f64) < 1e4);
        let arch = generator.arch.as_ref().is_none_or(|a| a.voussoirs < 10_000);
        let column = generator.column.as_ref().is_none_or(|c| c.drums < 10_000);
        lattice && deposit && masonry && arch && column
    })
}

/// One random typing error.
fn spoil(text: &mut Vec<u8>, random: &mut Random) {
    let mut place = |length: usize| (random.unit() * length as f64) as usize;
    match place(5) {
        0 => {
            text.remove(place(text.len()));
        }
        1 => {
            let (a, b) = (place(text.len()), place(text.len()));
            text.swap(a, b);
        }
        2 => {
            let from = place(text.len());
            let to = (from + place(30)).min(text.len());
            text.drain(from..to);
        }
        3 => {
            let numbers: Vec<usize> = (0..text.len()).filter(|&i| text[i].is_ascii_digit()).collect();
            let new: [&[u8]; 12] = [
                b"0",
                b"-1",
                b"1e308",
                b"-1e-308",
                b"nan",
                b"inf",
                b"3",
                b"99999999999999999999",
                b"2.5",
                b"[]",
                b"{}",
                b"\"x\"",
            ];
            let at = numbers.get(place(numbers.len())).copied().unwrap_or(0);
            text.splice(at..=at, new[place(new.len())].iter().copied());
        }
        _ => {
            let (from, at) = (place(text.len()), place(text.len()));
            let piece: Vec<u8> = text[from..(from + place(40)).min(text.len())].to_vec();
            text.splice(at..at, piece);
        }
    }
}

#[test]
fn no_typing_error_in_a_scene_makes_the_program_panic() {
    let originals = [valid("valid-plane"), valid("valid-space")];
    let (mut refused, mut started) = (0, 0);
    // FUZZ_ROUNDS=1000000 for a thorough run of several hours.
    let rounds = std::env::var("FUZZ_ROUNDS").map_or(4000, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let mut random = Random::new(1, round);
        let mut text = originals[round as usize % 2].clone().into_bytes();
        for _ in 0..1 + round % 3 {
            spoil(&mut text, &mut random);
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let outcome =
            parse(&text, &[]).and_then(|scene| if is_small(&scene) && round % 4 < 2 { start(&scene) } else { Ok(0) });
        match outcome {
            Ok(_) => started += 1,
            Err(error) => {
                refused += 1;
                assert!(!shown(&error).is_empty());
            }
        }
    }
    assert!(refused > rounds / 3 && started > rounds / 20, "{refused} refused, {started} started");
}

#[test]
fn no_typing_error_in_a_set_option_makes_the_program_panic() {
    let original = valid("valid-plane");
    let sets = [
        "bodies.2.driven.velocity.r.points.1=[0.1, 3]",
        "generators.0.deposit.radius.two=[0.03, 0.05]",
        "materials.glass.density=2600",
        "solver={ tolerance = 1e-3 }",
        "laws.0.coulomb.friction=0.3",
        "output.frames.every=0.1",
    ];
    for set in sets {
        assert!(parse(&original, &[set]).is_ok(), "{set}");
    }
    for round in 0..1000 {
        let mut random = Random::new(2, round);
        let mut set = sets[round as usize % sets.len()].as_bytes().to_vec();
        spoil(&mut set, &mut random);
        let set = String::from_utf8_lossy(&set).into_owned();
        if let Err(error) = parse(&original, &[&set]) {
            assert!(!shown(&error).is_empty());
        }
    }
}
