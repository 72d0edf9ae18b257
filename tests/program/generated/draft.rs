//! A scene under construction: its sections as text, the names that later sections may use, and the space left.
//!
//! Bodies are placed in layers on top of each other, each in its own slot, so that nothing overlaps at the start.

use super::chance::{Chance, short, table};
use super::scenes::Generated;

/// Distance of two slots, m. The contents of a slot extend no farther than [`REACH`] from its centre.
pub(super) const PITCH: f64 = 0.12;
pub(super) const REACH: f64 = 0.05;

/// A body with an id given by the scene.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) id: u64,
    pub(super) at: [f64; 3],
    /// True unless every degree of freedom is prescribed.
    pub(super) is_free: bool,
    /// True if of finite size.
    pub(super) is_bounded: bool,
}

/// A scene under construction.
pub(super) struct Draft {
    pub(super) random: Chance,
    /// Generator for keys added later: earlier draws stay unchanged.
    pub(super) later: Chance,
    /// Generator for keys added later still.
    pub(super) latest: Chance,
    pub(super) dimension: usize,
    /// Time step, s, and number of steps.
    pub(super) step: f64,
    pub(super) steps: usize,
    /// Slots along x and y.
    pub(super) slots: [usize; 2],
    /// Height above which space is free.
    pub(super) top: f64,
    pub(super) known: Vec<Known>,
    /// Bodies with a group of nodes, and its name.
    pub(super) groups: Vec<(u64, &'static str)>,
    pub(super) has_links: bool,
    /// Is the method one that solves all contacts together, in one subdomain?
    pub(super) is_solved_whole: bool,
    /// Lines of `[world]`.
    pub(super) world: Vec<String>,
    sections: Vec<String>,
    /// Files next to the scene.
    pub(super) files: Vec<(String, String)>,
    /// A scene to be run before this one.
    pub(super) before: Option<String>,
    next_id: u64,
}

/// Names of the materials.
pub(super) const MATERIALS: [&str; 3] = ["stone", "steel", "foam"];

impl Draft {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Chance::new(seed);
        let dimension = 2 + random.below(2);
        let step = random.pick(&[1e-3, 2e-3, 2e-3]);
        let steps = 20 + random.below(21);
        let slots = if dimension == 2 { [4 + random.below(3), 1] } else { [2 + random.below(2), 2] };
        Self {
            random,
            later: Chance::new(seed ^ (1 << 32)),
            latest: Chance::new(seed ^ (2 << 32)),
            dimension,
            step,
            steps,
            slots,
            top: 0.0,
            known: Vec::new(),
            groups: Vec::new(),
            has_links: false,
            is_solved_whole: false,
            world: vec![format!("dimension = {dimension}")],
            sections: Vec::new(),
            files: Vec::new(),
            before: None,
            next_id: 1000,
        }
    }

    /// Adds a section of these lines.
    pub(super) fn add(&mut self, title: &str, lines: impl IntoIterator<Item = Option<String>>) {
        let lines: Vec<String> = lines.into_iter().flatten().collect();
        self.sections.push(format!("{title}\n{}\n", lines.join("\n")));
    }

    /// The complete scene.
    pub(super) fn finish(mut self, seed: u64) -> Generated {
        let world = std::mem::take(&mut self.world).into_iter().map(Some);
        self.add("[world]", world);
        self.sections.rotate_right(1);
        Generated { seed, text: self.sections.join("\n"), files: self.files, before: self.before }
    }

    /// Reserves ids for `count` bodies; returns the first.
    pub(super) fn take_ids(&mut self, count: u64) -> u64 {
        let first = self.next_id;
        self.next_id += count;
        first
    }

    /// Simulated time of the run, s.
    pub(super) fn end(&self) -> f64 {
        self.step * self.steps as f64
    }

    pub(super) fn width(&self) -> f64 {
        self.slots[0] as f64 * PITCH
    }

    pub(super) fn depth(&self) -> f64 {
        self.slots[1] as f64 * PITCH
    }

    /// Names of the axes.
    pub(super) fn axes(&self) -> &'static [&'static str] {
        if self.dimension == 2 { &["x", "y"] } else { &["x", "y", "z"] }
    }

    /// Name of the vertical axis.
    pub(super) fn up(&self) -> &'static str {
        self.axes()[self.dimension - 1]
    }

    /// A point or direction; the last number is the vertical component.
    pub(super) fn vector(&self, [x, y, up]: [f64; 3]) -> String {
        let [x, y, up] = [x, y, up].map(|number| (number * 1e9).round() / 1e9);
        if self.dimension == 2 { format!("[{x}, {up}]") } else { format!("[{x}, {y}, {up}]") }
    }

    /// A vector with components up to `most`.
    pub(super) fn any_vector(&mut self, most: f64) -> String {
        let numbers = [(); 3].map(|()| self.random.between(-most, most));
        self.vector(numbers)
    }

    /// A velocity downwards and somewhat sideways, mostly.
    pub(super) fn falling(&mut self) -> Option<String> {
        let velocity = [(-1.0, 1.0), (-1.0, 1.0), (-3.0, -0.3)].map(|(least, most)| self.random.between(least, most));
        (!self.random.one_in(4)).then(|| format!("velocity = {}", self.vector(velocity)))
    }

    /// A box.
    pub(super) fn region(&self, min: [f64; 3], max: [f64; 3]) -> String {
        format!("{{ min = {}, max = {} }}", self.vector(min), self.vector(max))
    }

    /// A box around a large part of the bodies.
    pub(super) fn any_region(&mut self) -> String {
        let (width, depth, top) = (self.width(), self.depth(), self.top.max(PITCH));
        let low = self.random.between(0.0, 0.4);
        let high = self.random.between(0.6, 1.0);
        self.region([low * width, low * depth, low * top], [high * width, high * depth, high * top])
    }

    /// One of the materials.
    pub(super) fn material(&mut self) -> Option<String> {
        Some(format!("material = \"{}\"", self.random.pick(&MATERIALS)))
    }

    /// Centres of the slots of a new layer.
    pub(super) fn layer(&mut self) -> Vec<[f64; 3]> {
        let up = self.top + 0.5 * PITCH;
        self.top += PITCH;
        let [across, deep] = self.slots;
        let middle = |k: usize| (k as f64 + 0.5) * PITCH;
        (0..across * deep).map(|k| [middle(k % across), middle(k / across), up]).collect()
    }

    /// A time within the run, on a step or between two.
    pub(super) fn moment(&mut self) -> f64 {
        let step = self.random.below(self.steps) as f64;
        let between = if self.random.one_in(2) { 0.0 } else { 0.5 };
        short(self.step * (step + between))
    }

    /// A signal over time, between two values.
    pub(super) fn signal(&mut self, least: f64, most: f64) -> String {
        let end = self.end();
        let draw = |random: &mut Chance| random.between(least, most);
        let random = &mut self.random;
        match random.below(6) {
            0 => {
                let (from, to) = (draw(random), draw(random));
                let (start, stop) = (short(0.2 * end), short(0.7 * end));
                format!("{{ ramp = {{ from = {from}, to = {to}, start = {start}, end = {stop} }} }}")
            }
            1 => {
                let half = 0.5 * (most - least);
                let entries = [
                    Some(format!("amplitude = {}", random.between(0.1 * half, half))),
                    Some(format!("omega = {}", random.between(50.0, 300.0))),
                    // The midpoint keeps the signal in range, so that a pressure stays positive.
                    Some(format!("mean = {}", short(0.5 * (least + most)))),
                    random.maybe(2, "phase", |random| random.between(0.0, 3.0).to_string()),
                    random.maybe(2, "ramp", |random| random.between(20.0, 200.0).to_string()),
                ];
                format!("{{ sinusoid = {} }}", table(entries))
            }
            2 => {
                let rows = [0.0, 0.3, 0.8].map(|share| format!("{}, {}\n", short(share * end), draw(random)));
                let name = format!("signal-{}.csv", self.files.len());
                self.files.push((name.clone(), format!("time, value\n{}", rows.concat())));
                format!("{{ table = \"{name}\" }}")
            }
            3 => {
                let points = [0.1, 0.5, 0.9].map(|share| format!("[{}, {}]", short(share * end), draw(random)));
                format!("{{ points = [{}] }}", points.join(", "))
            }
            _ => draw(random).to_string(),
        }
    }
}
