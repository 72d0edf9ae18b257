//! Improvement of the worst simplices of a mesh: their corners move to where the worst simplex around them is best.
//!
//! The quality of a simplex is its volume over the power of the mean length of its edges, which is low for needles and
//! slivers alike. A point of a face of the shape moves in the face, one of an edge along it.

use crate::dim::{Dim, Vector};

use super::fill::{Filling, determinant};

/// Quality, relative to that of a regular simplex, below which a simplex is improved.
pub(super) const POOR: f64 = 0.35;
/// Number of rounds over all poor simplices.
const ROUNDS: usize = 5;

/// Least improvement of a move.
const GAIN: f64 = 2e-3;

/// Directions in which a point of the surface cannot move: unit vectors, orthogonal to each other.
pub(super) type Constraints<X> = Vec<<X as Dim>::Vector>;

/// Improves a filling whose first points are bound by `constraints`.
pub(super) fn improve<X: Dim>(filling: &mut Filling<X>, constraints: &[Constraints<X>]) {
    let around = simplices_around::<X>(filling);
    for _ in 0..ROUNDS {
        let mut poor: Vec<(f64, u32)> = (0..filling.simplices.len() as u32)
            .map(|number| (quality::<X>(&filling.points, &filling.simplices[number as usize]), number))
            .filter(|&(quality, _)| quality < POOR)
            .collect();
        poor.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
        let mut has_moved = false;
        for (_, number) in poor {
            for corner in filling.simplices[number as usize].into_iter().take(X::D + 1) {
                let bound = constraints.get(corner as usize).map(Vec::as_slice).unwrap_or_default();
                if bound.len() < X::D {
                    has_moved |= climb(filling, &around[corner as usize], corner, bound);
                }
            }
        }
        if !has_moved {
            return;
        }
    }
}

fn simplices_around<X: Dim>(filling: &Filling<X>) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); filling.points.len()];
    for (number, simplex) in filling.simplices.iter().enumerate() {
        simplex[..=X::D].iter().for_each(|&k| around[k as usize].push(number as u32));
    }
    around
}

/// Volume over the power of the root of the mean square of the edges; 1 for a regular simplex.
pub(super) fn quality<X: Dim>(points: &[X::Vector], simplex: &[u32; 4]) -> f64 {
    let (mut sum, mut count, d) = (0.0, 0.0, X::D as i32);
    for i in 0..=X::D {
        for j in 0..i {
            sum += (points[simplex[i] as usize] - points[simplex[j] as usize]).norm2();
            count += 1.0;
        }
    }
    // A regular simplex with edges of length one has the determinant sqrt((D + 1) / 2^D).
    let regular = ((X::D as f64 + 1.0) / 2f64.powi(d)).sqrt();
    determinant::<X>(points, simplex) / (regular * (sum / count).sqrt().powi(d))
}

/// Moves a point by trial steps along the axes, as long as the worst simplex around it improves.
fn climb<X: Dim>(filling: &mut Filling<X>, around: &[u32], point: u32, bound: &[X::Vector]) -> bool {
    // The quality of the worst simplex, if it is more than `least`: the first that is not decides.
    let worst = |points: &[X::Vector], least: f64| {
        around.iter().try_fold(f64::INFINITY, |worst, &s| {
            let quality = quality::<X>(points, &filling.simplices[s as usize]);
            (quality > least).then_some(quality.min(worst))
        })
    };
    let start = filling.points[point as usize];
    let reach = around
        .iter()
        .flat_map(|&s| &filling.simplices[s as usize][..=X::D])
        .map(|&k| (filling.points[k as usize] - start).norm())
        .filter(|&length| length > 0.0)
        .fold(f64::INFINITY, f64::min);
    let mut best = worst(&filling.points, f64::NEG_INFINITY).unwrap_or(f64::NEG_INFINITY);
    let mut has_moved = false;
    let mut step = 0.3 * reach;
    while step > 0.02 * reach {
        let mut gain = None;
        for direction in directions::<X>(bound) {
            let from = filling.points[point as usize];
            filling.points[point as usize] = from + direction * step;
            if let Some(quality) = worst(&filling.points, best + GAIN) {
                (best, gain) = (quality, Some(filling.points[point as usize]));
            }
            filling.points[point as usize] = from;
        }
        match gain {
            Some(position) => (filling.points[point as usize], has_moved) = (position, true),
            None => step *= 0.5,
        }
    }
    has_moved
}

/// Unit vectors along the axes and their diagonals, without what the constraints forbid.
fn directions<X: Dim>(bound: &[X::Vector]) -> Vec<X::Vector> {
    let count = 3usize.pow(X::D as u32);
    let signs = |number: usize| X::Vector::from_fn(|k| (number / 3usize.pow(k as u32) % 3) as f64 - 1.0);
    let allowed = |v: X::Vector| bound.iter().fold(v, |v, normal| v - *normal * v.dot(normal));
    let unit = |v: X::Vector| Some(v * (1.0 / v.norm())).filter(|_| v.norm() > 0.1);
    (0..count).filter_map(|number| unit(allowed(signs(number)))).collect()
}
