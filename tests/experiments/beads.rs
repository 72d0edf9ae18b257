//! V. F. Nesterenko, Dynamics of heterogeneous materials (2001): the solitary wave in a chain of spheres.

use crate::runs::Run;

/// Distance of the contacts, m.
const DIAMETER: f64 = 0.09997;
/// Places of the fifth and the sixth contact, m; the far end has not reflected the wave there yet.
const CONTACTS: [&str; 2] = ["0.349895", "0.449865"];

/// The greatest force at the sixth contact, N, and the speed of the wave there, m/s.
fn wave(velocity: f64, step: f64, end: f64) -> [f64; 2] {
    let sets = [
        format!("bodies.0.velocity=[{velocity}, 0, 0]"),
        format!("time.step={step}"),
        format!("time.end={end}"),
        "output.frames.every=1".into(),
    ];
    let run = Run::of("bead-chain", &sets.each_ref().map(String::as_str));
    let cut = run.measure("cut");
    let times = cut.get("time_s");
    // The vertex of the parabola through the greatest force and its neighbours.
    let pulse = |at: &str| {
        let forces = cut.get(&format!("force_across_x_{at}_x_N"));
        let top = (1..forces.len() - 1).max_by(|&a, &b| forces[a].total_cmp(&forces[b])).unwrap();
        let [before, most, after] = [-1, 0, 1].map(|k: isize| forces[top.wrapping_add_signed(k)]);
        (times[top] + 0.5 * step * (before - after) / (before - 2.0 * most + after), most)
    };
    let [(earlier, _), (later, force)] = CONTACTS.map(pulse);
    [force, DIAMETER / (later - earlier)]
}

#[test]
fn the_wave_in_a_chain_of_elastic_beads_is_faster_by_the_sixth_root_of_its_force() {
    let [[slow_force, slow], [fast_force, fast]] = [wave(0.2, 9e-5, 0.039), wave(0.4, 8e-5, 0.034)];
    let expected = (fast_force / slow_force).powf(1.0 / 6.0);
    println!(
        "{slow_force:.2} N at {slow:.2} m/s, {fast_force:.2} N at {fast:.2} m/s: {:.4}, {expected:.4} expected",
        fast / slow
    );
    assert!((fast / slow / expected - 1.0).abs() < 0.02, "{} times as fast, {expected} expected", fast / slow);
    // Nesterenko's speed; a contact of a few elements is too stiff.
    let theory = |force: f64| 0.6802 * (2.0 * 5e6 / 0.91 / (0.1 * 1100f64.powf(1.5))).cbrt() * force.powf(1.0 / 6.0);
    for (speed, force) in [(slow, slow_force), (fast, fast_force)] {
        assert!((0.0..0.12).contains(&(speed / theory(force) - 1.0)), "{speed} m/s, {} by theory", theory(force));
    }
}
