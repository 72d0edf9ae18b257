//! Where subdomains live: which process hosts which. It changes no bit of what they compute.
//!
//! Subdomains in the order of a Hilbert curve through their centres, cut into as many runs as there are processes, by
//! what each cost in the steps before. Kept until another placement would be clearly better.

use partitioning::{Cuts, hilbert};

/// Processes are rearranged when the busiest exceeds the mean by this factor...
const BUSY: f64 = 1.15;
/// ...and the new placement is better than the present one by at least this.
const GAIN: f64 = 1.05;

/// Host of each subdomain, for `costs` of the subdomains (all one if none is known).
pub(super) fn place(cuts: &Cuts<3>, costs: &[u64], min: [f64; 3], max: [f64; 3], size: usize) -> Vec<u32> {
    let parts = costs.len();
    let centre = |part: usize| -> [f64; 3] {
        let region = cuts.region(part);
        std::array::from_fn(|k| 0.5 * (region.min[k].clamp(min[k], max[k]) + region.max[k].clamp(min[k], max[k])))
    };
    let mut order: Vec<usize> = (0..parts).collect();
    order.sort_by_key(|&part| (hilbert::key(&centre(part), &min, &max), part));
    let known = costs.iter().any(|&cost| cost > 0);
    let along: Vec<u64> = order.iter().map(|&part| if known { costs[part].max(1) } else { 1 }).collect();
    let runs = hilbert::split(&along, size);
    let mut hosts = vec![0; parts];
    for (&part, run) in order.iter().zip(runs) {
        hosts[part] = run;
    }
    hosts
}

/// Greatest load of a process over the mean.
pub(super) fn imbalance(hosts: &[u32], costs: &[u64], size: usize) -> f64 {
    let mut loads = vec![0u64; size];
    hosts.iter().zip(costs).for_each(|(&host, &cost)| loads[host as usize] += cost);
    partitioning::quality::imbalance(&loads)
}

/// Is it worth moving from `present` to `other`?
pub(super) fn is_better(other: &[u32], present: &[u32], costs: &[u64], size: usize) -> bool {
    let now = imbalance(present, costs, size);
    now > BUSY && now > GAIN * imbalance(other, costs, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use partitioning::{Cutter, Local, MultiJagged};

    fn eight() -> Cuts<3> {
        let points: Vec<[f64; 3]> = (0..512).map(|i| [i % 8, i / 8 % 8, i / 64].map(f64::from)).collect();
        MultiJagged.cut(&points, &[1; 512], 8, &Local)
    }

    #[test]
    fn every_process_gets_its_share_by_cost_and_neighbours_stay_together() {
        let cuts = eight();
        let hosts = place(&cuts, &[0; 8], [0.0; 3], [7.0; 3], 4);
        assert_eq!((0..4).map(|r| hosts.iter().filter(|&&h| h == r).count()).collect::<Vec<_>>(), [2; 4]);
        let costs = [100, 1, 1, 1, 1, 1, 1, 1];
        let hosts = place(&cuts, &costs, [0.0; 3], [7.0; 3], 2);
        assert_eq!(hosts.iter().filter(|&&h| h == hosts[0]).count(), 1, "the heavy one lives alone: {hosts:?}");
    }

    #[test]
    fn more_processes_than_subdomains_leave_some_idle_and_small_gains_change_nothing() {
        let cuts = eight();
        let hosts = place(&cuts, &[5; 8], [0.0; 3], [7.0; 3], 20);
        assert!(hosts.iter().all(|&h| h < 20));
        let mut distinct = hosts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 8);
        let present = vec![0, 0, 0, 0, 1, 1, 1, 1];
        assert!(!is_better(&[0, 0, 0, 1, 1, 1, 1, 0], &present, &[10, 10, 10, 11, 10, 10, 10, 10], 2));
        assert!(is_better(&[0, 1, 1, 1, 1, 1, 1, 1], &present, &[70, 10, 10, 10, 10, 10, 10, 10], 2));
    }
}
