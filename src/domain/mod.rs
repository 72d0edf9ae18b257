//! What exists because there is more than one subdomain.
//!
//! Space is cut into S boxes. Each [`Subdomain`] detects and sweeps the contacts whose point lies in its box; a
//! body may be held by several of them, and the interface reconciles its copies after every half-sweep.
//! Nothing here depends on which thread runs which subdomain, and one subdomain is simply an empty interface.

mod assemble;
mod interface;
mod outcome;
mod separate;
mod settings;
mod solve;
mod split;
mod subdomain;

use partitioning::{Cuts, Cutter, Local, MultiJagged, RecursiveBisection, RegularGrid};
use rayon::prelude::*;

use crate::contactor::Placed;
use crate::dim::{Dim, Vector};
use crate::integrator::Free;
use crate::interaction::reach::{Reach, Wear};
use crate::interaction::{self, Sight};
use crate::model::Model;
use crate::state::{Bodies, History};

pub use assemble::Scenery;
use interface::Interface;
pub use outcome::{Outcome, Totals};
pub use settings::{Auto, Count, Method, Scheme, Settings};
pub use subdomain::Subdomain;

/// Bodies are put in order along the curve, and the balance looked at, every so many steps. Counted in steps,
/// so that a resumed run does it at the same moments.
const REARRANGE: u64 = 64;

/// The decomposition: cuts of space, the subdomains between them, and what they share.
pub struct Domain<X: Dim> {
    settings: Settings,
    /// Cuts in space; scenes in the plane lie at z = 0.
    cuts: Cuts<3>,
    subdomains: Vec<Subdomain<X>>,
    interface: Interface<X>,
    wear: Wear,
}

impl<X: Dim> Domain<X> {
    /// For `free` free bodies; space is cut when the first step rearranges.
    pub fn new(settings: &Settings, free: usize) -> Self {
        let parts = settings.subdomains.resolve(free);
        Self {
            settings: settings.clone(),
            cuts: Cuts::one(),
            subdomains: (0..parts).map(|_| Subdomain::default()).collect(),
            interface: Interface::default(),
            wear: Wear::default(),
        }
    }

    /// Now and then: bodies in order along the curve, and space cut anew where weight has moved. Decided from
    /// the number of the step and the states alone.
    pub fn rearrange(&mut self, model: &Model<X>, bodies: &mut Bodies<X>, history: &mut History<X>, step: u64) {
        if !step.is_multiple_of(REARRANGE) {
            return;
        }
        let free: Vec<_> = bodies.states().iter().filter(|s| !model.is_prescribed(s)).collect();
        let points: Vec<[f64; 3]> = free.iter().map(|s| s.position.in_space()).collect();
        let weights: Vec<u32> = free.iter().map(|s| 1 + s.contacts).collect();
        let mut min = X::Vector::from_fn(|_| f64::INFINITY);
        let mut max = -min;
        for state in &free {
            min = X::Vector::from_fn(|k| min[k].min(state.position[k]));
            max = X::Vector::from_fn(|k| max[k].max(state.position[k]));
        }
        let order = bodies.reorder(|state| X::curve_key(state.position, min, max));
        history.reorder(&order);
        self.wear.clear();
        let parts = self.subdomains.len();
        if parts > 1 && (self.cuts.parts() != parts || self.imbalance(&points, &weights) > self.settings.imbalance) {
            self.cuts = self.cut(&points, &weights, parts);
        }
        for (part, subdomain) in self.subdomains.iter_mut().enumerate() {
            subdomain.colour = match self.settings.interface {
                Scheme::RedBlack => self.cuts.colour(part),
                Scheme::Glue => 0,
            };
        }
    }

    fn cut(&self, points: &[[f64; 3]], weights: &[u32], parts: usize) -> Cuts<3> {
        match self.settings.partitioner {
            Method::MultiJagged => MultiJagged.cut(points, weights, parts, &Local),
            Method::Bisection => RecursiveBisection.cut(points, weights, parts, &Local),
            Method::Grid => RegularGrid.cut(points, weights, parts, &Local),
        }
    }

    /// Heaviest subdomain over the mean.
    fn imbalance(&self, points: &[[f64; 3]], weights: &[u32]) -> f64 {
        let mut sums = vec![0u64; self.cuts.parts()];
        for (point, &weight) in points.iter().zip(weights) {
            sums[self.cuts.locate(point)] += u64::from(weight);
        }
        partitioning::quality::imbalance(&sums)
    }

    /// Contacts of the step, in every subdomain. `placed` are the bodies at mid-step.
    pub fn detect(
        &mut self,
        model: &Model<X>,
        bodies: &Bodies<X>,
        placed: &[Placed<'_, X>],
        free: &[Free<X>],
        reach: &Reach,
    ) {
        let alerts = reach.alerts(placed, free);
        if !self.wear.is_fresh(&alerts) {
            self.wear.renew(reach, &alerts);
            self.invite(placed);
            let margins = &self.wear.margins;
            let obstacle = |i: u32| model.is_prescribed(&bodies.states()[i as usize]);
            self.subdomains.par_iter_mut().for_each(|s| s.gather(placed, margins, obstacle));
        }
        let cuts = &self.cuts;
        let most = alerts.iter().copied().fold(0.0, f64::max);
        let fast = interaction::deep::is_fast(2.0 * most, reach.smallest);
        let sight = Sight { states: bodies.states(), model, middle: placed, alerts: &alerts, fast };
        self.subdomains
            .par_iter_mut()
            .enumerate()
            .for_each(|(part, s)| s.detect(&sight, |point| cuts.locate(&point) == part));
    }

    /// Every body visits the subdomains that its inflated box touches.
    fn invite(&mut self, placed: &[Placed<'_, X>]) {
        self.subdomains.iter_mut().for_each(Subdomain::dismiss);
        for (i, body) in placed.iter().enumerate() {
            let bounds = body.bounds().inflated(self.wear.margins[i]);
            // Scenes in the plane lie at z = 0, where every cut in z leaves them on one side.
            self.cuts.touching(&bounds.min.in_space(), &bounds.max.in_space(), |part| {
                self.subdomains[part].invite(i as u32);
            });
        }
    }

    /// Bodies have moved with these velocities for a step of length `h`, and been displaced by `moved`.
    pub fn travelled(&mut self, bodies: &Bodies<X>, model: &Model<X>, h: f64, moved: Option<&[(X::Vector, X::Spin)]>) {
        let states = bodies.states();
        self.wear.travel(|i| {
            let state = &states[i];
            let shape = model.shape(state);
            let extent = if shape.is_round() { 0.0 } else { shape.reach() * state.size };
            let (way, turn) = moved.map_or((0.0, 0.0), |moved| (moved[i].0.norm(), moved[i].1.norm()));
            h * state.velocity.norm() + way + (h * state.spin.norm() + turn) * extent
        });
    }

    /// The subdomains, in order.
    pub fn subdomains(&self) -> &[Subdomain<X>] {
        &self.subdomains
    }

    /// Number of bodies held by more than one subdomain in this step.
    pub fn shared(&self) -> usize {
        self.interface.len()
    }

    /// The cuts of space.
    pub fn cuts(&self) -> &Cuts<3> {
        &self.cuts
    }
}
