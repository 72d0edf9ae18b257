//! Impacts of two bodies at a time, in sequence.

use super::ImpactProblem;
use crate::dim::Dim;

/// Greatest number of impacts for each contact; with restitution between 0 and 1 sequences may be infinite. What still
/// approaches then stops without restitution.
const IMPACTS: usize = 10_000;

/// Resolves the contact that approaches fastest, the first of equals, by the restitution of its two bodies alone, until
/// none approaches. Out: the impulse of each contact, N s.
pub(super) fn solve<X: Dim>(problem: &mut ImpactProblem<X>) -> Vec<f64> {
    let (count, bound) = (problem.contacts.len(), problem.rounding());
    let mut impulses = vec![0.0; count];
    for _ in 0..IMPACTS * count {
        let approaching = (0..count).map(|k| (k, problem.velocity(k))).filter(|(_, velocity)| *velocity < -bound);
        let Some((k, velocity)) = approaching.min_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        let impulse = -(1.0 + problem.contacts[k].restitution) * velocity / problem.diagonal[k];
        problem.apply(k, impulse);
        impulses[k] += impulse;
    }
    impulses
}
