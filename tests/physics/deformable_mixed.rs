//! Deformable bodies in contact with rigid ones of every shape.

use std::path::Path;

use crate::support::{GRAVITY, reaction, simulate};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

/// A scene of rubber and stone with the bodies of `text`.
fn scene<X: Dim>(step: f64, gravity: f64, text: &str) -> Simulation<X> {
    let gravity = if X::HAS_DEPTH { format!("[0, 0, {gravity:?}]") } else { format!("[0, {gravity:?}]") };
    let head = format!(
        "world = {{ dimension = {}, gravity = {gravity} }}\ntime = {{ step = {step:?}, end = 99 }}\n\
         materials.rubber = {{ density = 1000, elastic = {{ young = 2e6, poisson = 0.3, damping = 2e-3 }} }}\n\
         materials.stone = {{ density = 2000 }}\n[[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = {{ friction = 0.5 }}\n\
         [solver]\ntolerance = 1e-6\nvelocity_error = 1e-3\nmax_sweeps = 20000\n",
        X::D
    );
    simulate(&Scene::parse(&(head + text), "mixed", Path::new(""), &[]).unwrap())
}

/// A rigid body falls from 2 mm onto a rubber block on a plane and comes to rest there: plane and body bear the
/// weights.
fn rests<X: Dim>(name: &str, shape: &str, height: f64) {
    let (up, extent, aside) = match X::HAS_DEPTH {
        true => ("[0, 0, 1]", "[0.4, 0.4, 0.1]", "0.013, 0.007"),
        false => ("[0, 1]", "[0.4, 0.1]", "0.013"),
    };
    let at = |height: f64| format!("[{aside}, {height:?}]");
    let text = format!(
        "[[bodies]]\nmaterial = \"stone\"\nplane.normal = {up}\nposition = {}\nfixed = true\n\
         [[bodies]]\nmaterial = \"rubber\"\nbox.size = {extent}\nposition = {}\nmesh.size = 0.05\n\
         [[bodies]]\nmaterial = \"stone\"\n{shape}\nposition = {}\n",
        at(0.0),
        at(0.05),
        at(0.1 + height + 0.002)
    );
    let mut simulation = scene::<X>(1e-3, -GRAVITY, &text);
    let h = simulation.step_length();
    let mut loads = [0.0; 2];
    for step in 0..1200 {
        let certificate = simulation.step().unwrap().certificate;
        assert!(certificate.residual < 1e-5, "{name}, step {step}: {certificate:?}");
        if step >= 1000 {
            for (load, id) in loads.iter_mut().zip([0, 2]) {
                *load += reaction(&simulation, id)[X::D - 1] / (200.0 * h);
            }
        }
    }
    let [block, body] = [1, 2].map(|id| *simulation.bodies.find(id).unwrap());
    let weight = body.mass * GRAVITY;
    let whole = weight + block.mass * GRAVITY;
    assert!((loads[0] / whole + 1.0).abs() < 1e-3, "{name}: the plane bears {} of {whole} N", loads[0]);
    assert!((loads[1] / weight - 1.0).abs() < 1e-3, "{name}: {} of {weight} N", loads[1]);
    // A cylinder on its side is in unstable equilibrium on a line of nodes: rounding grows by e in a tenth of a second,
    // until it rolls from side to side between lines.
    let rolls = name.contains("side");
    let (falls, moves) = (body.velocity[X::D - 1].abs(), body.velocity.norm());
    assert!(falls < 1e-3 && moves < if rolls { 0.1 } else { 1e-3 }, "{name}: {:?}, {:?}", body.velocity, body.spin);
}

#[test]
fn rigid_bodies_of_every_shape_come_to_rest_on_a_deformable_block_in_the_plane() {
    rests::<Plane>("disk", "disk.radius = 0.05", 0.05);
    rests::<Plane>("box", "box.size = [0.12, 0.1]", 0.05);
    rests::<Plane>("polygon", "polygon.vertices = [[-0.06, -0.05], [0.06, -0.05], [0.03, 0.05], [-0.03, 0.05]]", 0.055);
    rests::<Plane>("capsule", "capsule = { radius = 0.05, length = 0.2 }", 0.05);
    let parts = "[{ box.size = [0.2, 0.04], position = [0, 0] }, { disk.radius = 0.03, position = [0, 0.04] }]";
    rests::<Plane>("compound", &format!("compound = {parts}"), 0.05);
}

const LYING: &str = "orientation = { axis = [1, 0, 0], angle = 1.5707963267948966 }";

#[test]
fn rigid_spheres_and_capsules_come_to_rest_on_a_deformable_block_in_space() {
    rests::<Space>("sphere", "sphere.radius = 0.05", 0.05);
    rests::<Space>("capsule", &format!("capsule = {{ radius = 0.05, length = 0.2 }}\n{LYING}"), 0.05);
}

#[test]
fn rigid_cylinders_come_to_rest_on_a_deformable_block_in_space() {
    rests::<Space>("cylinder on its cap", "cylinder = { radius = 0.06, length = 0.1 }", 0.05);
    rests::<Space>("cylinder on its side", &format!("cylinder = {{ radius = 0.05, length = 0.2 }}\n{LYING}"), 0.05);
}

#[test]
fn rigid_polyhedra_and_compounds_come_to_rest_on_a_deformable_block_in_space() {
    rests::<Space>("box", "box.size = [0.12, 0.12, 0.1]", 0.05);
    let corners = "[[-0.06, -0.06, -0.05], [0.06, -0.06, -0.05], [0, 0.08, -0.05], [0, 0, 0.09]]";
    rests::<Space>("polyhedron", &format!("polyhedron.vertices = {corners}"), 0.06);
    let parts =
        "[{ box.size = [0.2, 0.1, 0.04], position = [0, 0, 0] }, { sphere.radius = 0.03, position = [0, 0, 0.04] }]";
    rests::<Space>("compound", &format!("compound = {parts}"), 0.05);
}

/// A rigid ball of this density flies at a free rubber block and leaves it; the energy never grows. Returns the mass of
/// the ball over that of the block and the velocities of both after the impact over that of the ball before.
fn strikes<X: Dim>(density: f64) -> [f64; 3] {
    let (ball, list) = if X::HAS_DEPTH { ("sphere", 3) } else { ("disk", 2) };
    let [extent, zero, place, velocity] =
        [[0.2; 3], [0.0; 3], [0.151, 0.0, 0.0], [-0.1, 0.0, 0.0]].map(|v| format!("{:?}", &v[..list]));
    let text = format!(
        "world = {{ dimension = {}, gravity = {zero} }}\ntime = {{ step = 1e-4, end = 99 }}\n\
         materials.rubber = {{ density = 1000, elastic = {{ young = 2e6, poisson = 0.3, damping = 0 }} }}\n\
         materials.ball = {{ density = {density:?} }}\n[[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = {{ friction = 0.5 }}\n\
         [solver]\ntolerance = 1e-6\nvelocity_error = 1e-3\nmax_sweeps = 20000\n\
         [[bodies]]\nmaterial = \"rubber\"\nbox.size = {extent}\nposition = {zero}\nmesh.size = 0.05\n\
         [[bodies]]\nmaterial = \"ball\"\n{ball}.radius = 0.05\nposition = {place}\nvelocity = {velocity}\n",
        X::D
    );
    let mut simulation: Simulation<X> = simulate(&Scene::parse(&text, "strike", Path::new(""), &[]).unwrap());
    let (mut last, mut struck) = (f64::INFINITY, 0);
    for step in 0..1000 {
        let report = simulation.step().unwrap();
        let energy = report.energy.kinetic + report.energy.transfers.stored;
        assert!(energy < last * (1.0 + 1e-9), "step {step}: {energy} J after {last} J");
        assert!(report.certificate.residual < 1e-5, "step {step}: {:?}", report.certificate);
        last = energy;
        struck += u32::from(report.totals.carrying > 0);
    }
    assert!(struck > 5, "{struck} steps in contact");
    let [block, ball] = [0, 1].map(|id| simulation.bodies.find(id).unwrap());
    [ball.mass / block.mass, block.velocity[0] / -0.1, ball.velocity[0] / -0.1]
}

#[test]
fn a_ball_far_heavier_or_lighter_than_a_deformable_block_gains_no_energy_at_the_impact() {
    let heavy = [strikes::<Plane>(5e9), strikes::<Space>(1.6e10)];
    for [ratio, block, ball] in heavy {
        // The ball goes on; the block is thrown ahead, by at most twice the speed.
        assert!(ratio > 9e5 && (ball - 1.0).abs() < 1e-4 && (1.5..2.0).contains(&block), "{heavy:?}");
    }
    let light = [strikes::<Plane>(5e-3), strikes::<Space>(1.6e-2)];
    for [ratio, block, ball] in light {
        // The contact time of the light ball is far below the step, so that it sticks to the wave of the surface.
        assert!(ratio < 1.1e-6 && block > 0.0 && block < 2.0 * ratio && ball.abs() < 1.0, "{light:?}");
    }
}

/// Turns plane vectors.
fn turned([x, y]: [f64; 2], angle: f64) -> [f64; 2] {
    let (sine, cosine) = angle.sin_cos();
    [cosine * x - sine * y, sine * x + cosine * y]
}

/// Positions and velocities after an impact of a rigid disk on a rubber block on a plane, all turned by `angle`; bodies
/// in the order of `ids`.
fn struck(angle: f64, ids: [u64; 3]) -> Vec<[f64; 2]> {
    let list = |v: [f64; 2]| format!("{:?}", turned(v, angle));
    let mut bodies = [
        format!("material = \"stone\"\nplane.normal = {}\nposition = [0, 0]\nfixed = true\n", list([0.0, 1.0])),
        format!(
            "material = \"rubber\"\nbox.size = [0.4, 0.1]\nposition = {}\norientation = {angle:?}\nmesh.size = 0.05\n",
            list([0.0, 0.05])
        ),
        format!(
            "material = \"stone\"\ndisk.radius = 0.05\nposition = {}\nvelocity = {}\n",
            list([0.03, 0.152]),
            list([0.3, -0.5])
        ),
    ]
    .into_iter()
    .zip(ids)
    .map(|(body, id)| (id, format!("[[bodies]]\nid = {id}\n{body}")))
    .collect::<Vec<_>>();
    bodies.sort();
    let text = format!(
        "world = {{ dimension = 2, gravity = {} }}\ntime = {{ step = 1e-3, end = 99 }}\n\
         materials.rubber = {{ density = 1000, elastic = {{ young = 2e6, poisson = 0.3, damping = 1e-4 }} }}\n\
         materials.stone = {{ density = 2000 }}\n[[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = {{ friction = 0.5 }}\n\
         [solver]\ntolerance = 1e-12\nvelocity_error = 1e-9\nmax_sweeps = 100000\n{}",
        list([0.0, -GRAVITY]),
        bodies.into_iter().map(|(_, text)| text).collect::<String>()
    );
    let mut simulation: Simulation<Plane> = simulate(&Scene::parse(&text, "struck", Path::new(""), &[]).unwrap());
    for _ in 0..100 {
        simulation.step().unwrap();
    }
    let states = [1, 2].map(|k| *simulation.bodies.find(ids[k]).unwrap());
    states.iter().flat_map(|s| [s.position, s.velocity]).map(|v| turned([v.x, v.y], -angle)).collect()
}

#[test]
fn an_impact_on_a_deformable_block_is_the_same_in_turned_axes_and_in_another_order_of_bodies() {
    let first = struck(0.0, [0, 1, 2]);
    for (angle, ids) in [(37f64.to_radians(), [0, 1, 2]), (0.0, [2, 1, 0]), (0.0, [1, 2, 0]), (-2.0, [0, 2, 1])] {
        let other = struck(angle, ids);
        let off = first.iter().zip(&other).flat_map(|(a, b)| [(a[0] - b[0]).abs(), (a[1] - b[1]).abs()]);
        let off = off.fold(0.0, f64::max);
        assert!(off < 1e-9, "turned by {angle}, order {ids:?}: {off:e}");
    }
}

/// A rubber block on this support: it moves up with `velocity` and is carried by its weight.
fn carried<X: Dim>(support: &str, block: &str, velocity: f64) {
    let text = format!("[[bodies]]\nmaterial = \"stone\"\n{support}\n[[bodies]]\nmaterial = \"rubber\"\n{block}\n");
    let mut simulation = scene::<X>(1e-3, -GRAVITY, &text);
    let mut load = X::Vector::zero();
    for step in 0..1200 {
        simulation.step().unwrap();
        if step >= 1000 {
            load += reaction(&simulation, 1) * (1.0 / (200.0 * simulation.step_length()));
        }
    }
    let block = simulation.bodies.find(1).unwrap();
    let up = X::Vector::axis(X::D - 1);
    let weight = up * (block.mass * GRAVITY);
    assert!((load - weight).norm() < 1e-3 * weight.norm(), "{load:?} of {weight:?} N");
    assert!((block.velocity - up * velocity).norm() < 1e-4, "{:?}", block.velocity);
}

#[test]
fn deformable_blocks_come_to_rest_in_a_drum_and_are_lifted_by_a_moving_plane() {
    let block = |position: &str| format!("box.size = [0.4, 0.1]\nposition = {position}\nmesh.size = 0.05");
    carried::<Plane>("drum.radius = 1\nposition = [0, 0]\nfixed = true", &block("[0.001, -0.92]"), 0.0);
    let rises = "driven = { hold = true, velocity.y = 0.1 }";
    carried::<Plane>(&format!("plane.normal = [0, 1]\nposition = [0, 0]\n{rises}"), &block("[0, 0.052]"), 0.1);
}

#[test]
fn deformable_blocks_come_to_rest_in_a_drum_in_space_also_beside_its_lowest_line() {
    let drum = "drum = { radius = 1, axis = [0, 1, 0] }\nposition = [0, 0, 0]\nfixed = true";
    carried::<Space>(drum, "box.size = [0.4, 0.2, 0.1]\nposition = [0.001, 0, -0.92]\nmesh.size = 0.1", 0.0);
    // Held by friction beside the lowest line of the drum.
    let tilted = "orientation = { axis = [0, 1, 0], angle = -0.1 }";
    let block = format!("box.size = [0.2, 0.4, 0.1]\nposition = [0.0939, 0, -0.9353]\n{tilted}\nmesh.size = 0.1");
    carried::<Space>(drum, &block, 0.0);
}

#[test]
fn deformable_bodies_come_to_rest_on_either_side_of_a_straight_wall_and_on_its_ends() {
    // The wall has no thickness; it is given from either end, longer or shorter than the block, and upside down.
    for [from, to] in [[-1.0, 1.0], [1.0, -1.0], [-0.055, 0.06], [0.06, -0.055]] {
        for (shape, side) in
            [("disk.radius = 0.05", 1.0), ("box.size = [0.4, 0.1]", 1.0), ("box.size = [0.4, 0.1]", -1.0)]
        {
            let text = format!(
                "[[bodies]]\nmaterial = \"stone\"\nsegment = {{ from = [{from:?}, 0], to = [{to:?}, 0] }}\nfixed = true\n\
                 [[bodies]]\nmaterial = \"rubber\"\n{shape}\nposition = [0, {:?}]\nmesh.size = 0.05\n",
                0.051 * side
            );
            let mut simulation = scene::<Plane>(1e-3, -GRAVITY * side, &text);
            let h = simulation.step_length();
            let mut load = 0.0;
            for step in 0..1000 {
                simulation.step().unwrap();
                if step >= 800 {
                    load += reaction(&simulation, 0)[1] / (200.0 * h);
                }
            }
            let body = *simulation.bodies.find(1).unwrap();
            let weight = body.mass * GRAVITY * side;
            assert!((load / weight + 1.0).abs() < 2e-3, "{shape} on {from}, {side}: {load} of {weight} N");
            // The disk is a polygon of few sides.
            assert!((0.043..0.051).contains(&(body.position[1] * side)), "{shape}: {:?}", body.position);
        }
    }
}
