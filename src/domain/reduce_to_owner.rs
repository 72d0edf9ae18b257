//! Exchange after the solve: results for ghosts are reduced to the owners, and the new states are sent back to the
//! ghosts.
//!
//! Only the owner moves a body; every process with a ghost receives its new state and its contact records.

use super::ownership::{read_records, write_records};
use super::step_buffers::StepBuffers;
use super::{Domain, StepContext, StepOutcome};
use crate::body::{Bodies, State};
use crate::comm::{Reader, Writer, all_gather_if_any};
use crate::dim::Dim;
use crate::interaction::ContactHistory;

impl<X: Dim> Domain<X> {
    /// Collective. Sends velocities, contact counts and contact records of ghosts to their owners, and adds those
    /// received to the bodies owned here. `history` then holds the records of owned bodies only.
    pub fn reduce_to_owner(
        &mut self,
        context: &StepContext<X>,
        outcome: &mut StepOutcome<X>,
        history: &mut ContactHistory<X>,
    ) {
        if self.comm.size() == 1 {
            return;
        }
        self.find_primary(context.bodies.len());
        let Self { comm, ownership, buffers, motion, .. } = self;
        let StepBuffers { exchange, received, is_primary, .. } = buffers;
        let states = context.bodies.states();
        exchange.begin();
        for (i, state) in states.iter().enumerate() {
            let Some(owner) = ownership.owner(i).filter(|&owner| owner != comm.rank()) else { continue };
            if outcome.contacts[i] == 0 {
                continue;
            }
            let message = exchange.to(owner);
            message.write(&(state.id, outcome.contacts[i], is_primary[i]));
            let moved = outcome.moved.as_ref().map(|moved| moved[i]);
            for (linear, angular) in
                [(motion.end[i].velocity, motion.end[i].spin)].into_iter().chain(moved).filter(|_| is_primary[i])
            {
                message.write(&(linear, angular));
            }
            if is_primary[i] {
                motion.node_impulses.of(i).iter().for_each(|impulse| message.write(impulse));
            }
            write_records(message, history.places(i).len(), history.of(i));
        }
        received.clear();
        for message in exchange.swap(&**comm) {
            let mut message = message.reader();
            while !message.is_done() {
                let (id, count, is_first) = message.read::<(u64, u32, bool)>();
                let velocity = is_first.then(|| message.read());
                let moved = (is_first && outcome.moved.is_some()).then(|| message.read());
                // Only owners receive these messages.
                let Some(body) = ownership.find(id) else { unreachable!("body {id} is not here") };
                let impulses = motion.node_impulses.of_mut(body);
                impulses.iter_mut().filter(|_| is_first).for_each(|impulse| *impulse = message.read());
                if is_first {
                    motion.move_nodes(body, context);
                }
                let records = read_records(&mut message);
                outcome.contacts[body] += count;
                if let Some(velocity) = velocity {
                    (motion.end[body].velocity, motion.end[body].spin) = velocity;
                }
                if let (Some(all), Some(moved)) = (&mut outcome.moved, moved) {
                    all[body] = moved;
                }
                received.extend(records.map(|record| (body as u32, record)));
            }
        }
        history.retain(|body| ownership.is_own(body));
        history.insert(received);
    }

    /// Finds the bodies whose primary copy is on this process, which reports their velocities; `count` is the number of
    /// bodies.
    fn find_primary(&mut self, count: usize) {
        let is_primary = &mut self.buffers.is_primary;
        is_primary.clear();
        is_primary.resize(count, false);
        // Nodes follow their bodies.
        let is_body = |row: &usize| *row < count;
        let active = self.subdomains.iter().flat_map(|s| s.active.without_world()).map(|(_, row)| row.index());
        active.filter(is_body).for_each(|body| is_primary[body] = true);
        self.interface.primary_elsewhere().filter(is_body).for_each(|body| is_primary[body] = false);
    }

    /// Collective. Sends the new states of owned bodies with their contact records to the processes that have ghosts,
    /// and receives those of the ghosts here. `history` holds the records of owned bodies before, those of all bodies
    /// afterwards.
    pub fn update_ghosts(&mut self, bodies: &mut Bodies<X>, history: &mut ContactHistory<X>) {
        let Self { comm, ownership, buffers: StepBuffers { exchange, received, .. }, .. } = self;
        if comm.size() > 1 {
            exchange.begin();
            for (i, state) in bodies.states().iter().enumerate().filter(|(i, _)| ownership.is_own(*i)) {
                for &rank in ownership.others(i) {
                    let message = exchange.to(rank as usize);
                    message.write(state);
                    bodies.nodes().of(i).iter().for_each(|node| message.write(node));
                    write_records(message, history.places(i).len(), history.of(i));
                }
            }
            received.clear();
            for message in exchange.swap(&**comm) {
                let mut message = message.reader();
                while !message.is_done() {
                    let state: State<X> = message.read();
                    // Sent for a ghost of this process.
                    let Some(body) = ownership.find(state.id.0) else {
                        unreachable!("body {} is not here", state.id.0)
                    };
                    let (states, nodes) = bodies.parts_mut();
                    states[body] = state;
                    nodes.of_mut(body).iter_mut().for_each(|node| *node = message.read());
                    let records = read_records(&mut message);
                    received.extend(records.map(|record| (body as u32, record)));
                }
            }
            history.insert(received);
        }
    }

    /// Collective. Of the reports of all processes, the one with the lowest number; the same on all processes.
    pub fn first_of_all(&self, own: Option<(u64, String)>) -> Option<(u64, String)> {
        let mut out = Writer::default();
        if let Some((body, what)) = own {
            out.u64(body);
            out.0.extend(what.as_bytes());
        }
        let all = all_gather_if_any(&*self.comm, out.0);
        let read = |bytes: &Vec<u8>| {
            let mut message = Reader(bytes);
            (!bytes.is_empty()).then(|| (message.u64(), String::from_utf8_lossy(message.0).into_owned()))
        };
        all.iter().filter_map(read).min()
    }
}
