//! Tests of non-convex polyhedra cut into parts, against the union of the parts.
//!
//! Rocks with hollows, each cut into eight convex parts; one is pushed into the other by a known distance from first
//! contact. Moving back by that distance frees it, so no contact may be deeper.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use super::*;
use crate::contactor::mesh::Mesh;
use crate::contactor::{Compound, Part, Shape};
use crate::dim::{Orientation, Quaternion, Space};
use crate::interaction::narrow_phase;
use crate::interaction::polytope::oracle::TestRandom;
use crate::interaction::polytope::{self, Solid};
use nalgebra::Vector3;

type V3 = Vector3<f64>;

/// Number of parts of a rock.
const PARTS: usize = 8;

/// A body, and its parts as if each were a body of its own.
struct Rock {
    shape: Shape<Space>,
    separate_parts: Vec<Part<Space>>,
}

impl Rock {
    /// A sphere whose radius undulates by at most `depth` in each of six waves.
    fn any(rng: &mut TestRandom, depth: f64) -> Self {
        let waves: Vec<(V3, f64)> =
            (0..6).map(|_| (rng.direction::<Space>() * (2.0 + 3.0 * rng.uniform()), 7.0 * rng.uniform())).collect();
        let radius = |p: &V3| 1.0 + depth * waves.iter().map(|(k, phase)| (k.dot(p) + phase).sin()).sum::<f64>();
        let (points, facets) = sphere(2);
        let mut text = String::new();
        for p in &points {
            let v = p * radius(p);
            text += &format!("v {} {} {}\n", v.x, v.y, v.z);
        }
        facets.iter().for_each(|[a, b, c]| text += &format!("f {} {} {}\n", a + 1, b + 1, c + 1));
        let mesh = Mesh::parse(Path::new("rock.obj"), text.as_bytes()).unwrap();
        let compound = mesh.convex_parts(PARTS).unwrap().0.unit();
        let mut separate_parts = compound.parts.clone();
        for part in &mut separate_parts {
            let Shape::Polytope(block) = &mut part.shape else { continue };
            block.polytope.seams.clear();
            block.polytope.faces.iter_mut().for_each(|face| face.covered = false);
        }
        Self { shape: Shape::Compound(Box::new(compound)), separate_parts }
    }

    fn solids<'a>(&'a self, placed: &PosedShape<'_, Space>) -> Vec<Solid<'a, Space>> {
        let solid = |part: &'a Part<Space>| {
            let at = part.placed(placed);
            let Shape::Polytope(block) = &part.shape else { unreachable!() };
            let (size, position, orientation) = (at.size, at.position, at.orientation);
            Solid { polytope: &block.polytope, size, position, orientation, rounding: 0.0 }
        };
        self.separate_parts.iter().map(solid).collect()
    }
}

/// Points and facets of an icosahedron whose facets are divided into four, `times` times.
fn sphere(times: usize) -> (Vec<V3>, Vec<[usize; 3]>) {
    let t = (1.0 + 5f64.sqrt()) / 2.0;
    let mut points: Vec<V3> = Vec::new();
    for (s, u) in [(-1.0, t), (1.0, t), (-1.0, -t), (1.0, -t)] {
        points.push(V3::new(s, u, 0.0).normalize());
    }
    for (s, u) in [(-1.0, t), (1.0, t), (-1.0, -t), (1.0, -t)] {
        points.push(V3::new(0.0, s, u).normalize());
    }
    for (s, u) in [(-1.0, t), (1.0, t), (-1.0, -t), (1.0, -t)] {
        points.push(V3::new(u, 0.0, s).normalize());
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

/// Distance of the nearest two parts; negative where parts overlap.
fn apart(a: &[Solid<Space>], b: &[Solid<Space>], by: V3) -> f64 {
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

/// Two rocks, the second pushed into the first by `pushed` from first contact.
struct RockCase<'a> {
    pushed: f64,
    placed: [PosedShape<'a, Space>; 2],
    touches: Vec<ContactPoint<Space>>,
}

const ALERT: f64 = 0.02;

fn cases(seed: u64, count: usize, mut check: impl FnMut(&RockCase, &mut TestRandom)) {
    let mut rng = TestRandom(seed);
    let all: Vec<Rock> = (0..12).map(|k| Rock::any(&mut rng, [0.05, 0.1, 0.15][k % 3])).collect();
    for _ in 0..count / 20 {
        let rocks = [0, 1].map(|_| &all[(rng.uniform() * 12.0) as usize]);
        for _ in 0..20 {
            let mut orientation = || Quaternion::identity().turned(rng.direction::<Space>() * (3.0 * rng.uniform()));
            let a = PosedShape { shape: &rocks[0].shape, size: 1.0, position: V3::zeros(), orientation: orientation() };
            let mut b =
                PosedShape { shape: &rocks[1].shape, size: 1.0, position: V3::zeros(), orientation: orientation() };
            let direction = rng.direction::<Space>();
            let (first, second) = (rocks[0].solids(&a), rocks[1].solids(&b));
            // From outside to first contact.
            let mut at = 2.5;
            for _ in 0..200 {
                let gap = apart(&first, &second, direction * at);
                if gap < 1e-9 {
                    break;
                }
                at -= gap;
            }
            let pushed = 10f64.powf(-4.0 + 2.5 * rng.uniform());
            b.position = direction * (at - pushed);
            let mut touches = Vec::new();
            narrow_phase::touches(&a, &b, ALERT, |t| touches.push(t));
            check(&RockCase { pushed, placed: [a, b], touches }, &mut rng);
        }
    }
}

/// Depth of the deepest corner of one rock in the other.
fn corners(case: &RockCase) -> f64 {
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
fn no_contact_of_two_rocks_is_deeper_than_one_was_pushed_into_the_other() {
    let mut longer = 0;
    cases(1, 400, |case, _| {
        let deepest = case.touches.iter().map(|t| -t.gap).fold(0.0, f64::max);
        // The exit between two edges is longer than the distance to the sides of a ridge.
        assert!(deepest <= 2.0 * case.pushed, "{deepest:e} for {:e}", case.pushed);
        longer += usize::from(deepest > 1.1 * case.pushed);
    });
    assert!(longer <= 10, "{longer}");
}

#[test]
fn rocks_that_overlap_are_held_where_they_are_deepest() {
    cases(2, 400, |case, _| {
        let deepest = case.touches.iter().map(|t| -t.gap).fold(0.0, f64::max);
        assert!(deepest > 0.0, "nothing for {:e}", case.pushed);
        let corners = corners(case);
        assert!(deepest >= 0.4 * corners, "{deepest:e} for a corner at {corners:e}");
    });
}

/// A cuboid of `cut` by `cut` by `cut` smaller ones.
fn bricks(half: V3, cut: usize) -> Shape<Space> {
    let edge = half / cut as f64;
    let part = |k: usize| {
        let centre = [k % cut, k / cut % cut, k / cut / cut].map(|i| (2 * i + 1) as f64 - cut as f64);
        Part {
            shape: Shape::cuboid(edge).unwrap(),
            size: 1.0,
            position: V3::from(centre).component_mul(&edge),
            orientation: Quaternion::identity(),
        }
    };
    Shape::Compound(Box::new(Compound::new("compound", (0..cut.pow(3)).map(part).collect())))
}

#[test]
fn boxes_cut_into_boxes_touch_as_deep_as_whole_ones() {
    let mut rng = TestRandom(5);
    let half = V3::new(0.5, 0.7, 0.9);
    let uncut = Shape::<Space>::cuboid(half).unwrap();
    let Shape::Polytope(block) = &uncut else { unreachable!() };
    for cut in [1, 2, 3] {
        let shape = bricks(half, cut);
        assert!((shape.radius().unwrap() - 0.5).abs() < 1e-5, "{:?}", shape.radius());
        for number in 0..300 {
            // Every fourth lies flat on the other.
            let mut orientation = |flat: bool| match flat {
                true => Quaternion::identity(),
                false => Quaternion::identity().turned(rng.direction::<Space>() * (3.0 * rng.uniform())),
            };
            let orientations = [orientation(number % 4 == 0), orientation(number % 4 == 0)];
            let direction = if number % 4 == 0 { V3::z() } else { rng.direction::<Space>() };
            let aside = V3::new(rng.signed(), rng.signed(), 0.0) * if number % 4 == 0 { 0.4 } else { 0.0 };
            let solid = |orientation: Quaternion, position: V3| Solid {
                polytope: &block.polytope,
                size: 1.0,
                position,
                orientation,
                rounding: 0.0,
            };
            let apart = |at: f64| {
                polytope::distance(
                    &solid(orientations[0], V3::zeros()),
                    &solid(orientations[1], aside + direction * at),
                )
                .0
            };
            let mut at = 3.0;
            for _ in 0..200 {
                at -= apart(at).max(0.0);
            }
            let pushed = 10f64.powf(-4.0 + 2.5 * rng.uniform());
            let a = PosedShape { shape: &shape, size: 1.0, position: V3::zeros(), orientation: orientations[0] };
            let b = PosedShape { position: aside + direction * (at - pushed), orientation: orientations[1], ..a };
            let deepest = |a: &PosedShape<'_, Space>, b: &PosedShape<'_, Space>| {
                let mut deepest = 0.0f64;
                narrow_phase::touches(a, b, ALERT, |t| deepest = deepest.max(-t.gap));
                deepest
            };
            let deep = deepest(&PosedShape { shape: &uncut, ..a }, &PosedShape { shape: &uncut, ..b });
            let deepest = deepest(&a, &b);
            // The sides of the ridge may carry the contact of two edges.
            let least = if number % 4 == 0 { 1.0 - 1e-6 } else { 0.4 };
            assert!((least..=1.0 + 1e-6).contains(&(deepest / deep)), "{cut}, {number}: {deepest:e} for {deep:e}");
        }
    }
}

#[test]
fn the_radius_of_a_body_does_not_depend_on_its_thinnest_part() {
    let mut rng = TestRandom(7);
    for _ in 0..4 {
        let Rock { shape, .. } = Rock::any(&mut rng, 0.1);
        let (radius, thinnest) = (shape.radius().unwrap(), shape.characteristic().unwrap());
        assert!(radius > 0.3 && radius < 1.0 && thinnest < 0.5 * radius, "{radius} {thinnest}");
    }
}
