//! Factors of deformable bodies on several processes: each makes those that it needs.

use crate::program::{nscdd, text};

/// Number of factors that each process made, from what `-v` tells.
fn factors(told: &str) -> Vec<usize> {
    let of = |line: &str| line.split("factors=").nth(1)?.split_whitespace().next()?.parse().ok();
    told.lines().filter_map(of).collect()
}

/// Eight disks of one mesh on the left, four blocks of another far away on the right, on a floor in three subdomains.
fn far_apart() -> String {
    let mut scene = "world = { dimension = 2 }\ntime = { step = 1e-3, end = 0.05 }\ndomain.subdomains = 3\n\
        materials.rubber = { density = 1000, elastic = { young = 1e6, poisson = 0.3 } }\n\
        [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = { friction = 0.3 }\n\
        [[bodies]]\nmaterial = \"rubber\"\nplane.normal = [0, 1]\nposition = [0, 0]\nfixed = true\n"
        .to_owned();
    for k in 0..12 {
        let (shape, x) = if k < 8 {
            ("disk.radius = 0.1", 0.3 * f64::from(k))
        } else {
            ("box.size = [0.2, 0.2]", 50.0 + 0.3 * f64::from(k))
        };
        scene += &format!("[[bodies]]\nmaterial = \"rubber\"\n{shape}\nmesh.size = 0.04\nposition = [{x}, 0.1]\n");
    }
    scene
}

#[test]
fn a_process_makes_the_factors_of_its_own_deformable_bodies_and_those_that_come_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.toml");
    std::fs::write(&path, far_apart()).unwrap();
    let path = path.to_str().unwrap();
    let told = |name: &str, ranks: usize, more: &[&str]| {
        let out = folder.path().join(name);
        let arguments = [&["run", path, "--out", out.to_str().unwrap(), "-v"], more].concat();
        let output = nscdd(ranks, &arguments).env("NO_COLOR", "1").output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let files = ["final.h5", "history.csv"].map(|file| std::fs::read(out.join(file)).unwrap());
        (files, factors(&text(&output.stderr)))
    };
    let (one, alone) = told("one", 1, &[]);
    let (three, mut each) = told("three", 3, &[]);
    each.sort_unstable();
    assert_eq!((alone, each), (vec![2], vec![1, 1, 1]));
    assert!(one == three);
    // Placed anywhere, bodies come to processes that have not had their like.
    let (shuffled, _) = told("shuffled", 3, &["--shuffle", "5"]);
    assert!(one == shuffled);
    // The same after a stop, on other processes.
    let stopped = folder.path().join("stopped");
    let stopped = stopped.to_str().unwrap();
    let code = |ranks: usize, arguments: &[&str]| nscdd(ranks, arguments).output().unwrap().status.code();
    assert_eq!(code(2, &["run", path, "--out", stopped, "-q", "--stop-after", "20"]), Some(75));
    assert_eq!(code(3, &["resume", stopped, "-q"]), Some(0));
    assert!(std::fs::read(folder.path().join("stopped/final.h5")).unwrap() == one[0]);
}

#[test]
fn a_matrix_that_cannot_be_factored_is_refused_in_the_same_words_on_any_number_of_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.toml");
    std::fs::write(&path, far_apart()).unwrap();
    let path = path.to_str().unwrap();
    let out = folder.path().join("refused");
    let refused = |ranks: usize, command: &[&str]| {
        let arguments = [command, &[path, "--set", "materials.rubber.elastic.young=1e306"]].concat();
        let output = nscdd(ranks, &arguments).env("NO_COLOR", "1").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        let told = text(&output.stderr);
        told[..told.find("[[laws]]").unwrap()].to_owned()
    };
    let run = ["run", "--out", out.to_str().unwrap()];
    let told = refused(1, &["check"]);
    assert!(told.contains("an entry is not a finite number") && told == refused(1, &run), "{told}");
    assert!(told == refused(3, &run) && !out.exists());
}
