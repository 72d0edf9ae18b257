//! Where the processes of a run work: their hosts, and the cores that each may use. Out: the number of threads of each
//! process, and warnings of placements that cost time.

use crate::comm::Comm;
use crate::simulation::warnings::{WarningKind, Warnings};

/// The host of a process and the cores that it may use.
#[derive(Clone, Debug, PartialEq)]
struct CoreBinding {
    host: String,
    /// Numbers of the cores, increasing.
    cores: Vec<u32>,
}

/// The processes of one host, as one of them sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placement {
    host: String,
    /// Processes on this host.
    processes: usize,
    /// Those among them that share a core with this one, itself included.
    sharing: usize,
    /// Cores that this process may use.
    own: usize,
    /// Cores that any process of the host may use.
    all: usize,
}

impl Placement {
    /// Collective. The placement of this process.
    pub(super) fn of(comm: &dyn Comm) -> Self {
        let own = CoreBinding { host: host(), cores: usable_cores() };
        let all = comm.all_gather(own.to_bytes()).into_iter().filter_map(|bytes| CoreBinding::from_bytes(&bytes));
        Self::among(&own, &all.collect::<Vec<_>>())
    }

    fn among(own: &CoreBinding, all: &[CoreBinding]) -> Self {
        let here: Vec<&CoreBinding> = all.iter().filter(|binding| binding.host == own.host).collect();
        let shares = |binding: &&&CoreBinding| own.cores.iter().any(|core| binding.cores.binary_search(core).is_ok());
        let mut cores: Vec<u32> = here.iter().flat_map(|binding| binding.cores.iter().copied()).collect();
        cores.sort_unstable();
        cores.dedup();
        Self {
            host: own.host.clone(),
            processes: here.len(),
            sharing: here.iter().filter(shares).count(),
            own: own.cores.len(),
            all: cores.len(),
        }
    }

    /// Threads of this process unless the user gives a number: the cores it is bound to, or its share of those that it
    /// has in common with others.
    pub(super) fn threads(&self) -> usize {
        (self.own / self.sharing.max(1)).max(1)
    }

    /// Warns of a placement that costs time where each process has so many threads.
    pub(super) fn warn(&self, threads: usize, warnings: &mut Warnings, now: (u64, f64)) {
        let Self { host, processes, sharing, all, .. } = self;
        let total = processes * threads;
        if total > *all {
            warnings.add(WarningKind::Oversubscribed, total as u64, now, || {
                format!(
                    "{processes} process{} of {threads} thread{} share {all} core{} of {host}: each sweep waits for all; start \
                     no more threads than cores",
                    plural(*processes, "es"),
                    plural(threads, "s"),
                    plural(*all, "s")
                )
            });
        } else if *sharing > 1 {
            warnings.add(WarningKind::UnboundProcesses, *sharing as u64, now, || {
                format!(
                    "processes of {host} are not bound to cores of their own and may get in each other's way: start them with \
                     mpirun --map-by slot:PE={threads} --bind-to core, or srun --cpus-per-task={threads} --cpu-bind=cores"
                )
            });
        }
    }
}

fn plural(count: usize, ending: &'static str) -> &'static str {
    if count == 1 { "" } else { ending }
}

impl CoreBinding {
    fn to_bytes(&self) -> Vec<u8> {
        let cores = self.cores.iter().flat_map(|core| core.to_le_bytes());
        cores.chain(self.host.bytes()).chain((self.cores.len() as u32).to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let number = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).ok();
        let (rest, count) = bytes.split_at_checked(bytes.len().checked_sub(4)?)?;
        let (cores, host) = rest.split_at_checked(number(count)? as usize * 4)?;
        let cores = cores.chunks_exact(4).map(number).collect::<Option<Vec<u32>>>()?;
        Some(Self { host: String::from_utf8_lossy(host).into_owned(), cores })
    }
}

fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

/// Numbers of the cores that this process may use.
fn usable_cores() -> Vec<u32> {
    #[cfg(target_os = "linux")]
    if let Ok(set) = rustix::thread::sched_getaffinity(None) {
        let cores = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&core| set.is_set(core));
        return cores.map(|core| core as u32).collect();
    }
    (0..std::thread::available_parallelism().map_or(1, |n| n.get()) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound_to(host: &str, cores: std::ops::Range<u32>) -> CoreBinding {
        CoreBinding { host: host.into(), cores: cores.collect() }
    }

    /// Threads and warnings of the first process, with that number of threads.
    fn judged(all: &[CoreBinding]) -> (usize, Vec<WarningKind>) {
        let placement = Placement::among(&all[0], all);
        let mut warnings = Warnings::default();
        placement.warn(placement.threads(), &mut warnings, (0, 0.0));
        (placement.threads(), warnings.all().iter().map(|warning| warning.kind).collect())
    }

    #[test]
    fn a_process_takes_the_cores_it_is_bound_to() {
        let bound = [bound_to("a", 0..4), bound_to("a", 4..8), bound_to("b", 0..4)];
        assert_eq!(judged(&bound), (4, vec![]));
        assert_eq!(judged(&[bound_to("a", 0..16)]), (16, vec![]));
    }

    #[test]
    fn processes_that_are_not_bound_share_the_cores_and_a_warning_says_so() {
        let free = [bound_to("a", 0..16), bound_to("a", 0..16), bound_to("b", 0..16)];
        assert_eq!(judged(&free), (8, vec![WarningKind::UnboundProcesses]));
    }

    #[test]
    fn more_processes_than_cores_have_a_thread_each_and_a_warning_says_so() {
        let many = [bound_to("a", 0..2), bound_to("a", 0..2), bound_to("a", 0..2)];
        assert_eq!(judged(&many), (1, vec![WarningKind::Oversubscribed]));
    }

    #[test]
    fn a_binding_survives_the_message() {
        let own = bound_to("node-17", 3..9);
        assert_eq!(CoreBinding::from_bytes(&own.to_bytes()), Some(own));
        assert_eq!([&[][..], &[1, 2, 3, 4, 5]].map(CoreBinding::from_bytes), [None, None]);
    }
}
