//! Named quantities with units, and the trait of what computes rows of them.

use crate::dim::Dim;
use crate::simulation::Snapshot;

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
    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Plane;

    #[test]
    fn heads_of_columns_carry_the_unit_and_need_no_quotes() {
        assert_eq!(Quantity::new("spin", "rad/s").head(), "spin_rad_s");
        let heads: Vec<String> = Quantity::tensor::<Plane>("stress", "N/m").iter().map(Quantity::head).collect();
        assert_eq!(heads, ["stress_xx_N_m", "stress_xy_N_m", "stress_yx_N_m", "stress_yy_N_m"]);
        assert_eq!(Quantity::new("grains", "").head(), "grains");
    }
}
