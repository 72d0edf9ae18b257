//! Diagnosis of a step that did not converge: made once a run, for the first such step, for the summary.

use crate::dim::Dim;
use crate::domain::{GlobalProblem, ProblemUnavailable};
use crate::solver::delassus::{Delassus, ExistenceVerdict};

/// Contacts times iterations of the existence test: about a second.
const EFFORT: u64 = 20_000_000;
/// Greatest number of contacts named in the message.
const NAMED: usize = 5;

/// Diagnosis of the problem of step `step` as a sentence; empty on processes that do not hold the problem.
pub(crate) fn words<X: Dim>(whole: &Result<Option<GlobalProblem<X>>, ProblemUnavailable>, step: u64) -> String {
    let first = format!("step {step} is the first that hit the cap of sweeps");
    let whole = match whole {
        Ok(Some(whole)) => whole,
        Ok(None) => return String::new(),
        Err(refused) => return format!("{first}; why was not looked into: {refused}"),
    };
    let Ok(problem) = Delassus::from_problem(&whole.problem) else { return first };
    let steps = (EFFORT / (problem.contacts() as u64).max(1)).clamp(100, 20_000) as u32;
    let found = problem.existence(steps);
    match found.verdict {
        ExistenceVerdict::Exists => {
            format!("{first}; it has a solution: give it more sweeps (solver.max_sweeps) or a larger solver.tolerance")
        }
        ExistenceVerdict::Unsure => {
            format!("{first}; it is badly conditioned: `nscdd diagnose` of its problem can say more")
        }
        ExistenceVerdict::Inconsistent => {
            let involved = found.involved();
            let pair = |k: &usize| format!("{}-{}", whole.places[*k].bodies[0], whole.places[*k].bodies[1]);
            let named: Vec<String> = involved.iter().take(NAMED).map(pair).collect();
            let more = if involved.len() > NAMED { ", ..." } else { "" };
            format!(
                "{first}; it has NO SOLUTION: friction wedges the bodies {}{more}, whose impulses grow without bound; see \
                 `nscdd diagnose`, or use a law that caps friction (orowan)",
                named.join(", ")
            )
        }
    }
}
