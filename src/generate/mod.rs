//! Generators: each turns a few parameters of a scene into many balls (disks in 2D, spheres in 3D), blocks or
//! obstacles.
//!
//! Every body draws its random numbers from a stream of its own, seeded by the generator's seed and the body's id, so
//! that a body does not depend on the order of the scene or on the process that generates it.

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

/// A disk or sphere: geometry only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneratedBall<X: Dim> {
    /// Centre, m.
    pub centre: X::Vector,
    /// Radius, m.
    pub radius: f64,
}

/// A ball with the id of its future body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbered<X: Dim> {
    /// Global id.
    pub id: u64,
    /// The ball.
    pub ball: GeneratedBall<X>,
}
