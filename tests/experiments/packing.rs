//! Compressed samples: a packing of frictionless spheres, and F1, triaxial tests (R. Mozul and F. Dubois, Of the
//! designing of a software dedicated to the numerical simulation of contact dynamics problems).

use crate::runs::{Columns, Run, mean};

/// Mean of the last `rows` of a column.
fn end(table: &Columns, column: &str, rows: usize) -> f64 {
    let values = table.get(column);
    mean(&values[values.len() - rows..])
}

#[test]
fn spheres_without_friction_jam_at_random_close_packing_with_six_contacts_each() {
    let run = Run::of("isotropic-packing", &[]);
    let (inside, contacts) = (run.measure("inside"), run.measure("inside-contacts"));
    let fraction = end(&inside, "solid_fraction", 10);
    let coordination = end(&contacts, "coordination_number_without_rattlers", 10);
    // Walls included: as many contacts as the grains that are not rattlers have degrees of freedom.
    let all = run.measure("contacts");
    let isostatic = end(&all, "contacts", 10) / (3.0 * (3000.0 - end(&all, "rattlers", 10)));
    let deviator = end(&run.measure("stress"), "deviator_over_pressure", 10);
    println!(
        "solid fraction {fraction:.4}, coordination {coordination:.3}, contacts/freedoms {isostatic:.3}, q/p {deviator:.3}"
    );
    assert!((0.63..0.65).contains(&fraction), "{fraction}");
    assert!((5.8..6.2).contains(&coordination), "{coordination}");
    assert!((0.96..1.04).contains(&isostatic), "{isostatic}");
    assert!(deviator < 0.05, "pressed from all sides alike: {deviator}");
    let overlap = run.history().get("max_penetration").iter().copied().fold(0.0, f64::max);
    assert!(overlap < 0.01, "{overlap}");
}

/// Mean stress ratio beyond a strain of 0.1, coordination number, strong and weak network over the total deviator.
fn sheared(scene: &str) -> [f64; 4] {
    let run = Run::of(scene, &[]);
    let (stress, contacts, forces) = (run.measure("stress"), run.measure("contacts"), run.measure("forces"));
    let rows = stress.get("time_s").iter().filter(|&&time| time > 3.0).count();
    let of = |table: &Columns, column: &str| end(table, column, rows);
    let ratio = 2.0 * of(&stress, "stress_zz_Pa") / (of(&stress, "stress_xx_Pa") + of(&stress, "stress_yy_Pa"));
    let whole = of(&stress, "deviator_Pa");
    let found = [
        ratio,
        of(&contacts, "coordination_number"),
        of(&forces, "strong_deviator_Pa") / whole,
        of(&forces, "weak_deviator_Pa") / whole,
    ];
    let begin = stress.get("time_s").iter().position(|&time| time >= 1.3).unwrap();
    let start = stress.get("stress_zz_Pa")[begin] / stress.get("stress_xx_Pa")[begin];
    println!(
        "{scene}: stress ratio {start:.2} at rest, {ratio:.2} sheared; coordination, strong, weak {:.3?}",
        &found[1..]
    );
    assert!((0.8..1.25).contains(&start), "pressed from all sides alike: {start}");
    let weak_contacts = of(&forces, "weak_share");
    assert!(weak_contacts > 0.5, "most contacts are weak: {weak_contacts}");
    found
}

#[test]
fn under_triaxial_compression_strong_forces_carry_the_deviator_and_polyhedra_more_than_spheres() {
    let spheres = sheared("triaxial-spheres");
    let polyhedra = sheared("triaxial-polyhedra");
    for [ratio, _, strong, weak] in [spheres, polyhedra] {
        assert!(ratio > 1.5, "{ratio}");
        assert!(strong > 0.8 && weak < 0.2, "strong {strong}, weak {weak}");
    }
    assert!((1.6..2.6).contains(&spheres[0]) && polyhedra[0] > spheres[0] + 0.8, "{spheres:?} {polyhedra:?}");
    // For spheres between 4, isostatic with friction, and 6, without; polyhedra have face contacts, which count by
    // their points.
    assert!((3.8..5.0).contains(&spheres[1]), "{}", spheres[1]);
    assert!((5.0..9.0).contains(&polyhedra[1]), "{}", polyhedra[1]);
}
