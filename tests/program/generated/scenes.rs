//! Complete scenes: six kinds of setting, filled at random.

use super::draft::{Draft, PITCH};

/// A scene and the files next to it.
pub(super) struct Generated {
    pub(super) seed: u64,
    pub(super) text: String,
    pub(super) files: Vec<(String, String)>,
    /// A scene whose final state this one starts from, to be run in the folder `before`.
    pub(super) before: Option<String>,
}

/// The scene of a seed.
pub(super) fn generate(seed: u64) -> Generated {
    let mut draft = Draft::new(seed);
    draft.settings();
    match draft.random.below(10) {
        0 | 1 => draft.sheared(),
        2 => draft.channel(),
        3 => draft.drummed(),
        4 => draft.pressed(),
        5 => draft.built(),
        _ => draft.boxed(),
    }
    draft.materials();
    draft.measures();
    if draft.random.one_in(4) {
        draft.stop();
    }
    draft.finish(seed)
}

impl Draft {
    /// Adds a layer of bodies of any kind.
    fn fill(&mut self) {
        match self.random.below(6) {
            0 | 1 => self.singles(),
            2 | 3 => self.lattice(),
            4 => self.deposit(),
            _ => self.csv(),
        }
    }

    /// Adds feeds, sinks and removals at random, including those that act before the first step.
    fn turnover(&mut self) {
        if self.random.one_in(3) {
            self.feed();
        }
        if self.random.one_in(4) {
            self.sink();
        }
        if self.random.one_in(4) {
            self.removals();
        }
    }

    /// Sets a non-default gravity, possibly rotating.
    fn gravity(&mut self) {
        if self.random.one_in(4) {
            let (along, down) = (self.random.between(-3.0, 3.0), self.random.between(-30.0, -5.0));
            self.world.push(format!("gravity = {}", self.vector([along, 0.0, down])));
        }
        if self.random.one_in(4) {
            let turn = match self.random.one_in(2) {
                true => format!("rate = {}", self.random.between(-5.0, 5.0)),
                false => format!("angle = {}", self.signal(-0.5, 0.5)),
            };
            let axis = if self.dimension == 2 { "" } else { ", axis = [0, 1, 0]" };
            self.world.push(format!("tilt = {{ {turn}{axis} }}"));
        }
    }

    /// Bounds around everything; narrow ones only if bodies that leave them are removed.
    fn bounds(&mut self) {
        if !self.random.one_in(3) {
            return;
        }
        let removes = self.random.one_in(2);
        let (room, above) = if removes { (0.02, 0.01) } else { (5.0, 5.0) };
        let (width, depth) = (self.width(), self.depth());
        let bounds = self.region([-room, -room, -room], [width + room, depth + room, self.top + above]);
        self.world.push(format!("bounds = {bounds}"));
        match removes {
            true => self.world.push("outside = \"remove\"".into()),
            false if self.random.one_in(2) => self.world.push("outside = \"fail\"".into()),
            false => {}
        }
    }

    /// Layers in a box, or on a floor.
    fn boxed(&mut self) {
        if self.random.one_in(5) {
            self.floor()
        } else {
            self.walls()
        }
        if self.dimension == 2 && self.random.one_in(4) {
            self.segment();
        }
        if self.random.one_in(6) {
            self.earlier();
        }
        for _ in 0..1 + self.random.below(3) {
            self.fill();
        }
        if self.random.one_in(2) {
            self.links();
        }
        self.turnover();
        self.gravity();
        self.bounds();
        if self.random.one_in(6) {
            self.membranes();
        }
    }

    /// A periodic cell without gravity, at rest or sheared.
    fn sheared(&mut self) {
        let layers = 2 + self.random.below(2);
        for _ in 0..layers {
            self.lattice();
        }
        self.turnover();
        let top = (self.top / PITCH).ceil() * PITCH;
        // A cell smaller than the initial extent of the bodies makes sure that they meet.
        let (min, max) =
            (self.vector([0.0; 3]), self.vector([self.width().max(0.36), self.depth().max(0.36), top.max(0.36)]));
        let shear = (!self.random.one_in(4)).then(|| {
            let rate = self.random.pick(&[-10.0, 5.0, 10.0, 20.0]);
            let axes = self.random.one_in(2).then(|| format!(", along = \"{}\", across = \"x\"", self.up()));
            let flow = if self.random.one_in(4) { ", flow = false" } else { "" };
            format!("shear = {{ rate = {rate}{}{flow} }}", axes.unwrap_or_default())
        });
        self.add("[cell]", [Some(format!("min = {min}")), Some(format!("max = {max}")), shear]);
        self.world.push(format!("gravity = {}", self.vector([0.0; 3])));
    }

    /// A floor that is periodic along x, under gravity.
    fn channel(&mut self) {
        self.floor();
        for _ in 0..1 + self.random.below(2) {
            self.fill();
        }
        self.turnover();
        self.gravity();
        let periodic = if self.dimension == 3 && self.random.one_in(2) { "[\"x\", \"y\"]" } else { "[\"x\"]" };
        let (min, max) =
            (self.vector([0.0; 3]), self.vector([self.width().max(0.36), self.depth().max(0.36), self.top + 1.0]));
        self.add(
            "[cell]",
            [Some(format!("min = {min}")), Some(format!("max = {max}")), Some(format!("periodic = {periodic}"))],
        );
    }

    /// Bodies in a rotating drum.
    fn drummed(&mut self) {
        for _ in 0..2 + self.random.below(2) {
            if self.random.one_in(2) { self.singles() } else { self.lattice() }
        }
        let height = self.top;
        self.drum(height);
        if self.random.one_in(3) {
            self.links();
        }
        if self.random.one_in(3) {
            self.removals();
        }
        self.gravity();
    }

    /// A sample between two plates, with membranes on its other sides.
    fn pressed(&mut self) {
        if self.random.one_in(2) {
            self.deposit()
        } else {
            self.lattice()
        }
        let height = self.top;
        self.plates(height);
        self.membranes();
        self.world.push(format!("gravity = {}", self.vector([0.0; 3])));
        if self.random.one_in(4) {
            self.removals();
        }
    }

    /// A masonry structure, and bodies that fall on it.
    fn built(&mut self) {
        self.floor();
        self.building();
        self.fill();
        self.turnover();
        self.gravity();
    }
}
