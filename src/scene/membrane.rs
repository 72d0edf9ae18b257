//! Flexible boundaries from `[[membranes]]`, and their checks.

use super::motion::signal;
use super::values::{AXES, corners, positive};
use super::{BoxBounds, Checked, KeyPath, Loose, MembraneEntry, Scene, SceneProblem};
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};
use crate::model::Membrane;

impl MembraneEntry {
    /// Index of the axis, and sign of the side.
    fn side(&self, dimension: usize) -> Option<(usize, f64)> {
        let (sign, name) = self.side.split_at_checked(1)?;
        let axis = AXES[..dimension].iter().position(|axis| *axis == name)?;
        match sign {
            "+" => Some((axis, 1.0)),
            "-" => Some((axis, -1.0)),
            _ => None,
        }
    }
}

impl Scene {
    /// Requires every membrane to have a valid side, pressure and region.
    pub(crate) fn check_membranes(&self) -> Checked {
        let dimension = usize::from(self.world.dimension);
        for (i, entry) in self.membranes.iter().enumerate() {
            let at = KeyPath::from("membranes").then(i);
            if entry.side(dimension).is_none() {
                let problem = SceneProblem::value(&at.then("side"), format!("there is no side \"{}\"", entry.side));
                let sides = if dimension == 2 { "+x, -x, +y, -y" } else { "+x, -x, +y, -y, +z, -z" };
                return Err(problem.label("unknown").help(format!("the sides are {sides}")));
            }
            if let Loose::Number(pressure) = entry.pressure {
                positive(&at.then("pressure"), pressure, "Pa, or N/m in two dimensions; a membrane cannot pull")?;
            }
            if let Some(spacing) = entry.spacing {
                positive(&at.then("spacing"), spacing, "distance between two rays, m")?;
            }
            if let Some(BoxBounds { min, max }) = &entry.region {
                corners(&at.then("box"), min, max, dimension)?;
            }
            if let Some(other) = self.membranes[..i].iter().position(|other| other.side == entry.side) {
                let overlap = entry.region.is_none() || self.membranes[other].region.is_none();
                if overlap {
                    let problem =
                        SceneProblem::value(&at.then("side"), format!("two membranes act on side {}", entry.side));
                    let first = KeyPath::from("membranes").then(other).then("side");
                    let problem = problem.label("the second").also(&first, "the first");
                    return Err(problem.help("give each a `box` of its own, or keep one of them"));
                }
            }
            if self.cell.is_some() {
                let problem = SceneProblem::value(&at, "membranes cannot be used in a periodic cell");
                let problem = problem.label("a membrane").also(&"cell".into(), "the cell");
                return Err(problem.help("apply the pressure by driven walls, or remove the cell"));
            }
        }
        Ok(())
    }

    /// Creates the membranes of the model.
    pub(crate) fn membranes<X: Dim>(&self) -> Checked<Vec<Membrane<X>>> {
        let made = self.membranes.iter().enumerate().map(|(i, entry)| {
            let at = KeyPath::from("membranes").then(i);
            // Checked when the scene was read.
            let (axis, side) = entry.side(X::D).unwrap_or((0, 1.0));
            let region = entry.region.as_ref();
            Ok(Membrane {
                axis,
                side,
                pressure: signal(&entry.pressure, &at.then("pressure"), self)?,
                spacing: entry.spacing,
                region: region.map(|b| Bounds { min: X::Vector::read(&b.min), max: X::Vector::read(&b.max) }),
            })
        });
        made.collect()
    }
}
