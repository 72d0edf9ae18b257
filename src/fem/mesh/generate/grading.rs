//! The size of elements as a function of position: the target size, less near short edges and where the user asks for
//! less.

use crate::dim::{Dim, Vector};

/// Growth of the size with the distance from a place where it is small.
pub(super) const GROWTH: f64 = 0.5;

/// Sizes of elements in space.
#[derive(Clone, Debug)]
pub(super) struct Grading<X: Dim> {
    /// Size far from all places below.
    largest: f64,
    /// Places with their sizes, which are less than the largest.
    fine: Vec<(X::Vector, f64)>,
    growth: f64,
}

impl<X: Dim> Grading<X> {
    pub(super) fn new(largest: f64, places: impl IntoIterator<Item = (X::Vector, f64)>, growth: f64) -> Self {
        Self { largest, fine: places.into_iter().filter(|&(_, size)| size < largest).collect(), growth }
    }

    pub(super) fn largest(&self) -> f64 {
        self.largest
    }

    /// The size at a point.
    pub(super) fn at(&self, point: X::Vector) -> f64 {
        let sizes = self.fine.iter().map(|&(place, size)| size + self.growth * (point - place).norm());
        sizes.fold(self.largest, f64::min)
    }

    /// Parameters between 0 and 1 at which a curve of this length is divided; both ends are left out.
    pub(super) fn divide(&self, length: f64, on_curve: impl Fn(f64) -> X::Vector) -> Vec<f64> {
        // Positions after whole numbers of elements, each step with the size in its middle.
        let mut marks = vec![0.0];
        let mut at = 0.0;
        while at < length {
            let first = self.at(on_curve(at / length));
            at += self.at(on_curve(((at + 0.5 * first) / length).min(1.0)));
            marks.push(at);
        }
        let last = marks.len() - 1;
        let share = (length - marks[last - 1]) / (marks[last] - marks[last - 1]);
        let steps = last as f64 - 1.0 + share;
        // A length that is a multiple of the size up to rounding gets no additional element.
        let count = (steps - 0.1).ceil().max(1.0);
        let mark = |k: f64| {
            let place = (k * steps / count).min(last as f64);
            let whole = (place.floor() as usize).min(last - 1);
            (marks[whole] + (place - whole as f64) * (marks[whole + 1] - marks[whole])) / length
        };
        (1..count as usize).map(|k| mark(k as f64)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Plane;
    use nalgebra::Vector2;

    #[test]
    fn a_line_is_divided_evenly_or_finer_towards_a_place() {
        let line = |t: f64| Vector2::new(t, 0.0);
        let even = Grading::<Plane>::new(0.25, [], GROWTH);
        assert_eq!(even.divide(1.0, line), [0.25, 0.5, 0.75]);
        assert!(Grading::<Plane>::new(2.0, [], GROWTH).divide(1.0, line).is_empty());
        let graded = Grading::<Plane>::new(0.25, [(Vector2::zeros(), 0.01), (Vector2::zeros(), 0.3)], GROWTH);
        let mut marks = graded.divide(1.0, line);
        marks.insert(0, 0.0);
        marks.push(1.0);
        let steps: Vec<f64> = marks.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps[0] < 0.02 && steps.windows(2).all(|pair| pair[1] > 0.99 * pair[0]), "{steps:?}");
    }
}
