//! `nscdd diagnose`: tests whether a contact problem has a solution and, if not, which contacts prevent it.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::args::DiagnoseArgs;
use super::terminal::print;
use crate::base::error::{EXIT_DONE, EXIT_NOT_CONVERGED, Error, Result};
use crate::dim::{Dim, Plane, Space, Square, Vector};
use crate::domain::GlobalContact;
use crate::graphics::{self, SvgWriter};
use crate::output::fclib::{self, FclibContent};
use crate::solver::delassus::{Existence, ExistenceVerdict};

/// Maximum number of contacts listed individually.
const LISTED: usize = 20;

pub(super) fn diagnose(args: &DiagnoseArgs) -> Result<i32> {
    match fclib::dimension(&args.problem)? {
        2 => diagnose_in::<Plane>(args),
        _ => diagnose_in::<Space>(args),
    }
}

fn diagnose_in<X: Dim>(args: &DiagnoseArgs) -> Result<i32> {
    let content = fclib::read::<X>(&args.problem)?;
    let found = content.problem.existence(args.max_steps);
    if let Some(picture) = &args.picture {
        draw(picture, &content, &found)?;
    }
    print(&if args.json { as_json(args, &content, &found) } else { as_text(args, &content, &found) })?;
    Ok(if found.verdict == ExistenceVerdict::Exists { EXIT_DONE } else { EXIT_NOT_CONVERGED })
}

fn as_text<X: Dim>(args: &DiagnoseArgs, content: &FclibContent<X>, found: &Existence<X>) -> String {
    let mut text = format!("{}: {}D, {} contacts\n", args.problem.display(), X::D, content.problem.contacts());
    let involved = found.involved();
    text += &match found.verdict {
        ExistenceVerdict::Exists => format!(
            "a solution exists: no self-equilibrated impulses work against the imposed motion ({} steps)\n\
             if sweeps do not reach it, the problem is ill-conditioned: allow more sweeps (solver.max_sweeps), or solve it\n\
             with `nscdd solve --solver accurate`\n",
            found.steps
        ),
        ExistenceVerdict::Unsure => format!(
            "inconclusive after {} steps: the problem is ill-conditioned (balance {:.1e}); allow more with --max-steps\n\
             the impulses closest to self-equilibrium are at {} contacts:\n",
            found.steps,
            found.balance,
            involved.len()
        ),
        ExistenceVerdict::Inconsistent => format!(
            "NO SOLUTION: the impulses of {} contacts are self-equilibrated and work against the imposed motion, so they grow\n\
             without bound ({} steps, balance {:.1e}). Friction jams these bodies. A solution exists with less friction, with a\n\
             law that caps it (orowan), or if the driven body can yield.\n",
            involved.len(),
            found.steps,
            found.balance
        ),
    };
    if found.verdict != ExistenceVerdict::Exists {
        for &k in involved.iter().take(LISTED) {
            let whose = content.contacts.get(k).map_or(String::new(), |contact| {
                format!(", bodies {} and {} at {:?}", contact.bodies[0], contact.bodies[1], contact.point.as_slice())
            });
            let impulse = found.impulses[k];
            _ = writeln!(
                text,
                "  contact {k}{whose}: normal {:.3}, tangential {:.3} of the greatest",
                impulse[0],
                (impulse - X::Vector::axis(0) * impulse[0]).norm()
            );
        }
        if involved.len() > LISTED {
            _ = writeln!(text, "  and {} more", involved.len() - LISTED);
        }
    }
    if let Some(picture) = &args.picture {
        _ = writeln!(text, "drawn: {}", picture.display());
    }
    text
}

fn as_json<X: Dim>(args: &DiagnoseArgs, content: &FclibContent<X>, found: &Existence<X>) -> String {
    let contact = |&k: &usize| {
        json!({
            "contact": k,
            "bodies": content.contacts.get(k).map(|contact| contact.bodies),
            "point": content.contacts.get(k).map(|contact| contact.point.as_slice().to_vec()),
            "impulse": found.impulses[k].as_slice(),
        })
    };
    let verdict = match found.verdict {
        ExistenceVerdict::Exists => "exists",
        ExistenceVerdict::Inconsistent => "inconsistent",
        ExistenceVerdict::Unsure => "unsure",
    };
    let report = json!({
        "problem": args.problem,
        "dimension": X::D,
        "contacts": content.problem.contacts(),
        "verdict": verdict,
        "steps": found.steps,
        "balance": found.balance,
        "involved": found.involved().iter().map(contact).collect::<Vec<_>>(),
    });
    format!("{report}\n")
}

/// Draws the impulses as arrows at their contacts; in 3D, projected along the last axis.
fn draw<X: Dim>(path: &Path, content: &FclibContent<X>, found: &Existence<X>) -> Result<()> {
    let failed = |reason: String| Error::system("draw", path, reason);
    if content.contacts.is_empty() {
        return Err(failed("the file has no contact positions; files written by --dump-problem have them".into()));
    }
    let contacts: Vec<&GlobalContact<X>> = content.contacts.iter().collect();
    let span = |k: usize| {
        let values = contacts.iter().map(|contact| contact.point[k]);
        let (low, high) = (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
        [low, high]
    };
    let ([x0, x1], [y0, y1]) = (span(0), span(1));
    let size = (x1 - x0).max(y1 - y0).max(f64::MIN_POSITIVE);
    let scale = 600.0 / size;
    let at = |x: f64, y: f64| (100.0 + (x - x0) * scale, 100.0 + (y1 - y) * scale);
    let (width, height) = (200.0 + (x1 - x0) * scale, 200.0 + (y1 - y0) * scale);
    let mut svg = SvgWriter::new(width, height);
    svg.background();
    svg.element("defs").open();
    let tip = svg.element("marker").set("id", "tip").set("viewBox", "0 0 6 6").set("refX", 5).set("refY", 3);
    tip.set("markerWidth", 6).set("markerHeight", 6).set("orient", "auto").open();
    svg.element("path").set("d", "M0 0L6 3L0 6z").set("fill", "#b2182b").end();
    svg.close();
    svg.close();
    for (contact, impulse) in contacts.iter().zip(&found.impulses) {
        let world = X::frame(contact.normal).apply_transposed(*impulse);
        let (x, y) = at(contact.point[0], contact.point[1]);
        svg.element("circle").number("cx", x).number("cy", y).number("r", 2.5).set("fill", "#444").end();
        let (dx, dy) = (80.0 * world[0], -80.0 * world[1]);
        if dx.hypot(dy) < 1.0 {
            continue;
        }
        // The impulse acts on the second body, its opposite on the first.
        for sign in [1.0, -1.0] {
            let arrow = svg.element("line").number("x1", x).number("y1", y);
            let arrow = arrow.number("x2", x + sign * dx).number("y2", y + sign * dy).set("stroke", "#b2182b");
            arrow.number("stroke-width", 1.5).set("marker-end", "url(#tip)").end();
        }
        let [a, b] = contact.bodies;
        let label = svg.element("text").number("x", x + 6.0).number("y", y - 6.0).number("font-size", 11.0);
        label.set("fill", "#222").text(&format!("{a}\u{2013}{b}"));
    }
    graphics::save(svg.finish(), path)
}
