//! Time-dependent signals: the value of a driven degree of freedom or of a load.

/// A value as a function of time. Times in s, value in the unit of what it drives.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Signal {
    /// Constant value.
    Constant(f64),
    /// Linear from `from` at time `start` to `to` at time `end`; constant before and after.
    Ramp {
        /// Value before `start`.
        from: f64,
        /// Value after `end`.
        to: f64,
        /// Start of the ramp, s.
        start: f64,
        /// End of the ramp, s.
        end: f64,
    },
    /// [mean + amplitude cos(omega t + phase)] min(1, ramp t).
    Sinusoid {
        /// Mean value.
        mean: f64,
        /// Half the peak-to-peak value.
        amplitude: f64,
        /// Angular frequency, rad/s.
        omega: f64,
        /// Phase at time zero, rad.
        phase: f64,
        /// Rate at which the signal grows to its full size, 1/s; infinite for a sudden start.
        ramp: f64,
    },
    /// Points (time, value) with increasing times; linear in between, constant outside.
    Table(Vec<[f64; 2]>),
}

impl Signal {
    /// Upper bound on the magnitude of the value.
    pub fn most(&self) -> f64 {
        match self {
            Signal::Constant(value) => value.abs(),
            Signal::Ramp { from, to, .. } => from.abs().max(to.abs()),
            Signal::Sinusoid { mean, amplitude, .. } => mean.abs() + amplitude.abs(),
            Signal::Table(points) => points.iter().map(|[_, value]| value.abs()).fold(0.0, f64::max),
        }
    }

    /// The value at time `t`.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            Signal::Constant(value) => *value,
            Signal::Ramp { from, to, start, end } => {
                let fraction = ((t - start) / (end - start)).clamp(0.0, 1.0);
                from + (to - from) * fraction
            }
            Signal::Sinusoid { mean, amplitude, omega, phase, ramp } => {
                let growth = if ramp.is_finite() { (ramp * t).clamp(0.0, 1.0) } else { 1.0 };
                (mean + amplitude * (omega * t + phase).cos()) * growth
            }
            Signal::Table(points) => interpolate(points, t),
        }
    }
}

fn interpolate(points: &[[f64; 2]], t: f64) -> f64 {
    let after = points.partition_point(|p| p[0] <= t);
    match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
        (Some([t0, v0]), Some([t1, v1])) => v0 + (v1 - v0) * ((t - t0) / (t1 - t0)),
        (Some([_, value]), None) => value,
        (None, Some([_, value])) => *value,
        (None, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_straight_between_points_and_constant_outside() {
        let table = Signal::Table(vec![[0.0, 1.0], [2.0, 3.0], [3.0, 0.0]]);
        assert_eq!([-1.0, 0.0, 1.0, 2.5, 9.0].map(|t| table.at(t)), [1.0, 1.0, 2.0, 1.5, 0.0]);
    }

    #[test]
    fn a_sinusoid_grows_with_its_ramp() {
        let s = Signal::Sinusoid { mean: 1.0, amplitude: 2.0, omega: 3.0, phase: 0.5, ramp: 0.25 };
        assert_eq!(s.at(0.0), 0.0);
        assert_eq!(s.at(2.0), (1.0 + 2.0 * 6.5f64.cos()) * 0.5);
        assert_eq!(s.at(8.0), 1.0 + 2.0 * 24.5f64.cos());
    }

    #[test]
    fn a_ramp_stays_at_its_ends() {
        let ramp = Signal::Ramp { from: -1.0, to: 1.0, start: 1.0, end: 2.0 };
        assert_eq!([0.0, 1.5, 5.0].map(|t| ramp.at(t)), [-1.0, 0.0, 1.0]);
    }
}
