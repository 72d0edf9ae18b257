//! Limits on the deformation of elastic bodies: large strains and displacements are counted, and the worst body is
//! named once; an inverted element ends the run, and so does a body with contacts on more nodes than can be solved for.

use super::Simulation;
use crate::base::error::{Error, Result};
use crate::body::Deformation;
use crate::contactor::MOST_DISPLACED;
use crate::dim::Dim;
use crate::simulation::warnings::WarningKind;

/// Principal strain above which linear elasticity is no longer a good approximation.
const LARGE_STRAIN: f64 = 0.05;
/// Steps between two examinations: they take as long as a step of a soft body.
const EVERY: u64 = 16;
/// Entries of the compliance between the contacts of a body above which its assembly dominates the step.
const MANY_ENTRIES: f64 = 1e6;
/// Entries that one body can have: 1 GiB in all subdomains together.
const MOST_ENTRIES: f64 = (1 << 27) as f64;

impl<X: Dim> Simulation<X> {
    /// Collective. Issues warnings of bodies that deform too much; an error if an element is turned inside out.
    pub(super) fn check_deformation(&mut self) -> Result<()> {
        if !self.model.has_deformables() || !self.clock.step.is_multiple_of(EVERY) {
            return Ok(());
        }
        let counts = self.domain.sum_over_indexed(&self.bodies, |i, _| {
            let Some(found) = self.deformation(i) else { return [0.0; 3] };
            [found.inverted.is_some(), found.strain > LARGE_STRAIN, found.displacement > MOST_DISPLACED]
                .map(|exceeds| f64::from(u8::from(exceeds)))
        });
        let [inverted, strained, displaced] = counts.map(|count| count > 0.0);
        self.warn_of_deformation(WarningKind::LargeStrain, strained, |found| found.strain, |body, strain| {
            format!(
                "body {body} is strained by {strain:.3}, above {LARGE_STRAIN}: elasticity is linear, and wrong for large \
                 strains; choose a larger `young`, or smaller loads"
            )
        });
        self.warn_of_deformation(WarningKind::LargeDisplacement, displaced, |found| found.displacement, |body, far| {
            format!(
                "nodes of body {body} are displaced by {far:.3} of its extent, above {MOST_DISPLACED}: contacts there may not be \
                 found; choose a larger `young`, smaller loads, or several shorter bodies"
            )
        });
        if inverted { self.check_inversion() } else { Ok(()) }
    }

    /// Collective. An error if an element is turned inside out. Counts no warnings, which belong to the state: a run may
    /// call it after its last step and go on later.
    pub(crate) fn check_inversion(&self) -> Result<()> {
        if !self.model.has_deformables() {
            return Ok(());
        }
        let what = |i: usize| {
            let element = self.deformation(i)?.inverted?;
            Some((self.bodies.states()[i].id.0, format!("has an element turned inside out: number {}", element + 1)))
        };
        let first = (0..self.bodies.len()).filter_map(what).min();
        let (step, time) = (self.clock.step, self.clock.time);
        match self.domain.first_of_all(first) {
            Some((body, what)) => Err(Error::Failed { step, time, body, what }),
            None => Ok(()),
        }
    }

    /// Collective. A warning of a body whose contacts act on so many nodes that the compliance between them is large;
    /// an error if it is too large.
    pub(super) fn check_loaded_nodes(&mut self) -> Result<()> {
        if !self.model.has_deformables() {
            return Ok(());
        }
        let loaded = &self.predicted.loaded;
        let entries = |i: usize| (X::D * loaded.of(i).len()).pow(2) as f64;
        let [many, most] = self.domain.sum_over_indexed(&self.bodies, |i, _| {
            [MANY_ENTRIES, MOST_ENTRIES].map(|limit| f64::from(u8::from(entries(i) > limit)))
        });
        let is_named = most > 0.0 || (many > 0.0 && self.warnings.get(WarningKind::ManyLoadedNodes).is_none());
        let worst = if is_named { self.worst_of(entries) } else { None };
        let what = worst.map(|(body, entries)| {
            let (nodes, millions) = (entries.sqrt() as usize / X::D, entries / 1e6);
            let what = format!(
                "has contacts on {nodes} nodes, and the compliance between them {millions:.0} million entries: give it \
                 larger elements where it touches others, or make several bodies of it"
            );
            (body, what)
        });
        let (step, time) = (self.clock.step + 1, (self.clock.step + 1) as f64 * self.step_length());
        match what {
            Some((body, what)) if most > 0.0 => return Err(Error::Failed { step, time, body, what }),
            what => self.warnings.add(WarningKind::ManyLoadedNodes, u64::from(many > 0.0), (step, time), || {
                what.map(|(body, what)| format!("body {body} {what}; such steps are slow")).unwrap_or_default()
            }),
        }
        Ok(())
    }

    fn deformation(&self, i: usize) -> Option<Deformation> {
        let operator = self.model.deformable(&self.bodies.states()[i])?;
        Some(operator.deformation(self.bodies.nodes().of(i)))
    }

    /// Collective. Issues a warning of this kind that names the body with the greatest value, if it is `due`.
    fn warn_of_deformation(
        &mut self,
        kind: WarningKind,
        due: bool,
        value: impl Fn(&Deformation) -> f64,
        message: impl FnOnce(u64, f64) -> String,
    ) {
        let now = (self.clock.step, self.clock.time);
        let worst = match due && self.warnings.get(kind).is_none() {
            true => self.worst_of(|i| self.deformation(i).map_or(0.0, |found| value(&found))),
            false => None,
        };
        let message = worst.map(|(body, most)| message(body, most));
        self.warnings.add(kind, u64::from(due), now, || message.unwrap_or_default());
    }
}
