//! A partition of all of space into axis-aligned boxes, kept as a binary tree of planes.
//!
//! Slabs, columns and boxes of a jagged grid are such a tree as well as the boxes of recursive
//! bisection, so there is one kind of partition and one search. Parts are numbered by the leaves
//! from left to right: whatever walks the left side first meets parts in ascending order.

/// An axis-aligned box: all x with `min <= x < max` along every axis. Outer boxes of a partition
/// have infinite sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region<const D: usize> {
    /// The lower corner, part of the box.
    pub min: [f64; D],
    /// The upper corner, not part of the box.
    pub max: [f64; D],
}

impl<const D: usize> Region<D> {
    /// All of space.
    pub const EVERYWHERE: Self = Self { min: [f64::NEG_INFINITY; D], max: [f64::INFINITY; D] };

    /// Whether the point lies in the half-open box.
    #[must_use]
    pub fn contains(&self, point: &[f64; D]) -> bool {
        (0..D).all(|axis| self.min[axis] <= point[axis] && point[axis] < self.max[axis])
    }
}

/// A partition of all of space into boxes, each with one of two colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Cuts<const D: usize> {
    nodes: Vec<Node>,
    regions: Vec<Region<D>>,
    colours: Vec<u8>,
}

/// A plane, the number of parts on its left, and its two sides: another node, or a part marked
/// by [`LEAF`].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Node {
    at: f64,
    axis: u32,
    left: u32,
    children: [u32; 2],
}

/// Marks a child that is a part.
const LEAF: u32 = 1 << 31;

/// Trees from files may not be deeper than this, so that walks need no memory of their own.
/// Trees of this crate are balanced: their depth is the logarithm of the parts and a few more.
const DEEPEST: usize = 64;

/// One plane of the tree: x < `at` holds the first `left` parts of what it divides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Split {
    pub(crate) axis: usize,
    pub(crate) at: f64,
    pub(crate) left: usize,
}

impl<const D: usize> Cuts<D> {
    /// A single part, all of space.
    #[must_use]
    pub fn one() -> Self {
        Self { nodes: Vec::new(), regions: vec![Region::EVERYWHERE], colours: vec![0] }
    }

    /// The number of parts, at least 1.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.regions.len()
    }

    /// The part that holds the point: exactly one for every point of space.
    ///
    /// A NaN lies below every plane.
    #[inline]
    #[must_use]
    pub fn locate(&self, point: &[f64; D]) -> usize {
        let mut child = self.root();
        while child & LEAF == 0 {
            let node = &self.nodes[child as usize];
            child = node.children[usize::from(point[node.axis as usize] >= node.at)];
        }
        (child & !LEAF) as usize
    }

    /// Whether the part holds the point, as [`locate`](Self::locate) has it; quicker where it is
    /// likely. A part that there is not holds nothing.
    #[inline]
    #[must_use]
    pub fn holds(&self, part: usize, point: &[f64; D]) -> bool {
        // No box has a point at infinity, nor what is not a number, but some part does.
        let is_strange = || !point.iter().all(|x| x.is_finite());
        let contains = |region: &Region<D>| region.contains(point);
        self.regions.get(part).is_some_and(contains) || (is_strange() && self.locate(point) == part)
    }

    /// The box of a part.
    ///
    /// # Panics
    /// If there is no such part.
    #[inline]
    #[must_use]
    pub fn region(&self, part: usize) -> Region<D> {
        self.regions[part]
    }

    /// Visits, in ascending order, the parts whose closed box meets the closed box from `min` to
    /// `max`. A part that only touches it is visited; a box with a NaN may meet nothing.
    #[inline]
    pub fn touching(&self, min: &[f64; D], max: &[f64; D], mut visit: impl FnMut(usize)) {
        let mut later = [0; DEEPEST];
        let mut waiting = 0;
        let mut child = self.root();
        loop {
            if child & LEAF == 0 {
                let node = &self.nodes[child as usize];
                let axis = node.axis as usize;
                let right = max[axis] >= node.at;
                if min[axis] <= node.at {
                    if right {
                        later[waiting] = node.children[1];
                        waiting += 1;
                    }
                    child = node.children[0];
                    continue;
                }
                if right {
                    child = node.children[1];
                    continue;
                }
            } else {
                visit((child & !LEAF) as usize);
            }
            if waiting == 0 {
                return;
            }
            waiting -= 1;
            child = later[waiting];
        }
    }

    /// The colour of a part, 0 or 1: neighbours have different ones as far as the method can.
    ///
    /// # Panics
    /// If there is no such part.
    #[inline]
    #[must_use]
    pub fn colour(&self, part: usize) -> u8 {
        self.colours[part]
    }

    /// The partition as plain numbers, for files: dimension, parts, then (axis, place, parts on
    /// the left) of every plane from the root down, level by level, then the colours.
    #[must_use]
    pub fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = vec![D as f64, self.parts() as f64];
        for node in &self.nodes {
            numbers.extend([f64::from(node.axis), node.at, f64::from(node.left)]);
        }
        numbers.extend(self.colours.iter().copied().map(f64::from));
        numbers
    }

    /// The partition that [`Cuts::to_numbers`] wrote, to the bit; `None` if the numbers are not
    /// those of a partition in this dimension.
    #[must_use]
    pub fn from_numbers(numbers: &[f64]) -> Option<Self> {
        let (&[dimension, parts], rest) = numbers.split_first_chunk()?;
        let parts = whole(parts)?;
        let planes = parts.checked_sub(1)?;
        if whole(dimension)? != D || rest.len() != 3 * planes + parts {
            return None;
        }
        let (planes, colours) = rest.split_at(3 * planes);
        let splits: Vec<Split> = planes
            .chunks_exact(3)
            .map(|plane| Some(Split { axis: whole(plane[0])?, at: plane[1], left: whole(plane[2])? }))
            .collect::<Option<_>>()?;
        let colours = colours
            .iter()
            .map(|&colour| whole(colour).filter(|&colour| colour < 2).map(|colour| colour as u8))
            .collect::<Option<_>>()?;
        Some(Self::assemble(&splits)?.painted(colours))
    }

    /// The tree of these planes, given level by level from the root down, each level from left
    /// to right; all parts have colour 0. `None` if they do not make a tree.
    pub(crate) fn assemble(splits: &[Split]) -> Option<Self> {
        struct Open<const D: usize> {
            first: usize,
            parts: usize,
            region: Region<D>,
            depth: usize,
        }
        let parts = splits.len() + 1;
        if parts >= LEAF as usize {
            return None;
        }
        let mut regions = vec![Region::EVERYWHERE; parts];
        let mut nodes = Vec::with_capacity(splits.len());
        let mut open = vec![Open { first: 0, parts, region: Region::EVERYWHERE, depth: 0 }];
        if splits.is_empty() {
            open.clear();
        }
        for (index, split) in splits.iter().enumerate() {
            let &Open { first, parts, region, depth } = open.get(index)?;
            let &Split { axis, at, left } = split;
            let fits = axis < D && region.min[axis] <= at && at <= region.max[axis];
            if !fits || left == 0 || left >= parts || depth == DEEPEST {
                return None;
            }
            let (mut below, mut above) = (region, region);
            below.max[axis] = at;
            above.min[axis] = at;
            let sides = [(first, left, below), (first + left, parts - left, above)];
            let children = sides.map(|(first, parts, region)| {
                if parts == 1 {
                    regions[first] = region;
                    return LEAF | first as u32;
                }
                open.push(Open { first, parts, region, depth: depth + 1 });
                (open.len() - 1) as u32
            });
            nodes.push(Node { at, axis: axis as u32, left: left as u32, children });
        }
        (nodes.len() == open.len()).then_some(Self { nodes, regions, colours: vec![0; parts] })
    }

    /// The same parts with other colours.
    pub(crate) fn painted(self, colours: Vec<u8>) -> Self {
        assert_eq!(colours.len(), self.parts(), "every part has one colour");
        Self { colours, ..self }
    }

    fn root(&self) -> u32 {
        if self.nodes.is_empty() { LEAF } else { 0 }
    }
}

/// A number that counts something, if it does and can be a part.
fn whole(number: f64) -> Option<usize> {
    let is_whole = number >= 0.0 && number < f64::from(LEAF) && number.fract() == 0.0;
    is_whole.then_some(number as usize)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Three columns, the middle one cut once more: parts 0 | 1 over 2 | 3.
    fn columns() -> Cuts<2> {
        let splits = [(0, 1.0, 3), (0, 0.0, 1), (1, 5.0, 1)];
        Cuts::assemble(&splits.map(|(axis, at, left)| Split { axis, at, left })).unwrap().painted(vec![0, 1, 0, 1])
    }

    fn touched(cuts: &Cuts<2>, min: [f64; 2], max: [f64; 2]) -> Vec<usize> {
        let mut parts = Vec::new();
        cuts.touching(&min, &max, |part| parts.push(part));
        parts
    }

    #[test]
    fn a_point_on_a_plane_belongs_to_its_upper_side() {
        let cuts = columns();
        assert_eq!(cuts.locate(&[-1e300, 9.0]), 0);
        assert_eq!(cuts.locate(&[0.0, 4.9]), 1);
        assert_eq!(cuts.locate(&[0.0, 5.0]), 2);
        assert_eq!(cuts.locate(&[1.0, 5.0]), 3);
        assert_eq!(cuts.locate(&[f64::INFINITY, f64::NEG_INFINITY]), 3);
        assert_eq!(cuts.locate(&[f64::NAN, f64::NAN]), 0);
    }

    #[test]
    fn the_part_that_holds_a_point_is_where_it_is_located_and_no_other() {
        let cuts = columns();
        let numbers = [f64::NEG_INFINITY, -1e300, -0.0, 0.0, 0.5, 1.0, 4.9, 5.0, 1e300, f64::INFINITY, f64::NAN];
        for point in numbers.iter().flat_map(|&x| numbers.map(|y| [x, y])) {
            let holders: Vec<usize> = (0..9).filter(|&part| cuts.holds(part, &point)).collect();
            assert_eq!(holders, [cuts.locate(&point)], "{point:?}");
        }
    }

    #[test]
    fn regions_reach_to_infinity_outside() {
        let cuts = columns();
        let inner = Region { min: [0.0, f64::NEG_INFINITY], max: [1.0, 5.0] };
        assert_eq!(cuts.region(1), inner);
        assert_eq!(Cuts::<2>::one().region(0), Region::EVERYWHERE);
    }

    #[test]
    fn a_box_that_ends_on_a_plane_touches_both_sides() {
        let cuts = columns();
        assert_eq!(touched(&cuts, [0.2, 1.0], [0.5, 5.0]), [1, 2]);
        assert_eq!(touched(&cuts, [-1.0, 0.0], [0.0, 0.0]), [0, 1]);
        assert_eq!(touched(&cuts, [-1.0, 0.0], [9.0, 9.0]), [0, 1, 2, 3]);
        assert_eq!(touched(&Cuts::one(), [0.0; 2], [1.0; 2]), [0]);
    }

    #[test]
    fn numbers_make_the_round_trip() {
        assert_eq!(Cuts::from_numbers(&columns().to_numbers()), Some(columns()));
        assert_eq!(Cuts::<3>::from_numbers(&Cuts::<3>::one().to_numbers()), Some(Cuts::one()));
    }

    #[test]
    fn malformed_numbers_are_refused() {
        let good = columns().to_numbers();
        assert_eq!(Cuts::<3>::from_numbers(&good), None, "another dimension");
        for length in 0..good.len() {
            assert_eq!(Cuts::<2>::from_numbers(&good[..length]), None, "cut short");
        }
        for (index, bad) in [(1, 5.0), (2, 2.0), (2, 0.5), (4, 0.0), (4, 4.0), (6, 2.0), (14, 2.0)] {
            let mut numbers = good.clone();
            numbers[index] = bad;
            assert_eq!(Cuts::<2>::from_numbers(&numbers), None, "number {index} = {bad}");
        }
        for at in [3, 6, 9] {
            let mut numbers = good.clone();
            numbers[at] = f64::NAN;
            assert_eq!(Cuts::<2>::from_numbers(&numbers), None);
        }
        assert_eq!(Cuts::<2>::from_numbers(&[2.0, 0.0]), None);
        assert_eq!(Cuts::<2>::from_numbers(&[2.0, 1e300, 0.0]), None);
    }

    #[test]
    fn a_comb_deeper_than_the_walks_allow_is_refused() {
        let comb = |teeth: usize| {
            let splits: Vec<Split> = (0..teeth).map(|tooth| Split { axis: 0, at: tooth as f64, left: 1 }).collect();
            Cuts::<1>::assemble(&splits)
        };
        assert!(comb(DEEPEST + 1).is_none());
        let deepest = comb(DEEPEST).unwrap();
        let mut met = 0;
        deepest.touching(&[f64::NEG_INFINITY], &[f64::INFINITY], |_| met += 1);
        assert_eq!(met, DEEPEST + 1);
    }
}
