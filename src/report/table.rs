//! Tables read from CSV files, reduced for a page: fewer points and fewer digits.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::graphics::Chart;

/// Maximum number of points per curve.
const MAX_POINTS: usize = 480;
/// Digits after the leading one.
const DIGITS: usize = 4;

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ReportTable {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl ReportTable {
    /// Reads a file, skipping incomplete lines. `None` if the file is missing or empty.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let text = fs::read_to_string(path).ok()?;
        let mut lines = text.lines();
        let names: Vec<String> = lines.next()?.split(',').map(str::to_owned).collect();
        let mut columns = vec![Vec::new(); names.len()];
        for line in lines {
            let row: Option<Vec<f64>> = line.split(',').map(|number| number.parse().ok()).collect();
            if let Some(row) = row.filter(|row| row.len() == names.len()) {
                columns.iter_mut().zip(row).for_each(|(column, number)| column.push(number));
            }
        }
        (!columns[0].is_empty()).then_some(Self { names, columns })
    }

    /// A column by name; empty if absent.
    pub(super) fn column(&self, name: &str) -> &[f64] {
        let index = self.names.iter().position(|own| own == name);
        index.map_or(&[], |index| &self.columns[index])
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// Points of column `y` over column `x`.
    pub(super) fn points(&self, x: &str, y: &str) -> Vec<[f64; 2]> {
        self.column(x).iter().zip(self.column(y)).map(|(&x, &y)| [x, y]).collect()
    }
}

/// Rounds a number to few digits.
pub(super) fn short(number: f64) -> f64 {
    format!("{number:.DIGITS$e}").parse().unwrap_or(number)
}

/// Rounds numbers to few digits; values that are not finite become null.
pub(super) fn shorts(numbers: impl Iterator<Item = f64>) -> Vec<Value> {
    // Integers are written without a decimal point.
    let whole = |x: f64| if x == x.trunc() && x.abs() < 1e9 { json!(x as i64) } else { json!(x) };
    numbers.map(|x| if x.is_finite() { whole(short(x)) } else { Value::Null }).collect()
}

/// Reduces a curve to at most `max_points` points: the minimum and maximum of each interval, so that no peak is lost.
pub(super) fn reduced(points: &[[f64; 2]], max_points: usize) -> Vec<[f64; 2]> {
    if points.len() <= max_points {
        return points.to_vec();
    }
    let intervals = (max_points / 2).max(1);
    let mut kept = Vec::with_capacity(max_points);
    for k in 0..intervals {
        let interval = &points[points.len() * k / intervals..points.len() * (k + 1) / intervals];
        let known = || interval.iter().enumerate().filter(|(_, point)| point[1].is_finite());
        let order = |a: &(usize, &[f64; 2]), b: &(usize, &[f64; 2])| a.1[1].total_cmp(&b.1[1]);
        match (known().min_by(order), known().max_by(order)) {
            (Some((low, _)), Some((high, _))) => {
                kept.push(interval[low.min(high)]);
                if low != high {
                    kept.push(interval[low.max(high)]);
                }
            }
            // Keep a gap as a gap.
            _ => kept.extend(interval.first()),
        }
    }
    kept
}

/// A chart for the page; `limits` are values to mark with a line, with their labels.
pub(super) fn chart(chart: &Chart, limits: &[(f64, &str)]) -> Value {
    let curves = chart.curves.iter().map(|curve| {
        let points = reduced(&curve.points, MAX_POINTS);
        json!({
            "name": curve.name,
            "x": shorts(points.iter().map(|point| point[0])),
            "y": shorts(points.iter().map(|point| point[1])),
        })
    });
    let limits: Vec<Value> = limits.iter().map(|(value, name)| json!({ "value": value, "name": name })).collect();
    json!({
        "title": chart.title,
        "labels": chart.labels,
        "log": chart.is_logarithmic,
        "curves": curves.collect::<Vec<_>>(),
        "limits": limits,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_keeps_its_ends_in_order_and_every_peak() {
        let mut points: Vec<[f64; 2]> = (0..10_000).map(|k| [f64::from(k), (f64::from(k) * 0.01).sin()]).collect();
        points[4321][1] = 99.0;
        points[1234][1] = f64::NAN;
        let kept = reduced(&points, 200);
        assert!(kept.len() <= 200 && kept.len() > 100);
        assert!(kept.contains(&[4321.0, 99.0]));
        assert!(kept.windows(2).all(|pair| pair[0][0] < pair[1][0]));
        assert!(kept.iter().all(|point| point[1].is_finite()));
        assert_eq!(reduced(&points[..50], 200), points[..50]);
    }

    #[test]
    fn numbers_are_short_and_what_is_none_is_null() {
        let text = Value::Array(shorts([1.0 / 3.0, 2e7, f64::NAN, 1.234_567e-9, -0.5].into_iter())).to_string();
        assert_eq!(text, "[0.33333,20000000,null,1.2346e-9,-0.5]");
    }

    #[test]
    fn a_line_cut_by_a_crash_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.csv");
        fs::write(&path, "step,x\n1,2.5\n2,3.5\n3").unwrap();
        let table = ReportTable::read(&path).unwrap();
        assert_eq!((table.len(), table.points("step", "x")), (2, vec![[1.0, 2.5], [2.0, 3.5]]));
        assert!(table.column("y").is_empty());
        fs::write(&path, "step,x\n").unwrap();
        assert_eq!(ReportTable::read(&path), None);
    }
}
