//! Narrow phase for random pairs of polytopes, cylinders and capsules near contact and for the candidates of dense
//! heaps, and broad phase for 100 000 polyhedra and as many spheres; prints the time per pair and per body.
//!
//! `cargo bench --bench polytopes`. Timings are reported, not asserted.
#![allow(missing_docs, clippy::unwrap_used)]

mod dense;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dense::Heap;
use nscdd::contactor::{Polytope, PosedShape, Shape};
use nscdd::dim::{Angle, Dim, Plane, Quaternion, Space, Vector};
use nscdd::interaction::broad_phase::{self, BroadPhaseItem};
use nscdd::interaction::narrow_phase;
use nscdd::interaction::polytope::{Solid, distance, touches, touches_ball, touches_half_space};
use std::hint::black_box;

struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
    fn signed(&mut self) -> f64 {
        2.0 * self.roll() - 1.0
    }
    fn direction<X: Dim>(&mut self) -> X::Vector {
        loop {
            let v = X::Vector::from_fn(|_| self.signed());
            if v.norm2() < 1.0 && v.norm2() > 0.01 {
                return v * (1.0 / v.norm());
            }
        }
    }
}

fn random(n: usize, dice: &mut Dice) -> Polytope<Space> {
    Polytope::hull(&(0..n).map(|_| dice.direction::<Space>()).collect::<Vec<_>>()).unwrap().0
}

fn random_shape(n: usize, dice: &mut Dice) -> Shape<Space> {
    let (polytope, mass) = Polytope::hull(&random(n, dice).vertices).unwrap();
    Shape::block("polyhedron", polytope, mass)
}

/// Pairs at a gap of the given sign, 1e-2 to 1e-8.
fn pairs<'a, X: Dim>(
    polytope: &'a Polytope<X>,
    turn: impl Fn(&mut Dice) -> X::Orientation,
    sign: f64,
    dice: &mut Dice,
) -> Vec<(Solid<'a, X>, Solid<'a, X>)> {
    let place = |at: X::Vector, dice: &mut Dice| Solid {
        polytope,
        size: 1.0,
        position: at,
        orientation: turn(dice),
        rounding: 0.0,
    };
    (0..1000)
        .map(|_| {
            let a = place(X::Vector::zero(), dice);
            let mut b = place(dice.direction::<X>() * 2.5, dice);
            let (apart, axis) = distance(&a, &b);
            b.position += axis * (sign * 10f64.powf(-2.0 - 6.0 * dice.roll()) - apart);
            (a, b)
        })
        .collect()
}

fn measure<X: Dim>(c: &mut Criterion, name: &str, pairs: &[(Solid<X>, Solid<X>)]) {
    let mut group = c.benchmark_group("pairs");
    group.throughput(Throughput::Elements(pairs.len() as u64));
    group.bench_function(name, |bench| {
        bench.iter(|| {
            let mut count = 0;
            for (a, b) in pairs {
                touches(black_box(a), black_box(b), 1e-2, |t| count += usize::from(t.gap < 1.0));
            }
            count
        });
    });
}

type Two<'a> = [PosedShape<'a, Space>; 2];

fn is_touching([a, b]: &Two<'_>) -> bool {
    let mut any = false;
    narrow_phase::touches(a, b, 0.0, |t| any |= t.gap <= 0.0);
    any
}

/// Two shapes in random orientations, displaced along the line of centres from contact by 1e-2 to 1e-8 in the direction
/// of the sign.
fn shape_pairs<'a>(shapes: [&'a Shape<Space>; 2], sign: f64, dice: &mut Dice) -> Vec<Two<'a>> {
    let far = shapes[0].reach() + shapes[1].reach();
    let mut made = Vec::new();
    for _ in 0..1000 {
        let turns = [turned(dice), turned(dice)];
        let mut pair: Two<'a> =
            [0, 1].map(|k| PosedShape { shape: shapes[k], size: 1.0, position: Vector::zero(), orientation: turns[k] });
        let direction = dice.direction::<Space>();
        let (mut low, mut high) = (0.0, far);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            pair[1].position = direction * middle;
            if is_touching(&pair) { low = middle } else { high = middle }
        }
        pair[1].position = direction * (low + sign * 10f64.powf(-2.0 - 6.0 * dice.roll()));
        made.push(pair);
    }
    made
}

fn measure_shapes(c: &mut Criterion, name: &str, pairs: &[Two<'_>]) {
    let mut group = c.benchmark_group("pairs");
    group.throughput(Throughput::Elements(pairs.len() as u64));
    group.bench_function(name, |bench| {
        bench.iter(|| {
            let mut count = 0;
            for [a, b] in pairs {
                narrow_phase::touches(black_box(a), black_box(b), 1e-2, |t| count += usize::from(t.gap < 1.0));
            }
            count
        });
    });
}

/// Broad phase of two sets of 100 000 bodies, the first being spheres.
fn compare(c: &mut Criterion, kind: &str, boxes: impl Fn(usize) -> Vec<BroadPhaseItem<Space>>) {
    let mut group = c.benchmark_group(format!("rough, {kind}"));
    group.sample_size(10).throughput(Throughput::Elements(100_000));
    let mut least = [f64::INFINITY; 2];
    for (which, name) in ["100 000 spheres", "100 000 polyhedra"].into_iter().enumerate() {
        let mut found = 0;
        group.bench_function(name, |bench| {
            bench.iter(|| {
                let start = std::time::Instant::now();
                found = broad_phase::pairs(&boxes(which)).len();
                least[which] = least[which].min(start.elapsed().as_secs_f64());
            });
        });
        println!("{kind}, {name}: {found} candidates, {:.1} ms at best", 1e3 * least[which]);
    }
    println!("{kind}: polyhedra cost {:.2} times as much as spheres", least[1] / least[0]);
}

/// Broad phase of 100 000 bodies of one size, polyhedra against spheres: on a loose lattice with the same radius, and
/// in dense heaps.
fn rough(c: &mut Criterion) {
    let mut dice = Dice(9);
    let shapes = [Shape::Ball, random_shape(12, &mut dice)];
    let side = 47;
    let lattice = shapes.each_ref().map(|shape| {
        let mut dice = Dice(17);
        let placed = (0..100_000i32).map(|k| {
            let site: <Space as Dim>::Vector =
                Vector::from_fn(|i: usize| f64::from(k / i32::pow(side, i as u32) % side));
            let position = site * 2.0 + dice.direction::<Space>() * 0.1;
            PosedShape { shape, size: 1.0 / shape.reach(), position, orientation: turned(&mut dice) }
        });
        placed.collect::<Vec<_>>()
    });
    compare(c, "loose", |which| {
        let boxed = |p: &PosedShape<Space>| BroadPhaseItem {
            bounds: p.bounds().inflated(0.02),
            is_ball: p.shape.is_ball(),
            is_obstacle: false,
        };
        lattice[which].iter().map(boxed).collect()
    });
    let volumes = shapes.each_ref().map(Shape::volume);
    let heaps = [0, 1].map(|which| {
        let heap = Heap::new(&shapes[which], 10, (volumes[which], 0.55), || turned(&mut dice));
        heap.repeated([5, 5, 4])
    });
    compare(c, "dense", |which| heaps[which].items());
}

/// Narrow phase of the candidates of the broad phase in dense heaps.
fn heaps(c: &mut Criterion) {
    let mut dice = Dice(5);
    for n in [8, 12, 24] {
        let shape = random_shape(n, &mut dice);
        let heap = Heap::new(&shape, 10, (shape.volume(), 0.55), || turned(&mut dice));
        measure_heap(c, &format!("{n} random corners"), &heap);
    }
    let (pentagon, mass) = Polytope::<Plane>::regular(5).unwrap();
    let shape = Shape::block("pentagon", pentagon, mass);
    let heap = Heap::new(&shape, 32, (shape.volume(), 0.8), || Angle(7.0 * dice.roll()));
    measure_heap(c, "pentagons", &heap);
}

fn measure_heap<X: Dim>(c: &mut Criterion, name: &str, heap: &Heap<'_, X>) {
    let candidates = heap.candidates();
    let mut least = f64::INFINITY;
    let mut group = c.benchmark_group("candidates");
    group.throughput(Throughput::Elements(candidates.len() as u64));
    group.bench_function(name, |bench| {
        bench.iter(|| {
            let start = std::time::Instant::now();
            let found = heap.touches(black_box(&candidates));
            least = least.min(start.elapsed().as_secs_f64());
            found
        });
    });
    let (count, points) = (candidates.len(), heap.touches(&candidates));
    println!(
        "{name}: {count} candidates, {points} contact points, {:.2} us a candidate at best",
        1e6 * least / count as f64
    );
}

fn turned(dice: &mut Dice) -> Quaternion {
    Quaternion::new(dice.signed(), dice.signed(), dice.signed(), dice.signed())
}

fn bench(c: &mut Criterion) {
    let mut dice = Dice(5);
    let flat = |dice: &mut Dice| Angle(7.0 * dice.roll());
    let upright = |_: &mut Dice| Quaternion::new(1.0, 0.0, 0.0, 0.0);
    let pentagon = Polytope::<Plane>::regular(5).unwrap().0;
    for (what, sign) in [("apart", 1.0), ("overlapping", -1.0)] {
        measure(c, &format!("pentagons, {what}"), &pairs(&pentagon, flat, sign, &mut dice));
        for n in [8, 14, 24] {
            let grain = random(n, &mut dice);
            measure(c, &format!("{n} random corners, {what}"), &pairs(&grain, turned, sign, &mut dice));
        }
        let [cube, drum] = [4, 8].map(|sides| Polytope::prism(sides, 1.0).unwrap().0);
        measure(c, &format!("cubes, {what}"), &pairs(&cube, turned, sign, &mut dice));
        measure(c, &format!("cubes face to face, {what}"), &pairs(&cube, upright, sign, &mut dice));
        measure(c, &format!("octagonal prisms face to face, {what}"), &pairs(&drum, upright, sign, &mut dice));
    }
    let (cylinder, capsule) = (Shape::Cylinder { half_length: 1.0 }, Shape::capsule(1.0));
    let grain = random_shape(14, &mut dice);
    for (what, sign) in [("apart", 1.0), ("overlapping", -1.0)] {
        let kinds = [
            ("cylinders", &cylinder, &cylinder),
            ("capsules", &capsule, &capsule),
            ("cylinder and capsule", &cylinder, &capsule),
            ("cylinder and 14 random corners", &cylinder, &grain),
            ("capsule and 14 random corners", &capsule, &grain),
        ];
        for (name, a, b) in kinds {
            measure_shapes(c, &format!("{name}, {what}"), &shape_pairs([a, b], sign, &mut dice));
        }
    }
    let grain = random(24, &mut dice);
    let mut far = pairs(&grain, turned, 1.0, &mut dice);
    for (a, b) in &mut far {
        b.position += (b.position - a.position) * 0.1;
    }
    measure(c, "24 random corners, beyond the alert distance", &far);
    let near = pairs(&grain, turned, 1.0, &mut dice);
    let mut group = c.benchmark_group("one");
    group.throughput(Throughput::Elements(near.len() as u64));
    group.bench_function("24 random corners and a ball", |bench| {
        bench.iter(|| {
            let mut count = 0;
            near.iter().for_each(|(a, b)| touches_ball(a, b.position, 0.8, 1e-2, |_| count += 1));
            count
        });
    });
    group.bench_function("24 random corners and a plane", |bench| {
        bench.iter(|| {
            let mut count = 0;
            near.iter()
                .for_each(|(a, b)| touches_half_space(a, b.position * 0.4, -b.position * 0.4, 1e-2, |_| count += 1));
            count
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(std::time::Duration::from_secs(1)).warm_up_time(std::time::Duration::from_millis(300));
    targets = bench, heaps, rough
}
criterion_main!(benches);
