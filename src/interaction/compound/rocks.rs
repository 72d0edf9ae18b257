//! Facts about polyhedra that are not convex, cut into parts, held against the union of the parts.
//!
//! Rocks with hollows, each cut into eight convex parts, one pushed into the other by a known way from where they just
//! touch. Whoever goes back that way is free: no contact may be deeper.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use super::*;
use crate::contactor::mesh::Mesh;
use crate::dim::{Orientation, Quaternion, Space};
use crate::interaction::polytope::oracle::Dice;
use crate::interaction::polytope::{self, Solid};
use nalgebra::Vector3;

type V = Vector3<f64>;

/// Parts of a rock.
const PARTS: usize = 8;

/// A body, and its parts as if each were alone.
struct Rock {
    shape: Shape<Space>,
    alone: Vec<crate::contactor::Part<Space>>,
}

impl Rock {
    /// A ball whose radius undulates, `depth` of it at most up or down in each of six waves.
    fn any(dice: &mut Dice, depth: f64) -> Self {
        let waves: Vec<(V, f64)> =
            (0..6).map(|_| (dice.direction::<Space>() * (2.0 + 3.0 * dice.roll()), 7.0 * dice.roll())).collect();
        let radius = |p: &V| 1.0 + depth * waves.iter().map(|(k, phase)| (k.dot(p) + phase).sin()).sum::<f64>();
        let (points, facets) = sphere(2);
        let mut text = String::new();
        for p in &points {
            let v = p * radius(p);
            text += &format!("v {} {} {}\n", v.x, v.y, v.z);
        }
        facets.iter().for_each(|[a, b, c]| text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1));
        let mesh = Mesh::parse(Path::new("rock.obj"), text.as_bytes()).unwrap();
        let compound = mesh.convex_parts(PARTS).unwrap().0.unit();
        let mut alone = compound.parts.clone();
        for part in &mut alone {
            let Shape::Polytope(block) = &mut part.shape else { continue };
            block.polytope.seams.clear();
            block.polytope.faces.iter_mut().for_each(|face| face.covered = false);
        }
        Self { shape: Shape::Compound(Box::new(compound)), alone }
    }

    fn solids<'a>(&'a self, placed: &Placed<'_, Space>) -> Vec<Solid<'a, Space>> {
        let solid = |part: &'a crate::contactor::Part<Space>| {
            let at = part.placed(placed);
            let Shape::Polytope(block) = &part.shape else { unreachable!() };
            let (size, position, orientation) = (at.size, at.position, at.orientation);
            Solid { polytope: &block.polytope, size, position, orientation, rounding: 0.0 }
        };
        self.alone.iter().map(solid).collect()
    }
}

/// Points and facets of an icosahedron whose facets are cut into four, so many times.
fn sphere(times: usize) -> (Vec<V>, Vec<[usize; 3]>) {
    let t = (1.0 + 5f64.sqrt()) / 2.0;
    let mut points: Vec<V> = Vec::new();
    for (s, u) in [(-1.0, t), (1.0, t), (-1.0, -t), (1.0, -t)] {
        points.push(V::new(s, u, 0.0).normalize());
    }
    for (s, u) in [(-1.0, t), (1.0, t), (-1.0, -t), (1.0, -t)] {
        points.push(V::new(0.0, s, u).normalize());
    }
    for (s, u) in [(-1.0, t), (1.0, t), (-1.0, -t), (1.0, -t)] {
        points.push(V::new(u, 0.0, s).normalize());
    }
    let (count, edge) = (points.len(), 2.0 / (1.0 + t * t).sqrt());
    let is_edge = |i: usize, j: usize| ((points[i] - points[j]).norm() - edge).abs() < 1e-9;
    let mut facets = Vec::new();
    for i in 0..count {
        for j in i + 1..count {
            for k in (j + 1..count).filter(|k| is_edge(i, j) && is_edge(i, *k) && is_edge(j, *k)) {
                let outward = (points[j] - points[i]).cross(&(points[k] - points[i])).dot(&points[i]) > 0.0;
                facets.push(if outward { [i, j, k] } else { [i, k, j] });
            }
        }
    }
    for _ in 0..times {
        let mut middles = std::collections::BTreeMap::new();
        let mut finer = Vec::new();
        for [a, b, c] in facets {
            let [x, y, z] = [[a, b], [b, c], [c, a]].map(|[p, q]| {
                *middles.entry([p.min(q), p.max(q)]).or_insert_with(|| {
                    points.push(((points[p] + points[q]) * 0.5).normalize());
                    points.len() - 1
                })
            });
            finer.extend([[a, x, z], [b, y, x], [c, z, y], [x, y, z]]);
        }
        facets = finer;
    }
    (points, facets)
}

/// Distance of the nearest two parts; negative where some overlap.
fn apart(a: &[Solid<Space>], b: &[Solid<Space>], by: V) -> f64 {
    let mut least = f64::INFINITY;
    for first in a {
        for second in b {
            let second = Solid { position: second.position + by, ..*second };
            let reach = first.polytope.reach() * first.size + second.polytope.reach() * second.size;
            if (first.position - second.position).norm() < reach + least.clamp(0.0, 1.0) {
                least = least.min(polytope::distance(first, &second).0);
            }
        }
    }
    least
}

/// Two rocks, the second pushed `pushed` into the first, by the way it has from where they touch.
struct Case<'a> {
    pushed: f64,
    way: V,
    rocks: [&'a Rock; 2],
    placed: [Placed<'a, Space>; 2],
    touches: Vec<Touch<Space>>,
}

const ALERT: f64 = 0.02;

fn cases(seed: u64, count: usize, mut check: impl FnMut(&Case, &mut Dice)) {
    let mut dice = Dice(seed);
    let all: Vec<Rock> = (0..12).map(|k| Rock::any(&mut dice, [0.05, 0.1, 0.15][k % 3])).collect();
    for _ in 0..count / 20 {
        let rocks = [0, 1].map(|_| &all[(dice.roll() * 12.0) as usize]);
        for _ in 0..20 {
            let mut turn = || Quaternion::identity().turned(dice.direction::<Space>() * (3.0 * dice.roll()));
            let mut a = Placed { shape: &rocks[0].shape, size: 1.0, position: V::zeros(), orientation: turn() };
            let mut b = Placed { shape: &rocks[1].shape, size: 1.0, position: V::zeros(), orientation: turn() };
            let way = dice.direction::<Space>();
            let (first, second) = (rocks[0].solids(&a), rocks[1].solids(&b));
            // From outside to where they touch.
            let mut at = 2.5;
            for _ in 0..200 {
                let gap = apart(&first, &second, way * at);
                if gap < 1e-9 {
                    break;
                }
                at -= gap;
            }
            let pushed = 10f64.powf(-4.0 + 2.5 * dice.roll());
            b.position = way * (at - pushed);
            a.size = 1.0;
            let mut touches = Vec::new();
            fine::touches(&a, &b, ALERT, |t| touches.push(t));
            check(&Case { pushed, way, rocks, placed: [a, b], touches }, &mut dice);
        }
    }
}

/// Depth of the deepest corner of one rock in the other.
fn corners(case: &Case) -> f64 {
    let mut deepest = 0.0f64;
    for (own, other) in [(0, 1), (1, 0)] {
        let Shape::Compound(compound) = case.placed[other].shape else { unreachable!() };
        for corner in case.placed[own].shape.corners() {
            let at = case.placed[own].position + case.placed[own].orientation.rotate(corner);
            if compound.holds(&case.placed[other], at, 0.0) {
                deepest = deepest.max(case.placed[other].exit(at, 1.0).map_or(1.0, |e| e.depth));
            }
        }
    }
    deepest
}

#[test]
fn survey() {
    let limits = [1.0 + 1e-6, 1.1, 1.5, 2.0, 5.0, 10.0, 100.0];
    let mut over = [[0usize; 7]; 3];
    let mut total = 0;
    let mut none = 0;
    let mut missed = [0; 4];
    let mut worst = [0.0f64; 3];
    let mut shown = 0;
    cases(1, 1000, |case, _| {
        total += 1;
        let exit = |side: usize, point: V| {
            let Shape::Compound(compound) = case.placed[side].shape else { unreachable!() };
            if !compound.holds(&case.placed[side], point, 0.0) {
                return 0.0;
            }
            case.placed[side].exit(point, 1.0).map_or(1.0, |e| e.depth)
        };
        let corners = corners(case);
        let honest = |t: &Touch<Space>| {
            let half = t.normal * (0.5 * t.gap);
            exit(0, t.point + half).max(exit(1, t.point - half)).min(-t.gap)
        };
        let deepest = case.touches.iter().map(|t| -t.gap).fold(0.0, f64::max);
        let valid = |t: &Touch<Space>| {
            let half = t.normal * (0.5 * t.gap);
            let [on_a, on_b] = [t.point - half, t.point + half];
            let has = |side: usize, point: V| {
                let Shape::Compound(compound) = case.placed[side].shape else { unreachable!() };
                compound.holds(&case.placed[side], point, 0.0)
            };
            let step = t.normal * (-0.02 * t.gap);
            let of_b = if has(1, on_b + step) && !has(1, on_b - step) { exit(0, on_b) } else { 0.0 };
            let of_a = if has(0, on_a - step) && !has(0, on_a + step) { exit(1, on_a) } else { 0.0 };
            of_a.max(of_b)
        };
        let filtered =
            case.touches.iter().filter(|t| t.gap < 0.0 && valid(t) > -0.5 * t.gap).map(|t| -t.gap).fold(0.0, f64::max);
        let judged = case.touches.iter().filter(|t| t.gap < 0.0).map(|t| valid(t).min(-t.gap)).fold(0.0, f64::max);
        none += usize::from(deepest == 0.0);
        if deepest == 0.0 {
            let [a, b] = [0, 1].map(|k| case.rocks[k].solids(&case.placed[k]));
            // Shortest way out along many directions near that of the push.
            println!(
                "none: pushed {:.2e} corners {corners:.2e} parts overlap {:.2e}, {} touches",
                case.pushed,
                apart(&a, &b, V::zeros()),
                case.touches.len()
            );
        }
        missed[0] += usize::from(deepest < 0.4 * corners);
        missed[1] += usize::from(filtered < 0.4 * corners);
        missed[2] += usize::from(judged < 0.4 * corners);
        missed[3] += usize::from(corners > case.pushed);
        for (i, depth) in [deepest, filtered, judged].into_iter().enumerate() {
            let ratio = depth / case.pushed;
            worst[i] = worst[i].max(ratio);
            for (k, limit) in limits.into_iter().enumerate() {
                over[i][k] += usize::from(ratio > limit);
            }
        }
        if judged > 1.5 * case.pushed || judged < 0.4 * corners && shown < 12 {
            shown += 1;
            println!("pushed {:.2e}, corners {corners:.2e}, {} touches", case.pushed, case.touches.len());
            for t in case.touches.iter().filter(|t| t.gap < -case.pushed) {
                let half = t.normal * (0.5 * t.gap);
                println!(
                    "   gap {:.2e} feature {:x} n.way {:.2} valid {:.2e} exits {:.2e} {:.2e}",
                    t.gap,
                    t.feature,
                    t.normal.dot(&case.way),
                    valid(t),
                    exit(0, t.point + half),
                    exit(1, t.point - half)
                );
            }
        }
    });
    println!("{total} cases, {none} without overlap, missed corners {missed:?}");
    println!("over {limits:?}:\n {over:?}, worst {worst:?}");
}
