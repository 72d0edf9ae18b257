//! Bodies held by several subdomains: who holds them, how their copies are weighted, and how copies become one.
//!
//! After the subdomains of a colour have swept, a shared body V held by K of them becomes V + sum over K of
//! (v_k - V)/f, in subdomain order; where K is one, simply its copy. With f = |K| that is the mean of the
//! copies: the gluing of the published method. Copies may live in other processes: then their velocities come by
//! message, one for each pair of processes and colour, laid out when the contacts of the step are known and
//! replayed every sweep.

use rayon::prelude::*;

use super::crowd::Crowd;
use super::split::{Pushes, factor};
use super::{Scheme, Subdomain};
use crate::comm::{Comm, Mail, Peer, Reader, Writer};
use crate::dim::{Dim, Vector};
use crate::solver::Line;

/// What weighing copies needs to know of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) mass: f64,
    pub(super) is_ball: bool,
}

/// A copy of a shared body.
#[derive(Clone, Copy, Debug)]
struct Copy {
    /// Where it is.
    at: At,
    /// Factor on its inverse mass.
    factor: f64,
}

#[derive(Clone, Copy, Debug)]
enum At {
    /// In the problem of a subdomain here.
    Here { slot: u32, place: u32 },
    /// In the messages of a peer, from this number on.
    There { peer: u32, from: u32 },
}

/// A body with more than one holder.
#[derive(Clone, Copy, Debug)]
struct Shared {
    body: u32,
    /// Range of its copies, sorted by colour, then subdomain.
    from: u32,
    to: u32,
    /// First copy of the second colour.
    second: u32,
}

/// A copy here whose velocity goes to another process.
#[derive(Clone, Copy, Debug)]
struct Pack {
    slot: u32,
    place: u32,
    peer: u32,
    from: u32,
}

/// All shared bodies of this process with their present velocities.
pub(super) struct Interface<X: Dim> {
    shared: Vec<Shared>,
    copies: Vec<Copy>,
    lines: Vec<Line<X>>,
    /// For each colour: the messages, and what goes into them.
    mail: [Mail; 2],
    packs: [Vec<Pack>; 2],
}

impl<X: Dim> Default for Interface<X> {
    fn default() -> Self {
        Self {
            shared: Vec::new(),
            copies: Vec::new(),
            lines: Vec::new(),
            mail: [Mail::default(), Mail::default()],
            packs: [Vec::new(), Vec::new()],
        }
    }
}

/// What the subdomains of this step are like.
pub(super) struct Setting<'a> {
    pub(super) comm: &'a dyn Comm,
    pub(super) crowd: &'a Crowd,
    /// Of all subdomains, wherever they are.
    pub(super) colours: &'a [u8],
    pub(super) bodies: &'a [Held],
    /// Ids of the bodies.
    pub(super) ids: &'a dyn Fn(usize) -> u64,
    pub(super) scheme: Scheme,
}

impl<X: Dim> Interface<X> {
    /// Bytes this process sends in a sweep, and to how many others.
    pub(super) fn traffic(&self) -> (usize, usize) {
        let peers = self.mail.iter().flat_map(|mail| &mail.peers);
        let bytes = peers.clone().map(|peer| 8 * peer.out.len()).sum();
        (bytes, self.mail[0].peers.len())
    }

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
        let pushes = match setting.scheme {
            Scheme::Glue => Vec::new(),
            Scheme::RedBlack => self.pushes(subdomains, setting),
        };
        for shared in &self.shared {
            for (from, to) in [(shared.from, shared.second), (shared.second, shared.to)] {
                let (from, to) = (from as usize, to as usize);
                let f = match setting.scheme {
                    Scheme::Glue => (to - from) as f64,
                    Scheme::RedBlack if to - from > 1 => factor(&pushes[from..to]),
                    Scheme::RedBlack => 1.0,
                };
                for copy in &mut self.copies[from..to] {
                    copy.factor = f;
                    if let At::Here { slot, place } = copy.at {
                        subdomains[slot as usize].factors[place as usize] = f;
                    }
                }
            }
        }
    }

    /// Shared bodies in body order, copies in (colour, subdomain) order.
    fn find(&mut self, subdomains: &[Subdomain<X>], setting: &Setting<'_>) {
        let mut holders: Vec<(u32, u8, u32, At)> = Vec::new();
        let mut held = vec![0u32; setting.bodies.len()];
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
            .map(|(subdomain, split)| count_pushes(subdomain, split, setting.bodies))
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
            setting.comm.complete(extra);
        }
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

    /// The copies of `colour` that others wait for are on their way.
    pub(super) fn post(&mut self, subdomains: &[Subdomain<X>], colour: u8, comm: &dyn Comm) {
        let colour = usize::from(colour);
        for pack in &self.packs[colour] {
            let line = &subdomains[pack.slot as usize].problem.lines[pack.place as usize];
            let out = &mut self.mail[colour].peers[pack.peer as usize].out[pack.from as usize..];
            out[..X::D].copy_from_slice(line.velocity.as_slice());
            out[X::D..X::D + X::R].copy_from_slice(line.spin.as_slice());
        }
        comm.post(&mut self.mail[colour]);
    }

    /// Those that we wait for have come.
    pub(super) fn complete(&mut self, colour: u8, comm: &dyn Comm) {
        comm.complete(&mut self.mail[usize::from(colour)]);
    }

    /// Start from the free velocities plus what the guessed impulses of all subdomains do.
    pub(super) fn start(&mut self, subdomains: &[Subdomain<X>], comm: &dyn Comm) {
        for colour in 0..2 {
            self.post(subdomains, colour, comm);
            self.complete(colour, comm);
        }
        let Self { shared, copies, mail, lines, .. } = self;
        let here = |copy: &Copy| match copy.at {
            At::Here { slot, place } => Some(subdomains[slot as usize].free[place as usize]),
            At::There { .. } => None,
        };
        lines.clear();
        lines.par_extend(shared.par_iter().map(|shared| {
            let all = &copies[shared.from as usize..shared.to as usize];
            // A shared body has a copy here; all copies start from the same free velocity.
            let mut line = all.iter().find_map(here).unwrap_or_else(Line::zero);
            let start = line;
            for (k, copy) in (shared.from..).zip(all) {
                let colour = usize::from(k >= shared.second);
                add_delta(&mut line, &start, copy, &read(copy, subdomains, &mail[colour]));
            }
            line
        }));
    }

    /// The subdomains of `colour` have swept: their copies become one velocity.
    pub(super) fn combine(&mut self, subdomains: &[Subdomain<X>], colour: u8) {
        let Self { shared, copies, mail, lines, .. } = self;
        let mail = &mail[usize::from(colour)];
        lines.par_iter_mut().zip(shared).with_min_len(256).for_each(|(line, shared)| {
            let (from, to) = if colour == 0 { (shared.from, shared.second) } else { (shared.second, shared.to) };
            match &copies[from as usize..to as usize] {
                [] => {}
                [copy] => *line = read(copy, subdomains, mail),
                several => {
                    let start = *line;
                    several.iter().for_each(|copy| add_delta(line, &start, copy, &read(copy, subdomains, mail)));
                }
            }
        });
    }

    /// Give a subdomain the present velocities of its copies.
    pub(super) fn load(&self, subdomain: &mut Subdomain<X>) {
        for &[place, shared] in &subdomain.copies {
            let (line, own) = (&self.lines[shared as usize], &mut subdomain.problem.lines[place as usize]);
            own.velocity = line.velocity;
            own.spin = line.spin;
        }
    }

    /// Bodies of this process whose first copy lives elsewhere.
    pub(super) fn spoken_for_elsewhere(&self) -> impl Iterator<Item = usize> {
        let elsewhere = |shared: &&Shared| matches!(self.copies[shared.from as usize].at, At::There { .. });
        self.shared.iter().filter(elsewhere).map(|shared| shared.body as usize)
    }
}

/// The velocities of a copy, wherever it is.
#[inline]
fn read<X: Dim>(copy: &Copy, subdomains: &[Subdomain<X>], mail: &Mail) -> Line<X> {
    match copy.at {
        At::Here { slot, place } => subdomains[slot as usize].problem.lines[place as usize],
        At::There { peer, from } => {
            let numbers = &mail.peers[peer as usize].into[from as usize..];
            Line { velocity: X::Vector::read(numbers), spin: X::Spin::read(&numbers[X::D..]), ..Line::zero() }
        }
    }
}

/// line + (v - start)/f.
#[inline]
fn add_delta<X: Dim>(line: &mut Line<X>, start: &Line<X>, copy: &Copy, own: &Line<X>) {
    let share = 1.0 / copy.factor;
    line.velocity += (own.velocity - start.velocity) * share;
    line.spin += (own.spin - start.spin) * share;
}

fn count_pushes<X: Dim>(subdomain: &Subdomain<X>, split: &[bool], bodies: &[Held]) -> Vec<Pushes> {
    let mut pushes = vec![Pushes::default(); subdomain.held.len()];
    for contact in &subdomain.contacts {
        let [a, b] = [contact.a, contact.b].map(|v| subdomain.places[v as usize] as usize);
        for (own, other) in [(a, b), (b, a)] {
            if own == 0 || !split[own] {
                continue;
            }
            let pushed = &mut pushes[own];
            let body = |place: usize| &bodies[subdomain.held[place] as usize];
            pushed.is_round &= body(own).is_ball && (other == 0 || body(other).is_ball);
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
