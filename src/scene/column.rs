//! A column of drums from its scene entry.

use super::values::{at_least_one, edges, few_enough, positive};
use super::vectors::vector;
use super::{Checked, ColumnEntry, KeyPath, SceneProblem};
use crate::dim::Dim;
use crate::generate::DrumColumn;

/// Default number of sides of a drum.
const SIDES: u32 = 16;
/// Largest number of sides: beyond it a drum is round for every purpose.
const MAX_SIDES: u32 = 1000;

impl ColumnEntry {
    pub(crate) fn column<X: Dim>(&self, at: &KeyPath) -> Checked<DrumColumn<X>> {
        let drums_at = at.then("drums");
        at_least_one(&drums_at, self.drums, "a column needs drums")?;
        positive(&at.then("radius"), self.radius, "distance of a drum's corners from the axis in m")?;
        positive(&at.then("height"), self.height, "height of one drum in m, not of the column")?;
        let capital = self.capital.as_ref().map(|b| edges(&at.then("capital").then("size"), &b.size)).transpose()?;
        let column = DrumColumn {
            drums: self.drums,
            radius: self.radius,
            height: self.height,
            sides: self.sides_in::<X>(&at.then("sides"))?,
            origin: vector(&at.then("origin"), &self.origin)?,
            capital,
        };
        few_enough(&drums_at, column.len() as f64)?;
        Ok(column)
    }

    fn sides_in<X: Dim>(&self, at: &KeyPath) -> Checked<u32> {
        match self.sides {
            Some(_) if !X::HAS_DEPTH => {
                let problem = SceneProblem::key(at, format!("drums are rectangles in {} dimensions", X::D));
                Err(problem.label("superfluous").help("remove `sides`; a drum is two radii wide"))
            }
            None if !X::HAS_DEPTH => Ok(2),
            Some(sides) if !(3..=MAX_SIDES).contains(&sides) => {
                let message = format!("`sides` must lie between 3 and {MAX_SIDES}, not be {sides}");
                Err(SceneProblem::value(at, message).label("out of range").help("12 to 16 are nearly round"))
            }
            sides => Ok(sides.unwrap_or(SIDES)),
        }
    }
}
