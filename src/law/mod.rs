//! Interaction laws: each a change of variables that ends in one small record for the solver.
//!
//! A law is a pure function of local quantities, called before the sweeps, never inside. Adding one means one
//! file with a struct and its [`ContactLaw`], and one line in the `laws!` list below: the scene key, the
//! schema and the error messages follow from it.

mod bilateral;
mod coulomb;
mod frictionless;
mod restitution;
mod table;

use crate::dim::{Dim, Vector};

pub use bilateral::Bilateral;
pub use coulomb::Coulomb;
pub use frictionless::Frictionless;
pub use restitution::Restitution;
pub use table::LawTable;

/// What a law knows of a contact before the solve.
#[derive(Clone, Copy, Debug)]
pub struct Local<X: Dim> {
    /// Unit normal from the first body to the second.
    pub normal: X::Vector,
    /// Signed distance at mid-step, m.
    pub gap: f64,
    /// Velocity of the second body relative to the first at the contact, at the start of the step, m/s.
    pub before: X::Vector,
    /// Length of the smaller of the two bodies (radius, least half-extent), m.
    pub size: f64,
    /// Inverse effective mass along the normal, 1/kg.
    pub w_normal: f64,
}

impl<X: Dim> Local<X> {
    /// Normal part of the velocity before: negative when approaching.
    pub fn normal_before(&self) -> f64 {
        self.before.dot(&self.normal)
    }

    /// Tangential part of the velocity before.
    pub fn tangent_before(&self) -> X::Vector {
        self.before - self.normal * self.normal_before()
    }
}

/// What the solver needs to know of a law at one contact, SI units.
///
/// The solver finds r with y = u + shift + compliance r such that r_n in `normal` is complementary to y_n,
/// |r_t| <= min(cohesion + friction max(r_n, 0), cap), and y_t opposes r_t where the bound is reached.
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
}

impl<X: Dim> Reduced<X> {
    /// Signorini-Coulomb with the given shift and friction coefficient.
    pub fn cone(shift: X::Vector, friction: f64) -> Self {
        Self {
            shift,
            normal: [0.0, f64::INFINITY],
            friction,
            cohesion: 0.0,
            cap: f64::INFINITY,
            compliance: [0.0, 0.0],
        }
    }

    /// Nothing but Signorini-Coulomb with a shift: the case of the fastest kernel.
    pub fn is_cone(&self) -> bool {
        self.normal == [0.0, f64::INFINITY]
            && self.cohesion == 0.0
            && self.cap == f64::INFINITY
            && self.compliance == [0.0, 0.0]
    }

    /// Radius of the disk the tangential impulse must stay in.
    #[inline(always)]
    pub fn radius(&self, normal_impulse: f64) -> f64 {
        (self.cohesion + self.friction * normal_impulse.max(0.0)).min(self.cap)
    }
}

/// Infinite bounds as text, since JSON has no infinity.
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

/// The same for a pair of bounds.
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

/// A law of interaction between two materials.
pub trait ContactLaw<X: Dim>: Send + Sync {
    /// The record for the solver; `None` when no impulse can act at this contact in this step. `h` is the
    /// length of the step, s.
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>>;

    /// The Coulomb coefficient, for the report; zero when there is none.
    fn friction(&self) -> f64;
}

/// What is wrong with a parameter of a law.
#[derive(Clone, Debug, PartialEq)]
pub struct BadParameter {
    /// Key of the parameter within the law.
    pub key: &'static str,
    /// What was given and what is expected.
    pub message: String,
    /// What to do.
    pub help: &'static str,
}

/// `value` must be a number of at least zero and at most `most`.
fn check_range(key: &'static str, value: f64, most: f64, help: &'static str) -> Result<(), BadParameter> {
    if value >= 0.0 && value <= most && value.is_finite() {
        return Ok(());
    }
    let range = if most.is_finite() { format!("between 0 and {most}") } else { "zero or positive".into() };
    Err(BadParameter { key, message: format!("{key} = {value} must be {range}"), help })
}

macro_rules! laws {
    ($($(#[$about:meta])* $key:ident: $law:ident),* $(,)?) => {
        /// The law of a `[[laws]]` entry: exactly one of the keys is given.
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct LawEntry {
            /// Names of the two materials; `"*"` stands for any.
            pub between: [String; 2],
            $($(#[$about])* #[serde(skip_serializing_if = "Option::is_none")] pub $key: Option<$law>,)*
        }

        impl LawEntry {
            /// Names of all laws.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($key)),*];

            /// Names of the laws given in this entry.
            pub fn given(&self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if self.$key.is_some() { names.push(stringify!($key)); })*
                names
            }

            /// The first law given, checked; `None` if there is none.
            pub fn law<X: Dim>(&self) -> Option<Result<Box<dyn ContactLaw<X>>, BadParameter>> {
                $(if let Some(law) = &self.$key {
                    return Some(law.check().map(|()| Box::new(law.clone()) as Box<dyn ContactLaw<X>>));
                })*
                None
            }
        }
    };
}

laws! {
    /// Inelastic contact with Coulomb friction: the gap may close within the step.
    coulomb: Coulomb,
    /// Impact with normal and tangential restitution, and Coulomb friction.
    restitution: Restitution,
    /// Inelastic contact without friction.
    frictionless: Frictionless,
    /// Glued: neither separation nor sliding.
    bilateral: Bilateral,
}
