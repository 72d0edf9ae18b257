//! Services for all other modules: errors, index types, scratch memory, memory of the machine, huge pages, prefetch,
//! exact sums, random numbers.

pub mod error;
pub(crate) mod exact;
pub mod huge_pages;
pub mod index;
pub mod memory;
pub(crate) mod prefetch;
pub mod random;
pub mod scratch;
pub(crate) mod trim;

pub use exact::ExactSum;
pub use prefetch::fetch;
pub use random::Random;
pub(crate) use trim::{make_room, trim};
