//! The bodies of this process, in the order that determines all others.
//!
//! Sorted by (curve key, id): neighbours in space are neighbours in memory, and the order of contacts, which follows
//! that of bodies, depends neither on the order in the scene nor on the process.

use std::ops::Index;

use super::{BodyId, Node, NodeRow, NodesById, State, Tails};
use crate::base::index::BodyIndex;
use crate::dim::Dim;

/// The states of all bodies of this process.
#[derive(Clone, Debug, PartialEq)]
pub struct Bodies<X: Dim> {
    states: Vec<State<X>>,
    /// Nodes of the deformable bodies.
    nodes: Tails<Node<X>>,
}

impl<X: Dim> Bodies<X> {
    /// Takes the states in any order.
    pub fn new(mut states: Vec<State<X>>) -> Self {
        states.sort_unstable_by_key(|s| (s.key, s.id));
        Self { states, nodes: Tails::default() }
    }

    /// As [`new`](Self::new); `nodes` are those of the deformable bodies, by id in any order. Nodes of bodies that are
    /// not there are ignored.
    pub fn with_nodes(states: Vec<State<X>>, mut nodes: NodesById<X>) -> Self {
        let mut bodies = Self::new(states);
        nodes.sort_unstable_by_key(|(id, _)| *id);
        let find = |id: BodyId| nodes.binary_search_by_key(&id, |(body, _)| *body).map_or(&[][..], |at| &nodes[at].1);
        if !nodes.is_empty() {
            bodies.nodes = Tails::from_lists(bodies.states.iter().map(|state| find(state.id)));
        }
        bodies
    }

    /// Sets the curve key of every body to `key(state)` and sorts anew. Returns the old index for each new one.
    pub fn reorder(&mut self, key: impl Fn(&State<X>) -> u64) -> Vec<u32> {
        for state in &mut self.states {
            state.key = key(state);
        }
        let mut order: Vec<u32> = (0..self.states.len() as u32).collect();
        order.sort_unstable_by_key(|&i| (self.states[i as usize].key, self.states[i as usize].id));
        self.states = order.iter().map(|&i| self.states[i as usize]).collect();
        self.nodes = self.nodes.reordered(&order);
        order
    }

    /// All states, in order.
    pub fn states(&self) -> &[State<X>] {
        &self.states
    }

    /// All states, mutable; keys and ids must not change.
    pub fn states_mut(&mut self) -> &mut [State<X>] {
        &mut self.states
    }

    /// Nodes of the deformable bodies.
    pub fn nodes(&self) -> &Tails<Node<X>> {
        &self.nodes
    }

    /// Rows of a file for all nodes, in body order.
    pub fn node_rows(&self) -> Vec<NodeRow<X>> {
        let of = |(body, state): (usize, &State<X>)| {
            let id = state.id;
            let nodes = self.nodes.of(body).iter().zip(0..);
            nodes.map(move |(&node, number)| NodeRow { body: id, number, node })
        };
        self.states.iter().enumerate().flat_map(of).collect()
    }

    /// All states and nodes, mutable; keys and ids must not change.
    pub fn parts_mut(&mut self) -> (&mut [State<X>], &mut Tails<Node<X>>) {
        (&mut self.states, &mut self.nodes)
    }

    /// Number of bodies of this process.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Are there no bodies?
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// States sorted by id, as in files.
    pub fn by_id(&self) -> Vec<State<X>> {
        let mut states = self.states.clone();
        states.sort_unstable_by_key(|s| s.id);
        states
    }

    /// The body with this id, by linear search; for tests and reports.
    pub fn find(&self, id: u64) -> Option<&State<X>> {
        self.states.iter().find(|s| s.id == BodyId(id))
    }
}

impl<X: Dim> Index<BodyIndex> for Bodies<X> {
    type Output = State<X>;

    #[inline(always)]
    fn index(&self, body: BodyIndex) -> &State<X> {
        &self.states[body.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Plane;

    #[test]
    fn the_order_of_bodies_does_not_depend_on_the_order_given() {
        let states: Vec<_> = (0..20).map(|i| State::<Plane>::at_rest(i, 0, 0, 1.0, 1.0)).collect();
        let mut reversed = states.clone();
        reversed.reverse();
        let (mut a, mut b) = (Bodies::new(states), Bodies::new(reversed));
        assert_eq!(a, b);
        a.reorder(|s| s.id.0 * 7 % 5);
        b.reorder(|s| s.id.0 * 7 % 5);
        assert_eq!(a, b);
        assert!(a.states().windows(2).all(|w| (w[0].key, w[0].id) < (w[1].key, w[1].id)));
    }
}
