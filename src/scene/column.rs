//! `column`: the scene entry of a column of drums.

use schemars::JsonSchema;
use serde::Deserialize;

use super::check::{at_least_one, edges, few_enough, positive};
use super::placing::vector;
use super::{BoxEntry, Checked, KeyPath, SceneProblem};
use crate::dim::Dim;
use crate::generate::DrumColumn;

/// A column of equal drums: prisms, or rectangles in two dimensions. The last axis is up.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnEntry {
    /// Number of drums.
    pub drums: u64,
    /// Distance of the corners of a drum from the axis, m; in two dimensions half its width.
    pub radius: f64,
    /// Height of one drum, m.
    pub height: f64,
    /// Number of sides of a drum, in three dimensions. By default 16.
    pub sides: Option<u32>,
    /// Centre of the base of the column, m.
    pub origin: Vec<f64>,
    /// A box on top of the last drum: { size = [a, b, c] }.
    pub capital: Option<BoxEntry>,
}

/// Default number of sides of a drum.
const SIDES: u32 = 16;
/// Largest number of sides: beyond it a drum is round for every purpose.
const MOST_SIDES: u32 = 1000;

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
            Some(sides) if !(3..=MOST_SIDES).contains(&sides) => {
                let message = format!("`sides` must lie between 3 and {MOST_SIDES}, not be {sides}");
                Err(SceneProblem::value(at, message).label("out of range").help("12 to 16 are nearly round"))
            }
            sides => Ok(sides.unwrap_or(SIDES)),
        }
    }
}
