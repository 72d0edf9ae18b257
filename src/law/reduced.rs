//! The reduced form of a law that the solver sees: one small record per contact.

use crate::dim::{Dim, Vector};

/// The parameters of a law at one contact, as the solver needs them, SI units.
///
/// The solver finds r with y = u + shift + compliance r such that r_n in `normal` is complementary to y_n,
/// |r_t| <= min(max(cohesion + friction r_n, 0), cap), and y_t opposes r_t where the bound is reached. Below the normal
/// impulse `knee`, the compliance `pull` replaces the normal compliance. A tangential spring in parallel with the
/// contact adds -spring (y_t + stretch) to r_t; the bound applies to the remainder.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(bound = "")]
pub struct Reduced<X: Dim> {
    /// Added to the relative velocity, m/s, world axes.
    pub shift: X::Vector,
    /// Least and greatest normal impulse, N s.
    #[serde(with = "bounds")]
    pub normal: [f64; 2],
    /// Coulomb coefficient.
    pub friction: f64,
    /// Tangential resistance at zero normal impulse, N s.
    #[serde(with = "bound")]
    pub cohesion: f64,
    /// Greatest tangential impulse, N s.
    #[serde(with = "bound")]
    pub cap: f64,
    /// Normal and tangential compliance, (m/s)/(N s).
    pub compliance: [f64; 2],
    /// Normal impulse below which `pull` acts, N s.
    pub knee: f64,
    /// Normal compliance below the knee, (m/s)/(N s).
    pub pull: f64,
    /// Stiffness of a spring in parallel with the contact times the step squared, N s/(m/s).
    pub spring: f64,
    /// Elongation of that spring divided by the step, m/s, world axes, in the tangent plane.
    pub stretch: X::Vector,
    /// Rolling resistance: greatest spin impulse divided by the length of the smaller body and by the normal impulse.
    #[serde(default)]
    pub rolling: f64,
}

/// A law of Signorini, Coulomb and rolling resistance only: a compact form of [`Reduced`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid<X: Dim> {
    /// Added to the relative velocity, m/s, world axes.
    pub shift: X::Vector,
    /// Coulomb coefficient.
    pub friction: f64,
    /// Rolling resistance, as [`Reduced::rolling`].
    pub rolling: f64,
}

impl<X: Dim> Rigid<X> {
    /// Expands to the general record.
    #[inline(always)]
    pub fn reduced(self) -> Reduced<X> {
        Reduced { rolling: self.rolling, ..Reduced::cone(self.shift, self.friction) }
    }
}

impl<X: Dim> Reduced<X> {
    /// Signorini-Coulomb with the given shift and friction coefficient.
    #[inline(always)]
    pub fn cone(shift: X::Vector, friction: f64) -> Self {
        Self {
            shift,
            normal: [0.0, f64::INFINITY],
            friction,
            cohesion: 0.0,
            cap: f64::INFINITY,
            compliance: [0.0, 0.0],
            knee: 0.0,
            pull: 0.0,
            spring: 0.0,
            stretch: X::Vector::zero(),
            rolling: 0.0,
        }
    }

    /// Whether the law is plain Signorini-Coulomb with a shift: the case of the fastest kernel.
    #[inline(always)]
    pub fn is_cone(&self) -> bool {
        self.normal == [0.0, f64::INFINITY]
            && self.cohesion == 0.0
            && self.cap == f64::INFINITY
            && self.compliance == [0.0, 0.0]
            && self.knee == 0.0
            && self.spring == 0.0
            && self.rolling == 0.0
    }

    /// Radius of the disk that bounds the tangential impulse, N s.
    #[inline(always)]
    pub fn radius(&self, normal_impulse: f64) -> f64 {
        (self.cohesion + self.friction * normal_impulse).max(0.0).min(self.cap)
    }

    /// Complementarity work of an impulse `r` at the velocity `y` = u + shift + compliance r: the support function of
    /// the law's bounds at -y, plus r.y. Zero in a solution, otherwise positive. An infinite bound is replaced by
    /// impulses of the magnitude of `r`.
    pub fn complementarity(&self, r: X::Vector, y: X::Vector, n: X::Vector) -> f64 {
        let r_n = r.dot(&n);
        let below = (r_n - self.knee).min(0.0) * (self.pull - self.compliance[0]);
        let y_n = y.dot(&n) + below;
        let bound = if y_n > 0.0 { self.normal[0] } else { self.normal[1] };
        let normal = y_n * if bound.is_finite() { r_n - bound } else { r_n };
        let y_t = y - n * y.dot(&n);
        // The part of the impulse that the slider carries, without the parallel spring.
        let slider = r - n * r_n + (y_t + self.stretch) * self.spring;
        let (radius, speed) = (self.radius(r_n), y_t.norm());
        let tangent = if radius.is_finite() { slider.dot(&y_t) + radius * speed } else { slider.norm() * speed };
        normal.abs() + tangent.abs()
    }

    /// Maps the normal impulse of a rigid response to the impulse of the law, where 1/`step` is the local response in
    /// the normal direction.
    #[inline(always)]
    pub fn normal_impulse(&self, rigid: f64, step: f64) -> f64 {
        let below = rigid - self.knee;
        let impulse = if below < 0.0 && self.pull != self.compliance[0] {
            self.knee + below / (1.0 + step * (self.pull - self.compliance[0]))
        } else {
            rigid
        };
        impulse.clamp(self.normal[0], self.normal[1])
    }

    /// Maps the tangential impulse of sticking to the impulse of the law, within the disk of this radius, where
    /// 1/`step` is the local response in tangential directions.
    ///
    /// With a spring a in parallel with the contact, the slider carries f = r_t + a (y_t + stretch); where |f| would
    /// exceed the radius, it slides by y_t = (f' - f)/(step + a), f' on the boundary of the disk in the direction of f.
    #[inline(always)]
    pub fn tangential_impulse(&self, stick: X::Vector, radius: f64, step: f64) -> X::Vector {
        let trial = if self.spring == 0.0 { stick } else { stick + self.stretch * self.spring };
        let length = trial.norm();
        if length <= radius {
            return stick;
        }
        let slider = trial * (radius / length);
        if self.spring == 0.0 {
            return slider;
        }
        let slip = (slider - trial) * (1.0 / (step + self.spring));
        slider - (slip + self.stretch) * self.spring
    }
}

/// Serialises infinite bounds as text, since JSON has no infinity.
mod bound {
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(serde::Serialize, Deserialize)]
    #[serde(untagged)]
    enum Number {
        Finite(f64),
        Named(String),
    }

    pub(super) fn serialize<S: Serializer>(x: &f64, s: S) -> Result<S::Ok, S::Error> {
        if x.is_finite() { s.serialize_f64(*x) } else { s.serialize_str(&x.to_string()) }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
        match Number::deserialize(d)? {
            Number::Finite(x) => Ok(x),
            Number::Named(name) => name.parse().map_err(serde::de::Error::custom),
        }
    }
}

/// As `bound`, for a pair of bounds.
mod bounds {
    use serde::ser::SerializeTuple;
    use serde::{Deserialize, Deserializer, Serializer};

    #[derive(serde::Serialize, Deserialize)]
    struct Bound(#[serde(with = "super::bound")] f64);

    pub(super) fn serialize<S: Serializer>(x: &[f64; 2], s: S) -> Result<S::Ok, S::Error> {
        let mut pair = s.serialize_tuple(2)?;
        pair.serialize_element(&Bound(x[0]))?;
        pair.serialize_element(&Bound(x[1]))?;
        pair.end()
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<[f64; 2], D::Error> {
        let [a, b] = <[Bound; 2]>::deserialize(d)?;
        Ok([a.0, b.0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use nalgebra::Vector3;

    /// The normal impulse of a contact with the local response u = free + w r, by the law's map with the exact step.
    fn normal(law: &Reduced<Space>, free: f64, w: f64) -> f64 {
        let step = 1.0 / (w + law.compliance[0]);
        // The start is arbitrary: here an impulse of 3.
        law.normal_impulse(3.0 - step * (free + 3.0 * (w + law.compliance[0])), step)
    }

    #[test]
    fn the_normal_map_solves_a_piecewise_linear_law_in_one_step() {
        let law = Reduced::<Space> {
            normal: [-5.0, f64::INFINITY],
            compliance: [0.1, 0.0],
            knee: 1.0,
            pull: 2.0,
            ..Reduced::cone(Vector3::zeros(), 0.0)
        };
        for (free, w) in [(-4.0, 1.0), (-1.0, 1.0), (0.5, 0.2), (3.0, 0.5), (100.0, 1.0)] {
            let r = normal(&law, free, w);
            let y = free + w * r + if r > 1.0 { 0.1 * r } else { 0.1 + 2.0 * (r - 1.0) };
            assert!(if r > -5.0 { y.abs() < 1e-12 } else { y > 0.0 }, "{free}: {r}, {y}");
        }
    }

    #[test]
    fn a_solution_with_a_spring_beside_the_slider_is_a_fixed_point_of_the_map_whatever_the_step() {
        let law = Reduced::<Space> {
            spring: 2.0,
            stretch: Vector3::new(0.3, -0.1, 0.0),
            ..Reduced::cone(Vector3::zeros(), 0.5)
        };
        // Sliding with velocity u, the slider carries 0.7 against u, the spring -2 (u + stretch).
        let u = Vector3::new(-0.4, 0.2, 0.0);
        let slides = u * (-0.7 / u.norm()) - (u + law.stretch) * law.spring;
        // Sticking, the slider carries anything up to 0.7.
        let sticks = Vector3::new(0.2, 0.6, 0.0) - law.stretch * law.spring;
        for step in [1e-3, 0.3, 50.0] {
            let slid = law.tangential_impulse(slides - u * step, 0.7, step);
            assert!((slid - slides).norm() < 1e-12, "step {step}: {slid}");
            assert_eq!(law.tangential_impulse(sticks, 0.7, step), sticks);
        }
    }

    #[test]
    fn friction_under_an_attraction_counts_from_its_bound() {
        let law = Reduced::<Space> {
            normal: [-2.0, f64::INFINITY],
            cohesion: 1.0,
            cap: 1.2,
            ..Reduced::cone(Vector3::zeros(), 0.5)
        };
        assert_eq!([-2.0, -1.0, 0.0, 1.0, -3.0].map(|r| law.radius(r)), [0.0, 0.5, 1.0, 1.2, 0.0]);
    }
}
