//! Slabs, then columns, then boxes: how many of each, and which part is which.
//!
//! The shape is fixed before any point is looked at; only the places of the cuts follow the
//! weights.

use crate::bisect::Group;

/// A grid of boxes whose rows may hold different numbers of boxes.
pub(crate) struct Layout<const D: usize> {
    /// The axis of slabs, of columns, of boxes.
    axes: [usize; D],
    /// The first part of each slab, of each column, of each box; ascending.
    starts: [Vec<usize>; D],
}

impl<const D: usize> Layout<D> {
    /// The layout in which `count(level, parts)` tells how many rows `parts` parts make.
    pub(crate) fn new(axes: [usize; D], parts: usize, count: impl Fn(usize, usize) -> usize) -> Self {
        let mut starts = std::array::from_fn(|_| Vec::new());
        let mut rows = vec![(0, parts)];
        for (level, starts) in starts.iter_mut().enumerate() {
            let mut finer = Vec::new();
            for (first, parts) in rows {
                // The last level must end at single parts.
                let rows = if level + 1 == D { parts } else { count(level, parts).min(parts).max(1) };
                for row in 0..rows {
                    let (start, end) = (parts * row / rows, parts * (row + 1) / rows);
                    starts.push(first + start);
                    finer.push((first + start, end - start));
                }
            }
            rows = finer;
        }
        Self { axes, starts }
    }

    /// The rule for [`bisect`](crate::bisect::bisect): the middle one of the coarsest cuts within
    /// the group.
    pub(crate) fn choose(&self, group: &Group<D>) -> (usize, usize) {
        let end = group.first + group.parts;
        for (axis, starts) in self.axes.iter().zip(&self.starts) {
            let above = starts.partition_point(|&start| start <= group.first);
            let below = starts.partition_point(|&start| start < end);
            if above < below {
                return (*axis, starts[above.midpoint(below)] - group.first);
            }
        }
        unreachable!("a group of {} parts has a cut within", group.parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(first: usize, parts: usize) -> Group<2> {
        Group { first, parts, low: [0; 2], high: [1; 2] }
    }

    #[test]
    fn slabs_are_cut_before_columns() {
        let layout = Layout::new([1, 0], 12, |_, _| 4);
        assert_eq!(layout.choose(&group(0, 12)), (1, 6));
        assert_eq!(layout.choose(&group(6, 6)), (1, 3));
        assert_eq!(layout.choose(&group(3, 3)), (0, 2));
        assert_eq!(layout.choose(&group(4, 2)), (0, 1));
    }

    #[test]
    fn rows_share_parts_as_evenly_as_whole_numbers_can() {
        let layout = Layout::<2>::new([0, 1], 11, |_, _| 3);
        assert_eq!(layout.starts[0], [0, 3, 7]);
        assert_eq!(layout.starts[1], (0..11).collect::<Vec<_>>());
    }

    #[test]
    fn a_layout_cannot_have_more_rows_than_parts() {
        let layout = Layout::<3>::new([0, 1, 2], 5, |_, _| 100);
        assert!(layout.starts.iter().all(|starts| *starts == [0, 1, 2, 3, 4]));
    }
}
