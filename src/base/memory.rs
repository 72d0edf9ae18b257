//! The memory that the system has for this program.

use std::fs;

/// Bytes of memory that the program can have at most: those of the machine, or of the control group of its job where
/// that allows less. `None` where the system does not tell.
pub fn machine_memory() -> Option<u64> {
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let limits = limits.iter().filter_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok());
    limits.chain(total_memory()).min()
}

/// Bytes of memory of the machine.
pub fn total_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Bytes for people.
pub fn bytes_for_people(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes < 1e6 => format!("{:.0} kB", bytes / 1e3),
        bytes if bytes < 1e9 => format!("{:.1} MB", bytes / 1e6),
        bytes => format!("{:.1} GB", bytes / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_some_memory_and_a_job_no_more_than_that() {
        let [total, limit] = [total_memory(), machine_memory()];
        assert!(total.is_none_or(|total| total > 1 << 26 && limit.is_some_and(|limit| limit <= total)));
    }

    #[test]
    fn bytes_are_given_in_the_unit_that_fits() {
        assert_eq!([2e4, 2.5e7, 3.14e11].map(|bytes| bytes_for_people(bytes as u64)), ["20 kB", "25.0 MB", "314.0 GB"]);
    }
}
