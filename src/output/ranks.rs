//! `ranks.csv`: phase times, the waiting in each phase, bodies and traffic of every process as the run proceeds.
//!
//! Each process samples its own clock at intervals that grow with the length of the run; nothing is sent until the run
//! ends. The table covers the run since it was last started or resumed.

use std::path::Path;

use crate::base::error::{Error, Result};
use crate::comm::{Comm, MessageCounts, Reader, Writer, gather_on_root};
use crate::domain::InterfaceTraffic;
use crate::simulation::timing::{Phase, Timing};

/// Maximum number of samples; a long run keeps at least half as many.
const MAX_SAMPLES: usize = 256;

/// Sample of one process after a step.
#[derive(Clone, Debug, Default)]
struct RankSample {
    step: u64,
    bodies: u64,
    traffic: InterfaceTraffic,
    sent: MessageCounts,
    /// Time blocked in communication, in phases or not, s.
    waited: f64,
    timing: Timing,
}

/// Samples of one process.
#[derive(Clone, Debug)]
pub struct RankSamples {
    samples: Vec<RankSample>,
    last: RankSample,
    /// Steps between two samples.
    interval: u64,
    first: u64,
    /// Messages sent before the first step.
    at_start: MessageCounts,
    /// Time blocked in communication before the first step outside of phases, s.
    waited_before: f64,
}

impl RankSamples {
    /// Samples of a run that stands after `step` steps, on a process that has `sent` these messages.
    pub fn new(step: u64, sent: MessageCounts, timing: &Timing) -> Self {
        Self {
            samples: Vec::new(),
            last: RankSample { step, ..RankSample::default() },
            interval: 1,
            first: step,
            at_start: sent,
            waited_before: timing.waited_since_start() - timing.total_waited(),
        }
    }

    /// Adds a step: the bodies of this process, its traffic per sweep and messages so far, and its clock.
    pub fn add(&mut self, step: u64, bodies: usize, traffic: InterfaceTraffic, sent: MessageCounts, timing: &Timing) {
        let (sent, waited) = (sent.since(self.at_start), timing.waited_since_start() - self.waited_before);
        self.last = RankSample { step, bodies: bodies as u64, traffic, sent, waited, timing: timing.clone() };
        if (step - self.first).is_multiple_of(self.interval) {
            self.samples.push(self.last.clone());
        }
        if self.samples.len() == MAX_SAMPLES {
            self.interval *= 2;
            let (first, interval) = (self.first, self.interval);
            self.samples.retain(|sample| (sample.step - first).is_multiple_of(interval));
        }
    }

    /// Collective. Process 0 writes the table of all processes.
    pub fn write(&self, comm: &dyn Comm, path: &Path) -> Result<()> {
        let mut message = Writer::default();
        let tail = self.samples.last().is_none_or(|sample| sample.step < self.last.step && self.last.step > self.first);
        for sample in self.samples.iter().chain(tail.then_some(&self.last)) {
            message.u64(sample.step);
            let InterfaceTraffic { shared, neighbours, bytes } = sample.traffic;
            let MessageCounts { messages, collectives } = sample.sent;
            let counts = [sample.bodies, shared, neighbours, bytes, messages, collectives];
            message.write(&counts);
            message.write(&sample.waited);
            for phase in Phase::ALL {
                message.write(&sample.timing.seconds(phase));
                message.write(&sample.timing.waited(phase));
            }
        }
        let received = gather_on_root(comm, message.0);
        if !comm.is_root() {
            return Ok(());
        }
        let columns = |phase: &Phase| format!(",{0}_s,{0}_waited_s", phase.name());
        let mut text = String::from("rank,step,bodies,shared,neighbours,bytes_a_sweep,messages,collectives,waited_s");
        text += &(Phase::ALL.iter().map(columns).collect::<String>() + "\n");
        for (rank, bytes) in received.iter().enumerate() {
            let mut samples = Reader(bytes);
            while !samples.is_done() {
                let counts: Vec<String> = (0..7).map(|_| samples.u64().to_string()).collect();
                let times: Vec<String> =
                    (0..=2 * Phase::ALL.len()).map(|_| format!("{:.6}", samples.read::<f64>())).collect();
                text += &format!("{rank},{},{}\n", counts.join(","), times.join(","));
            }
        }
        std::fs::write(path, text).map_err(|e| Error::system("write", path, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::SerialComm;

    #[test]
    fn a_long_run_leaves_as_many_samples_as_a_short_one_and_its_last_step() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ranks.csv");
        for steps in [3u64, 1000, 100_001] {
            let sent = |step: u64| MessageCounts { messages: 2 * step, collectives: 10 };
            let (traffic, timing) = (InterfaceTraffic::default(), Timing::default());
            let mut samples = RankSamples::new(7, sent(7), &timing);
            (8..8 + steps).for_each(|step| samples.add(step, 5, traffic, sent(step), &timing));
            samples.write(&SerialComm, &path).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let lines: Vec<&str> = text.lines().skip(1).collect();
            assert!(lines.len() as u64 >= steps.min(100) && lines.len() <= MAX_SAMPLES, "{}", lines.len());
            assert!(lines.last().unwrap().starts_with(&format!("0,{},5,0,0,0,{},0,0.0", 7 + steps, 2 * steps)));
            let own: Vec<u64> = lines.iter().map(|line| line.split(',').nth(1).unwrap().parse().unwrap()).collect();
            assert!(own.is_sorted());
        }
    }
}
