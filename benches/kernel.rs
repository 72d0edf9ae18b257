//! Contact updates per second on one core: the kernel of sphere contacts on packed spheres and disks, compared with a
//! naive sweep with `nalgebra`; and the kernel of general contacts.
//!
//! `cargo bench --bench kernel` prints millions of updates per second, the best of several sweeps, in subdomains of 2
//! 000 bodies, the default of a run. Alternatives are measured in turns, so that other load on the machine affects all
//! alike. Reported, not asserted; the targets are 140 with AVX-512 and 60 with AVX2 at 100 000 spheres, 14 times the
//! naive sweep, and 30 for angular bodies.
#![allow(missing_docs, clippy::unwrap_used)]

use std::time::Instant;

use nalgebra::{Matrix3, Vector3};
use nscdd::base::huge_pages::HugePages;
use nscdd::base::index::ProblemBody;
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::Reduced;
use nscdd::solver::{ContactOrder, ContactProblem, LocalMap, Mass, MomentumState, SimdWidth, WORLD, limit_width};

/// The allocator of the program.
#[global_allocator]
static MEMORY: HugePages = HugePages;

struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A contact as given by geometry: bodies (`None` for the world), normal.
type Touch<X> = ([Option<usize>; 2], <X as Dim>::Vector);

/// A close packing of about `count` spheres in the order of the space-filling curve, with part of its contacts left
/// out: 3.3 contacts per sphere, 2 per disk.
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

fn problem<X: Dim>(bodies: usize, contacts: &[Touch<X>]) -> ContactProblem<X> {
    let mut problem = ContactProblem::default();
    let mut dice = Dice(7);
    for _ in 0..bodies {
        let velocity = X::Vector::from_fn(|_| 0.01 * (dice.roll() - 0.5)) - X::Vector::axis(X::D - 1) * 0.01;
        let mass = 1.0 + dice.roll();
        problem.add_ball(velocity, X::Spin::zero(), mass, 1.0 / mass);
    }
    let law = Reduced::cone(X::Vector::zero(), 0.5);
    for &(ends, normal) in contacts {
        let bodies = ends.map(|end| end.map_or(WORLD, |i| ProblemBody::new(i + 1)));

        problem.add_round(bodies, normal, 1.0, &law, X::Vector::zero());
    }
    problem.order = ContactOrder::Batches;
    problem
}

/// The same contacts between non-spherical bodies: lever arms not parallel to the normals, inertia about three axes.
fn angular(bodies: usize, contacts: &[Touch<Space>]) -> ContactProblem<Space> {
    let mut problem = ContactProblem::default();
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
        let places = ends.map(|end| end.map_or(WORLD, |i| ProblemBody::new(i + 1)));
        let arms = [normal + random(0.5), random(0.5) - normal];
        problem.add_general(places, normal, arms, law, Vector3::zeros(), LocalMap::Projection);
    }
    problem
}

/// Number of contacts, and one sweep over all of them.
type Racer = (usize, Box<dyn FnMut()>);

/// Millions of updates per second of each: the best of many sweeps, in alternating turns.
fn rates(racers: &mut [Racer], turns: usize) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; racers.len()];
    for _ in 0..turns {
        for ((_, sweep), best) in racers.iter_mut().zip(&mut best) {
            (0..3).for_each(|_| sweep());
            let begin = Instant::now();
            while begin.elapsed().as_secs_f64() < 0.3 {
                let clock = Instant::now();
                sweep();
                *best = best.min(clock.elapsed().as_secs_f64());
            }
        }
    }
    racers.iter().zip(best).map(|((contacts, _), best)| *contacts as f64 / best / 1e6).collect()
}

/// Packings of `count` spheres in `parts` subdomains, swept one after the other.
fn plain<X: Dim>(count: usize, parts: usize) -> Racer {
    let (bodies, contacts) = packing::<X>(count / parts);
    let mut parts = vec![problem::<X>(bodies, &contacts); parts];
    let count = parts.len() * contacts.len();
    (count, Box::new(move || parts.iter_mut().for_each(|part| _ = part.sweep(LocalMap::Projection, 1.0))))
}

/// The same with momentum.
fn fast<X: Dim>(count: usize, parts: usize) -> Racer {
    let (bodies, contacts) = packing::<X>(count / parts);
    let problem = problem::<X>(bodies, &contacts);
    let mut parts: Vec<_> = (0..parts).map(|_| (problem.clone(), MomentumState::default())).collect();
    parts.iter_mut().for_each(|(part, memory)| part.start_momentum(memory));
    let sweep = |(part, memory): &mut (ContactProblem<X>, MomentumState<X>)| {
        memory.extrapolate(part.rows.own(), 0.5);
        part.sweep_on(LocalMap::Projection, 1.0, 0.5, memory);
    };
    (parts.len() * contacts.len(), Box::new(move || parts.iter_mut().for_each(sweep)))
}

/// Prints the rate of each SIMD width.
fn by_width<X: Dim>(name: &str, count: usize, parts: usize) {
    for width in [SimdWidth::Widest, SimdWidth::Four, SimdWidth::One] {
        limit_width(width);
        let mut racers = [plain::<X>(count, parts), fast::<X>(count, parts)];
        let [plain, fast] = rates(&mut racers, 5)[..] else { unreachable!() };
        println!("{name}, {:>6} lanes: {plain:6.1} plain, {fast:6.1} with momentum", format!("{width:?}"));
    }
    limit_width(SimdWidth::Widest);
}

/// Prints the time to form batches of contacts.
fn packed<X: Dim>(name: &str, count: usize) {
    let (bodies, contacts) = packing::<X>(count);
    let mut packed = problem::<X>(bodies, &contacts);
    let mut sweep = || {
        let clock = Instant::now();
        packed.sweep(LocalMap::Projection, 1.0);
        clock.elapsed().as_secs_f64()
    };
    let packing = sweep() - sweep();
    println!("{name}: {} contacts packed in {:.0} ns each", contacts.len(), packing * 1e9 / contacts.len() as f64);
}

/// The straightforward implementation: for each contact and body, 3 x 3 blocks in the contact frame, with W and its
/// inverse stored; and, as in the kernel, a velocity shift and a friction coefficient.
struct Naive {
    bodies: [usize; 2],
    linear: [Matrix3<f64>; 2],
    angular: [Matrix3<f64>; 2],
    w: Matrix3<f64>,
    inverse_w: Matrix3<f64>,
    shift: Vector3<f64>,
    friction: f64,
    impulse: Vector3<f64>,
}

#[derive(Clone, Default)]
struct NaiveBody {
    velocity: Vector3<f64>,
    spin: Vector3<f64>,
    inverse_mass: f64,
    inverse_inertia: Matrix3<f64>,
}

impl Naive {
    fn new(bodies: &[NaiveBody], ends: [usize; 2], normal: Vector3<f64>) -> Self {
        let frame = Space::frame(normal);
        let linear = [-frame, frame];
        let angular = [frame * normal.cross_matrix(), frame * normal.cross_matrix()];
        let part = |side: usize| {
            let body = &bodies[ends[side]];
            linear[side] * linear[side].transpose() * body.inverse_mass
                + angular[side] * body.inverse_inertia * angular[side].transpose()
        };
        let w = part(0) + part(1);
        let inverse_w = w.try_inverse().unwrap();
        let [shift, impulse] = [Vector3::zeros(); 2];
        Self { bodies: ends, linear, angular, w, inverse_w, shift, friction: 0.5, impulse }
    }

    fn solve(&mut self, bodies: &mut [NaiveBody]) {
        let mut u = self.shift;
        for side in 0..2 {
            let body = &bodies[self.bodies[side]];
            u += self.linear[side] * body.velocity + self.angular[side] * body.spin;
        }
        let free = u - self.w * self.impulse;
        let stick = -(self.inverse_w * free);
        let mut r = Vector3::zeros();
        if stick.x > 0.0 {
            let (length, bound) = ((stick.y * stick.y + stick.z * stick.z).sqrt(), self.friction * stick.x);
            let clip = if length > bound { bound / length } else { 1.0 };
            r = Vector3::new(stick.x, stick.y * clip, stick.z * clip);
        }
        let change = r - self.impulse;
        self.impulse = r;
        for side in 0..2 {
            let body = &mut bodies[self.bodies[side]];
            body.velocity += self.linear[side].tr_mul(&change) * body.inverse_mass;
            body.spin += body.inverse_inertia * self.angular[side].tr_mul(&change);
        }
    }
}

fn naive(count: usize) -> Racer {
    let (balls, touches) = packing::<Space>(count);
    let mut dice = Dice(7);
    let mut bodies = vec![NaiveBody::default(); balls + 1];
    for body in &mut bodies[1..] {
        body.velocity = Vector3::from_fn(|_, _| 0.01 * (dice.roll() - 0.5)) - Vector3::z() * 0.01;
        body.inverse_mass = 1.0 / (1.0 + dice.roll());
        body.inverse_inertia = Matrix3::identity() * (2.5 * body.inverse_mass);
    }
    let number = |end: Option<usize>| end.map_or(0, |i| i + 1);
    let mut contacts: Vec<_> =
        touches.iter().map(|&(ends, normal)| Naive::new(&bodies, ends.map(number), normal)).collect();
    (contacts.len(), Box::new(move || contacts.iter_mut().for_each(|contact| contact.solve(&mut bodies))))
}

fn main() {
    println!("millions of contact updates per second on one core");
    by_width::<Space>("100 000 spheres", 100_000, 50);
    by_width::<Space>("100 000 spheres in one subdomain", 100_000, 1);
    by_width::<Space>("  2 000 spheres", 2_000, 1);
    by_width::<Space>("1 000 000 spheres", 1_000_000, 500);
    by_width::<Plane>("100 000 disks", 100_000, 50);
    packed::<Space>("  2 000 spheres", 2_000);
    packed::<Space>("100 000 spheres", 100_000);
    let (bodies, contacts) = packing::<Space>(2_000);
    let mut parts = vec![angular(bodies, &contacts); 50];
    let contacts = parts.len() * contacts.len();
    let sweep = move || parts.iter_mut().for_each(|part| _ = part.sweep(LocalMap::Projection, 1.0));
    let racers = &mut [
        naive(100_000),
        plain::<Space>(100_000, 50),
        plain::<Space>(2_000, 1),
        plain::<Space>(1_000_000, 500),
        plain::<Plane>(100_000, 50),
        (contacts, Box::new(sweep)),
    ];
    let [naive, spheres, small, million, disks, angular] = rates(racers, 25)[..] else { unreachable!() };
    println!(
        "in turns: naive nalgebra {naive:.1}, 100 000 spheres {spheres:.1}, 2 000 {small:.1}, 1 000 000 {million:.1}"
    );
    println!("          100 000 disks {disks:.1}, 100 000 angular bodies with the general kernel {angular:.1}");
    println!("100 000 spheres over naive: {:.1}", spheres / naive);
    println!("100 000 over 2 000 spheres: {:.2}", spheres / small);
    println!("1 000 000 over 100 000 spheres: {:.2}", million / spheres);
    println!("disks over spheres: {:.2}", disks / spheres);
}
