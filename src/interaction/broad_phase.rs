//! Broad phase: all pairs of overlapping bounding boxes, by a hierarchy of uniform cell grids.
//!
//! Each box is assigned, by its centre, to the grid of its size class (a factor of two in size). The cell edge is at
//! least the size of the largest box of the grid, or half of it where the grid is densely occupied. Two overlapping
//! boxes of the same grid lie within one cell of each other (two cells where the edge is halved); a box looks for
//! larger ones in the coarser grids, again in neighbouring cells only. Bodies of one size need one grid, a size ratio
//! of 1:100 needs seven, and no cost is quadratic. Each grid stores its boxes in the order of the cells, so that
//! neighbours in space are neighbours in memory, and searches forward only. Unbounded boxes (half-spaces) are tested
//! against all others.

use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};

/// Mean number of boxes per cell with an edge as long as that of the largest box, above which the edge is halved.
const DENSE: f64 = 2.0;

/// Relative tolerance on the sum of the radii when two spheres are tested, against rounding.
const ROUNDING: f64 = 1e-9;

/// A bounding box in the broad phase.
#[derive(Clone, Copy, Debug)]
pub struct BroadPhaseItem<X: Dim> {
    /// Its extent, including the margin.
    pub bounds: Bounds<X>,
    /// Is the body a sphere (disk) that fills the box?
    pub is_ball: bool,
    /// Is the body an obstacle? Two obstacles do not form a pair.
    pub is_obstacle: bool,
}

/// All pairs (i, j), i < j, of overlapping items that are not both obstacles, sorted. For two spheres the spheres
/// themselves must overlap, not only their boxes.
pub fn pairs<X: Dim>(items: &[BroadPhaseItem<X>]) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    PairSearch::default().pairs(items, |_, _| true, &mut found);
    found
}

/// A search for pairs; its buffers are reused by the next search.
pub struct PairSearch<X: Dim> {
    bounded: Vec<u32>,
    unbounded: Vec<u32>,
    /// Level and index of each bounded item.
    levels: Vec<(usize, u32)>,
    /// The grids of the levels in use, followed by grids left over from earlier searches.
    grids: Vec<CellGrid<X>>,
    scratch: GridScratch,
}

/// Scratch buffers for filling a grid.
#[derive(Default)]
struct GridScratch {
    cells: Vec<usize>,
    next: Vec<u32>,
}

impl<X: Dim> Default for PairSearch<X> {
    fn default() -> Self {
        let (bounded, unbounded, levels) = Default::default();
        Self { bounded, unbounded, levels, grids: Vec::new(), scratch: GridScratch::default() }
    }
}

impl<X: Dim> PairSearch<X> {
    /// As [`pairs`], restricted to the pairs that `keep` accepts. Overwrites `found`.
    pub fn pairs(&mut self, items: &[BroadPhaseItem<X>], keep: impl Fn(u32, u32) -> bool, found: &mut Vec<[u32; 2]>) {
        found.clear();
        found.reserve(8 * items.len());
        self.bounded.clear();
        self.unbounded.clear();
        for (i, item) in (0..).zip(items) {
            if size(item).is_finite() { &mut self.bounded } else { &mut self.unbounded }.push(i);
        }
        let mut push = |i: u32, j: u32| {
            let (a, b) = (&items[i as usize], &items[j as usize]);
            let is_excluded = a.is_obstacle && b.is_obstacle || are_apart(a, b);
            if !is_excluded && keep(i, j) {
                found.push(if i < j { [i, j] } else { [j, i] });
            }
        };
        for (k, &i) in self.unbounded.iter().enumerate() {
            let meets = |j: &&u32| items[i as usize].bounds.meets(&items[**j as usize].bounds);
            self.bounded.iter().chain(&self.unbounded[k + 1..]).filter(meets).for_each(|&j| push(i, j));
        }
        let count = self.fill_grids(items);
        let grids = &self.grids[..count];
        for (level, fine) in grids.iter().enumerate() {
            for (k, &i) in fine.members.iter().enumerate() {
                fine.visit_later(k, |j| push(i, j));
                for coarse in &grids[level + 1..] {
                    coarse.visit_near(&fine.boxes[k], |j| push(i, j));
                }
            }
        }
        found.sort_unstable();
    }

    /// Fills one grid for each factor of two in size that occurs, finest first; returns their number.
    fn fill_grids(&mut self, items: &[BroadPhaseItem<X>]) -> usize {
        let Self { bounded, levels, grids, scratch, .. } = self;
        let sizes = || bounded.iter().map(|&i| size(&items[i as usize]));
        let least = sizes().filter(|&s| s > 0.0).fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 1.0 };
        let level = |size: f64| (size / least).max(1.0).log2().floor() as usize;
        levels.clear();
        levels.extend(sizes().map(level).zip(bounded.iter().copied()));
        levels.sort_unstable();
        let mut count = 0;
        for chunk in levels.chunk_by(|a, b| a.0 == b.0) {
            if grids.len() == count {
                grids.push(CellGrid::default());
            }
            grids[count].fill(items, chunk, least, scratch);
            count += 1;
        }
        count
    }
}

/// Are both items spheres that do not overlap, even if their boxes do?
fn are_apart<X: Dim>(a: &BroadPhaseItem<X>, b: &BroadPhaseItem<X>) -> bool {
    let reach = 0.5 * (size(a) + size(b)) * (1.0 + ROUNDING);
    a.is_ball && b.is_ball && (centre(&a.bounds) - centre(&b.bounds)).norm2() > reach * reach
}

/// Longest edge.
fn size<X: Dim>(item: &BroadPhaseItem<X>) -> f64 {
    (0..X::D).map(|k| item.bounds.max[k] - item.bounds.min[k]).fold(0.0, f64::max)
}

fn centre<X: Dim>(bounds: &Bounds<X>) -> X::Vector {
    (bounds.min + bounds.max) * 0.5
}

/// Items of similar size, sorted by cell (counting sort).
struct CellGrid<X: Dim> {
    origin: X::Vector,
    cell: f64,
    /// Number of cells in a row whose total length is at least the size of the largest member.
    reach: usize,
    counts: [usize; 3],
    starts: Vec<u32>,
    members: Vec<u32>,
    /// Bounding boxes of the members.
    boxes: Vec<Bounds<X>>,
}

impl<X: Dim> Default for CellGrid<X> {
    fn default() -> Self {
        let (starts, members, boxes) = Default::default();
        Self { origin: X::Vector::zero(), cell: 1.0, reach: 1, counts: [1; 3], starts, members, boxes }
    }
}

impl<X: Dim> CellGrid<X> {
    /// Replaces the members; none is smaller than `least`, except for items of zero size.
    fn fill(&mut self, items: &[BroadPhaseItem<X>], members: &[(usize, u32)], least: f64, scratch: &mut GridScratch) {
        let largest = members.iter().map(|&(_, i)| size(&items[i as usize])).fold(least, f64::max);
        let centres = members.iter().map(|&(_, i)| centre(&items[i as usize].bounds));
        let Bounds { min, max } = centres.map(Bounds::<X>::at).collect();
        // Elongated or angular bodies in dense packings have boxes that overlap a lot, and large cells would hold many
        // of them. Half the cell edge encloses the neighbours more tightly.
        let volume = (0..X::D).map(|k| (max[k] - min[k]) / largest + 1.0).product::<f64>();
        let reach = if members.len() as f64 > DENSE * volume { 2 } else { 1 };
        // Sparse configurations get larger cells, so that memory scales with the number of items and not with the
        // volume. The factor above `largest` keeps rounding from placing a neighbour one cell too far away.
        let mut cell = largest / reach as f64 * (1.0 + 1e-9);
        let counts = loop {
            let mut counts = [1usize; 3];
            for (k, count) in counts.iter_mut().enumerate().take(X::D) {
                *count = ((max[k] - min[k]) / cell).min(1e9) as usize + 1;
            }
            if counts.iter().map(|&c| c as f64).product::<f64>() <= 4.0 * members.len() as f64 + 64.0 {
                break counts;
            }
            // The extent overflows: put all members into one cell.
            if !cell.is_finite() {
                break [1; 3];
            }
            cell *= 1.25;
        };
        (self.origin, self.cell, self.reach, self.counts) = (min, cell, reach, counts);
        let GridScratch { cells, next } = scratch;
        cells.clear();
        cells.extend(members.iter().map(|&(_, i)| self.index(self.cell_at(centre(&items[i as usize].bounds)))));
        self.starts.clear();
        self.starts.resize(counts.iter().product::<usize>() + 1, 0);
        for &c in &*cells {
            self.starts[c + 1] += 1;
        }
        for c in 1..self.starts.len() {
            self.starts[c] += self.starts[c - 1];
        }
        next.clone_from(&self.starts);
        self.members.clear();
        self.members.resize(members.len(), 0);
        for (&(_, i), &c) in members.iter().zip(&*cells) {
            self.members[next[c] as usize] = i;
            next[c] += 1;
        }
        self.boxes.clear();
        self.boxes.extend(self.members.iter().map(|&i| items[i as usize].bounds));
    }

    /// Coordinates of the cell that contains a point, inside the grid or outside.
    fn cell_at(&self, point: X::Vector) -> [i64; 3] {
        let mut cell = [0; 3];
        for (k, c) in cell.iter_mut().enumerate().take(X::D) {
            // Saturating conversion: points far outside the grid get cells far outside.
            *c = ((point[k] - self.origin[k]) / self.cell).floor() as i64;
        }
        cell
    }

    /// The cell of the grid that is nearest to a cell.
    fn clamped(&self, cell: [i64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|k| (cell[k].max(0) as usize).min(self.counts[k] - 1))
    }

    /// Number of the nearest cell of the grid.
    fn index(&self, cell: [i64; 3]) -> usize {
        let [x, y, z] = self.clamped(cell);
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Visits the members from index `from` to the end of cell `cell` whose boxes overlap `bounds`.
    fn visit_overlapping(&self, bounds: &Bounds<X>, from: usize, cell: usize, visit: &mut impl FnMut(u32)) {
        let to = self.starts[cell + 1] as usize;
        for (other, &j) in self.boxes[from..to].iter().zip(&self.members[from..to]) {
            if other.meets(bounds) {
                visit(j);
            }
        }
    }

    /// Visits the members that overlap member `k` and come after it; a row of cells is contiguous in memory.
    fn visit_later(&self, k: usize, mut visit: impl FnMut(u32)) {
        let bounds = &self.boxes[k];
        let [x, y, z] = self.clamped(self.cell_at(centre(bounds)));
        let reach = self.reach;
        let (x0, x1) = (x.saturating_sub(reach), (x + reach).min(self.counts[0] - 1));
        let row = |y: usize, z: usize| (z * self.counts[1] + y) * self.counts[0];
        self.visit_overlapping(bounds, k + 1, row(y, z) + x1, &mut visit);
        for z_next in z..(z + reach + 1).min(self.counts[2]) {
            let first = if z_next == z { y + 1 } else { y.saturating_sub(reach) };
            for y_next in first..(y + reach + 1).min(self.counts[1]) {
                let row = row(y_next, z_next);
                self.visit_overlapping(bounds, self.starts[row + x0] as usize, row + x1, &mut visit);
            }
        }
    }

    /// Visits the members that overlap a box of a finer grid: they lie in the cells around its centre.
    fn visit_near(&self, bounds: &Bounds<X>, mut visit: impl FnMut(u32)) {
        let cell = self.cell_at(centre(bounds));
        let range = |k: usize| {
            let low = cell[k].saturating_sub(self.reach as i64).max(0);
            let high = cell[k].saturating_add(self.reach as i64).min(self.counts[k] as i64 - 1);
            (low, high)
        };
        let ((x0, x1), (y0, y1), (z0, z1)) = (range(0), range(1), range(2));
        if x0 > x1 {
            return;
        }
        for z in z0..=z1 {
            for y in y0..=y1 {
                let row = (z as usize * self.counts[1] + y as usize) * self.counts[0];
                self.visit_overlapping(bounds, self.starts[row + x0 as usize] as usize, row + x1 as usize, &mut visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use rand_core::{Rng, SeedableRng};

    fn brute_force<X: Dim>(items: &[BroadPhaseItem<X>]) -> Vec<[u32; 2]> {
        let mut found = Vec::new();
        for i in 0..items.len() {
            for j in i + 1..items.len() {
                let (a, b) = (&items[i], &items[j]);
                let overlap = a.bounds.meets(&b.bounds) && !are_apart(a, b);
                if !(a.is_obstacle && b.is_obstacle) && overlap {
                    found.push([i as u32, j as u32]);
                }
            }
        }
        found
    }

    fn cloud<X: Dim>(count: usize, ratio: f64, seed: u64) -> Vec<BroadPhaseItem<X>> {
        let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
        let mut uniform = move || random.next_u64() as f64 / u64::MAX as f64;
        let mut items: Vec<BroadPhaseItem<X>> = (0..count)
            .map(|i| {
                let half = 0.05 * ratio.powf(uniform());
                let centre = X::Vector::from_fn(|_| 4.0 * uniform() - 2.0);
                let is_ball = i % 3 == 0;
                let edges = X::Vector::from_fn(|_| half * if is_ball { 1.0 } else { 0.2 + uniform() });
                let bounds = Bounds { min: centre - edges, max: centre + edges };
                BroadPhaseItem { bounds, is_ball, is_obstacle: i % 7 == 0 }
            })
            .collect();
        let mut floor: Bounds<X> = Bounds::unbounded();
        floor.max[0] = -1.0;
        items.push(BroadPhaseItem { bounds: floor, is_ball: false, is_obstacle: true });
        items
    }

    #[test]
    fn cells_find_exactly_the_pairs_that_brute_force_finds() {
        // Reuses one search for fewer and for more grids.
        let (mut in_plane, mut in_space) = (PairSearch::default(), PairSearch::default());
        let mut found = vec![[7, 8]];
        for (count, ratio) in [(1, 1.0), (300, 1.0), (300, 4.0), (400, 100.0), (3000, 1.0), (3000, 3.0)] {
            let (plane, space) = (cloud::<Plane>(count, ratio, 1), cloud::<Space>(count, ratio, 2));
            in_plane.pairs(&plane, |_, _| true, &mut found);
            assert_eq!(found, brute_force(&plane));
            in_space.pairs(&space, |_, _| true, &mut found);
            assert_eq!(found, brute_force(&space));
            assert_eq!(pairs(&space), found);
        }
    }

    #[test]
    fn boxes_far_apart_and_coincident_boxes_are_handled() {
        let at = |x: f64| {
            let centre = nalgebra::Vector2::new(x, 0.0);
            BroadPhaseItem::<Plane> { bounds: Bounds { min: centre, max: centre }, is_ball: false, is_obstacle: false }
        };
        assert_eq!(pairs(&[at(0.0), at(1e300), at(0.0), at(-1e300)]), [[0, 2]]);
    }
}
