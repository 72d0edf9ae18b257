//! The contact problem as a value: compact arrays, gathered once, swept many times, scattered once.
//!
//! Spins are scaled by the size of the body (sigma = size omega) and arms divided by it, so that the inertia of a
//! sphere is a pure number times its mass and its arms are multiples of the normal.

use serde::{Deserialize, Serialize};

use super::bodies::Masses;
use super::deformable::{DeformableContacts, RigidEnds};
use super::sweep_cache::SweepCache;
use super::{
    BodyVelocity, ContactOrder, DeformableBody, GeneralContact, LocalMap, Mass, Residual, Resistance, Rolling,
    SphereContact, SphereContacts, Velocity, VelocityView, WORLD, bilateral, local,
};
use crate::base::index::ProblemBody;
use crate::base::scratch::ScratchBlock;
use crate::base::trim;
use crate::body::NodeWeights;
use crate::dim::{Dim, Pair, Square, Vector};
use crate::law::Reduced;

/// Least diagonal entry of the block of a contact at held nodes, over its trace.
const RIGID: f64 = 1e-9;

/// Contacts of one subdomain and the bodies they act on. Body 0 is the world: at rest, with infinite mass.
///
/// A single type, because contacts and bodies are only meaningful together. Its methods are grouped by file: building
/// and residual here, sweeps in `sweep`, impulses in `impulses`, the solve in `standalone`, the explicit matrix in
/// `delassus`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ContactProblem<X: Dim> {
    /// Velocities and inverse masses of the bodies; free velocities before the solve.
    #[serde(alias = "lines")]
    pub rows: VelocityView<X>,
    /// Masses and inertias of the bodies.
    pub(super) masses: Masses<X>,
    /// Contacts between spheres or of a sphere with an obstacle, which have a closed-form solution.
    pub round: SphereContacts<X>,
    /// All other contacts. During sweeps the batches hold the impulses: see [`fetch_impulses`](Self::fetch_impulses).
    pub general: Vec<GeneralContact<X>>,
    /// Rolling resistance of some of the general contacts, in their order.
    #[serde(default)]
    pub rolling: Vec<Rolling<X>>,
    /// Local Delassus blocks of the general contacts, in their frames; only for the exact local map.
    pub blocks: Vec<X::Matrix>,
    /// Indices of the bilateral general contacts, increasing, and the inverses of their local blocks in world axes.
    #[serde(default, rename = "glued")]
    pub bilateral: Vec<(u32, X::Matrix)>,
    /// The deformable bodies, in the order of their rows.
    #[serde(skip)]
    pub deformables: Vec<DeformableBody<X>>,
    /// Ends of the general contacts at deformable bodies.
    #[serde(skip)]
    pub(super) ends: DeformableContacts<X>,
    /// Number of contacts at which friction and coupling are strong enough for several solutions, or none.
    pub painleve: usize,
    /// Order in which contacts are swept.
    #[serde(skip)]
    pub order: ContactOrder,
    /// What sweeps keep besides the contacts.
    #[serde(skip)]
    pub(super) sweeps: SweepCache<X>,
    /// Rows that a batch being packed has already claimed (scratch buffer).
    #[serde(skip)]
    pub claimed: Vec<u64>,
}

impl<X: Dim> Default for ContactProblem<X> {
    fn default() -> Self {
        let mut problem = Self {
            rows: VelocityView::default(),
            masses: Masses::default(),
            round: SphereContacts::default(),
            general: Vec::new(),
            rolling: Vec::new(),
            blocks: Vec::new(),
            bilateral: Vec::new(),
            deformables: Vec::new(),
            ends: DeformableContacts::default(),
            painleve: 0,
            order: ContactOrder::default(),
            sweeps: SweepCache::default(),
            claimed: Vec::new(),
        };
        problem.clear();
        problem
    }
}

/// A copy stands alone and is not packed.
impl<X: Dim> Clone for ContactProblem<X> {
    fn clone(&self) -> Self {
        self.with_rows(self.rows.clone())
    }
}

impl<X: Dim> ContactProblem<X> {
    /// A copy that stands alone, of a problem whose velocity rows are in this store.
    pub fn copied_from(&self, store: &[BodyVelocity<X>]) -> Self {
        self.with_rows(self.rows.copied_from(store))
    }

    /// A copy that stands alone, with these rows.
    fn with_rows(&self, rows: VelocityView<X>) -> Self {
        let (mut general, sweeps) = (self.general.clone(), &self.sweeps);
        if sweeps.is_packed {
            sweeps.general.unpack(&mut general);
        }
        Self {
            rows,
            masses: self.masses.clone(),
            round: self.round.in_list(&self.rows),
            general,
            rolling: self.rolling.clone(),
            blocks: self.blocks.clone(),
            bilateral: self.bilateral.clone(),
            deformables: self.deformables.clone(),
            ends: self.ends.clone(),
            painleve: self.painleve,
            order: self.order,
            sweeps: SweepCache::default(),
            claimed: Vec::new(),
        }
    }
}

impl<X: Dim> ContactProblem<X> {
    /// Removes all contacts and all bodies but the world; keeps the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.masses.clear();
        self.round.clear();
        self.general.clear();
        self.rolling.clear();
        self.blocks.clear();
        self.bilateral.clear();
        self.deformables.clear();
        self.ends.clear();
        self.painleve = 0;
        self.sweeps.forget();
        self.add_ball(X::Vector::zero(), X::Spin::zero(), 0.0, 0.0);
    }

    /// Releases excess memory once the problem is complete.
    pub fn trim(&mut self) {
        self.rows.trim();
        self.masses.trim();
        self.round.trim();
        self.sweeps.general.trim();
        trim(&mut self.general);
    }

    /// Clears the problem and returns most of the memory of the sphere contacts for reuse.
    pub fn give_scratch(&mut self) -> ScratchBlock {
        self.clear();
        self.round.give_scratch()
    }

    /// Provides memory for the batches of sphere contacts, unless they have some.
    pub fn take_scratch(&mut self, scratch: ScratchBlock) {
        self.round.take_scratch(scratch);
    }

    /// Adds a body with its velocity and scaled spin; returns its index.
    pub fn add_body(&mut self, velocity: X::Vector, spin: X::Spin, mass: Mass<X>) -> ProblemBody {
        self.rows.push(BodyVelocity::new(velocity, mass.inverse_mass[0], spin));
        self.masses.add(mass, &self.rows);
        ProblemBody::new(self.rows.len() - 1)
    }

    /// Adds a sphere likewise. Its inverse mass need not be that of its mass: split copies of a body are lighter.
    pub fn add_ball(&mut self, velocity: X::Vector, spin: X::Spin, mass: f64, inverse_mass: f64) -> ProblemBody {
        self.rows.push(BodyVelocity::new(velocity, inverse_mass, spin));
        self.masses.add_ball(mass, &self.rows);
        ProblemBody::new(self.rows.len() - 1)
    }

    /// Mass properties of a body.
    pub fn mass(&self, body: usize) -> Mass<X> {
        self.masses.get(body, &self.rows[body])
    }

    /// Adds a contact between two spheres, or a sphere and the world, under a law that is a plain friction cone. `arm`
    /// is the distance of the contact point from either centre over the radius; `impulse` is the initial guess.
    pub fn add_round(
        &mut self,
        bodies: [ProblemBody; 2],
        normal: X::Vector,
        arm: f64,
        law: &Reduced<X>,
        impulse: X::Vector,
    ) {
        self.sweeps.forget();
        self.round.push(SphereContact::new(bodies.map(|body| body.0), normal, arm, law, impulse), &self.rows);
    }

    /// Adds a contact of any kind. `arms` run from the centres to the contact point, over the sizes.
    pub fn add_general(
        &mut self,
        bodies: [ProblemBody; 2],
        normal: X::Vector,
        arms: [X::Vector; 2],
        law: Reduced<X>,
        impulse: X::Vector,
        map: LocalMap,
    ) {
        self.add_between(bodies, [None; 2], normal, arms, law, impulse, map);
    }

    /// Adds a contact of bodies some of which may be deformable: `deformable` gives their indices, and the nodes at the
    /// contact point.
    #[allow(clippy::too_many_arguments)]
    pub fn add_between(
        &mut self,
        bodies: [ProblemBody; 2],
        deformable: [Option<(usize, &NodeWeights)>; 2],
        normal: X::Vector,
        arms: [X::Vector; 2],
        law: Reduced<X>,
        impulse: X::Vector,
        map: LocalMap,
    ) {
        // Between two points of one body only its nodes move relative to each other.
        let own;
        let (bodies, deformable) = match deformable {
            [Some((index, first)), Some((_, second))] if bodies[0] == bodies[1] => {
                own = NodeWeights::difference([first, second]);
                ([WORLD; 2], [None, Some((index, &own))])
            }
            _ => (bodies, deformable),
        };
        let masses = self.masses.write_out(&self.rows);
        let masses = bodies.both(|body| masses[body.index()]);
        let mut block = general_block(&masses, normal, &arms, &law);
        let ends = deformable.map(|end| end.map(|(index, weights)| (&self.deformables[index], weights)));
        if self.ends.add(self.general.len() as u32, ends) {
            let elastic = self.ends.last_block(normal);
            block = X::Matrix::from_fn(|i, j| block[(i, j)] + elastic[(i, j)]);
            // Held nodes do not move along some axes.
            let least = RIGID * (0..X::D).map(|i| block[(i, i)]).sum::<f64>();
            let own = block;
            block = X::Matrix::from_fn(|i, j| if i == j { own[(i, j)].max(least) } else { own[(i, j)] });
        }
        if local::is_painleve_like::<X>(&block, law.friction) {
            self.painleve += 1;
        }
        if let Some(inverse) = bilateral::inverse::<X>(&block, normal, &law) {
            self.bilateral.push((self.general.len() as u32, inverse));
        }
        self.sweeps.forget();
        self.general.push(GeneralContact::new(bodies.map(|body| body.0), normal, arms, &block, law, impulse));
        if map == LocalMap::Exact {
            self.blocks.push(block);
        }
    }

    /// Adds rolling resistance to the last general contact.
    pub fn add_rolling(&mut self, resistance: Resistance<X>) {
        let Some(contact) = self.general.last() else { return };
        let number = self.general.len() as u32 - 1;
        self.sweeps.forget_counts();
        self.rolling.push(Rolling::new(number, contact.bodies, self.masses.full(), resistance));
    }

    /// Rolling resistance of the general contact with index `contact`, if it has any.
    pub fn rolling_at(&self, contact: u32) -> Option<&Rolling<X>> {
        let number = self.rolling.binary_search_by_key(&contact, |rolling| rolling.contact).ok()?;
        Some(&self.rolling[number])
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.round.len() + self.general.len()
    }

    /// Residual of the contact laws at the present velocities. The contacts must hold the current impulses.
    pub fn residual(&self) -> Residual {
        let mut residual = self.round.residual(&self.rows);
        let mut ends = self.ends.in_order();
        for (number, contact) in self.general.iter().enumerate() {
            match ends.of(number) {
                None => contact.residual(&self.rows, &RigidEnds, &mut residual),
                Some(ends) => contact.residual(&self.rows, &ends, &mut residual),
            }
        }
        for rolling in &self.rolling {
            let r_n = self.general[rolling.contact as usize].normal_impulse();
            rolling.residual(&self.rows, r_n, &mut residual);
        }
        residual
    }

    /// ||V - V_free||_M^2 and ||V||_M^2, the latter without the nodes of deformable bodies, over the bodies that `counts`
    /// admits.
    pub fn moved(&self, free: impl Fn(ProblemBody) -> Velocity<X>, counts: impl Fn(ProblemBody) -> bool) -> [f64; 2] {
        let free = |index: usize| free(ProblemBody::new(index));
        let bodies = || self.rows.iter().enumerate().skip(1).filter(|(index, _)| counts(ProblemBody::new(*index)));
        let rigid: f64 = bodies().map(|(index, row)| self.masses.norm2(index, row, &free(index))).sum();
        let rest = Velocity { velocity: X::Vector::zero(), spin: X::Spin::zero() };
        let motion: f64 = bodies().map(|(index, row)| self.masses.norm2(index, row, &rest)).sum();
        // The rows of nodes have no mass of their own.
        let deformables = self.deformables.iter().filter(|body| counts(ProblemBody(body.rows.start)));
        [rigid + deformables.map(|body| body.norm2(|index| &self.rows[index], free)).sum::<f64>(), motion]
    }
}

/// Local Delassus block W = H^T M^-1 H in the contact frame, with the law's compliance on its diagonal.
pub(super) fn general_block<X: Dim>(
    masses: &[Mass<X>; 2],
    normal: X::Vector,
    arms: &[X::Vector; 2],
    law: &Reduced<X>,
) -> X::Matrix {
    let frame = X::frame(normal);
    X::Matrix::from_fn(|i, j| {
        let (di, dj) = (frame.row_vector(i), frame.row_vector(j));
        let mut w = 0.0;
        for side in 0..2 {
            let m = &masses[side];
            w += m.inverse_mass.times(&dj).dot(&di)
                + m.inverse_inertia.apply(X::torque(arms[side], dj)).dot(&X::torque(arms[side], di));
        }
        let compliance = law.compliance[usize::from(i > 0)];
        if i == j { w + compliance } else { w }
    })
}
