//! Checks of the tables that concern the whole scene.

use super::values::{between, corners, length, positive};
use super::{BoxBounds, Checked, KeyPath, Scene, SceneProblem};
use crate::domain::SubdomainCount;
use crate::solver::ContactOrder;

/// More steps than this are taken for a typing error: at a microsecond each they take eleven days.
const MAX_STEPS: f64 = 1e12;
/// More subdomains than this are taken for a typing error.
const MAX_SUBDOMAINS: u32 = 1_000_000;

impl Scene {
    /// The first problem that can be found without creating bodies.
    pub(crate) fn problem(&self) -> Checked {
        self.check_world()?;
        self.check_time()?;
        self.check_solver()?;
        self.check_domain()?;
        self.check_materials()?;
        self.check_laws()?;
        self.check_links()?;
        if let Some(frames) = &self.output.frames {
            positive(&"output.frames.every".into(), frames.every, "simulated seconds between two frames")?;
        }
        self.check_checkpoint()?;
        self.check_boundaries()?;
        self.check_stops()?;
        self.check_measures()?;
        self.check_cell()?;
        self.check_membranes()?;
        if self.bodies.is_empty() && self.generators.is_empty() && self.feeds.is_empty() {
            let problem = SceneProblem::value(&KeyPath::default(), "the scene has no bodies");
            return Err(problem.help("add [[bodies]] one by one, or [[generators]] for many"));
        }
        Ok(())
    }

    fn check_checkpoint(&self) -> Checked {
        let at = KeyPath::from("output.checkpoint");
        let entry = &self.output.checkpoint;
        if entry.every_steps == Some(0) {
            let problem = SceneProblem::value(&at.then("every_steps"), "`every_steps` must be at least 1, not 0");
            return Err(problem.label("no step").help("leave it out for no checkpoints by steps"));
        }
        if let Some(seconds) = entry.every_seconds {
            positive(&at.then("every_seconds"), seconds, "simulated seconds between two checkpoints")?;
        }
        if let Some(minutes) = entry.every_minutes {
            positive(&at.then("every_minutes"), minutes, "minutes of wall time between two checkpoints")?;
        }
        if entry.keep == 0 {
            let problem = SceneProblem::value(&at.then("keep"), "`keep` must be at least 1, not 0");
            return Err(problem.label("none kept").help("2 keeps one in reserve; older ones are removed"));
        }
        Ok(())
    }

    fn check_world(&self) -> Checked {
        let world = &self.world;
        if !matches!(world.dimension, 2 | 3) {
            let message = format!("`dimension` must be 2 or 3, not {}", world.dimension);
            let problem = SceneProblem::value(&"world.dimension".into(), message);
            return Err(problem.label("neither 2 nor 3").help("2 for disks in a plane, 3 for spheres in space"));
        }
        let dimension = usize::from(world.dimension);
        if let Some(gravity) = &world.gravity {
            length(&"world.gravity".into(), gravity.len(), dimension)?;
        }
        if let Some(BoxBounds { min, max }) = &world.bounds {
            corners(&"world.bounds".into(), min, max, dimension)?;
        } else if world.outside.is_some() {
            let problem = SceneProblem::key(&"world.outside".into(), "`outside` without `bounds`").label("no bounds");
            return Err(problem.help("add bounds = { min = [...], max = [...] }"));
        }
        Ok(())
    }

    fn check_time(&self) -> Checked {
        let time = &self.time;
        let (step, end) = (KeyPath::from("time.step"), KeyPath::from("time.end"));
        positive(&step, time.step, "a step is a fraction of the time a body takes to move by its radius")?;
        if time.end < 0.0 {
            let problem = SceneProblem::value(&end, format!("`end` must not be negative, but it is {}", time.end));
            return Err(problem.label("negative").help("a run starts at time 0"));
        }
        if time.end > 0.0 && time.step > time.end {
            let message = format!("a step of {} s is longer than the whole run of {} s", time.step, time.end);
            let problem =
                SceneProblem::value(&step, message).label("longer than `end`").also(&end, "the end of the run");
            return Err(problem.help("shorten the step or let the run last longer"));
        }
        if time.end / time.step > MAX_STEPS {
            let message = format!("the run would take {:.1e} steps", time.end / time.step);
            let problem = SceneProblem::value(&step, message).label("too short").also(&end, "for a run this long");
            return Err(problem.help(format!("at most {MAX_STEPS:.0e} steps; both times are in seconds")));
        }
        between(&"time.theta".into(), time.theta, 0.5, 1.0, "0.5 conserves energy, 1 damps; below 0.5 is unstable")
    }

    fn check_solver(&self) -> Checked {
        let solver = &self.solver;
        let loose = "0.001 is usual; smaller is more exact and slower";
        positive(&"solver.tolerance".into(), solver.tolerance, loose)?;
        positive(
            &"solver.velocity_error".into(),
            solver.velocity_error,
            "0.2 is usual; smaller is more exact and slower",
        )?;
        if solver.max_sweeps == 0 {
            let problem = SceneProblem::value(&"solver.max_sweeps".into(), "`max_sweeps` must be at least 1, not 0");
            return Err(problem.label("no sweep at all").help("a step takes tens to hundreds of sweeps"));
        }
        if !(solver.relaxation > 0.0 && solver.relaxation < 2.0) {
            let message = format!("`relaxation` must be above 0 and below 2, not {}", solver.relaxation);
            let problem = SceneProblem::value(&"solver.relaxation".into(), message);
            return Err(problem.label("out of range").help("1 is plain Gauss-Seidel; other values rarely help"));
        }
        if let (Some(reason), true) = (solver.method.without_order(), solver.order != ContactOrder::Batches) {
            let problem = SceneProblem::value(&"solver.order".into(), reason);
            let problem = problem.label("superfluous").also(&"solver.method".into(), "the method");
            return Err(problem.help("leave `order` out, or use method = \"nlgs\""));
        }
        let detection = &self.detection;
        positive(
            &"detection.max_travel".into(),
            detection.max_travel,
            "greatest distance that a body may move in a step, in radii",
        )?;
        for (path, value) in [("detection.alert", detection.alert), ("detection.skin", detection.skin)] {
            if let Some(value) = value {
                positive(&path.into(), value, "a few per cent of the smallest body, m; leave it out for the default")?;
            }
        }
        Ok(())
    }

    fn check_domain(&self) -> Checked {
        if let SubdomainCount::Given(count) = self.domain.subdomains
            && !(1..=MAX_SUBDOMAINS).contains(&count)
        {
            let message = format!("`subdomains` must lie between 1 and {MAX_SUBDOMAINS}, not be {count}");
            let problem = SceneProblem::value(&"domain.subdomains".into(), message).label("out of range");
            return Err(problem.help("\"auto\" uses about one per 2000 spheres, or 1000 other bodies"));
        }
        if let (SubdomainCount::Given(count @ 2..), Some(_)) =
            (self.domain.subdomains, self.solver.method.polishes_after())
        {
            let message =
                format!("method \"admm\" factors one matrix of all bodies; it has no use for {count} subdomains");
            let problem = SceneProblem::value(&"domain.subdomains".into(), message).label("more than one");
            let problem = problem.also(&"solver.method".into(), "the method");
            return Err(problem.help("leave `subdomains` out, or use method = \"auto\""));
        }
        if self.domain.imbalance <= 1.0 {
            let message = format!("`imbalance` must be greater than 1, not {}", self.domain.imbalance);
            let problem = SceneProblem::value(&"domain.imbalance".into(), message).label("too small");
            return Err(problem.help("1.3 lets the heaviest subdomain be 30 % above the mean"));
        }
        Ok(())
    }

    fn check_materials(&self) -> Checked {
        for (name, material) in &self.materials {
            let path = KeyPath::new(["materials", name]);
            if name == "*" {
                let problem = SceneProblem::key(&path, "a material cannot be called \"*\"").label("taken");
                return Err(problem.help("\"*\" stands for any material in [[laws]]"));
            }
            positive(
                &path.then("density"),
                material.density,
                "density in kg/m3 (kg/m2 in two dimensions); glass has 2500",
            )?;
        }
        Ok(())
    }
}
