//! Domain decomposition: everything that exists because there is more than one subdomain.
//!
//! Space is cut into S boxes. Each [`Subdomain`] detects and sweeps the contacts whose point lies in its box; a body
//! may be active in several of them, and the interface reconciles its copies after every half-sweep. The result does
//! not depend on which thread or process runs which subdomain; a single subdomain is the case of an empty interface.
//! Each process hosts some of the subdomains and owns the bodies whose centre lies in them.

mod abandon;
mod active_bodies;
mod assemble;
mod assembled_problem;
mod baumgarte;
mod contacts;
mod context;
mod copy_stiffness;
mod counted;
mod decomposition;
mod detect;
mod global_problem;
mod impacts;
mod interface;
mod interface_copies;
mod links;
mod loaded_nodes;
mod local_bodies;
mod membranes;
mod migrate;
mod outcome;
mod overlap_correction;
mod ownership;
mod pair_detection;
mod placement;
mod population;
mod rearrange;
mod rebounds;
mod recorded_contacts;
mod reduce_to_owner;
mod saved_iterates;
mod scratch;
mod settings;
mod sharing;
mod shuffle;
mod solve;
mod solve_state;
mod solved_contact;
mod step_buffers;
mod step_motion;
mod stop_request;
mod subdomain;
mod totals;
mod velocity_store;

use std::sync::Arc;

use partitioning::Cuts;

use crate::body::Bodies;
use crate::comm::Comm;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::interaction::alert::VerletSkin;
use crate::model::Model;
use crate::solver::VelocityStore;

pub use abandon::SavedBodies;
pub use context::StepContext;
use decomposition::Decomposition;
pub use global_problem::{GlobalContact, GlobalProblem, ProblemUnavailable};
use interface::Interface;
pub use interface::InterfaceTraffic;
pub use outcome::StepOutcome;
use ownership::Ownership;
pub use settings::{Auto, DomainSettings, InterfaceScheme, Partitioner, SubdomainCount};
use solve_state::SolveState;
pub use solved_contact::SolvedContact;
use step_buffers::StepBuffers;
use step_motion::StepMotion;
use stop_request::StopRequest;
pub use subdomain::Subdomain;
pub use totals::ContactTotals;

/// The decomposition: the cuts of space, the subdomains hosted by this process, and the interface between subdomains.
///
/// Its methods are the operations of a step over all subdomains and processes, one file per phase.
pub struct Domain<X: Dim> {
    comm: Arc<dyn Comm>,
    settings: DomainSettings,
    /// Cuts of space, colours and hosts of all subdomains.
    decomposition: Decomposition,
    /// The subdomains hosted by this process, ordered by number.
    subdomains: Vec<Subdomain<X>>,
    ownership: Ownership,
    interface: Interface<X>,
    /// Velocities of the active bodies of all subdomains of this process.
    store: VelocityStore<X>,
    skin: VerletSkin,
    /// Motion of the bodies in the last step.
    motion: StepMotion<X>,
    buffers: StepBuffers<X>,
    solve_state: SolveState,
    stop: StopRequest,
    /// Did the rule of multiple impacts not come to an end in the last step?
    has_unfinished_impacts: bool,
}

impl<X: Dim> Domain<X> {
    /// Creates the decomposition for free bodies over all processes that cost as much as so many `spheres`; the first
    /// step cuts space.
    pub fn new(comm: Arc<dyn Comm>, settings: &DomainSettings, spheres: u64) -> Self {
        let parts = settings.subdomains.resolve(spheres as usize);
        let ownership = Ownership::new(comm.rank());
        let mut domain = Self {
            comm,
            settings: settings.clone(),
            decomposition: Decomposition::new(parts),
            subdomains: Vec::new(),
            ownership,
            interface: Interface::default(),
            store: VelocityStore::default(),
            skin: VerletSkin::default(),
            motion: StepMotion::default(),
            buffers: StepBuffers::default(),
            solve_state: SolveState::default(),
            stop: StopRequest::default(),
            has_unfinished_impacts: false,
        };
        domain.set_placement(vec![0; parts]);
        domain
    }

    /// Drops the ghosts: only the obstacles and the bodies this process owns remain.
    pub fn drop_ghosts(&mut self, model: &Model<X>, bodies: &mut Bodies<X>, history: &mut ContactHistory<X>) {
        if self.comm.size() > 1 {
            let own = self.ownership.pack_owned(bodies, history, |state| model.is_prescribed(state));
            (self.ownership, *bodies, *history) = Ownership::unpack(self.comm.rank(), own);
        }
    }

    /// The subdomains hosted by this process, ordered by number.
    pub fn subdomains(&self) -> &[Subdomain<X>] {
        &self.subdomains
    }

    /// Did the rule of `solver.impacts` not come to an end in the last step?
    pub fn has_unfinished_impacts(&self) -> bool {
        self.has_unfinished_impacts
    }

    /// Number of subdomains over all processes.
    pub fn parts(&self) -> usize {
        self.decomposition.parts()
    }

    /// Messages that this process sends in every sweep.
    pub fn traffic(&self) -> InterfaceTraffic {
        self.interface.traffic()
    }

    /// Load imbalance (busiest process over the mean, colour by colour), by the subdomain costs at the last balancing.
    pub fn imbalance(&self) -> f64 {
        self.decomposition.imbalance
    }

    /// The communicator.
    pub fn comm(&self) -> &Arc<dyn Comm> {
        &self.comm
    }

    /// The cuts of space.
    pub fn cuts(&self) -> &Cuts<3> {
        &self.decomposition.cuts
    }
}
