//! `summary.json`: what a run was, its results and its wall times.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::machine::Machine;
use crate::base::error::{Error, Result};
use crate::simulation::StepReport;
use crate::simulation::timing::{Phase, Timing};
use crate::simulation::warnings::Warning;
use crate::solver::EnergyBalance;

/// Counts of a run; a resumed run continues them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunCounts {
    /// Sweeps of all steps.
    pub sweeps: u64,
    /// Contact updates of all sweeps.
    pub contact_updates: u64,
    /// Steps that reached the maximum number of sweeps before they converged.
    pub unconverged_steps: u64,
    /// Greatest residual of all steps.
    pub worst_residual: f64,
    /// Greatest velocity error of all steps.
    pub worst_velocity_error: f64,
    /// Greatest penetration, relative to the size of the smaller body.
    pub max_penetration: f64,
    /// Contacts with Painleve-like data, summed over all steps.
    pub painleve_contacts: u64,
    /// Contacts whose overlap is too deep to determine a normal, summed over all steps.
    pub ambiguous_contacts: u64,
}

/// Summary of a run. In the file the groups are flat: one key for each of their fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Program and version.
    pub program: String,
    /// Name of the scene.
    pub scene: String,
    /// Dimension, 2 or 3.
    pub dimension: usize,
    /// Numbers of bodies.
    #[serde(flatten)]
    pub population: BodyCounts,
    /// Subdomains, threads and processes.
    #[serde(flatten)]
    pub layout: ParallelLayout,
    /// How far the run came.
    #[serde(flatten)]
    pub reached: RunExtent,
    /// Counts over all steps.
    #[serde(flatten)]
    pub counts: RunCounts,
    /// Contacts and energy at the end.
    #[serde(flatten)]
    pub end: EndState,
    /// Warnings: each kind once, with a count.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Number of frames written.
    pub frames: usize,
    /// Wall times.
    #[serde(flatten)]
    pub times: WallTimes,
    /// Machine on which the run was made.
    #[serde(default)]
    pub machine: Machine,
}

/// Numbers of bodies of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyCounts {
    /// Number of bodies at the end, obstacles included.
    pub bodies: usize,
    /// Bodies added during the run.
    pub born: u64,
    /// Bodies removed during the run.
    pub died: u64,
    /// Bodies that were due at the end and had not found free space.
    pub waiting: u64,
}

/// Subdomains, threads and processes of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ParallelLayout {
    /// Number of subdomains.
    pub subdomains: usize,
    /// Number of threads per process.
    pub threads: usize,
    /// Number of processes.
    pub ranks: usize,
}

/// How far a run came.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunExtent {
    /// Reason for the end: "finished", "ended: " and a stop condition, "stopped", or an error message.
    pub ending: String,
    /// Steps made.
    pub steps: u64,
    /// Simulated time reached, s.
    pub simulated_s: f64,
}

/// Contacts and energy at the end of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EndState {
    /// Contacts in the last step.
    pub contacts: u64,
    /// Kinetic energy at the end, J.
    pub kinetic_energy_j: f64,
    /// Energy dissipated in contacts, J.
    pub dissipated_j: f64,
    /// The energy balance, J.
    #[serde(default)]
    pub energy_j: EnergyBalance,
}

/// Wall times of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WallTimes {
    /// Wall time, s.
    pub wall_s: f64,
    /// Wall time of process 0 by phase, s.
    pub phases_s: BTreeMap<String, f64>,
    /// The part of it in which process 0 waited for others, s.
    #[serde(default)]
    pub waited_s: BTreeMap<String, f64>,
    /// Contact updates in that time; in a resumed run, those since it was resumed.
    #[serde(default)]
    pub timed_updates: u64,
}

impl Summary {
    /// Adds a step.
    pub fn add(&mut self, report: &StepReport) {
        let certificate = &report.certificate;
        self.reached.steps = report.step;
        self.reached.simulated_s = report.time;
        let counts = &mut self.counts;
        counts.sweeps += u64::from(certificate.sweeps);
        let updates = u64::from(certificate.sweeps) * certificate.contacts;
        counts.contact_updates += updates;
        self.times.timed_updates += updates;
        counts.unconverged_steps += u64::from(!certificate.converged);
        counts.worst_residual = counts.worst_residual.max(certificate.residual);
        counts.worst_velocity_error = counts.worst_velocity_error.max(certificate.velocity_error);
        counts.max_penetration = counts.max_penetration.max(report.totals.max_penetration);
        counts.painleve_contacts += report.totals.painleve;
        counts.ambiguous_contacts += report.totals.ambiguous;
        self.end.contacts = certificate.contacts;
        self.end.kinetic_energy_j = report.kinetic_energy;
        self.set_energy(report.energy);
        self.population.bodies = report.bodies as usize;
        (self.population.born, self.population.died, self.population.waiting) =
            (report.born, report.died, report.waiting);
    }

    /// Sets the energy balance so far.
    pub fn set_energy(&mut self, energy: EnergyBalance) {
        (self.end.dissipated_j, self.end.energy_j) = (energy.dissipated(), energy);
    }

    /// Warning where the energy balance does not close.
    pub fn energy_warning(&self) -> Option<String> {
        let EnergyBalance { exchanged, imbalance, returned, transfers, .. } = self.end.energy_j;
        let correction = transfers.correction;
        self.end.energy_j.is_inaccurate().then(|| {
            format!(
                "the energy balance is off by {:.2} % of the {exchanged:.6} J exchanged: overlap correction did {correction:.6} J, \
                 contacts that can only take energy gave {returned:.6} J, {imbalance:.6} J are unaccounted for; shorten \
                 time.step, or tighten solver.tolerance and solver.velocity_error",
                100.0 * self.end.energy_j.relative_error(),
            )
        })
    }

    /// Closure of the energy balance as a line of text.
    fn balance(&self) -> String {
        let EnergyBalance { exchanged, imbalance, returned, transfers, .. } = self.end.energy_j;
        let correction = transfers.correction;
        let share = |energy: f64| if exchanged > 0.0 { energy / exchanged } else { 0.0 };
        format!(
            "balance: {exchanged:.6} J exchanged, closed to {:.1e} of it; given back by contacts {:.2} %, overlap correction {:.2} %",
            share(imbalance.abs()),
            100.0 * share(returned),
            100.0 * share(correction),
        )
    }

    /// Sets the wall times.
    pub fn set_times(&mut self, timing: &Timing, wall: f64) {
        self.times.wall_s = wall;
        let by_phase =
            |of: fn(&Timing, Phase) -> f64| Phase::ALL.iter().map(|&p| (p.name().to_string(), of(timing, p))).collect();
        (self.times.phases_s, self.times.waited_s) = (by_phase(Timing::seconds), by_phase(Timing::waited));
    }

    /// Contact updates per second of the solve phase, in millions.
    pub fn rate(&self) -> f64 {
        let solve = self.times.phases_s.get(Phase::Solve.name()).copied().unwrap_or(0.0);
        if solve > 0.0 { self.times.timed_updates as f64 / solve / 1e6 } else { 0.0 }
    }

    /// Writes the file atomically.
    pub fn write(&self, path: &Path) -> Result<()> {
        // Serialising a struct of numbers and strings cannot fail.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        let unfinished = super::columns::unfinished_name(path);
        std::fs::write(&unfinished, text + "\n")
            .and_then(|()| super::columns::replace_file(&unfinished, path))
            .map_err(|e| Error::system("write", path, e))
    }

    /// Summary as a few lines of text.
    pub fn text(&self, folder: &Path) -> String {
        let steps = self.reached.steps.max(1) as f64;
        let mut busiest: Vec<(&String, &f64)> = self.times.phases_s.iter().collect();
        busiest.sort_by(|a, b| b.1.total_cmp(a.1));
        let total: f64 = self.times.phases_s.values().sum::<f64>().max(f64::MIN_POSITIVE);
        let shares: Vec<String> =
            busiest.iter().take(4).map(|(name, s)| format!("{name} {:.0} %", 100.0 * *s / total)).collect();
        let certificate = if self.counts.unconverged_steps == 0 {
            "every step converged".to_string()
        } else {
            format!("{} of {} steps hit the cap of sweeps", self.counts.unconverged_steps, self.reached.steps)
        };
        let traffic = match self.population.born + self.population.died {
            0 => String::new(),
            _ => {
                format!(
                    "\nbodies: {} added, {} removed, {} waiting for free space",
                    self.population.born, self.population.died, self.population.waiting
                )
            }
        };
        let warnings: String = self.warnings.iter().map(|warning| format!("\nwarning: {warning}")).collect();
        format!(
            "{}: {}D, {} bodies, {} contacts, {} subdomain{}, {} process{}, {} thread{} each\n\
             {}: {} steps, {:.6} s simulated, in {:.2} s of wall time ({})\n\
             sweeps: {:.1} a step, {:.1} M contact updates a second\n\
             certificate: {certificate}; worst residual {:.1e}, worst velocity error {:.1e}, deepest penetration {:.1e} of a radius\n\
             energy: {:.6} J kinetic, {:.6} J dissipated in contacts\n\
             {}{traffic}{warnings}\n\
             output: {}",
            self.scene,
            self.dimension,
            self.population.bodies,
            self.end.contacts,
            self.layout.subdomains,
            plural(self.layout.subdomains),
            self.layout.ranks,
            if self.layout.ranks == 1 { "" } else { "es" },
            self.layout.threads,
            plural(self.layout.threads),
            self.reached.ending,
            self.reached.steps,
            self.reached.simulated_s,
            self.times.wall_s,
            shares.join(", "),
            self.counts.sweeps as f64 / steps,
            self.rate(),
            self.counts.worst_residual,
            self.counts.worst_velocity_error,
            self.counts.max_penetration,
            self.end.kinetic_energy_j,
            self.end.dissipated_j,
            self.balance(),
            folder.display(),
        )
    }
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Certificate;

    #[test]
    fn a_resumed_run_states_its_own_rate_and_continues_the_counts() {
        let before = RunCounts { contact_updates: 1_000_000_000, ..RunCounts::default() };
        let mut summary = Summary { counts: before, ..Summary::default() };
        let certificate = Certificate { sweeps: 30, contacts: 100_000, ..Certificate::default() };
        summary.add(&StepReport { certificate, ..StepReport::default() });
        summary.times.phases_s.insert(Phase::Solve.name().to_string(), 0.1);
        assert_eq!(summary.counts.contact_updates, 1_003_000_000);
        assert!((summary.rate() - 30.0).abs() < 1e-9, "{}", summary.rate());
    }
}
