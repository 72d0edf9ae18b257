//! Each law satisfies its equation, in two and three dimensions.

use std::path::Path;

use crate::support::{GRAVITY, World, flat, reaction, run, simulate};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::{Bilateral, Coulomb, Frictionless, Restitution};
use nscdd::scene::Scene;

fn hangs<X: Dim>(subdomains: u32) {
    let mut world = World::<X>::new(1e-3).law(Bilateral {}).subdomains(subdomains);
    let ceiling = world.plane(X::Vector::zero(), -X::Vector::axis(X::D - 1));
    let upper = world.ball(X::Vector::axis(X::D - 1) * -0.1, 0.1);
    let lower = world.ball(X::Vector::axis(X::D - 1) * -0.25, 0.05);
    let mut simulation = world.build();
    run(&mut simulation, 0.5);
    let weight = [upper, lower].map(|id| simulation.bodies.find(id).unwrap().mass * GRAVITY * 1e-3);
    for (id, height) in [(upper, -0.1), (lower, -0.25)] {
        let body = simulation.bodies.find(id).unwrap();
        assert!((body.position[X::D - 1] - height).abs() < 1e-9, "body {id} fell to {}", body.position[X::D - 1]);
    }
    let pull = reaction(&simulation, ceiling)[X::D - 1];
    assert!((pull / -(weight[0] + weight[1]) - 1.0).abs() < 1e-9, "the ceiling is pulled by {pull}");
}

#[test]
fn bodies_under_a_bilateral_law_hang_from_the_ceiling_and_pull_with_their_weight() {
    for subdomains in [1, 8] {
        hangs::<Plane>(subdomains);
        hangs::<Space>(subdomains);
    }
}

fn slides_without_turning<X: Dim>() {
    let slope: f64 = 0.3;
    let mut world = World::<X>::new(1e-3).tilted(slope).law(Frictionless {});
    world.floor();
    let ball = world.ball(X::Vector::axis(X::D - 1) * 0.1, 0.1);
    let mut simulation = world.build();
    run(&mut simulation, 0.5);
    let body = simulation.bodies.find(ball).unwrap();
    assert!((body.velocity[0] / (GRAVITY * slope.sin() * 0.5) - 1.0).abs() < 1e-9);
    assert_eq!(body.spin.norm(), 0.0);
}

#[test]
fn without_friction_a_ball_slides_down_a_slope_without_turning() {
    slides_without_turning::<Plane>();
    slides_without_turning::<Space>();
}

fn lands<X: Dim>(gap: f64) -> f64 {
    let mut world = World::<X>::new(1e-2).law(Coulomb { friction: 0.5, rolling: 0.0 });
    world.floor();
    let ball = world.ball(X::Vector::axis(X::D - 1) * (0.1 + gap), 0.1);
    world.state(ball).velocity = flat::<X>(0.0, -3.0);
    let mut simulation = world.build();
    run(&mut simulation, 0.2);
    simulation.bodies.find(ball).unwrap().position[X::D - 1] - 0.1
}

#[test]
fn an_inelastic_contact_closes_a_gap_exactly_however_long_the_step() {
    // The first mid-step is h/2 times 3 m/s ahead: smaller gaps would start with an overlap, which no law removes.
    for gap in [0.015, 0.02, 0.0379, 0.11] {
        for height in [lands::<Plane>(gap), lands::<Space>(gap)] {
            assert!(height.abs() < 1e-12, "gap {gap}: rests at {height}");
        }
    }
}

#[test]
fn a_restitution_of_zero_is_a_dead_impact() {
    let mut world = World::<Space>::new(1e-3).weightless().law(Restitution {
        normal: 0.0,
        tangent: 0.0,
        friction: 0.0,
        rolling: 0.0,
        stiffness: 1.0,
    });
    world.floor();
    let ball = world.ball(flat::<Space>(0.0, 0.1001), 0.1);
    world.state(ball).velocity = flat::<Space>(1.0, -1.0);
    let mut simulation = world.build();
    run(&mut simulation, 0.01);
    let body = simulation.bodies.find(ball).unwrap();
    assert!((body.velocity - flat::<Space>(1.0, 0.0)).norm() < 1e-14, "{:?}", body.velocity);
}

/// Two balls of materials that do not meet fly through each other and through a wall that the first overlaps at the
/// start; a third one, of another material, meets the second and moves on with it.
fn passes_through<X: Dim>(subdomains: u32) {
    let zero = vec!["0"; X::D - 1].join(", ");
    let (ball, extent) = if X::HAS_DEPTH { ("sphere", "[0.2, 1, 1]") } else { ("disk", "[0.2, 1]") };
    let body = |material: &str, x: f64, velocity: f64| {
        format!(
            "[[bodies]]\nmaterial = \"{material}\"\n{ball}.radius = 0.1\nposition = [{x:?}, {zero}]\n\
             velocity = [{velocity:?}, {zero}]\n"
        )
    };
    let text = format!(
        "world = {{ dimension = {}, gravity = [0, {zero}] }}\ntime = {{ step = 1e-2, end = 99 }}\n\
         domain.subdomains = {subdomains}\n\
         materials = {{ a.density = 1000, b.density = 1000, c.density = 1000 }}\n\
         [[laws]]\nbetween = [\"*\", \"*\"]\nnone = {{}}\n\
         [[laws]]\nbetween = [\"b\", \"c\"]\ncoulomb = {{ friction = 0 }}\n\
         [[bodies]]\nmaterial = \"a\"\nbox.size = {extent}\nposition = [0, {zero}]\nfixed = true\n{}{}{}",
        X::D,
        body("a", 0.05, 1.0),
        body("b", 1.0, -1.0),
        body("c", 2.0, -2.5),
    );
    let mut simulation = simulate::<X>(&Scene::parse(&text, "through", Path::new(""), &[]).unwrap());
    assert!(simulation.model.laws.are_cones(), "a law that does not act does not keep the solver from accelerating");
    for step in 0..150 {
        simulation.step().unwrap();
        let ids: Vec<_> = simulation.history.iter().map(|record| [record.id.a.0, record.id.b.0]).collect();
        assert!(ids.iter().all(|ids| *ids == [2, 3]), "step {step}: contacts of {ids:?}");
    }
    let [first, second, third] = [1, 2, 3].map(|id| *simulation.bodies.find(id).unwrap());
    assert!(first.velocity[0] == 1.0 && (first.position[0] - 1.55).abs() < 1e-12, "{:?}", first.position);
    // Equal masses and a plastic impact of two balls.
    assert!((second.velocity[0] + 1.75).abs() < 1e-12 && (third.velocity[0] + 1.75).abs() < 1e-12);
}

#[test]
fn bodies_of_materials_with_the_law_none_pass_through_each_other() {
    for subdomains in [1, 8] {
        passes_through::<Plane>(subdomains);
        passes_through::<Space>(subdomains);
    }
}
