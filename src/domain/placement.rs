//! Placement: which process hosts which subdomain. It does not change a bit of the result.
//!
//! Each colour of a sweep waits for its busiest process, and bodies shared with other processes cost messages and cache
//! misses: the subdomains of a process should take as long as those of any other, colour by colour, and lie together.
//! The space is bisected across its longest side, and each half again, until every process has one piece; both colours
//! are divided separately, so that their lines of division differ by at most about one subdomain. Where there are few
//! subdomains per process, runs along a Hilbert curve may share the work better. A placement is kept until another one
//! is clearly better.

use std::ops::Range;

use partitioning::{Cuts, Face, Region, faces, hilbert};

/// Subdomains are moved if the imbalance exceeds this factor...
const BUSY: f64 = 1.05;
/// ...and the new placement reduces it by at least this factor.
const GAIN: f64 = 1.03;
/// Cost of a face between subdomains of two processes over that of a subdomain.
const FACE: f64 = 0.05;

/// Data of all subdomains on which the placement depends.
pub(super) struct PlacementLoad<'a> {
    /// Cost of each subdomain.
    pub(super) costs: &'a [u64],
    /// Colour of each subdomain.
    pub(super) colours: &'a [u8],
    /// Number of processes.
    pub(super) size: usize,
}

impl PlacementLoad<'_> {
    /// Rank that hosts each subdomain; `min` and `max` are the corners of the bounding box of all bodies.
    pub(super) fn place(&self, cuts: &Cuts<3>, min: [f64; 3], max: [f64; 3]) -> Vec<u32> {
        if self.size == 1 {
            return vec![0; self.costs.len()];
        }
        let centre = |part: usize| -> [f64; 3] {
            let region = cuts.region(part);
            std::array::from_fn(|k| 0.5 * (region.min[k].clamp(min[k], max[k]) + region.max[k].clamp(min[k], max[k])))
        };
        let centres: Vec<[f64; 3]> = (0..self.costs.len()).map(centre).collect();
        let faces = faces(cuts, &with_volume(min, max));
        let mut pieces = vec![0; centres.len()];
        self.bisect(&centres, (0..centres.len()).collect(), 0..self.size as u32, &mut pieces);
        let mut candidates = vec![pieces];
        candidates.extend(self.runs(&centres, min, max));
        // The first of equals.
        let balance = |hosts: &Vec<u32>| self.imbalance(hosts) + self.imbalance_of_steps(hosts);
        let cost = |hosts: &Vec<u32>| balance(hosts) * (1.0 + FACE * self.surface(hosts, &faces));
        candidates.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or_default()
    }

    /// Distributes `parts` over the processes `ranks`: bisected across their longest extent, each colour on its own.
    fn bisect(&self, centres: &[[f64; 3]], mut parts: Vec<usize>, ranks: Range<u32>, hosts: &mut [u32]) {
        if ranks.len() <= 1 {
            parts.into_iter().for_each(|part| hosts[part] = ranks.start);
            return;
        }
        let along = |axis: usize| parts.iter().map(move |&part| centres[part][axis]);
        let extent = |axis: usize| along(axis).fold(f64::MIN, f64::max) - along(axis).fold(f64::MAX, f64::min);
        let extents: [f64; 3] = std::array::from_fn(extent);
        let longest = (0..3).fold(0, |best, axis| if extents[axis] > extents[best] { axis } else { best });
        parts.sort_by(|&a, &b| centres[a][longest].total_cmp(&centres[b][longest]).then(a.cmp(&b)));
        let middle = ranks.start + ranks.len() as u32 / 2;
        let share = (middle - ranks.start) as f64 / ranks.len() as f64;
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for colour in 0..2 {
            let own: Vec<usize> = parts.iter().copied().filter(|&part| self.colours[part] == colour).collect();
            let cost = |part: &usize| self.costs[*part].max(1) as f64;
            let wanted = share * own.iter().map(cost).sum::<f64>();
            let mut sum = 0.0;
            for part in own {
                let half = 0.5 * cost(&part);
                if sum + half <= wanted { &mut lower } else { &mut upper }.push(part);
                sum += 2.0 * half;
            }
        }
        self.bisect(centres, lower, ranks.start..middle, hosts);
        self.bisect(centres, upper, middle..ranks.end, hosts);
    }

    /// Runs along a Hilbert curve through the centres: of all subdomains, and of each colour on its own.
    fn runs(&self, centres: &[[f64; 3]], min: [f64; 3], max: [f64; 3]) -> [Vec<u32>; 2] {
        let mut order: Vec<usize> = (0..centres.len()).collect();
        order.sort_by_key(|&part| (hilbert::key(&centres[part], &min, &max), part));
        let mut joint = vec![0; order.len()];
        self.cut_into_runs(&order, &mut joint);
        let mut by_colour = joint.clone();
        for colour in 0..2 {
            let own: Vec<usize> = order.iter().copied().filter(|&part| self.colours[part] == colour).collect();
            self.cut_into_runs(&own, &mut by_colour);
        }
        [joint, by_colour]
    }

    /// Assigns each process a contiguous run of `order`.
    fn cut_into_runs(&self, order: &[usize], hosts: &mut [u32]) {
        let costs: Vec<u64> = order.iter().map(|&part| self.costs[part].max(1)).collect();
        for (&part, run) in order.iter().zip(hilbert::split(&costs, self.size)) {
            hosts[part] = run;
        }
    }

    /// Faces to subdomains of other processes over the number of own subdomains, for the process with most.
    fn surface(&self, hosts: &[u32], faces: &[Face]) -> f64 {
        let mut counts = vec![[0u32; 2]; self.size];
        hosts.iter().for_each(|&host| counts[host as usize][1] += 1);
        for [a, b] in faces.iter().map(|face| face.parts.map(|part| hosts[part] as usize)).filter(|[a, b]| a != b) {
            (counts[a][0], counts[b][0]) = (counts[a][0] + 1, counts[b][0] + 1);
        }
        counts.iter().map(|[remote, own]| f64::from(*remote) / f64::from((*own).max(1))).fold(0.0, f64::max)
    }

    /// Time of a sweep, in which each colour waits for its busiest process, over that of evenly shared work.
    pub(super) fn imbalance(&self, hosts: &[u32]) -> f64 {
        let mut loads = [vec![0u64; self.size], vec![0u64; self.size]];
        for ((&host, &colour), &cost) in hosts.iter().zip(self.colours).zip(self.costs) {
            loads[usize::from(colour)][host as usize] += cost;
        }
        let busiest: u64 = loads.iter().filter_map(|loads| loads.iter().max()).sum();
        let total: u64 = loads.iter().flatten().sum();
        if total == 0 { 1.0 } else { busiest as f64 * self.size as f64 / total as f64 }
    }

    /// Load of the busiest process over the mean: detection and assembly do not wait for colours.
    fn imbalance_of_steps(&self, hosts: &[u32]) -> f64 {
        let mut loads = vec![0u64; self.size];
        hosts.iter().zip(self.costs).for_each(|(&host, &cost)| loads[host as usize] += cost.max(1));
        let total: u64 = loads.iter().sum();
        let busiest = loads.iter().max().copied().unwrap_or(0);
        if total == 0 { 1.0 } else { busiest as f64 * self.size as f64 / total as f64 }
    }

    /// Is `other` so much better than `present` that subdomains are moved?
    pub(super) fn is_better(&self, other: &[u32], present: &[u32]) -> bool {
        let now = self.imbalance(present);
        now > BUSY && now > GAIN * self.imbalance(other)
    }
}

/// The box between two corners, one thick along axes without extent.
fn with_volume(min: [f64; 3], max: [f64; 3]) -> Region<3> {
    Region { min, max: std::array::from_fn(|k| if max[k] > min[k] { max[k] } else { min[k] + 1.0 }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partitioning::{Cutter, Local, MultiJagged};

    fn eight() -> Cuts<3> {
        let points: Vec<[f64; 3]> = (0..512).map(|i| [i % 8, i / 8 % 8, i / 64].map(f64::from)).collect();
        MultiJagged.cut(&points, &[1; 512], 8, &Local)
    }

    fn place(costs: &[u64; 8], colours: &[u8; 8], size: usize) -> Vec<u32> {
        PlacementLoad { costs, colours, size }.place(&eight(), [0.0; 3], [7.0; 3])
    }

    #[test]
    fn every_process_gets_its_share_by_cost_and_neighbours_stay_together() {
        let hosts = place(&[0; 8], &[0; 8], 4);
        assert_eq!((0..4).map(|r| hosts.iter().filter(|&&h| h == r).count()).collect::<Vec<_>>(), [2; 4]);
        let hosts = place(&[100, 1, 1, 1, 1, 1, 1, 1], &[0; 8], 2);
        assert_eq!(
            hosts.iter().filter(|&&h| h == hosts[0]).count(),
            1,
            "the most expensive subdomain has its own process: {hosts:?}"
        );
    }

    #[test]
    fn every_process_gets_its_share_of_each_colour() {
        let cuts = eight();
        let colours: [u8; 8] = std::array::from_fn(|part| cuts.colour(part));
        // Red subdomains cost most; balanced by total cost alone, one process would sweep them while others wait.
        let costs: [u64; 8] = std::array::from_fn(|part| if colours[part] == 0 { 40 + part as u64 } else { 10 });
        let hosts = place(&costs, &colours, 2);
        for colour in 0..2 {
            let own = |rank: u32| (0..8).filter(|&part| colours[part] == colour && hosts[part] == rank).count();
            assert_eq!([own(0), own(1)], [2, 2], "{hosts:?}");
        }
    }

    #[test]
    fn more_processes_than_subdomains_leave_some_idle_and_small_gains_change_nothing() {
        let hosts = place(&[5; 8], &[0; 8], 20);
        assert!(hosts.iter().all(|&h| h < 20));
        let mut distinct = hosts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 8);
        let present = vec![0, 0, 0, 0, 1, 1, 1, 1];
        let load = |costs| PlacementLoad { costs, colours: &[0; 8], size: 2 };
        assert!(!load(&[10, 10, 10, 11, 10, 10, 10, 10]).is_better(&[0, 0, 0, 1, 1, 1, 1, 0], &present));
        assert!(load(&[70, 10, 10, 10, 10, 10, 10, 10]).is_better(&[0, 1, 1, 1, 1, 1, 1, 1], &present));
    }

    #[test]
    fn the_pieces_of_a_long_slab_have_two_neighbours_and_share_the_work_of_each_colour() {
        let count = 96_000usize;
        let grid = |i: usize| [(i % 400) as f64 * 0.24, (i / 400 % 24) as f64 * 0.25, (i / 9600) as f64 * 0.12];
        let points: Vec<[f64; 3]> = (0..count).map(grid).collect();
        for subdomains in [400, 800] {
            let cuts = MultiJagged.cut(&points, &vec![1; count], subdomains, &Local);
            let colours: Vec<u8> = (0..subdomains).map(|part| cuts.colour(part)).collect();
            let costs = vec![1000; subdomains];
            let load = PlacementLoad { costs: &costs, colours: &colours, size: 16 };
            let (min, max) = ([0.0; 3], [96.0, 6.0, 1.2]);
            let hosts = load.place(&cuts, min, max);
            let faces = faces(&cuts, &with_volume(min, max));
            for rank in 0..16 {
                let across = faces.iter().map(|face| face.parts.map(|part| hosts[part]));
                let mut others: Vec<u32> =
                    across.filter(|[a, b]| a != b && (*a == rank || *b == rank)).map(|[a, b]| a + b - rank).collect();
                others.sort_unstable();
                others.dedup();
                assert!(others.len() <= 2, "{subdomains}: rank {rank} borders on {others:?}");
            }
            assert!(load.imbalance(&hosts) < 1.1, "{subdomains}: {}", load.imbalance(&hosts));
        }
    }

    #[test]
    fn every_process_gets_one_of_as_many_subdomains() {
        let points: Vec<[f64; 3]> = (0..300).map(|i| [i as f64, 0.0, 0.0]).collect();
        for count in 2..8 {
            let cuts = MultiJagged.cut(&points, &[1; 300], count, &Local);
            let colours: Vec<u8> = (0..count).map(|part| cuts.colour(part)).collect();
            let load = PlacementLoad { costs: &vec![10; count], colours: &colours, size: count };
            let mut hosts = load.place(&cuts, [0.0; 3], [299.0, 0.0, 0.0]);
            hosts.sort_unstable();
            assert_eq!(hosts, (0..count as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_placement_in_the_plane_counts_faces_too() {
        let points: Vec<[f64; 3]> = (0..4096).map(|i| [(i % 64) as f64, (i / 64) as f64, 0.0]).collect();
        let cuts = MultiJagged.cut(&points, &vec![1; 4096], 64, &Local);
        assert_eq!(faces(&cuts, &with_volume([0.0; 3], [63.0, 63.0, 0.0])).len(), 2 * 8 * 7);
    }
}
