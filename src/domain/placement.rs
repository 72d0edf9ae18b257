//! Placement: which process hosts which subdomain. It does not change a bit of the result.
//!
//! The subdomains are ordered along a Hilbert curve through their centres and cut into as many runs as there are
//! processes, by their costs in the previous steps. Each colour of a sweep waits for its slowest process, so the
//! busiest process of each colour determines the time; if it is better, the subdomains of each colour are cut into runs
//! separately. A placement is kept until another one is clearly better.

use partitioning::{Cuts, hilbert};

/// Subdomains are moved if the imbalance exceeds this factor...
const BUSY: f64 = 1.05;
/// ...and the new placement reduces it by at least this factor.
const GAIN: f64 = 1.03;

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
        let centre = |part: usize| -> [f64; 3] {
            let region = cuts.region(part);
            std::array::from_fn(|k| 0.5 * (region.min[k].clamp(min[k], max[k]) + region.max[k].clamp(min[k], max[k])))
        };
        let mut order: Vec<usize> = (0..self.costs.len()).collect();
        order.sort_by_key(|&part| (hilbert::key(&centre(part), &min, &max), part));
        let mut joint = vec![0; order.len()];
        self.cut_into_runs(&order, &mut joint);
        let mut by_colour = joint.clone();
        for colour in 0..2 {
            let own: Vec<usize> = order.iter().copied().filter(|&part| self.colours[part] == colour).collect();
            self.cut_into_runs(&own, &mut by_colour);
        }
        if self.imbalance(&joint) > GAIN * self.imbalance(&by_colour) { by_colour } else { joint }
    }

    /// Assigns each process a contiguous run of `order`.
    fn cut_into_runs(&self, order: &[usize], hosts: &mut [u32]) {
        let costs: Vec<u64> = order.iter().map(|&part| self.costs[part].max(1)).collect();
        for (&part, run) in order.iter().zip(hilbert::split(&costs, self.size)) {
            hosts[part] = run;
        }
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

    /// Is `other` so much better than `present` that subdomains are moved?
    pub(super) fn is_better(&self, other: &[u32], present: &[u32]) -> bool {
        let now = self.imbalance(present);
        now > BUSY && now > GAIN * self.imbalance(other)
    }
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
}
