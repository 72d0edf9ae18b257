//! The progress bar: only on a terminal, and never in the way of output that is piped or logged.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::history::Report;

/// Shows how far a run is.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for `steps` steps; hidden when `quiet` or when standard error is no terminal.
    pub fn new(steps: u64, quiet: bool) -> Self {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(steps), target);
        // The template is fixed text: if it did not parse, the default style would do.
        if let Ok(style) =
            ProgressStyle::with_template("{bar:24} {percent:>3} %  {pos}/{len} steps  ETA {eta}  {wide_msg}")
        {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        Self { bar }
    }

    /// One more step.
    pub fn step(&self, report: &Report) {
        if self.bar.is_hidden() {
            return;
        }
        let c = &report.certificate;
        self.bar.set_position(report.step);
        self.bar.set_message(format!(
            "t = {:.4} s, {} contacts, {} sweeps, residual {:.0e}",
            report.time, c.contacts, c.sweeps, c.residual
        ));
    }

    /// Take the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
