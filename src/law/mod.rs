//! Interaction laws: each a change of variables that ends in one small record for the solver.
//!
//! A law is a pure function of local quantities, called before the sweeps ([`ContactLaw::reduce`]) and, if it has a
//! memory, after them ([`ContactLaw::remember`]), never inside. Adding one means one file with a struct and its
//! [`ContactLaw`], and one line in the `laws!` list below: the scene key, the schema and the error messages follow
//! from it. `docs/adding-a-law.md` does it once.

mod adhesion;
mod bilateral;
mod capillary;
mod cohesive_zone;
mod coulomb;
mod frictionless;
mod joint;
mod link;
mod orowan;
mod percussion;
mod reduced;
mod repulsion;
mod restitution;
mod state;
mod static_dynamic;
mod table;
mod tresca;
mod viscoelastic;

use crate::dim::{Dim, Vector};

pub use adhesion::Adhesion;
pub use bilateral::Bilateral;
pub use capillary::Capillary;
pub use cohesive_zone::CohesiveZone;
pub use coulomb::Coulomb;
pub use frictionless::Frictionless;
pub use joint::Joint;
pub use link::{LinkLaw, Pin, Rod, Spring, Wire};
pub use orowan::{Mean, Orowan, Threshold};
pub use percussion::Percussion;
pub use reduced::{Reduced, Rigid};
pub use repulsion::Repulsion;
pub use restitution::Restitution;
pub use state::LawState;
pub(crate) use state::rotate_into_tangent_plane;
pub use static_dynamic::StaticDynamic;
pub use table::LawTable;
pub use tresca::Tresca;
pub use viscoelastic::Viscoelastic;

/// What a law knows of a contact before the solve.
#[derive(Clone, Copy, Debug)]
pub struct Local<X: Dim> {
    /// Unit normal from the first body to the second.
    pub normal: X::Vector,
    /// Signed distance at mid-step, m; of a link, how much too long it is.
    pub gap: f64,
    /// Of a link: from its point on the first body to that on the second, m; else zero.
    pub apart: X::Vector,
    /// Of a link: how much faster the second point leaves the first, on average over the step from this mid-step to the
    /// next, than by its velocity, since bodies turn and chords are no tangents, m/s; else zero.
    pub bend: X::Vector,
    /// Signed distance at the start of the step, m, by the velocities there.
    pub start_gap: f64,
    /// Velocity of the second body relative to the first at the contact, at the start of the step, m/s.
    pub before: X::Vector,
    /// Lengths of the two bodies (radius, least half-extent), m; infinite if unbounded.
    pub sizes: [f64; 2],
    /// Inverse effective mass along the normal, 1/kg.
    pub w_normal: f64,
    /// What the law has kept of the last step, in the tangent plane of now; zero if nothing.
    pub memory: LawState<X>,
    /// Is this the first step of the run?
    pub is_first: bool,
    /// Mean normal impulse of the contacts that carried one in the last step, all over the scene, N s.
    pub mean_impulse: f64,
}

/// Bodies nearer than this share of the smaller one count as touching: rounding must not tear them apart.
const TOUCHING: f64 = 1e-6;
/// Speed below which a contact has not moved, over the one its greatest impulse could stop.
const GIVES_WAY: f64 = 0.01;
/// An impulse this near its bound, relatively, is at the bound.
const AT_BOUND: f64 = 1.0 - 1e-6;

impl<X: Dim> Local<X> {
    /// Length of the smaller of the two bodies, m.
    pub fn size(&self) -> f64 {
        self.sizes[0].min(self.sizes[1])
    }

    /// Harmonic mean 2 a b/(a + b) of the lengths of the two bodies, m: twice that of a body by a wall.
    pub fn mean_size(&self) -> f64 {
        2.0 / (1.0 / self.sizes[0] + 1.0 / self.sizes[1])
    }

    /// Are the bodies in touch, but for rounding?
    pub fn touches(&self) -> bool {
        self.gap <= TOUCHING * self.size()
    }

    /// Are they, or were they when the step began?
    pub fn has_touched(&self) -> bool {
        self.gap.min(self.start_gap) <= TOUCHING * self.size()
    }

    /// Is a bond made now, by a law whose bodies are `intact` when the run begins?
    pub fn bonds(&self, intact: bool) -> bool {
        intact && self.is_first && self.has_touched()
    }

    /// Does a contact whose impulse is at a `bound` give way with this speed? Where several points carry a load together,
    /// one of them may be at its bound and not move; rounding and the solver's tolerance move it a little.
    fn gives_way(&self, speed: f64, bound: f64) -> bool {
        speed > GIVES_WAY * self.w_normal * bound
    }

    /// The shift with which Signorini's law lets a gap close exactly within the step, not overshoot: u_n + g+/h >= 0.
    pub fn closing(&self, h: f64) -> X::Vector {
        closing::<X>(self.normal, self.gap, h)
    }

    /// Normal part of the velocity before: negative when approaching.
    pub fn normal_before(&self) -> f64 {
        self.before.dot(&self.normal)
    }

    /// Tangential part of the velocity before.
    pub fn tangent_before(&self) -> X::Vector {
        self.before - self.normal * self.normal_before()
    }
}

/// See [`Local::closing`].
fn closing<X: Dim>(normal: X::Vector, gap: f64, h: f64) -> X::Vector {
    normal * (gap.max(0.0) / h)
}

/// What a law hears of a contact after the solve.
#[derive(Clone, Copy, Debug)]
pub struct After<X: Dim> {
    /// Impulse on the second body, world axes, N s.
    pub impulse: X::Vector,
    /// Velocity of the second body relative to the first, m/s.
    pub velocity: X::Vector,
}

impl<X: Dim> After<X> {
    /// Normal part of the impulse, and the length of the tangential part.
    pub fn parts(&self, normal: X::Vector) -> [f64; 2] {
        let r_n = self.impulse.dot(&normal);
        [r_n, (self.impulse - normal * r_n).norm()]
    }
}

/// A law of interaction between two materials.
pub trait ContactLaw<X: Dim>: Send + Sync {
    /// The record for the solver; `None` when no impulse can act at this contact in this step. `h` is the
    /// length of the step, s.
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>>;

    /// The same, where normal and gap are all that the law wants to know and [`Rigid`] all that it has to say; `None` where
    /// that is not so. Most contacts of most scenes have such a law, and the rest of a [`Local`] takes longer than all of this.
    fn reduce_gap(&self, _normal: X::Vector, _gap: f64, _h: f64) -> Option<Rigid<X>> {
        None
    }

    /// Is [`remember`](Self::remember) to be asked after the solve?
    fn has_memory(&self) -> bool {
        false
    }

    /// What to hand to [`reduce`](Self::reduce) in the next step, by the contact as it was and what became of it. It is
    /// lost when the bodies are further apart than [`range`](Self::range) and the alert distance.
    fn remember(&self, _contact: &Local<X>, _after: &After<X>, _h: f64) -> LawState<X> {
        LawState::zero()
    }

    /// How far apart bodies can be and still act on each other, m.
    fn range(&self) -> f64 {
        0.0
    }

    /// Is it always a plain friction cone: the kind of contact that momentum was measured on?
    fn is_cone(&self) -> bool {
        false
    }

    /// Does it store energy that it gives back? Then [`stored`](Self::stored) is asked after the solve.
    fn is_elastic(&self) -> bool {
        false
    }

    /// What it has stored more at the end of the step, where the gap is `end`, than at its start, J: along the normal, and across it.
    fn stored(&self, _contact: &Local<X>, _after: &After<X>, _end: f64, _h: f64) -> [f64; 2] {
        [0.0; 2]
    }

    /// Do bodies overlap by right, since the law's force depends on it? Then overlaps are not undone in positions.
    fn is_soft(&self) -> bool {
        false
    }
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

/// `value` must be a number greater than zero.
fn check_positive(key: &'static str, value: f64, help: &'static str) -> Result<(), BadParameter> {
    if value > 0.0 && value.is_finite() {
        return Ok(());
    }
    Err(BadParameter { key, message: format!("{key} = {value} must be greater than 0"), help })
}

/// `value` must be a number of at least zero.
fn check_not_negative(key: &'static str, value: f64, help: &'static str) -> Result<(), BadParameter> {
    check_range(key, value, f64::INFINITY, help)
}

/// The default of what is so unless the scene says otherwise.
fn is_true() -> bool {
    true
}

/// A coefficient of friction.
fn check_friction(value: f64) -> Result<(), BadParameter> {
    check_not_negative("friction", value, "typical values lie between 0.1 and 1")
}

/// A coefficient of resistance to rolling.
fn check_rolling(value: f64) -> Result<(), BadParameter> {
    check_not_negative("rolling", value, "a ball rests on slopes of up to this tangent; typical values lie below 0.2")
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
    /// Coulomb friction that cannot exceed a threshold.
    orowan: Orowan,
    /// Friction that is greater at rest than in motion.
    static_dynamic: StaticDynamic,
    /// Friction with a bound that knows no pressure.
    tresca: Tresca,
    /// A constant attraction between near bodies, and friction.
    adhesion: Adhesion,
    /// Liquid bridges between wet bodies, and friction.
    capillary: Capillary,
    /// Brittle joints that break once, and friction.
    joint: Joint,
    /// Elastic bonds that damage as they are stretched, and friction.
    cohesive_zone: CohesiveZone,
    /// Elastic repulsion of overlapping bodies, and friction.
    repulsion: Repulsion,
    /// A stiff, damped cushion that heals overlaps, and friction.
    viscoelastic: Viscoelastic,
    /// Collisions in proportion to the mean velocity, and friction.
    percussion: Percussion,
}
