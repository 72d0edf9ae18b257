//! Migration and ghosts: moves bodies to the processes that host their subdomains, and copies them as ghosts to those
//! whose subdomains they may touch.
//!
//! Runs when a body has used up its Verlet skin; until the next time, every process knows which processes have its
//! bodies.

use rayon::prelude::*;

use super::Domain;
use super::decomposition::Decomposition;
use super::ownership::{MigratingBody, Ownership, read_migrating, write_migrating};
use crate::base::index::{BodyIndex, SubdomainId};
use crate::body::{Bodies, State};
use crate::comm::Exchange;
use crate::contactor::{Bounds, PosedShape};
use crate::dim::{Dim, Vector};
use crate::interaction::ContactHistory;
use crate::interaction::swept::SweptPaths;
use crate::model::{Image, Model};

impl<X: Dim> Domain<X> {
    /// Collective. Has any body on any process used up its Verlet skin?
    pub fn is_stale(&self, alerts: &[f64]) -> bool {
        let mut fresh = [f64::from(u8::from(self.skin.is_fresh(alerts)))];
        self.comm.min(&mut fresh);
        fresh[0] == 0.0
    }

    /// Collective. Migrates bodies to their new owners and creates the ghosts. `placed` gives the pose of a body at
    /// `time` and the distance within which it may act until the next call. Bodies, contact history and their order
    /// change, and the candidates must be rebuilt. Does nothing with a single process.
    pub fn migrate_and_ghost<'a>(
        &mut self,
        model: &'a Model<X>,
        bodies: &mut Bodies<X>,
        history: &mut ContactHistory<X>,
        placed: impl Fn(&State<X>) -> (PosedShape<'a, X>, f64),
        time: f64,
    ) {
        let rank = self.comm.rank();
        if self.comm.size() == 1 {
            return;
        }
        let is_obstacle = |state: &State<X>| model.is_prescribed(state);
        let packed = self.ownership.pack_owned(bodies, history, is_obstacle);
        let home = |state: &State<X>| self.decomposition.host_at::<X>(state.position);
        let mut exchange = Exchange::default();
        let mut here: Vec<MigratingBody<X>> = Vec::with_capacity(packed.len());
        for migrating in packed {
            let host = if is_obstacle(&migrating.state) { rank } else { home(&migrating.state) };
            if host == rank {
                here.push(migrating);
            } else {
                write_migrating(exchange.to(host), &migrating, &[]);
            }
        }
        for message in exchange.swap(&*self.comm) {
            // A body that migrates here is owned here.
            read_migrating(message.reader(), rank as u32, rank as u32, &mut here);
        }
        let link_midpoints = self.link_midpoints(model, here.iter().map(|migrating| &migrating.state), &placed);
        exchange.begin();
        for migrating in here.iter_mut().filter(|t| !is_obstacle(&t.state)) {
            let (pose, margin) = placed(&migrating.state);
            let mut hosts = Vec::new();
            let links = model.links.of(migrating.state.id).filter_map(|(link, _)| link_midpoints[link as usize]);
            let mut add = |Bounds { min, max }: Bounds<X>| {
                let Decomposition { cuts, .. } = &self.decomposition;
                cuts.touching(&min.in_space(), &max.in_space(), |part| {
                    hosts.push(self.decomposition.host(SubdomainId::new(part)))
                });
            };
            links.for_each(&mut add);
            model.images(&pose, margin, time, |_, image| add(image.bounds().inflated(margin)));
            hosts.sort_unstable();
            hosts.dedup();
            hosts.retain(|&host| host as usize != rank);
            migrating.others = hosts;
            let all: Vec<u32> = migrating.others.iter().copied().chain([rank as u32]).collect();
            for &host in &migrating.others {
                write_migrating(exchange.to(host as usize), migrating, &all);
            }
        }
        for message in exchange.swap(&*self.comm) {
            read_migrating(message.reader(), message.rank as u32, rank as u32, &mut here);
        }
        (self.ownership, *bodies, *history) = Ownership::unpack(rank, here);
        self.skin.clear();
    }

    /// Builds the candidates of every subdomain here from the bodies of this process.
    pub(super) fn build_candidates(&mut self, bodies: &Bodies<X>, paths: &SweptPaths<'_, X>) {
        let SweptPaths { model, free, alerts, distances, speeds, span, .. } = *paths;
        let placed = |body: usize| free[body].placed(model, &bodies.states()[body]);
        self.skin.renew(distances, alerts);
        self.subdomains.iter_mut().for_each(|subdomain| subdomain.local.clear_bodies());
        for (i, at) in free.iter().enumerate() {
            let margin = self.skin.margins[i] + speeds.extra(distances, model, &bodies.states()[i], at);
            model.images(&placed(i), margin, span.middle, |image, body| {
                let bounds = body.bounds().inflated(margin);
                // Two-dimensional scenes lie at z = 0, on one side of every cut in z.
                self.decomposition.cuts.touching(&bounds.min.in_space(), &bounds.max.in_space(), |part| {
                    if let Some(slot) = self.decomposition.slot(SubdomainId::new(part)) {
                        self.subdomains[slot.index()].local.add(BodyIndex::new(i), model.cell.as_ref().map(|_| image));
                    }
                });
            });
        }
        self.add_linked_bodies(model, bodies, free);
        let margins = &self.skin.margins;
        let obstacle = |i: BodyIndex| model.is_prescribed(&bodies[i]);
        let states = bodies.states();
        let selects = speeds.selects_pairs();
        let are_apart = |(i, a): (BodyIndex, Image), (j, b): (BodyIndex, Image)| {
            let (i, j) = (i.index(), j.index());
            model.are_apart(&states[i], &states[j]) || (selects && paths.miss((i, a), (j, b)))
        };
        let swept = |(i, image): (BodyIndex, Image), bounds: &Bounds<X>| {
            if selects { paths.swept(i.index(), image, bounds) } else { None }
        };
        let image = |i: BodyIndex, image| match &model.cell {
            Some(cell) => placed(i.index()).moved(cell.shift(image, span.middle)),
            None => placed(i.index()),
        };
        let may_touch_itself = |i: BodyIndex| {
            let state = &states[i.index()];
            !obstacle(i) && model.facing(state).is_some() && !model.are_apart(state, state)
        };
        let pool = &self.buffers.scratch;
        self.subdomains.par_iter_mut().for_each(|subdomain| {
            pool.lend(|scratch| {
                subdomain.local.build_candidates(image, margins, swept, obstacle, are_apart, scratch);
                subdomain.local.add_self_pairs(may_touch_itself);
                subdomain.local.keep_paired(scratch);
            });
        });
    }
}
