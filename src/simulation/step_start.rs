//! State that an abandoned step restores: counters of the population, and the bodies if any were born or removed.

use crate::dim::Dim;
use crate::domain::SavedBodies;
use crate::population::PopulationCounters;

/// State before the population update of a step that may be abandoned.
pub(crate) struct StepStart<X: Dim> {
    pub(super) counters: PopulationCounters,
    /// `None` if no body was born or removed.
    pub(super) bodies: Option<SavedBodies<X>>,
}
