//! Sequential deposition: a ball drops onto a pile of balls in a box and rolls to rest.
//!
//! The ball falls straight down to the first contact, rolls over one support along a meridian, over two supports along
//! the circle on which it touches both, and rests on as many supports as there are space dimensions, or on the floor.
//! It has no inertia and does not move the pile (Visscher and Bolsterli, Nature 239, 504, 1972).

use super::arc::{Arc, Sinusoid};
use super::descent::Descent;
use super::walls::BoxSide;
use super::{BallCells, GeneratedBall};
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};

/// The balls at rest so far.
pub(crate) struct Pile<X: Dim> {
    cells: BallCells<X>,
    basin: Bounds<X>,
    largest: f64,
    /// Height of the highest point of any ball, m.
    top: f64,
}

/// A support of a rolling ball.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Support {
    Ball(u32),
    /// A side of the basin; the lower side of the last axis is the floor.
    Side(BoxSide),
}

/// The event that ends a segment of the path.
#[derive(Clone, Copy, Debug)]
enum Event {
    Touches(Support),
    Leaves(Support),
}

/// Maximum number of segments of a path; a drop that takes more is cycling.
const MAX_SEGMENTS: usize = 300;
/// Overlap tolerated as rounding error, relative to the smaller radius.
const OVERLAP: f64 = 5e-10;

impl<X: Dim> Pile<X> {
    const UP: usize = X::D - 1;
    const FLOOR: BoxSide = BoxSide { axis: Self::UP, upper: false };

    /// An empty box for balls of radius at most `largest`. The box has no lid.
    pub(crate) fn new(basin: Bounds<X>, largest: f64) -> Self {
        Self { cells: BallCells::new(largest), basin, largest, top: basin.min[Self::UP] }
    }

    /// Adds a ball at a position returned by [`settle`](Self::settle).
    pub(crate) fn push(&mut self, ball: GeneratedBall<X>) {
        self.top = self.top.max(ball.centre[Self::UP] + ball.radius);
        self.cells.push(ball);
    }

    /// The position of rest of a ball dropped above `start`; `None` if an end of a path segment lies outside
    /// `territory` or rounding errors invalidate the path. The result depends only on balls that the ball can touch
    /// there.
    pub(crate) fn settle(&self, radius: f64, start: X::Vector, territory: &Bounds<X>) -> Option<X::Vector> {
        let mut position = start;
        // High enough that rounding never clips a contact height at the start height: otherwise the height of the pile
        // elsewhere would change the last digits.
        position[Self::UP] = self.top + 2.0 * self.largest;
        let mut touching: Vec<Support> = Vec::with_capacity(8);
        for _ in 0..MAX_SEGMENTS {
            let normals: Vec<X::Vector> = touching.iter().map(|s| self.normal(*s, position)).collect();
            let descent = Descent::<X>::new(&normals);
            if descent.is_at_rest() {
                return self.checked(radius, position);
            }
            let mut carrying: Vec<Support> =
                (0..touching.len()).filter(|&i| descent.is_carried_by(i)).map(|i| touching[i]).collect();
            // Balls first: the arc is centred on one of them.
            carrying.sort_by_key(|s| matches!(s, Support::Side(_)));
            let (event, next, moved) = match carrying.first() {
                Some(Support::Ball(first)) => self.roll(radius, position, *first, &carrying, descent.direction)?,
                _ => self.fall(radius, position),
            };
            position = next;
            if !territory.meets(&Bounds::at(position)) {
                return None;
            }
            match event {
                Event::Leaves(support) => {
                    carrying.retain(|s| *s != support);
                    touching = carrying;
                }
                Event::Touches(support) => {
                    if moved {
                        touching = carrying;
                    } else if touching.contains(&support) || touching.len() > 12 {
                        return None;
                    }
                    touching.push(support);
                }
            }
        }
        None
    }

    /// Moves straight down from `position` to the first ball or the floor.
    fn fall(&self, radius: f64, position: X::Vector) -> (Event, X::Vector, bool) {
        let floor = self.basin.min[Self::UP] + radius;
        let mut best = (Support::Side(Self::FLOOR), floor);
        let mut high = position[Self::UP].min(self.top + radius);
        // Search slab by slab, since the pile is usually hit just below.
        while high > floor {
            let low = high - 2.0 * self.largest;
            let (mut min, mut max) = (position, position);
            (min[Self::UP], max[Self::UP]) = (low, high);
            self.cells.near(&Bounds { min, max }.inflated(radius), |index, ball| {
                let mut arm = position - ball.centre;
                let above = arm[Self::UP];
                arm[Self::UP] = 0.0;
                let reach = radius + ball.radius;
                // A ball just left at its equator must not be hit again.
                let aside = reach * (1.0 - 1e-12);
                if above > 0.0 && arm.norm2() < aside * aside {
                    let height = ball.centre[Self::UP] + (reach * reach - arm.norm2()).sqrt();
                    if height > best.1 {
                        best = (Support::Ball(index), height);
                    }
                }
            });
            // Far from the origin a slab can be thinner than the spacing of floating-point numbers.
            if best.1 >= low || low >= high {
                break;
            }
            high = low;
        }
        let mut next = position;
        // Never upwards: rounding may place an immediate contact slightly above.
        next[Self::UP] = best.1.min(position[Self::UP]);
        (Event::Touches(best.0), next, next != position)
    }

    /// Rolls over ball `first`, and the second support in `carrying` if there is one, to the first event.
    fn roll(
        &self,
        radius: f64,
        position: X::Vector,
        first: u32,
        carrying: &[Support],
        downhill: X::Vector,
    ) -> Option<(Event, X::Vector, bool)> {
        let ball = self.cells.balls()[first as usize];
        let reach = radius + ball.radius;
        let cut = carrying.get(1).map(|second| self.cut(radius, ball, *second));
        let arc = Arc::<X>::new(ball.centre, reach, cut, position, downhill)?;
        let mut best: Option<(f64, Event)> = None;
        let mut offer = |sinusoid: Sinusoid, event: Event| {
            if let Some(t) = sinusoid.first_negative()
                && best.is_none_or(|(earliest, _)| t < earliest)
            {
                best = Some((t, event));
            }
        };
        for (support, sinusoid) in self.multipliers(radius, position, &arc, carrying) {
            offer(sinusoid, Event::Leaves(support));
        }
        for side in BoxSide::all::<X>().filter(|s| !(s.axis == Self::UP && s.upper)) {
            if !carrying.contains(&Support::Side(side)) {
                offer(arc.component(inward::<X>(side), self.level(radius, side)), Event::Touches(Support::Side(side)));
            }
        }
        let mut region = arc.bounds();
        // The ball rolls downhill, and no lower than the lowest ball that carries it.
        region.max[Self::UP] = region.max[Self::UP].min(position[Self::UP]);
        let lowest = carrying.iter().filter_map(|s| match s {
            Support::Ball(index) => Some(self.cells.balls()[*index as usize].centre[Self::UP]),
            Support::Side(_) => None,
        });
        region.min[Self::UP] = region.min[Self::UP].max(lowest.fold(f64::INFINITY, f64::min));
        self.cells.near(&region.inflated(radius), |index, ball| {
            if !carrying.contains(&Support::Ball(index)) {
                offer(arc.squared_distance(ball.centre, radius + ball.radius), Event::Touches(Support::Ball(index)));
            }
        });
        best.map(|(t, event)| (event, if t > 0.0 { arc.at(t) } else { position }, t > 0.0))
    }

    /// The multiplier of each support along the arc, up to positive factors.
    fn multipliers(
        &self,
        radius: f64,
        position: X::Vector,
        arc: &Arc<X>,
        carrying: &[Support],
    ) -> Vec<(Support, Sinusoid)> {
        let vertical = |support: Support| match support {
            Support::Ball(index) => {
                let ball = self.cells.balls()[index as usize];
                let height = arc.component(X::Vector::axis(Self::UP), ball.centre[Self::UP]);
                height.times(1.0 / (radius + ball.radius))
            }
            Support::Side(side) => Sinusoid { a: 0.0, b: 0.0, c: inward::<X>(side)[Self::UP] },
        };
        match carrying {
            [first, second] => {
                // The angle between the two normals is constant along the arc.
                let cosine = self.normal(*first, position).dot(&self.normal(*second, position));
                let (a, b) = (vertical(*first), vertical(*second));
                vec![(*first, a.minus(b.times(cosine))), (*second, b.minus(a.times(cosine)))]
            }
            others => others.iter().map(|s| (*s, vertical(*s))).collect(),
        }
    }

    /// The plane in which the centre of a ball moves that touches both `ball` and `second`: its unit normal and its
    /// distance from the centre of `ball`.
    fn cut(&self, radius: f64, ball: GeneratedBall<X>, second: Support) -> (X::Vector, f64) {
        match second {
            Support::Ball(index) => {
                let other = self.cells.balls()[index as usize];
                let arm = other.centre - ball.centre;
                let (distance, a, b) = (arm.norm(), radius + ball.radius, radius + other.radius);
                (arm * (1.0 / distance), 0.5 * (distance + (a - b) * (a + b) / distance))
            }
            Support::Side(side) => {
                let normal = inward::<X>(side);
                (normal, self.level(radius, side) - normal.dot(&ball.centre))
            }
        }
    }

    /// The unit normal from the support to a ball centred at `position`.
    fn normal(&self, support: Support, position: X::Vector) -> X::Vector {
        match support {
            Support::Ball(index) => {
                let arm = position - self.cells.balls()[index as usize].centre;
                arm * (1.0 / arm.norm())
            }
            Support::Side(side) => inward::<X>(side),
        }
    }

    /// The value of inward . x at the centre of a ball that touches `side`.
    fn level(&self, radius: f64, side: BoxSide) -> f64 {
        if side.upper { radius - self.basin.max[side.axis] } else { self.basin.min[side.axis] + radius }
    }

    /// `position`, if a ball there is within the walls and overlaps no other ball.
    fn checked(&self, radius: f64, position: X::Vector) -> Option<X::Vector> {
        let mut clear = BoxSide::all::<X>()
            .filter(|s| !(s.axis == Self::UP && s.upper))
            .all(|side| inward::<X>(side).dot(&position) - self.level(radius, side) >= -OVERLAP * radius);
        self.cells.near(&Bounds::at(position).inflated(radius), |_, ball| {
            let gap = (position - ball.centre).norm() - radius - ball.radius;
            clear &= gap >= -OVERLAP * radius.min(ball.radius);
        });
        clear.then_some(position)
    }
}

fn inward<X: Dim>(side: BoxSide) -> X::Vector {
    X::Vector::axis(side.axis) * if side.upper { -1.0 } else { 1.0 }
}
