//! One run of a scaling study, read from its folder.

use std::path::Path;

use crate::base::error::{Error, Result};
use crate::output::summary::Summary;
use crate::simulation::timing::Phase;
use crate::simulation::warnings::WarningKind;

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
    /// Warning that its processes or threads got in each other's way.
    pub placement: Option<WarningKind>,
    /// Mean time of a step of as many independent copies of the run on one process, all at once, s.
    pub copies: Option<f64>,
}

/// Times of a step, averaged over the processes unless stated otherwise, s.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeanTimes {
    /// Wall time without output.
    pub seconds: f64,
    /// Work of the reordering of bodies, prediction, detection.
    pub detect: f64,
    /// Work of the assembly of the contact problems.
    pub assemble: f64,
    /// Work of the sweeps.
    pub sweep: f64,
    /// Work of the contact history, the overlap correction, the update of states.
    pub update: f64,
    /// Communication: in each phase, the waiting of the process that waits least.
    pub exchange: f64,
    /// Waiting for other processes beyond that.
    pub wait: f64,
    /// Part of `wait` that uneven work explains: in each phase, the work of the busiest process over the run minus the
    /// mean. The rest of `wait` is due to differences that change from sweep to sweep and from step to step.
    pub uneven: f64,
    /// Output.
    pub output: f64,
    /// Time blocked in communication in each group of phases.
    pub waited: WaitedTimes,
}

/// Time of a step blocked in communication, messages included, mean of the processes, s.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaitedTimes {
    /// In the phases of [`MeanTimes::detect`].
    pub detect: f64,
    /// In the assembly.
    pub assemble: f64,
    /// In the solve.
    pub solve: f64,
    /// In the phases of [`MeanTimes::update`].
    pub update: f64,
    /// In the output.
    pub output: f64,
}

/// Phases of [`MeanTimes::detect`].
const DETECT: [Phase; 3] = [Phase::Rearrange, Phase::Predict, Phase::Detect];
/// Phases of [`MeanTimes::update`].
const UPDATE: [Phase; 3] = [Phase::Remember, Phase::Separate, Phase::Update];

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
        let all = |name: &str| ranks.rows.iter().map(|row| ranks.get(row, name)).collect::<Vec<f64>>();
        let most = |name: &str| all(name).into_iter().fold(0.0, f64::max);
        let sweeps = summary.counts.sweeps as f64;
        Self {
            processes: summary.layout.ranks,
            threads: summary.layout.threads,
            dimension: summary.dimension,
            bodies: summary.population.bodies as f64,
            subdomains: summary.layout.subdomains,
            contacts: summary.counts.contact_updates as f64 / sweeps.max(1.0),
            sweeps: sweeps / steps,
            times: ranks.times(steps),
            imbalance: ranks.split(Phase::Solve).imbalance(),
            interface_share: all("shared").iter().sum::<f64>() / all("bodies").iter().sum::<f64>().max(1.0),
            traffic: ProcessTraffic {
                neighbours: most("neighbours"),
                bytes: most("bytes_a_sweep"),
                messages: most("messages") / steps,
                collectives: most("collectives") / steps,
            },
            is_oversubscribed: summary.layout.ranks * summary.layout.threads > cores,
            placement: summary.warnings.iter().map(|warning| warning.kind).find(|kind| kind.is_of_placement()),
            copies: None,
        }
    }
}

/// Table with the last line of each process in `ranks.csv`.
struct Ranks {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

/// Time of all processes in a phase, over the run, s.
#[derive(Clone, Debug, Default)]
struct SplitTime {
    /// Mean, and that of the process that has most of it.
    work: f64,
    most_work: f64,
    /// Mean, and that of the process that has least of it.
    waited: f64,
    least_waited: f64,
}

impl SplitTime {
    /// Work of the busiest process over the mean.
    fn imbalance(&self) -> f64 {
        self.most_work / self.work.max(f64::MIN_POSITIVE)
    }
}

impl Ranks {
    /// Work and waiting of a phase.
    fn split(&self, phase: Phase) -> SplitTime {
        let names = ["s", "waited_s"].map(|ending| format!("{}_{ending}", phase.name()));
        let count = self.rows.len().max(1) as f64;
        let mut split = SplitTime { least_waited: f64::INFINITY, ..SplitTime::default() };
        for row in &self.rows {
            let [spent, waited] = names.each_ref().map(|name| self.get(row, name));
            split.work += (spent - waited) / count;
            split.waited += waited / count;
            split.most_work = split.most_work.max(spent - waited);
            split.least_waited = split.least_waited.min(waited);
        }
        split
    }

    /// Times of one of `steps` steps.
    fn times(&self, steps: f64) -> MeanTimes {
        let of = |phases: &[Phase], time: fn(&SplitTime) -> f64| {
            phases.iter().map(|&phase| time(&self.split(phase))).sum::<f64>() / steps
        };
        let (assemble, solve, output) = ([Phase::Assemble], [Phase::Solve], [Phase::Output]);
        let all = [&DETECT[..], &assemble, &solve, &UPDATE].concat();
        let waited = of(&all, |time| time.waited);
        let exchange = of(&all, |time| time.least_waited);
        let wait = waited - exchange;
        let work = |phases: &[Phase]| of(phases, |time| time.work);
        let waits = |phases: &[Phase]| of(phases, |time| time.waited);
        MeanTimes {
            seconds: work(&all) + waited,
            detect: work(&DETECT),
            assemble: work(&assemble),
            sweep: work(&solve),
            update: work(&UPDATE),
            exchange,
            wait,
            // A process may catch up in the next phase where no message separates the two.
            uneven: of(&all, |time| time.most_work - time.work).min(wait),
            output: work(&output) + waits(&output),
            waited: WaitedTimes {
                detect: waits(&DETECT),
                assemble: waits(&assemble),
                solve: waits(&solve),
                update: waits(&UPDATE),
                output: waits(&output),
            },
        }
    }

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

    fn point() -> ScalingPoint {
        let text = "rank,step,bodies,shared,neighbours,bytes_a_sweep,messages,waited_s,detect_s,detect_waited_s,solve_s,solve_waited_s,output_s\n\
                    0,5,100,10,1,480,90,0.1,0.5,0,3,0.1,1\n0,10,100,10,1,480,200,2,2,1.0,6,1.0,1\n1,10,300,30,1,960,210,3.5,2,0.5,6,3,1\n";
        let ranks = last_of_each(text).unwrap();
        let mut summary = Summary::default();
        (summary.layout.ranks, summary.layout.threads, summary.reached.steps) = (2, 1, 10);
        summary.counts.sweeps = 100;
        summary.counts.contact_updates = 5000;
        ScalingPoint::of(&summary, &ranks, 1)
    }

    #[test]
    fn numbers_are_per_step_and_traffic_is_that_of_the_process_with_most_of_it() {
        let point = point();
        assert_eq!(
            (point.sweeps, point.contacts, point.traffic.bytes, point.traffic.messages),
            (10.0, 50.0, 960.0, 21.0)
        );
        assert!((point.times.seconds - 0.8).abs() < 1e-12, "without files: {}", point.times.seconds);
        assert!((point.interface_share - 0.1).abs() < 1e-12 && point.is_oversubscribed);
        assert!(last_of_each("rank\n0,1\n").is_none() && last_of_each("rank\n").is_none());
    }

    #[test]
    fn the_least_waiting_of_a_phase_is_its_messages_and_uneven_work_explains_a_part_of_the_rest() {
        let point = point();
        let MeanTimes { seconds, detect, assemble, sweep, update, exchange, wait, uneven, waited, .. } = point.times;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(near(detect, 0.125) && near(sweep, 0.4) && near(assemble + update, 0.0));
        assert!(near(waited.detect, 0.075) && near(waited.solve, 0.2) && near(waited.output, 0.0));
        assert!(near(exchange, 0.05 + 0.1) && near(wait, 0.275 - 0.15));
        assert!(near(detect + assemble + sweep + update + exchange + wait, seconds));
        // Detection: 1.5 s of work where the mean is 1.25 s; solve: 5 s where it is 4 s.
        assert!(near(uneven, 0.125) && near(point.imbalance, 1.25));
    }
}
