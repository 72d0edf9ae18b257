//! Halving groups of points by weight until every group is one part: the engine of all methods.
//!
//! In come integer keys (one per axis), weights and a rule that says along which axis, and in
//! what proportion, a group is halved; out come the cuts, level by level. All groups of a level
//! share one histogram per round, and that histogram is all the processes exchange.
//!
//! A cut is searched as in a multi-digit number: the first round counts weights in coarse bins
//! over the group, each further round in finer bins inside the one bin where the wanted weight
//! is reached, until an edge between bins is good enough or bins are single keys.

use crate::Reduce;

/// Bins a group may have in one round, and bins of all groups together, as powers of two: what
/// fits a cache with few groups, and a bounded message with many.
const BINS: u32 = 10;
const ALL_BINS: u32 = 20;

/// A cut is good enough when it is off by half the heaviest point, as no search can promise
/// better; by a part's weight over `FINE`, as nobody would notice; never by more than a part's
/// weight over `COARSE`, however heavy one point is, unless bins are single keys.
const FINE: u64 = 1024;
const COARSE: u64 = 64;

/// Marks a point whose part is known.
const LEAF: u32 = 1 << 31;

/// Points that are still together: the parts they will fill and the keys they may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group<const A: usize> {
    /// The first of the parts.
    pub(crate) first: usize,
    /// How many parts.
    pub(crate) parts: usize,
    /// The lowest key along each axis.
    pub(crate) low: [u64; A],
    /// One above the highest key along each axis.
    pub(crate) high: [u64; A],
}

/// A group's halving: keys below `at` along `axis` make the first `left` parts of the group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    pub(crate) axis: usize,
    pub(crate) at: u64,
    pub(crate) left: usize,
}

/// Collective. Halves the points into `parts`; keys are below 2^`bits`, `bits` at most 63.
///
/// `choose` gives the axis and the parts on the left for a group of more than one part. Returns
/// the cuts, level by level, and the part of each point.
pub(crate) fn bisect<const A: usize>(
    keys: &[[u64; A]],
    weights: &[u32],
    bits: u32,
    parts: usize,
    reduce: &dyn Reduce,
    choose: impl Fn(&Group<A>) -> (usize, usize),
) -> (Vec<Cut>, Vec<u32>) {
    assert!(0 < parts && parts < LEAF as usize, "{parts} parts: want 1 to 2^31 - 1");
    assert_eq!(keys.len(), weights.len(), "every point needs one weight");
    let mut total = [weights.iter().copied().map(u64::from).sum()];
    reduce.sum(&mut total);
    // Without any weight every point counts one.
    let extra = u64::from(total == [0]);
    let mut heaviest = [f64::from(weights.iter().copied().max().unwrap_or(0))];
    reduce.max(&mut heaviest);
    let points = WeightedPoints { keys, weights, extra, half: heaviest[0] as u64 / 2 };

    let mut places = vec![0; keys.len()];
    let mut cuts = Vec::with_capacity(parts - 1);
    let mut level = vec![Group { first: 0, parts, low: [0; A], high: [1 << bits; A] }];
    level.retain(|group| group.parts > 1);
    while !level.is_empty() {
        let digit = BINS.min(ALL_BINS.saturating_sub(level.len().ilog2())).max(1);
        let mut searches: Vec<Search> = level.iter().map(|group| Search::new(group, choose(group), digit)).collect();
        points.find_cuts(&places, &mut searches, digit, reduce);
        level = halves(&level, &mut searches, bits);
        cuts.extend(searches.iter().map(|&Search { axis, at, left, .. }| Cut { axis, at, left }));
        points.distribute(&mut places, &searches);
    }
    for place in &mut places {
        *place &= !LEAF;
    }
    (cuts, places)
}

/// The points of this process.
struct WeightedPoints<'a, const A: usize> {
    keys: &'a [[u64; A]],
    weights: &'a [u32],
    /// Added to every weight.
    extra: u64,
    /// Half the weight of the heaviest point of all processes.
    half: u64,
}

impl<const A: usize> WeightedPoints<'_, A> {
    /// Collective. Narrows all searches of a level until they are closed.
    fn find_cuts(&self, places: &[u32], searches: &mut [Search], digit: u32, reduce: &dyn Reduce) {
        while let Some(mut counts) = rows(searches, digit) {
            for ((key, &place), &weight) in self.keys.iter().zip(places).zip(self.weights) {
                if place & LEAF == 0
                    && let search = &searches[place as usize]
                    && let Some(bin) = search.bin(key[search.axis])
                {
                    counts[search.row + bin] += u64::from(weight) + self.extra;
                }
            }
            reduce.sum(&mut counts);
            for search in searches.iter_mut().filter(|search| search.bins > 0) {
                let row = search.row..search.row + search.bins;
                search.narrow(&counts[row], digit, self.half);
            }
        }
    }

    /// Moves every point to its side of the cut of its group.
    fn distribute(&self, places: &mut [u32], searches: &[Search]) {
        for (key, place) in self.keys.iter().zip(places) {
            if *place & LEAF == 0 {
                let search = &searches[*place as usize];
                *place = search.children[usize::from(key[search.axis] >= search.at)];
            }
        }
    }
}

/// The groups of the next level: the halves of more than one part. Sets the cut and the children of each search.
fn halves<const A: usize>(level: &[Group<A>], searches: &mut [Search], bits: u32) -> Vec<Group<A>> {
    let mut next = Vec::with_capacity(2 * level.len());
    for (group, search) in level.iter().zip(searches) {
        let &mut Search { axis, at, left, .. } = search;
        let at = at.clamp(1, (1 << bits) - 1);
        let (mut below, mut above) = (*group, *group);
        below.parts = left;
        below.high[axis] = at;
        above.first += left;
        above.parts -= left;
        above.low[axis] = at;
        search.at = at;
        search.children = [below, above].map(|child| {
            if child.parts == 1 {
                return LEAF | child.first as u32;
            }
            next.push(child);
            (next.len() - 1) as u32
        });
    }
    next
}

/// Gives every open search a row of zeros; `None` when all are closed.
fn rows(searches: &mut [Search], digit: u32) -> Option<Vec<u64>> {
    let mut length = 0;
    for search in searches.iter_mut().filter(|search| search.bins > 0) {
        search.row = length;
        length += 1 << digit;
    }
    (length > 0).then(|| vec![0; length])
}

/// The search for the cut of one group.
struct Search {
    axis: usize,
    /// Where the bins start, the width of one as a power of two, and how many; 0: closed.
    low: u64,
    shift: u32,
    bins: usize,
    /// Where this search's bins start in the histogram of all.
    row: usize,
    left: usize,
    parts: usize,
    /// Weight of the group, once known.
    total: Option<u64>,
    /// Weight of the group below the bins.
    below: u64,
    /// One above the highest key of the group; then, of a closed search, the cut.
    at: u64,
    /// Where the points of the two sides go next.
    children: [u32; 2],
}

impl Search {
    fn new<const A: usize>(group: &Group<A>, (axis, left): (usize, usize), digit: u32) -> Self {
        assert!(0 < left && left < group.parts, "both sides of a cut hold parts");
        let last = (group.high[axis] - group.low[axis]).saturating_sub(1);
        let shift = (u64::BITS - last.leading_zeros()).saturating_sub(digit);
        Self {
            axis,
            low: group.low[axis],
            shift,
            bins: (last >> shift) as usize + 1,
            row: 0,
            left,
            parts: group.parts,
            total: None,
            below: 0,
            at: group.high[axis],
            children: [0; 2],
        }
    }

    /// The bin of a key, if it has one.
    #[inline]
    fn bin(&self, key: u64) -> Option<usize> {
        let bin = (key.wrapping_sub(self.low) >> self.shift) as usize;
        (key >= self.low && bin < self.bins).then_some(bin)
    }

    /// Closes the search at the best edge of the bins, or goes on inside the bin that matters.
    ///
    /// `half` is half the weight of the heaviest point of all.
    fn narrow(&mut self, counts: &[u64], digit: u32, half: u64) {
        let total = *self.total.get_or_insert_with(|| counts.iter().sum());
        let share = |whole: u64| (u128::from(whole) * self.left as u128 / self.parts as u128) as u64;
        if total == 0 {
            self.at = self.low + share(self.at - self.low);
            self.bins = 0;
            return;
        }
        let wanted = share(total);

        // The bin in which the wanted weight is passed; it exists, as less than all is wanted.
        // All edges from `start` to that bin have the same weight `below` them.
        let (mut below, mut start, mut passed) = (self.below, 0, 0);
        for (bin, &count) in counts.iter().enumerate() {
            passed = bin;
            if below + count > wanted {
                break;
            }
            if count > 0 {
                below += count;
                start = bin + 1;
            }
        }
        let excess = below + counts[passed] - wanted;
        let lack = wanted - below;
        let part = total / self.parts as u64;
        let tolerance = half.clamp(part / FINE, part / COARSE);
        if self.shift == 0 || lack.min(excess) <= tolerance {
            let (first, last) = if lack <= excess {
                (start, passed)
            } else {
                let empty = counts[passed + 1..].iter().take_while(|&&count| count == 0).count();
                (passed + 1, passed + 1 + empty)
            };
            // The middle of a gap: no point lies near such a cut.
            let gap = ((last - first) as u64) << self.shift;
            let at = self.low + ((first as u64) << self.shift) + gap / 2;
            self.at = at.min(self.at);
            self.bins = 0;
        } else {
            let finer = self.shift.saturating_sub(digit);
            self.low += (passed as u64) << self.shift;
            self.below = below;
            self.bins = 1 << (self.shift - finer);
            self.shift = finer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Local;

    /// Cuts of keys along one axis into equal halves of halves.
    fn halve(keys: &[u64], weights: &[u32], parts: usize) -> (Vec<u64>, Vec<u32>) {
        let keys: Vec<[u64; 1]> = keys.iter().map(|&key| [key]).collect();
        let (cuts, places) = bisect(&keys, weights, 20, parts, &Local, |group| (0, group.parts / 2));
        (cuts.iter().map(|cut| cut.at).collect(), places)
    }

    #[test]
    fn halves_have_equal_weight() {
        let (_, places) = halve(&[1, 2, 3, 1_000_000], &[1, 1, 1, 3], 2);
        assert_eq!(places, [0, 0, 0, 1]);
    }

    #[test]
    fn a_cut_is_exact_to_the_key_where_weights_demand_it() {
        let keys: Vec<u64> = (0..1000).map(|i| 700_000 + i).collect();
        let (cuts, places) = halve(&keys, &[1; 1000], 4);
        assert_eq!(cuts, [700_500, 700_250, 700_750]);
        assert!(places.iter().enumerate().all(|(i, &part)| part as usize == i / 250));
    }

    #[test]
    fn a_cut_lies_in_the_middle_of_a_wide_gap() {
        let (cuts, _) = halve(&[100_000, 300_000], &[5, 5], 2);
        assert!(cuts[0].abs_diff(200_000) < 2048, "{cuts:?}");
    }

    #[test]
    fn a_group_without_weight_is_cut_in_proportion() {
        assert_eq!(halve(&[], &[], 4).0, [1 << 19, 1 << 18, 3 << 18]);
        assert_eq!(halve(&[], &[], 3).0, [(1 << 20) / 3, (1 << 20) / 3 + 349_525]);
    }

    #[test]
    fn without_any_weight_every_point_counts_one() {
        assert_eq!(halve(&[1, 2, 3, 4], &[0; 4], 2).1, [0, 0, 1, 1]);
    }

    #[test]
    fn points_with_equal_keys_stay_together() {
        let (_, places) = halve(&[7; 10], &[1; 10], 8);
        assert!(places.iter().all(|&part| part == places[0]));
    }

    #[test]
    fn the_cut_nearest_to_the_wanted_weight_wins() {
        assert_eq!(halve(&[10, 11, 12], &[1, 6, 1], 2).1, [0, 1, 1]);
        assert_eq!(halve(&[10, 11, 12], &[2, 6, 9], 2).1, [0, 0, 1]);
    }

    #[test]
    fn one_part_needs_no_cut() {
        assert_eq!(halve(&[3, 4], &[1, 1], 1), (vec![], vec![0, 0]));
    }
}
