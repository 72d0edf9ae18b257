//! Improvement of tetrahedra by other connections between the same points (Freitag and Ollivier-Gooch 1997).
//!
//! *Edge removal*: the tetrahedra around an edge inside the body are replaced by those over the triangles of the ring
//! around it, in the best triangulation of the ring. *Face removal*: two tetrahedra with a common face are replaced
//! by three around the edge between the corners opposite to the face. Both are done where the worst tetrahedron gets
//! better.

use crate::dim::Space;

use super::fill::Filling;
use super::improve::{POOR, quality};

/// Largest number of tetrahedra around an edge that is removed.
const LARGEST_RING: usize = 9;
/// Least improvement.
const GAIN: f64 = 1e-6;

/// Changes connections around poor tetrahedra; returns true if any was changed.
pub(super) fn reconnect(filling: &mut Filling<Space>) -> bool {
    let mut flips = Flips::new(filling);
    let mut poor: Vec<(f64, [u32; 4])> = flips.filling.simplices.iter().map(|s| (flips.quality(s), *s)).collect();
    poor.retain(|(quality, _)| *quality < POOR);
    poor.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    let mut has_changed = false;
    for (_, corners) in poor {
        // An earlier change may have removed it.
        if flips.find(&corners).is_some() {
            has_changed |= flips.replace_around(&corners);
        }
    }
    let is_alive = flips.is_alive;
    let mut number = is_alive.iter();
    filling.simplices.retain(|_| number.next() == Some(&true));
    has_changed
}

/// The tetrahedra, and which of them meet at each point.
struct Flips<'a> {
    filling: &'a mut Filling<Space>,
    is_alive: Vec<bool>,
    around: Vec<Vec<u32>>,
}

impl<'a> Flips<'a> {
    fn new(filling: &'a mut Filling<Space>) -> Self {
        let mut around = vec![Vec::new(); filling.points.len()];
        for (number, simplex) in filling.simplices.iter().enumerate() {
            simplex.iter().for_each(|&k| around[k as usize].push(number as u32));
        }
        Self { is_alive: vec![true; filling.simplices.len()], filling, around }
    }

    fn quality(&self, corners: &[u32; 4]) -> f64 {
        quality::<Space>(&self.filling.points, corners)
    }

    fn find(&self, corners: &[u32; 4]) -> Option<u32> {
        let around = self.around[corners[0] as usize].iter().copied();
        around.into_iter().find(|&s| self.filling.simplices[s as usize] == *corners)
    }

    /// The tetrahedra that contain all these points.
    fn with(&self, points: &[u32]) -> Vec<u32> {
        let has_all = |s: &&u32| points.iter().all(|k| self.filling.simplices[**s as usize].contains(k));
        self.around[points[0] as usize].iter().filter(has_all).copied().collect()
    }

    /// Makes the best change around a tetrahedron, if one improves the mesh.
    fn replace_around(&mut self, corners: &[u32; 4]) -> bool {
        let mut best: Option<(f64, Vec<u32>, Vec<[u32; 4]>)> = None;
        let mut consider = |old: Vec<u32>, new: Option<(f64, Vec<[u32; 4]>)>, worst_before: f64| {
            if let Some((worst, new)) = new {
                let gain = worst - worst_before;
                if gain > GAIN && best.as_ref().is_none_or(|b| gain > b.0) {
                    best = Some((gain, old, new));
                }
            }
        };
        for i in 0..4 {
            for j in 0..i {
                let old = self.with(&[corners[i], corners[j]]);
                consider(old.clone(), self.without_edge(corners[i], corners[j], &old), self.worst(&old));
            }
            let mut face = *corners;
            face.swap(i, 3);
            let old = self.with(&face[..3]);
            consider(old.clone(), self.without_face(&face, &old), self.worst(&old));
        }
        let Some((_, old, new)) = best else { return false };
        for number in old {
            self.is_alive[number as usize] = false;
            for k in self.filling.simplices[number as usize] {
                self.around[k as usize].retain(|&s| s != number);
            }
        }
        for simplex in new {
            simplex.iter().for_each(|&k| self.around[k as usize].push(self.is_alive.len() as u32));
            self.filling.simplices.push(simplex);
            self.is_alive.push(true);
        }
        true
    }

    fn worst(&self, simplices: &[u32]) -> f64 {
        let qualities = simplices.iter().map(|&s| self.quality(&self.filling.simplices[s as usize]));
        qualities.fold(f64::INFINITY, f64::min)
    }

    /// Tetrahedra that replace those around an edge, and the quality of the worst; nothing for an edge of the surface.
    fn without_edge(&self, a: u32, b: u32, old: &[u32]) -> Option<(f64, Vec<[u32; 4]>)> {
        let ring = self.ring(a, b, old)?;
        let count = ring.len();
        let pair = |i: usize, k: usize, j: usize| [[ring[i], ring[k], ring[j], b], [ring[i], ring[j], ring[k], a]];
        // The best triangulation between the ring's points i and j, for all pairs (Klincsek 1980).
        let mut best = vec![(f64::INFINITY, 0); count * count];
        for span in 2..count {
            for i in 0..count - span {
                let j = i + span;
                let worst = |k: usize| {
                    let new = pair(i, k, j).map(|corners| self.quality(&corners));
                    new[0].min(new[1]).min(best[i * count + k].0).min(best[k * count + j].0)
                };
                let choice = (i + 1..j).map(|k| (worst(k), k));
                best[i * count + j] = choice.max_by(|p, q| p.0.total_cmp(&q.0))?;
            }
        }
        let mut new = Vec::with_capacity(2 * count);
        let mut pending = vec![(0, count - 1)];
        while let Some((i, j)) = pending.pop() {
            if j > i + 1 {
                let k = best[i * count + j].1;
                new.extend(pair(i, k, j));
                pending.extend([(i, k), (k, j)]);
            }
        }
        Some((best[count - 1].0, new))
    }

    /// The points around the edge from `a` to `b`, counter-clockwise seen from `b`, if they form a ring.
    fn ring(&self, a: u32, b: u32, old: &[u32]) -> Option<Vec<u32>> {
        if !(3..=LARGEST_RING).contains(&old.len()) {
            return None;
        }
        let mut steps = Vec::with_capacity(old.len());
        for &number in old {
            let corners = self.filling.simplices[number as usize];
            let mut others = corners.into_iter().filter(|&k| k != a && k != b);
            let (x, y) = (others.next()?, others.next()?);
            steps.push(if is_even(&corners, &[a, b, x, y]) { (x, y) } else { (y, x) });
        }
        let mut ring = vec![steps[0].0];
        while ring.len() < old.len() {
            let last = *ring.last()?;
            ring.push(steps.iter().find(|(from, _)| *from == last)?.1);
        }
        let closes = steps.iter().any(|&(from, to)| Some(&from) == ring.last() && to == ring[0]);
        let mut sorted = ring.clone();
        sorted.sort_unstable();
        (closes && sorted.windows(2).all(|p| p[0] != p[1])).then_some(ring)
    }

    /// Three tetrahedra that replace two; the face is that of the first three corners of `own`.
    fn without_face(&self, own: &[u32; 4], old: &[u32]) -> Option<(f64, Vec<[u32; 4]>)> {
        let &[first, second] = old else { return None };
        let apex = |number: u32| self.filling.simplices[number as usize].into_iter().find(|k| !own[..3].contains(k));
        let (top, bottom) = (apex(first)?, apex(second)?);
        let is_positive = is_even(&self.filling.simplices[first as usize], &[own[0], own[1], own[2], top]);
        let [a, b, c] = if is_positive { [own[0], own[1], own[2]] } else { [own[1], own[0], own[2]] };
        let new = vec![[a, b, bottom, top], [b, c, bottom, top], [c, a, bottom, top]];
        let worst = new.iter().map(|corners| self.quality(corners)).fold(f64::INFINITY, f64::min);
        Some((worst, new))
    }
}

/// Is the second order of four points an even permutation of the first?
fn is_even(first: &[u32; 4], second: &[u32; 4]) -> bool {
    let place = second.map(|k| first.iter().position(|own| *own == k));
    let inversions = (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| place[i] < place[j]).count();
    inversions % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fem::mesh::generate::fill::determinant;
    use nalgebra::Vector3;

    #[test]
    fn a_long_edge_in_a_ring_is_removed_and_a_wide_face_between_near_points_too() {
        let at = |height: f64| {
            let ring = [[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]].map(|[x, y]| Vector3::new(x, y, 0.0));
            let apexes = [Vector3::new(0.0, 0.0, -height), Vector3::new(0.0, 0.0, height)];
            apexes.into_iter().chain(ring).collect::<Vec<_>>()
        };
        let volume = |filling: &Filling<Space>| {
            filling.simplices.iter().map(|s| determinant::<Space>(&filling.points, s)).sum::<f64>()
        };
        let simplices = vec![[0, 1, 2, 3], [0, 1, 3, 4], [0, 1, 4, 2]];
        let mut filling = Filling { points: at(3.0), simplices };
        let whole = volume(&filling);
        assert!(reconnect(&mut filling));
        assert_eq!(filling.simplices.len(), 2);
        assert!((volume(&filling) - whole).abs() < 1e-14);
        filling.points = at(0.1);
        assert!(reconnect(&mut filling));
        assert_eq!(filling.simplices.len(), 3);
        assert!((volume(&filling) - whole / 30.0).abs() < 1e-14);
        assert!(!reconnect(&mut filling), "the best connections stay");
    }
}
