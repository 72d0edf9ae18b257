//! Progress of a run on standard error: a bar on a terminal, lines in the log of a batch job, JSON objects for
//! programs, and nothing when output is piped.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use crate::base::error::say;
use crate::simulation::StepReport;
use crate::simulation::warnings::Warning;

/// Form of the progress output on standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogStyle {
    /// A progress bar on a terminal, lines in a SLURM job, nothing otherwise.
    #[default]
    Auto,
    /// A line at intervals.
    Lines,
    /// A JSON object at intervals.
    Json,
    /// Nothing.
    None,
}

enum ProgressForm {
    Bar(ProgressBar),
    Lines,
    Json,
    Nothing,
}

/// Progress display of a run.
pub struct Progress {
    form: ProgressForm,
    /// Are warnings printed when they first occur?
    shows_warnings: bool,
    steps: u64,
    first: u64,
    start: Instant,
    every: Duration,
    next: Duration,
    unconverged: u64,
}

impl Progress {
    /// Progress of a run that has made `first` of `steps` steps; a line every `every` seconds, the first after the
    /// first step.
    pub fn new(log: LogStyle, every: f64, first: u64, steps: u64) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        let form = match log {
            LogStyle::Auto if is_terminal => ProgressForm::Bar(bar(steps)),
            LogStyle::Auto if std::env::var_os("SLURM_JOB_ID").is_some() => ProgressForm::Lines,
            LogStyle::Lines => ProgressForm::Lines,
            LogStyle::Json => ProgressForm::Json,
            LogStyle::Auto | LogStyle::None => ProgressForm::Nothing,
        };
        let every = Duration::try_from_secs_f64(every).unwrap_or(Duration::MAX);
        let shows_warnings = log != LogStyle::None;
        Self { form, shows_warnings, steps, first, start: Instant::now(), every, next: Duration::ZERO, unconverged: 0 }
    }

    /// Reports a step; `imbalance` is the load of the busiest process over the mean.
    pub fn step(&mut self, report: &StepReport, imbalance: f64) {
        self.unconverged += u64::from(!report.certificate.converged);
        let spent = self.start.elapsed();
        match &self.form {
            ProgressForm::Nothing => return,
            ProgressForm::Bar(bar) => {
                bar.set_position(report.step);
                bar.set_message(self.text(report, imbalance, spent));
                return;
            }
            ProgressForm::Lines | ProgressForm::Json if spent < self.next => return,
            ProgressForm::Lines => say(format_args!(
                "{:>3.0} %  step {}/{}  ETA {}  {}",
                100.0 * report.step as f64 / self.steps.max(1) as f64,
                report.step,
                self.steps,
                duration(self.remaining(report.step, spent)),
                self.text(report, imbalance, spent)
            )),
            ProgressForm::Json => say(self.json(report, imbalance, spent)),
        }
        self.next = spent.saturating_add(self.every);
    }

    /// Prints new warnings.
    pub fn warn(&self, warnings: &[Warning]) {
        for warning in warnings.iter().filter(|_| self.shows_warnings) {
            match &self.form {
                ProgressForm::Bar(bar) => bar.suspend(|| say(format_args!("nscdd: warning: {}", warning.message))),
                ProgressForm::Json => {
                    // Serialising a struct of numbers and strings cannot fail.
                    let mut event = serde_json::to_value(warning).unwrap_or_default();
                    event["event"] = "warning".into();
                    say(event);
                }
                ProgressForm::Lines | ProgressForm::Nothing => say(format_args!("nscdd: warning: {}", warning.message)),
            }
        }
    }

    /// Steps per second of wall time.
    fn speed(&self, step: u64, spent: Duration) -> f64 {
        (step - self.first) as f64 / spent.as_secs_f64().max(1e-9)
    }

    /// Estimated wall time until the end at the present speed, s.
    fn remaining(&self, step: u64, spent: Duration) -> f64 {
        self.steps.saturating_sub(step) as f64 / self.speed(step, spent).max(1e-9)
    }

    /// Progress as text.
    fn text(&self, report: &StepReport, imbalance: f64, spent: Duration) -> String {
        let c = &report.certificate;
        let mut text = format!(
            "t = {:.4} s  {:.3} steps/s  {} contacts  {} sweeps  residual {:.0e}",
            report.time,
            self.speed(report.step, spent),
            c.contacts,
            c.sweeps,
            c.residual
        );
        if imbalance > 1.0 {
            text += &format!("  imbalance {imbalance:.2}");
        }
        if self.unconverged > 0 {
            text += &format!("  {} steps at the cap", self.unconverged);
        }
        text
    }

    /// Progress as a JSON object.
    fn json(&self, report: &StepReport, imbalance: f64, spent: Duration) -> serde_json::Value {
        let c = &report.certificate;
        json!({
            "event": "progress", "step": report.step, "steps": self.steps, "time_s": report.time,
            "steps_per_second": self.speed(report.step, spent), "eta_s": self.remaining(report.step, spent),
            "bodies": report.bodies, "contacts": c.contacts, "sweeps": c.sweeps, "converged": c.converged,
            "residual": c.residual, "velocity_error": c.velocity_error, "imbalance": imbalance,
            "unconverged_steps": self.unconverged, "kinetic_energy_J": report.kinetic_energy,
        })
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let ProgressForm::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
    }
}

fn bar(steps: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
    // The template is a constant; if it did not parse, the default style would do.
    if let Ok(style) = ProgressStyle::with_template("{bar:24} {percent:>3} %  {pos}/{len} steps  ETA {eta}  {wide_msg}")
    {
        bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
    }
    bar
}

/// Formats a duration in a suitable unit.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{s:.0} s"),
        s if s < 6000.0 => format!("{:.0} min", s / 60.0),
        s if s < 360_000.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_formatted_in_a_suitable_unit() {
        assert_eq!([5.0, 600.0, 7200.0, 864_000.0].map(duration), ["5 s", "10 min", "2.0 h", "10.0 days"]);
    }
}
