//! Warnings of a run: each kind is reported once, with a count.
//!
//! A kind is printed when it first occurs and again at the end; `summary.json` lists all of them. Warnings that depend
//! on the scene alone are part of the state: checkpoints store them, so that a resumed run ends with the same list, and
//! they are the same on any number of processes. A new kind is a variant of [`WarningKind`].

use serde::{Deserialize, Serialize};

use crate::simulation::StepReport;

/// Penetration, relative to the size of the smaller body, above which a warning is issued.
pub const DEEP: f64 = 0.5;

/// Kinds of warnings. Files contain their names in kebab-case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// Steps that reached the maximum number of sweeps.
    NotConverged,
    /// Contacts whose overlap is too deep to determine a normal.
    AmbiguousContacts,
    /// Steps with a penetration above [`DEEP`].
    DeepPenetration,
    /// Contacts whose sliding solution may not be unique.
    PainleveContacts,
    /// Steps in which a body rotated further than the time scheme resolves.
    FastSpin,
    /// Steps in which a body moved further than `detection.max_travel` radii.
    FastBody,
    /// Examined steps in which the strain of a deformable body was large.
    LargeStrain,
    /// Examined steps in which nodes of a deformable body were displaced far.
    LargeDisplacement,
    /// Steps in which the contacts of a deformable body act on very many nodes.
    ManyLoadedNodes,
    /// Steps in which the rule of `solver.impacts` did not come to an end.
    UnfinishedImpacts,
    /// Runs whose energy balance does not close.
    EnergyBalance,
    /// Processes without a subdomain.
    IdleProcesses,
    /// Threads of all processes of a machine with fewer cores.
    Oversubscribed,
    /// Processes that share their cores with others of the run.
    UnboundProcesses,
    /// Processes on a hardware thread each of a physical core that others of the run use too.
    SharedCores,
    /// Requested contact problems of steps that could not be written.
    ProblemNotWritten,
    /// Frame files that could not be continued.
    FramesPutAside,
}

impl WarningKind {
    /// Does it say that processes or threads get in each other's way?
    pub fn is_of_placement(self) -> bool {
        matches!(self, WarningKind::Oversubscribed | WarningKind::UnboundProcesses | WarningKind::SharedCores)
    }

    /// Unit of the count.
    pub fn unit(self) -> &'static str {
        use WarningKind::*;
        match self {
            NotConverged | DeepPenetration | FastSpin | FastBody | LargeStrain | LargeDisplacement
            | ManyLoadedNodes | UnfinishedImpacts => "steps",
            EnergyBalance => "run",
            AmbiguousContacts | PainleveContacts => "contacts",
            IdleProcesses | UnboundProcesses | SharedCores => "processes",
            Oversubscribed => "threads",
            ProblemNotWritten => "problems",
            FramesPutAside => "files",
        }
    }

    /// Does the kind depend on the scene alone, so that it is part of the state? The others depend on how the program
    /// was started, or are issued only at the end of a run.
    fn is_of_scene(self) -> bool {
        use WarningKind::*;
        !matches!(
            self,
            EnergyBalance
                | IdleProcesses
                | Oversubscribed
                | UnboundProcesses
                | SharedCores
                | ProblemNotWritten
                | FramesPutAside
        )
    }
}

/// One kind of warning and the number of its occurrences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// Kind of the warning.
    pub kind: WarningKind,
    /// Occurrences so far, in the [unit](WarningKind::unit) of the kind.
    pub count: u64,
    /// Step of the first occurrence; 0 before the first step.
    pub first_step: u64,
    /// Time at the end of that step, s.
    pub first_time_s: f64,
    /// Description of the first occurrence, with advice.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, count, first_step, first_time_s, message } = self;
        write!(f, "{message} ({count} {}, first in step {first_step}, t = {first_time_s} s)", kind.unit())
    }
}

/// All warnings of a run, in the order of first occurrence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Warnings {
    all: Vec<Warning>,
    /// Number of warnings already reported.
    reported: usize,
}

impl Warnings {
    /// Warnings of an earlier part of the run, already reported.
    pub fn resumed(all: Vec<Warning>) -> Self {
        Self { reported: all.len(), all }
    }

    /// Adds `count` occurrences in the step that ended at (step, time, s); calls `message` for the first occurrence
    /// only.
    pub fn add(&mut self, kind: WarningKind, count: u64, (step, time): (u64, f64), message: impl FnOnce() -> String) {
        if count == 0 {
            return;
        }
        match self.all.iter_mut().find(|warning| warning.kind == kind) {
            Some(warning) => warning.count += count,
            None => {
                let message = message();
                self.all.push(Warning { kind, count, first_step: step, first_time_s: time, message });
            }
        }
    }

    /// Adds the warnings that follow from the report of a step. `reason` says why it did not converge, where known.
    pub fn add_step(&mut self, report: &StepReport, reason: Option<&str>) {
        let StepReport { step, time, certificate, totals, .. } = report;
        let when = (*step, *time);
        self.add(WarningKind::NotConverged, u64::from(!certificate.converged), when, || {
            let default = "steps hit the cap of sweeps before they converged: raise solver.max_sweeps";
            reason.unwrap_or(default).to_owned()
        });
        self.add(WarningKind::AmbiguousContacts, totals.ambiguous, when, || {
            "contacts overlap too deeply to determine a normal: bodies overlap at the start, or time.step is too long"
                .into()
        });
        let depth = totals.max_penetration;
        // NaN counts as deep.
        let is_deep = depth > DEEP || depth.is_nan();
        self.add(WarningKind::DeepPenetration, u64::from(is_deep), when, || {
            format!(
                "bodies penetrate each other by {depth:.2} of a radius: the step is not right even if it converged; reduce \
                 time.step, or start without overlaps"
            )
        });
        self.add(WarningKind::PainleveContacts, totals.painleve, when, || {
            "contacts have Painleve-like data (high friction): their sliding solution may not be unique".into()
        });
    }

    /// All warnings.
    pub fn all(&self) -> &[Warning] {
        &self.all
    }

    /// The warning of this kind.
    pub fn get(&self, kind: WarningKind) -> Option<&Warning> {
        self.all.iter().find(|warning| warning.kind == kind)
    }

    /// Warnings that a checkpoint stores.
    pub fn of_scene(&self) -> impl Iterator<Item = &Warning> {
        self.all.iter().filter(|warning| warning.kind.is_of_scene())
    }

    /// Warnings not reported so far; marks them as reported.
    pub fn take_new(&mut self) -> &[Warning] {
        let first = std::mem::replace(&mut self.reported, self.all.len());
        &self.all[first..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_reported_once_further_occurrences_are_counted_and_the_first_time_is_kept() {
        let mut warnings = Warnings::default();
        warnings.add(WarningKind::DeepPenetration, 0, (1, 0.1), || unreachable!());
        warnings.add(WarningKind::AmbiguousContacts, 3, (2, 0.2), || "deep".into());
        warnings.add(WarningKind::IdleProcesses, 1, (2, 0.2), || "idle".into());
        assert_eq!(warnings.take_new().len(), 2);
        warnings.add(WarningKind::AmbiguousContacts, 4, (3, 0.3), || unreachable!());
        assert_eq!(warnings.take_new(), []);
        let kept: Vec<Warning> = warnings.of_scene().cloned().collect();
        assert_eq!(kept.len(), 1);
        assert_eq!((kept[0].count, kept[0].first_step, kept[0].first_time_s), (7, 2, 0.2));
        let mut resumed = Warnings::resumed(kept);
        assert_eq!(resumed.take_new(), []);
        assert_eq!(resumed.get(WarningKind::AmbiguousContacts).unwrap().message, "deep");
    }

    #[test]
    fn a_kind_has_a_stable_name_in_files() {
        let text = serde_json::to_string(&WarningKind::AmbiguousContacts).unwrap();
        assert_eq!(text, "\"ambiguous-contacts\"");
    }
}
