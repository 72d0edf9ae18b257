//! Rearrangement at regular steps: sorts the bodies along the space-filling curve, repartitions space, and balances the
//! placement of the subdomains.

use partitioning::Cuts;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;

use super::decomposition::WeightedPoints;
use super::ownership::Ownership;
use super::{Domain, Subdomain};
use crate::base::index::SubdomainId;
use crate::body::Bodies;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::model::Model;

/// Number of steps between two sorts of the bodies along the space-filling curve, each followed by a check of the load
/// balance. Counted in steps so that a resumed run rearranges at the same steps.
const REARRANGE: u64 = 64;
/// Number of steps between two checks whether bodies have moved so far that the balance is lost.
const LOOK: u64 = 8;
/// It is lost where the heaviest subdomain exceeds the mean by this multiple of the setting...
const LOST: f64 = 1.5;
/// ...and the mean weight is not less than this: few bodies cannot be divided evenly.
const DIVISIBLE: u64 = 2000;

impl<X: Dim> Domain<X> {
    /// Collective. Every `REARRANGE` steps, or earlier if the balance is lost, sorts the bodies along the space-filling
    /// curve, repartitions space if the weights are out of balance, and balances the placement. The decision depends
    /// only on the step number and the states.
    pub fn rearrange(&mut self, model: &Model<X>, bodies: &mut Bodies<X>, history: &mut ContactHistory<X>, step: u64) {
        self.place_at_random(model, bodies, history, step);
        let parts = self.decomposition.parts();
        let mut is_recut = !self.decomposition.is_cut();
        if !step.is_multiple_of(REARRANGE) && !is_recut && !self.has_lost_balance(model, bodies, step) {
            return;
        }
        self.drop_ghosts(model, bodies, history);
        let weighted_points = self.weighted_points(model, bodies);
        let [min, max] = weighted_points.corners::<X>();
        let order = bodies.reorder(|state| X::curve_key(state.position, min, max));
        history.reorder(&order);
        self.ownership = Ownership::new(self.comm.rank());
        self.drop_ghosts(model, bodies, history);
        self.skin.clear();
        let mut weights = self.decomposition.subdomain_weights(&weighted_points, &*self.comm);
        if parts > 1 && (is_recut || partitioning::quality::imbalance(&weights) > self.settings.imbalance) {
            self.decomposition.cut(self.settings.partitioner, &weighted_points, &*self.comm);
            weights = self.decomposition.subdomain_weights(&weighted_points, &*self.comm);
            is_recut = true;
        }
        self.decomposition.colour(self.settings.interface);
        self.balance(is_recut, &weights, &weighted_points);
    }

    /// Collective. Is the heaviest subdomain so heavy that this cannot wait for the next regular step?
    fn has_lost_balance(&mut self, model: &Model<X>, bodies: &Bodies<X>, step: u64) -> bool {
        let parts = self.decomposition.parts() as u64;
        if parts == 1 || !step.is_multiple_of(LOOK) {
            return false;
        }
        let Self { ownership, decomposition, comm, .. } = self;
        let own = bodies.states().iter().enumerate().filter(|(body, _)| ownership.is_own(*body));
        let free = own.map(|(_, state)| state).filter(|state| !model.is_prescribed(state));
        let weights = decomposition.weights_of(free, &**comm);
        weights.iter().sum::<u64>() >= parts * DIVISIBLE
            && partitioning::quality::imbalance(weights) > LOST * self.settings.imbalance
    }

    /// Are bodies wrapped into the periodic cell before step `step` (counted from zero)?
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
        if cuts.parts() != self.decomposition.parts() {
            return;
        }
        self.decomposition.cuts = cuts;
        self.decomposition.colour(self.settings.interface);
        let weighted_points = self.weighted_points(model, bodies);
        let weights = self.decomposition.subdomain_weights(&weighted_points, &*self.comm);
        self.balance(true, &weights, &weighted_points);
    }

    /// Collective. The free bodies of this process as weighted points, with the bounding box of those of all processes.
    pub(super) fn weighted_points(&self, model: &Model<X>, bodies: &Bodies<X>) -> WeightedPoints {
        WeightedPoints::of(bodies.states().iter().filter(|s| !model.is_prescribed(s)), &*self.comm)
    }

    /// From now on moves subdomains to random processes at random steps; for tests that the placement does not change
    /// the result.
    pub fn shuffle(&mut self, seed: u64) {
        self.decomposition.random_placement = Some(seed);
    }

    fn place_at_random(
        &mut self,
        model: &Model<X>,
        bodies: &mut Bodies<X>,
        history: &mut ContactHistory<X>,
        step: u64,
    ) {
        let Some(seed) = self.decomposition.random_placement else { return };
        let mut random = Pcg64::seed_from_u64(seed ^ (step << 32));
        if !random.next_u64().is_multiple_of(5) {
            return;
        }
        self.drop_ghosts(model, bodies, history);
        let (parts, size) = (self.decomposition.parts(), self.comm.size() as u64);
        self.set_placement((0..parts).map(|_| (random.next_u64() % size) as u32).collect());
        self.skin.clear();
    }

    /// Collective. Moves subdomains to other processes where that improves the load balance.
    fn balance(&mut self, is_recut: bool, weights: &[u64], weighted_points: &WeightedPoints) {
        let mut costs = vec![0u64; self.decomposition.parts()];
        for subdomain in &self.subdomains {
            costs[subdomain.number.index()] = subdomain.cost;
        }
        self.comm.sum(&mut costs);
        // Costs measured with the old cuts do not apply to new ones.
        let costs = if is_recut || costs.iter().all(|&cost| cost == 0) { weights } else { &costs };
        let placement = self.decomposition.choose_placement(is_recut, costs, weighted_points, self.comm.size());
        self.set_placement(placement);
    }

    /// Sets the placement and resets all subdomains. Subdomains that stay on this process keep their allocations.
    pub(super) fn set_placement(&mut self, placement: Vec<u32>) {
        let mut before = std::mem::take(&mut self.subdomains);
        let own = (0..placement.len()).filter(|&part| placement[part] as usize == self.comm.rank());
        self.subdomains.extend(own.map(SubdomainId::new).map(|part| {
            let previous = before.binary_search_by_key(&part, |subdomain| subdomain.number).ok();
            let mut subdomain = previous.map_or_else(|| Subdomain::new(part), |slot| std::mem::take(&mut before[slot]));
            subdomain.start_over();
            subdomain.colour = self.decomposition.colours[part];
            subdomain
        }));
        self.decomposition.place(placement, self.subdomains.iter().map(|subdomain| subdomain.number));
    }
}
