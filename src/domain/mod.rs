//! Domain decomposition: everything that exists because there is more than one subdomain.
//!
//! Space is cut into S boxes. Each [`Subdomain`] detects and sweeps the contacts whose point lies in its box; a body
//! may be active in several of them, and the interface reconciles its copies after every half-sweep. The result does
//! not depend on which thread or process runs which subdomain; a single subdomain is the case of an empty interface.
//! Each process hosts some of the subdomains and owns the bodies whose centre lies in them.

mod active_bodies;
mod assemble;
mod assembled_problem;
mod baumgarte;
mod contacts;
mod context;
mod copy_stiffness;
mod counted;
mod detect;
mod global_problem;
mod interface;
mod interface_copies;
mod links;
mod local_bodies;
mod membranes;
mod migrate;
mod outcome;
mod overlap_correction;
mod ownership;
mod placement;
mod population;
mod recorded_contacts;
mod reduce_to_owner;
mod saved_iterates;
mod scratch;
mod settings;
mod sharing;
mod shuffle;
mod solve;
mod stop_request;
mod subdomain;
mod totals;
mod velocity_store;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use partitioning::{Cuts, Cutter, MultiJagged, RecursiveBisection, RegularGrid};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use crate::body::{Bodies, Tails};
use crate::comm::{AllToAll, Comm, PendingReduction};
use crate::contactor::Bounds;
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
pub use outcome::StepOutcome;
use ownership::Ownership;
use placement::PlacementLoad;
use scratch::ScratchPool;
pub use settings::{Auto, DomainSettings, InterfaceScheme, Partitioner, SubdomainCount};
pub use stop_request::SavedBodies;
pub use subdomain::Subdomain;
pub use totals::ContactTotals;

/// Number of steps between two sorts of the bodies along the space-filling curve, each followed by a check of the load
/// balance. Counted in steps so that a resumed run rearranges at the same steps.
const REARRANGE: u64 = 64;

/// Weighted points of this process, and the bounding box of the points of all processes.
struct WeightedPoints {
    points: Vec<[f64; 3]>,
    weights: Vec<u32>,
    min: [f64; 3],
    max: [f64; 3],
}

/// The decomposition: the cuts of space, the subdomains hosted by this process, and the interface between subdomains.
pub struct Domain<X: Dim> {
    comm: Arc<dyn Comm>,
    settings: DomainSettings,
    /// Cuts of space; two-dimensional scenes lie at z = 0.
    cuts: Cuts<3>,
    /// Colour of every subdomain, on whichever process.
    colours: Vec<u8>,
    /// Rank of the process that hosts each subdomain.
    placement: Vec<u32>,
    /// Index of each subdomain in `subdomains`; `u32::MAX` for those hosted by other processes.
    slots: Vec<u32>,
    subdomains: Vec<Subdomain<X>>,
    ownership: Ownership,
    interface: Interface<X>,
    /// Velocities of the active bodies of all subdomains of this process.
    field: Arc<VelocityStore<X>>,
    skin: VerletSkin,
    /// Predicted motion of the last step, kept to reconstruct its contacts.
    free: Arc<Vec<FreeMotion<X>>>,
    /// An empty motion that takes its place while it is overwritten.
    nowhere: Arc<Vec<FreeMotion<X>>>,
    /// Velocities at the end of the step.
    end: Vec<EndVelocity<X>>,
    /// Node velocities of deformable bodies at the end of the step, in world axes.
    end_nodes: Tails<X::Vector>,
    /// Memory for the contact counts and the contact history of the next step.
    contact_counts: Vec<u32>,
    spare_history: ContactHistory<X>,
    scratch: ScratchPool<X>,
    /// Scratch buffers for sorting contact records.
    sorting: RecordSorting,
    /// Message buffers, and the contact records received in them.
    all_to_all: AllToAll,
    received: SearchedRecords<X>,
    /// For each body: does this process hold its primary copy?
    is_primary: Vec<bool>,
    /// Pending reduction of a convergence check.
    reduction: PendingReduction,
    /// Pending reduction of the restart test of the momentum, started after every extrapolated sweep.
    restart_sums: PendingReduction,
    /// Sweeps of the last solve that took at least `ConvergenceMonitor::FIRST`: an estimate of when the next one
    /// converges.
    usual: u32,
    /// Wall time spent waiting for other processes between half-sweeps.
    waited: Duration,
    /// Load imbalance (busiest process over the mean, colour by colour) at the last balancing.
    imbalance: f64,
    /// Seed of random placements, for tests.
    shuffle: Option<u64>,
    /// External request to end a step early, and whether all processes have agreed to it.
    stop: Option<Arc<AtomicBool>>,
    halted: bool,
}

impl<X: Dim> Domain<X> {
    /// Creates the decomposition for `free` free bodies over all processes; the first step cuts space.
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
            end_nodes: Tails::default(),
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

    /// Drops the ghosts: only the obstacles and the bodies this process owns remain.
    pub fn drop_ghosts(&mut self, model: &Model<X>, bodies: &mut Bodies<X>, history: &mut ContactHistory<X>) {
        if self.comm.size() > 1 {
            let own = self.ownership.pack_owned(bodies, history, |state| model.is_prescribed(state));
            (self.ownership, *bodies, *history) = Ownership::unpack(self.comm.rank(), own);
        }
    }

    /// Adopts a placement and resets all subdomains. Subdomains that stay on this process keep their allocations.
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

    /// Collective. Every `REARRANGE` steps, sorts the bodies along the space-filling curve, cuts space anew if the
    /// weights are out of balance, and balances the placement. The decision depends only on the step number and the
    /// states.
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

    /// Are bodies wrapped into the periodic cell before the step that follows `step` steps?
    pub fn wraps_in_step(step: u64) -> bool {
        step.is_multiple_of(REARRANGE)
    }

    /// Every `REARRANGE` steps, wraps bodies that have left the periodic cell back into it, at the same steps as
    /// [`rearrange`](Self::rearrange), which discards the candidate list.
    pub fn wrap_into_cell(&self, model: &Model<X>, bodies: &mut Bodies<X>, step: u64, time: f64) {
        if model.cell.is_some() && Self::wraps_in_step(step) {
            bodies.states_mut().par_iter_mut().for_each(|state| *state = model.at_home(state, time));
        }
    }

    /// Collective. Restores the cuts of an earlier run; cuts into another number of parts are ignored.
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

    /// The free bodies of this process as weighted points, with the bounding box of those of all processes.
    fn cloud(&self, model: &Model<X>, bodies: &Bodies<X>) -> WeightedPoints {
        let free = || bodies.states().iter().filter(|s| !model.is_prescribed(s));
        let points: Vec<[f64; 3]> = free().map(|s| s.position.in_space()).collect();
        let weights = free().map(|s| 1 + s.contacts).collect();
        let bounds = free().map(|s| Bounds::at(s.position)).collect::<Bounds<X>>().of_all(&*self.comm);
        let (mut min, mut max) = (bounds.min.in_space(), bounds.max.in_space());
        // Before the first body is inserted there is nothing to bound.
        if min.iter().zip(&max).any(|(min, max)| min > max) {
            (min, max) = ([0.0; 3], [1.0; 3]);
        }
        WeightedPoints { points, weights, min, max }
    }

    /// From now on moves subdomains to random processes at random steps: tests that the placement does not change the
    /// result.
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

    /// Moves subdomains to other processes where that improves the load balance.
    fn balance(&mut self, anew: bool, weights: &[u64], min: [f64; 3], max: [f64; 3]) {
        let size = self.comm.size();
        let mut costs = vec![0u64; self.colours.len()];
        for subdomain in &self.subdomains {
            costs[subdomain.number as usize] = subdomain.cost;
        }
        self.comm.sum(&mut costs);
        // Costs measured with the old cuts do not apply to new ones.
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

    /// Total weight of every subdomain over all processes.
    fn weigh(&self, points: &[[f64; 3]], weights: &[u32]) -> Vec<u64> {
        let mut sums = vec![0u64; self.cuts.parts()];
        for (point, &weight) in points.iter().zip(weights) {
            sums[self.cuts.locate(point)] += u64::from(weight);
        }
        self.comm.sum(&mut sums);
        sums.resize(self.colours.len(), 0);
        sums
    }

    /// The subdomains hosted by this process, ordered by number.
    pub fn subdomains(&self) -> &[Subdomain<X>] {
        &self.subdomains
    }

    /// Number of subdomains over all processes.
    pub fn parts(&self) -> usize {
        self.colours.len()
    }

    /// What this process sends in every sweep.
    pub fn traffic(&self) -> InterfaceTraffic {
        self.interface.traffic()
    }

    /// Load imbalance (busiest process over the mean, colour by colour), by the subdomain costs at the last balancing.
    pub fn imbalance(&self) -> f64 {
        self.imbalance
    }

    /// Time this process has waited for others between half-sweeps, s.
    pub fn waited(&self) -> f64 {
        self.waited.as_secs_f64()
    }

    /// The communicator.
    pub fn comm(&self) -> &Arc<dyn Comm> {
        &self.comm
    }

    /// The cuts of space.
    pub fn cuts(&self) -> &Cuts<3> {
        &self.cuts
    }
}
