//! Grains at rest: C3, a sand pile (J. J. Moreau and M. Jean, Numerical treatment of contact and friction: the contact
//! dynamics method), and a silo (H. A. Janssen 1895).

use crate::runs::{Run, slices, weighed};

#[test]
fn a_pile_is_steeper_the_more_friction_and_its_flanks_carry_some_of_its_middle() {
    let angles = [("0.2", "0"), ("0.5", "0"), ("0.5", "0.1")].map(|(friction, rolling)| {
        let laws = [format!("laws.0.coulomb.friction={friction}"), format!("laws.0.coulomb.rolling={rolling}")];
        let run = Run::of("sand-pile", &laws.each_ref().map(String::as_str));
        let (ground, heights) = (slices(&run.measure("ground"), None), slices(&run.measure("heights"), None));
        let middle = weighed(&ground, |x| x);
        // Exact for a triangle.
        let angle = (weighed(&heights, |y| y) / weighed(&ground, |x| (x - middle).abs())).atan().to_degrees();
        let last = |table: &str, column: &str| *run.measure(table).get(column).last().unwrap();
        let weight = -last("floor", "body_0_force_y_N");
        let between = weight * weighed(&ground, |x| f64::from(u8::from(x.abs() < 0.15)));
        let lifted = last("cuts", "force_across_x_-0.15_y_N") - last("cuts", "force_across_x_0.15_y_N");
        println!("friction {friction}, rolling {rolling}: {angle:.1} degrees, flanks carry {:.3}", lifted / between);
        assert!((0.0..0.4).contains(&(lifted / between)), "{lifted} of {between}");
        // The load on the ground is the weight of a vertical slab, less what its neighbours carry.
        let pressure = |low: f64, high: f64| {
            let part = weighed(&ground, |x| f64::from(u8::from(low < x && x < high)));
            let across = |x: f64| last("slabs", &format!("force_across_x_{x}_y_N"));
            (weight * part - across(low) + across(high)) / (high - low)
        };
        let middle = pressure(-0.27, 0.27);
        let (inner, outer) = (
            (pressure(-0.54, -0.27) + pressure(0.27, 0.54)) / 2.0,
            (pressure(-0.81, -0.54) + pressure(0.54, 0.81)) / 2.0,
        );
        println!("on the ground: {middle:.0} N/m in the middle, {inner:.0}, {outer:.0} outside");
        assert!(middle > inner && inner > outer && outer > 0.0, "{middle} {inner} {outer}");
        angle
    });
    assert!(
        angles[0] > 10.0 && angles[1] > angles[0] + 1.0 && angles[2] > angles[1] + 3.0 && angles[2] < 45.0,
        "{angles:?}"
    );
}

/// Four hundred of the three thousand disks of the paper, released one after another just above the heap.
#[test]
fn a_pile_built_gently_passes_some_of_the_weight_of_its_middle_to_its_flanks() {
    let grains: Vec<String> = (1..=30).map(|k| (10 * k).to_string()).collect();
    let grains = grains.join(", ");
    let falls = format!(
        "measure=[{{ name = \"ground\", every = 1, profile = {{ axis = \"x\", slices = 200, min = -3, max = 3 }} }}, \
         {{ name = \"cuts\", every = 1, cut = {{ axis = \"x\", at = [-0.1, 0.1] }} }}, \
         {{ name = \"floor\", every = 1, reaction = {{ bodies = [0] }} }}, \
         {{ name = \"falls\", every = 0.004, track = {{ bodies = [{grains}] }} }}]"
    );
    let run = Run::of("sand-pile-slow", &["feeds.0.total=400", "stop.0.after=41", "time.end=50", &falls]);
    let last = |table: &str, column: &str| *run.measure(table).get(column).last().unwrap();
    let weight = -last("floor", "body_0_force_y_N");
    let ground = slices(&run.measure("ground"), None);
    let between = weight * weighed(&ground, |x| f64::from(u8::from(x.abs() < 0.1)));
    let lifted = last("cuts", "force_across_x_-0.1_y_N") - last("cuts", "force_across_x_0.1_y_N");
    // A millimetre at 0.25 m/s is less than a step: a grain is in free fall at the end of a step only if the heap below
    // it has moved away. Before it is spawned there are no numbers.
    let fallen = run.measure("falls");
    let speeds = (1..=30).map(|k| {
        let of = |axis: &str| fallen.get(&format!("body_{}_velocity_{axis}_m_s", 10 * k)).to_vec();
        let born = of("x").into_iter().zip(of("y")).skip_while(|(x, _)| x.is_nan());
        born.take_while(|(x, _)| *x == 0.0).map(|(_, y)| -y).fold(0.0, f64::max)
    });
    let late: Vec<f64> = speeds.filter(|speed| *speed > 0.3).collect();
    println!("of 30 grains these arrive late: {late:.2?} m/s; flanks carry {:.3} of {between:.0} N", lifted / between);
    assert!(late.len() <= 8 && late.iter().all(|speed| *speed < 1.0), "{late:?}");
    assert!(run.history().get("converged").iter().all(|&converged| converged == 1.0));
    assert!((0.0..0.4).contains(&(lifted / between)), "{lifted} of {between}");
}

/// Weight of the contents of a silo, and load of its floor.
fn silo(sets: &[&str]) -> (f64, f64) {
    let table = Run::of("silo", sets).measure("floor");
    let force = |body: usize| -*table.get(&format!("body_{body}_force_y_N")).last().unwrap();
    let found = (force(0) + force(1) + force(2), force(0));
    println!("silo {sets:?}: floor {:.0} N of {:.0} N, {:.3}", found.1, found.0, found.1 / found.0);
    found
}

#[test]
fn the_floor_of_a_silo_carries_less_than_the_weight_and_ever_less_of_it() {
    let [low, high, higher] = ["0.2", "0.8", "1.6"].map(|h| silo(&[&format!("generators.0.deposit.height={h}")]));
    let share = |(weight, floor): (f64, f64)| floor / weight;
    assert!(
        share(low) < 0.97 && share(high) < share(low) - 0.1 && share(higher) < share(high) - 0.1,
        "{low:?} {high:?} {higher:?}"
    );
    assert!(higher.1 < 1.4 * high.1, "twice the weight, hardly more on the floor: {} {}", high.1, higher.1);
    let wide = silo(&["bodies.2.position=[0.8,0]", "generators.0.deposit.max=[0.8,3]"]);
    assert!(share(wide) > share(high) + 0.1 && share(wide) < 0.97, "{wide:?}");
    let smooth = silo(&["laws.1.coulomb.friction=0"]);
    assert!((share(smooth) - 1.0).abs() < 1e-9, "{smooth:?}");
}
