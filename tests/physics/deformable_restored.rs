//! Deformable bodies taken from another run.

use std::fs;
use std::path::Path;

use crate::program::{nscdd, text};

const HEAD: &str = "[world]\ndimension = 2\ngravity = [0, 0]\n[materials.rubber]\ndensity = 1000\n\
    elastic = { young = 1e6, poisson = 0.3, damping = 0 }\n[[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = { friction = 0.3 }\n";

/// Runs a scene of `bodies` for `end` seconds; returns the kinetic energy at the end, J.
fn kinetic_energy(folder: &Path, name: &str, end: f64, bodies: &str) -> f64 {
    let scene = folder.join(format!("{name}.toml"));
    fs::write(&scene, format!("{HEAD}[time]\nstep = 1e-4\nend = {end}\n{bodies}")).unwrap();
    let out = folder.join(name);
    let output = nscdd(1, &["run", scene.to_str().unwrap(), "--out", out.to_str().unwrap()]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let history = fs::read_to_string(out.join("history.csv")).unwrap();
    history.lines().last().unwrap().split(',').nth(2).unwrap().parse().unwrap()
}

#[test]
fn a_body_taken_from_another_run_goes_on_vibrating_unless_it_is_taken_at_rest() {
    let folder = tempfile::tempdir().unwrap();
    // A bar rebounds from a rigid block, which is not taken.
    let struck = "[[bodies]]\nmaterial = \"rubber\"\nbox.size = [0.4, 0.1]\nposition = [0, 0]\nvelocity = [2, 0]\nmesh.size = 0.05\n\
        [[bodies]]\nmaterial = \"rubber\"\nbox.size = [0.1, 0.3]\nposition = [0.252, 0.03]\nfixed = true\n";
    let whole = kinetic_energy(folder.path(), "whole", 0.05, struck);
    kinetic_energy(folder.path(), "first", 0.04, struck);
    let taken = "[[bodies]]\nfrom = \"first/final.h5\"\n";
    let both = kinetic_energy(folder.path(), "second", 0.01, taken);
    assert!((both - whole).abs() < 1e-9 * whole, "{both} against {whole} J");
    let at_rest = kinetic_energy(folder.path(), "third", 0.01, &format!("{taken}at_rest = true\n"));
    assert!(at_rest > 1e-6 * whole && at_rest < 0.5 * whole, "{at_rest} of {whole} J: what was stored");
}
