//! The program as users start it, on any number of processes.

use std::process::Command;

/// The program on `ranks` processes; on one process, without a launcher.
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

/// Allows running as root and with more processes than cores, as tests and containers need.
pub(crate) fn tolerant(command: &mut Command) -> &mut Command {
    command.envs([
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
        ("OMPI_MCA_mpi_yield_when_idle", "1"),
        ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        // Otherwise a process killed while it holds the lock of the launcher's shared store would block the launcher
        // for ever.
        ("PMIX_MCA_gds", "hash"),
    ])
}

/// Output of a program as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
