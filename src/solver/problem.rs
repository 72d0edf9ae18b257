//! The contact problem as a value: compact arrays, gathered once, swept many times, scattered once.
//!
//! Spins are scaled by the size of the body (sigma = size omega) and arms divided by it, so that the inertia of a
//! sphere is a pure number times its mass and its arms are multiples of the normal.

use serde::{Deserialize, Serialize};

use super::batched_general::BatchedGeneral;
use super::bodies::Masses;
use super::jacobi_state::JacobiState;
use super::simd::CacheLine;
use super::sweep_policy::{AcceleratedPolicy, PlainPolicy, SweepPolicy};
use super::{
    BodyVelocity, Change, ContactOrder, GeneralContact, LocalMap, Mass, MomentumState, Residual, Resistance, Rolling,
    SolverMethod, SolverSettings, SphereContact, SphereContacts, Velocity, VelocityView, bilateral, keep, local,
};
use crate::base::scratch::{ScratchBlock, ScratchVec};
use crate::base::trim;
use crate::dim::{Dim, Pair, Square, Vector};
use crate::law::Reduced;

/// Contacts of one subdomain and the bodies they act on. Body 0 is the world: at rest, with infinite mass.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ContactProblem<X: Dim> {
    /// Velocities and inverse masses of the bodies; free velocities before the solve.
    pub lines: VelocityView<X>,
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
    #[serde(default)]
    pub glued: Vec<(u32, X::Matrix)>,
    /// Number of contacts at which friction and coupling are strong enough for several solutions, or none.
    pub painleve: usize,
    /// Order in which contacts are swept.
    #[serde(skip)]
    pub order: ContactOrder,
    /// General contacts packed for sweeps in batches.
    #[serde(skip)]
    pub(super) angular: BatchedGeneral<X>,
    /// State of Jacobi sweeps.
    #[serde(skip)]
    pub(super) jacobi: JacobiState<X>,
    /// Scratch buffer for packing contacts into batches.
    #[serde(skip)]
    pub taken: Vec<u64>,
    /// Are contacts packed? The batches then hold the current impulses of those they contain.
    #[serde(skip)]
    is_packed: bool,
}

impl<X: Dim> Default for ContactProblem<X> {
    fn default() -> Self {
        let mut problem = Self {
            lines: VelocityView::default(),
            masses: Masses::default(),
            round: SphereContacts::default(),
            general: Vec::new(),
            rolling: Vec::new(),
            blocks: Vec::new(),
            glued: Vec::new(),
            painleve: 0,
            order: ContactOrder::default(),
            angular: BatchedGeneral::default(),
            jacobi: JacobiState::default(),
            taken: Vec::new(),
            is_packed: false,
        };
        problem.clear();
        problem
    }
}

/// A copy stands alone and is not packed.
impl<X: Dim> Clone for ContactProblem<X> {
    fn clone(&self) -> Self {
        let (mut general, angular) = (self.general.clone(), &self.angular);
        if self.is_packed {
            angular.unpack(&mut general);
        }
        Self {
            lines: self.lines.clone(),
            masses: self.masses.clone(),
            round: self.round.in_list(&self.lines),
            general,
            rolling: self.rolling.clone(),
            blocks: self.blocks.clone(),
            glued: self.glued.clone(),
            painleve: self.painleve,
            order: self.order,
            angular: BatchedGeneral::default(),
            jacobi: JacobiState::default(),
            taken: Vec::new(),
            is_packed: false,
        }
    }
}

impl<X: Dim> ContactProblem<X> {
    /// Removes all contacts and all bodies but the world; keeps the memory.
    pub fn clear(&mut self) {
        self.lines.clear();
        self.masses.clear();
        self.round.clear();
        self.general.clear();
        self.rolling.clear();
        self.blocks.clear();
        self.glued.clear();
        self.painleve = 0;
        self.is_packed = false;
        self.jacobi.forget();
        self.add_ball(X::Vector::zero(), X::Spin::zero(), 0.0, 0.0);
    }

    /// Releases excess memory once the problem is complete.
    pub fn trim(&mut self) {
        self.lines.trim();
        self.masses.trim();
        self.round.trim();
        self.angular.packed.trim();
        trim(&mut self.general);
    }

    /// Clears the problem and returns most of the memory of the sphere contacts for reuse.
    pub fn vacate(&mut self) -> ScratchBlock {
        self.clear();
        self.round.vacate()
    }

    /// Provides memory for the batches of sphere contacts, unless they have some.
    pub fn move_into(&mut self, room: ScratchBlock) {
        self.round.move_into(room);
    }

    /// Impulses of sphere contacts before the last sweep, which momentum needs.
    pub fn old_impulses(&mut self) -> &mut ScratchVec<CacheLine> {
        self.round.old()
    }

    /// Adds a body with its velocity and scaled spin; returns its index.
    pub fn add_body(&mut self, velocity: X::Vector, spin: X::Spin, mass: Mass<X>) -> u32 {
        self.lines.push(BodyVelocity::new(velocity, mass.inverse_mass[0], spin));
        self.masses.add(mass, &self.lines);
        (self.lines.len() - 1) as u32
    }

    /// Adds a sphere likewise. Its inverse mass need not be that of its mass: split copies of a body are lighter.
    pub fn add_ball(&mut self, velocity: X::Vector, spin: X::Spin, mass: f64, inverse_mass: f64) -> u32 {
        self.lines.push(BodyVelocity::new(velocity, inverse_mass, spin));
        self.masses.add_ball(mass, &self.lines);
        (self.lines.len() - 1) as u32
    }

    /// Mass properties of a body.
    pub fn mass(&self, body: usize) -> Mass<X> {
        self.masses.get(body, &self.lines[body])
    }

    /// Adds a contact between two spheres, or a sphere and the world, under a law that is a plain friction cone. `arm`
    /// is the distance of the contact point from either centre over the radius; `impulse` is the initial guess.
    pub fn add_round(&mut self, bodies: [u32; 2], normal: X::Vector, arm: f64, law: &Reduced<X>, impulse: X::Vector) {
        self.is_packed = false;
        self.jacobi.forget();
        self.round.push(SphereContact::new(bodies, normal, arm, law, impulse), &self.lines);
    }

    /// Adds a contact of any kind. `arms` run from the centres to the contact point, over the sizes.
    pub fn add_general(
        &mut self,
        bodies: [u32; 2],
        normal: X::Vector,
        arms: [X::Vector; 2],
        law: Reduced<X>,
        impulse: X::Vector,
        map: LocalMap,
    ) {
        let masses = self.masses.write_out(&self.lines);
        let masses = bodies.both(|b| masses[b as usize]);
        let block = general_block(&masses, normal, &arms, &law);
        if local::is_painleve_like::<X>(&block, law.friction) {
            self.painleve += 1;
        }
        if let Some(inverse) = bilateral::inverse::<X>(&block, normal, &law) {
            self.glued.push((self.general.len() as u32, inverse));
        }
        self.is_packed = false;
        self.jacobi.forget();
        self.general.push(GeneralContact::new(bodies, normal, arms, &block, law, impulse));
        if map == LocalMap::Exact {
            self.blocks.push(block);
        }
    }

    /// Adds rolling resistance to the last general contact.
    pub fn add_rolling(&mut self, resistance: Resistance<X>) {
        let Some(contact) = self.general.last() else { return };
        let number = self.general.len() as u32 - 1;
        self.jacobi.forget();
        self.rolling.push(Rolling::new(number, contact.bodies, self.masses.full(), resistance));
    }

    /// Rolling resistance of the general contact with index `contact`, if it has any.
    pub fn rolling_at(&self, contact: u32) -> Option<&Rolling<X>> {
        let place = self.rolling.binary_search_by_key(&contact, |rolling| rolling.contact).ok()?;
        Some(&self.rolling[place])
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.round.len() + self.general.len()
    }

    /// Adds the effect of the initial impulses to the velocities.
    pub fn apply_impulses(&mut self) {
        self.round.apply_impulses(&mut self.lines);
        for contact in &self.general {
            contact.apply(&mut self.lines, self.masses.full(), contact.impulse);
        }
        for rolling in &self.rolling {
            rolling.apply(&mut self.lines, self.masses.full(), rolling.impulse);
        }
    }

    /// One sweep over all contacts by the method of the settings, without momentum.
    pub fn sweep_by(&mut self, settings: &SolverSettings) -> Change {
        match settings.method {
            SolverMethod::Jacobi => self.sweep_at_once(settings.local, settings.relaxation),
            SolverMethod::Auto | SolverMethod::Nlgs | SolverMethod::Accelerated => {
                self.sweep(settings.local, settings.relaxation)
            }
        }
    }

    /// One Gauss-Seidel sweep over all contacts.
    pub fn sweep(&mut self, map: LocalMap, relaxation: f64) -> Change {
        let batches = self.sweep_batches(relaxation, None);
        batches.plus(self.visit(map, relaxation, PlainPolicy::default()))
    }

    /// One sweep from impulses extrapolated by `factor` times their last change, as the velocities are already.
    pub fn sweep_on(&mut self, map: LocalMap, relaxation: f64, factor: f64, memory: &mut MomentumState<X>) -> Change {
        let batches = self.sweep_batches(relaxation, Some(factor));
        batches.plus(self.visit(map, relaxation, AcceleratedPolicy::new(factor, &mut memory.impulses)))
    }

    fn sweep_batches(&mut self, relaxation: f64, factor: Option<f64>) -> Change {
        self.pack();
        if !self.is_packed {
            return Change::default();
        }
        let round = self.round.sweep(&mut self.lines, relaxation, factor);
        round.plus(self.angular.sweep(&mut self.lines, relaxation, factor))
    }

    /// Packs the contacts into batches, if they are swept so and are not packed yet; from then on the batches hold the
    /// current impulses. With the exact local map general contacts are swept one by one. Returns the memory of the list
    /// of sphere contacts, which is no longer needed.
    pub fn pack(&mut self) -> Vec<SphereContact<X>> {
        if self.order == ContactOrder::Curve {
            self.unpack();
        }
        if self.order == ContactOrder::Curve || self.is_packed {
            return Vec::new();
        }
        match self.blocks.is_empty() {
            true => self.angular.pack(&self.general, self.masses.full(), &self.lines, &mut self.taken),
            false => self.angular.leave(self.general.len()),
        }
        self.is_packed = true;
        self.round.pack(&self.lines, &mut self.taken)
    }

    /// Moves the contacts from batches back to lists.
    pub(super) fn unpack(&mut self) {
        self.fetch_impulses();
        self.round.spread(&self.lines);
        self.is_packed = false;
    }

    /// Takes the present state into `memory`, before the first sweep: nothing has changed yet.
    pub fn start_momentum(&mut self, memory: &mut MomentumState<X>) {
        keep(&mut memory.twists, self.lines.own().iter());
        self.pack();
        self.keep_old_impulses(&mut memory.impulses);
    }

    /// Sets the impulses before the last sweep to the current ones, before the first sweep with momentum; `old` gets
    /// those of the contacts that are swept one by one.
    fn keep_old_impulses(&mut self, old: &mut Vec<X::Vector>) {
        if !self.is_packed {
            return self.keep_impulses(old);
        }
        self.round.forget();
        self.angular.packed.forget();
        old.clear();
        old.extend(self.angular.left.iter().map(|&number| self.general[number as usize].impulse));
        old.extend(self.rolling.iter().map(|rolling| rolling.impulse));
    }

    /// Copies the impulses of the last sweep from the batches to the general contacts.
    pub fn fetch_impulses(&mut self) {
        if self.is_packed {
            self.angular.unpack(&mut self.general);
        }
    }

    /// Sum of the squared impulses after the last sweep.
    pub fn impulses2(&self) -> f64 {
        let general = |number: usize| self.general[number].impulse.norm2();
        let general: f64 = match self.is_packed {
            true => {
                self.angular.packed.impulses2() + self.angular.left.iter().map(|&k| general(k as usize)).sum::<f64>()
            }
            false => (0..self.general.len()).map(general).sum(),
        };
        self.round.impulses2() + general + self.rolling.iter().map(|rolling| rolling.impulse.norm2()).sum::<f64>()
    }

    /// Sweeps the contacts that are solved one by one.
    #[inline(always)]
    fn visit(&mut self, map: LocalMap, relaxation: f64, mut pace: impl SweepPolicy<X::Vector>) -> Change {
        let Self { lines, masses, round, general, rolling, blocks, glued, .. } = self;
        let (count, masses) = (general.len(), masses.full());
        if !self.is_packed {
            for contact in round.listed() {
                contact.solve(lines, relaxation, &mut pace);
            }
        }
        let mut glued = glued.iter().peekable();
        let mut visit = |number: usize| match (glued.next_if(|(own, _)| *own as usize == number), map) {
            (Some((_, inverse)), _) => general[number].glue(lines, masses, inverse, relaxation, &mut pace),
            (None, LocalMap::Projection) => general[number].project(lines, masses, relaxation, &mut pace),
            (None, LocalMap::Exact) => general[number].solve(lines, masses, &blocks[number], relaxation, &mut pace),
        };
        match self.is_packed {
            true => self.angular.left.iter().for_each(|&number| visit(number as usize)),
            false => (0..count).for_each(visit),
        }
        for rolling in rolling {
            let r_n = general[rolling.contact as usize].normal_impulse();
            rolling.solve(lines, masses, r_n, relaxation, &mut pace);
        }
        pace.change()
    }

    /// Residual of the contact laws at the present velocities. The contacts must hold the current impulses.
    pub fn residual(&self) -> Residual {
        let mut residual = self.round.residual(&self.lines);
        for contact in &self.general {
            contact.residual(&self.lines, &mut residual);
        }
        for rolling in &self.rolling {
            let r_n = self.general[rolling.contact as usize].normal_impulse();
            rolling.residual(&self.lines, r_n, &mut residual);
        }
        residual
    }

    /// Copies the impulses to `kept`, those of sphere contacts first, those of rolling resistance last.
    pub fn keep_impulses(&self, kept: &mut Vec<X::Vector>) {
        kept.clear();
        kept.extend((0..self.round.len()).map(|number| self.round.impulse(number)));
        kept.extend(self.general.iter().map(|contact| contact.impulse));
        kept.extend(self.rolling.iter().map(|rolling| rolling.impulse));
    }

    /// Restores the impulses that were `kept`.
    pub fn restore_impulses(&mut self, kept: &[X::Vector]) {
        self.is_packed = false;
        let (round, kept) = kept.split_at(self.round.len());
        round.iter().enumerate().for_each(|(number, &impulse)| self.round.set_impulse(number, impulse));
        let impulses = self.general.iter_mut().map(|contact| &mut contact.impulse);
        let impulses = impulses.chain(self.rolling.iter_mut().map(|rolling| &mut rolling.impulse));
        impulses.zip(kept).for_each(|(impulse, kept)| *impulse = *kept);
    }

    /// Multiplies every impulse by `scale`.
    pub fn scale_impulses(&mut self, scale: f64) {
        self.fetch_impulses();
        self.is_packed = false;
        for number in 0..self.round.len() {
            let impulse = self.round.impulse(number);
            self.round.set_impulse(number, impulse * scale);
        }
        self.general.iter_mut().for_each(|contact| contact.impulse = contact.impulse * scale);
        self.rolling.iter_mut().for_each(|rolling| rolling.impulse = rolling.impulse * scale);
    }

    /// ||V - V_free||_M^2 over the bodies that `counts` admits.
    pub fn moved(&self, free: impl Fn(usize) -> Velocity<X>, counts: impl Fn(usize) -> bool) -> f64 {
        let bodies = self.lines.iter().enumerate().skip(1).filter(|(place, _)| counts(*place));
        bodies.map(|(place, line)| self.masses.norm2(place, line, &free(place))).sum()
    }
}

/// Local Delassus block W = H^T M^-1 H in the contact frame, with the law's compliance on its diagonal.
fn general_block<X: Dim>(
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
