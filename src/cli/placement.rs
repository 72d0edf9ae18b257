//! Where the processes of a run work: their hosts, and the cores that each may use. Out: the number of threads of each
//! process, and warnings of placements that cost time.
//!
//! A core here is what the system numbers: where a physical core has two hardware threads, it is two of them.

use crate::comm::Comm;
use crate::simulation::warnings::{WarningKind, Warnings};

/// The host of a process and the cores that it may use.
#[derive(Clone, Debug, PartialEq)]
struct CoreBinding {
    host: String,
    /// Numbers of the cores, increasing.
    cores: Vec<u32>,
    /// The physical core of each.
    physical: Vec<u32>,
}

/// Cores of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct HostCores {
    /// Number of cores.
    all: usize,
    /// Number of physical cores.
    physical: usize,
}

/// The processes of one host, as one of them sees it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placement {
    host: String,
    /// Processes on this host.
    processes: usize,
    /// Those among them that share a core with this one, itself included.
    sharing: usize,
    /// Those among them that share a physical core with this one, itself included.
    sharing_physical: usize,
    /// Cores that this process may use.
    own: usize,
    /// Cores that any process of the host may use.
    all: usize,
    /// Cores of the host, used or not.
    cores: HostCores,
}

impl Placement {
    /// Collective. The placement of this process.
    pub(super) fn of(comm: &dyn Comm) -> Self {
        let cores = usable_cores();
        let physical = physical_cores(&cores);
        let own = CoreBinding { host: host(), cores, physical };
        let all = comm.all_gather(own.to_bytes()).into_iter().filter_map(|bytes| CoreBinding::from_bytes(&bytes));
        Self::among(&own, &all.collect::<Vec<_>>(), HostCores::find())
    }

    fn among(own: &CoreBinding, all: &[CoreBinding], cores: HostCores) -> Self {
        let here: Vec<&CoreBinding> = all.iter().filter(|binding| binding.host == own.host).collect();
        let sharing = |of: fn(&CoreBinding) -> &Vec<u32>| {
            let shares = |binding: &&&CoreBinding| of(own).iter().any(|core| of(binding).contains(core));
            here.iter().filter(shares).count()
        };
        Self {
            host: own.host.clone(),
            processes: here.len(),
            sharing: sharing(|binding| &binding.cores),
            sharing_physical: sharing(|binding| &binding.physical),
            own: own.cores.len(),
            all: distinct(here.iter().flat_map(|binding| binding.cores.iter().copied())),
            cores,
        }
    }

    /// Threads of this process unless the user gives a number: the cores it is bound to, or its share of those that it
    /// has in common with others.
    pub(super) fn threads(&self) -> usize {
        (self.own / self.sharing.max(1)).max(1)
    }

    /// Warns of a placement that costs time where each process has so many threads.
    pub(super) fn warn(&self, threads: usize, warnings: &mut Warnings, now: (u64, f64)) {
        let Self { host, processes, sharing, sharing_physical, all, cores, .. } = self;
        let total = processes * threads;
        let started =
            format!("{processes} process{} of {threads} thread{}", plural(*processes, "es"), plural(threads, "s"));
        let options = binding_options(threads);
        if total > *all && total <= cores.all {
            warnings.add(WarningKind::Oversubscribed, total as u64, now, || {
                format!(
                    "{started} share {all} core{} of the {} that {host} has: each sweep waits for all; give every thread a core \
                     with {options}",
                    plural(*all, "s"),
                    cores.all
                )
            });
        } else if total > *all {
            warnings.add(WarningKind::Oversubscribed, total as u64, now, || {
                format!(
                    "{started} share {all} core{} of {host}: each sweep waits for all; start no more threads than cores",
                    plural(*all, "s")
                )
            });
        } else if *sharing > 1 {
            warnings.add(WarningKind::UnboundProcesses, *sharing as u64, now, || {
                format!(
                    "processes of {host} are not bound to cores of their own and may get in each other's way: start them with \
                     {options}"
                )
            });
        } else if *sharing_physical > 1 && total <= cores.physical {
            warnings.add(WarningKind::SharedCores, *sharing_physical as u64, now, || {
                format!(
                    "processes of {host} share physical cores, each on a hardware thread of its own, although there are \
                     {} cores: start them with {options} --hint=nomultithread",
                    cores.physical
                )
            });
        }
    }
}

/// Options of launchers that bind each process to so many cores of its own.
pub(super) fn binding_options(threads: usize) -> String {
    format!("mpirun --map-by slot:PE={threads} --bind-to core, or srun --cpus-per-task={threads} --cpu-bind=cores")
}

fn plural(count: usize, ending: &'static str) -> &'static str {
    if count == 1 { "" } else { ending }
}

impl HostCores {
    /// Those of this host; zero where the system does not tell.
    fn find() -> Self {
        let online = std::fs::read_to_string("/sys/devices/system/cpu/online").ok();
        let online = online.and_then(|list| listed(list.trim())).unwrap_or_default();
        Self { all: online.len(), physical: distinct(physical_cores(&online).into_iter()) }
    }
}

impl CoreBinding {
    fn to_bytes(&self) -> Vec<u8> {
        let cores = self.cores.iter().chain(&self.physical).flat_map(|core| core.to_le_bytes());
        cores.chain(self.host.bytes()).chain((self.cores.len() as u32).to_le_bytes()).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let number = |bytes: &[u8]| bytes.try_into().map(u32::from_le_bytes).ok();
        let (rest, count) = bytes.split_at_checked(bytes.len().checked_sub(4)?)?;
        let count = number(count)? as usize;
        let (cores, host) = rest.split_at_checked(count * 8)?;
        let mut cores = cores.chunks_exact(4).map(number).collect::<Option<Vec<u32>>>()?;
        let physical = cores.split_off(count);
        Some(Self { host: String::from_utf8_lossy(host).into_owned(), cores, physical })
    }
}

fn host() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned()
}

/// Numbers of the cores that this process may use.
pub(super) fn usable_cores() -> Vec<u32> {
    #[cfg(target_os = "linux")]
    if let Ok(set) = rustix::thread::sched_getaffinity(None) {
        let cores = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&core| set.is_set(core));
        return cores.map(|core| core as u32).collect();
    }
    (0..std::thread::available_parallelism().map_or(1, |n| n.get()) as u32).collect()
}

/// The physical core of each of these cores: its hardware thread with the lowest number. Where the system does not tell,
/// each core is one.
pub(super) fn physical_cores(cores: &[u32]) -> Vec<u32> {
    let first = |core: u32| {
        let file = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
        let siblings = std::fs::read_to_string(file).ok().and_then(|list| listed(list.trim()));
        siblings.and_then(|siblings| siblings.first().copied()).unwrap_or(core)
    };
    cores.iter().map(|&core| first(core)).collect()
}

/// Number of different ones.
pub(super) fn distinct(cores: impl Iterator<Item = u32>) -> usize {
    cores.collect::<std::collections::BTreeSet<u32>>().len()
}

/// The numbers in a list such as "0-3,8".
fn listed(list: &str) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for part in list.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        all.extend(from.parse::<u32>().ok()?..=to.parse().ok()?);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cores without hardware threads, of a host that has sixteen.
    const SIXTEEN: HostCores = HostCores { all: 16, physical: 16 };

    fn bound_to(host: &str, cores: std::ops::Range<u32>) -> CoreBinding {
        CoreBinding { host: host.into(), cores: cores.clone().collect(), physical: cores.collect() }
    }

    /// Threads and warnings of the first process, with that number of threads.
    fn judged(all: &[CoreBinding]) -> (usize, Vec<WarningKind>) {
        let placement = Placement::among(&all[0], all, SIXTEEN);
        (placement.threads(), warned(&placement, placement.threads()).iter().map(|(kind, _)| *kind).collect())
    }

    fn warned(placement: &Placement, threads: usize) -> Vec<(WarningKind, String)> {
        let mut warnings = Warnings::default();
        placement.warn(threads, &mut warnings, (0, 0.0));
        warnings.all().iter().map(|warning| (warning.kind, warning.message.clone())).collect()
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
    fn threads_bound_to_too_few_of_the_cores_are_told_how_to_have_one_each() {
        let bound = [bound_to("a", 0..1), bound_to("a", 1..2)];
        let placement = Placement::among(&bound[0], &bound, SIXTEEN);
        let [(kind, message)] = &warned(&placement, 8)[..] else { panic!("one warning") };
        assert_eq!(*kind, WarningKind::Oversubscribed);
        assert!(message.contains("2 cores of the 16 that a has") && message.contains("slot:PE=8"), "{message}");
        let message = &warned(&placement, 9)[0].1;
        assert!(message.contains("start no more threads than cores"), "{message}");
    }

    #[test]
    fn processes_on_hardware_threads_of_one_core_are_told_so_if_others_are_free() {
        let bound = [0, 8].map(|core| CoreBinding { physical: vec![0], ..bound_to("a", core..core + 1) });
        let cores = HostCores { all: 16, physical: 8 };
        let [(kind, message)] = &warned(&Placement::among(&bound[0], &bound, cores), 1)[..] else {
            panic!("one warning")
        };
        assert!(*kind == WarningKind::SharedCores && message.contains("nomultithread"), "{message}");
        let full = HostCores { all: 2, physical: 1 };
        assert_eq!(warned(&Placement::among(&bound[0], &bound, full), 1), [], "there is no other core");
    }

    #[test]
    fn lists_of_cores_are_read() {
        assert_eq!(listed("0-3,8"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(listed("5"), Some(vec![5]));
        assert_eq!(listed("none"), None);
    }

    #[test]
    fn a_binding_survives_the_message() {
        let own = bound_to("node-17", 3..9);
        assert_eq!(CoreBinding::from_bytes(&own.to_bytes()), Some(own));
        assert_eq!([&[][..], &[1, 2, 3, 4, 5]].map(CoreBinding::from_bytes), [None, None]);
    }
}
