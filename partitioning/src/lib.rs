//! Weighted geometric partitioning: points and integer weights in, cuts of space or part numbers
//! out.
//!
//! Results depend on the *set* of weighted points only, never on their order nor on how they are
//! spread over processes: every decision comes from integer histograms, minima and maxima,
//! combined through [`Reduce`]. No process ever gathers the points of the others.
//!
//! Two kinds of answers, two traits: a [`Cutter`] cuts all of space into boxes ([`Cuts`]), so
//! that points unknown at the time of cutting have a part too; an [`Assign`] only numbers the
//! points it is given. Every cutter assigns; [`HilbertCurve`] assigns without cutting.
//!
//! ```
//! use partitioning::{Cutter, Local, MultiJagged};
//!
//! let points: Vec<[f64; 2]> = (0..100).map(|i| [(i % 10) as f64, (i / 10) as f64]).collect();
//! let cuts = MultiJagged.cut(&points, &[1; 100], 4, &Local);
//! assert_eq!(cuts.parts(), 4);
//! assert_ne!(cuts.locate(&[0.0, 0.0]), cuts.locate(&[9.0, 9.0]));
//! ```

mod bisect;
mod colour;
mod cuts;
mod faces;
mod frame;
pub mod hilbert;
mod hilbert_curve;
mod layout;
mod multi_jagged;
pub mod quality;
mod recursive_bisection;
mod reduce;
mod regular_grid;

pub use cuts::{Cuts, Region};
pub use faces::{Face, faces};
pub use hilbert_curve::HilbertCurve;
pub use multi_jagged::MultiJagged;
pub use recursive_bisection::RecursiveBisection;
pub use reduce::{Local, Reduce};
pub use regular_grid::RegularGrid;

/// A method that cuts all of space into boxes.
///
/// Where no two points share a coordinate, the parts of the weighted methods exceed the mean by
/// at most 1/256 of it and twice the heaviest point.
pub trait Cutter<const D: usize> {
    /// Collective. Cuts space into `parts` boxes; every process gives its own points and all get
    /// the same cuts.
    ///
    /// Any input works: no points, equal points, fewer points than parts (some parts are empty
    /// then), non-finite coordinates (they count at one end of the box of the others). If all
    /// weights are zero every point counts one.
    ///
    /// # Panics
    /// If `parts` is 0 or above `i32::MAX`, or the numbers of points and weights differ.
    fn cut(&self, points: &[[f64; D]], weights: &[u32], parts: usize, reduce: &dyn Reduce) -> Cuts<D>;
}

/// A method that gives every point the number of its part.
pub trait Assign<const D: usize> {
    /// Collective. Writes the part of each point to `out`; every process gives its own points.
    ///
    /// # Panics
    /// As [`Cutter::cut`], and if `out` has another length than `points`.
    fn assign(&self, points: &[[f64; D]], weights: &[u32], parts: usize, reduce: &dyn Reduce, out: &mut [u32]);
}

impl<const D: usize, C: Cutter<D> + ?Sized> Assign<D> for C {
    fn assign(&self, points: &[[f64; D]], weights: &[u32], parts: usize, reduce: &dyn Reduce, out: &mut [u32]) {
        assert_eq!(points.len(), out.len(), "every point needs one place in the output");
        let cuts = self.cut(points, weights, parts, reduce);
        for (part, point) in out.iter_mut().zip(points) {
            *part = cuts.locate(point) as u32;
        }
    }
}
