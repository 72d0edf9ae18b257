//! Settings of a generated scene: time, solver, detection, decomposition, output.

use super::chance::{short, table};
use super::draft::Draft;

impl Draft {
    /// Adds the sections that do not depend on the bodies.
    pub(super) fn settings(&mut self) {
        self.time();
        self.domain();
        self.solver();
        self.detection();
        self.output();
    }

    fn time(&mut self) {
        let (step, end) = (self.step, short(self.end()));
        let random = &mut self.random;
        let theta = random.maybe(4, "theta", |random| random.pick(&[0.5, 0.6, 1.0]).to_string());
        let gyroscopic =
            random.maybe(4, "gyroscopic", |random| format!("{:?}", random.pick(&["implicit", "explicit"])));
        self.add("[time]", [Some(format!("step = {step}")), Some(format!("end = {end}")), theta, gyroscopic]);
    }

    fn domain(&mut self) {
        let random = &mut self.random;
        let drawn = match random.one_in(20) {
            true => "\"auto\"".to_owned(),
            false => (1 + random.below(12)).to_string(),
        };
        self.is_solved_whole = self.later.one_in(5);
        let subdomains = if self.is_solved_whole { "1".to_owned() } else { drawn };
        let lines = [
            Some(format!("subdomains = {subdomains}")),
            random.maybe(4, "interface", |random| format!("{:?}", random.pick(&["red-black", "glue"]))),
            random
                .maybe(2, "partitioner", |random| format!("{:?}", random.pick(&["multi-jagged", "bisection", "grid"]))),
            random.maybe(4, "imbalance", |random| random.between(1.05, 2.0).to_string()),
        ];
        self.add("[domain]", lines);
    }

    /// Often too few sweeps for the tolerance, to exercise the fallback to the best impulses.
    fn solver(&mut self) {
        let random = &mut self.random;
        let method = random.pick(&["auto", "auto", "nlgs", "accelerated", "acd2", "jacobi"]);
        let method = if self.is_solved_whole { "admm" } else { method };
        let order = match method {
            "jacobi" | "acd2" => None,
            _ => random.maybe(2, "order", |random| format!("{:?}", random.pick(&["batches", "curve", "random"]))),
        };
        let lines = [
            Some(format!("method = {method:?}")),
            order,
            Some(format!("max_sweeps = {}", random.pick(&[1, 7, 30, 64, 100, 200, 300]))),
            random.maybe(2, "tolerance", |random| random.power(1e-12, 1e-2).to_string()),
            random.maybe(2, "velocity_error", |random| random.power(1e-8, 0.5).to_string()),
            random.maybe(5, "relaxation", |random| random.between(0.6, 1.2).to_string()),
            random.maybe(4, "local", |random| format!("{:?}", random.pick(&["projection", "exact"]))),
            random
                .maybe(2, "stabilisation", |random| format!("{:?}", random.pick(&["projection", "baumgarte", "none"]))),
            random.maybe(4, "warm_start", |random| random.one_in(3).to_string()),
            self.later.maybe(4, "deformable_overlaps", |random| random.between(0.0, 1.0).to_string()),
            self.latest
                .maybe(3, "impacts", |random| format!("{:?}", random.pick(&["moreau", "sequence", "stiffness"]))),
            self.latest.maybe(6, "impact_exponent", |random| random.between(1.0, 2.0).to_string()),
            random.maybe(4, "seed", |random| random.below(1000).to_string()),
            // A step that does not converge then ends the run, on any number of processes alike.
            random.maybe(40, "required", |_| "true".into()),
        ];
        self.add("[solver]", lines);
    }

    fn detection(&mut self) {
        let random = &mut self.random;
        let lines = [
            random.maybe(4, "alert", |random| random.power(1e-4, 1e-2).to_string()),
            random.maybe(3, "skin", |random| random.power(1e-4, 3e-2).to_string()),
            // Large enough that no initial state is refused, including sheared cells and small parts of compounds.
            Some(format!("max_travel = {}", self.later.between(5.0, 20.0))),
        ];
        self.add("[detection]", lines);
    }

    fn output(&mut self) {
        let step = self.step;
        let random = &mut self.random;
        let steps = 3 + random.below(6);
        let checkpoint = table([
            random.maybe(4, "every_seconds", |_| short(step * steps as f64 * 1.5).to_string()),
            random.maybe(10, "every_minutes", |_| "30".into()),
            Some(format!("every_steps = {steps}")),
            random.maybe(2, "keep", |random| (1 + random.below(4)).to_string()),
        ]);
        let every = short(step * (1.0 + random.below(4) as f64));
        let frames = table([
            Some(format!("every = {every}")),
            random.maybe(3, "packed", |random| (!random.one_in(3)).to_string()),
        ]);
        let lines = [
            Some(format!("checkpoint = {checkpoint}")),
            Some(format!("frames = {frames}")),
            random.maybe(10, "history", |random| random.one_in(2).to_string()),
            random.maybe(10, "directory", |_| "\"elsewhere\"".into()),
        ];
        self.add("[output]", lines);
    }
}
