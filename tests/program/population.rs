//! Thousands of bodies spawned and removed leave nothing behind.

use crate::program::{nscdd, text};

/// Peak memory, MiB, of a hopper through which `total` bodies pass; all are spawned and removed by the end.
fn peak(total: u64) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let total_set = format!("feeds.0.total={total}");
    let mut all = vec!["run", "scenes/hopper.toml", "-v", "--threads", "1", "--out", out.to_str().unwrap()];
    let sets = [
        &total_set[..],
        "feeds.0.rate=20000",
        "feeds.0.velocity=[0, -8]",
        "sinks.0.box.max=[1, 0.42]",
        "stop.0.after=0.05",
        "time.end=2",
        "output.frames.every=2",
    ];
    sets.iter().for_each(|set| all.extend(["--set", set]));
    let output = nscdd(1, &all).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["ending"], "ended: fewer than 5 bodies");
    assert_eq!(
        [&summary["bodies"], &summary["born"], &summary["died"]].map(|n| n.as_u64().unwrap()),
        [4, total, total]
    );
    // The log is coloured: the number follows the last escape code of the line.
    let said = text(&output.stderr);
    let line = said.lines().find(|line| line.contains("mebibytes")).unwrap();
    line.rsplit(['m', '=']).next().unwrap().trim().parse().unwrap()
}

#[test]
fn ten_thousand_births_and_deaths_take_no_more_memory_than_two_thousand() {
    let (few, many) = (peak(2_000), peak(10_000));
    assert!(many <= few + 3.0, "{few} MiB with 2 000, {many} MiB with 10 000");
}
