//! Existence of a solution; if there is none, the self-balanced impulses that work against the imposed motion.
//!
//! A solution exists if v* lies in the dual of Ker H intersected with the friction cones: v*.r >= 0 for all
//! self-balanced impulses r in the cones (A. Klarbring and J.-S. Pang 1998; V. Acary, F. Cadoux, C. Lemarechal and J.
//! Malick 2011). On Ker H = Ker W the free velocities satisfy q.r = v*.r, so the criterion fails exactly when
//!
//!   min over the cones of  1/2 r.W r + q.r
//!
//! is unbounded: along a direction d with W d = 0 and q.d < 0. The minimum is sought by projected gradients with
//! momentum, restarted where a step opposes it; the step lengths follow from the row sums, which bound W. Impulses that
//! grow without bound turn into that direction.

use super::Delassus;
use crate::dim::{Dim, Vector};
use crate::solver::certificate::project_on_cone;

/// Impulses whose energy is below this fraction of its bound are self-balanced.
const BALANCED: f64 = 1e-10;
/// Impulses whose work against the imposed motion exceeds this fraction of its bound oppose it.
const OPPOSING: f64 = 1e-6;
/// Relative change of the impulses at which the minimisation has converged.
const CONVERGED: f64 = 1e-8;
/// Contacts with more than this fraction of the greatest impulse are involved.
const INVOLVED: f64 = 0.01;
/// Number of steps between two tests.
const TEST_INTERVAL: u32 = 10;

/// Verdict of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExistenceVerdict {
    /// The criterion holds: there is a solution.
    Exists,
    /// The criterion fails: self-balanced impulses work against the imposed motion.
    Inconsistent,
    /// Neither holds after the allowed steps: the problem is badly conditioned.
    Unsure,
}

/// Result of the search for a solution's existence.
#[derive(Clone, Debug, PartialEq)]
pub struct Existence<X: Dim> {
    /// The verdict.
    pub verdict: ExistenceVerdict,
    /// Number of steps.
    pub steps: u32,
    /// Energy r.W r over its bound for these impulses; zero if they are self-balanced.
    pub balance: f64,
    /// The impulses in the contact frames, scaled so that the greatest has length one.
    pub impulses: Vec<X::Vector>,
}

impl<X: Dim> Existence<X> {
    /// Indices of the contacts that are involved, by decreasing impulse.
    pub fn involved(&self) -> Vec<usize> {
        let size = |k: &usize| self.impulses[*k].norm();
        let mut found: Vec<usize> = (0..self.impulses.len()).filter(|k| size(k) >= INVOLVED).collect();
        found.sort_by(|a, b| size(b).total_cmp(&size(a)).then(a.cmp(b)));
        found
    }
}

impl<X: Dim> Delassus<X> {
    /// Does a solution exist? Searches for at most `most` steps.
    pub fn existence(&self, most: u32) -> Existence<X> {
        self.existence_unless(most, || false)
    }

    /// The same; ends unsure as soon as `stop`, called before every step, returns true.
    pub fn existence_unless(&self, most: u32, stop: impl Fn() -> bool) -> Existence<X> {
        let n = X::Vector::axis(0);
        let size = |block: &X::Matrix| {
            let rows = (0..X::D).map(|i| (0..X::D).map(|j| block[(i, j)].powi(2)).sum::<f64>());
            rows.sum::<f64>().sqrt()
        };
        // Row sums bound the matrix, because it is symmetric.
        let bounds: Vec<f64> =
            (0..self.contacts()).map(|row| self.row(row).map(|(_, block)| size(block)).sum::<f64>()).collect();
        let mut r = vec![X::Vector::zero(); self.contacts()];
        let mut y = r.clone();
        let (mut momentum, mut steps, mut balance) = (1.0f64, 0, 1.0);
        let mut verdict = ExistenceVerdict::Unsure;
        while steps < most && verdict == ExistenceVerdict::Unsure && !stop() {
            let velocities = self.velocities(&y);
            let (mut reversal, mut change, mut energy) = (0.0, 0.0, 0.0);
            let mut next = Vec::with_capacity(r.len());
            for (k, &u) in velocities.iter().enumerate() {
                let trial = if bounds[k] > 0.0 { y[k] - u * (1.0 / bounds[k]) } else { y[k] };
                let new = project_on_cone::<X>(trial, n, self.friction[k]);
                reversal += bounds[k] * (y[k] - new).dot(&(new - r[k]));
                change += bounds[k] * (y[k] - new).norm2();
                energy += bounds[k] * new.norm2();
                next.push(new);
            }
            if reversal > 0.0 {
                momentum = 1.0;
            }
            let after = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let factor = (momentum - 1.0) / after;
            momentum = after;
            y = next.iter().zip(&r).map(|(new, old)| *new + (*new - *old) * factor).collect();
            r = next;
            steps += 1;
            if energy == 0.0 && change == 0.0 {
                verdict = ExistenceVerdict::Exists;
            } else if steps % TEST_INTERVAL == 0 {
                let (r_w_r, work, bound) = self.balance(&r);
                balance = r_w_r / energy;
                if balance < BALANCED && work < -OPPOSING * bound {
                    verdict = ExistenceVerdict::Inconsistent;
                } else if change <= CONVERGED * CONVERGED * energy {
                    verdict = ExistenceVerdict::Exists;
                }
            }
        }
        let greatest = r.iter().map(Vector::norm).fold(0.0, f64::max);
        let scale = if greatest > 0.0 { 1.0 / greatest } else { 0.0 };
        Existence { verdict, steps, balance, impulses: r.iter().map(|r| *r * scale).collect() }
    }

    /// r.W r, q.r, and the sum of all |q| |r|.
    fn balance(&self, r: &[X::Vector]) -> (f64, f64, f64) {
        let (mut r_w_r, mut work, mut bound) = (0.0, 0.0, 0.0);
        for ((r, u), q) in r.iter().zip(self.velocities(r)).zip(&self.free) {
            r_w_r += r.dot(&(u - *q));
            work += r.dot(q);
            bound += r.norm() * q.norm();
        }
        (r_w_r, work, bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Plane;
    use nalgebra::{Matrix2, Vector2};

    /// P. Alart and M. Renouf, On inconsistency in frictional granular systems, equation 10: a disk of unit mass in a
    /// corner, whose wall approaches with the speed `push`.
    fn corner(push: f64, friction: f64) -> Delassus<Plane> {
        let block = |a: f64, b: f64, c: f64, d: f64| Matrix2::new(a, b, c, d);
        let entries = vec![
            (0, 0, block(1.0, 0.0, 0.0, 3.0)),
            (0, 1, block(0.0, -1.0, 1.0, 2.0)),
            (1, 0, block(0.0, 1.0, -1.0, 2.0)),
            (1, 1, block(1.0, 0.0, 0.0, 3.0)),
        ];
        let (g, h) = (Vector2::new(-1.0, -9.8), 1e-3);
        let free = vec![Vector2::new(g.y, g.x) * h, Vector2::new(g.x * h - push, -g.y * h)];
        Delassus::new(entries, free, vec![friction; 2])
    }

    #[test]
    fn a_disk_pushed_into_a_corner_has_no_solution_beyond_the_critical_friction() {
        let found = corner(0.1, 1.1).existence(10_000);
        assert_eq!(found.verdict, ExistenceVerdict::Inconsistent);
        let mut involved = found.involved();
        involved.sort_unstable();
        assert_eq!(involved, [0, 1]);
        // The self-balanced impulses of the paper: (1, -1, 1, 1).
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let expected = [Vector2::new(half, -half), Vector2::new(half, half)];
        found.impulses.iter().zip(expected).for_each(|(r, e)| assert!((r - e).norm() < 1e-3, "{r}"));
    }

    #[test]
    fn it_has_one_below_it_and_where_the_wall_is_pulled_or_stands_still() {
        for (push, friction) in [(0.1, 0.8), (-0.1, 1.1), (0.1, 0.99), (-0.1, 0.5)] {
            assert_eq!(
                corner(push, friction).existence(100_000).verdict,
                ExistenceVerdict::Exists,
                "{push}, {friction}"
            );
        }
    }
}
