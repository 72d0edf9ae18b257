//! The decomposition of space: the cuts, and the colour and host of every subdomain.

use partitioning::{Cuts, Cutter, MultiJagged, RecursiveBisection, RegularGrid};

use super::placement::PlacementLoad;
use super::settings::{InterfaceScheme, Partitioner};
use crate::base::index::{IndexVec, SubdomainId, SubdomainSlot};
use crate::body::State;
use crate::comm::Comm;
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};

/// Weighted points of this process, and the bounding box of the points of all processes.
pub(super) struct WeightedPoints {
    points: Vec<[f64; 3]>,
    weights: Vec<u32>,
    min: [f64; 3],
    max: [f64; 3],
}

impl WeightedPoints {
    /// Collective. The centres of these bodies, weighted by their numbers of contacts.
    pub(super) fn of<'a, X: Dim>(bodies: impl Iterator<Item = &'a State<X>> + Clone, comm: &dyn Comm) -> Self {
        let points: Vec<[f64; 3]> = bodies.clone().map(|s| s.position.in_space()).collect();
        let weights = bodies.clone().map(weight).collect();
        let bounds = bodies.map(|s| Bounds::at(s.position)).collect::<Bounds<X>>().of_all(comm);
        let (mut min, mut max) = (bounds.min.in_space(), bounds.max.in_space());
        // Before the first body is inserted the bounds are empty.
        if min.iter().zip(&max).any(|(min, max)| min > max) {
            (min, max) = ([0.0; 3], [1.0; 3]);
        }
        Self { points, weights, min, max }
    }

    /// Corners of the bounding box of the points of all processes.
    pub(super) fn corners<X: Dim>(&self) -> [X::Vector; 2] {
        [X::Vector::read(&self.min), X::Vector::read(&self.max)]
    }
}

/// Weight of a body in the balance of subdomains.
fn weight<X: Dim>(state: &State<X>) -> u32 {
    1 + state.contacts
}

/// How space is cut into subdomains, and which process hosts each of them.
pub(super) struct Decomposition {
    /// Cuts of space; two-dimensional scenes lie at z = 0.
    pub(super) cuts: Cuts<3>,
    /// Colour of every subdomain, on whichever process.
    pub(super) colours: IndexVec<SubdomainId, u8>,
    /// Rank of the process that hosts each subdomain.
    placement: IndexVec<SubdomainId, u32>,
    /// Index of each subdomain among those of this process; none for those of other processes.
    slots: IndexVec<SubdomainId, Option<SubdomainSlot>>,
    /// Load imbalance (busiest process over the mean, colour by colour) at the last balancing.
    pub(super) imbalance: f64,
    /// Seed of random placements, for tests.
    pub(super) random_placement: Option<u64>,
    /// Weights of the subdomains at the last check of the balance.
    weights: Vec<u64>,
}

impl Decomposition {
    /// Uncut space, for this number of subdomains.
    pub(super) fn new(parts: usize) -> Self {
        Self {
            cuts: Cuts::one(),
            colours: vec![0; parts].into(),
            placement: IndexVec::default(),
            slots: IndexVec::default(),
            imbalance: 1.0,
            random_placement: None,
            weights: Vec::new(),
        }
    }

    /// Number of subdomains over all processes.
    pub(super) fn parts(&self) -> usize {
        self.colours.len()
    }

    /// Is space cut into its number of subdomains?
    pub(super) fn is_cut(&self) -> bool {
        self.cuts.parts() == self.parts()
    }

    /// Collective. Cuts space so that every subdomain gets about the same weight.
    pub(super) fn cut(&mut self, partitioner: Partitioner, weighted: &WeightedPoints, comm: &dyn Comm) {
        let WeightedPoints { points, weights, .. } = weighted;
        let parts = self.parts();
        self.cuts = match partitioner {
            Partitioner::MultiJagged => MultiJagged.cut(points, weights, parts, comm),
            Partitioner::Bisection => RecursiveBisection.cut(points, weights, parts, comm),
            Partitioner::Grid => RegularGrid.cut(points, weights, parts, comm),
        };
    }

    /// Colours the subdomains.
    pub(super) fn colour(&mut self, scheme: InterfaceScheme) {
        let parts = self.parts();
        self.colours.raw = match scheme {
            InterfaceScheme::RedBlack => (0..parts).map(|part| self.cuts.colour(part)).collect(),
            InterfaceScheme::Glue => vec![0; parts],
        };
    }

    /// Collective. Total weight of every subdomain over all processes.
    pub(super) fn subdomain_weights(&self, weighted: &WeightedPoints, comm: &dyn Comm) -> Vec<u64> {
        let mut sums = vec![0u64; self.cuts.parts()];
        self.add_weights(&mut sums, weighted.points.iter().copied().zip(weighted.weights.iter().copied()), comm);
        sums.resize(self.parts(), 0);
        sums
    }

    /// Collective. Total weight of these bodies, each of which is on one process, in every subdomain; valid until the
    /// next call.
    pub(super) fn weights_of<'a, X: Dim>(
        &mut self,
        bodies: impl Iterator<Item = &'a State<X>>,
        comm: &dyn Comm,
    ) -> &[u64] {
        let mut sums = std::mem::take(&mut self.weights);
        sums.clear();
        sums.resize(self.cuts.parts(), 0);
        self.add_weights(&mut sums, bodies.map(|state| (state.position.in_space(), weight(state))), comm);
        self.weights = sums;
        &self.weights
    }

    fn add_weights(&self, sums: &mut [u64], points: impl Iterator<Item = ([f64; 3], u32)>, comm: &dyn Comm) {
        for (point, weight) in points {
            sums[self.cuts.locate(&point)] += u64::from(weight);
        }
        comm.sum(sums);
    }

    /// The placement of subdomains with these `costs` on `size` processes: the best one if the cuts have changed
    /// (`is_recut`) or if it is clearly better than the present one, else the present one.
    pub(super) fn choose_placement(
        &mut self,
        is_recut: bool,
        costs: &[u64],
        weighted: &WeightedPoints,
        size: usize,
    ) -> Vec<u32> {
        let load = PlacementLoad { costs, colours: &self.colours.raw, size };
        let best = load.place(&self.cuts, weighted.min, weighted.max);
        let moves = is_recut || load.is_better(&best, &self.placement.raw);
        if moves && size > 1 {
            tracing::debug!(imbalance = load.imbalance(&best), "subdomains placed anew");
        }
        let chosen = if moves { best } else { std::mem::take(&mut self.placement.raw) };
        self.imbalance = load.imbalance(&chosen);
        chosen
    }

    /// Sets the placement; `own` are the numbers of the subdomains that it puts on this process.
    pub(super) fn place(&mut self, placement: Vec<u32>, own: impl Iterator<Item = SubdomainId>) {
        self.slots.refill(placement.len(), None);
        for (slot, number) in (0..).map(SubdomainSlot).zip(own) {
            self.slots[number] = Some(slot);
        }
        self.placement.raw = placement;
    }

    /// Index of a subdomain among those of this process; none for those of other processes.
    pub(super) fn slot(&self, part: SubdomainId) -> Option<SubdomainSlot> {
        self.slots[part]
    }

    /// Rank of the process that hosts a subdomain.
    pub(super) fn host(&self, part: SubdomainId) -> u32 {
        self.placement[part]
    }

    /// Rank of the process that hosts the subdomain of a point.
    pub(super) fn host_at<X: Dim>(&self, point: X::Vector) -> usize {
        self.host(SubdomainId::new(self.cuts.locate(&point.in_space()))) as usize
    }
}
