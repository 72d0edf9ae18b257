//! Tests that run on several processes: the test program starts itself under `mpirun`.

use std::process::Command;
use std::sync::Arc;

use crate::program::{text, tolerant};
use nscdd::comm::{self, Comm};

/// Environment variable that tells this test program that it is one of several processes.
const SEVERAL: &str = "NSCDD_TEST_ON_SEVERAL_PROCESSES";

/// Does `work` on each of `count` processes; `name` is the path of the test that calls this.
pub(crate) fn on_processes(count: usize, name: &str, work: impl FnOnce(&Arc<dyn Comm>)) {
    if std::env::var_os(SEVERAL).is_some() {
        let all = comm::start();
        assert_eq!(all.size(), count);
        return work(&all);
    }
    let mut command = Command::new("mpirun");
    let own = std::env::current_exe().unwrap();
    tolerant(&mut command).args(["-n", &count.to_string()]).arg(own).env(SEVERAL, "1");
    let output = command.args(["--exact", name, "--nocapture"]).output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success() && said.matches("1 passed").count() == count, "{said}");
}
