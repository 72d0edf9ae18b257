//! The loaded nodes: those of deformable bodies that carry a contact in any subdomain. Each has a velocity row, which
//! holds the impulse on it; all processes that have a body agree on its loaded nodes.

use super::Domain;
use crate::body::{Bodies, Tails};
use crate::dim::Dim;

impl<X: Dim> Domain<X> {
    /// Collective. The loaded nodes of every body, increasing; `any` tells whether the model has deformable bodies, the
    /// same on all processes.
    pub fn loaded_nodes(&mut self, bodies: &Bodies<X>, any: bool) -> Tails<u32> {
        if !any {
            return Tails::default();
        }
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for subdomain in &self.subdomains {
            for (local, node) in subdomain.contacts.nodes() {
                pairs.push((subdomain.body(local).0, node));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        if self.comm.size() > 1 {
            self.exchange_loaded_nodes(bodies, &mut pairs);
        }
        let mut lists = vec![Vec::new(); bodies.len()];
        pairs.iter().for_each(|&(body, node)| lists[body as usize].push(node));
        Tails::from_lists(lists.iter().map(Vec::as_slice))
    }

    /// Collective. Adds the loaded nodes (body, node) that other processes know.
    fn exchange_loaded_nodes(&mut self, bodies: &Bodies<X>, pairs: &mut Vec<(u32, u32)>) {
        let Self { comm, ownership, buffers, .. } = self;
        buffers.exchange.begin();
        for &(body, node) in pairs.iter() {
            let id = bodies.states()[body as usize].id.0;
            for &rank in ownership.others(body as usize) {
                buffers.exchange.to(rank as usize).write(&(id, node));
            }
        }
        for message in buffers.exchange.swap(&**comm) {
            for (id, node) in message.reader().read_all::<(u64, u32)>() {
                pairs.extend(ownership.find(id).map(|body| (body as u32, node)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
    }
}
