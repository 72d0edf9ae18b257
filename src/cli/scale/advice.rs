//! Advice on the placement of the processes of a study: what keeps its runs from measuring scaling, and what to do.
//!
//! In: the machine, the runs and the warnings that they ended with. Out: one line, about what weighs most.

use crate::cli::placement::{binding_options, distinct, physical_cores, usable_cores};
use crate::scale::ScalingPoint;
use crate::simulation::warnings::WarningKind;

/// Cores of all nodes of a study.
#[derive(Clone, Copy, Debug)]
pub(super) struct StudyCores {
    /// Cores as the system counts them, hardware threads of a physical core singly.
    pub(super) all: usize,
    /// Physical cores.
    pub(super) physical: usize,
}

impl StudyCores {
    /// Those that this process may use, on so many nodes.
    pub(super) fn of(nodes: usize) -> Self {
        let all = std::thread::available_parallelism().map_or(1, |n| n.get());
        let physical = distinct(physical_cores(&usable_cores()).into_iter());
        Self { all: all * nodes, physical: all.min(physical) * nodes }
    }
}

/// One line on the runs of a study with so many threads per process; `None` if nothing is amiss.
pub(super) fn advice(cores: StudyCores, threads: usize, points: &[ScalingPoint]) -> Option<String> {
    let StudyCores { all, physical } = cores;
    let used = |point: &ScalingPoint| point.processes * threads;
    let named = |chosen: &dyn Fn(&ScalingPoint) -> bool| {
        let chosen: Vec<String> = points.iter().filter(|p| chosen(p)).map(|p| p.processes.to_string()).collect();
        (!chosen.is_empty()).then(|| chosen.join(", "))
    };
    let of_kind = |kind: WarningKind| named(&move |p| p.placement == Some(kind) && used(p) <= all);
    let launchers = format!(
        "start them by --launcher 'mpirun --map-by slot:PE={threads} --bind-to core -n {{ranks}}', or in a SLURM job by \
         --launcher 'srun -n {{ranks}} --cpus-per-task={threads} --cpu-bind=cores --hint=nomultithread'"
    );
    let text = if let Some(runs) = of_kind(WarningKind::Oversubscribed) {
        format!("the launcher gave the runs on {runs} processes fewer cores than threads; {launchers}")
    } else if let Some(runs) = of_kind(WarningKind::UnboundProcesses) {
        format!("the runs on {runs} processes were not bound to cores, so that their processes share some; {launchers}")
    } else if let Some(runs) = of_kind(WarningKind::SharedCores) {
        format!("processes of the runs on {runs} shared physical cores while others were idle; {launchers}")
    } else if let Some(runs) = named(&|p| used(p) > all) {
        let most = (all / threads.max(1)).max(1);
        format!(
            "the runs on {runs} processes of {threads} thread(s) have more threads than the {all} core(s): give at most \
             {most} to --ranks, or fewer --threads"
        )
    } else if let Some(runs) = named(&|p| used(p) > physical) {
        format!(
            "the runs on {runs} processes use both hardware threads of a core: there are {physical} physical cores, and \
             only the runs on at most {} processes have one for each thread",
            (physical / threads.max(1)).max(1)
        )
    } else if physical % threads.max(1) != 0 {
        format!(
            "{threads} threads a process do not divide the {physical} cores, {} of which stay idle: give another number to \
             --threads, and bind the processes: {}",
            physical % threads.max(1),
            binding_options(threads)
        )
    } else {
        return None;
    };
    Some(format!("advice: {text}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advised(cores: StudyCores, threads: usize, runs: &[(usize, Option<WarningKind>)]) -> String {
        let point = |&(processes, placement)| ScalingPoint { processes, placement, ..ScalingPoint::default() };
        advice(cores, threads, &runs.iter().map(point).collect::<Vec<_>>()).unwrap_or_default()
    }

    #[test]
    fn a_study_says_in_one_line_what_is_wrong_with_the_placement_of_its_processes() {
        let sixteen = StudyCores { all: 16, physical: 16 };
        assert_eq!(advised(sixteen, 4, &[(1, None), (4, None)]), "");
        let unbound = Some(WarningKind::UnboundProcesses);
        let said =
            advised(sixteen, 2, &[(1, None), (2, unbound), (4, unbound), (16, Some(WarningKind::Oversubscribed))]);
        assert!(said.starts_with("advice: the runs on 2, 4 processes were not bound"), "{said}");
        assert!(said.contains("--launcher 'mpirun --map-by slot:PE=2 --bind-to core -n {ranks}'"), "{said}");
        assert!(said.contains("--cpus-per-task=2") && said.lines().count() == 1, "{said}");
        let said = advised(sixteen, 8, &[(2, Some(WarningKind::Oversubscribed))]);
        assert!(said.contains("on 2 processes fewer cores than threads"), "{said}");
        let said = advised(sixteen, 8, &[(4, Some(WarningKind::Oversubscribed))]);
        assert!(said.contains("more threads than the 16 core(s): give at most 2 to --ranks"), "{said}");
        let said = advised(sixteen, 3, &[(5, None)]);
        assert!(said.contains("do not divide the 16 cores, 1 of which"), "{said}");
        let twice = StudyCores { all: 32, physical: 16 };
        let said = advised(twice, 1, &[(2, Some(WarningKind::SharedCores)), (32, None)]);
        assert!(said.contains("the runs on 2 shared physical cores"), "{said}");
        let said = advised(twice, 2, &[(8, None), (16, None)]);
        assert!(
            said.contains("the runs on 16 processes use both hardware threads") && said.contains("at most 8"),
            "{said}"
        );
    }
}
