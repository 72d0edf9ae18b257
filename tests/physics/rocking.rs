//! A block rocking on its two lower corners: J. J. Moreau and M. Jean, Numerical treatment of contact and friction.
//!
//! The left corner stays in contact while the block rotates, until the right one strikes. Newton's law for both would
//! leave the left one without velocity, so the block would stop. The complete law lets it lift off: the angular
//! momentum about the right corner is conserved, and the spin drops to k times its value,
//! k = 1 - 3/2 (1 + e) b^2/(b^2 + h^2) for a block of width b and height h (G. W. Housner 1963 for e = 0). The left
//! corner lifts off if b^2 < 2 h^2; otherwise both stay in contact and the block does not rock.

use crate::scenes::load;
use nscdd::dim::Plane;

/// Depth of the hollow of the base, and initial tilt of the block.
const HOLLOW: f64 = 0.01;
const TILT: f64 = 0.05;

/// Height of the centre of mass over the base, and moment of inertia over mass, of a block 1 m high with a hollow base.
fn mass(width: f64) -> (f64, f64) {
    let (whole, hollow) = (width, 0.5 * width * HOLLOW);
    let area = whole - hollow;
    let height = (0.5 * whole - hollow * HOLLOW / 3.0) / area;
    let inertia = whole * ((width * width + 1.0) / 12.0 + (0.5 - height).powi(2))
        - hollow * (width * width / 24.0 + HOLLOW * HOLLOW / 18.0 + (height - HOLLOW / 3.0).powi(2));
    (height, inertia / area)
}

/// Share of the spin left by Housner's balance, exact for the hollow block.
fn share(width: f64, restitution: f64) -> f64 {
    let (height, inertia) = mass(width);
    let (a, c) = (0.25 * width * width, height * height);
    (inertia + c - a - 2.0 * a * restitution) / (inertia + c + a)
}

/// Spin after every step of a block that falls back from its tilt about its left corner.
fn spins(width: f64, law: &str) -> Vec<f64> {
    let a = 0.5 * width;
    let (height, _) = mass(width);
    let (x, y) = (a * TILT.cos() - height * TILT.sin(), a * TILT.sin() + height * TILT.cos());
    let outline = format!("[[{}, 0], [0, {HOLLOW}], [{a}, 0], [{a}, 1], [{}, 1]]", -a, -a);
    let sets = [
        format!("laws=[{{ between = [\"*\", \"*\"], {law} }}]"),
        format!("bodies.1.polygon.outline={outline}"),
        format!("bodies.1.position=[{x}, {y}]"),
        format!("bodies.1.orientation={TILT}"),
    ];
    let mut simulation = load::<Plane>("rocking-block", &sets.each_ref().map(String::as_str));
    let mut spin = || {
        simulation.step().unwrap();
        simulation.bodies.find(1).unwrap().spin[0]
    };
    (0..2500).map(|_| spin()).collect()
}

/// Spin before and after the first impact. The drop takes two steps: the gap closes first, exactly.
fn stroke(spins: &[f64]) -> (f64, f64) {
    let last = (1..spins.len()).find(|&k| spins[k].abs() < 0.99 * spins[k - 1].abs()).unwrap() - 1;
    (spins[last], spins[last + 2])
}

const COMPLETE: &str = "coulomb = { friction = 0.8 }";

#[test]
fn a_block_rocks_on_with_the_spin_that_its_proportions_leave_it() {
    for width in [0.2, 0.4, 0.7, 1.0, 1.3] {
        let spins = spins(width, COMPLETE);
        let (before, after) = stroke(&spins);
        // The ratio includes two steps of gravity.
        assert!((after / before - share(width, 0.0)).abs() < 5e-3, "{width}: {before} {after} {}", share(width, 0.0));
        assert!((share(width, 0.0) - 1.0 + 1.5 * width * width / (width * width + 1.0)).abs() < 3e-3, "Housner");
    }
    // On the other corner it swings up and returns.
    let spins = spins(0.4, COMPLETE);
    assert!(spins.iter().any(|&spin| spin > 0.5), "it never came back");
}

#[test]
fn a_block_much_wider_than_high_does_not_rock() {
    for width in [1.5, 2.0] {
        assert!(share(width, 0.0) < 0.0, "the left corner would have to go into the floor");
        let spins = spins(width, COMPLETE);
        let (before, after) = stroke(&spins);
        assert!(after.abs() < 1e-6 * before.abs() && spins[spins.len() - 1].abs() < 1e-6, "{width}: {before} {after}");
    }
}

#[test]
fn equalities_at_both_corners_forbid_rocking() {
    let (before, after) = stroke(&spins(0.4, "bilateral = {}"));
    assert!(before < -0.5 && after.abs() < 1e-6, "{before} {after}");
}

#[test]
fn restitution_takes_more_of_the_spin_and_makes_both_corners_leave() {
    for e in [0.3, 0.6] {
        let (before, after) = stroke(&spins(0.4, &format!("restitution = {{ normal = {e}, friction = 0.8 }}")));
        assert!((after / before - share(0.4, e)).abs() < 2e-3, "{e}: {before} {after} {}", share(0.4, e));
    }
}
