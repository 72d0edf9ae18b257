//! The exact solution of one contact: Signorini-Coulomb for a full 2x2 or 3x3 block.
//!
//! u = W r + u0,  0 <= u_n perp r_n >= 0,  |r_t| <= mu r_n,  u_t = -alpha r_t with alpha >= 0 when sliding.
//! Separation and sticking are tested first. For sliding, r(alpha) solves (W + alpha I_t) r = -u0 at given alpha, and
//! |r_t| - mu r_n falls from positive (no sticking) to negative (large alpha), so that a root is bracketed and found by
//! a safeguarded Newton iteration.

use crate::dim::{Dim, Square, Vector};

/// Why a local problem has no solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Impossible {
    /// The block is not positive definite, or an input is not a valid number.
    #[error("the local block is not positive definite")]
    NotDefinite,
    /// Friction couples so strongly that no sliding impulse closes the contact (Painleve).
    #[error("no impulse satisfies the contact law (Painleve-like data)")]
    Painleve,
}

/// Does friction times coupling, mu |W_nt|, reach W_nn? The local problem may then have several solutions or, when
/// contacts act together, none.
pub fn is_painleve_like<X: Dim>(block: &X::Matrix, friction: f64) -> bool {
    let coupling = (1..X::D).map(|k| block[(0, k)] * block[(0, k)]).sum::<f64>().sqrt();
    friction.is_finite() && friction * coupling >= block[(0, 0)]
}

/// The impulse r in the contact frame (normal first) for the free velocity `free`.
pub fn exact<X: Dim>(block: &X::Matrix, free: X::Vector, friction: f64) -> Result<X::Vector, Impossible> {
    if !free.is_finite() || friction.is_nan() || friction < 0.0 || !is_definite::<X>(block) {
        return Err(Impossible::NotDefinite);
    }
    if free[0] >= 0.0 {
        return Ok(X::Vector::zero());
    }
    let scale = (1..X::D).map(|k| block[(k, k)]).sum();
    let sliding = Sliding::<X> { block: *block, free, friction, scale };
    let (stick, _) = sliding.impulse(0.0);
    if stick[0] >= 0.0 && sliding.excess(stick) <= 0.0 {
        return Ok(stick);
    }
    sliding.root()
}

/// Is the block positive definite, by the pivots of a symmetric elimination? NaN fails the test.
fn is_definite<X: Dim>(block: &X::Matrix) -> bool {
    let mut rows = [X::Vector::zero(); 3];
    (0..X::D).for_each(|i| rows[i] = block.row_vector(i));
    for k in 0..X::D {
        let pivot = rows[k];
        let least = 1e-14 * block[(k, k)].abs();
        if pivot[k].is_nan() || pivot[k] <= least || pivot[k].is_infinite() {
            return false;
        }
        for row in &mut rows[k + 1..X::D] {
            let factor = row[k] / pivot[k];
            *row -= pivot * factor;
        }
    }
    true
}

/// The one-parameter family r(alpha) of sliding impulses.
struct Sliding<X: Dim> {
    block: X::Matrix,
    free: X::Vector,
    friction: f64,
    /// Trace of the tangential block: the scale of alpha.
    scale: f64,
}

impl<X: Dim> Sliding<X> {
    /// r(alpha) and its derivative.
    fn impulse(&self, alpha: f64) -> (X::Vector, X::Vector) {
        let shifted = X::Matrix::from_fn(|i, j| self.block[(i, j)] + if i == j && i > 0 { alpha } else { 0.0 });
        // A positive definite matrix plus a non-negative diagonal stays invertible.
        let inverse = shifted.inverted().unwrap_or(X::Matrix::null());
        let r = inverse.apply(-self.free);
        let tangent = X::Vector::from_fn(|i| if i == 0 { 0.0 } else { r[i] });
        (r, inverse.apply(-tangent))
    }

    /// |r_t| - mu r_n: positive outside the cone.
    fn excess(&self, r: X::Vector) -> f64 {
        tangent_norm::<X>(r) - self.friction * r[0]
    }

    fn root(&self) -> Result<X::Vector, Impossible> {
        let (mut low, mut high) = (0.0, self.scale);
        let mut doublings = 0;
        while self.excess(self.impulse(high).0) > 0.0 {
            (low, high) = (high, high * 4.0);
            doublings += 1;
            if doublings > 200 {
                // mu = 0: the root is at infinity, where the tangential impulse vanishes.
                break;
            }
        }
        if self.friction == 0.0 {
            return Ok(X::Vector::from_fn(|i| if i == 0 { -self.free[0] / self.block[(0, 0)] } else { 0.0 }));
        }
        if doublings > 200 {
            return Err(Impossible::Painleve);
        }
        let mut alpha = 0.5 * (low + high);
        for _ in 0..200 {
            let (r, slope) = self.impulse(alpha);
            let value = self.excess(r);
            if value > 0.0 {
                low = alpha
            } else {
                high = alpha
            }
            let length = tangent_norm::<X>(r);
            let along = (1..X::D).map(|k| r[k] * slope[k]).sum::<f64>();
            let derivative = if length > 0.0 { along / length } else { 0.0 } - self.friction * slope[0];
            let newton = alpha - value / derivative;
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if (next - alpha).abs() <= 1e-16 * alpha.abs() || high - low <= 1e-16 * high {
                break;
            }
            alpha = next;
        }
        let (r, _) = self.impulse(alpha);
        if !r.is_finite() || r[0] < 0.0 {
            return Err(Impossible::Painleve);
        }
        // Scales exactly to the cone; the direction is that of the tangential impulse.
        let length = tangent_norm::<X>(r);
        let stretch = if length > 0.0 { self.friction * r[0] / length } else { 0.0 };
        Ok(X::Vector::from_fn(|i| if i == 0 { r[0] } else { r[i] * stretch }))
    }
}

fn tangent_norm<X: Dim>(r: X::Vector) -> f64 {
    (1..X::D).map(|k| r[k] * r[k]).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use rand_core::{Rng, SeedableRng};

    /// Largest violation of Signorini-Coulomb, relative to the size of the data.
    fn violation<X: Dim>(block: &X::Matrix, free: X::Vector, friction: f64, r: X::Vector) -> f64 {
        let u = block.apply(r) + free;
        let tangent = |v: X::Vector| X::Vector::from_fn(|i| if i == 0 { 0.0 } else { v[i] });
        let (r_t, u_t) = (tangent(r), tangent(u));
        let (scale_u, scale_r) = (free.norm(), free.norm() / block[(0, 0)]);
        let mut worst: f64 = (-u[0]).max(0.0) / scale_u;
        worst = worst.max((-r[0]).max(0.0) / scale_r);
        worst = worst.max((u[0] * r[0]).abs() / (scale_u * scale_r));
        worst = worst.max((r_t.norm() - friction * r[0]).max(0.0) / scale_r);
        // Sliding: u_t = -|u_t| r_t/|r_t|, and only where the bound is reached.
        let slack = friction * r[0] - r_t.norm();
        worst = worst.max(u_t.norm() * slack.max(0.0) / (scale_u * scale_r));
        let opposed = u_t * r_t.norm() + r_t * u_t.norm();
        worst.max(opposed.norm() / (scale_u * scale_r))
    }

    fn random_problems<X: Dim>(seed: u64) {
        let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
        let mut uniform = move || random.next_u64() as f64 / u64::MAX as f64 * 2.0 - 1.0;
        for _ in 0..20_000 {
            let root = X::Matrix::from_fn(|_, _| uniform());
            let block = X::Matrix::from_fn(|i, j| {
                root.row_vector(i).dot(&root.row_vector(j)) + if i == j { 0.05 } else { 0.0 }
            });
            let free = X::Vector::from_fn(|_| uniform());
            let friction = (uniform() + 1.0) * if uniform() > -0.9 { 1.0 } else { 0.0 };
            let r = exact::<X>(&block, free, friction).expect("positive definite data has a solution");
            let worst = violation::<X>(&block, free, friction, r);
            assert!(worst < 1e-12, "violation {worst:e} for W = {block:?}, u0 = {free:?}, mu = {friction}");
        }
    }

    #[test]
    fn a12_the_exact_solution_satisfies_signorini_coulomb_to_1e_12_in_the_plane() {
        random_problems::<Plane>(12);
    }

    #[test]
    fn a12_the_exact_solution_satisfies_signorini_coulomb_to_1e_12_in_space() {
        random_problems::<Space>(13);
    }

    #[test]
    fn a12_impossible_data_is_reported_and_never_becomes_nan() {
        use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
        let rigid = Matrix3::zeros();
        assert_eq!(exact::<Space>(&rigid, Vector3::new(-1.0, 0.0, 0.0), 0.5), Err(Impossible::NotDefinite));
        let indefinite = Matrix2::new(1.0, 2.0, 2.0, 1.0);
        assert_eq!(exact::<Plane>(&indefinite, Vector2::new(-1.0, 0.1), 0.5), Err(Impossible::NotDefinite));
        let nan = Vector2::new(f64::NAN, 0.0);
        assert_eq!(exact::<Plane>(&Matrix2::identity(), nan, 0.5), Err(Impossible::NotDefinite));
        // Coupling above W_nn/mu: several solutions; flagged, and the answer is still one of them.
        let coupled = Matrix2::new(1.0, 1.5, 1.5, 4.0);
        assert!(is_painleve_like::<Plane>(&coupled, 1.0));
        let free = Vector2::new(-1.0, -3.0);
        let r = exact::<Plane>(&coupled, free, 1.0).unwrap();
        assert!(violation::<Plane>(&coupled, free, 1.0, r) < 1e-12);
    }
}
