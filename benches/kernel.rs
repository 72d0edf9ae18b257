//! Contact updates per second on one core: packed spheres and disks, round kernel, against a naive sweep with `nalgebra`;
//! and the kernel of angular bodies.
//!
//! `cargo bench --bench kernel` prints millions of updates per second, the best of several sweeps, in subdomains of 2 000
//! bodies as a run has them by default. Measured, never judged; wished for are 140 with AVX-512 and 60 with AVX2 at
//! 100 000 spheres, 14 times the naive sweep, and 30 for angular bodies.
#![allow(missing_docs, clippy::unwrap_used)]

use std::time::Instant;

use nalgebra::{Matrix3, Matrix3x6, Vector3, Vector6};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::Reduced;
use nscdd::pages::HugePages;
use nscdd::solver::{LocalMap, Mass, Memory, Order, Problem, WORLD, Width, limit_width};

/// As the program has it.
#[global_allocator]
static MEMORY: HugePages = HugePages;

struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A contact as geometry gives it: bodies (the world is none), normal.
type Touch<X> = ([Option<usize>; 2], <X as Dim>::Vector);

/// A close packing of about `count` balls in the order of the curve, of whose contacts a part is left out: 3.3 contacts a
/// sphere, 2 a disk.
fn packing<X: Dim>(count: usize) -> (usize, Vec<Touch<X>>) {
    let side = ((2 * count) as f64).powf(1.0 / X::D as f64).ceil() as i64;
    let mut sites: Vec<(u64, Vec<i64>)> = (0..side.pow(X::D as u32))
        .map(|site| (0..X::D as u32).map(|k| site / side.pow(k) % side).collect::<Vec<i64>>())
        .filter(|at| at.iter().sum::<i64>() % 2 == 0)
        .map(|at| {
            let place = X::Vector::from_fn(|k| at[k] as f64);
            (X::curve_key(place, X::Vector::zero(), X::Vector::from_fn(|_| side as f64)), at)
        })
        .collect();
    sites.sort();
    let key = |at: &[i64]| at.iter().fold(0, |key, &x| key * (side + 2) + x + 1) as usize;
    let mut number = vec![usize::MAX; (side + 2).pow(X::D as u32) as usize];
    sites.iter().enumerate().for_each(|(i, (_, at))| number[key(at)] = i);
    let mut dice = Dice(3);
    let mut contacts = Vec::new();
    for (i, (_, at)) in sites.iter().enumerate() {
        if at[X::D - 1] == 0 {
            contacts.push(([None, Some(i)], X::Vector::axis(X::D - 1)));
        }
        for step in 0..3i64.pow(X::D as u32) {
            let way: Vec<i64> = (0..X::D as u32).map(|k| step / 3i64.pow(k) % 3 - 1).collect();
            if way.iter().map(|x| x * x).sum::<i64>() != 2 {
                continue;
            }
            let there: Vec<i64> = at.iter().zip(&way).map(|(a, b)| a + b).collect();
            let j = number[key(&there)];
            if j != usize::MAX && i < j && dice.roll() < if X::D > 2 { 0.57 } else { 1.0 } {
                contacts.push(([Some(i), Some(j)], X::Vector::from_fn(|k| way[k] as f64 / 2f64.sqrt())));
            }
        }
    }
    (sites.len(), contacts)
}

fn problem<X: Dim>(bodies: usize, contacts: &[Touch<X>]) -> Problem<X> {
    let mut problem = Problem::default();
    let mut dice = Dice(7);
    for _ in 0..bodies {
        let velocity = X::Vector::from_fn(|_| 0.01 * (dice.roll() - 0.5)) - X::Vector::axis(X::D - 1) * 0.01;
        let mass = 1.0 + dice.roll();
        problem.add_ball(velocity, X::Spin::zero(), mass, 1.0 / mass);
    }
    let law = Reduced::cone(X::Vector::zero(), 0.5);
    for &(ends, normal) in contacts {
        let bodies = ends.map(|end| end.map_or(WORLD, |i| i as u32 + 1));

        problem.add_round(bodies, normal, 1.0, &law, X::Vector::zero());
    }
    problem
}

/// The same contacts between bodies that are not round: arms that are no multiples of the normals, inertia about three axes.
fn angular(bodies: usize, contacts: &[Touch<Space>]) -> Problem<Space> {
    let mut problem = Problem::default();
    let mut dice = Dice(7);
    let mut random = |size: f64| Vector3::from_fn(|_, _| size * (dice.roll() - 0.5));
    for _ in 0..bodies {
        let velocity = random(0.01) - Vector3::z() * 0.01;
        let [turn, stretch] = [random(0.2), random(1.0)];
        let inertia = Matrix3::from_diagonal(&(stretch.add_scalar(1.0))) + turn * turn.transpose();
        let inverse = inertia.try_inverse().unwrap();
        let inverse_mass = Vector3::repeat(1.0);
        let mass = Mass { inverse_mass, inverse_inertia: inverse, mass: 1.0, inertia };
        problem.add_body(velocity, Vector3::zeros(), mass);
    }
    let law = Reduced::cone(Vector3::zeros(), 0.5);
    for &(ends, normal) in contacts {
        let places = ends.map(|end| end.map_or(WORLD, |i| i as u32 + 1));
        let arms = [normal + random(0.5), random(0.5) - normal];
        problem.add_general(places, normal, arms, law, Vector3::zeros(), LocalMap::Projection);
    }
    problem
}

/// Millions of updates per second: the best of many sweeps.
fn rate(contacts: usize, mut sweep: impl FnMut()) -> f64 {
    (0..5).for_each(|_| sweep());
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    while begin.elapsed().as_secs_f64() < 1.5 {
        let clock = Instant::now();
        sweep();
        best = best.min(clock.elapsed().as_secs_f64());
    }
    contacts as f64 / best / 1e6
}

/// Packings of `count` balls in so many `parts`, as subdomains have them, one swept after the other.
fn measure<X: Dim>(name: &str, count: usize, parts: usize) -> [f64; 3] {
    let (bodies, contacts) = packing::<X>(count / parts);
    let mut problem: Problem<X> = problem(bodies, &contacts);
    problem.order = Order::Batches;
    let mut rates = [0.0; 3];
    for (k, width) in [Width::Widest, Width::Four, Width::One].into_iter().enumerate() {
        limit_width(width);
        let mut plain = vec![problem.clone(); parts];
        rates[k] = rate(parts * contacts.len(), || {
            plain.iter_mut().for_each(|part| _ = part.sweep(LocalMap::Projection, 1.0));
        });
        let mut fast: Vec<_> = (0..parts).map(|_| (problem.clone(), Memory::default())).collect();
        fast.iter_mut().for_each(|(part, memory)| memory.start(part));
        let with_momentum = rate(parts * contacts.len(), || {
            for (part, memory) in &mut fast {
                memory.extrapolate(&mut part.lines, 0.5);
                part.sweep_on(LocalMap::Projection, 1.0, 0.5, memory);
            }
        });
        println!(
            "{name}, {:>6} lanes: {:6.1} plain, {with_momentum:6.1} with momentum",
            format!("{width:?}"),
            rates[k]
        );
    }
    limit_width(Width::Widest);
    let mut packed = problem.clone();
    let clock = Instant::now();
    packed.sweep(LocalMap::Projection, 1.0);
    let first = clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    packed.sweep(LocalMap::Projection, 1.0);
    let packing = first - clock.elapsed().as_secs_f64();
    println!("{name}: {} contacts packed in {:.0} ns each", contacts.len(), packing * 1e9 / contacts.len() as f64);
    rates
}

/// What one would write first: blocks of 3 by 6 for each contact and body, frames, W stored.
struct Naive {
    bodies: [usize; 2],
    blocks: [Matrix3x6<f64>; 2],
    w: Matrix3<f64>,
    inverse_w: Matrix3<f64>,
    impulse: Vector3<f64>,
}

fn naive(bodies: usize, contacts: &[Touch<Space>]) -> f64 {
    let mut dice = Dice(7);
    let mut velocities = vec![Vector6::zeros(); bodies + 1];
    let mut inverse = vec![Vector6::zeros(); bodies + 1];
    for (v, m) in velocities.iter_mut().zip(&mut inverse).skip(1) {
        let linear = Vector3::from_fn(|_, _| 0.01 * (dice.roll() - 0.5)) - Vector3::z() * 0.01;
        let mass = 1.0 + dice.roll();
        *v = Vector6::new(linear.x, linear.y, linear.z, 0.0, 0.0, 0.0);
        *m = Vector6::new(1.0, 1.0, 1.0, 2.5, 2.5, 2.5) / mass;
    }
    let mut blocks: Vec<Naive> = (contacts.iter())
        .map(|&(ends, normal)| {
            let frame = Space::frame(normal);
            let ends = ends.map(|end| end.map_or(0, |i| i + 1));
            let block = |side: usize| {
                let (sign, arm) = if side == 0 { (-1.0, normal) } else { (1.0, -normal) };
                let turning = frame * arm.cross_matrix() * -sign;
                let mut block = Matrix3x6::zeros();
                block.fixed_view_mut::<3, 3>(0, 0).copy_from(&(frame * sign));
                block.fixed_view_mut::<3, 3>(0, 3).copy_from(&turning);
                block
            };
            let blocks = [block(0), block(1)];
            let part = |side: usize| {
                let scaled = Matrix3x6::from_fn(|i, j| blocks[side][(i, j)] * inverse[ends[side]][j]);
                scaled * blocks[side].transpose()
            };
            let w = part(0) + part(1);
            Naive { bodies: ends, blocks, w, inverse_w: w.try_inverse().unwrap(), impulse: Vector3::zeros() }
        })
        .collect();
    let friction = 0.5;
    rate(contacts.len(), || {
        for contact in &mut blocks {
            let [a, b] = contact.bodies;
            let u = contact.blocks[0] * velocities[a] + contact.blocks[1] * velocities[b];
            let free = u - contact.w * contact.impulse;
            let stick = -(contact.inverse_w * free);
            let mut r = Vector3::zeros();
            if stick.x > 0.0 {
                let length = (stick.y * stick.y + stick.z * stick.z).sqrt();
                let clip = if length > friction * stick.x { friction * stick.x / length } else { 1.0 };
                r = Vector3::new(stick.x, stick.y * clip, stick.z * clip);
            }
            let change = r - contact.impulse;
            contact.impulse = r;
            for (body, block) in [a, b].into_iter().zip(&contact.blocks) {
                velocities[body] += inverse[body].component_mul(&(block.transpose() * change));
            }
        }
    })
}

fn main() {
    println!("millions of contact updates per second on one core");
    let (bodies, contacts) = packing::<Space>(100_000);
    let yardstick = naive(bodies, &contacts);
    println!("100 000 spheres, naive nalgebra: {yardstick:.1}");
    let hundred = measure::<Space>("100 000 spheres", 100_000, 50);
    measure::<Space>("100 000 spheres in one subdomain", 100_000, 1);
    let small = measure::<Space>("  2 000 spheres", 2_000, 1);
    let million = measure::<Space>("1 000 000 spheres", 1_000_000, 500);
    let disks = measure::<Plane>("100 000 disks", 100_000, 50);
    println!("over naive: {:.1}; 2 000 bodies: {:.1}", hundred[0] / yardstick, small[0] / yardstick);
    println!("100 000 over 2 000 spheres: {:.2}", hundred[0] / small[0]);
    println!("1 000 000 over 100 000 spheres: {:.2}", million[0] / hundred[0]);
    println!("disks over spheres: {:.2}", disks[0] / hundred[0]);
    let (bodies, contacts) = packing::<Space>(2_000);
    let mut parts = vec![angular(bodies, &contacts); 50];
    let general = rate(50 * contacts.len(), || {
        parts.iter_mut().for_each(|part| _ = part.sweep(LocalMap::Projection, 1.0));
    });
    println!("100 000 angular bodies, general kernel: {general:.1}");
}
