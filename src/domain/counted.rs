//! The bodies that this process counts in sums over all bodies of all processes.

use super::Domain;
use crate::body::{Bodies, State};
use crate::dim::Dim;
use crate::interaction::ContactHistory;

impl<X: Dim> Domain<X> {
    /// The bodies that count here in sums over all bodies of all processes.
    pub fn counted<'a>(&'a self, bodies: &'a Bodies<X>) -> impl Iterator<Item = &'a State<X>> + Clone {
        let states = bodies.states().iter().enumerate();
        states.filter(|(i, _)| self.ownership.counts(*i)).map(|(_, state)| state)
    }

    /// Ids and indices of the bodies that count here, by id.
    pub(crate) fn counted_by_id(&self) -> impl Iterator<Item = (u64, u32)> {
        self.ownership.counted_by_id()
    }

    /// Collective. Number of contact records on all processes.
    pub fn count_records(&self, bodies: &Bodies<X>, history: &ContactHistory<X>) -> usize {
        let own = self.counted_indices(bodies).map(|i| history.places(i).len());
        let mut count = [own.sum::<usize>() as u64];
        self.comm.sum(&mut count);
        count[0] as usize
    }

    /// Indices of the bodies that count here.
    pub(crate) fn counted_indices(&self, bodies: &Bodies<X>) -> impl Iterator<Item = usize> {
        (0..bodies.len()).filter(|&i| self.ownership.counts(i))
    }
}
