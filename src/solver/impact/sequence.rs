//! Impacts of two bodies at a time, in sequence.

use super::problem::{Course, ImpactProblem, WORK};
use crate::dim::Dim;

/// Resolves the contact that approaches fastest, the first of equals, by the restitution of its two bodies alone, until
/// none approaches. With restitution between 0 and 1 sequences may be infinite, and their impacts ever weaker.
pub(super) fn solve<X: Dim>(problem: &mut ImpactProblem<X>) -> Course {
    let (count, bound) = (problem.contacts.len(), problem.rounding());
    let mut impulses = vec![0.0; count];
    for _ in 0..WORK / count.max(1) {
        let approaching = (0..count).map(|k| (k, problem.velocity(k))).filter(|(_, velocity)| *velocity < -bound);
        let Some((k, velocity)) = approaching.min_by(|a, b| a.1.total_cmp(&b.1)) else {
            return Course { impulses, has_ended: true };
        };
        let impulse = -(1.0 + problem.contacts[k].restitution) * velocity / problem.diagonal[k];
        problem.apply(k, impulse);
        impulses[k] += impulse;
    }
    Course { impulses, has_ended: false }
}
