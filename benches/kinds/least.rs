//! Minimum number of sweeps that solves a problem.

use std::sync::Arc;

use nscdd::comm::SerialComm;
use nscdd::dim::{Gyroscopic, Space};
use nscdd::domain::{Domain, InterfaceScheme, StepContext, SubdomainCount};
use nscdd::integrator::{FreeNodes, Loads, Theta};
use nscdd::interaction::alert::AlertDistances;
use nscdd::interaction::swept::{GreatestSpeeds, SweptPaths};
use nscdd::simulation::Simulation;
use nscdd::solver::{Certificate, LocalMap, SolverMethod, SolverSettings, Stabilisation};

use super::STEP;

/// A way to solve a problem.
#[derive(Clone, Copy)]
pub struct Way {
    pub subdomains: u32,
    pub interface: InterfaceScheme,
    pub method: SolverMethod,
    pub warm_start: bool,
    /// Maximum number of sweeps.
    pub cap: u32,
}

/// Sweeps that the next step of `simulation` takes to each of the residual `tolerances`, the only criterion; the cap if
/// a tolerance is not reached.
pub fn least_sweeps<const N: usize>(simulation: &Simulation<Space>, way: Way, tolerances: [f64; N]) -> [u32; N] {
    let Way { subdomains, interface, method, warm_start, cap } = way;
    let model = &simulation.model;
    let (mut bodies, mut history) = (simulation.bodies.clone(), simulation.history.clone());
    let settings = nscdd::domain::DomainSettings {
        subdomains: SubdomainCount::Given(subdomains),
        interface,
        ..Default::default()
    };
    let mut domain = Domain::<Space>::new(Arc::new(SerialComm), &settings, bodies.len() as u64);
    domain.rearrange(model, &mut bodies, &mut history, 0);
    let integrator = Theta { h: STEP, theta: 0.5, gyroscopic: Gyroscopic::Implicit };
    let (mut free, mut alerts) = (Vec::new(), Vec::new());
    integrator.predict(model, &bodies, simulation.clock.time, &Loads::weight(model.gravity), &mut free);
    let distances = AlertDistances::new(&Default::default(), model.smallest(bodies.states()), 0.0, STEP);
    let span = integrator.span(0.0);
    let speeds = GreatestSpeeds::find(&SerialComm, &distances, model, bodies.states(), &free, &span);
    distances.alerts(model, bodies.states(), &free, &speeds, &mut alerts);
    let (free, alerts, distances, speeds) = (&free[..], &alerts[..], &distances, &speeds);
    let paths = SweptPaths { model, states: bodies.states(), free, alerts, distances, speeds, span: &span };
    domain.detect(&bodies, &paths, &FreeNodes::default(), true);
    let mut solve = |tolerance: f64, max_sweeps: u32| {
        let velocity_error = f64::INFINITY;
        let (local, stabilisation) = (LocalMap::Projection, Stabilisation::None);
        let settings = SolverSettings {
            method,
            tolerance,
            velocity_error,
            max_sweeps,
            warm_start,
            local,
            stabilisation,
            ..Default::default()
        };
        let context = StepContext {
            model,
            bodies: &bodies,
            free,
            nodes: &FreeNodes::default(),
            loaded: &nscdd::body::Tails::default(),
            history: &history,
            solver: &settings,
            span,
            h: STEP,
            theta: integrator.theta,
            step: 1,
            mean_impulse: 0.0,
        };
        domain.assemble(&context);
        domain.solve(&context)
    };
    tolerances.map(|tolerance| least(tolerance, cap, &mut solve))
}

/// The least number of sweeps after which `solve`, given a tolerance and a maximum of sweeps, reaches the tolerance.
fn least(tolerance: f64, cap: u32, mut solve: impl FnMut(f64, u32) -> Certificate) -> u32 {
    // The solver detects convergence at a check, so the count may be too high by the interval of checks.
    let certificate = solve(tolerance, cap);
    let enough = certificate.sweeps;
    if !certificate.converged {
        return cap;
    }
    let (mut low, mut high) = (if enough <= 30 { 0 } else { enough - enough.isqrt().clamp(10, 50) }, enough);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if solve(tolerance, middle).residual <= tolerance { high = middle } else { low = middle }
    }
    high
}
