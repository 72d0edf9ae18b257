//! `nscdd solve`: solves a contact problem from a file and reports the quality of the solution.

use serde_json::json;

use super::args::{SolveArgs, Solver};
use super::terminal::print;
use crate::base::error::{EXIT_DONE, EXIT_NOT_CONVERGED, Result};
use crate::dim::{Dim, Plane, Space, Vector};
use crate::output::fclib::{self, FclibContent, FclibSolution};
use crate::solver::delassus::{Delassus, Solution, SolutionMethod, SolveTarget};

pub(super) fn solve(args: &SolveArgs) -> Result<i32> {
    match fclib::dimension(&args.problem)? {
        2 => solve_in::<Plane>(args),
        _ => solve_in::<Space>(args),
    }
}

fn solve_in<X: Dim>(args: &SolveArgs) -> Result<i32> {
    let mut content = fclib::read::<X>(&args.problem)?;
    let problem = &content.problem;
    let method = match args.solver {
        Solver::Nlgs => SolutionMethod::Nlgs,
        Solver::Accelerated => SolutionMethod::Accelerated,
        Solver::Accurate => SolutionMethod::Accurate,
        Solver::Auto => SolutionMethod::Auto,
    };
    let zero = || vec![X::Vector::zero(); problem.contacts()];
    let guess = content.guesses.first().filter(|_| args.warm).map_or_else(zero, |guess| guess.impulses.clone());
    let target = SolveTarget { tolerance: args.tol, max_sweeps: args.max_sweeps, time_limit: args.time_limit };
    let solution = problem.solve(method, guess, &target);
    let other = content.solution.as_ref().filter(|_| args.compare);
    let other = other.map(|other| Comparison::new(problem, &solution, other, args.tol));
    let report = SolveReport { args, content: &content, solution: &solution, other };
    let report = if args.json { report.as_json() } else { report.as_text() };
    if let Some(out) = &args.out {
        let velocities = problem.velocities(&solution.impulses);
        content.solution = Some(FclibSolution { velocities, impulses: solution.impulses.clone() });
        fclib::write(out, &content)?;
    }
    print(&report)?;
    Ok(if solution.is_converged { EXIT_DONE } else { EXIT_NOT_CONVERGED })
}

/// Comparison of our solution with that of the file. Frictional problems may have many solutions, so differing impulses
/// are not an error; velocities are more informative.
struct Comparison {
    residual: f64,
    merit: f64,
    impulses: f64,
    velocities: f64,
}

impl Comparison {
    fn new<X: Dim>(problem: &Delassus<X>, ours: &Solution<X>, theirs: &FclibSolution<X>, tolerance: f64) -> Self {
        let evaluation = problem.evaluate(theirs.impulses.clone(), tolerance);
        let (u, v) = (problem.velocities(&ours.impulses), problem.velocities(&theirs.impulses));
        Self {
            residual: evaluation.residual,
            merit: evaluation.merit,
            impulses: distance::<X>(&ours.impulses, &theirs.impulses),
            velocities: distance::<X>(&u, &v),
        }
    }
}

/// ||a - b||/||b||, with 0/0 = 0.
fn distance<X: Dim>(a: &[X::Vector], b: &[X::Vector]) -> f64 {
    let difference: f64 = a.iter().zip(b).map(|(a, b)| (*a - *b).norm2()).sum();
    let size: f64 = b.iter().map(Vector::norm2).sum();
    if difference == 0.0 { 0.0 } else { (difference / size).sqrt() }
}

/// Smallest and largest friction coefficient.
fn friction<X: Dim>(problem: &Delassus<X>) -> [f64; 2] {
    let all = problem.friction();
    let (least, most) = (all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(0.0, f64::max));
    if all.is_empty() { [0.0, 0.0] } else { [least, most] }
}

/// Report on a solution.
struct SolveReport<'a, X: Dim> {
    args: &'a SolveArgs,
    content: &'a FclibContent<X>,
    solution: &'a Solution<X>,
    other: Option<Comparison>,
}

impl<X: Dim> SolveReport<'_, X> {
    fn as_text(&self) -> String {
        let Self { args, content, solution, other } = self;
        let (problem, effort) = (&content.problem, &solution.effort);
        let [least, most] = friction(problem);
        let friction = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        let title = if content.about.title.is_empty() { String::new() } else { format!(" ({})", content.about.title) };
        let mut text = format!(
            "{}{title}: {}D, {} contacts, {} blocks of W, friction {friction}\n\
             {}: {} sweeps and {} Newton steps in {:.3} s\n\
             residual of the contact laws {:.2e}, at the worst contact {:.2e}; error in FCLIB's measure {:.2e}\n",
            args.problem.display(),
            X::D,
            problem.contacts(),
            problem.blocks(),
            match (solution.is_converged, solution.is_out_of_time) {
                (true, _) => "solved",
                (false, true) => "NOT SOLVED in the time given; the best answer so far",
                (false, false) => "NOT SOLVED; the best answer so far",
            },
            effort.sweeps,
            effort.newton_steps,
            effort.time.as_secs_f64(),
            solution.residual,
            solution.worst,
            solution.merit,
        );
        if let Some(Comparison { residual, merit, impulses, velocities }) = other {
            text += &if impulses.is_infinite() {
                "the solution in the file has no impulses to compare with\n".into()
            } else {
                format!(
                    "the solution in the file: residual {residual:.2e}, FCLIB's measure {merit:.2e}; the new solution differs from it by {impulses:.2e} \
                 in impulses, {velocities:.2e} in velocities\n"
                )
            };
        } else if args.compare {
            text += "the file holds no solution to compare with\n";
        }
        if let Some(out) = &args.out {
            text += &format!("written: {}\n", out.display());
        }
        text
    }

    fn as_json(&self) -> String {
        let Self { args, content, solution, other } = self;
        let (problem, effort) = (&content.problem, &solution.effort);
        let other = other.as_ref().map(|other| {
            json!({
                "residual": other.residual,
                "fclib_error": other.merit,
                "impulses_differ": other.impulses,
                "velocities_differ": other.velocities,
            })
        });
        let report = json!({
            "problem": args.problem,
            "title": content.about.title,
            "dimension": X::D,
            "contacts": problem.contacts(),
            "blocks": problem.blocks(),
            "friction": friction(problem),
            "tolerance": args.tol,
            "converged": solution.is_converged,
            "out_of_time": solution.is_out_of_time,
            "sweeps": effort.sweeps,
            "newton_steps": effort.newton_steps,
            "seconds": effort.time.as_secs_f64(),
            "residual": solution.residual,
            "worst": solution.worst,
            "fclib_error": solution.merit,
            "solution_in_file": other,
        });
        format!("{report}\n")
    }
}
