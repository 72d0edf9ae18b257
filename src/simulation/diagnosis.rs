//! Contact problems of single steps: those a user asks for, and that of the first step that does not converge, whose cause
//! is determined once a run, for the summary.

use crate::comm::broadcast;
use crate::dim::Dim;
use crate::domain::{Domain, GlobalProblem, ProblemUnavailable, StepContext};
use crate::solver::Certificate;
use crate::solver::delassus::{Delassus, ExistenceVerdict};

/// Contacts times iterations of the existence test: about a second, or ten for the largest problems that are gathered.
const EFFORT: u64 = 20_000_000;
/// Greatest number of contacts named in the message.
const NAMED: usize = 5;

/// The contact problem of a step; on rank 0 only.
pub(crate) type StepProblem<X> = Result<Option<GlobalProblem<X>>, ProblemUnavailable>;

/// Which steps are examined, and what was found.
pub(crate) struct Diagnosis<X: Dim> {
    /// Steps whose problems are asked for.
    pub(crate) asked: Vec<u64>,
    /// The problem of the last step, if it was asked for.
    pub(crate) problem: Option<StepProblem<X>>,
    /// Cause of the first step that did not converge; empty where none is to be determined.
    pub(crate) cause: Option<String>,
}

impl<X: Dim> Default for Diagnosis<X> {
    fn default() -> Self {
        Self { asked: Vec::new(), problem: None, cause: None }
    }
}

impl<X: Dim> Diagnosis<X> {
    /// The cause, if there is one.
    pub(crate) fn cause(&self) -> Option<&str> {
        self.cause.as_deref().filter(|words| !words.is_empty())
    }

    /// Collective. Examines the solved problem of a step where that is asked for, or the first that did not converge. A
    /// request to stop ends the search for the cause, which is left open, and the step.
    pub(crate) fn examine(&mut self, domain: &mut Domain<X>, step: &StepContext<X>, certificate: &Certificate) {
        let number = step.step + 1;
        let is_asked = self.asked.contains(&number);
        let is_first_failure = !certificate.converged && self.cause.is_none();
        self.problem = None;
        if is_asked || is_first_failure {
            let problem = domain.global_problem(step);
            if is_first_failure {
                // Rank 0 has the problem; the warning is the same everywhere.
                let found = words(&problem, number, || domain.is_asked_to_stop());
                let cause = broadcast(&**domain.comm(), found.into_bytes());
                domain.agree_to_stop();
                if domain.is_stopped() {
                    return;
                }
                self.cause = Some(String::from_utf8_lossy(&cause).into_owned());
            }
            self.problem = is_asked.then_some(problem);
        }
    }
}

/// Diagnosis of the problem of step `step` as a sentence, meaningless once `stop` has returned true; empty on processes
/// that do not hold the problem.
fn words<X: Dim>(whole: &StepProblem<X>, step: u64, stop: impl Fn() -> bool) -> String {
    let first = format!("step {step} is the first that hit the cap of sweeps");
    let whole = match whole {
        Ok(Some(whole)) => whole,
        Ok(None) => return String::new(),
        Err(refused) => return format!("{first}; why was not looked into: {refused}"),
    };
    let Some(problem) = Delassus::from_problem_unless(&whole.problem, &stop) else { return first };
    let steps = (EFFORT / (problem.contacts() as u64).max(1)).clamp(100, 20_000) as u32;
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
            let pair = |k: &usize| format!("{}-{}", whole.contacts[*k].bodies[0], whole.contacts[*k].bodies[1]);
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
