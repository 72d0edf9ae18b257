//! The program as users start it, on any number of processes.

use std::process::Command;

/// The program on `ranks` processes; on one without any launcher.
pub(crate) fn nscdd(ranks: usize, arguments: &[&str]) -> Command {
    let program = env!("CARGO_BIN_EXE_nscdd");
    let mut command = if ranks == 1 {
        Command::new(program)
    } else {
        let mut command = Command::new("mpirun");
        tolerant(&mut command);
        command.args(["-n", &ranks.to_string(), program]);
        command
    };
    command.args(arguments);
    command
}

/// As root and with more processes than cores: what tests and containers need.
pub(crate) fn tolerant(command: &mut Command) -> &mut Command {
    command.envs([
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        // A process killed while it has the lock of the launcher's shared store would leave the launcher waiting for ever.
        ("PMIX_MCA_gds", "hash"),
    ])
}

/// What a program said.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
