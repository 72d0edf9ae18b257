//! Selection of charts: which quantities are drawn together, and over which axis.
//!
//! Quantities of the same unit share a chart, and so do the components of a dimensionless tensor. Forces are drawn as a
//! distribution, profiles over the position of the slice, and quantities recorded during a run over time.

use super::quantity::Quantity;
use super::tensor::ratio;
use crate::dim::Dim;
use crate::graphics::{Chart, Curve, Rose};
use crate::simulation::Snapshot;

/// Number of sectors of a rose diagram.
const SECTORS: usize = 36;
/// Prefix of the columns of a distribution.
const PDF: &str = "pdf_";

/// Suffix of the name of a measure in charts over time.
pub const IN_TIME: &str = "-in-time";

/// File names with file contents.
pub type Plots = Vec<(String, String)>;

/// Draws the charts of a measure as SVG files.
pub fn draw(name: &str, quantities: &[Quantity], rows: &[Vec<f64>], times: Option<&[f64]>) -> Plots {
    let charts = charts(name, quantities, rows, times).into_iter();
    charts.map(|(name, chart)| (format!("{name}.svg"), chart.svg())).collect()
}

/// Builds the charts of a measure called `name`, each with its own name: of a single snapshot, or over the `times` of
/// the rows.
pub fn charts(name: &str, quantities: &[Quantity], rows: &[Vec<f64>], times: Option<&[f64]>) -> Vec<(String, Chart)> {
    let is_profile = quantities.first().is_some_and(|q| q.name == "position");
    match times {
        Some(_) if is_profile => Vec::new(),
        Some(times) => charts_over(name, quantities, rows, times, "time (s)"),
        None if is_profile => {
            let abscissae: Vec<f64> = rows.iter().map(|row| row[0]).collect();
            let rest: Vec<Vec<f64>> = rows.iter().map(|row| row[1..].to_vec()).collect();
            charts_over(name, &quantities[1..], &rest, &abscissae, "position (m)")
        }
        None => distribution(name, quantities, rows).into_iter().collect(),
    }
}

/// Chart of the bins of a distribution; `None` if there are no bins.
fn distribution(name: &str, quantities: &[Quantity], rows: &[Vec<f64>]) -> Option<(String, Chart)> {
    let row = rows.first()?;
    let middle = |q: &Quantity| q.name.strip_prefix(PDF)?.parse::<f64>().ok();
    let points: Vec<[f64; 2]> =
        quantities.iter().zip(row).filter_map(|(q, &density)| Some([middle(q)?, density])).collect();
    if points.is_empty() {
        return None;
    }
    let chart = Chart {
        title: "distribution of normal forces".into(),
        labels: ["normal force over its mean".into(), "probability density".into()],
        curves: vec![Curve { name: name.into(), points }],
        is_logarithmic: true,
    };
    Some((name.to_owned(), chart))
}

/// One chart per group of quantities, drawn over the `abscissae`.
fn charts_over(
    name: &str,
    quantities: &[Quantity],
    rows: &[Vec<f64>],
    abscissae: &[f64],
    label: &str,
) -> Vec<(String, Chart)> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (k, quantity) in quantities.iter().enumerate().filter(|(_, q)| !q.name.starts_with(PDF)) {
        let key = group(quantity);
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, members)) => members.push(k),
            None => groups.push((key, vec![k])),
        }
    }
    let words = |text: &str| text.replace('_', " ");
    let chart = |(_, members): &(String, Vec<usize>)| {
        let first = &quantities[members[0]];
        let stems: Vec<&str> = members.iter().map(|&k| stem(&quantities[k].name)).collect();
        let name_of_chart = if members.len() > 1 { stems[0] } else { &first.name };
        let unit = if first.unit.is_empty() { String::new() } else { format!(" ({})", first.unit) };
        let curve = |&k: &usize| Curve {
            name: words(&quantities[k].name),
            points: abscissae.iter().zip(rows).map(|(&x, row)| [x, row[k]]).collect(),
        };
        let chart = Chart {
            title: words(name),
            labels: [label.into(), words(&summary(&stems, name_of_chart)) + &unit],
            curves: members.iter().map(curve).collect(),
            is_logarithmic: false,
        };
        let is_whole = name.strip_suffix(IN_TIME).unwrap_or(name) == name_of_chart;
        let file = if is_whole { name.to_owned() } else { format!("{name}-{name_of_chart}") };
        (file, chart)
    };
    groups.iter().map(chart).collect()
}

/// Short label for the curves of a chart called `name`.
fn summary(stems: &[&str], name: &str) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    stems.iter().filter(|_| stems.len() > 1).for_each(|stem| {
        if !distinct.contains(stem) {
            distinct.push(stem);
        }
    });
    match distinct[..] {
        [] | [_] => name.to_owned(),
        [_, _] | [_, _, _] => distinct.join(", "),
        [first, second, ..] => format!("{first}, {second}, ..."),
    }
}

/// Grouping key: quantities with the same key share a chart.
fn group(quantity: &Quantity) -> String {
    let is_component = stem(&quantity.name) != quantity.name;
    match quantity.unit {
        "" if is_component => stem(&quantity.name).to_owned(),
        "" => quantity.name.clone(),
        unit => format!("({unit})"),
    }
}

/// Name without the suffix of the component.
fn stem(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((stem, axes)) if !axes.is_empty() && axes.chars().all(|c| "xyz".contains(c)) => stem,
        _ => name,
    }
}

/// Collective. Rose diagram of contact normals, each in both directions, projected on the plane of the first and last
/// axes.
pub fn fabric_rose<X: Dim>(snapshot: &Snapshot<X>) -> Rose {
    let (right, up) = (0, X::D - 1);
    let full_circle = 2.0 * std::f64::consts::PI;
    let counts = snapshot.sum_over_contacts(SECTORS, |contact, sums| {
        if contact.is_link() || !contact.has_grain() {
            return;
        }
        for normal in [contact.normal, -contact.normal] {
            let angle = normal[up].atan2(normal[right]).rem_euclid(full_circle);
            sums.add(((angle / full_circle * SECTORS as f64) as usize).min(SECTORS - 1), 1.0);
        }
    });
    let all: f64 = counts.iter().sum();
    Rose {
        title: "directions of contact normals".into(),
        axes: [X::AXES[right].into(), X::AXES[up].into()],
        density: counts.iter().map(|count| ratio(*count, all * full_circle / SECTORS as f64)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Plane;

    #[test]
    fn quantities_of_one_unit_share_a_chart_and_components_of_a_tensor_too() {
        let mut quantities = Quantity::tensor::<Plane>("stress", "Pa");
        quantities.push(Quantity::new("pressure", "Pa"));
        quantities.extend(Quantity::tensor::<Plane>("fabric", ""));
        quantities.push(Quantity::new("void_ratio", ""));
        let rows = vec![vec![1.0; 10], vec![2.0; 10]];
        let plots = draw("stress", &quantities, &rows, Some(&[0.0, 0.1]));
        let names: Vec<&str> = plots.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["stress.svg", "stress-fabric.svg", "stress-void_ratio.svg"]);
        assert!(plots[0].1.contains("time (s)") && plots[0].1.contains("stress, pressure (Pa)"));
    }

    #[test]
    fn a_distribution_is_drawn_by_the_middles_of_its_bins() {
        let quantities = [Quantity::new("mean", "N"), Quantity::new("pdf_0.5", ""), Quantity::new("pdf_1.5", "")];
        let plots = draw("forces", &quantities, &[vec![3.0, 0.7, 0.3]], None);
        assert!(plots.len() == 1 && plots[0].1.contains("normal force over its mean"));
        assert!(draw("cut", &quantities[..1], &[vec![3.0]], None).is_empty());
    }
}
