//! Memory use of this process.

/// Peak resident memory, MiB; 0 where the system does not report it.
pub fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn memory_once_taken_shows_in_the_peak() {
        let before = super::peak();
        let taken = vec![1u8; 64 << 20];
        assert!(std::hint::black_box(&taken).iter().all(|&b| b == 1));
        assert!(before > 0 && super::peak() >= 64);
    }
}
