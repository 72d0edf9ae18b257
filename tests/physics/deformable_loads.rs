//! Forces, pressures and prescribed velocities of groups of nodes, from scenes.

use std::path::Path;

use crate::support::simulate;
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::measure::measures;
use nscdd::scene::{BoxBounds, MeasureEntry, NodesMeasure, Scene, StressMeasure};
use nscdd::simulation::Simulation;

const HEAD: &str = "materials.stuff = { density = 1000, elastic = { young = 1e6, poisson = 0.3 } }\n\
    [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = { friction = 0.4 }\n[solver]\ntolerance = 1e-8\nvelocity_error = 1e-4\n\
    max_sweeps = 20000\n";

fn scene<X: Dim>(time: &str, gravity: &str, bodies: &str) -> Simulation<X> {
    let head = format!("world = {{ dimension = {}, gravity = {gravity} }}\ntime = {time}\n{HEAD}", X::D);
    simulate(&Scene::parse(&format!("{head}{bodies}"), "test", Path::new(""), &[]).unwrap())
}

/// Mean displacement of the nodes of body 0 whose undeformed first coordinate is at least `from`.
fn mean_displacement<X: Dim>(simulation: &Simulation<X>, from: f64) -> X::Vector {
    let mesh = simulation.model.shape(&simulation.bodies.states()[0]).as_meshed().unwrap();
    let nodes = mesh.mesh.nodes.iter().zip(simulation.bodies.nodes().of(0));
    let moved: Vec<X::Vector> = nodes.filter(|(x, _)| x[0] >= from).map(|(_, node)| node.displacement).collect();
    moved.iter().fold(X::Vector::zero(), |sum, d| sum + *d) * (1.0 / moved.len() as f64)
}

#[test]
fn a_clamped_beam_in_statics_has_the_deflection_of_its_finite_elements() {
    let scene = Scene::load(Path::new("scenes/cantilever.toml"), &[]).unwrap();
    let mut simulation = simulate::<Plane>(&scene);
    let mut end = None;
    while end.is_none() {
        end = simulation.step().unwrap().ends;
    }
    let mesh = simulation.model.shape(&simulation.bodies.states()[0]).as_meshed().unwrap();
    let nodes = mesh.mesh.nodes.iter().zip(simulation.bodies.nodes().of(0));
    // The displacement that does the work of the load: end nodes of the tip count half.
    let tip: Vec<(f64, f64)> = nodes
        .filter(|(x, _)| x.x > 0.4999)
        .map(|(x, node)| (if x.y.abs() > 0.0499 { 0.5 } else { 1.0 }, node.displacement.y))
        .collect();
    let deflection = tip.iter().map(|(w, y)| w * y).sum::<f64>() / tip.iter().map(|(w, _)| w).sum::<f64>();
    assert!((deflection + 1.90084e-4).abs() < 1e-8, "{deflection}");
    assert!(simulation.clock.step < 20, "{}", simulation.clock.step);
}

/// A free body takes the momentum and the angular momentum of the loads on its nodes, and their work.
fn flies<X: Dim>(shape: &str, loads: &str, force: X::Vector, tolerance: f64) {
    let body = format!("[[bodies]]\nmaterial = \"stuff\"\n{shape}\nposition = {:?}\n{loads}", vec![0.0; X::D]);
    let mut simulation = scene::<X>("{ step = 1e-3, end = 1 }", &format!("{:?}", vec![0.0; X::D]), &body);
    let mass = simulation.bodies.states()[0].mass;
    let mut report = None;
    for _ in 0..200 {
        report = Some(simulation.step().unwrap());
    }
    let report = report.unwrap();
    let momentum = simulation.bodies.states()[0].velocity * mass;
    assert!((momentum - force * 0.2).norm() < 1e-10 * force.norm(), "{momentum:?}");
    let (balance, work) = (report.energy.imbalance, report.energy.transfers.loads);
    assert!(work > 0.0 && balance.abs() < tolerance * work, "{balance} of {work}");
}

#[test]
fn a_free_body_is_accelerated_by_forces_on_its_nodes_and_the_balance_closes() {
    let groups = "groups = { right = { min = [0.1] }, left = { max = [-0.1] } } }";
    let forces = "nodes.right.force = { x = 3, y = 2 }\nnodes.left.force = { x = 1 }";
    flies::<Plane>(
        &format!("box.size = [0.2, 0.1]\nmesh = {{ size = 0.05, {groups}"),
        forces,
        Plane::vector(4.0, 2.0),
        1e-9,
    );
    flies::<Space>(
        &format!("box.size = [0.2, 0.1, 0.1]\nmesh = {{ size = 0.05, {groups}"),
        forces,
        Space::vector(4.0, 2.0),
        1e-9,
    );
}

/// Vectors of the first two components.
trait InPlane: Dim {
    fn vector(x: f64, y: f64) -> Self::Vector {
        Self::Vector::from_fn(|k| {
            if k == 0 {
                x
            } else if k == 1 {
                y
            } else {
                0.0
            }
        })
    }
}

impl<X: Dim> InPlane for X {}

#[test]
fn equal_pressures_on_opposite_ends_compress_a_free_bar_without_moving_it() {
    // Plane stress: strain p/E; the ends come closer by p L/E.
    let body = "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [0.4, 0.1]\nposition = [0, 0]\norientation = 0.3\n\
        mesh = { size = 0.05, plane = \"stress\", groups = { right = { min = [0.2] }, left = { max = [-0.2] } } }\n\
        nodes.right.pressure = 1000\nnodes.left.pressure = 1000\n";
    let mut simulation = scene::<Plane>("{ step = 0.1, theta = 1, end = 9 }", "[0, 0]", body);
    for _ in 0..10 {
        simulation.step().unwrap();
    }
    let shift = mean_displacement(&simulation, 0.1999);
    assert!((shift.x + 1000.0 * 0.2 / 1e6).abs() < 1e-9, "{shift:?}");
    assert!(simulation.bodies.states()[0].velocity.norm() < 1e-12);
}

#[test]
fn a_bar_that_hangs_on_held_nodes_stretches_by_half_its_weight() {
    // rho g L^2/(2 E) at the lower end, with free contraction: plane stress.
    let body = "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [0.1, 1]\nposition = [3, 5]\n\
        mesh = { size = 0.05, plane = \"stress\", groups = { top = { min = [-1, 0.5] }, middle = { min = [0, 0.5], max = [0] } } }\n\
        nodes.top.velocity = { y = 0 }\nnodes.middle.velocity = { x = 0, y = 0 }\n";
    let mut simulation = scene::<Plane>("{ step = 0.5, theta = 1, end = 99 }", "[0, -10]", body);
    let mut report = None;
    for _ in 0..20 {
        report = Some(simulation.step().unwrap());
    }
    let mesh = simulation.model.shape(&simulation.bodies.states()[0]).as_meshed().unwrap();
    let nodes = mesh.mesh.nodes.iter().zip(simulation.bodies.nodes().of(0));
    let lower: Vec<f64> = nodes.filter(|(x, _)| x.y < -0.4999).map(|(_, node)| node.displacement.y).collect();
    assert!(lower.iter().all(|y| (y + 1000.0 * 10.0 / (2.0 * 1e6)).abs() < 1e-5), "{lower:?}");
    let energy = report.unwrap().energy;
    assert!(energy.imbalance.abs() < 1e-10 * energy.transfers.loads, "{energy:?}");
}

#[test]
fn a_body_that_is_pulled_at_both_ends_carries_contacts_and_the_work_of_the_grips_is_booked() {
    // A strip is stretched by 4 % in 0.2 s while a ball falls on it and bounces; held nodes touch the wall behind them.
    let body = "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [1, 0.1]\nposition = [0, 0]\norientation = 3.141592653589793\n\
        mesh = { size = 0.05, groups = { left = { max = [-0.5] }, right = { min = [0.5] } } }\n\
        nodes.left.velocity = { x = 0.1, y = 0 }\nnodes.right.velocity = { x = -0.1, y = 0 }\n\
        [[bodies]]\nmaterial = \"stuff\"\ndisk.radius = 0.05\nposition = [0.02, 0.12]\nvelocity = [0, -2]\n\
        [[bodies]]\nmaterial = \"stuff\"\nbox.size = [0.1, 0.3]\nposition = [0.55, 0]\ndriven = { hold = true, velocity.x = 0.1 }\n";
    let mut simulation = scene::<Plane>("{ step = 1e-4, end = 1 }", "[0, -9.81]", body);
    let (mut report, mut contacts, mut rise) = (None, 0, 0.0f64);
    for _ in 0..2000 {
        let done = simulation.step().unwrap();
        assert!(done.certificate.converged);
        contacts = contacts.max(done.certificate.active);
        rise = rise.max(simulation.bodies.states()[1].velocity[1]);
        report = Some(done);
    }
    let energy = report.unwrap().energy;
    let driven = energy.transfers.driven;
    assert!(driven > 0.0 && energy.imbalance.abs() < 1e-8 * driven, "{energy:?}");
    assert!(contacts > 0 && rise > 0.5, "{contacts} contacts, {rise} m/s");
    // Turned by half a turn, the left end is at the right.
    let mesh = simulation.model.shape(&simulation.bodies.states()[0]).as_meshed().unwrap();
    let nodes = mesh.mesh.nodes.iter().zip(simulation.bodies.nodes().of(0));
    for (x, node) in nodes.filter(|(x, _)| x[0].abs() > 0.4999) {
        assert!((node.displacement[0] - 0.02 * x[0].signum()).abs() < 1e-12, "{x:?} {node:?}");
    }
}

/// Value of a column of a measure of one row.
pub(crate) fn measured<X: Dim>(simulation: &Simulation<X>, entry: MeasureEntry, column: &str) -> f64 {
    let named = measures::<X>(&[entry], simulation.model.has_deformables()).pop().unwrap();
    let rows = named.measure.rows(&simulation.view());
    let names: Vec<String> = named.measure.quantities().iter().map(|quantity| quantity.head()).collect();
    rows[0][names.iter().position(|name| name == column).unwrap_or_else(|| panic!("{column} is not in {names:?}"))]
}

fn stress(region: Option<BoxBounds>) -> MeasureEntry {
    MeasureEntry { stress: Some(StressMeasure { region }), ..MeasureEntry::default() }
}

fn group(name: &str) -> MeasureEntry {
    let nodes = Some(NodesMeasure { bodies: vec![0, 99], group: name.into() });
    MeasureEntry { nodes, ..MeasureEntry::default() }
}

#[test]
fn the_mean_stress_of_elements_is_the_pressure_on_a_bar_in_world_axes_compression_positive() {
    let body = "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [0.4, 0.1]\nposition = [0, 0]\norientation = 0.3\n\
        mesh = { size = 0.05, plane = \"stress\", groups = { right = { min = [0.2] }, left = { max = [-0.2] } } }\n\
        nodes.right.pressure = 1000\nnodes.left.pressure = 1000\n";
    let mut simulation = scene::<Plane>("{ step = 0.1, theta = 1, end = 9 }", "[0, 0]", body);
    (0..10).for_each(|_| _ = simulation.step().unwrap());
    let (sine, cosine) = 0.3f64.sin_cos();
    let right = BoxBounds { min: vec![0.0, -1.0], max: vec![1.0, 1.0] };
    for (region, volume) in [(None, 0.04), (Some(right), 0.02)] {
        let column = |name: &str| measured(&simulation, stress(region.clone()), name);
        let expected = [
            ("element_stress_xx_Pa", 1000.0 * cosine * cosine),
            ("element_stress_xy_Pa", 1000.0 * sine * cosine),
            ("element_stress_yx_Pa", 1000.0 * sine * cosine),
            ("element_stress_yy_Pa", 1000.0 * sine * sine),
        ];
        for (name, expected) in expected {
            assert!((column(name) - expected).abs() < 1e-3, "{name}: {}, {expected} expected", column(name));
        }
        assert!((column("element_volume_m2") - volume).abs() < 1e-12, "{region:?}");
    }
    // Loads without prescribed velocities need no reaction; a body that does not exist has none.
    assert_eq!(measured(&simulation, group("right"), "body_0_reaction_x_N"), 0.0);
    let shift = measured(&simulation, group("right"), "body_0_displacement_x_m");
    assert!((shift + 1000.0 * 0.2 / 1e6 * cosine).abs() < 1e-8, "{shift}");
    assert!(measured(&simulation, group("right"), "body_99_displacement_x_m").is_nan());
}

#[test]
fn the_reaction_of_a_group_is_the_weight_that_hangs_on_it_and_known_after_a_step_only() {
    let body = "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [0.1, 0.1, 1]\nposition = [3, 5, 0]\n\
        mesh = { size = 0.1, groups = { top = { min = [-1, -1, 0.5] }, tip = { max = [1, 1, -0.5] } } }\n\
        nodes.top.velocity = { x = 0, y = 0, z = 0 }\nnodes.tip.force.x = 0.5\n";
    let mut simulation = scene::<Space>("{ step = 0.07, theta = 1, end = 99 }", "[0, 0, -10]", body);
    assert!(measured(&simulation, group("top"), "body_0_reaction_z_N").is_nan());
    (0..800).for_each(|_| _ = simulation.step().unwrap());
    let reaction = |axis: &str| measured(&simulation, group("top"), &format!("body_0_reaction_{axis}_N"));
    assert!((reaction("z") - 1000.0 * 0.01 * 10.0).abs() < 1e-6, "{}", reaction("z"));
    assert!((reaction("x") + 0.5).abs() < 1e-6 && reaction("y").abs() < 1e-6, "{} {}", reaction("x"), reaction("y"));
    assert_eq!(measured(&simulation, group("top"), "body_0_displacement_z_m"), 0.0);
    let sag = measured(&simulation, group("tip"), "body_0_displacement_z_m");
    assert!((sag / -5e-3 - 1.0).abs() < 0.05, "{sag}");
    // Half the weight on average: the elements are in tension.
    let tension = measured(&simulation, stress(None), "element_stress_zz_Pa");
    assert!((tension / -5000.0 - 1.0).abs() < 0.01, "{tension}");
}

#[test]
fn a_pressure_on_a_face_in_space_is_the_force_of_its_area() {
    let body = "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [0.4, 0.1, 0.2]\nposition = [0, 0, 0]\n\
        mesh = { size = 0.1, groups = { right = { min = [0.2] }, left = { max = [-0.2] } } }\n\
        nodes.right.pressure = 1000\nnodes.left.velocity = { x = 0, y = 0, z = 0 }\n";
    let mut simulation = scene::<Space>("{ step = 0.1, theta = 1, end = 9 }", "[0, 0, 0]", body);
    (0..20).for_each(|_| _ = simulation.step().unwrap());
    let reaction = measured(&simulation, group("left"), "body_0_reaction_x_N");
    assert!((reaction - 1000.0 * 0.02).abs() < 1e-6, "{reaction} N");
}

#[test]
fn a_bar_on_an_accelerated_frame_stretches_by_half_of_its_weight_and_inertia_however_far_it_travels() {
    // rho (g + a) L^2/(2 E) at the lower end, in plane stress; the frame rises by 20 m, twenty lengths of the bar.
    let body = "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [0.1, 1]\nposition = [3, 5]\norientation = 3.141592653589793\n\
        mesh = { size = 0.05, plane = \"stress\", groups = { top = { max = [1, -0.5] }, middle = { min = [0, -0.5], max = [0, -0.5] } } }\n\
        nodes.top.velocity = { y = 0 }\nnodes.middle.velocity = { x = 0, y = 0 }\n\
        driven.velocity.y.ramp = { from = 0, to = 20, start = 0, end = 2 }\n";
    let mut simulation = scene::<Plane>("{ step = 0.005, theta = 1, end = 99 }", "[0, -10]", body);
    let mut report = None;
    for _ in 0..400 {
        report = Some(simulation.step().unwrap());
    }
    let state = simulation.bodies.states()[0];
    assert!((state.position[1] - 25.05).abs() < 1e-9 && (state.velocity[1] - 20.0).abs() < 1e-12, "{state:?}");
    let mesh = simulation.model.shape(&state).as_meshed().unwrap();
    let nodes = mesh.mesh.nodes.iter().zip(simulation.bodies.nodes().of(0));
    let lower: Vec<f64> = nodes.filter(|(x, _)| x.y < -0.4999).map(|(_, node)| node.displacement.y).collect();
    assert!(!lower.is_empty() && lower.iter().all(|y| (y + 1000.0 * 20.0 / (2.0 * 1e6)).abs() < 2e-5), "{lower:?}");
    let reaction = measured(&simulation, group("top"), "body_0_reaction_y_N");
    assert!((reaction - 1000.0 * 0.1 * 20.0).abs() < 0.01, "{reaction} N");
    let energy = report.unwrap().energy;
    assert!(energy.imbalance.abs() < 1e-10 * energy.transfers.driven, "{energy:?}");
}

#[test]
fn a_bar_on_a_frame_that_turns_stretches_by_its_centrifugal_force_and_bends_by_its_angular_acceleration() {
    // Clamped in the middle, L = 0.5 to each side. At constant spin w each half stretches by rho w^2 L^3/(3 E), and the
    // weight is carried in every direction. An angular acceleration a is a load rho a x: it bends each half by
    // 11 rho a L^5/(10 E t^2) and shears it by rho a L^3/(3 (5/6) G).
    let (density, young, shear, thickness, half): (f64, f64, f64, f64, f64) = (1000.0, 1e6, 1e6 / 2.6, 0.1, 0.5);
    let run = |spin: &str, gravity: &str, (h, steps): (f64, usize)| {
        let body = format!(
            "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [1, {thickness}]\nposition = [3, 5]\norientation = 0.7\n\
             mesh = {{ size = 0.0125, plane = \"stress\", groups.middle = {{ min = [0], max = [0] }} }}\n\
             nodes.middle.velocity = {{ x = 0, y = 0 }}\ndriven.velocity = {{ r = {spin} }}\n"
        );
        let mut simulation = scene::<Plane>(&format!("{{ step = {h}, theta = 1, end = 99 }}"), gravity, &body);
        let reports: Vec<_> = (0..steps).map(|_| simulation.step().unwrap()).collect();
        let off = reports.iter().map(|report| report.energy.imbalance.abs()).fold(0.0, f64::max);
        let last = &reports[steps - 1].energy;
        assert!(off < 1e-12 && reports[steps - 1].kinetic_energy > 0.1, "{off} J: {last:?}");
        let mesh = simulation.model.shape(&simulation.bodies.states()[0]).as_meshed().unwrap();
        let nodes = mesh.mesh.nodes.iter().zip(simulation.bodies.nodes().of(0));
        let end = nodes.filter(|(x, _)| x.x > half - 1e-9).map(|(_, node)| node.displacement);
        let (sum, count) = end.fold((nalgebra::Vector2::zeros(), 0.0), |(sum, count), d| (sum + d, count + 1.0));
        (sum / count, simulation)
    };
    let (tip, _) = run("2", "[0, 0]", (0.005, 500));
    let stretch = density * 4.0 * half.powi(3) / (3.0 * young);
    assert!((tip.x / stretch - 1.0).abs() < 0.01, "{tip} {stretch}");
    let (_, slow) = run("0.2", "[0, -0.01]", (0.02, 800));
    let reaction = |axis: &str| measured(&slow, group("middle"), &format!("body_0_reaction_{axis}_N"));
    let (x, y, weight) = (reaction("x"), reaction("y"), density * thickness * 0.01);
    assert!((y - weight).abs() < 0.002 * weight && x.abs() < 0.005 * weight, "{x} {y} N");
    let (tip, _) = run("{ points = [[0, 0], [100, 20]] }", "[0, 0]", (0.02, 250));
    let bent = 11.0 * half.powi(5) / (10.0 * young * thickness.powi(2)) + half.powi(3) / (2.5 * shear);
    let expected = -density * 0.2 * bent;
    assert!((tip.y / expected - 1.0).abs() < 0.02, "{tip} {expected}");
}

#[test]
fn a_rubber_blade_on_a_shaft_that_turns_strikes_a_ball_and_the_balance_closes() {
    // The blade of 1 m turns by 2 rad/s about an axis that is none of the world; its tip meets a ball at rest.
    let body = "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [1, 0.1, 0.2]\nposition = [0, 0, 0]\norientation = [0.9, 0.1, 0.3, -0.2]\n\
        mesh = { size = 0.1, groups.shaft = { min = [-0.01], max = [0.01] } }\n\
        nodes.shaft.velocity = { x = 0, y = 0, z = 0 }\n\
        driven.velocity = { rx = 0.5, ry = -0.4, rz = 1.9 }\n";
    let axes = nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(0.9, 0.1, 0.3, -0.2));
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(nalgebra::Vector3::new(0.5, -0.4, 1.9) * 0.3);
    let at = turn * axes * nalgebra::Vector3::new(0.4, 0.0, 0.0);
    let ball =
        format!("[[bodies]]\nmaterial = \"stuff\"\nsphere.radius = 0.05\nposition = [{}, {}, {}]\n", at.x, at.y, at.z);
    let mut simulation = scene::<Space>("{ step = 0.002, end = 99 }", "[0, 0, 0]", &format!("{body}{ball}"));
    let (mut worst, mut touched) = (0.0_f64, 0);
    for _ in 0..250 {
        let report = simulation.step().unwrap();
        worst = worst.max(report.energy.imbalance.abs());
        touched += report.certificate.contacts;
    }
    let [blade, ball] = [0, 1].map(|body| simulation.bodies.states()[body]);
    assert!(touched > 0 && ball.velocity.norm() > 0.5, "{touched} contacts, ball at {} m/s", ball.velocity.norm());
    assert!((blade.spin - nalgebra::Vector3::new(0.5, -0.4, 1.9)).norm() < 1e-15 && blade.velocity.norm() == 0.0);
    assert!(worst < 1e-9, "{worst} J");
}

#[test]
fn nodes_with_a_prescribed_displacement_follow_it_and_carry_the_force_of_the_strain() {
    let run = |time: &str, displacement: &str, steps: usize| {
        let body = format!(
            "[[bodies]]\nmaterial = \"stuff\"\nbox.size = [1, 0.1]\nposition = [3, 5]\n\
             mesh = {{ size = 0.05, plane = \"stress\", groups = {{ left = {{ max = [-0.5] }}, right = {{ min = [0.5] }} }} }}\n\
             nodes.left.velocity = {{ x = 0 }}\nnodes.left.displacement = {{ y = 0 }}\n\
             nodes.right.displacement = {{ x = {displacement} }}\n"
        );
        let mut simulation = scene::<Plane>(time, "[0, 0]", &body);
        let energy = (0..steps).map(|_| simulation.step().unwrap().energy).last().unwrap();
        assert!(energy.imbalance.abs() < 1e-12, "{energy:?}");
        simulation
    };
    // From the first step on, and in a ramp, by implicit steps: the end is where it should be, and EA u/L holds it.
    for displacement in ["0.01", "{ ramp = { from = 0, to = 0.01, start = 0, end = 1 } }"] {
        let simulation = run("{ step = 0.05, theta = 1, end = 99 }", displacement, 400);
        assert!((mean_displacement(&simulation, 0.5)[0] - 0.01).abs() < 1e-15);
        let reaction = measured(&simulation, group("right"), "body_0_reaction_x_N");
        assert!((reaction / (1e6 * 0.1 * 0.01) - 1.0).abs() < 0.01, "{reaction} N");
    }
    // By the midpoint rule, the displacement is that of its signal up to the square of the step.
    let error = |h: f64, steps: usize| {
        let sinusoid = "{ sinusoid = { amplitude = 0.01, omega = 3, phase = -1.5707963267948966 } }";
        let simulation = run(&format!("{{ step = {h}, end = 99 }}"), sinusoid, steps);
        (mean_displacement(&simulation, 0.5)[0] - 0.01 * (3.0 * h * steps as f64).sin()).abs()
    };
    let [coarse, fine] = [error(0.02, 20), error(0.01, 40)];
    assert!(coarse < 1e-5 && (coarse / fine - 4.0).abs() < 0.5, "{coarse:e} {fine:e}");
}
