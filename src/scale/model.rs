//! Performance model of a time step on any number of processes.
//!
//! For k sweeps, a process with n bodies and c contacts among P processes takes
//!
//! ```text
//! T = L (n t_b + k c t_c) + k (2 a + (m - 1) a + B/b + a log2 P)
//! B = w s n^((D-1)/D) g(P),    g(P) = 1 - P^(-1/D)
//! ```
//!
//! t_b and t_c are measured on one process, or on the run with the most threads that still fit the machine, where they
//! share its memory bandwidth; L is the observed imbalance. A sweep has two exchanges, one per colour, each with the
//! network latency a, and one message more for each of the m neighbours beyond the first, sent one after the other in
//! the worst case; the reduction of the convergence test takes the latency a per level. B is the number of bytes across
//! the faces of a part: w per body at a face, s such bodies per n^((D-1)/D), estimated from the number of bodies in
//! more than one subdomain; g accounts for the share of interior faces, as if the parts were cubes in a cube. a and b
//! are measured with messages between two processes.

use super::{MeanTimes, ScalingKind, ScalingPoint};

/// Performance of messages between two processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Network {
    /// Time of an empty message, s.
    pub latency: f64,
    /// Bandwidth of long messages, bytes/s.
    pub bandwidth: f64,
}

/// Fitted parameters of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScalingModel {
    /// The network.
    pub network: Network,
    /// Time per body and step outside the solve, communication included, s.
    pub body: f64,
    /// Time per contact and sweep, s.
    pub contact: f64,
    /// Load imbalance: busiest process over mean.
    pub imbalance: f64,
    /// Bodies at all faces of a part, over its bodies to the power (D-1)/D.
    pub faces: f64,
    /// Dimension D, 2 or 3.
    pub dimension: f64,
}

impl ScalingModel {
    /// Fits the model to runs sorted by number of processes, the smallest first. `None` without a run.
    pub fn fit(points: &[ScalingPoint], network: Network) -> Option<Self> {
        let first = points.first()?;
        // Processes on one machine share its memory bandwidth; the run with the most of them includes that cost.
        let largest = points.iter().rev().find(|point| !point.is_oversubscribed).unwrap_or(first);
        let share = |point: &ScalingPoint| 1.0 / point.processes as f64;
        let dimension = first.dimension as f64;
        let power = (dimension - 1.0) / dimension;
        // Subdomains are cut in the same way as the parts of processes.
        let parts = first.subdomains as f64;
        let (own, inside) = (first.bodies / parts, 1.0 - parts.powf(-1.0 / dimension));
        let faces = match inside > 0.0 {
            true => first.interface_share * own / (own.powf(power) * inside),
            false => 1.0,
        };
        let MeanTimes { detect, assemble, update, waited, .. } = &largest.times;
        let rest = detect + assemble + update + waited.detect + waited.assemble + waited.update;
        let updates = largest.contacts * largest.sweeps * share(largest);
        Some(Self {
            network,
            body: rest / (largest.bodies * share(largest)).max(1.0),
            contact: if updates > 0.0 { largest.times.sweep / updates } else { 0.0 },
            imbalance: points.iter().map(|point| point.imbalance).fold(1.0, f64::max),
            faces,
            dimension,
        })
    }

    /// Time of a step on `processes`, s, each with these numbers of bodies and contacts, with `sweeps` sweeps.
    pub fn seconds(&self, processes: f64, bodies: f64, contacts: f64, sweeps: f64) -> f64 {
        let work = bodies * self.body + sweeps * contacts * self.contact;
        if processes <= 1.0 {
            return work;
        }
        let Network { latency, bandwidth } = self.network;
        let messages = 2.0 + (self.neighbours(processes) - 1.0) + processes.log2();
        self.imbalance * work + sweeps * (messages * latency + self.bytes(processes, bodies) / bandwidth)
    }

    /// Predicted time of a step of the run `from`, s, on another number of processes and with `sweeps` sweeps: a
    /// growing problem needs more of them.
    pub fn predict(&self, kind: ScalingKind, from: &ScalingPoint, processes: usize, sweeps: f64) -> f64 {
        let grown = match kind {
            ScalingKind::Strong => 1.0 / processes as f64,
            ScalingKind::Weak => 1.0 / from.processes as f64,
        };
        self.seconds(processes as f64, from.bodies * grown, from.contacts * grown, sweeps)
    }

    /// Efficiency on that many processes, each with as many bodies as a process of `from`.
    pub fn efficiency(&self, from: &ScalingPoint, processes: usize) -> f64 {
        let own = 1.0 / from.processes as f64;
        let of = |processes| self.seconds(processes, from.bodies * own, from.contacts * own, from.sweeps);
        of(1.0) / of(processes as f64)
    }

    /// Bytes that a process sends per sweep.
    pub fn bytes(&self, processes: f64, bodies: f64) -> f64 {
        let numbers = if self.dimension < 3.0 { 3.0 } else { 6.0 };
        let faces = self.faces * bodies.powf((self.dimension - 1.0) / self.dimension);
        8.0 * numbers * faces * (1.0 - processes.powf(-1.0 / self.dimension))
    }

    /// Number of neighbours of a process: all surrounding parts, or all other processes if they are fewer.
    fn neighbours(&self, processes: f64) -> f64 {
        (processes - 1.0).min(3f64.powf(self.dimension) - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETWORK: Network = Network { latency: 1e-6, bandwidth: 1e10 };

    fn synthetic(model: &ScalingModel, processes: usize) -> ScalingPoint {
        let (bodies, contacts, sweeps, n) = (64_000.0, 190_000.0, 50.0, processes as f64);
        let detect = bodies / n * model.body;
        let sweep = contacts / n * sweeps * model.contact;
        let seconds = model.seconds(n, bodies / n, contacts / n, sweeps);
        let dimension = 3;
        let (parts, own) = (64.0f64, bodies / 64.0);
        let interface_share = model.faces * own.powf(2.0 / 3.0) * (1.0 - parts.powf(-1.0 / 3.0)) / own;
        let imbalance = if processes == 1 { 1.0 } else { model.imbalance };
        let subdomains = 64;
        ScalingPoint {
            processes,
            threads: 1,
            dimension,
            bodies,
            subdomains,
            contacts,
            sweeps,
            times: MeanTimes { seconds, detect, sweep, ..MeanTimes::default() },
            imbalance,
            interface_share,
            ..ScalingPoint::default()
        }
    }

    #[test]
    fn a_fit_recovers_the_model_of_synthetic_runs() {
        let model =
            ScalingModel { network: NETWORK, body: 2e-6, contact: 1e-8, imbalance: 1.05, faces: 6.0, dimension: 3.0 };
        let points: Vec<ScalingPoint> = [1, 2, 4].map(|n| synthetic(&model, n)).to_vec();
        let found = ScalingModel::fit(&points, NETWORK).unwrap();
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;
        assert!(
            near(found.body, 2e-6)
                && near(found.contact, 1e-8)
                && near(found.faces, 6.0)
                && near(found.imbalance, 1.05)
        );
        // A run that was not used in the fit.
        let eight = synthetic(&model, 8);
        assert!(near(found.predict(ScalingKind::Strong, &points[0], 8, points[0].sweeps), eight.times.seconds));
        assert!(ScalingModel::fit(&[], NETWORK).is_none());
    }

    #[test]
    fn efficiency_falls_with_processes_and_with_the_latency_of_the_network() {
        let model =
            ScalingModel { network: NETWORK, body: 2e-6, contact: 1e-8, imbalance: 1.0, faces: 6.0, dimension: 3.0 };
        let one = synthetic(&model, 1);
        let found = [1, 64, 1024, 16384].map(|n| model.efficiency(&one, n));
        assert!(found[0] == 1.0 && found.is_sorted_by(|a, b| a > b) && found[3] > 0.8, "{found:?}");
        let slow = ScalingModel { network: Network { latency: 1e-3, ..NETWORK }, ..model };
        assert!(slow.efficiency(&one, 1024) < 0.5 * found[2]);
    }
}
