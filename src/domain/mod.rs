//! What exists because there is more than one subdomain.
//!
//! Space is cut into S boxes. Each [`Subdomain`] detects and sweeps the contacts whose point lies in its box; a
//! body may be held by several of them, and the interface reconciles its copies after every half-sweep.
//! Nothing here depends on which thread or process runs which subdomain, and one subdomain is simply an empty
//! interface. Each process hosts some of the subdomains and owns the bodies at home in them.

mod assemble;
mod baumgarte;
mod contacts;
mod context;
mod copy_stiffness;
mod detect;
mod global_problem;
mod interface;
mod links;
mod membranes;
mod migrate;
mod outcome;
mod overlap_correction;
mod ownership;
mod placement;
mod population;
mod reduce_to_owner;
mod scratch;
mod settings;
mod sharing;
mod shuffle;
mod solve;
mod stop_request;
mod subdomain;
mod velocity_store;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use partitioning::{Cuts, Cutter, MultiJagged, RecursiveBisection, RegularGrid};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use crate::body::Bodies;
use crate::comm::{AllToAll, Comm, PendingReduction};
use crate::dim::{Dim, Vector};
use crate::integrator::{EndVelocity, FreeMotion};
use crate::interaction::alert::VerletSkin;
use crate::interaction::{ContactHistory, RecordSorting, SearchedRecords};
use crate::model::Model;
use crate::solver::VelocityStore;

pub use context::StepContext;
pub use global_problem::{GlobalContact, GlobalProblem, ProblemUnavailable};
use interface::Interface;
pub use interface::InterfaceTraffic;
pub use outcome::{ContactTotals, StepOutcome};
use ownership::Ownership;
use placement::PlacementLoad;
use scratch::ScratchPool;
pub use settings::{Auto, DomainSettings, InterfaceScheme, Partitioner, SubdomainCount};
pub use stop_request::SavedBodies;
pub use subdomain::Subdomain;

/// Bodies are put in order along the curve, and the balance looked at, every so many steps. Counted in steps,
/// so that a resumed run does it at the same moments.
const REARRANGE: u64 = 64;

/// Points with weights, and the box of those of all processes.
struct WeightedPoints {
    points: Vec<[f64; 3]>,
    weights: Vec<u32>,
    min: [f64; 3],
    max: [f64; 3],
}

/// The decomposition: cuts of space, the subdomains between them that live here, and what they share.
pub struct Domain<X: Dim> {
    comm: Arc<dyn Comm>,
    settings: DomainSettings,
    /// Cuts in space; scenes in the plane lie at z = 0.
    cuts: Cuts<3>,
    /// Colour of every subdomain, wherever it lives.
    colours: Vec<u8>,
    /// Process that hosts each subdomain.
    placement: Vec<u32>,
    /// Place of each subdomain in `subdomains`; beyond its end for those that live elsewhere.
    slots: Vec<u32>,
    subdomains: Vec<Subdomain<X>>,
    ownership: Ownership,
    interface: Interface<X>,
    /// The lines of all bodies in the problems of the subdomains.
    field: Arc<VelocityStore<X>>,
    skin: VerletSkin,
    /// Where bodies were in the middle of the last step, for whoever looks at its contacts.
    free: Arc<Vec<FreeMotion<X>>>,
    /// Of no bodies.
    nowhere: Arc<Vec<FreeMotion<X>>>,
    /// Velocities at the end of the step.
    end: Vec<EndVelocity<X>>,
    /// Memory for the contact counts and the contact history of the next step.
    contact_counts: Vec<u32>,
    spare_history: ContactHistory<X>,
    scratch: ScratchPool<X>,
    /// What bringing records into order takes.
    sorting: RecordSorting,
    /// Messages, and what comes in them.
    all_to_all: AllToAll,
    received: SearchedRecords<X>,
    /// Which bodies this process speaks for.
    is_primary: Vec<bool>,
    /// Sums of a solve on their way.
    reduction: PendingReduction,
    /// Those that momentum needs after every sweep.
    restart_sums: PendingReduction,
    /// Sweeps of the last step that took any to speak of: a guess at how many the next takes.
    usual: u32,
    /// Wall time spent waiting for other processes between half-sweeps.
    waited: Duration,
    /// Load of the busiest process over the mean when it was looked at last.
    imbalance: f64,
    /// Seed of placements at random, for tests.
    shuffle: Option<u64>,
    /// Set from outside to end a step early, and whether all processes have agreed to.
    stop: Option<Arc<AtomicBool>>,
    halted: bool,
}

impl<X: Dim> Domain<X> {
    /// For `free` free bodies of all processes; space is cut when the first step rearranges.
    pub fn new(comm: Arc<dyn Comm>, settings: &DomainSettings, free: usize) -> Self {
        let parts = settings.subdomains.resolve(free);
        let rank = comm.rank();
        let mut domain = Self {
            comm,
            settings: settings.clone(),
            cuts: Cuts::one(),
            colours: vec![0; parts],
            placement: Vec::new(),
            slots: Vec::new(),
            subdomains: Vec::new(),
            ownership: Ownership::new(rank),
            interface: Interface::default(),
            field: Arc::default(),
            skin: VerletSkin::default(),
            free: Arc::default(),
            nowhere: Arc::default(),
            end: Vec::new(),
            contact_counts: Vec::new(),
            spare_history: ContactHistory::default(),
            scratch: ScratchPool::default(),
            sorting: RecordSorting::default(),
            all_to_all: AllToAll::default(),
            received: SearchedRecords::default(),
            is_primary: Vec::new(),
            reduction: PendingReduction::default(),
            restart_sums: PendingReduction::default(),
            usual: 0,
            waited: Duration::ZERO,
            imbalance: 1.0,
            shuffle: None,
            stop: None,
            halted: false,
        };
        domain.host(vec![0; parts]);
        domain
    }

    /// All bodies here, but for the obstacles, are our own.
    pub fn drop_ghosts(&mut self, model: &Model<X>, bodies: &mut Bodies<X>, history: &mut ContactHistory<X>) {
        if self.comm.size() > 1 {
            let own = self.ownership.pack_owned(bodies, history, |state| model.is_prescribed(state));
            (self.ownership, *bodies, *history) = Ownership::unpack(self.comm.rank(), own);
        }
    }

    /// Subdomains live where `placement` says, and start over. Those that stay keep their lists.
    fn host(&mut self, placement: Vec<u32>) {
        let mut before = std::mem::take(&mut self.subdomains);
        let own = (0..placement.len()).filter(|&part| placement[part] as usize == self.comm.rank());
        self.subdomains.extend(own.map(|part| {
            let stays = before.binary_search_by_key(&(part as u32), |subdomain| subdomain.number).ok();
            let mut subdomain = stays.map_or_else(|| Subdomain::new(part), |slot| std::mem::take(&mut before[slot]));
            subdomain.start_over();
            subdomain
        }));
        self.slots.clear();
        self.slots.resize(placement.len(), u32::MAX);
        for (slot, subdomain) in self.subdomains.iter_mut().enumerate() {
            self.slots[subdomain.number as usize] = slot as u32;
            subdomain.colour = self.colours[subdomain.number as usize];
        }
        self.placement = placement;
    }

    /// Now and then: bodies in order along the curve, and space cut anew where weight has moved. Decided from
    /// the number of the step and the states alone.
    pub fn rearrange(&mut self, model: &Model<X>, bodies: &mut Bodies<X>, history: &mut ContactHistory<X>, step: u64) {
        self.play(model, bodies, history, step);
        let parts = self.colours.len();
        let mut anew = self.cuts.parts() != parts;
        if !step.is_multiple_of(REARRANGE) && !anew {
            return;
        }
        self.drop_ghosts(model, bodies, history);
        let WeightedPoints { points, weights, min, max } = self.cloud(model, bodies);
        let corners = (X::Vector::read(&min), X::Vector::read(&max));
        let order = bodies.reorder(|state| X::curve_key(state.position, corners.0, corners.1));
        history.reorder(&order);
        self.ownership = Ownership::new(self.comm.rank());
        self.drop_ghosts(model, bodies, history);
        self.skin.clear();
        let mut sums = self.weigh(&points, &weights);
        if parts > 1 && (anew || partitioning::quality::imbalance(&sums) > self.settings.imbalance) {
            self.cuts = self.cut(&points, &weights, parts);
            sums = self.weigh(&points, &weights);
            anew = true;
        }
        self.colour_subdomains();
        self.balance(anew, &sums, min, max);
    }

    /// Do bodies come back into a periodic cell before the step after this one?
    pub fn wraps_in_step(step: u64) -> bool {
        step.is_multiple_of(REARRANGE)
    }

    /// Now and then bodies that have left a periodic cell come back into it; at the same steps as [`rearrange`](Self::rearrange),
    /// which forgets who is near whom.
    pub fn wrap_into_cell(&self, model: &Model<X>, bodies: &mut Bodies<X>, step: u64, time: f64) {
        if model.cell.is_some() && Self::wraps_in_step(step) {
            bodies.states_mut().par_iter_mut().for_each(|state| *state = model.at_home(state, time));
        }
    }

    /// Space is cut as it was in an earlier run; cuts into another number of parts are passed over.
    pub fn restore(&mut self, cuts: Cuts<3>, model: &Model<X>, bodies: &Bodies<X>) {
        if cuts.parts() != self.colours.len() {
            return;
        }
        self.cuts = cuts;
        self.colour_subdomains();
        let WeightedPoints { points, weights, min, max } = self.cloud(model, bodies);
        let sums = self.weigh(&points, &weights);
        self.balance(true, &sums, min, max);
    }

    fn colour_subdomains(&mut self) {
        let parts = self.colours.len();
        self.colours = match self.settings.interface {
            InterfaceScheme::RedBlack => (0..parts).map(|part| self.cuts.colour(part)).collect(),
            InterfaceScheme::Glue => vec![0; parts],
        };
    }

    /// The free bodies of this process as points with weights, in the box of those of all processes.
    fn cloud(&self, model: &Model<X>, bodies: &Bodies<X>) -> WeightedPoints {
        let free = || bodies.states().iter().filter(|s| !model.is_prescribed(s));
        let points: Vec<[f64; 3]> = free().map(|s| s.position.in_space()).collect();
        let weights = free().map(|s| 1 + s.contacts).collect();
        let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for point in &points {
            min = std::array::from_fn(|k| min[k].min(point[k]));
            max = std::array::from_fn(|k| max[k].max(point[k]));
        }
        self.comm.min(&mut min);
        self.comm.max(&mut max);
        // Before the first body is born there is nothing to put a box around.
        if min.iter().zip(&max).any(|(min, max)| min > max) {
            (min, max) = ([0.0; 3], [1.0; 3]);
        }
        WeightedPoints { points, weights, min, max }
    }

    /// From now on subdomains move to processes at random, at random steps: a test that it does not matter.
    pub fn shuffle(&mut self, seed: u64) {
        self.shuffle = Some(seed);
    }

    fn play(&mut self, model: &Model<X>, bodies: &mut Bodies<X>, history: &mut ContactHistory<X>, step: u64) {
        let Some(seed) = self.shuffle else { return };
        let mut random = Pcg64::seed_from_u64(seed ^ (step << 32));
        if !random.next_u64().is_multiple_of(5) {
            return;
        }
        self.drop_ghosts(model, bodies, history);
        let size = self.comm.size() as u64;
        self.host(self.colours.iter().map(|_| (random.next_u64() % size) as u32).collect());
        self.skin.clear();
    }

    /// Subdomains move to other processes where that pays.
    fn balance(&mut self, anew: bool, weights: &[u64], min: [f64; 3], max: [f64; 3]) {
        let size = self.comm.size();
        let mut costs = vec![0u64; self.colours.len()];
        for subdomain in &self.subdomains {
            costs[subdomain.number as usize] = subdomain.cost;
        }
        self.comm.sum(&mut costs);
        // Old costs say little about new cuts.
        let costs = if anew || costs.iter().all(|&cost| cost == 0) { weights } else { &costs };
        let load = PlacementLoad { costs, colours: &self.colours, size };
        let best = load.place(&self.cuts, min, max);
        let moves = anew || load.is_better(&best, &self.placement);
        if moves && size > 1 {
            tracing::debug!(imbalance = load.imbalance(&best), "subdomains placed anew");
        }
        let chosen = if moves { best } else { std::mem::take(&mut self.placement) };
        self.imbalance = load.imbalance(&chosen);
        self.host(chosen);
    }

    fn cut(&self, points: &[[f64; 3]], weights: &[u32], parts: usize) -> Cuts<3> {
        match self.settings.partitioner {
            Partitioner::MultiJagged => MultiJagged.cut(points, weights, parts, &*self.comm),
            Partitioner::Bisection => RecursiveBisection.cut(points, weights, parts, &*self.comm),
            Partitioner::Grid => RegularGrid.cut(points, weights, parts, &*self.comm),
        }
    }

    /// Weight of every subdomain, of all processes.
    fn weigh(&self, points: &[[f64; 3]], weights: &[u32]) -> Vec<u64> {
        let mut sums = vec![0u64; self.cuts.parts()];
        for (point, &weight) in points.iter().zip(weights) {
            sums[self.cuts.locate(point)] += u64::from(weight);
        }
        self.comm.sum(&mut sums);
        sums.resize(self.colours.len(), 0);
        sums
    }

    /// The subdomains that live here, in order.
    pub fn subdomains(&self) -> &[Subdomain<X>] {
        &self.subdomains
    }

    /// How many subdomains there are, wherever they live.
    pub fn parts(&self) -> usize {
        self.colours.len()
    }

    /// What this process has to send.
    pub fn traffic(&self) -> InterfaceTraffic {
        self.interface.traffic()
    }

    /// Load of the busiest process over the mean, by what subdomains cost when the balance was looked at last.
    pub fn imbalance(&self) -> f64 {
        self.imbalance
    }

    /// Seconds this process has waited for others between half-sweeps.
    pub fn waited(&self) -> f64 {
        self.waited.as_secs_f64()
    }

    /// The processes.
    pub fn comm(&self) -> &Arc<dyn Comm> {
        &self.comm
    }

    /// The cuts of space.
    pub fn cuts(&self) -> &Cuts<3> {
        &self.cuts
    }
}
