//! Alert distances of all bodies: they follow from the speed of each, and from the speed that fast bodies may give it.

use rayon::prelude::*;

use super::alert::{AlertDistances, speed};
use super::swept::GreatestSpeeds;
use crate::body::State;
use crate::dim::Dim;
use crate::integrator::FreeMotion;
use crate::model::Model;

impl AlertDistances {
    /// Overwrites `alerts` with half the alert distance of a pair for every body; `speeds` are the greatest speeds over
    /// all processes.
    pub fn alerts<X: Dim>(
        &self,
        model: &Model<X>,
        states: &[State<X>],
        free: &[FreeMotion<X>],
        speeds: &GreatestSpeeds<X>,
        alerts: &mut Vec<f64>,
    ) {
        let both = states.par_iter().zip(free).with_min_len(1024);
        both.map(|(s, f)| self.alert_of(model, s, f, speeds)).collect_into_vec(alerts);
    }

    /// Half the alert distance of a pair, for one body.
    pub fn alert_of<X: Dim>(
        &self,
        model: &Model<X>,
        state: &State<X>,
        free: &FreeMotion<X>,
        speeds: &GreatestSpeeds<X>,
    ) -> f64 {
        let pushed = speeds.pushed(self, model, state, free);
        0.5 * self.alert + self.h * speed(model, state, free, self.h).max(0.5 * pushed)
    }
}
