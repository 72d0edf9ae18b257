//! Once a step, when its contacts are known: who holds which body, how copies are weighted, and who writes to whom.
//!
//! All processes that hold a body agree on the order of its copies (colour, then subdomain), so the messages of a
//! sweep need no labels: both sides walk the shared bodies in the same order.

use rayon::prelude::*;

use super::crowd::Crowd;
use super::interface::{At, Copy, Interface, Pack, Shared};
use super::split::{Pushes, factor};
use super::{Scheme, Subdomain};
use crate::comm::{Comm, Mail, Peer, Reader, Writer};
use crate::dim::Dim;
use crate::solver::Method;

/// What weighing copies needs to know of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) mass: f64,
    pub(super) is_ball: bool,
}

/// What the subdomains of this step are like.
pub(super) struct Setting<'a> {
    pub(super) comm: &'a dyn Comm,
    pub(super) crowd: &'a Crowd,
    /// Of all subdomains, wherever they are.
    pub(super) colours: &'a [u8],
    /// Number of bodies of this process...
    pub(super) count: usize,
    /// ...and what they are like.
    pub(super) held: &'a (dyn Fn(usize) -> Held + Sync),
    /// Ids of the bodies.
    pub(super) ids: &'a dyn Fn(usize) -> u64,
    pub(super) scheme: Scheme,
    pub(super) method: Method,
}

impl<X: Dim> Interface<X> {
    /// Find the shared bodies among what the subdomains hold, and decide how their copies are weighted.
    pub(super) fn build(&mut self, subdomains: &mut [Subdomain<X>], setting: &Setting<'_>) {
        self.find(subdomains, setting);
        self.lay_out();
        for (number, shared) in self.shared.iter().enumerate() {
            for (k, copy) in self.copies[shared.from as usize..shared.to as usize].iter().enumerate() {
                if let At::Here { slot, place } = copy.at {
                    let subdomain = &mut subdomains[slot as usize];
                    subdomain.copies.push([place, number as u32]);
                    subdomain.speaks[place as usize] = k == 0;
                }
            }
        }
        subdomains.iter_mut().for_each(|s| s.is_remote = false);
        for pack in self.packs.iter().flatten() {
            subdomains[pack.slot as usize].is_remote = true;
        }
        // Momentum needs the full split: with a smaller one it diverges.
        let is_full = setting.scheme == Scheme::Glue || setting.method == Method::Accelerated;
        let pushes = if is_full { Vec::new() } else { self.pushes(subdomains, setting) };
        for shared in &self.shared {
            for (from, to) in [(shared.from, shared.second), (shared.second, shared.to)] {
                let (from, to) = (from as usize, to as usize);
                let f = match to - from {
                    0 | 1 => 1.0,
                    several if is_full => several as f64,
                    _ => factor(&pushes[from..to]),
                };
                for copy in &mut self.copies[from..to] {
                    copy.factor = f;
                    // In the order in which the subdomain heard of its copies.
                    if let At::Here { slot, .. } = copy.at {
                        subdomains[slot as usize].factors.push(f);
                    }
                }
            }
        }
    }

    /// Shared bodies in body order, copies in (colour, subdomain) order.
    fn find(&mut self, subdomains: &[Subdomain<X>], setting: &Setting<'_>) {
        let mut holders: Vec<(u32, u8, u32, At)> = Vec::new();
        let mut held = vec![0u32; setting.count];
        for subdomain in subdomains {
            subdomain.held[1..].iter().for_each(|&body| held[body as usize] += 1);
        }
        let remote = self.remote_holders(subdomains, &held, setting);
        for &(body, ..) in &remote {
            held[body as usize] += 1;
        }
        for (slot, subdomain) in subdomains.iter().enumerate() {
            for (place, &body) in subdomain.held.iter().enumerate().skip(1) {
                if held[body as usize] > 1 {
                    let at = At::Here { slot: slot as u32, place: place as u32 };
                    holders.push((body, subdomain.colour, subdomain.number, at));
                }
            }
        }
        for (body, number, rank) in remote {
            let at = At::There { peer: rank, from: 0 };
            holders.push((body, setting.colours[number as usize], number, at));
        }
        holders.sort_unstable_by_key(|&(body, colour, number, _)| (body, colour, number));
        self.shared.clear();
        self.copies.clear();
        for group in holders.chunk_by(|a, b| a.0 == b.0) {
            let from = self.copies.len() as u32;
            let first = group.iter().filter(|holder| holder.1 == 0).count() as u32;
            self.copies.extend(group.iter().map(|&(.., at)| Copy { at, factor: 1.0 }));
            self.shared.push(Shared { body: group[0].0, from, to: from + group.len() as u32, second: from + first });
        }
    }

    /// Which subdomains of other processes hold bodies that are held here too: (body, subdomain, rank).
    fn remote_holders(&self, subdomains: &[Subdomain<X>], held: &[u32], setting: &Setting<'_>) -> Vec<(u32, u32, u32)> {
        if setting.comm.size() == 1 {
            return Vec::new();
        }
        let mut out = vec![Writer::default(); setting.comm.size()];
        for subdomain in subdomains {
            for &body in &subdomain.held[1..] {
                for &rank in setting.crowd.others(body as usize) {
                    out[rank as usize].u64((setting.ids)(body as usize));
                    out[rank as usize].u32(subdomain.number);
                }
            }
        }
        let mut found = Vec::new();
        let came = setting.comm.all_to_all(out.into_iter().map(|message| message.0).collect());
        for (rank, bytes) in came.into_iter().enumerate().filter(|(rank, _)| *rank != setting.comm.rank()) {
            let mut message = Reader(&bytes);
            while !message.is_done() {
                let (id, number) = (message.u64(), message.u32());
                // Who has the body without holding it need not know.
                if let Some(body) = setting.crowd.find(id).filter(|&body| held[body] > 0) {
                    found.push((body as u32, number, rank as u32));
                }
            }
        }
        found
    }

    /// The messages of a sweep: both sides walk the shared bodies, and the copies of each, in the same order.
    fn lay_out(&mut self) {
        let mut ranks: Vec<u32> = (self.copies.iter())
            .filter_map(|copy| match copy.at {
                At::There { peer, .. } => Some(peer),
                At::Here { .. } => None,
            })
            .collect();
        ranks.sort_unstable();
        ranks.dedup();
        let width = (X::D + X::R) as u32;
        for colour in 0..2usize {
            let (mut sent, mut received) = (vec![0u32; ranks.len()], vec![0u32; ranks.len()]);
            self.packs[colour].clear();
            for shared in &self.shared {
                let all = shared.from as usize..shared.to as usize;
                let mut partners: Vec<u32> = (self.copies[all.clone()].iter())
                    .filter_map(|copy| match copy.at {
                        At::There { peer, .. } => Some(peer),
                        At::Here { .. } => None,
                    })
                    .collect();
                if partners.is_empty() {
                    continue;
                }
                // Every partner is among the ranks, which were collected from all copies.
                let number = |rank: u32| ranks.binary_search(&rank).unwrap_or(0);
                partners.sort_unstable();
                partners.dedup();
                let own = if colour == 0 { shared.from..shared.second } else { shared.second..shared.to };
                for k in own {
                    match &mut self.copies[k as usize].at {
                        At::Here { slot, place } => {
                            for &rank in &partners {
                                let peer = number(rank);
                                let pack = Pack { slot: *slot, place: *place, peer: peer as u32, from: sent[peer] };
                                self.packs[colour].push(pack);
                                sent[peer] += width;
                            }
                        }
                        At::There { peer, from } => {
                            let which = number(*peer);
                            *from = received[which];
                            received[which] += width;
                        }
                    }
                }
            }
            let peers = ranks.iter().zip(sent.iter().zip(&received)).map(|(&rank, (&sent, &received))| Peer {
                rank: rank as usize,
                out: vec![0.0; sent as usize],
                into: vec![0.0; received as usize],
            });
            self.mail[colour].peers = peers.collect();
        }
        for copy in &mut self.copies {
            if let At::There { peer, .. } = &mut copy.at {
                *peer = ranks.binary_search(peer).unwrap_or(0) as u32;
            }
        }
    }

    /// For every copy: the contacts of its subdomain that push it. A body counts as split in a subdomain when
    /// another subdomain of the same colour holds it too.
    fn pushes(&mut self, subdomains: &[Subdomain<X>], setting: &Setting<'_>) -> Vec<Pushes> {
        let mut split: Vec<Vec<bool>> = subdomains.iter().map(|s| vec![false; s.held.len()]).collect();
        for shared in &self.shared {
            for group in self.groups(shared).into_iter().filter(|group| group.len() > 1) {
                for copy in group {
                    if let At::Here { slot, place } = copy.at {
                        split[slot as usize][place as usize] = true;
                    }
                }
            }
        }
        let counted: Vec<Vec<Pushes>> = subdomains
            .par_iter()
            .zip(&split)
            .map(|(subdomain, split)| count_pushes(subdomain, split, setting.held))
            .collect();
        // In the layout of a sweep's messages, with four numbers for every copy.
        let mut pushes = vec![Pushes::default(); self.copies.len()];
        let mut extra = [Mail::default(), Mail::default()];
        let width = X::D + X::R;
        for (colour, extra) in extra.iter_mut().enumerate() {
            extra.peers = (self.mail[colour].peers.iter())
                .map(|peer| Peer {
                    rank: peer.rank,
                    out: vec![0.0; peer.out.len() / width * 4],
                    into: vec![0.0; peer.into.len() / width * 4],
                })
                .collect();
            for pack in &self.packs[colour] {
                let own = &counted[pack.slot as usize][pack.place as usize];
                let round = f64::from(u8::from(own.is_round));
                let numbers = [f64::from(own.stiff), f64::from(own.soft), own.ratio, round];
                let from = pack.from as usize / width * 4;
                extra.peers[pack.peer as usize].out[from..from + 4].copy_from_slice(&numbers);
            }
            setting.comm.post(extra);
        }
        extra.iter_mut().for_each(|extra| setting.comm.complete(extra));
        for shared in &self.shared {
            for k in shared.from..shared.to {
                let colour = usize::from(k >= shared.second);
                pushes[k as usize] = match self.copies[k as usize].at {
                    At::Here { slot, place } => counted[slot as usize][place as usize],
                    At::There { peer, from } => {
                        let from = from as usize / width * 4;
                        let numbers = &extra[colour].peers[peer as usize].into[from..from + 4];
                        let [stiff, soft, ratio, round] = [numbers[0], numbers[1], numbers[2], numbers[3]];
                        Pushes { stiff: stiff as u32, soft: soft as u32, ratio, is_round: round == 1.0 }
                    }
                };
            }
        }
        pushes
    }

    /// The copies of a shared body, one slice for each colour.
    fn groups(&self, shared: &Shared) -> [&[Copy]; 2] {
        [
            &self.copies[shared.from as usize..shared.second as usize],
            &self.copies[shared.second as usize..shared.to as usize],
        ]
    }
}

fn count_pushes<X: Dim>(subdomain: &Subdomain<X>, split: &[bool], held: &dyn Fn(usize) -> Held) -> Vec<Pushes> {
    let mut pushes = vec![Pushes::default(); subdomain.held.len()];
    for k in 0..subdomain.contacts.len() {
        let [a, b] = subdomain.contacts.ends(k).map(|v| subdomain.places[v as usize] as usize);
        for (own, other) in [(a, b), (b, a)] {
            if own == 0 || !split[own] {
                continue;
            }
            let pushed = &mut pushes[own];
            let body = |place: usize| held(subdomain.held[place] as usize);
            let are_balls = body(own).is_ball && (other == 0 || body(other).is_ball);
            pushed.is_round &= are_balls && !subdomain.contacts.is_link(k);
            if other == 0 || split[other] {
                pushed.stiff += 1;
            } else {
                pushed.soft += 1;
                pushed.ratio = pushed.ratio.min(body(own).mass / body(other).mass);
            }
        }
    }
    pushes
}
