//! An arch of wedges from its scene entry.

use std::f64::consts::{FRAC_PI_2, PI};

use super::values::{at_least_one, few_enough, positive};
use super::vectors::vector;
use super::{ArchEntry, Checked, KeyPath, SceneProblem};
use crate::dim::Dim;
use crate::generate::Arch;

/// The largest angle, rad.
const HORSESHOE: f64 = 1.5 * PI;

impl ArchEntry {
    pub(crate) fn arch<X: Dim>(&self, at: &KeyPath) -> Checked<Arch<X>> {
        positive(&at.then("inner_radius"), self.inner_radius, "radius of the inner circle in m")?;
        positive(&at.then("thickness"), self.thickness, "distance between the two circles in m")?;
        let angle_at = at.then("angle");
        if !(self.angle > 0.0 && self.angle <= HORSESHOE) {
            let message = format!("`angle` must be above 0 and at most {HORSESHOE:.4}, not {}", self.angle);
            let problem = SceneProblem::value(&angle_at, message).label("out of range");
            return Err(problem.help("in radians: 3.1416 for a semicircle, 2.0944 for a segment of 120 degrees"));
        }
        let voussoirs_at = at.then("voussoirs");
        at_least_one(&voussoirs_at, self.voussoirs, "an arch needs blocks")?;
        // A wedge of a quarter circle is the bluntest that still forms an arch. The tolerance accepts pi with any
        // number of digits.
        let least = (self.angle / FRAC_PI_2 - 1e-3).ceil();
        if (self.voussoirs as f64) < least {
            let message = format!("`voussoirs` = {} is too small for {:.4} rad", self.voussoirs, self.angle);
            let problem = SceneProblem::value(&voussoirs_at, message).label("too few");
            return Err(problem.help(format!("at least {least}; 15 is a good number")));
        }
        let arch = Arch {
            inner_radius: self.inner_radius,
            thickness: self.thickness,
            voussoirs: self.voussoirs,
            angle: self.angle,
            depth: self.depth_in::<X>(&at.then("depth"))?,
            centre: vector(&at.then("centre"), &self.centre)?,
            abutments: self.abutments,
        };
        few_enough(&voussoirs_at, arch.len() as f64)?;
        Ok(arch)
    }

    fn depth_in<X: Dim>(&self, at: &KeyPath) -> Checked<f64> {
        match self.depth {
            Some(depth) if X::HAS_DEPTH => {
                positive(at, depth, "depth of the arch in m, along the second axis")?;
                Ok(depth)
            }
            Some(_) => {
                let problem = SceneProblem::key(at, format!("an arch has no depth in {} dimensions", X::D));
                Err(problem.label("superfluous").help("remove `depth`"))
            }
            None if X::HAS_DEPTH => Err(super::explain::missing(&at.parent(), "depth")),
            None => Ok(0.0),
        }
    }
}
