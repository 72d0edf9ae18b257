//! Post-processing, during and after a run: turns the bodies and contacts at the end of a step into macroscopic
//! quantities.
//!
//! The input is a [`Snapshot`]: the bodies and the contacts that carry an impulse, distributed over the processes. A
//! [`Measure`] computes rows of numbers from it. Sums over bodies and contacts are exact, so the results do not depend
//! on the order of summation or on the number of processes, to the last bit. `docs/measures.md` lists all equations.
//!
//! *Grains* are the bodies of finite extent without imposed motion; all other bodies are *walls*.

mod contacts;
mod cut;
mod energy;
pub mod file;
mod forces;
mod plots;
mod profile;
mod rattlers;
mod reaction;
mod recorder;
mod region;
mod stress;
mod track;

use crate::dim::Dim;
use crate::scene::{ContactsMeasure, EnergyMeasure, ForcesMeasure, MeasureEntry, ProfileMeasure, StressMeasure};
use crate::simulation::Snapshot;

pub use plots::{IN_TIME, Plots, charts, draw, fabric_rose};
pub use rattlers::{Backbone, BackboneGrain};
pub use recorder::{FOLDER, Recorder, csv, read};

/// A column of numbers: its name and unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Name of the quantity.
    pub name: String,
    /// SI unit; empty for a dimensionless number.
    pub unit: &'static str,
}

impl Quantity {
    /// Creates a quantity with this name and unit.
    pub fn new(name: impl Into<String>, unit: &'static str) -> Self {
        Self { name: name.into(), unit }
    }

    /// Column header: the name with the unit appended, in characters that need no quoting in CSV.
    pub fn head(&self) -> String {
        let unit = self.unit.replace([' ', '/'], "_");
        if unit.is_empty() { self.name.clone() } else { format!("{}_{unit}", self.name) }
    }

    /// One quantity per component of a vector.
    pub fn vector<X: Dim>(name: &str, unit: &'static str) -> Vec<Self> {
        X::AXES.iter().map(|axis| Self::new(format!("{name}_{axis}"), unit)).collect()
    }

    /// One quantity per component of a tensor, in row-major order.
    pub fn tensor<X: Dim>(name: &str, unit: &'static str) -> Vec<Self> {
        let row =
            |i: &&'static str| X::AXES.iter().map(|j| Self::new(format!("{name}_{i}{j}"), unit)).collect::<Vec<_>>();
        X::AXES.iter().flat_map(row).collect()
    }
}

/// A quantity, or a group of quantities, computed from a snapshot.
pub trait Measure<X: Dim>: Send + Sync {
    /// The columns of its rows.
    fn quantities(&self) -> Vec<Quantity>;
    /// Collective. Computes one row, or one row per slice; identical on all processes.
    fn rows(&self, look: &Snapshot<X>) -> Vec<Vec<f64>>;
}

/// A measure with its name and its sampling interval.
pub struct Named<X: Dim> {
    /// Name of its output file, without extension.
    pub name: String,
    /// Simulated time between two rows, s; every step if absent.
    pub every: Option<f64>,
    /// The measure itself.
    pub measure: Box<dyn Measure<X>>,
}

/// Builds the measures of a scene from validated entries.
pub fn measures<X: Dim>(entries: &[MeasureEntry]) -> Vec<Named<X>> {
    let names = MeasureEntry::names(entries);
    let named = entries.iter().zip(names).filter_map(|(entry, name)| {
        let measure = measure_of::<X>(entry)?;
        Some(Named { name, every: entry.every, measure })
    });
    named.collect()
}

/// The default measures, used where the scene requests none.
pub fn usual<X: Dim>() -> Vec<MeasureEntry> {
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

fn measure_of<X: Dim>(entry: &MeasureEntry) -> Option<Box<dyn Measure<X>>> {
    let stress = entry.stress.as_ref().map(|m| Box::new(stress::Stress::<X>::new(m)) as Box<dyn Measure<X>>);
    stress
        .or_else(|| Some(Box::new(contacts::ContactNetwork::<X>::new(entry.contacts.as_ref()?))))
        .or_else(|| Some(Box::new(forces::Forces::<X>::new(entry.forces.as_ref()?))))
        .or_else(|| Some(Box::new(profile::Profile::new::<X>(entry.profile.as_ref()?)?)))
        .or_else(|| Some(Box::new(reaction::Reaction::new(entry.reaction.as_ref()?))))
        .or_else(|| Some(Box::new(cut::PlaneCut::new::<X>(entry.cut.as_ref()?)?)))
        .or_else(|| Some(Box::new(track::BodyTrack::new(entry.track.as_ref()?))))
        .or_else(|| entry.energy.as_ref().map(|_| Box::new(energy::Energy) as Box<dyn Measure<X>>))
}

/// `a`/`b`; NaN if `b` is zero.
fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { f64::NAN } else { a / b }
}

/// Trace of a row-major tensor divided by the dimension.
fn mean_of<X: Dim>(tensor: &[f64]) -> f64 {
    (0..X::D).map(|i| tensor[i * X::D + i]).sum::<f64>() / X::D as f64
}

/// sqrt(s:s/2), where s is the symmetric deviator of a row-major tensor; in 2D, half the difference of the principal
/// values.
fn deviator_of<X: Dim>(tensor: &[f64]) -> f64 {
    let mean = mean_of::<X>(tensor);
    let mut sum = 0.0;
    for i in 0..X::D {
        for j in 0..X::D {
            let symmetric = 0.5 * (tensor[i * X::D + j] + tensor[j * X::D + i]);
            let s = if i == j { symmetric - mean } else { symmetric };
            sum += s * s;
        }
    }
    (0.5 * sum).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};

    #[test]
    fn the_deviator_in_the_plane_is_half_the_difference_of_the_principal_values() {
        assert_eq!(deviator_of::<Plane>(&[5.0, 0.0, 0.0, 1.0]), 2.0);
        assert!((deviator_of::<Plane>(&[3.0, 2.0, 2.0, 3.0]) - 2.0).abs() < 1e-15);
        assert_eq!((mean_of::<Space>(&[1.0, 9.0, 9.0, 9.0, 2.0, 9.0, 9.0, 9.0, 6.0]), ratio(1.0, 2.0)), (3.0, 0.5));
        assert!(ratio(0.0, 0.0).is_nan());
    }

    #[test]
    fn heads_of_columns_carry_the_unit_and_need_no_quotes() {
        assert_eq!(Quantity::new("spin", "rad/s").head(), "spin_rad_s");
        let heads: Vec<String> = Quantity::tensor::<Plane>("stress", "N/m").iter().map(Quantity::head).collect();
        assert_eq!(heads, ["stress_xx_N_m", "stress_xy_N_m", "stress_yx_N_m", "stress_yy_N_m"]);
        assert_eq!(Quantity::new("grains", "").head(), "grains");
    }
}
