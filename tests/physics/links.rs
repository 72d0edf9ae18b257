//! Links: wires pull, rods and joints keep their length, springs oscillate correctly.

use nalgebra::Vector3;

use crate::long::or_long;
use crate::support::{GRAVITY, World, bytes, flat, held, reaction, run};
use nscdd::dim::{Dim, Orientation, Plane, Space, Vector};
use nscdd::law::{LinkLaw, Pin, Restitution, Rod, Spring, StaticDynamic, Wire};
use nscdd::simulation::Simulation;
use nscdd::solver::SolverMethod;

const ENDLESS: Wire = Wire { strength: f64::INFINITY };

/// A sphere half a metre below a fixed sphere, on a wire of one metre.
fn slack<X: Dim>(wire: Wire) -> (Simulation<X>, [u64; 2]) {
    let mut world = World::<X>::new(1e-3);
    let nail = world.nail(X::Vector::zero(), 0.05);
    let ball = world.ball(flat::<X>(0.0, -0.5), 0.1);
    world.link([nail, ball], [X::Vector::zero(), flat::<X>(0.0, -0.5)], LinkLaw::Wire(wire)).length = 1.0;
    (world.build(), [nail, ball])
}

fn a_slack_wire_does_nothing<X: Dim>() {
    let (mut simulation, [nail, ball]) = slack::<X>(ENDLESS);
    run(&mut simulation, 0.3);
    let body = *simulation.bodies.find(ball).unwrap();
    let fallen = -0.5 - body.position[X::D - 1];
    assert!((fallen / (0.5 * GRAVITY * 0.09) - 1.0).abs() < 1e-12, "fell by {fallen}");
    assert_eq!(reaction(&simulation, nail).norm(), 0.0);
    run(&mut simulation, 0.2);
    let body = *simulation.bodies.find(ball).unwrap();
    assert!((body.position[X::D - 1] + 1.0).abs() < 1e-12, "hangs at {}", body.position[X::D - 1]);
    let pull = reaction(&simulation, nail)[X::D - 1] / (-body.mass * GRAVITY * 1e-3);
    assert!((pull - 1.0).abs() < 1e-9, "pulls with {pull} times its weight");
}

#[test]
fn a_slack_wire_does_nothing_and_a_taut_one_pulls_with_the_weight() {
    a_slack_wire_does_nothing::<Plane>();
    a_slack_wire_does_nothing::<Space>();
}

fn breaks_once<X: Dim>(share: f64) -> (f64, f64) {
    let mut world = World::<X>::new(1e-3).law(Restitution {
        normal: 1.0,
        tangent: 0.0,
        friction: 0.0,
        rolling: 0.0,
        stiffness: 1.0,
    });
    let nail = world.nail(X::Vector::zero(), 0.05);
    let ball = world.ball(flat::<X>(0.0, -0.5), 0.1);
    world.plane(flat::<X>(0.0, -1.0), X::Vector::axis(X::D - 1));
    let strength = share * world.state(ball).mass * GRAVITY;
    world.link([nail, ball], [X::Vector::zero(), flat::<X>(0.0, -0.5)], LinkLaw::Wire(Wire { strength }));
    let mut simulation = world.build();
    let (mut lowest, mut pulled) = (0.0f64, 0.0f64);
    for step in 0..1000 {
        simulation.step().unwrap();
        lowest = lowest.min(simulation.bodies.find(ball).unwrap().position[X::D - 1]);
        if step > 0 {
            pulled = pulled.max(reaction(&simulation, nail).norm());
        }
    }
    (lowest, pulled)
}

#[test]
fn a_brittle_wire_breaks_at_its_strength_and_never_acts_again() {
    for [strong, weak] in [[1.05, 0.95].map(breaks_once::<Plane>), [1.05, 0.95].map(breaks_once::<Space>)] {
        assert!((strong.0 + 0.5).abs() < 1e-9, "the strong one holds at {}", strong.0);
        // It falls, rebounds to where the wire would be slack, and falls again.
        assert!(weak.0 < -0.85 && weak.1 == 0.0, "down to {}, pulled by {}", weak.0, weak.1);
    }
}

/// Kinetic plus potential energy, J.
fn energy<X: Dim>(simulation: &Simulation<X>) -> f64 {
    let free = simulation.bodies.states().iter().filter(|s| !simulation.model.is_prescribed(s));
    free.map(|s| simulation.model.kinetic_energy(s) + s.mass * GRAVITY * s.position[X::D - 1]).sum()
}

/// Length error and energy error over the height of a pendulum.
fn pendulum<X: Dim>(steps: u32) -> [f64; 2] {
    let mut world = World::<X>::new(2e-4);
    let nail = world.nail(X::Vector::zero(), 0.05);
    let ball = world.ball(flat::<X>(0.8, -0.6), 0.1);
    world.link([nail, ball], [X::Vector::zero(), flat::<X>(0.8, -0.6)], LinkLaw::Rod(Rod {}));
    let mut simulation = world.build();
    let scale = simulation.bodies.find(ball).unwrap().mass * GRAVITY;
    let start = energy(&simulation);
    let mut worst = [0.0f64; 2];
    for _ in 0..steps {
        simulation.step().unwrap();
        let length = simulation.bodies.find(ball).unwrap().position.norm();
        worst[0] = worst[0].max((length - 1.0).abs());
        worst[1] = worst[1].max((energy(&simulation) - start).abs() / scale);
    }
    worst
}

#[test]
fn a_pendulum_keeps_its_length_and_its_energy_to_1e_11_a_step() {
    // Two periods, or ten.
    let steps = or_long(20_000, 100_000);
    let limit = 1e-11 * f64::from(steps);
    for [length, energy] in [pendulum::<Plane>(steps), pendulum::<Space>(steps)] {
        assert!(length < limit, "the length is wrong by {length}");
        assert!(energy < limit, "the energy is wrong by {energy} of the height");
    }
}

/// Five bars joined end to end, hanging from a fixed sphere and deflected; returns the separation of the joints and the
/// change of energy.
fn chain<X: Dim>(steps: u32, join: impl Fn(&mut World<X>, [u64; 2], X::Vector)) -> [f64; 2] {
    let mut world = World::<X>::new(2e-4).tolerance(1e-6, 1e-4);
    world.plan.solver.method = SolverMethod::Accelerated;
    let mut last = world.nail(X::Vector::zero(), 0.01);
    // A deflection small enough that the bars do not collide.
    let down = flat::<X>(0.5f64.sin(), -0.5f64.cos());
    for k in 0..5 {
        let half = X::Vector::from_fn(|axis| if axis == 0 { 0.1 } else { 0.02 });
        let bar = world.cuboid(down * (0.1 + 0.2 * f64::from(k)), half);
        world.state(bar).orientation = X::pointing(down);
        join(&mut world, [last, bar], down * (0.2 * f64::from(k)));
        last = bar;
    }
    let mut simulation = world.build();
    let height = 5.0 * simulation.bodies.find(last).unwrap().mass * GRAVITY;
    let start = energy(&simulation);
    let mut worst = [0.0f64; 2];
    for _ in 0..steps {
        simulation.step().unwrap();
        for link in simulation.model.links.all() {
            let [a, b] = [0, 1].map(|side| {
                let state = simulation.bodies.find(link.bodies[side]).unwrap();
                link.anchor(side, state.position, state.orientation)
            });
            worst[0] = worst[0].max((b - a).norm());
        }
        worst[1] = worst[1].max((energy(&simulation) - start).abs() / height);
    }
    worst
}

/// Steps of a chain: it passes its lowest position, or swings twelve times.
fn chain_steps() -> u32 {
    or_long(5_000, 100_000)
}

/// Checks the results of a chain: the joints may separate by 1e-10 m a step, the energy change by 1e-7 of the height.
fn keeps_together([apart, energy]: [f64; 2]) {
    let steps = f64::from(chain_steps());
    let case = format!("ends {apart} m apart, energy wrong by {energy}");
    assert!(apart < 1e-10 * steps && energy < 1e-7 * steps, "{case}");
}

#[test]
fn ball_joints_of_a_chain_keep_together_to_1e_10_m_a_step() {
    let join = LinkLaw::Pin(Pin { along: true });
    keeps_together(chain::<Plane>(chain_steps(), |world, bodies, at| _ = world.link(bodies, [at; 2], join.clone())));
    keeps_together(chain::<Space>(chain_steps(), |world, bodies, at| _ = world.link(bodies, [at; 2], join.clone())));
}

#[test]
fn hinges_of_a_chain_keep_their_axes_to_1e_10_m_a_step() {
    keeps_together(chain::<Space>(chain_steps(), |world, bodies, at| world.hinge(bodies, at, Vector3::y(), 0.02)));
}

/// A door on a hinge that is pulled across its axis rotates about the axis only.
#[test]
fn a_hinge_turns_about_its_axis_and_no_other() {
    let mut world = World::<Space>::new(1e-3).tolerance(1e-9, 1e-6);
    let post = world.nail(Vector3::zeros(), 0.05);
    let door = world.cuboid(Vector3::x() * 0.5, Vector3::new(0.4, 0.05, 0.8));
    world.hinge([post, door], Vector3::zeros(), Vector3::z(), 0.05);
    world.state(door).spin = Vector3::z() * 2.0;
    world.state(door).velocity = Vector3::y();
    let mut simulation = world.build();
    run(&mut simulation, 1.0);
    let body = simulation.bodies.find(door).unwrap();
    assert!((body.spin - Vector3::z() * 2.0).norm() < 1e-4, "{:?}", body.spin);
    let up = body.orientation.rotate(Vector3::z());
    assert!((up.z - 1.0).abs() < 1e-6 && body.position.z.abs() < 1e-5, "{up:?} {:?}", body.position);
}

/// Two spheres on a spring without gravity: distance over time against the damped oscillator.
fn oscillator<X: Dim>(damping: f64) {
    let mut world = World::<X>::new(1e-3).weightless();
    let a = world.ball(X::Vector::zero(), 0.1);
    let b = world.ball(X::Vector::axis(0), 0.1);
    let mass = 0.5 * world.state(a).mass;
    let omega = 2.0 * std::f64::consts::PI;
    let law = Spring { stiffness: mass * omega * omega, viscosity: 2.0 * damping * mass * omega };
    world.link([a, b], [X::Vector::zero(), X::Vector::axis(0)], LinkLaw::Spring(law)).length = 0.8;
    let mut simulation = world.build();
    let (decay, turning) = (damping * omega, omega * (1.0 - damping * damping).sqrt());
    for step in 1..=3000 {
        simulation.step().unwrap();
        let t = f64::from(step) * 1e-3;
        let at = |id| simulation.bodies.find(id).unwrap().position;
        let found = (at(b) - at(a)).norm() - 0.8;
        let sine = decay / turning * (turning * t).sin();
        let expected = 0.2 * (-decay * t).exp() * ((turning * t).cos() + sine);
        assert!((found - expected).abs() < 1e-4 * 0.2, "at {t} s {found} instead of {expected}");
    }
}

#[test]
fn a_spring_with_a_dashpot_swings_as_the_damped_oscillator() {
    for damping in [0.0, 0.05, 0.5] {
        oscillator::<Plane>(damping);
        oscillator::<Space>(damping);
    }
}

/// Sixteen spheres on rods between two fixed spheres, with wires and springs to a third; a loose sphere falls on them.
fn bridge<X: Dim>(subdomains: u32) -> World<X> {
    let mut world = World::<X>::new(1e-3).subdomains(subdomains).tolerance(1e-9, 1e-6);
    world.plan.solver.method = SolverMethod::Accelerated;
    let place = |k: u32| flat::<X>(0.25 * f64::from(k), 0.02 * f64::from(k % 3));
    let mut all = vec![world.nail(place(0), 0.05)];
    all.extend((1..16).map(|k| world.ball(place(k), 0.05)));
    all.push(world.nail(place(16), 0.05));
    for k in 0..16u32 {
        let pair = [all[k as usize], all[k as usize + 1]];
        world.link(pair, [place(k), place(k + 1)], LinkLaw::Rod(Rod {}));
    }
    let tower = world.nail(flat::<X>(2.0, 2.0), 0.05);
    for k in [4, 12] {
        world.link([all[k], tower], [place(k as u32), flat::<X>(2.0, 2.0)], LinkLaw::Wire(Wire { strength: 900.0 }));
    }
    let law = Spring { stiffness: 1e4, viscosity: 10.0 };
    world.link([all[8], tower], [place(8), flat::<X>(2.0, 2.0)], LinkLaw::Spring(law));
    world.ball(flat::<X>(1.6, 0.3), 0.1);
    world
}

fn same_from_one_and_eight<X: Dim>() {
    let result = |subdomains| {
        let mut simulation = bridge::<X>(subdomains).build();
        run(&mut simulation, 0.3);
        simulation
    };
    let [one, eight] = [1, 8].map(result);
    for (a, b) in one.bodies.by_id().iter().zip(eight.bodies.by_id()) {
        assert!((a.position - b.position).norm() < 1e-6, "{:?} and {:?}", a.position, b.position);
    }
}

#[test]
fn a_bridge_of_links_is_the_same_from_one_and_from_eight_subdomains() {
    same_from_one_and_eight::<Plane>();
    same_from_one_and_eight::<Space>();
}

#[test]
fn links_give_the_same_bits_on_one_and_on_three_threads() {
    let result = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = bridge::<Space>(8).tolerance(1e-3, 0.3).build();
            run(&mut simulation, 0.3);
            bytes(&simulation)
        })
    };
    assert!(result(1) == result(3));
}

/// A block on the floor pulled by a spring whose other end moves at constant speed: times at which it starts to slide.
fn jerks<X: Dim>(stiffness: f64, speed: f64, rest: f64, motion: f64) -> (f64, Vec<f64>) {
    let law = StaticDynamic { at_rest: rest, in_motion: motion, velocity: 0.0 };
    let mut world = World::<X>::new(2e-4).law(law);
    world.floor();
    let half = X::Vector::from_fn(|k| if k == X::D - 1 { 0.05 } else { 0.2 });
    let block = world.cuboid(flat::<X>(0.0, 0.05), half);
    let hand = world.nail(flat::<X>(1.0, 0.05), 0.02);
    let mut controls = vec![held(0.0); X::D + X::R];
    controls[0] = held(speed);
    world.driven(hand, controls, false);
    let spring = LinkLaw::Spring(Spring { stiffness, viscosity: 0.0 });
    world.link([block, hand], [flat::<X>(0.0, 0.05), flat::<X>(1.0, 0.05)], spring);
    let mass = world.state(block).mass;
    let mut simulation = world.build();
    let (mut times, mut slides) = (Vec::new(), false);
    while times.len() < 6 && simulation.clock.time < 20.0 {
        simulation.step().unwrap();
        let moves = simulation.bodies.find(block).unwrap().velocity[0] > 1e-6;
        if moves && !slides {
            times.push(simulation.clock.time);
        }
        slides = moves;
    }
    (mass, times)
}

fn stick_slip_has_its_period<X: Dim>() {
    let (speed, rest, motion) = (0.05, 0.6, 0.4);
    for stiffness in [2e4, 5e4] {
        let (mass, times) = jerks::<X>(stiffness, speed, rest, motion);
        // Stick until the spring has extended by 2 D/k, then the larger part of an oscillation about the dynamic
        // friction.
        let (excess, omega) = ((rest - motion) * mass * GRAVITY, (stiffness / mass).sqrt());
        let swing = 2.0 * (std::f64::consts::PI - (excess * omega / (stiffness * speed)).atan()) / omega;
        let period = 2.0 * excess / (stiffness * speed) + swing;
        let found: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(found.len() == 5, "it slides {} times", times.len());
        for time in found {
            assert!((time / period - 1.0).abs() < 0.01, "a period of {time} s instead of {period} s");
        }
        let first = rest * mass * GRAVITY / (stiffness * speed);
        assert!((times[0] / first - 1.0).abs() < 0.01, "first at {} s instead of {first} s", times[0]);
    }
}

#[test]
fn a_block_drawn_by_a_spring_sticks_and_slips_with_the_period_of_theory() {
    stick_slip_has_its_period::<Plane>();
    stick_slip_has_its_period::<Space>();
}

/// Two spheres pulled together by a spring of zero length: minimum distance of their centres.
fn closest<X: Dim>(collide: bool) -> f64 {
    let mut world = World::<X>::new(1e-3).weightless();
    let balls = [-0.2, 0.2].map(|x| world.ball(flat::<X>(x, 0.0), 0.1));
    let spring = LinkLaw::Spring(Spring { stiffness: 100.0, viscosity: 0.0 });
    let link = world.link(balls, [-0.2, 0.2].map(|x| flat::<X>(x, 0.0)), spring);
    (link.length, link.collide) = (0.05, collide);
    let mut simulation = world.build();
    let apart = |s: &Simulation<X>| (s.bodies.find(1).unwrap().position - s.bodies.find(0).unwrap().position).norm();
    (0..2000).fold(f64::MAX, |least, _| {
        simulation.step().unwrap();
        least.min(apart(&simulation))
    })
}

#[test]
fn linked_bodies_collide_unless_the_link_says_they_do_not() {
    for [hard, soft] in [[true, false].map(closest::<Plane>), [true, false].map(closest::<Space>)] {
        assert!((hard - 0.2).abs() < 1e-6, "they come to {hard} m");
        assert!(soft < 0.1, "they stay {soft} m apart");
    }
}
