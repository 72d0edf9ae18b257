//! Post-processing, during and after a run: turns the bodies and contacts at the end of a step into macroscopic
//! quantities.
//!
//! The input is a [`Snapshot`](crate::simulation::Snapshot): the bodies and the contacts that carry an impulse,
//! distributed over the processes. A [`Measure`] computes rows of numbers from it. Sums over bodies and contacts are
//! exact, so the results do not depend on the order of summation or on the number of processes, to the last bit.
//! `docs/measures.md` lists all equations.
//!
//! *Grains* are the bodies of finite extent without imposed motion; all other bodies are *walls*.

mod contacts;
mod cut;
mod energy;
pub mod file;
mod forces;
mod node_groups;
mod plots;
mod profile;
mod quantity;
mod rattlers;
mod reaction;
mod recorder;
mod region;
mod stress;
mod tensor;
mod track;

use crate::dim::Dim;
use crate::scene::{ContactsMeasure, EnergyMeasure, ForcesMeasure, MeasureEntry, ProfileMeasure, StressMeasure};

pub use plots::{IN_TIME, Plots, charts, draw, fabric_rose};
pub use quantity::{Measure, Quantity};
pub use rattlers::{Backbone, BackboneGrain};
pub use recorder::{FOLDER, Recorder, csv, read};

/// A measure with its name and its sampling interval.
pub struct NamedMeasure<X: Dim> {
    /// Name of its output file, without extension.
    pub name: String,
    /// Simulated time between two rows, s; every step if absent.
    pub every: Option<f64>,
    /// The measure itself.
    pub measure: Box<dyn Measure<X>>,
}

/// Builds the measures of a scene from validated entries, for a model with or without deformable bodies.
pub fn measures<X: Dim>(entries: &[MeasureEntry], has_deformables: bool) -> Vec<NamedMeasure<X>> {
    let names = MeasureEntry::names(entries);
    let named = entries.iter().zip(names).filter_map(|(entry, name)| {
        let measure = measure_of::<X>(entry, has_deformables)?;
        Some(NamedMeasure { name, every: entry.every, measure })
    });
    named.collect()
}

/// The default measures, used where the scene requests none.
pub fn default_measures<X: Dim>() -> Vec<MeasureEntry> {
    let axis = X::AXES[X::D - 1].to_owned();
    let profile = ProfileMeasure { axis, slices: 10, along: None, min: None, max: None };
    vec![
        MeasureEntry { stress: Some(StressMeasure::default()), ..MeasureEntry::default() },
        MeasureEntry { contacts: Some(ContactsMeasure::default()), ..MeasureEntry::default() },
        MeasureEntry { forces: Some(ForcesMeasure::default()), ..MeasureEntry::default() },
        MeasureEntry { profile: Some(profile), ..MeasureEntry::default() },
        MeasureEntry { energy: Some(EnergyMeasure::default()), ..MeasureEntry::default() },
    ]
}

fn measure_of<X: Dim>(entry: &MeasureEntry, has_deformables: bool) -> Option<Box<dyn Measure<X>>> {
    let stress = entry.stress.as_ref().map(|m| stress::Stress::<X>::new(m, has_deformables));
    stress
        .map(|stress| Box::new(stress) as Box<dyn Measure<X>>)
        .or_else(|| Some(Box::new(contacts::ContactNetwork::<X>::new(entry.contacts.as_ref()?))))
        .or_else(|| Some(Box::new(forces::Forces::<X>::new(entry.forces.as_ref()?))))
        .or_else(|| Some(Box::new(profile::Profile::new::<X>(entry.profile.as_ref()?)?)))
        .or_else(|| Some(Box::new(reaction::Reaction::new(entry.reaction.as_ref()?))))
        .or_else(|| Some(Box::new(node_groups::NodeGroups::new(entry.nodes.as_ref()?))))
        .or_else(|| Some(Box::new(cut::PlaneCut::new::<X>(entry.cut.as_ref()?)?)))
        .or_else(|| Some(Box::new(track::BodyTrack::new(entry.track.as_ref()?))))
        .or_else(|| {
            entry
                .energy
                .as_ref()
                .map(|_| Box::new(energy::Energy { has_nodes: has_deformables }) as Box<dyn Measure<X>>)
        })
}
