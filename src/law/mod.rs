//! Interaction laws: each is a change of variables that yields one small record for the solver.
//!
//! A law is a pure function of local quantities, called before the sweeps ([`ContactLaw::reduce`]) and, if it has
//! state, after them ([`ContactLaw::remember`]), never inside. A new law is one file with a struct and its
//! [`ContactLaw`] implementation, and three lines in this file: `mod`, `pub use`, and an entry of the `laws!` list; the
//! scene key, the schema and the error messages follow from the entry. `docs/adding-a-law.md` walks through an example.

mod adhesion;
mod bilateral;
mod capillary;
mod cohesive_zone;
mod contact_law;
mod coulomb;
mod frictionless;
mod joint;
mod link;
mod no_contact;
mod orowan;
mod parameter;
mod percussion;
mod reduced;
mod repulsion;
mod restitution;
mod state;
mod static_dynamic;
mod table;
mod tresca;
mod viscoelastic;

use crate::dim::Dim;

pub use adhesion::Adhesion;
pub use bilateral::Bilateral;
pub use capillary::Capillary;
pub use cohesive_zone::CohesiveZone;
pub use contact_law::{ContactLaw, ContactOutcome, ImpactConstants, Local};
pub use coulomb::Coulomb;
pub use frictionless::Frictionless;
pub use joint::Joint;
pub use link::{LinkLaw, Pin, Rod, Spring, Wire};
pub use no_contact::NoContact;
pub use orowan::{Mean, Orowan, Threshold};
pub use parameter::BadParameter;
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

macro_rules! laws {
    ($($(#[$about:meta])* $key:ident: $law:ident),* $(,)?) => {
        /// Interaction law of two materials: exactly one of the laws is given.
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
    /// No contact: the bodies pass through each other.
    none: NoContact,
    /// Bonded bodies: neither separation nor sliding.
    bilateral: Bilateral,
    /// Coulomb friction bounded by a threshold.
    orowan: Orowan,
    /// Friction that is greater at rest than in motion.
    static_dynamic: StaticDynamic,
    /// Friction with a bound independent of the normal force.
    tresca: Tresca,
    /// Constant attraction between close bodies, and friction.
    adhesion: Adhesion,
    /// Liquid bridges between wet bodies, and friction.
    capillary: Capillary,
    /// Brittle joints, and friction.
    joint: Joint,
    /// Elastic bonds with damage, and friction.
    cohesive_zone: CohesiveZone,
    /// Elastic repulsion of overlapping bodies, and friction.
    repulsion: Repulsion,
    /// A stiff spring and dashpot that remove overlaps, and friction.
    viscoelastic: Viscoelastic,
    /// Collisions with percussions proportional to the mean velocity, and friction.
    percussion: Percussion,
}
