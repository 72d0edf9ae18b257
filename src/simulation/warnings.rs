//! The warnings of a run: what it reports besides numbers, each kind once, with a count.
//!
//! A kind is told when it first happens and again at the end; `summary.json` has all of them. Those that follow from the scene
//! alone are part of the state: checkpoints carry them, so that a resumed run ends with the same list, and they are the same on any
//! number of processes. A new kind is a variant of [`WarningKind`].

use serde::{Deserialize, Serialize};

use crate::simulation::StepReport;

/// A penetration above this, over the size of the smaller body, is reported.
pub const DEEP: f64 = 0.5;

/// What a run can warn about. In files a kind is its name in kebab-case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WarningKind {
    /// Steps that hit the cap of sweeps.
    NotConverged,
    /// Contacts whose overlap is too deep to determine a normal.
    AmbiguousContacts,
    /// Steps with a penetration above [`DEEP`].
    DeepPenetration,
    /// Contacts whose sliding solution may not be unique.
    PainleveContacts,
    /// Steps in which a body turned further than the time scheme resolves.
    FastSpin,
    /// Steps in which a body moved further than `detection.max_travel` radii.
    FastBody,
    /// Runs whose energy balance is off.
    EnergyBalance,
    /// Processes without a subdomain.
    IdleProcesses,
    /// Problems of steps that were asked for and could not be written.
    ProblemNotWritten,
    /// Files of frames that could not be continued.
    FramesPutAside,
}

impl WarningKind {
    /// What is counted.
    pub fn unit(self) -> &'static str {
        use WarningKind::*;
        match self {
            NotConverged | DeepPenetration | FastSpin | FastBody => "steps",
            EnergyBalance => "run",
            AmbiguousContacts | PainleveContacts => "contacts",
            IdleProcesses => "processes",
            ProblemNotWritten => "problems",
            FramesPutAside => "files",
        }
    }

    /// Is it part of the state? Others depend on how the program was started, or are told at the end of a run alone.
    fn is_of_scene(self) -> bool {
        use WarningKind::*;
        !matches!(self, EnergyBalance | IdleProcesses | ProblemNotWritten | FramesPutAside)
    }
}

/// One kind of warning, and how often it happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// Its kind.
    pub kind: WarningKind,
    /// How many of its [unit](WarningKind::unit) it concerned so far.
    pub count: u64,
    /// The step in which it first happened; 0 before the first.
    pub first_step: u64,
    /// The end of that step, s.
    pub first_time_s: f64,
    /// What happened then, and what to do.
    pub message: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, count, first_step, first_time_s, message } = self;
        write!(f, "{message} ({count} {}, first in step {first_step}, t = {first_time_s} s)", kind.unit())
    }
}

/// All warnings of a run, in the order in which they first happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Warnings {
    all: Vec<Warning>,
    /// How many of them have been told.
    told: usize,
}

impl Warnings {
    /// Those of an earlier part of the run, which have been told.
    pub fn resumed(all: Vec<Warning>) -> Self {
        Self { told: all.len(), all }
    }

    /// It concerned `count` more in the step that ended at (step, time, s); `message` is asked for the first time only.
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

    /// What the report of a step gives reason to. `reason` says why it did not converge, where that is known.
    pub fn add_step(&mut self, report: &StepReport, reason: Option<&str>) {
        let StepReport { step, time, certificate, totals, .. } = report;
        let when = (*step, *time);
        self.add(WarningKind::NotConverged, u64::from(!certificate.converged), when, || {
            let plain = "steps hit the cap of sweeps before they converged: raise solver.max_sweeps";
            reason.unwrap_or(plain).to_owned()
        });
        self.add(WarningKind::AmbiguousContacts, totals.ambiguous, when, || {
            "contacts overlap too deeply to determine a normal: bodies overlap at the start, or time.step is too long"
                .into()
        });
        let depth = totals.max_penetration;
        // A depth that is not a number is deep.
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

    /// All of them.
    pub fn all(&self) -> &[Warning] {
        &self.all
    }

    /// The one of this kind.
    pub fn get(&self, kind: WarningKind) -> Option<&Warning> {
        self.all.iter().find(|warning| warning.kind == kind)
    }

    /// Those that a checkpoint carries.
    pub fn of_scene(&self) -> impl Iterator<Item = &Warning> {
        self.all.iter().filter(|warning| warning.kind.is_of_scene())
    }

    /// Those that nobody has been told of; they count as told from now on.
    pub fn take_new(&mut self) -> &[Warning] {
        let first = std::mem::replace(&mut self.told, self.all.len());
        &self.all[first..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_told_once_counted_on_and_keeps_its_first_time() {
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
