//! Collective failure while reading a scene: a process stops because of a mistake it found or because another process
//! did.
//!
//! Processes create their bodies collectively, so none may continue while another has stopped.

use super::{Checked, Scene, SceneProblem};
use crate::base::error::{EXIT_BAD_INPUT, Error};
use crate::comm::Comm;

/// The reason for stopping.
pub(crate) enum Halt {
    /// A mistake that this process found.
    Mistake(SceneProblem),
    /// Another process found a mistake and reports it.
    Elsewhere,
}

impl From<SceneProblem> for Halt {
    fn from(problem: SceneProblem) -> Self {
        Halt::Mistake(problem)
    }
}

impl Halt {
    /// Converts to the error of this scene.
    pub(crate) fn error(self, scene: &Scene) -> Error {
        match self {
            Halt::Mistake(problem) => scene.fail(problem),
            Halt::Elsewhere => Error::Reported { code: EXIT_BAD_INPUT },
        }
    }
}

/// Collective. The result of this process if every process succeeded, otherwise an error.
pub(crate) fn together<T>(comm: &dyn Comm, own: Checked<T>) -> Result<T, Halt> {
    let mut failed = [f64::from(u8::from(own.is_err()))];
    comm.max(&mut failed);
    match own {
        Ok(_) if failed[0] > 0.0 => Err(Halt::Elsewhere),
        own => Ok(own?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::thread_comms;

    #[test]
    fn a_mistake_of_one_process_stops_all_and_is_told_by_one() {
        let fails = |failing: &[usize]| {
            thread_comms(3, |comm| {
                let is_wrong = failing.contains(&comm.rank());
                let own = if is_wrong { Err(SceneProblem::value(&"a".into(), "wrong")) } else { Ok(comm.rank()) };
                match together(comm, own) {
                    Ok(rank) => format!("{rank}"),
                    Err(Halt::Mistake(_)) => "mistake".into(),
                    Err(Halt::Elsewhere) => "elsewhere".into(),
                }
            })
        };
        assert_eq!(fails(&[]), ["0", "1", "2"]);
        assert_eq!(fails(&[1]), ["elsewhere", "mistake", "elsewhere"]);
        assert_eq!(fails(&[0, 2]), ["mistake", "elsewhere", "mistake"]);
    }
}
