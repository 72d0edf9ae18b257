//! Granular flow: through the outlet of a hopper, down a slope, sheared in a cell, and in a drum.

use crate::runs::{Run, mean, slices, weighed};

/// Slope and intercept of the regression line through `points`, and its coefficient of determination.
fn line(points: &[(f64, f64)]) -> (f64, f64, f64) {
    let n = points.len() as f64;
    let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |f: fn(f64, f64) -> f64| points.iter().map(|p| f(p.0 - x, p.1 - y)).sum::<f64>();
    let (xx, xy, yy) = (sum(|a, _| a * a), sum(|a, b| a * b), sum(|_, b| b * b));
    (xy / xx, y - xy / xx * x, xy * xy / (xx * yy))
}

#[test]
fn a_hopper_empties_as_the_power_three_halves_of_its_mouth_less_a_grain_or_two() {
    let diameter = 0.015;
    let points = ["0.045", "0.0525", "0.06", "0.075", "0.09", "0.105"].map(|half| {
        let sets = [
            format!("bodies.0.segment.to=[-{half},0.0]"),
            format!("bodies.1.segment.to=[{half},0.0]"),
            "feeds.0.rate=20000".into(),
            "feeds.0.total=1500".into(),
            "stop=[{ bodies = { below = 500 }, after = 0.5 }]".into(),
            "time.step=2e-3".into(),
            "time.end=10".into(),
        ];
        let run = Run::of("hopper", &sets.each_ref().map(String::as_str));
        let history = run.history();
        let time = |died| {
            let row = history.get("died").iter().position(|&n| n >= died).unwrap();
            history.get("time_s")[row]
        };
        let rate = 800.0 / (time(1000.0) - time(200.0));
        // The height of the heap does not matter.
        let (early, late) = (400.0 / (time(600.0) - time(200.0)), 400.0 / (time(1000.0) - time(600.0)));
        println!("mouth {half} to both sides: {rate:.0} a second, first {early:.0}, then {late:.0}");
        assert!((0.75..1.33).contains(&(late / early)), "steady: {early} {late}");
        (2.0 * half.parse::<f64>().unwrap(), rate)
    });
    let (slope, start, explained) = line(&points.map(|(mouth, rate)| (mouth, rate.powf(2.0 / 3.0))));
    let grains = -start / slope / diameter;
    let (exponent, _, _) = line(&points.map(|(mouth, rate)| ((mouth - grains * diameter).ln(), rate.ln())));
    println!("rate^(2/3) is linear to {explained:.4}, nothing flows below {grains:.2} grains; exponent {exponent:.3}");
    assert!(explained > 0.99, "{explained}");
    assert!((1.0..2.5).contains(&grains), "{grains}");
}

#[test]
fn a_layer_rests_on_a_slope_and_flows_steadily_on_a_steeper_one() {
    let [rest, flow, fast] = ["2.7040,-9.4300", "3.6749,-9.0957", "3.9901,-8.9619"].map(|gravity| {
        let run = Run::of("inclined-flow", &[&format!("world.gravity=[{gravity}]"), "time.end=12"]);
        let energy = run.measure("energy").get("translation_J").to_vec();
        let early = mean(&energy[energy.len() - 80..energy.len() - 40]);
        let late = mean(&energy[energy.len() - 40..]);
        println!("gravity {gravity}: kinetic energy {early:.3} J, then {late:.3} J");
        (early, late)
    });
    assert!(rest.1 < 1e-3, "{rest:?}");
    assert!(flow.1 > 50.0 && fast.1 > 1.3 * flow.1, "{flow:?} {fast:?}");
    for (early, late) in [flow, fast] {
        assert!((0.75..1.33).contains(&(late / early)), "steady: {early} {late}");
    }
}

#[test]
fn the_friction_of_a_sheared_mass_grows_with_the_inertial_number() {
    // Rigid grains at constant volume have one inertial number, independent of the rate; the looser the packing, the
    // larger it is.
    let found = ["510", "490", "430"].map(|count| {
        let run = Run::of("sheared-disks", &[&format!("generators.0.deposit.count={count}"), "time.end=10"]);
        let stress = run.measure("stress");
        let from = stress.get("time_s").iter().position(|&time| time > 2.0).unwrap();
        let of = |column| mean(&stress.get(column)[from..]);
        let pressure = of("pressure_N_m");
        let (inertial, friction) = (0.0435 * (2000.0 / pressure).sqrt(), -of("stress_xy_N_m") / pressure);
        println!(
            "{count} disks: solid fraction {:.3}, inertial number {inertial:.3}, friction {friction:.3}",
            of("solid_fraction")
        );
        (inertial, friction)
    });
    for pair in found.windows(2) {
        assert!(pair[1].0 > 1.3 * pair[0].0 && pair[1].1 > pair[0].1 + 0.05, "{found:?}");
    }
    assert!(found.iter().all(|(_, friction)| (0.25..0.75).contains(friction)), "{found:?}");
}

#[test]
fn the_slope_in_a_drum_is_steeper_the_faster_it_turns() {
    let [slow, faster, fast] = ["0.5", "1", "2"].map(|spin| {
        let run = Run::of("drum", &["time.end=6", &format!("bodies.0.driven.velocity.r.ramp.to={spin}")]);
        let (across, heights) = (run.measure("across"), run.measure("heights"));
        // For a heap with a straight slope, the line from the centre of the drum to the centre of mass is normal to the
        // slope.
        let angles: Vec<_> = (101..=300)
            .map(|k| Some(0.02 * f64::from(k)))
            .map(|time| weighed(&slices(&across, time), |x| x).atan2(-weighed(&slices(&heights, time), |y| y)))
            .collect();
        let angle = mean(&angles).to_degrees();
        println!("{spin} rad/s: {angle:.1} degrees");
        angle
    });
    assert!((20.0..50.0).contains(&slow), "{slow}");
    assert!(faster > slow + 1.0 && fast > faster + 3.0 && fast < 70.0, "{slow} {faster} {fast}");
}
