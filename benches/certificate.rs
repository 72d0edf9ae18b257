//! The certificate against the true error: for many steps of more than twenty kinds of scenes, the velocity error
//! stated by the certificate and the true one, by the accurate solver. Reported, not asserted;
//! `tests/physics/certificate.rs` asserts part of it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../tests/support/truth.rs"]
mod truth;

use truth::{kinds, tried};

fn main() {
    // `solver.KEY=VALUE` sets a key; any other word selects the kinds whose names contain it.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let (settings, words): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|arg| arg.contains('='));
    let is_chosen = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word));
    println!(
        "{:<28} {:>5} {:>6} {:>9} {:>9} {:>9} {:>9} {:>8} {:>7}",
        "kind", "steps", "solved", "converged", "sweeps", "true max", "D max", "D/true", "s"
    );
    let (mut all, mut above, mut far) = (0, 0, 0);
    for kind in kinds().into_iter().filter(|kind| is_chosen(kind.name)) {
        let start = std::time::Instant::now();
        let tried = tried(&kind, &settings);
        let known: Vec<_> = tried.iter().filter_map(|t| Some((t, t.error?))).collect();
        let converged: Vec<_> = known.iter().filter(|(t, _)| t.certificate.converged).collect();
        let limit = nscdd::solver::SolverSettings::default().velocity_error;
        all += converged.len();
        above += converged.iter().filter(|(_, error)| *error > limit).count();
        far += converged.iter().filter(|(_, error)| *error > 3.0 * limit).count();
        let most = |of: &dyn Fn(&(&truth::Tried, f64)) -> f64| converged.iter().map(|t| of(t)).fold(0.0, f64::max);
        let mut ratios: Vec<f64> = converged.iter().map(|(t, error)| t.certificate.velocity_error / error).collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "{:<28} {:>5} {:>6} {:>9} {:>9.1} {:>9.1e} {:>9.1e} {:>8.1} {:>7.1}",
            kind.name,
            tried.len(),
            known.len(),
            converged.len(),
            tried.iter().map(|t| f64::from(t.certificate.sweeps)).sum::<f64>() / tried.len().max(1) as f64,
            most(&|(_, error)| *error),
            most(&|(t, _)| t.certificate.velocity_error),
            ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN),
            start.elapsed().as_secs_f64(),
        );
    }
    println!(
        "{all} converged steps with a known solution: {above} with a true error above velocity_error, {far} above three times that"
    );
}
