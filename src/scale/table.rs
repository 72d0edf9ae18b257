//! Output of a scaling study: table, CSV file and chart.

use std::fmt::Write;

use super::{ScalingKind, ScalingModel, ScalingPoint, efficiency, losses};
use crate::graphics::{Chart, Curve};

/// Numbers of processes for which efficiencies are predicted.
const LARGE: [usize; 3] = [64, 1024, 16384];

/// CSV file: one line per run, with the prediction of the model in the last column.
pub fn csv(kind: ScalingKind, points: &[ScalingPoint], predictions: &[Option<f64>]) -> String {
    let mut text = String::from(
        "kind,processes,threads,oversubscribed,bodies,contacts,subdomains,sweeps,step_s,detect_s,assemble_s,sweep_s,exchange_s,\
         wait_s,uneven_s,update_s,output_s,detect_waited_s,assemble_waited_s,solve_waited_s,update_waited_s,output_waited_s,imbalance,interface_share,neighbours,bytes_a_sweep,messages_a_step,collectives_a_step,efficiency,copies_step_s,model_step_s\n",
    );
    for (p, predicted) in points.iter().zip(predictions) {
        let _ = writeln!(
            text,
            "{},{},{},{},{},{:.1},{},{:.2},{:.9},{:.9},{:.9},{:.9},{:.9},{:.9},{:.9},{:.9},{:.9},{:.9},{:.9},{:.9},{:.9},{:.9},{:.4},{:.6},{},{},{:.1},{:.1},{:.4},{},{}",
            kind.name(),
            p.processes,
            p.threads,
            u8::from(p.is_oversubscribed),
            p.bodies,
            p.contacts,
            p.subdomains,
            p.sweeps,
            p.times.seconds,
            p.times.detect,
            p.times.assemble,
            p.times.sweep,
            p.times.exchange,
            p.times.wait,
            p.times.uneven,
            p.times.update,
            p.times.output,
            p.times.waited.detect,
            p.times.waited.assemble,
            p.times.waited.solve,
            p.times.waited.update,
            p.times.waited.output,
            p.imbalance,
            p.interface_share,
            p.traffic.neighbours,
            p.traffic.bytes,
            p.traffic.messages,
            p.traffic.collectives,
            efficiency(kind, &points[0], p),
            p.copies.map_or(String::new(), |seconds| format!("{seconds:.9}")),
            predicted.map_or(String::new(), |seconds| format!("{seconds:.9}"))
        );
    }
    text
}

/// Table for the terminal: the runs, the prediction for each, and predictions for much larger machines.
pub fn text(kind: ScalingKind, points: &[ScalingPoint], model: &ScalingModel, predictions: &[Option<f64>]) -> String {
    let first = &points[0];
    let held = match kind {
        ScalingKind::Strong => "the same problem on more processes",
        ScalingKind::Weak => "a problem that grows with the processes",
    };
    let mut text = format!(
        "{} scaling, {held}: {} bodies and {:.0} contacts on {}, {} subdomain(s), {} thread(s) each\n\
         ms a step      step  detect  assemble   sweep  exchange    wait  update  output  imbalance  interface  kB/sweep  messages  collectives  sweeps  efficiency\n",
        kind.name(),
        first.bodies,
        first.contacts,
        if first.processes == 1 { "one process".to_owned() } else { format!("{} processes", first.processes) },
        first.subdomains,
        first.threads
    );
    for p in points {
        let _ = writeln!(
            text,
            "{:>5} ranks{:>9.2}{:>8.2}{:>10.2}{:>8.2}{:>10.3}{:>8.3}{:>8.2}{:>8.2}{:>11.3}{:>10.1}%{:>10.1}{:>10.1}{:>13.1}{:>8.1}{:>10.1} %{}",
            p.processes,
            1e3 * p.times.seconds,
            1e3 * p.times.detect,
            1e3 * p.times.assemble,
            1e3 * p.times.sweep,
            1e3 * p.times.exchange,
            1e3 * p.times.wait,
            1e3 * p.times.update,
            1e3 * p.times.output,
            p.imbalance,
            100.0 * p.interface_share,
            p.traffic.bytes / 1e3,
            p.traffic.messages,
            p.traffic.collectives,
            p.sweeps,
            100.0 * efficiency(kind, first, p),
            if p.is_oversubscribed { "  OVERSUBSCRIBED: more threads than cores, no scaling" } else { "" }
        );
    }
    text += &losses::waited_text(points);
    text += &losses::text(kind, points);
    text += &validation(points, predictions);
    text + &model_text(first, model)
}

/// The parameters of the model, and its predictions for larger machines.
fn model_text(first: &ScalingPoint, model: &ScalingModel) -> String {
    let own = first.bodies / first.processes as f64;
    let predicted: Vec<String> =
        LARGE.iter().map(|&n| format!("{:.0} % on {n}", 100.0 * model.efficiency(first, n))).collect();
    format!(
        "model: {:.1} ns a contact and sweep, {:.2} us a body and step, imbalance {:.2}, {:.1} bodies at the faces of a part for each n^({:.0}/{:.0}),\n\
         messages {:.2} us and {:.1} GB/s between two processes; src/scale/model.rs says how they add up\n\
         predicted efficiency with {own:.0} bodies a process on such a network: {}\n",
        1e9 * model.contact,
        1e6 * model.body,
        model.imbalance,
        model.faces,
        model.dimension - 1.0,
        model.dimension,
        1e6 * model.network.latency,
        model.network.bandwidth / 1e9,
        predicted.join(", ")
    )
}

/// Each run next to its prediction by the model fitted to the runs before it.
fn validation(points: &[ScalingPoint], predictions: &[Option<f64>]) -> String {
    let mut text = String::new();
    for (p, predicted) in points.iter().zip(predictions) {
        let Some(predicted) = predicted else { continue };
        if text.is_empty() {
            text += "model made of the runs before   ms a step  measured   error\n";
        }
        let _ = writeln!(
            text,
            "{:>25} ranks{:>12.2}{:>10.2}{:>+6.0} %{}",
            p.processes,
            1e3 * predicted,
            1e3 * p.times.seconds,
            100.0 * (predicted / p.times.seconds - 1.0),
            if p.is_oversubscribed { "  OVERSUBSCRIBED, so the two should differ" } else { "" }
        );
    }
    text
}

/// Chart of the speed-up (weak scaling: efficiency) over processes: measured, ideal, and by the model.
pub fn chart(kind: ScalingKind, points: &[ScalingPoint], model: &ScalingModel) -> String {
    let first = &points[0];
    let speed_up = |p: usize, seconds: f64| match kind {
        ScalingKind::Strong => first.times.seconds * first.processes as f64 / seconds,
        ScalingKind::Weak => first.times.seconds / seconds * p as f64,
    };
    let shown = |p: &ScalingPoint| match kind {
        ScalingKind::Strong => [p.processes as f64, speed_up(p.processes, p.times.seconds)],
        ScalingKind::Weak => [p.processes as f64, efficiency(kind, first, p) * p.processes as f64],
    };
    let most = points.iter().map(|p| p.processes).max().unwrap_or(1);
    let predicted = (1..=most).map(|n| [n as f64, speed_up(n, model.predict(kind, first, n, first.sweeps))]).collect();
    let of = |oversubscribed: bool| {
        points.iter().filter(|p| p.is_oversubscribed == oversubscribed).map(shown).collect::<Vec<_>>()
    };
    let mut curves = vec![
        Curve { name: "ideal".into(), points: vec![[1.0, 1.0], [most as f64, most as f64]] },
        Curve { name: "measured".into(), points: of(false) },
        Curve { name: "model".into(), points: predicted },
    ];
    if points.iter().any(|p| p.is_oversubscribed) {
        curves.push(Curve { name: "oversubscribed".into(), points: of(true) });
    }
    let up = if kind == ScalingKind::Strong { "speed-up" } else { "scaled speed-up" };
    let title = format!("{} scaling, {} bodies on {} process(es)", kind.name(), first.bodies, first.processes);
    Chart { title, labels: ["processes".into(), up.into()], curves, is_logarithmic: false }.svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scale::{MeanTimes, Network, predictions};

    #[test]
    fn oversubscribed_runs_are_labelled_and_each_run_is_compared_with_the_model_of_the_runs_before() {
        let point = |processes: usize, is_oversubscribed| ScalingPoint {
            processes,
            threads: 1,
            dimension: 2,
            bodies: 1000.0,
            contacts: 2000.0,
            subdomains: 16,
            sweeps: 10.0,
            times: MeanTimes { seconds: 0.1 / processes as f64, sweep: 0.1 / processes as f64, ..MeanTimes::default() },
            imbalance: 1.0,
            is_oversubscribed,
            ..ScalingPoint::default()
        };
        let points = [point(1, false), point(2, true)];
        let network = Network { latency: 1e-9, bandwidth: 1e12 };
        let model = ScalingModel::fit(&points[..1], network).unwrap();
        let predictions = predictions(ScalingKind::Strong, &points, network);
        let report = text(ScalingKind::Strong, &points, &model, &predictions);
        assert!(report.contains("OVERSUBSCRIBED") && report.contains("100.0 %"), "{report}");
        assert!(report.contains("2 ranks       50.00     50.00    +0 %  OVERSUBSCRIBED"), "{report}");
        assert!(!report.contains(" 1 ranks       "), "the first run has no prediction: {report}");
        assert!(report.contains("on 16384"));
        let file = csv(ScalingKind::Strong, &points, &predictions);
        let ends: Vec<&str> = file.lines().filter_map(|line| line.rsplit(',').next()).collect();
        assert!(ends[..2] == ["model_step_s", ""] && ends[2].starts_with("0.0500000"), "{file}");
        assert!(chart(ScalingKind::Weak, &points, &model).contains("oversubscribed"));
    }
}
