//! Services for all other modules: errors, scratch memory, huge pages, prefetch, exact sums, random
//! numbers, index types.

pub mod random;

pub use random::Random;
pub mod error;
pub(crate) mod exact;
pub mod huge_pages;
pub mod index;
pub(crate) mod prefetch;
pub mod scratch;
pub(crate) mod trim;

pub use exact::ExactSum;
pub use prefetch::fetch;
pub(crate) use trim::{make_room, trim};
