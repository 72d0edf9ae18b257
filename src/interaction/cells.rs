//! Rough detection: all pairs of boxes that meet, by a hierarchy of cell grids.
//!
//! A box goes, by its centre, into the grid whose cells, or two of them in a row where they would be crowded, are at least
//! as large as it and less than twice that. Two boxes of the same grid that meet lie in cells no further apart; a small
//! box looks for larger ones in the coarser grids, again in neighbouring cells only. One size of bodies means one grid, a ratio of 1:100 seven of
//! them, and no cost is quadratic. Each grid keeps the boxes in the order of its cells, so that neighbours in space are
//! neighbours in memory, and looks only forward among its own. Unbounded boxes (half-spaces) are tested against all.

use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};

/// More boxes than this in a cell as large as the largest are crowded.
const CROWDED: f64 = 2.0;

/// Two balls closer to each other than their radii by this share of them meet too, for numbers are rounded.
const ROUNDING: f64 = 1e-9;

/// A box to be paired.
#[derive(Clone, Copy, Debug)]
pub struct Item<X: Dim> {
    /// Its extent, margin included.
    pub bounds: Bounds<X>,
    /// Does a ball fill it?
    pub is_ball: bool,
    /// Two obstacles are no pair.
    pub is_obstacle: bool,
}

/// All pairs (i, j), i < j, of items that meet and are not both obstacles; sorted. Of two balls not only the boxes must meet.
pub fn pairs<X: Dim>(items: &[Item<X>]) -> Vec<[u32; 2]> {
    let mut found = Vec::with_capacity(8 * items.len());
    let (bounded, unbounded): (Vec<u32>, Vec<u32>) =
        (0..items.len() as u32).partition(|&i| size(&items[i as usize]).is_finite());
    let mut push = |i: u32, j: u32| {
        let (a, b) = (&items[i as usize], &items[j as usize]);
        let is_none = a.is_obstacle && b.is_obstacle || are_apart(a, b);
        if !is_none {
            found.push(if i < j { [i, j] } else { [j, i] });
        }
    };
    for (k, &i) in unbounded.iter().enumerate() {
        let meets = |j: &&u32| items[i as usize].bounds.meets(&items[**j as usize].bounds);
        bounded.iter().chain(&unbounded[k + 1..]).filter(meets).for_each(|&j| push(i, j));
    }
    let grids = Grid::hierarchy(items, &bounded);
    for (level, fine) in grids.iter().enumerate() {
        for (k, &i) in fine.members.iter().enumerate() {
            fine.after(k, |j| push(i, j));
            for coarse in &grids[level + 1..] {
                coarse.near(&fine.boxes[k], |j| push(i, j));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Are they balls that are apart, though the corners of their boxes may meet?
fn are_apart<X: Dim>(a: &Item<X>, b: &Item<X>) -> bool {
    let reach = 0.5 * (size(a) + size(b)) * (1.0 + ROUNDING);
    a.is_ball && b.is_ball && (centre(&a.bounds) - centre(&b.bounds)).norm2() > reach * reach
}

/// Longest edge.
fn size<X: Dim>(item: &Item<X>) -> f64 {
    (0..X::D).map(|k| item.bounds.max[k] - item.bounds.min[k]).fold(0.0, f64::max)
}

fn centre<X: Dim>(bounds: &Bounds<X>) -> X::Vector {
    (bounds.min + bounds.max) * 0.5
}

/// Items of similar size in cells, by counting sort.
struct Grid<X: Dim> {
    origin: X::Vector,
    cell: f64,
    /// So many cells are at least as long as any member.
    reach: usize,
    counts: [usize; 3],
    starts: Vec<u32>,
    members: Vec<u32>,
    /// Those of the members.
    boxes: Vec<Bounds<X>>,
}

impl<X: Dim> Grid<X> {
    /// One grid for each factor of two in size that occurs, finest first.
    fn hierarchy(items: &[Item<X>], bounded: &[u32]) -> Vec<Self> {
        let least =
            bounded.iter().map(|&i| size(&items[i as usize])).filter(|&s| s > 0.0).fold(f64::INFINITY, f64::min);
        let least = if least.is_finite() { least } else { 1.0 };
        let level = |i: u32| (size(&items[i as usize]) / least).max(1.0).log2().floor() as usize;
        let mut levels: Vec<(usize, u32)> = bounded.iter().map(|&i| (level(i), i)).collect();
        levels.sort_unstable();
        levels
            .chunk_by(|a, b| a.0 == b.0)
            .map(|chunk| {
                let members: Vec<u32> = chunk.iter().map(|c| c.1).collect();
                let largest = members.iter().map(|&i| size(&items[i as usize])).fold(least, f64::max);
                Self::new(items, members, largest)
            })
            .collect()
    }

    fn new(items: &[Item<X>], members: Vec<u32>, largest: f64) -> Self {
        let (mut min, mut max) = (X::Vector::from_fn(|_| f64::INFINITY), X::Vector::from_fn(|_| f64::NEG_INFINITY));
        for &i in &members {
            let c = centre(&items[i as usize].bounds);
            min = X::Vector::from_fn(|k| min[k].min(c[k]));
            max = X::Vector::from_fn(|k| max[k].max(c[k]));
        }
        // Bodies whose boxes overlap a lot, long ones or angular ones in a heap, crowd in large cells: half of that size
        // wraps the neighbours more tightly.
        let volume = (0..X::D).map(|k| (max[k] - min[k]) / largest + 1.0).product::<f64>();
        let reach = if members.len() as f64 > CROWDED * volume { 2 } else { 1 };
        // Sparse clouds get larger cells, so that memory follows the number of items and not the volume. The
        // factor above `largest` keeps rounding from placing a neighbour one cell too far away.
        let mut cell = largest / reach as f64 * (1.0 + 1e-9);
        let counts = loop {
            let mut counts = [1usize; 3];
            for (k, count) in counts.iter_mut().enumerate().take(X::D) {
                *count = ((max[k] - min[k]) / cell).min(1e9) as usize + 1;
            }
            if counts.iter().map(|&c| c as f64).product::<f64>() <= 4.0 * members.len() as f64 + 64.0 {
                break counts;
            }
            // Further apart than numbers reach: one cell for all.
            if !cell.is_finite() {
                break [1; 3];
            }
            cell *= 1.25;
        };
        let mut grid =
            Self { origin: min, cell, reach, counts, starts: Vec::new(), members: Vec::new(), boxes: Vec::new() };
        let cells: Vec<usize> =
            members.iter().map(|&i| grid.index(grid.place(centre(&items[i as usize].bounds)))).collect();
        grid.starts = vec![0; counts.iter().product::<usize>() + 1];
        for &c in &cells {
            grid.starts[c + 1] += 1;
        }
        for c in 1..grid.starts.len() {
            grid.starts[c] += grid.starts[c - 1];
        }
        let mut next = grid.starts.clone();
        grid.members = vec![0; members.len()];
        for (&i, &c) in members.iter().zip(&cells) {
            grid.members[next[c] as usize] = i;
            next[c] += 1;
        }
        grid.boxes = grid.members.iter().map(|&i| items[i as usize].bounds).collect();
        grid
    }

    fn place(&self, point: X::Vector) -> [i64; 3] {
        let mut place = [0; 3];
        for (k, p) in place.iter_mut().enumerate().take(X::D) {
            // Saturating conversion: points far outside land far outside.
            *p = ((point[k] - self.origin[k]) / self.cell).floor() as i64;
        }
        place
    }

    /// The cell of the grid nearest to a place.
    fn clamped(&self, place: [i64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|k| (place[k].max(0) as usize).min(self.counts[k] - 1))
    }

    fn index(&self, place: [i64; 3]) -> usize {
        let [x, y, z] = self.clamped(place);
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// Members from number `from` up to cell `cell` whose boxes meet this one.
    fn meeting(&self, own: &Bounds<X>, from: usize, cell: usize, visit: &mut impl FnMut(u32)) {
        let to = self.starts[cell + 1] as usize;
        for (other, &j) in self.boxes[from..to].iter().zip(&self.members[from..to]) {
            if other.meets(own) {
                visit(j);
            }
        }
    }

    /// Visit the members that meet number `k` and come after it; rows of cells are contiguous.
    fn after(&self, k: usize, mut visit: impl FnMut(u32)) {
        let own = &self.boxes[k];
        let [x, y, z] = self.clamped(self.place(centre(own)));
        let reach = self.reach;
        let (x0, x1) = (x.saturating_sub(reach), (x + reach).min(self.counts[0] - 1));
        let row = |y: usize, z: usize| (z * self.counts[1] + y) * self.counts[0];
        self.meeting(own, k + 1, row(y, z) + x1, &mut visit);
        for z_next in z..(z + reach + 1).min(self.counts[2]) {
            let first = if z_next == z { y + 1 } else { y.saturating_sub(reach) };
            for y_next in first..(y + reach + 1).min(self.counts[1]) {
                let row = row(y_next, z_next);
                self.meeting(own, self.starts[row + x0] as usize, row + x1, &mut visit);
            }
        }
    }

    /// Visit the members that meet a box of a finer grid: they are in the cells around its centre.
    fn near(&self, own: &Bounds<X>, mut visit: impl FnMut(u32)) {
        let place = self.place(centre(own));
        let range = |k: usize| {
            let low = place[k].saturating_sub(self.reach as i64).max(0);
            let high = place[k].saturating_add(self.reach as i64).min(self.counts[k] as i64 - 1);
            (low, high)
        };
        let ((x0, x1), (y0, y1), (z0, z1)) = (range(0), range(1), range(2));
        if x0 > x1 {
            return;
        }
        for z in z0..=z1 {
            for y in y0..=y1 {
                let row = (z as usize * self.counts[1] + y as usize) * self.counts[0];
                self.meeting(own, self.starts[row + x0 as usize] as usize, row + x1 as usize, &mut visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use rand_core::{Rng, SeedableRng};

    fn brute<X: Dim>(items: &[Item<X>]) -> Vec<[u32; 2]> {
        let mut found = Vec::new();
        for i in 0..items.len() {
            for j in i + 1..items.len() {
                let (a, b) = (&items[i], &items[j]);
                let meet = a.bounds.meets(&b.bounds) && !are_apart(a, b);
                if !(a.is_obstacle && b.is_obstacle) && meet {
                    found.push([i as u32, j as u32]);
                }
            }
        }
        found
    }

    fn cloud<X: Dim>(count: usize, ratio: f64, seed: u64) -> Vec<Item<X>> {
        let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
        let mut uniform = move || random.next_u64() as f64 / u64::MAX as f64;
        let mut items: Vec<Item<X>> = (0..count)
            .map(|i| {
                let half = 0.05 * ratio.powf(uniform());
                let centre = X::Vector::from_fn(|_| 4.0 * uniform() - 2.0);
                let is_ball = i % 3 == 0;
                let edges = X::Vector::from_fn(|_| half * if is_ball { 1.0 } else { 0.2 + uniform() });
                let bounds = Bounds { min: centre - edges, max: centre + edges };
                Item { bounds, is_ball, is_obstacle: i % 7 == 0 }
            })
            .collect();
        let mut floor: Bounds<X> =
            Bounds { min: X::Vector::from_fn(|_| f64::NEG_INFINITY), max: X::Vector::from_fn(|_| f64::INFINITY) };
        floor.max[0] = -1.0;
        items.push(Item { bounds: floor, is_ball: false, is_obstacle: true });
        items
    }

    #[test]
    fn cells_find_exactly_the_pairs_that_brute_force_finds() {
        for (count, ratio) in [(1, 1.0), (300, 1.0), (300, 4.0), (400, 100.0), (3000, 1.0), (3000, 3.0)] {
            let (plane, space) = (cloud::<Plane>(count, ratio, 1), cloud::<Space>(count, ratio, 2));
            assert_eq!(pairs(&plane), brute(&plane));
            assert_eq!(pairs(&space), brute(&space));
        }
    }

    #[test]
    fn far_apart_and_coincident_boxes_are_no_trouble() {
        let at = |x: f64| {
            let centre = nalgebra::Vector2::new(x, 0.0);
            Item::<Plane> { bounds: Bounds { min: centre, max: centre }, is_ball: false, is_obstacle: false }
        };
        assert_eq!(pairs(&[at(0.0), at(1e300), at(0.0), at(-1e300)]), [[0, 2]]);
    }
}
