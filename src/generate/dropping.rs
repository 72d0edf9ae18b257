//! Parallel deposition: balls are dropped above the tiles of the floor, with the same result on any number of
//! processes.
//!
//! Every process owns a contiguous range of tiles and stores all balls that its own drops can touch. In each round
//! every open tile receives about a quarter of a layer, so that the pile grows evenly. Tiles are processed colour by
//! colour, since drops above tiles of one colour are independent; after each colour, processes send new balls to the
//! neighbours that need them. The order of balls, and hence of ids, is by round, colour and tile, regardless of the
//! process. A tile in which a ball does not fit is full and receives no more.

use std::ops::Range;

use super::deposit::{Deposit, DepositPart, DepositTarget, Full};
use super::pile::Pile;
use super::tiles::Tiles;
use super::{GeneratedBall, Numbered, Numbering};
use crate::base::Random;
use crate::comm::{Comm, Exchange, MessageItem, Reader, SerialComm, Writer};
use crate::dim::{Dim, Vector};
use crate::generate::share::Share;

/// Number of failed drops of one ball after which its tile is full.
const TRIES: usize = 40;
/// Number of layers a tile receives in a round.
const LAYERS: f64 = 0.25;

/// State of a deposit under construction.
pub(crate) struct Dropping<'a, X: Dim> {
    deposit: &'a Deposit<X>,
    comm: &'a dyn Comm,
    share: Share,
    tiles: Tiles<X>,
    /// The tiles this process owns.
    own: Range<u64>,
    /// Balls in and around the own tiles.
    pile: Pile<X>,
    /// No ball extends above this height, m.
    ceiling: f64,
    /// Number of balls a tile receives in a round.
    quota: u64,
    /// Whether each tile still receives balls.
    is_open: Vec<bool>,
    /// The ids the balls would have if every ball fitted. They seed the random numbers.
    seeds: Numbering,
    dropped: DroppedBalls<X>,
}

/// The balls dropped so far.
struct DroppedBalls<X: Dim> {
    /// Those of this process, in order.
    own: Vec<Numbered<X>>,
    /// Their numbers within the deposit.
    numbers: Vec<Range<u64>>,
    /// Number of balls of all processes.
    total: u64,
}

/// A tile and the balls it receives in a round.
struct TileTask {
    tile: u64,
    colour: usize,
    wanted: u64,
    placed: u64,
}

impl<X: Dim> Deposit<X> {
    /// All balls, in the order of their numbers.
    pub fn balls(&self, numbering: &mut Numbering) -> Result<Vec<Numbered<X>>, Full> {
        self.part(numbering, &SerialComm).map(|part| part.balls)
    }

    /// Collective. Generates the balls in parallel. Every process receives an even share of them and advances
    /// `numbering` past the ids of all. The result does not depend on the number of processes.
    pub fn part(&self, numbering: &mut Numbering, comm: &dyn Comm) -> Result<DepositPart<X>, Full> {
        let up = X::D - 1;
        let (count, ceiling) = match self.target {
            DepositTarget::Count(count) => (count, self.basin.max[up]),
            DepositTarget::Height(height) => (u64::MAX, self.basin.min[up] + height),
        };
        let part = Dropping::new(self, ceiling, numbering, comm).fill(count, numbering);
        match self.target {
            DepositTarget::Count(count) if part.total < count => Err(Full { placed: part.total }),
            _ => Ok(part),
        }
    }
}

impl<'a, X: Dim> Dropping<'a, X> {
    /// An empty box to be filled up to `ceiling`.
    pub(crate) fn new(deposit: &'a Deposit<X>, ceiling: f64, numbering: &Numbering, comm: &'a dyn Comm) -> Self {
        let share = Share::on(comm);
        let largest = deposit.radii.largest();
        let tiles = Tiles::new(deposit.basin, largest, deposit.at_most());
        let layer = tiles.area() / (2.0 * deposit.radii.mean()).powi(X::D as i32 - 1);
        Self {
            deposit,
            comm,
            share,
            own: share.of(tiles.len()),
            pile: Pile::new(deposit.basin, largest),
            ceiling,
            // A single tile needs no rounds.
            quota: if tiles.len() == 1 { u64::MAX } else { (LAYERS * layer).ceil() as u64 },
            is_open: vec![true; tiles.len() as usize],
            tiles,
            seeds: numbering.clone(),
            dropped: DroppedBalls { own: Vec::new(), numbers: Vec::new(), total: 0 },
        }
    }

    /// Collective. Drops `count` balls, or as many as fit.
    pub(crate) fn fill(mut self, count: u64, numbering: &mut Numbering) -> DepositPart<X> {
        while self.dropped.total < count {
            let mut tasks = self.tasks(count - self.dropped.total);
            if tasks.is_empty() {
                break;
            }
            let mut fresh = Vec::new();
            for colour in tasks.chunk_by_mut(|a, b| a.colour == b.colour) {
                let before = fresh.len();
                colour.iter_mut().for_each(|task| self.drop_above(task, &mut fresh));
                self.exchange_new(&fresh[before..]);
            }
            self.sum_placed(&mut tasks);
            self.number(&tasks, fresh, numbering);
        }
        self.redistribute()
    }

    /// The tiles that receive balls in this round, in order. `wanted` is the number of balls still to be placed; in the
    /// last round they are spread evenly over the tiles.
    fn tasks(&self, wanted: u64) -> Vec<TileTask> {
        let open = || (0..self.tiles.len()).filter(|&tile| self.is_open[tile as usize]);
        let count = open().count() as u64;
        let each = self.quota.min(wanted.checked_div(count).unwrap_or(0));
        let more = if each < self.quota { wanted.checked_rem(count).unwrap_or(0) } else { 0 };
        let mut tasks: Vec<TileTask> =
            open().map(|tile| TileTask { tile, colour: self.tiles.colour(tile), wanted: each, placed: 0 }).collect();
        tasks.sort_by_key(|task| task.colour);
        tasks.iter_mut().take(more as usize).for_each(|task| task.wanted += 1);
        tasks.retain(|task| task.wanted > 0);
        tasks
    }

    /// Drops the balls of a tile if this process owns it.
    fn drop_above(&mut self, task: &mut TileTask, fresh: &mut Vec<GeneratedBall<X>>) {
        if self.own.contains(&task.tile) {
            let (floor, territory) = (self.tiles.floor(task.tile), self.tiles.territory(task.tile));
            let (basin, up) = (self.deposit.basin, X::D - 1);
            while task.placed < task.wanted {
                let mut random = Random::new(self.deposit.seed, self.seeds.peek());
                let radius = self.deposit.radii.draw(&mut random);
                let mut attempts = (0..TRIES).filter_map(|_| {
                    let start = X::Vector::from_fn(|i| {
                        let low = floor.min[i].max(basin.min[i] + radius);
                        let high = floor.max[i].min(basin.max[i] - radius);
                        if i == up { 0.0 } else { random.between(low, high) }
                    });
                    let position = self.pile.settle(radius, start, &territory)?;
                    (position[up] + radius <= self.ceiling).then_some(position)
                });
                let Some(centre) = attempts.next() else { break };
                let ball = GeneratedBall { centre, radius };
                self.pile.push(ball);
                fresh.push(ball);
                self.seeds.take();
                task.placed += 1;
            }
        }
        self.seeds.skip(task.wanted - task.placed);
    }

    /// Collective. Sends new balls to the processes whose drops may touch them and receives theirs. Balls of different
    /// processes come from tiles of one colour, so no ball can touch two of them and their relative order does not
    /// matter.
    fn exchange_new(&mut self, fresh: &[GeneratedBall<X>]) {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        if size == 1 {
            return;
        }
        let mut out = Exchange::default();
        for ball in fresh {
            let owners = self.tiles.near(ball.centre).map(|tile| self.share.owner(self.tiles.len(), tile));
            let mut owners: Vec<usize> = owners.filter(|&owner| owner != rank).collect();
            owners.sort_unstable();
            owners.dedup();
            owners.into_iter().for_each(|owner| out.to(owner).write(ball));
        }
        out.swap_items(self.comm).into_iter().for_each(|ball| self.pile.push(ball));
    }

    /// Collective. Determines how many balls each tile received. Nearly always every tile received all; then a single
    /// sum suffices.
    fn sum_placed(&self, tasks: &mut [TileTask]) {
        let own = tasks.iter().filter(|task| self.own.contains(&task.tile));
        let mut missing = [own.map(|task| task.wanted - task.placed).sum()];
        self.comm.sum(&mut missing);
        let mut placed: Vec<u64> = tasks.iter().map(|task| task.placed).collect();
        if missing == [0] {
            placed = tasks.iter().map(|task| task.wanted).collect();
        } else {
            self.comm.sum(&mut placed);
        }
        tasks.iter_mut().zip(placed).for_each(|(task, placed)| task.placed = placed);
    }

    /// Numbers the balls of a round, of which `fresh` are this process's, and closes the tiles that are full.
    fn number(&mut self, tasks: &[TileTask], fresh: Vec<GeneratedBall<X>>, numbering: &mut Numbering) {
        let mut fresh = fresh.into_iter();
        let DroppedBalls { own, numbers, total } = &mut self.dropped;
        for task in tasks {
            if self.own.contains(&task.tile) {
                let balls = fresh.by_ref().take(task.placed as usize);
                own.extend(balls.map(|ball| Numbered { id: numbering.take(), ball }));
                numbers.push(*total..*total + task.placed);
            } else {
                numbering.skip(task.placed);
            }
            *total += task.placed;
            self.is_open[task.tile as usize] = task.placed == task.wanted;
        }
    }

    /// Collective. Redistributes the balls evenly by number, however many each process has dropped.
    fn redistribute(self) -> DepositPart<X> {
        let Self { comm, share, pile, dropped, .. } = self;
        let DroppedBalls { own, numbers, total } = dropped;
        let first = share.of(total).start;
        if comm.size() == 1 {
            return DepositPart { balls: own, first, total };
        }
        drop(pile);
        let mut out = Exchange::default();
        for (number, numbered) in numbers.into_iter().flatten().zip(own) {
            out.to(share.owner(total, number)).write(&numbered);
        }
        let mut balls: Vec<Numbered<X>> = out.swap_items(comm);
        balls.sort_unstable_by_key(|numbered| numbered.id);
        DepositPart { balls, first, total }
    }
}

impl<X: Dim> MessageItem for GeneratedBall<X> {
    fn write_to(&self, message: &mut Writer) {
        message.write(&self.centre);
        message.write(&self.radius);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        Self { centre: message.read(), radius: message.read() }
    }
}

impl<X: Dim> MessageItem for Numbered<X> {
    fn write_to(&self, message: &mut Writer) {
        message.write(&self.id);
        message.write(&self.ball);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        Self { id: message.read(), ball: message.read() }
    }
}
