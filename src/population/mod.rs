//! Population rules of a run: feeds, sinks, removals and stop conditions.
//!
//! The rules come from the scene and never change; [`PopulationCounters`] record how often they have been applied and
//! are part of every checkpoint. This module does not communicate: callers pass sums and bodies of all processes, so
//! that all processes take the same decisions.

mod feed;
mod free_space;
mod stop;

use crate::body::State;
use crate::contactor::Bounds;
use crate::dim::Dim;

pub use feed::Feed;
pub(crate) use feed::FeedSchedule;
pub use free_space::FreeSpace;
pub use stop::{StopCondition, StopCriterion, StopQuantities};

/// Counters of the population rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PopulationCounters {
    /// Id of the next body to be born; ids are never reused.
    pub next_id: u64,
    /// Number of spheres that cost as much as the free bodies at the start and those that feeds add; it determines the
    /// "auto" number of subdomains.
    pub spheres: u64,
    /// Length of the smallest body at the start or of a feed, m; the length scale of alert distances.
    pub smallest: f64,
    /// Bodies born from each feed.
    pub born: Vec<u64>,
    /// Bodies removed by each sink.
    pub swallowed: Vec<u64>,
    /// Bodies removed because they left the world.
    pub left: u64,
    /// 1 for each removal that has been made, else 0.
    pub removed: Vec<u64>,
    /// Consecutive steps for which each stop condition has held.
    pub held: Vec<u64>,
    /// Coordinate or distance of the bodies of each stop condition at the start, m; zero where it names none.
    pub starts: Vec<f64>,
}

impl PopulationCounters {
    /// Total number of bodies born.
    pub fn births(&self) -> u64 {
        self.born.iter().sum()
    }

    /// Total number of bodies removed.
    pub fn deaths(&self) -> u64 {
        self.left + self.swallowed.iter().chain(&self.removed).sum::<u64>()
    }
}

/// Removal of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Removal {
    /// Id of the body.
    pub body: u64,
    /// Earliest time, s.
    pub after: f64,
    /// Kinetic energy of all bodies below which the body is removed, J; `None` for no such condition.
    pub below: Option<f64>,
}

/// Population rules and their counters.
pub struct Population<X: Dim> {
    /// Sources of bodies.
    pub feeds: Vec<Feed<X>>,
    /// Regions in which bodies are removed.
    pub sinks: Vec<Bounds<X>>,
    /// Removals of single bodies.
    pub removals: Vec<Removal>,
    /// Conditions that end the run.
    pub stops: Vec<StopCondition>,
    /// True if bodies that leave the world are removed.
    pub removes_outside: bool,
    /// Counters of these rules.
    pub counters: PopulationCounters,
}

impl<X: Dim> Default for Population<X> {
    fn default() -> Self {
        Self {
            feeds: Vec::new(),
            sinks: Vec::new(),
            removals: Vec::new(),
            stops: Vec::new(),
            removes_outside: false,
            counters: PopulationCounters::default(),
        }
    }
}

impl<X: Dim> Population<X> {
    /// The bodies that feeds add, as the number of spheres that cost as much; without those of feeds that never end,
    /// and zero where sinks remove bodies.
    pub fn spheres_of_feeds(&self) -> u64 {
        let all = self.feeds.iter().filter_map(Feed::spheres).filter(|_| self.sinks.is_empty());
        all.fold(0, u64::saturating_add)
    }

    /// Continues from these counters; rules added since then start now.
    pub fn restore(&mut self, counters: PopulationCounters) {
        let known = counters.starts.len();
        let now = std::mem::replace(&mut self.counters, counters).starts;
        self.counters.starts.extend(now.into_iter().skip(known));
        self.fit();
    }

    /// Resizes the counters to the number of rules.
    pub(crate) fn fit(&mut self) {
        let Self { feeds, sinks, removals, stops, counters, .. } = self;
        counters.born.resize(feeds.len(), 0);
        counters.swallowed.resize(sinks.len(), 0);
        counters.removed.resize(removals.len(), 0);
        counters.held.resize(stops.len(), 0);
        counters.starts.resize(stops.len(), 0.0);
    }

    /// The first feed whose bodies move by more than `limit` radii in a step of length `h`, and by how many.
    pub(crate) fn fast_feed(&self, h: f64, limit: f64) -> Option<(usize, f64)> {
        let travels = self.feeds.iter().map(|feed| h * feed.speed() / feed.smallest());
        travels.enumerate().find(|(_, travel)| *travel > limit)
    }

    /// Length of the smallest body that a feed can produce, m.
    pub fn smallest(&self) -> f64 {
        self.feeds.iter().map(Feed::smallest).fold(f64::INFINITY, f64::min)
    }

    /// Radius of the largest body that a feed can produce, m.
    pub fn largest(&self) -> f64 {
        self.feeds.iter().map(Feed::largest).fold(0.0, f64::max)
    }

    /// True if bodies can be removed at `time`.
    pub fn can_remove(&self, time: f64) -> bool {
        !self.sinks.is_empty() || self.removes_outside || self.removals_due(time).next().is_some()
    }

    /// Pending removals whose earliest time has passed; their energy condition is not checked.
    pub fn removals_due(&self, time: f64) -> impl Iterator<Item = (usize, &Removal)> {
        let pending = self.removals.iter().enumerate().filter(|(k, _)| self.counters.removed[*k] == 0);
        pending.filter(move |(_, removal)| removal.after <= time)
    }

    /// Reason why a body is removed at `time`, given the kinetic energy of all bodies, as a code for
    /// [`count`](Self::count); `None` if it stays. `is_outside` says whether it has left the world.
    pub fn removal_reason(
        &self,
        state: &State<X>,
        is_obstacle: bool,
        is_outside: bool,
        time: f64,
        energy: f64,
    ) -> Option<u32> {
        let is_in = |sink: &Bounds<X>| sink.meets(&Bounds::at(state.position));
        let (sinks, first) = (&self.sinks, self.sinks.len() + 1);
        let mut due = self.removals_due(time).filter(|(_, removal)| removal.below.is_none_or(|below| energy < below));
        let removal = due.find(|(_, removal)| removal.body == state.id.0).map(|(k, _)| first + k);
        let swallowed = || sinks.iter().position(is_in).filter(|_| !is_obstacle);
        let left = || (self.removes_outside && is_outside && !is_obstacle).then_some(sinks.len());
        removal.or_else(swallowed).or_else(left).map(|reason| reason as u32)
    }

    /// Counts the removal of a body for this reason.
    pub fn count(&mut self, reason: u32) {
        let (reason, sinks) = (reason as usize, self.sinks.len());
        let counters = &mut self.counters;
        match reason.checked_sub(sinks) {
            None => counters.swallowed[reason] += 1,
            Some(0) => counters.left += 1,
            Some(removal) => counters.removed[removal - 1] = 1,
        }
    }

    /// Bodies due by `time` that have not found free space yet.
    pub fn waiting(&self, time: f64) -> u64 {
        let due = self.feeds.iter().zip(&self.counters.born);
        due.map(|(feed, born)| feed.due(time).saturating_sub(*born)).sum()
    }

    /// Spawns bodies in the free space at `time`, before step `step`; they have no key along the curve yet. A feed
    /// whose next body finds no free space waits.
    pub fn spawn(&mut self, time: f64, step: u64, space: &mut FreeSpace<'_, X>) -> Vec<State<X>> {
        let counters = &mut self.counters;
        let mut all = Vec::new();
        for (feed, born) in self.feeds.iter().zip(&mut counters.born) {
            while *born < feed.due(time) {
                let Some(state) = feed.place(*born, counters.next_id, step, space) else { break };
                space.add(&state);
                all.push(state);
                *born += 1;
                counters.next_id += 1;
            }
        }
        all
    }
}
