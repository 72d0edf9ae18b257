//! The number of subdomains changes the bits of a result, but not its physics: a settled heap is the same heap,
//! certified to the same tolerances.

use std::path::Path;

use crate::long::or_long;
use crate::support::{GRAVITY, World, reaction, simulate};
use nalgebra::Vector2;
use nscdd::body::State;
use nscdd::dim::{Plane, Space};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

const BODIES: f64 = 800.0;
const STEPS: usize = 350;
/// Sweeps of a step that are counted: a few steps with impacts take a thousand and would dominate the mean.
const MANY: u32 = 100;

/// Quantities compared between decompositions.
#[derive(Debug)]
struct Heap {
    /// Share of converged steps.
    converged: f64,
    /// Sweeps per step, those of a step counted up to [`MANY`].
    sweeps: f64,
    /// Height of the centre of mass and of the highest sphere, m.
    centre: f64,
    top: f64,
    /// Final kinetic energy per body over the energy that lifts it by its radius.
    motion: f64,
    /// Energy dissipated while settling, J: never negative, but not compared, since the few grains that slip determine
    /// it. Five seeds of the deposit give 7 to 35.
    dissipated: f64,
    /// Weight, and mean load of the floor over the last steps, N.
    weight: f64,
    carried: f64,
    /// Mean penetration over the size of the smaller body, at the end.
    penetration: f64,
}

fn settle(subdomains: u32) -> Heap {
    let sets = [
        format!("domain.subdomains={subdomains}"),
        format!("generators.1.deposit.count={BODIES}"),
        "generators.1.deposit.max=[0.9, 0.9, 20]".into(),
        "generators.0.walls.max=[0.9, 0.9, 20]".into(),
    ];
    let scene = Scene::load(Path::new("scenes/deposit-spheres.toml"), &sets).unwrap();
    let mut simulation = simulate::<Space>(&scene);
    let is_free = |simulation: &Simulation<Space>, id: u64| {
        simulation.bodies.find(id).is_some_and(|s| !simulation.model.is_prescribed(s))
    };
    // The floor is the body listed first.
    assert!(!is_free(&simulation, 0));
    let (mut converged, mut sweeps) = (0.0, 0.0);
    let (mut carried, mut penetration, mut energy, mut dissipated) = (0.0, 0.0, 0.0, 0.0);
    for step in 0..STEPS {
        let report = simulation.step().unwrap();
        let certificate = report.certificate;
        sweeps += f64::from(certificate.sweeps.min(MANY)) / STEPS as f64;
        if certificate.converged {
            assert!(certificate.residual < 1e-3 && certificate.velocity_error < 0.2, "{certificate:?}");
            converged += 1.0 / STEPS as f64;
        }
        if step >= STEPS - 50 {
            carried -= reaction(&simulation, 0).z / simulation.step_length() / 50.0;
            penetration += report.totals.mean_penetration() / 50.0;
        }
        (energy, dissipated) = (report.kinetic_energy, report.energy.dissipated());
    }
    let free = simulation.bodies.states().iter().filter(|s| !simulation.model.is_prescribed(s));
    let (mut mass, mut moment, mut top, mut radius) = (0.0, 0.0, 0.0f64, 0.0);
    for state in free {
        (mass, moment, radius) = (mass + state.mass, moment + state.mass * state.position.z, radius + state.size);
        top = top.max(state.position.z + state.size);
    }
    Heap {
        converged,
        sweeps,
        centre: moment / mass,
        top,
        motion: energy / (mass * GRAVITY * radius / BODIES),
        dissipated,
        weight: mass * GRAVITY,
        carried,
        penetration,
    }
}

#[test]
fn a_heap_in_one_or_in_sixty_four_subdomains_is_the_same_heap_with_the_same_certificate() {
    let counts = or_long(&[1, 64][..], &[1, 8, 27, 64]);
    let heaps: Vec<Heap> = std::thread::scope(|scope| {
        let threads: Vec<_> = counts.iter().map(|&subdomains| scope.spawn(move || settle(subdomains))).collect();
        threads.into_iter().map(|heap| heap.join().unwrap()).collect()
    });
    for heap in &heaps {
        println!("{heap:?}");
    }
    let one = &heaps[0];
    let close = |a: f64, b: f64, share: f64| (a - b).abs() <= share * b;
    for heap in &heaps {
        // The same certificate in the same share of the steps: in all of them, with a similar number of sweeps. Over
        // four packings of 790 to 820 spheres, 8, 27 and 64 subdomains took 0.83 to 1.2 times those of one.
        assert!(close(heap.converged, 1.0, 1e-9) && heap.sweeps < 1.25 * one.sweeps, "{heap:?}");
        // Nearly at rest, and the floor carries all the weight: the side walls are frictionless.
        assert!(heap.motion < 2e-3, "{heap:?}");
        assert!(close(heap.carried, heap.weight, 0.01), "{heap:?}");
        // Two packings of hundreds of spheres that diverged differ by a few of their contacts: the energy some grains
        // lose by slipping (7 to 35 J over five seeds) lowers the centre of mass (28 J are 4.6e-3 of its height).
        assert!(close(heap.centre, one.centre, 5e-3), "{heap:?}");
        let fallen = (one.centre - heap.centre) * heap.weight;
        assert!(
            (heap.dissipated - one.dissipated - fallen).abs() < 0.1 * one.dissipated,
            "{fallen} J fallen, {heap:?}"
        );
        assert!(close(heap.top, one.top, 0.01), "{heap:?}");
        assert!(heap.dissipated > 0.0, "{heap:?}");
        // The remaining overlap is far below the tolerance (2e-3).
        assert!(heap.penetration < 1e-4, "{heap:?}");
    }
}

#[test]
fn space_is_cut_again_before_the_next_regular_step_where_all_bodies_fly_into_one_subdomain() {
    // A block of disks flies by half its width, from one of two subdomains into the other, in twenty steps.
    let mut world = World::<Plane>::new(1e-3).weightless().subdomains(2);
    for k in 0..1200 {
        let disk = world.ball(Vector2::new(f64::from(k % 40), f64::from(k / 40)) * 0.0201, 0.01);
        world.state(disk).velocity = Vector2::new(20.0, 0.0);
    }
    let mut simulation = world.build();
    let mut uneven = 0;
    for _ in 0..64 {
        simulation.step().unwrap();
        let part = |state: &State<Plane>| simulation.domain().cuts().locate(&[state.position.x, state.position.y, 0.0]);
        let first = simulation.bodies.states().iter().filter(|state| part(state) == 0).count();
        uneven += u32::from(first.max(1200 - first) > 1170);
    }
    assert!(uneven < 20, "{uneven} of 64 steps with all bodies in one subdomain");
}
