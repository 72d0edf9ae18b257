//! Where a run meets the outside: bodies that come, bodies that go, and what ends it all.
//!
//! The rules come from the scene and never change; [`PopulationCounters`] are what the run has made of them so far, and part of
//! every checkpoint. Nothing here knows processes: whoever asks brings sums and bodies of all of them, so every process
//! decides alike.

mod feed;
mod free_space;
mod stop;

use crate::body::State;
use crate::contactor::Bounds;
use crate::dim::Dim;

pub use feed::Feed;
pub use free_space::FreeSpace;
pub use stop::{StopCondition, StopCriterion, StopQuantities};

/// What a run has made of its rules so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PopulationCounters {
    /// Id of the next body to be born; ids are never used twice.
    pub next_id: u64,
    /// Free bodies at the start: what "auto" subdomains go by.
    pub free_at_start: u64,
    /// Length of the smallest body at the start or of a feed, m: the yardstick of alert distances.
    pub smallest: f64,
    /// Bodies born of each feed.
    pub born: Vec<u64>,
    /// Bodies gone into each sink.
    pub swallowed: Vec<u64>,
    /// Bodies gone because they left the world.
    pub left: u64,
    /// Has each removal been made? 1 if so.
    pub removed: Vec<u64>,
    /// For how many steps on end each stop condition has held.
    pub held: Vec<u64>,
    /// Where the body of each stop condition was at the start, m; zero where it names none.
    pub starts: Vec<f64>,
}

impl PopulationCounters {
    /// Bodies born in all.
    pub fn births(&self) -> u64 {
        self.born.iter().sum()
    }

    /// Bodies gone in all.
    pub fn deaths(&self) -> u64 {
        self.left + self.swallowed.iter().chain(&self.removed).sum::<u64>()
    }
}

/// When a body is taken away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Removal {
    /// Whose it is.
    pub body: u64,
    /// Not before this time, s.
    pub after: f64,
    /// Nor before the kinetic energy is below this, J, if that matters.
    pub below: Option<f64>,
}

/// The rules, and how often they have been followed.
pub struct Population<X: Dim> {
    /// Where bodies appear.
    pub feeds: Vec<Feed<X>>,
    /// Where they disappear.
    pub sinks: Vec<Bounds<X>>,
    /// Those that are taken away.
    pub removals: Vec<Removal>,
    /// What ends the run.
    pub stops: Vec<StopCondition>,
    /// Bodies that leave the world are removed.
    pub removes_outside: bool,
    /// So far.
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
    /// Go on from these counters; rules that are new since then begin now.
    pub fn restore(&mut self, counters: PopulationCounters) {
        let known = counters.starts.len();
        let now = std::mem::replace(&mut self.counters, counters).starts;
        self.counters.starts.extend(now.into_iter().skip(known));
        self.fit();
    }

    /// A counter for every rule.
    pub(crate) fn fit(&mut self) {
        let Self { feeds, sinks, removals, stops, counters, .. } = self;
        counters.born.resize(feeds.len(), 0);
        counters.swallowed.resize(sinks.len(), 0);
        counters.removed.resize(removals.len(), 0);
        counters.held.resize(stops.len(), 0);
        counters.starts.resize(stops.len(), 0.0);
    }

    /// The first feed whose bodies move by more than `limit` of their radii in a step of length `h`, and by how many.
    pub(crate) fn fast_feed(&self, h: f64, limit: f64) -> Option<(usize, f64)> {
        let travels = self.feeds.iter().map(|feed| h * feed.speed() / feed.smallest());
        travels.enumerate().find(|(_, travel)| *travel > limit)
    }

    /// Length of the smallest body that a feed can make, m.
    pub fn smallest(&self) -> f64 {
        self.feeds.iter().map(Feed::smallest).fold(f64::INFINITY, f64::min)
    }

    /// Radius of the largest body that a feed can make, m.
    pub fn largest(&self) -> f64 {
        self.feeds.iter().map(Feed::largest).fold(0.0, f64::max)
    }

    /// Can any body go, at `time`?
    pub fn can_remove(&self, time: f64) -> bool {
        !self.sinks.is_empty() || self.removes_outside || self.removals_due(time).next().is_some()
    }

    /// Removals whose time has come, and what they wait for besides.
    pub fn removals_due(&self, time: f64) -> impl Iterator<Item = (usize, &Removal)> {
        let undone = self.removals.iter().enumerate().filter(|(k, _)| self.counters.removed[*k] == 0);
        undone.filter(move |(_, removal)| removal.after <= time)
    }

    /// Why a body goes at `time`, when all together have this kinetic energy; as a number that [`count`](Self::count)
    /// understands. `is_outside` says whether it has left the world.
    pub fn removal_reason(
        &self,
        state: &State<X>,
        is_obstacle: bool,
        is_outside: bool,
        time: f64,
        energy: f64,
    ) -> Option<u32> {
        let is_in = |sink: &Bounds<X>| sink.meets(&Bounds { min: state.position, max: state.position });
        let (sinks, first) = (&self.sinks, self.sinks.len() + 1);
        let mut due = self.removals_due(time).filter(|(_, removal)| removal.below.is_none_or(|below| energy < below));
        let removal = due.find(|(_, removal)| removal.body == state.id.0).map(|(k, _)| first + k);
        let swallowed = || sinks.iter().position(is_in).filter(|_| !is_obstacle);
        let left = || (self.removes_outside && is_outside && !is_obstacle).then_some(sinks.len());
        removal.or_else(swallowed).or_else(left).map(|word| word as u32)
    }

    /// A body has gone for this reason.
    pub fn count(&mut self, word: u32) {
        let (word, sinks) = (word as usize, self.sinks.len());
        let counters = &mut self.counters;
        match word.checked_sub(sinks) {
            None => counters.swallowed[word] += 1,
            Some(0) => counters.left += 1,
            Some(removal) => counters.removed[removal - 1] = 1,
        }
    }

    /// Bodies that should have been born by `time` and have found no room yet.
    pub fn waiting(&self, time: f64) -> u64 {
        let due = self.feeds.iter().zip(&self.counters.born);
        due.map(|(feed, born)| feed.due(time).saturating_sub(*born)).sum()
    }

    /// The bodies born at `time`, before step `step`, in `room`; they have no place along the curve yet. A feed whose next
    /// body finds no room waits.
    pub fn spawn(&mut self, time: f64, step: u64, room: &mut FreeSpace<'_, X>) -> Vec<State<X>> {
        let counters = &mut self.counters;
        let mut all = Vec::new();
        for (feed, born) in self.feeds.iter().zip(&mut counters.born) {
            while *born < feed.due(time) {
                let Some(state) = feed.place(*born, counters.next_id, step, room) else { break };
                room.take(&state);
                all.push(state);
                *born += 1;
                counters.next_id += 1;
            }
        }
        all
    }
}
