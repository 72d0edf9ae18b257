//! `nscdd report`: a page of the output of a run, within its budget, and its rendering in a browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::clients::python_with;
use crate::program::text;

fn nscdd(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nscdd")).current_dir(folder).args(args).output().unwrap()
}

fn said(output: &Output) -> (i32, String) {
    (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
}

/// A short run of a shipped scene in `folder/run`.
fn run(folder: &TempDir, scene: &str, sets: &[&str]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes").join(scene);
    let mut args = vec!["run", path.to_str().unwrap(), "--out", "run", "-q", "--overwrite"];
    sets.iter().for_each(|set| args.extend(["--set", set]));
    assert_eq!(said(&nscdd(folder.path(), &args)).0, 0);
}

const DISKS: [&str; 4] = [
    "time.end=0.06",
    "output.frames.every=0.01",
    "generators.1.deposit.count=300",
    "measure=[{ stress = {} }, { profile = { axis = \"y\", slices = 5 } }]",
];
const SPHERES: [&str; 3] = ["time.end=0.06", "output.frames.every=0.01", "generators.1.deposit.count=200"];
const SOLIDS: [&str; 2] = ["time.end=0.5", "output.frames.every=0.05"];
const RUBBER: [&str; 1] = ["time.end=0.5"];

fn report(folder: &TempDir, more: &[&str]) -> String {
    let (code, words) = said(&nscdd(folder.path(), &[&["report", "run"], more].concat()));
    assert_eq!(code, 0, "{words}");
    words
}

/// Checks that nothing is loaded: the only addresses are the SVG namespace and, in a comment, the home of uPlot.
fn assert_loads_nothing(page: &str) {
    let plain = page.replace("http://www.w3.org/2000/svg", "").replace("/*! https://github.com/leeoniya/uPlot", "");
    for words in ["http://", "https://", "src=\"/", "@import", "<link", "url(/"] {
        assert!(!plain.contains(words), "the page has {words}");
    }
    assert_eq!(page.matches("<script").count(), page.matches("</script>").count());
}

#[test]
fn a_page_is_self_contained_and_small_and_the_same_each_time() {
    let folder = TempDir::new().unwrap();
    for (scene, sets, marks) in [
        ("deposit-disks.toml", &DISKS[..], ["measure-stress", "measure-profile"]),
        ("splash.toml", &SPHERES, ["\"dimension\":3", "\"kind\":\"rose\""]),
        ("tumbling-solids.toml", &SOLIDS, ["\"dimension\":3", "<caption>Machine"]),
    ] {
        run(&folder, scene, sets);
        let words = report(&folder, &[]);
        let path = folder.path().join("run/report.html");
        let page = fs::read_to_string(&path).unwrap();
        assert_loads_nothing(&page);
        assert!(page.len() < 4_000_000 && words.contains("report: run/report.html"), "{words}");
        for mark in [
            "id=\"frames\"",
            "id=\"pictures\"",
            "\"certificate\"",
            "\"energy\"",
            "\"kind\":\"phases\"",
            "\"kind\":\"ranks\"",
            "Copyright (c) 2022 Leon Sorokin",
        ]
        .iter()
        .chain(&marks)
        {
            assert!(page.contains(mark), "{scene}: {mark} is missing");
        }
        report(&folder, &["--out", "again/page.html", "--threads", "1"]);
        assert!(fs::read(folder.path().join("again/page.html")).unwrap() == page.as_bytes(), "{scene}: other bytes");
        let left = fs::read_dir(folder.path().join("run"))
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("report"));
        assert_eq!(left.count(), 1);
    }
}

#[test]
fn the_film_of_deformable_bodies_has_their_stress_and_that_of_rigid_ones_has_none() {
    let folder = TempDir::new().unwrap();
    for (scene, sets, is_deformable) in
        [("cantilever.toml", &["time.end=0.3"][..], true), ("tumbling-solids.toml", &["time.end=0.1"], false)]
    {
        run(&folder, scene, sets);
        report(&folder, &[]);
        let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
        assert_eq!(page.contains("\"title\":\"stress, MPa\""), is_deformable, "{scene}");
    }
}

#[test]
fn frames_that_do_not_fit_are_left_out_and_the_page_says_so() {
    let folder = TempDir::new().unwrap();
    run(&folder, "splash.toml", &["time.end=0.2", "output.frames.every=0.001"]);
    let words = report(&folder, &["--budget", "1"]);
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(page.len() <= 1_000_000 && page.len() > 500_000, "{}", page.len());
    assert!(words.contains("of 201 frames") && words.contains("To fit the size budget"), "{words}");
    assert!(page.contains("To fit the size budget"));
    let words = report(&folder, &["--frames", "7"]);
    assert!(words.contains("7 of 201 frames"), "{words}");
}

#[test]
fn what_a_run_lacks_is_left_out_and_what_is_no_run_refused() {
    let folder = TempDir::new().unwrap();
    run(&folder, "deposit-disks.toml", &["time.end=0.02", "generators.1.deposit.count=50"]);
    assert!(report(&folder, &[]).contains("no frames"));
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(
        page.contains("The run has no frames") && !page.contains("id=\"frames\"") && page.contains("\"certificate\"")
    );
    for file in ["final.h5", "summary.json", "ranks.csv"] {
        fs::remove_file(folder.path().join("run").join(file)).unwrap();
    }
    report(&folder, &[]);
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(page.contains("no valid checkpoint") && page.contains("still in progress, or was killed"));
    let fails = |args: &[&str], code: i32, words: &str| {
        let (own, text) = said(&nscdd(folder.path(), &[&["report"], args].concat()));
        assert!(own == code && text.contains(words), "{own} {text}");
    };
    fs::create_dir(folder.path().join("empty")).unwrap();
    fails(&["nowhere"], 1, "there is no such folder");
    fails(&["empty"], 1, "it is not the folder of a run");
    fails(&["run", "--out", "page.pdf"], 1, "the name of a report must end in .html");
    fails(&["run", "--budget", "0"], 1, "from 0.5 to 500");
    fails(&["run", "--frames", "0"], 2, "--frames");
    assert!(!folder.path().join("empty/report.html").exists());
}

/// A browser, or the reason why there is none. It is large, so it is installed only if `NSCDD_BROWSER` is set.
fn browser() -> Result<(), String> {
    let found = || ["chromium", "google-chrome"].iter().any(|name| is_there(name));
    if found() || std::env::var_os("NSCDD_CHROMIUM").is_some() {
        return Ok(());
    }
    if std::env::var_os("NSCDD_BROWSER").is_none() {
        return Err("there is no chromium; with NSCDD_BROWSER=1 it is installed".into());
    }
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| text(&output.stdout).trim() == "0");
    let mut install = Command::new(if root { "apt-get" } else { "sudo" });
    if !root {
        install.arg("apt-get");
    }
    install.args(["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"]);
    match install.env("DEBIAN_FRONTEND", "noninteractive").output() {
        Ok(output) if output.status.success() && found() => Ok(()),
        Ok(output) => Err(text(&output.stderr)),
        Err(error) => Err(error.to_string()),
    }
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_browser_plays_the_film_and_picks_a_body() {
    let python = match browser().and_then(|()| python_with("browser", &["playwright"], "import playwright.sync_api")) {
        Ok(python) => python,
        Err(why) => {
            println!("skipped: no browser to open reports with: {why}");
            return;
        }
    };
    let folder = TempDir::new().unwrap();
    let pictures = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (scene, sets, more, view) in [
        ("deposit-disks.toml", &DISKS[..], &["--dark"][..], "PlaneView"),
        ("splash.toml", &SPHERES, &["--chains", "--width", "640"], "SpaceView"),
        ("tumbling-solids.toml", &SOLIDS, &["--no-gl", "--width", "500"], "FlatView"),
        ("rubber-balls.toml", &RUBBER, &["--film-only", "--at", "0.9"], "PlaneView"),
    ] {
        run(&folder, scene, sets);
        report(&folder, &[]);
        let picture = pictures.join(format!("report-{}.png", Path::new(scene).file_stem().unwrap().display()));
        let opened = Command::new(&python)
            .arg("tests/clients/open_report.py")
            .args([folder.path().join("run/report.html"), picture.clone()])
            .args(more)
            .output()
            .unwrap();
        let words = text(&opened.stdout) + &text(&opened.stderr);
        assert!(opened.status.success(), "{scene}: {words}");
        assert!(words.contains(view) && fs::metadata(&picture).unwrap().len() > 20_000, "{scene}: {words}");
    }
}
