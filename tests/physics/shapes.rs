//! Bodies of every shape in scenes.

use std::path::Path;

use crate::support::{GRAVITY, bytes, reaction, run, simulate};
use nscdd::dim::{Dim, Orientation, Plane, Space, Vector};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

fn read<X: Dim>(text: &str) -> Simulation<X> {
    let scene = Scene::parse(text, "shapes.toml", Path::new("."), &[]).unwrap();
    simulate(&scene)
}

/// The tables at the beginning of every scene here.
fn head(dimension: u32, friction: f64, gravity: &str) -> String {
    format!(
        "[world]\ndimension = {dimension}\ngravity = {gravity}\n[time]\nstep = 1e-3\nend = 1.0\n\
         [solver]\ntolerance = 1e-6\nvelocity_error = 1e-3\n[materials.stone]\ndensity = 2600\n\
         [[laws]]\nbetween = [\"stone\", \"stone\"]\ncoulomb = {{ friction = {friction} }}\n"
    )
}

const FLOOR: &str =
    "[[bodies]]\nid = 0\nmaterial = \"stone\"\nplane = { normal = [0, 0, 1] }\nposition = [0, 0, 0]\nfixed = true\n";

/// Gravity on a floor tilted by `angle` about y.
fn tilted(angle: f64) -> String {
    format!("[{:?}, 0, {:?}]", GRAVITY * angle.sin(), -GRAVITY * angle.cos())
}

/// Mean acceleration along x over 0.3 s of a body on a floor tilted by `angle`.
fn slide(body: &str, angle: f64, friction: f64) -> (f64, Simulation<Space>) {
    let text = head(3, friction, &tilted(angle)) + FLOOR + body;
    let mut simulation = read::<Space>(&text);
    run(&mut simulation, 0.3);
    let speed = simulation.bodies.find(1).unwrap().velocity.x;
    (speed / 0.3, simulation)
}

#[test]
fn a4_a_cylinder_on_its_side_rolls_without_slip_iff_friction_is_a_third_of_the_slope() {
    let body = "[[bodies]]\nid = 1\nmaterial = \"stone\"\ncylinder = { radius = 0.1, length = 0.3 }\n\
                position = [0, 0, 0.1]\norientation = { axis = [1, 0, 0], angle = 1.5707963267948966 }\n";
    let angle = 0.3f64;
    let (rolling, simulation) = slide(body, angle, 0.5);
    let exact = 2.0 / 3.0 * GRAVITY * angle.sin();
    assert!((rolling / exact - 1.0).abs() < 1e-3, "{rolling} for {exact}");
    let state = simulation.bodies.find(1).unwrap();
    assert!((state.spin.y * 0.1 / state.velocity.x - 1.0).abs() < 1e-3);
    assert!(state.velocity.y.abs() < 1e-9 && state.spin.z.abs() < 1e-9, "it keeps its way");
    let friction = 0.9 * angle.tan() / 3.0;
    let (sliding, _) = slide(body, angle, friction);
    let exact = GRAVITY * (angle.sin() - friction * angle.cos());
    assert!((sliding / exact - 1.0).abs() < 1e-3, "{sliding} for {exact}");
}

#[test]
fn a_cylinder_on_its_cap_neither_rolls_nor_drifts() {
    let body = "[[bodies]]\nid = 1\nmaterial = \"stone\"\ncylinder = { radius = 0.1, length = 0.3 }\nposition = [0, 0, 0.15]\n";
    let mut simulation = read::<Space>(&(head(3, 0.4, &tilted(0.3)) + FLOOR + body));
    run(&mut simulation, 2.0);
    let state = simulation.bodies.find(1).unwrap();
    let drift = (state.position - nalgebra::Vector3::new(0.0, 0.0, 0.15)).norm();
    assert!(drift < 1e-6 * 0.1, "drift {drift:e}");
    assert!(state.spin.norm() < 1e-6 && state.velocity.norm() < 1e-6);
    let force = reaction(&simulation, 0) * (1.0 / simulation.step_length());
    assert!((force.norm() / (state.mass * GRAVITY) - 1.0).abs() < 1e-4);
}

#[test]
fn a_column_of_cylinders_stands() {
    let drum = |k: u32| {
        format!(
            "[[bodies]]\nid = {}\nmaterial = \"stone\"\ncylinder = {{ radius = 0.1, length = 0.1 }}\nposition = [0, 0, {}]\n",
            k + 1,
            0.05 + 0.1 * f64::from(k)
        )
    };
    let text = head(3, 0.5, "[0, 0, -9.81]") + FLOOR + &(0..10).map(drum).collect::<String>();
    let mut simulation = read::<Space>(&text);
    run(&mut simulation, 1.0);
    for k in 0..10 {
        let state = simulation.bodies.find(k + 1).unwrap();
        let place = nalgebra::Vector3::new(0.0, 0.0, 0.05 + 0.1 * k as f64);
        assert!((state.position - place).norm() < 1e-5, "drum {k} at {:?}", state.position);
    }
}

#[test]
fn a_capsule_lies_still_on_two_points_and_rolls_like_a_cylinder_of_its_inertia() {
    let body = "[[bodies]]\nid = 1\nmaterial = \"stone\"\ncapsule = { radius = 0.1, length = 0.3 }\n\
                position = [0, 0, 0.1]\norientation = { axis = [1, 0, 0], angle = 1.5707963267948966 }\n";
    let angle = 0.2f64;
    let (rolling, simulation) = slide(body, angle, 0.5);
    let state = simulation.bodies.find(1).unwrap();
    let moment = simulation.model.moments(state).z / (state.mass * 0.01);
    let exact = GRAVITY * angle.sin() / (1.0 + moment);
    assert!((rolling / exact - 1.0).abs() < 1e-3, "{rolling} for {exact}");
}

#[test]
fn a_cube_made_of_eight_cubes_slides_and_stops_as_the_cube() {
    let angle = 0.5f64;
    let mut parts = String::new();
    for k in 0..8 {
        let [x, y, z] = [k & 1, k >> 1 & 1, k >> 2].map(|bit| if bit == 1 { 0.05 } else { -0.05 });
        parts += &format!("{{ box = {{ size = [0.1, 0.1, 0.1] }}, position = [{x}, {y}, {z}] }}, ");
    }
    let body = format!("[[bodies]]\nid = 1\nmaterial = \"stone\"\ncompound = [{parts}]\nposition = [0, 0, 0.1]\n");
    let (sliding, simulation) = slide(&body, angle, 0.3);
    let exact = GRAVITY * (angle.sin() - 0.3 * angle.cos());
    assert!((sliding / exact - 1.0).abs() < 1e-3, "{sliding} for {exact}");
    assert!(simulation.bodies.find(1).unwrap().spin.norm() < 1e-6);
    let (stuck, _) = slide(&body, angle, 0.6);
    assert!(stuck.abs() < 1e-5, "{stuck}");
}

#[test]
fn a_rod_in_a_turning_drum_slides_in_its_place_where_friction_balances_its_weight() {
    let arm = 0.99f64.sqrt() - 0.01;
    let exact = equilibrium(0.3, 0.1f64.asin(), arm);
    let stays = |angle: f64| {
        let (x, y) = (arm * angle.sin(), -arm * angle.cos());
        let text = head(2, 0.3, "[0, -9.81]")
            + &format!(
                "[[bodies]]\nid = 0\nmaterial = \"stone\"\ndrum = {{ radius = 1 }}\nposition = [0, 0]\n\
                 driven = {{ hold = true, velocity = {{ r = 1 }} }}\n\
                 [[bodies]]\nid = 1\nmaterial = \"stone\"\nbox = {{ size = [0.2, 0.02] }}\n\
                 position = [{x:?}, {y:?}]\norientation = {angle:?}\n"
            );
        let mut simulation = read::<Plane>(&text);
        let mut farthest = 0.0f64;
        for _ in 0..3000 {
            simulation.step().unwrap();
            let position = simulation.bodies.find(1).unwrap().position;
            farthest = farthest.max((position.x.atan2(-position.y) - angle).abs());
        }
        farthest
    };
    // With equal static and dynamic friction it oscillates for ever about that angle; started there, it stays.
    assert!(stays(exact) < 0.003, "{}", stays(exact));
    assert!(stays(exact - 0.02) > 0.03 && stays(exact + 0.02) > 0.03);
}

/// Equilibrium angle of a rod in a drum of radius one, sliding at both ends with friction coefficient `mu`: the ends
/// are at plus and minus `half` about its angle t, its weight acts at distance `arm` from the centre.
fn equilibrium(mu: f64, half: f64, arm: f64) -> f64 {
    let (s, c) = half.sin_cos();
    // Normal forces from the balance of forces along and across the radius of the midpoint; the remainder is the moment
    // about the centre.
    let balance = |t: f64| {
        let (along, across) = ([c - mu * s, c + mu * s], [mu * c + s, mu * c - s]);
        let (down, aside) = (t.cos(), t.sin());
        let determinant = along[0] * across[1] - along[1] * across[0];
        let first = (down * across[1] - along[1] * aside) / determinant;
        let second = (along[0] * aside - down * across[0]) / determinant;
        mu * (first + second) - arm * aside
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if balance(low) * balance(middle) <= 0.0 { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// A box with falling bodies of many shapes.
fn mixture(dimension: u32) -> String {
    let (min, max) = if dimension == 2 { ("[0, 0]", "[1.2, 3]") } else { ("[0, 0, 0]", "[0.8, 0.8, 2]") };
    let shapes: &[&str] = if dimension == 2 {
        &[
            "polygon = { points = 5, inner = 0.4, radius = 1 }",
            "capsule = { radius = 1, length = 2 }",
            "grain = { corners = 7, aspect = 0.6 }",
            "compound = [{ box = { size = [2, 0.4] } }, { box = { size = [0.4, 2] } }, { disk = { radius = 0.4 }, position = [1, 0] }]",
        ]
    } else {
        &[
            "cylinder = { radius = 1, length = 2 }",
            "capsule = { radius = 1, length = 2 }",
            "grain = { corners = 10, aspect = 0.7 }",
            "compound = [{ sphere = { radius = 1 } }, { cylinder = { radius = 0.5, length = 3 } }, { box = { size = [3, 0.6, 0.6] } }]",
        ]
    };
    let mut text = format!(
        "[world]\ndimension = {dimension}\n[time]\nstep = 1e-3\nend = 1\n[domain]\nsubdomains = 8\n\
         [materials.stone]\ndensity = 2600\n[[laws]]\nbetween = [\"stone\", \"stone\"]\ncoulomb = {{ friction = 0.5 }}\n\
         [[generators]]\nfirst_id = 0\nmaterial = \"stone\"\nwalls = {{ min = {min}, max = {max} }}\n"
    );
    for (k, shape) in shapes.iter().enumerate() {
        let first = 100 * (k + 1);
        let lattice = if dimension == 2 {
            format!("count = [10, 3], spacing = 0.115, origin = [0.02, {}]", 0.02 + 0.36 * k as f64)
        } else {
            format!("count = [6, 6, 1], spacing = 0.125, origin = [0.02, 0.02, {}]", 0.01 + 0.13 * k as f64)
        };
        text += &format!(
            "[[generators]]\nfirst_id = {first}\nmaterial = \"stone\"\nshape = {{ {shape} }}\n\
             lattice = {{ {lattice}, radius = 0.055 }}\n"
        );
    }
    text
}

#[test]
fn a_mixture_of_all_shapes_settles_and_gives_the_same_bits_on_one_and_two_threads_in_any_order() {
    fn agree<X: Dim>(dimension: u32) {
        let result = |text: &str, threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut simulation = read::<X>(text);
                // Relative to the radius of the sphere that each body replaces.
                let mut deepest = 0.0f64;
                for _ in 0..350 {
                    let report = simulation.step().unwrap();
                    assert_eq!(report.totals.ambiguous, 0, "step {}", report.step);
                    let (domain, bodies) = (simulation.domain(), &simulation.bodies);
                    let contacts = domain.subdomains().iter().flat_map(|s| domain.contacts(s, bodies));
                    deepest = contacts.map(|c| -c.detected.gap / 0.055).fold(deepest, f64::max);
                }
                println!("{dimension}D: deepest {deepest:.1e}");
                assert!(deepest < 0.04, "{deepest}");
                for state in simulation.bodies.states().iter().filter(|s| s.id.0 >= 100) {
                    assert!((0..X::D).all(|k| state.position[k] > 0.0), "body {:?} left the box", state.id);
                }
                bytes(&simulation)
            })
        };
        let text = mixture(dimension);
        let (head, generators) = text.split_once("[[generators]]").unwrap();
        let mut generators: Vec<&str> = generators.split("[[generators]]").collect();
        generators.reverse();
        let reversed = format!("{head}[[generators]]{}", generators.join("[[generators]]"));
        assert!(result(&text, 1) == result(&reversed, 2));
    }
    agree::<Plane>(2);
    agree::<Space>(3);
}

#[test]
fn one_packing_gives_many_shapes_each_within_its_circle() {
    for shape in
        ["polygon = { sides = 5, radius = 3 }", "polygon = { points = 5, radius = 1 }", "disk = { radius = 7 }"]
    {
        let text = head(2, 0.5, "[0, -9.81]")
            + &format!(
                "[[generators]]\nmaterial = \"stone\"\nshape = {{ {shape} }}\n\
                 deposit = {{ min = [0, 0], max = [1, 2], count = 100, radius = {{ uniform = [0.03, 0.05] }} }}\n"
            );
        let simulation = read::<Plane>(&text);
        let plain = text.replace(&format!("shape = {{ {shape} }}\n"), "");
        let balls = read::<Plane>(&plain);
        for (body, ball) in simulation.bodies.by_id().iter().zip(balls.bodies.by_id()) {
            assert_eq!(body.position, ball.position);
            let reach = simulation.model.shape(body).reach() * body.size;
            assert!((reach / ball.size - 1.0).abs() < 1e-12);
        }
        let turns: Vec<f64> =
            simulation.bodies.by_id().iter().map(|s| s.orientation.rotate(Vector::axis(0)).x).collect();
        assert!(shape.starts_with("disk") || turns.iter().any(|&x| x < -0.5) && turns.iter().any(|&x| x > 0.5));
    }
}

#[test]
fn interlocking_stars_in_a_drum_do_not_sink_into_each_other() {
    let drum = std::fs::read_to_string("scenes/drum.toml").unwrap();
    let text = drum.replace("sides = 5,", "points = 5, inner = 0.5,");
    assert!(text != drum);
    let mut simulation = read::<Plane>(&text);
    let (mut deepest, mut of_radius) = (0.0f64, 0.0f64);
    for _ in 0..1000 {
        let report = simulation.step().unwrap();
        assert_eq!(report.totals.ambiguous, 0, "step {}", report.step);
        deepest = deepest.max(report.totals.max_penetration);
        let (domain, bodies) = (simulation.domain(), &simulation.bodies);
        let contacts = domain.subdomains().iter().flat_map(|s| domain.contacts(s, bodies));
        of_radius = contacts.map(|c| -c.detected.gap / 0.04).fold(of_radius, f64::max);
    }
    println!("deepest {deepest:.1e} of a part, {of_radius:.1e} of a star");
    assert!(deepest < 0.05 && of_radius < 0.01, "{deepest} of a part, {of_radius} of a star");
}

/// A stone with hollows, as OBJ: a sphere of rings and sectors with an undulating radius.
fn stone() -> String {
    const RINGS: usize = 7;
    const SECTORS: usize = 12;
    let mut text = String::new();
    let mut put = |polar: f64, azimuth: f64| {
        let [x, y, z] = [polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos()];
        let radius = 1.0 + 0.15 * (4.0 * x + 1.0).sin() + 0.15 * (5.0 * y - 2.0 * z).sin() + 0.15 * (4.0 * z + x).cos();
        text += &format!("v {} {} {}\n", radius * x, radius * y, radius * z);
    };
    for k in 0..RINGS * SECTORS {
        let polar = std::f64::consts::PI * (k / SECTORS + 1) as f64 / (RINGS + 1) as f64;
        put(polar, std::f64::consts::TAU * (k % SECTORS) as f64 / SECTORS as f64);
    }
    put(0.0, 0.0);
    put(std::f64::consts::PI, 0.0);
    let at = |ring: usize, sector: usize| ring * SECTORS + sector % SECTORS + 1;
    let (top, bottom) = (RINGS * SECTORS + 1, RINGS * SECTORS + 2);
    for s in 0..SECTORS {
        text += &format!("f {top} {} {}\n", at(0, s), at(0, s + 1));
        text += &format!("f {bottom} {} {}\n", at(RINGS - 1, s + 1), at(RINGS - 1, s));
        for r in 0..RINGS - 1 {
            text += &format!("f {} {} {}\n", at(r, s), at(r + 1, s), at(r + 1, s + 1));
            text += &format!("f {} {} {}\n", at(r, s), at(r + 1, s + 1), at(r, s + 1));
        }
    }
    text
}

#[test]
fn stones_cut_into_eight_parts_fall_on_each_other_without_deep_overlaps_or_contacts_of_unknown_side() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("stone.obj"), stone()).unwrap();
    let mut text = head(3, 0.5, "[0, 0, -9.81]") + FLOOR;
    for (id, normal, position) in [
        (1, [1, 0, 0], [0.0, 0.0]),
        (2, [-1, 0, 0], [0.3, 0.0]),
        (3, [0, 1, 0], [0.0, 0.0]),
        (4, [0, -1, 0], [0.0, 0.3]),
    ] {
        let [x, y] = position;
        text += &format!(
            "[[bodies]]\nid = {id}\nmaterial = \"stone\"\nplane = {{ normal = {normal:?} }}\nposition = [{x}, {y}, 0]\nfixed = true\n"
        );
    }
    text += "[[generators]]\nmaterial = \"stone\"\nfirst_id = 10\n\
             shape = { polyhedron = { file = \"stone.obj\", parts = 8 } }\n\
             deposit = { min = [0, 0, 0], max = [0.3, 0.3, 2], count = 16, radius = { uniform = [0.05, 0.06] } }\n";
    let scene = Scene::parse(&text, "stones.toml", folder.path(), &[]).unwrap();
    let mut simulation = simulate::<Space>(&scene);
    let (mut deepest, mut ambiguous) = (0.0f64, 0);
    for _ in 0..300 {
        let totals = simulation.step().unwrap().totals;
        deepest = deepest.max(totals.max_penetration);
        ambiguous += totals.ambiguous;
    }
    assert!(deepest < 0.1, "{deepest} of a radius");
    assert_eq!(ambiguous, 0);
}
