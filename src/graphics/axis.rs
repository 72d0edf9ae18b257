//! Axes: from values to positions, round ticks, numbers as text.

/// Linear scale of an axis: range of values and range of pixels.
pub(crate) struct AxisScale {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) pixels: [f64; 2],
}

impl AxisScale {
    /// Scale that covers these values, widened if they coincide.
    pub(crate) fn around(values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        values.for_each(|x| (from, to) = (from.min(x), to.max(x)));
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        if to - from <= 1e-12 * from.abs().max(to.abs()) {
            let margin = if from == 0.0 { 1.0 } else { 0.1 * from.abs() };
            (from, to) = (from - margin, to + margin);
        }
        Self { from, to, pixels }
    }

    /// Position of a value.
    pub(crate) fn at(&self, x: f64) -> f64 {
        self.pixels[0] + (x - self.from) / (self.to - self.from) * (self.pixels[1] - self.pixels[0])
    }

    /// About five ticks at multiples of 1, 2 or 5 times a power of ten, at least `min_step` apart.
    pub(crate) fn ticks(&self, min_step: f64) -> Vec<f64> {
        let rough = ((self.to - self.from) / 5.0).max(min_step);
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|&s| s >= rough).unwrap_or(rough);
        let first = (self.from / step - 1e-9).ceil() as i64;
        (first..first + 12).map(|k| k as f64 * step).take_while(|&x| x <= self.to + 1e-9 * step).collect()
    }

    /// Ticks of a logarithmic axis, whose values are logarithms: powers of ten, and 2 and 5 times them where these are
    /// few.
    pub(crate) fn decades(&self) -> Vec<f64> {
        let (first, last) = (self.from.floor() as i32, self.to.ceil() as i32);
        let within = |tick: &f64| *tick >= self.from && *tick <= self.to;
        let ticks = |factors: &[f64]| -> Vec<f64> {
            let all = (first..=last).flat_map(|k| factors.iter().map(move |factor| f64::from(k) + factor.log10()));
            all.filter(within).collect()
        };
        let plain = ticks(&[1.0]);
        if plain.len() > 3 { plain } else { ticks(&[1.0, 2.0, 5.0]) }
    }
}

/// Shortest readable form of a number.
pub(crate) fn format_number(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&x.abs()) {
        let text = format!("{x:.2e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'));
    }
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let scale = AxisScale::around([0.13, 9.7].into_iter(), [0.0, 1.0]);
        assert_eq!(scale.ticks(0.0), [2.0, 4.0, 6.0, 8.0]);
        assert_eq!(scale.ticks(5.0), [5.0]);
        assert_eq!([0.0, 0.25, 1234.5, 2e-7, -3e9].map(format_number), ["0", "0.25", "1234.5", "2e-7", "-3e9"]);
        assert!(AxisScale::around([5.0].into_iter(), [0.0, 1.0]).ticks(0.0).len() > 2);
        let values = |from: f64, to: f64| {
            let scale = AxisScale::around([from, to].into_iter(), [0.0, 1.0]);
            scale.decades().into_iter().map(|tick| format_number(10f64.powf(tick))).collect::<Vec<_>>()
        };
        assert_eq!(values(-1.8, -0.2), ["0.02", "0.05", "0.1", "0.2", "0.5"]);
        assert_eq!(values(-3.5, 1.0), ["0.001", "0.01", "0.1", "1", "10"]);
    }
}
