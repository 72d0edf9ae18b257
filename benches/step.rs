//! Sweeps, detection and whole steps on 100 000 packed spheres and disks; prints contact updates per second.
//!
//! `cargo bench --bench step`. Timings are reported, not asserted.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use criterion::{Criterion, SamplingMode, Throughput};
use nscdd::dim::{Dim, Gyroscopic, Plane, Space, Vector};
use nscdd::integrator::{FreeNodes, Loads, Theta};
use nscdd::simulation::Simulation;
use nscdd::simulation::timing::Phase;
use nscdd::solver::LocalMap;
use std::time::Duration;
use support::{Dice, World};

/// About `count` spheres on a close-packed lattice in a box, with slightly varying radii, under gravity.
fn packed<X: Dim>(count: usize, subdomains: Option<u32>) -> Simulation<X> {
    let mut world = World::<X>::new(1e-3).tolerance(1e-3, 0.3);
    match subdomains {
        Some(s) => world.plan.domain.subdomains = nscdd::domain::SubdomainCount::Given(s),
        None => world.plan.domain.subdomains = nscdd::domain::SubdomainCount::Named(nscdd::domain::Auto::Auto),
    }
    world.plan.solver.max_sweeps = 50;
    // Sites of a cubic lattice with an even sum of indices are face-centred (a rotated square lattice in 2D).
    let side = ((2 * count) as f64).powf(1.0 / X::D as f64).ceil() as i64;
    let radius = 0.05;
    let spacing = radius * 2f64.sqrt() * 1.0001;
    world.open_box(side as f64 * spacing + 2.0 * radius);
    let mut dice = Dice(11);
    for site in 0..side.pow(X::D as u32) {
        let index = |k: u32| site / side.pow(k) % side;
        if (0..X::D as u32).map(index).sum::<i64>() % 2 == 0 {
            let place = X::Vector::from_fn(|k| radius + index(k as u32) as f64 * spacing);
            world.ball(place, radius * (1.0 - 1e-3 * dice.roll()));
        }
    }
    world.build()
}

fn measure<X: Dim>(criterion: &mut Criterion, name: &str) {
    let count = 100_000;
    let mut simulation = packed::<X>(count, None);
    for _ in 0..3 {
        simulation.step().unwrap();
    }
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_secs(4));

    let parts = simulation.domain().subdomains().len();
    let mut problems: Vec<_> = (0..parts).map(|part| simulation.domain().problem(part)).collect();
    let contacts: usize = problems.iter().map(|p| p.contacts()).sum();
    println!("{name}: {} bodies, {contacts} contacts, {} subdomains", simulation.bodies.len(), problems.len());
    group.throughput(Throughput::Elements(contacts as u64));
    group.bench_function("sweep, one core (elements = contact updates)", |b| {
        b.iter(|| problems.iter_mut().map(|p| p.sweep(LocalMap::Projection, 1.0).corrections).sum::<f64>());
    });
    group.throughput(Throughput::Elements(simulation.bodies.len() as u64));
    group.bench_function("whole step, 50 sweeps (elements = bodies)", |b| b.iter(|| simulation.step().unwrap()));
    group.finish();

    let timing = &simulation.timing;
    let shares: Vec<String> = Phase::ALL
        .iter()
        .map(|&p| format!("{} {:.1} %", p.name(), 100.0 * timing.seconds(p) / timing.total()))
        .collect();
    println!("{name}: {}", shares.join(", "));
}

/// Broad and narrow phase alone: a step that rebuilds the list of candidates, and one that does not.
fn detection<X: Dim>(criterion: &mut Criterion, name: &str) {
    use nscdd::domain::Domain;
    use nscdd::interaction::alert::AlertDistances;
    use nscdd::interaction::swept::{GreatestSpeeds, SweptPaths};
    let simulation = packed::<X>(100_000, None);
    let (model, mut bodies) = (&simulation.model, simulation.bodies.clone());
    let settings = nscdd::domain::DomainSettings::default();
    let distances = AlertDistances::new(&Default::default(), model.smallest(bodies.states()), 0.0, 1e-3);
    let mut history = Default::default();
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat).sample_size(10).measurement_time(Duration::from_secs(4));
    group.throughput(Throughput::Elements(bodies.len() as u64));
    let mut domain = Domain::<X>::new(std::sync::Arc::new(nscdd::comm::SerialComm), &settings, bodies.len() as u64);
    domain.rearrange(model, &mut bodies, &mut history, 0);
    let integrator = Theta { h: 1e-3, theta: 0.5, gyroscopic: Gyroscopic::Implicit };
    let (mut free, mut alerts) = (Vec::new(), Vec::new());
    integrator.predict(model, &bodies, 0.0, &Loads::weight(model.gravity), &mut free);
    let span = integrator.span(0.0);
    let speeds = GreatestSpeeds::find(&nscdd::comm::SerialComm, &distances, model, bodies.states(), &free, &span);
    distances.alerts(model, bodies.states(), &free, &speeds, &mut alerts);
    let (free, alerts, distances, speeds, span) = (&free[..], &alerts[..], &distances, &speeds, &span);
    group.bench_function("rough and fine detection (elements = bodies)", |b| {
        b.iter(|| {
            domain.rearrange(model, &mut bodies, &mut history, 0);
            domain.detect(
                &bodies,
                &SweptPaths { model, states: bodies.states(), free, alerts, distances, speeds, span },
                &FreeNodes::default(),
                false,
            );
        });
    });
    domain.detect(
        &bodies,
        &SweptPaths { model, states: bodies.states(), free, alerts, distances, speeds, span },
        &FreeNodes::default(),
        false,
    );
    group.bench_function("fine detection (elements = bodies)", |b| {
        b.iter(|| {
            domain.detect(
                &bodies,
                &SweptPaths { model, states: bodies.states(), free, alerts, distances, speeds, span },
                &FreeNodes::default(),
                false,
            )
        });
    });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    measure::<Space>(&mut criterion, "100 000 spheres");
    measure::<Plane>(&mut criterion, "100 000 disks");
    detection::<Space>(&mut criterion, "100 000 spheres");
    detection::<Plane>(&mut criterion, "100 000 disks");
    criterion.final_summary();
}
