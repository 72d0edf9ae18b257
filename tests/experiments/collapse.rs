//! Collapse of columns: E1, of grains of many shapes (F. Dubois, V. Acary and M. Jean, The Contact Dynamics method: a
//! nonsmooth story), and of disks depending on the height of the column (L. Staron and E. J. Hinch 2005).

use crate::runs::{Run, front, mean, slices, weighed};

const FLAKE: &str = "{ compound = [{ box = { size = [2, 0.2] } }, { box = { size = [0.2, 2] } }, \
    { disk = { radius = 0.25 }, position = [1, 0] }, { disk = { radius = 0.25 }, position = [-1, 0] }, \
    { disk = { radius = 0.25 }, position = [0, 1] }, { disk = { radius = 0.25 }, position = [0, -1] }] }";

/// Deposit of a collapsed column of grains of this shape.
fn collapsed(shape: &str, seed: &str) -> [f64; 3] {
    let run =
        Run::of("collapse-by-shape", &[&format!("generators.0.shape={shape}"), &format!("generators.0.seed={seed}")]);
    let (ground, heights) = (run.measure("ground"), run.measure("heights"));
    let height = 2.0 * weighed(&slices(&heights, Some(0.45)), |y| y);
    let end = slices(&ground, None);
    let out = front(&end, 0.95) - 0.6;
    let found = [out, out / height, weighed(&end, |x| x)];
    println!("{shape}, packing {seed}: run-out, over the height, mean distance {found:.3?}");
    let overlap = run.history().get("max_penetration").iter().copied().fold(0.0, f64::max);
    assert!(overlap < 0.15, "{shape}: {overlap}");
    found
}

#[test]
fn the_more_angular_and_tangled_grains_are_the_less_their_column_runs_out() {
    let shapes = [
        "{ disk = { radius = 1 } }",
        "{ polygon = { sides = 5, radius = 1 } }",
        "{ polygon = { points = 5, inner = 0.4, radius = 1 } }",
        FLAKE,
    ];
    // Run-out, the same over the initial height, and mean distance from the wall. Final positions are random: three
    // packings.
    let found = shapes.map(|shape| {
        let runs = ["1", "2", "3"].map(|seed| collapsed(shape, seed));
        [0, 1, 2].map(|k| mean(&runs.map(|run| run[k])))
    });
    for pair in found.windows(2) {
        assert!((0..3).all(|k| pair[0][k] > [1.1, 1.0, 1.1][k] * pair[1][k]), "{pair:?}");
    }
}

#[test]
fn the_run_out_of_a_column_grows_in_proportion_to_its_height_then_less() {
    let [two, four, eleven] = ["0.8", "1.6", "4.6"].map(|height| {
        let run = Run::of("column-collapse", &[&format!("generators.0.deposit.height={height}")]);
        let aspect = 2.0 * weighed(&slices(&run.measure("heights"), Some(0.25)), |y| y) / 0.4;
        let out = front(&slices(&run.measure("ground"), None), 0.99) / 0.4 - 1.0;
        println!("aspect ratio {aspect:.2}: run-out {out:.2}, over the aspect ratio {:.2}", out / aspect);
        (aspect, out)
    });
    let exponent = |a: (f64, f64), b: (f64, f64)| (b.1 / a.1).ln() / (b.0 / a.0).ln();
    assert!((0.85..1.15).contains(&exponent(two, four)), "in proportion: {}", exponent(two, four));
    assert!((0.6..0.93).contains(&exponent(four, eleven)), "then less: {}", exponent(four, eleven));
}
