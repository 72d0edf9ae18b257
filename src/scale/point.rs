//! One run of a scaling study, read from its folder.

use std::path::Path;

use crate::base::error::{Error, Result};
use crate::output::summary::Summary;

/// Cost of one run of a scaling study.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScalingPoint {
    /// Number of processes.
    pub processes: usize,
    /// Threads per process.
    pub threads: usize,
    /// Dimension, 2 or 3.
    pub dimension: usize,
    /// Total number of bodies.
    pub bodies: f64,
    /// Total number of subdomains.
    pub subdomains: usize,
    /// Number of contacts, averaged over the sweeps.
    pub contacts: f64,
    /// Sweeps per step.
    pub sweeps: f64,
    /// Times of a step.
    pub times: MeanTimes,
    /// Sweep time of the busiest process over the mean.
    pub imbalance: f64,
    /// Share of interface bodies: bodies in more than one subdomain over all bodies.
    pub interface_share: f64,
    /// Communication.
    pub traffic: ProcessTraffic,
    /// Are there more threads than cores? Such a run does not measure scaling.
    pub is_oversubscribed: bool,
    /// Mean time of a step of as many independent copies of the run on one process, all at once, s.
    pub copies: Option<f64>,
}

/// Times of a step, averaged over the processes unless stated otherwise, s.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeanTimes {
    /// Wall time without output.
    pub seconds: f64,
    /// Reordering of bodies, prediction, detection.
    pub detect: f64,
    /// Assembly of the contact problems.
    pub assemble: f64,
    /// Sweeps, without communication.
    pub sweep: f64,
    /// Communication between sweeps: the time of the process that waits least.
    pub exchange: f64,
    /// Waiting for other processes beyond that.
    pub wait: f64,
    /// Contact history, overlap correction, update of states.
    pub update: f64,
    /// Output.
    pub output: f64,
}

/// Communication of the process that has most of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessTraffic {
    /// Number of neighbours.
    pub neighbours: f64,
    /// Bytes sent per sweep.
    pub bytes: f64,
    /// Messages sent per step.
    pub messages: f64,
    /// Collective operations per step.
    pub collectives: f64,
}

impl ScalingPoint {
    /// Reads the folder of a run; `cores` is the number of cores available.
    pub fn read(folder: &Path, cores: usize) -> Result<Self> {
        let file = folder.join("summary.json");
        let text = std::fs::read_to_string(&file).map_err(|e| Error::system("read", &file, e))?;
        let summary: Summary = serde_json::from_str(&text).map_err(|e| Error::system("read", &file, e))?;
        let file = folder.join("ranks.csv");
        let text = std::fs::read_to_string(&file).map_err(|e| Error::system("read", &file, e))?;
        let ranks = last_of_each(&text).ok_or_else(|| Error::system("read", &file, "not a table of processes"))?;
        Ok(Self::of(&summary, &ranks, cores))
    }

    fn of(summary: &Summary, ranks: &Ranks, cores: usize) -> Self {
        let steps = summary.reached.steps.max(1) as f64;
        let count = ranks.rows.len().max(1) as f64;
        let all = |name: &str| ranks.rows.iter().map(|row| ranks.get(row, name)).collect::<Vec<f64>>();
        let mean = |names: &[&str]| names.iter().flat_map(|name| all(name)).sum::<f64>() / count / steps;
        let most = |name: &str| all(name).into_iter().fold(0.0, f64::max);
        let waited = all("waited_s");
        let least = waited.iter().copied().fold(f64::INFINITY, f64::min).min(1e30) / steps;
        let busy: Vec<f64> = all("solve_s").iter().zip(&waited).map(|(solve, wait)| solve - wait).collect();
        let busiest = busy.iter().copied().fold(0.0, f64::max);
        let (detect, assemble) = (mean(&["rearrange_s", "predict_s", "detect_s"]), mean(&["assemble_s"]));
        let (solve, wait) = (mean(&["solve_s"]), mean(&["waited_s"]));
        let update = mean(&["remember_s", "separate_s", "update_s"]);
        let sweeps = summary.counts.sweeps as f64;
        Self {
            processes: summary.layout.ranks,
            threads: summary.layout.threads,
            dimension: summary.dimension,
            bodies: summary.population.bodies as f64,
            subdomains: summary.layout.subdomains,
            contacts: summary.counts.contact_updates as f64 / sweeps.max(1.0),
            sweeps: sweeps / steps,
            times: MeanTimes {
                seconds: detect + assemble + solve + update,
                detect,
                assemble,
                sweep: solve - wait,
                exchange: least,
                wait: wait - least,
                update,
                output: mean(&["output_s"]),
            },
            imbalance: busiest * count / busy.iter().sum::<f64>().max(f64::MIN_POSITIVE),
            interface_share: all("shared").iter().sum::<f64>() / all("bodies").iter().sum::<f64>().max(1.0),
            traffic: ProcessTraffic {
                neighbours: most("neighbours"),
                bytes: most("bytes_a_sweep"),
                messages: most("messages") / steps,
                collectives: most("collectives") / steps,
            },
            is_oversubscribed: summary.layout.ranks * summary.layout.threads > cores,
            copies: None,
        }
    }
}

/// Table with the last line of each process in `ranks.csv`.
struct Ranks {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Ranks {
    fn get(&self, row: &[f64], name: &str) -> f64 {
        self.names.iter().position(|own| own == name).map_or(0.0, |k| row[k])
    }
}

fn last_of_each(text: &str) -> Option<Ranks> {
    let mut lines = text.lines();
    let names: Vec<String> = lines.next()?.split(',').map(str::to_owned).collect();
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for line in lines {
        let row: Vec<f64> = line.split(',').map(|word| word.parse().ok()).collect::<Option<_>>()?;
        if row.len() != names.len() {
            return None;
        }
        match rows.last_mut() {
            Some(last) if last[0] == row[0] => *last = row,
            _ => rows.push(row),
        }
    }
    (!rows.is_empty()).then_some(Ranks { names, rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_per_step_and_the_least_waiting_time_is_that_of_the_exchange() {
        let text = "rank,step,bodies,shared,neighbours,bytes_a_sweep,messages,waited_s,detect_s,solve_s,output_s\n\
                    0,5,100,10,1,480,90,0.1,0.5,3,1\n0,10,100,10,1,480,200,1,2,6,1\n1,10,300,30,1,960,210,3,2,6,1\n";
        let ranks = last_of_each(text).unwrap();
        let mut summary = Summary::default();
        (summary.layout.ranks, summary.layout.threads, summary.reached.steps) = (2, 1, 10);
        summary.counts.sweeps = 100;
        summary.counts.contact_updates = 5000;
        let point = ScalingPoint::of(&summary, &ranks, 1);
        assert_eq!(
            (point.sweeps, point.contacts, point.traffic.bytes, point.traffic.messages),
            (10.0, 50.0, 960.0, 21.0)
        );
        assert!((point.times.seconds - 0.8).abs() < 1e-12, "without files: {}", point.times.seconds);
        assert!((point.times.exchange - 0.1).abs() < 1e-12 && (point.times.wait - 0.1).abs() < 1e-12);
        assert!((point.times.sweep - 0.4).abs() < 1e-12 && (point.imbalance - 1.25).abs() < 1e-12);
        assert!((point.interface_share - 0.1).abs() < 1e-12 && point.is_oversubscribed);
        assert!(last_of_each("rank\n0,1\n").is_none() && last_of_each("rank\n").is_none());
    }
}
