//! No contact: bodies of the two materials do not meet.

use super::contact_law::{ContactLaw, Local};
use super::parameter::BadParameter;
use super::reduced::Reduced;
use crate::dim::Dim;

/// The bodies pass through each other; they may overlap from the start. No parameters: write `none = {}`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoContact {}

impl NoContact {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        Ok(())
    }
}

impl<X: Dim> ContactLaw<X> for NoContact {
    fn reduce(&self, _: &Local<X>, _: f64) -> Option<Reduced<X>> {
        None
    }

    fn acts(&self) -> bool {
        false
    }

    fn is_cone(&self) -> bool {
        true
    }
}
