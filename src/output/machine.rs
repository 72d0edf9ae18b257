//! Description of the machine of a run, as far as the system reports it.

use std::fs;

use serde::{Deserialize, Serialize};

use crate::base::memory::total_memory;
use crate::comm::Comm;
use crate::solver::instructions;

/// Machine of process 0, and host names of all processes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Host names in process order, each once.
    pub hosts: Vec<String>,
    /// Name of the processor.
    pub processor: String,
    /// Instruction set that sweeps use.
    pub instructions: String,
    /// Cores that the program may use.
    pub cores: usize,
    /// Memory, MiB; 0 where the system does not report it.
    pub memory_mebibytes: u64,
}

impl Machine {
    /// Collective. Describes the present machine.
    pub fn of(comm: &dyn Comm) -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let value = |text: &str, key: &str| {
            let line = text.lines().find(|line| line.starts_with(key));
            line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned()).unwrap_or_default()
        };
        Self {
            hosts: hosts(comm, read("/proc/sys/kernel/hostname").trim()),
            processor: value(&read("/proc/cpuinfo"), "model name"),
            instructions: instructions().to_owned(),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            memory_mebibytes: total_memory().unwrap_or(0) >> 20,
        }
    }
}

fn hosts(comm: &dyn Comm, own: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for bytes in comm.all_gather(own.as_bytes().to_vec()) {
        let name = String::from_utf8_lossy(&bytes).into_owned();
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::SerialComm;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_machine_has_a_name_cores_and_memory() {
        let machine = Machine::of(&SerialComm);
        assert_eq!(machine.hosts.len(), 1);
        assert!(machine.cores > 0 && machine.memory_mebibytes > 0 && !machine.instructions.is_empty());
    }
}
