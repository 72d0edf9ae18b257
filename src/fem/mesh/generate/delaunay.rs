//! Delaunay tessellation of points in two or three dimensions (Bowyer 1981, Watson 1981).
//!
//! A point is inserted by removing all simplices whose circumscribed sphere contains it and joining the facets of the
//! cavity to the point. Points are displaced by a tiny pseudo-random vector first, so that no four lie on a circle
//! and no five on a sphere, and the signs of determinants are certain in double precision. The tessellation of the
//! original points has the same connectivity; simplices of points on a common face of a shape are flat in it, and the
//! caller drops them.

use crate::dim::{Dim, Vector};

/// No simplex.
const NONE: u32 = u32::MAX;
/// Displacement of the points, relative to the length given.
const DISPLACEMENT: f64 = 1e-5;
/// Distance of the corners of the outermost simplex, relative to the size of the box.
const FAR: f64 = 200.0;

/// A simplex of D + 1 corners; neighbour k lies opposite to corner k.
#[derive(Clone, Copy)]
struct DelaunaySimplex {
    corners: [u32; 4],
    neighbours: [u32; 4],
    is_alive: bool,
}

/// The tessellation; its first D + 1 points are the corners of a simplex around all others.
pub(super) struct Delaunay<X: Dim> {
    points: Vec<X::Vector>,
    simplices: Vec<DelaunaySimplex>,
    free: Vec<u32>,
    last: u32,
    displacement: f64,
    /// Mark of the cavity of the last insertion, by simplex.
    marks: Vec<u32>,
    mark: u32,
}

impl<X: Dim> Delaunay<X> {
    /// An empty tessellation for points in this box whose distances are about `length`.
    pub(super) fn new(min: X::Vector, max: X::Vector, length: f64) -> Self {
        let reach = FAR * (max - min).norm();
        let middle = (min + max) * 0.5;
        let lowest = middle - X::Vector::from_fn(|_| reach);
        let mut points = vec![lowest];
        points.extend((0..X::D).map(|k| lowest + X::Vector::axis(k) * (2.0 * X::D as f64 * reach)));
        let mut corners = [0; 4];
        (0..=X::D).for_each(|k| corners[k] = k as u32);
        let first = DelaunaySimplex { corners, neighbours: [NONE; 4], is_alive: true };
        let displacement = DISPLACEMENT * length;
        Self { points, simplices: vec![first], free: Vec::new(), last: 0, displacement, marks: vec![0], mark: 0 }
    }

    /// Inserts points in an order in which each is near the one before; their numbers are `first` and so on.
    pub(super) fn insert_all(&mut self, points: &[X::Vector], min: X::Vector, max: X::Vector) {
        let first = self.points.len() as u32;
        self.points.extend(points.iter().enumerate().map(|(k, &p)| displaced::<X>(p, k as u64, self.displacement)));
        let mut order: Vec<(u64, u32)> =
            points.iter().zip(first..).map(|(&p, k)| (X::curve_key(p, min, max), k)).collect();
        order.sort_unstable();
        order.iter().for_each(|&(_, k)| self.insert(k));
    }

    /// All simplices between the points, numbered as they were added.
    pub(super) fn simplices(&self) -> impl Iterator<Item = [u32; 4]> + '_ {
        let outer = X::D as u32 + 1;
        let is_inner = move |s: &&DelaunaySimplex| s.is_alive && s.corners[..=X::D].iter().all(|&k| k >= outer);
        self.simplices.iter().filter(is_inner).map(move |s| s.corners.map(|k| k.wrapping_sub(outer)))
    }

    /// D! times the volume of a simplex with corner `k` moved to a point.
    fn determinant_with(&self, simplex: u32, k: usize, point: u32) -> f64 {
        let mut corners = self.simplices[simplex as usize].corners;
        corners[k] = point;
        let at = |i: usize| self.points[corners[i] as usize];
        let mut edges = [X::Vector::zero(); 3];
        (0..X::D).for_each(|i| edges[i] = at(i + 1) - at(0));
        X::determinant(&edges[..X::D])
    }

    /// Is the point inside the circumscribed sphere of a simplex?
    fn is_in_sphere(&self, simplex: u32, point: u32) -> bool {
        let corners = self.simplices[simplex as usize].corners;
        let mut arms = [X::Vector::zero(); 4];
        (0..=X::D).for_each(|k| arms[k] = self.points[corners[k] as usize] - self.points[point as usize]);
        let mut sum = 0.0;
        let mut sign = 1.0;
        for k in 0..=X::D {
            let mut others = [X::Vector::zero(); 3];
            (0..X::D).for_each(|i| others[i] = arms[if i < k { i } else { i + 1 }]);
            sum += sign * arms[k].norm2() * X::determinant(&others[..X::D]);
            sign = -sign;
        }
        sum > 0.0
    }

    /// A simplex that contains the point.
    fn locate(&self, point: u32) -> u32 {
        let contains = |s: u32| (0..=X::D).find(|&k| self.determinant_with(s, k, point) < 0.0);
        let mut at = self.last;
        for _ in 0..self.simplices.len() {
            match contains(at).map(|k| self.simplices[at as usize].neighbours[k]) {
                Some(NONE) => break,
                Some(next) => at = next,
                None => return at,
            }
        }
        // A walk that goes astray by rounding: look at every simplex.
        let alive = (0..self.simplices.len() as u32).filter(|&s| self.simplices[s as usize].is_alive);
        alive.into_iter().find(|&s| contains(s).is_none()).unwrap_or(at)
    }

    fn insert(&mut self, point: u32) {
        self.mark += 1;
        let start = self.locate(point);
        let mut cavity = vec![start];
        self.marks[start as usize] = self.mark;
        let mut next = 0;
        while next < cavity.len() {
            let simplex = cavity[next];
            next += 1;
            for k in 0..=X::D {
                let beyond = self.simplices[simplex as usize].neighbours[k];
                if beyond == NONE || self.marks[beyond as usize] == self.mark {
                    continue;
                }
                // A facet that the point does not see from inside would give an inverted simplex.
                if self.is_in_sphere(beyond, point) || self.determinant_with(simplex, k, point) <= 0.0 {
                    self.marks[beyond as usize] = self.mark;
                    cavity.push(beyond);
                }
            }
        }
        self.fill(&cavity, point);
    }

    /// Replaces the simplices of a cavity by those between its facets and the point.
    fn fill(&mut self, cavity: &[u32], point: u32) {
        let mut facets = Vec::new();
        for &simplex in cavity {
            let old = self.simplices[simplex as usize];
            for k in 0..=X::D {
                let beyond = old.neighbours[k];
                if beyond == NONE || self.marks[beyond as usize] != self.mark {
                    facets.push((old.corners, k, beyond));
                }
            }
        }
        for &simplex in cavity {
            self.simplices[simplex as usize].is_alive = false;
            self.free.push(simplex);
        }
        // The sides of the new simplices that meet at the point, by their other corners.
        let mut sides: Vec<([u32; 2], u32, usize)> = Vec::with_capacity(facets.len() * X::D);
        for (mut corners, k, beyond) in facets {
            corners[k] = point;
            let mut neighbours = [NONE; 4];
            neighbours[k] = beyond;
            let number = self.place(DelaunaySimplex { corners, neighbours, is_alive: true });
            if beyond != NONE {
                self.link(beyond, number, &corners);
            }
            for j in (0..=X::D).filter(|&j| j != k) {
                let mut key = [NONE; 2];
                (0..=X::D).filter(|&i| i != j && i != k).zip(&mut key).for_each(|(i, end)| *end = corners[i]);
                key.sort_unstable();
                sides.push((key, number, j));
            }
            self.last = number;
        }
        sides.sort_unstable();
        for pair in sides.chunk_by(|p, q| p.0 == q.0) {
            if let [(_, first, i), (_, second, j)] = *pair {
                self.simplices[first as usize].neighbours[i] = second;
                self.simplices[second as usize].neighbours[j] = first;
            }
        }
    }

    fn place(&mut self, simplex: DelaunaySimplex) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.simplices[number as usize] = simplex;
                self.marks[number as usize] = 0;
                number
            }
            None => {
                self.simplices.push(simplex);
                self.marks.push(0);
                self.simplices.len() as u32 - 1
            }
        }
    }

    /// Makes `number`, whose corners are given, the neighbour of `beyond` across their common facet.
    fn link(&mut self, beyond: u32, number: u32, corners: &[u32; 4]) {
        let own = &mut self.simplices[beyond as usize];
        for k in 0..=X::D {
            if !corners[..=X::D].contains(&own.corners[k]) {
                own.neighbours[k] = number;
            }
        }
    }
}

/// The point, displaced by a vector that depends on its number alone.
fn displaced<X: Dim>(point: X::Vector, number: u64, by: f64) -> X::Vector {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1);
    point
        + X::Vector::from_fn(|_| {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((bits ^ (bits >> 31)) >> 11) as f64 * (by * 2f64.powi(-52)) - by
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    /// Checks the empty sphere of each simplex and returns the sum of their volumes, times D!.
    fn check<X: Dim>(points: &[X::Vector], min: X::Vector, max: X::Vector) -> f64 {
        let mut tessellation = Delaunay::<X>::new(min, max, 0.1);
        tessellation.insert_all(points, min, max);
        let mut sum = 0.0;
        for simplex in 0..tessellation.simplices.len() as u32 {
            let own = tessellation.simplices[simplex as usize];
            if own.is_alive {
                let corner = own.corners[0];
                assert!(tessellation.determinant_with(simplex, 0, corner) > 0.0);
                // Flat simplices of the surface and the far corners: a sign within rounding, of no consequence.
                for point in X::D as u32 + 1..tessellation.points.len() as u32 {
                    assert!(own.corners[..=X::D].contains(&point) || !tessellation.is_in_sphere(simplex, point));
                }
            }
        }
        for simplex in tessellation.simplices() {
            let at = |k: usize| points[simplex[k] as usize];
            let edges: Vec<X::Vector> = (1..=X::D).map(|k| at(k) - at(0)).collect();
            sum += X::determinant(&edges);
        }
        sum
    }

    #[test]
    fn spheres_are_empty_and_simplices_fill_the_box_even_for_points_of_a_lattice() {
        let plane: Vec<_> = (0..100).map(|k| Vector2::new((k % 10) as f64, (k / 10) as f64)).collect();
        let area = check::<Plane>(&plane, Vector2::zeros(), Vector2::repeat(9.0));
        assert!((area - 2.0 * 81.0).abs() < 1e-9, "{area}");
        let space: Vec<_> =
            (0..216).map(|k| Vector3::new((k % 6) as f64, (k / 6 % 6) as f64, (k / 36) as f64)).collect();
        let volume = check::<Space>(&space, Vector3::zeros(), Vector3::repeat(5.0));
        assert!((volume - 6.0 * 125.0).abs() < 1e-9, "{volume}");
    }
}
