//! Many bodies from few lines of a scene: each generator turns numbers into balls, blocks or obstacles.
//!
//! Every random number comes from a stream of its own for each body, seeded by the generator's seed and the
//! body's id, so a body is the same however the scene is ordered and whoever makes it.

pub mod share;

mod arc;
mod arch;
mod cells;
mod column;
mod deposit;
mod descent;
mod dropping;
mod lattice;
mod masonry;
mod numbering;
mod pile;
mod stone;
mod tiles;
mod walls;

use crate::dim::Dim;

pub use arch::Arch;
pub use cells::BallCells;
pub use column::DrumColumn;
pub use deposit::{Deposit, DepositPart, DepositTarget, Full};
pub use lattice::Lattice;
pub use masonry::{Masonry, Rectangle};
pub use numbering::{Claimed, Numbering};
pub use stone::Stone;
pub use walls::{BoxSide, BoxWall, walls};

/// A disk or sphere without anything else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneratedBall<X: Dim> {
    /// Its centre, m.
    pub centre: X::Vector,
    /// Its radius, m.
    pub radius: f64,
}

/// A ball with the id of the body it will be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbered<X: Dim> {
    /// Global id.
    pub id: u64,
    /// The ball.
    pub ball: GeneratedBall<X>,
}
