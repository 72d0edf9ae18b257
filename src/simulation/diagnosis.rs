//! Contact problems of single steps: those that the user requests, and that of the first step that does not converge,
//! of which the cause is determined for the summary, once per run.

use crate::dim::Dim;
use crate::domain::{Domain, GlobalProblem, ProblemUnavailable, StepContext};
use crate::solver::Certificate;
use crate::solver::delassus::{Delassus, ExistenceVerdict};

/// Greatest number of contacts times iterations of the existence test: about a second, or ten for the largest problems
/// that are gathered.
const MAX_EFFORT: u64 = 20_000_000;
/// Greatest number of contacts named in the message.
const MAX_NAMED: usize = 5;

/// The contact problem of a step; on rank 0 only.
pub(crate) type StepProblem<X> = Result<Option<GlobalProblem<X>>, ProblemUnavailable>;

/// Which steps are examined, and the results.
pub(crate) struct Diagnosis<X: Dim> {
    /// Steps whose problems are requested.
    pub(crate) requested: Vec<u64>,
    /// The problem of the last step, if it was requested.
    pub(crate) problem: Option<StepProblem<X>>,
    /// Cause of the first failure to converge; `None` before it, empty if the diagnosis is disabled.
    pub(crate) cause: Option<String>,
}

impl<X: Dim> Default for Diagnosis<X> {
    fn default() -> Self {
        Self { requested: Vec::new(), problem: None, cause: None }
    }
}

impl<X: Dim> Diagnosis<X> {
    /// The cause, if there is one.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.as_deref().filter(|cause| !cause.is_empty())
    }

    /// Collective. Examines the solved problem of a step if it is requested, or if the step is the first that did not
    /// converge. A stop request ends the search for the cause, which is left open, and the step.
    pub(crate) fn examine(&mut self, domain: &mut Domain<X>, step: &StepContext<X>, certificate: &Certificate) {
        let number = step.step + 1;
        let is_requested = self.requested.contains(&number);
        let is_first_failure = !certificate.converged && self.cause.is_none();
        self.problem = None;
        if is_requested || is_first_failure {
            let problem = domain.global_problem(step);
            if is_first_failure {
                // Rank 0 has the problem; every process gives the same warning.
                let found = describe(&problem, number, || domain.is_asked_to_stop());
                let cause = domain.comm().broadcast(found.into_bytes());
                domain.agree_to_stop();
                if domain.is_stopped() {
                    return;
                }
                self.cause = Some(String::from_utf8_lossy(&cause).into_owned());
            }
            self.problem = is_requested.then_some(problem);
        }
    }
}

/// Diagnosis of the problem of step `step` as a sentence, meaningless once `stop` has returned true; empty on processes
/// that do not have the problem.
fn describe<X: Dim>(global: &StepProblem<X>, step: u64, stop: impl Fn() -> bool) -> String {
    let first = format!("step {step} is the first that hit the cap of sweeps");
    let global = match global {
        Ok(Some(global)) => global,
        Ok(None) => return String::new(),
        Err(refused) => return format!("{first}; why was not looked into: {refused}"),
    };
    let Some(problem) = Delassus::from_problem_unless(&global.problem, &stop) else { return first };
    let steps = (MAX_EFFORT / (problem.contacts() as u64).max(1)).clamp(100, 20_000) as u32;
    let found = problem.existence_unless(steps, stop);
    match found.verdict {
        ExistenceVerdict::Exists => {
            format!("{first}; it has a solution: give it more sweeps (solver.max_sweeps) or a larger solver.tolerance")
        }
        ExistenceVerdict::Unsure => {
            format!("{first}; it is badly conditioned: `nscdd diagnose` of its problem can say more")
        }
        ExistenceVerdict::Inconsistent => {
            let involved = found.involved();
            let pair = |k: &usize| format!("{}-{}", global.contacts[*k].bodies[0], global.contacts[*k].bodies[1]);
            let named: Vec<String> = involved.iter().take(MAX_NAMED).map(pair).collect();
            let more = if involved.len() > MAX_NAMED { ", ..." } else { "" };
            format!(
                "{first}; it has NO SOLUTION: friction wedges the bodies {}{more}, whose impulses grow without bound; see \
                 `nscdd diagnose`, or use a law that caps friction (orowan)",
                named.join(", ")
            )
        }
    }
}
