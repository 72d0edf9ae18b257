//! Scratch buffers that a thread uses while it works on a subdomain.
//!
//! A pool holds them from step to step, so that there are only as many as subdomains are processed at once. Which
//! buffers a subdomain gets does not affect the result.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::dim::Dim;
use crate::interaction::ContactPoint;
use crate::interaction::approach::Approach;
use crate::interaction::broad_phase::{BroadPhaseItem, PairSearch};
use crate::interaction::meshed::MeshedPoint;
use crate::solver::SphereContact;

/// The buffers of one thread. Their contents are unspecified at the start.
#[derive(Default)]
pub(super) struct ThreadScratch<X: Dim> {
    /// Broad phase: the local bodies of a subdomain, and the search for pairs.
    pub(super) items: Vec<BroadPhaseItem<X>>,
    pub(super) search: PairSearch<X>,
    /// The new number of each local body.
    pub(super) numbers: Vec<u32>,
    /// Narrow phase: what the pairs of a local body share.
    pub(super) poses: Vec<LocalPose<X>>,
    /// Narrow phase: bounds on the approach of the local bodies.
    pub(super) approach: Vec<Approach<X>>,
    /// Contact points of a pair, and those that replace them where the overlap is deep.
    pub(super) points: Vec<ContactPoint<X>>,
    pub(super) corrected: Vec<ContactPoint<X>>,
    /// Contact points of a meshed pair.
    pub(super) meshed: Vec<MeshedPoint<X>>,
    /// Round contacts during assembly, before the subdomain packs them into batches.
    pub(super) rounds: Vec<SphereContact<X>>,
    /// For packing contacts into batches.
    pub(super) claimed: Vec<u64>,
}

/// Orientation of a local body at mid-step, and the radius of the sphere that encloses it.
#[derive(Clone, Copy)]
pub(super) struct LocalPose<X: Dim> {
    pub(super) orientation: X::Orientation,
    /// m; infinite for all but polytopes, whose pairs are tested by these spheres first.
    pub(super) reach: f64,
}

/// The buffers that are not in use.
#[derive(Default)]
pub(super) struct ScratchPool<X: Dim>(Mutex<Vec<ThreadScratch<X>>>);

impl<X: Dim> ScratchPool<X> {
    /// Runs `work` with buffers of the pool, or with new ones.
    pub(super) fn lend(&self, work: impl FnOnce(&mut ThreadScratch<X>)) {
        let mut scratch = self.idle().pop().unwrap_or_default();
        work(&mut scratch);
        self.idle().push(scratch);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<ThreadScratch<X>>> {
        // Buffers are only popped and pushed under the lock: a panic elsewhere leaves the pool consistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
