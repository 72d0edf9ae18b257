//! Report of a step: what a run writes into its history.

use crate::domain::ContactTotals;
use crate::solver::{Certificate, EnergyBalance};

/// Results of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at its end, s.
    pub time: f64,
    /// Kinetic energy at its end, J.
    pub kinetic_energy: f64,
    /// Linear momentum at its end, kg m/s; zero beyond the dimension.
    pub momentum: [f64; 3],
    /// Certificate of the solution.
    pub certificate: Certificate,
    /// Sums over contacts.
    pub totals: ContactTotals,
    /// Energy balance since the start.
    pub energy: EnergyBalance,
    /// Bodies at its end, obstacles included.
    pub bodies: u64,
    /// Bodies born since the start.
    pub born: u64,
    /// Bodies removed since the start.
    pub died: u64,
    /// Bodies that are due but wait for free space.
    pub waiting: u64,
    /// The stop condition that ends the run, in words.
    pub ends: Option<String>,
}
