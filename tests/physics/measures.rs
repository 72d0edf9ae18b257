//! Measures of small worlds with known stress, forces and profiles.

use crate::support::{DENSITY, GRAVITY, World, flat, held, run};
use nscdd::contactor::Bounds;
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::measure::measures;
use nscdd::model::{Cell, Control, Signal};
use nscdd::scene::{
    ContactsMeasure, CutMeasure, EnergyMeasure, ForcesMeasure, MeasureEntry, ProfileMeasure, ReactionMeasure,
    StressMeasure, TrackMeasure,
};
use nscdd::simulation::Simulation;

/// Rows of one measure, with the names of its columns.
struct Said {
    names: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Said {
    fn at(&self, row: usize, name: &str) -> f64 {
        let place = self.names.iter().position(|own| own == name);
        self.rows[row][place.unwrap_or_else(|| panic!("{name} is not among {:?}", self.names))]
    }

    fn get(&self, name: &str) -> f64 {
        self.at(0, name)
    }
}

fn measured<X: Dim>(simulation: &Simulation<X>, entry: MeasureEntry) -> Said {
    let named = measures::<X>(&[entry], simulation.model.has_deformables()).pop().unwrap();
    let rows = named.measure.rows(&simulation.view());
    let names: Vec<String> = named.measure.quantities().into_iter().map(|q| q.name).collect();
    assert!(rows.iter().all(|row| row.len() == names.len()));
    Said { names, rows }
}

fn stress() -> MeasureEntry {
    MeasureEntry { stress: Some(StressMeasure::default()), ..Default::default() }
}

fn contacts() -> MeasureEntry {
    MeasureEntry { contacts: Some(ContactsMeasure::default()), ..Default::default() }
}

fn forces() -> MeasureEntry {
    MeasureEntry { forces: Some(ForcesMeasure::default()), ..Default::default() }
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} is not {b}");
}

/// Name of the vertical axis, which ends the names of vertical components.
fn up<X: Dim>() -> &'static str {
    X::AXES[X::D - 1]
}

fn pressed_between_plates<X: Dim>() {
    let (r, force) = (0.1, 50.0);
    let mut world = World::<X>::new(1e-3).weightless();
    let floor = world.floor();
    (0..2).for_each(|k| _ = world.ball(flat::<X>(0.0, r * (2 * k + 1) as f64), r));
    let plate =
        world.cuboid(flat::<X>(0.0, 4.0 * r + 0.05), X::Vector::from_fn(|k| if k == X::D - 1 { 0.05 } else { 0.5 }));
    let mut controls: Vec<Control> = (0..X::D + X::R).map(|_| held(0.0)).collect();
    controls[X::D - 1] = Control::Force(Signal::Constant(-force));
    world.driven(plate, controls, false);
    let mut simulation = world.build();
    run(&mut simulation, 0.05);
    let (z, section) = (up::<X>(), (2.0 * r).powi(X::D as i32 - 1));

    let said = measured(&simulation, stress());
    near(said.get(&format!("stress_{z}{z}")), force / section);
    near(said.get("stress_xx"), 0.0);
    near(said.get("pressure"), force / section / X::D as f64);
    near(said.get("volume"), section * 4.0 * r);
    let solid = 2.0 * X::unit_ball() * r.powi(X::D as i32) / (section * 4.0 * r);
    near(said.get("solid_fraction"), solid);
    near(said.get("void_ratio"), (1.0 - solid) / solid);

    let said = measured(&simulation, contacts());
    assert_eq!((said.get("grains"), said.get("contacts"), said.get("rattlers")), (2.0, 3.0, 0.0));
    assert_eq!((said.get("coordination_number"), said.get("coordination_number_without_rattlers")), (2.0, 2.0));
    near(said.get(&format!("fabric_{z}{z}")), 1.0);
    assert_eq!(said.get("sliding_share"), 0.0);

    let said = measured(&simulation, forces());
    near(said.get("mean_normal_force"), force);
    near(said.get("weak_pressure") + said.get("strong_pressure"), force / section / X::D as f64);

    let cut = CutMeasure { axis: z.into(), at: vec![0.5 * r, 2.0 * r, 3.5 * r, 9.0 * r] };
    let said = measured(&simulation, MeasureEntry { cut: Some(cut.clone()), ..Default::default() });
    for (at, expected) in cut.at.iter().zip([force, force, force, 0.0]) {
        near(said.get(&format!("force_across_{z}_{at}_{z}")), expected);
    }

    let reaction = ReactionMeasure { bodies: vec![floor, plate, 99] };
    let said = measured(&simulation, MeasureEntry { reaction: Some(reaction), ..Default::default() });
    near(said.get(&format!("body_{floor}_force_{z}")), -force);
    near(said.get(&format!("body_{plate}_force_{z}")), force);
    assert!(said.get("body_99_force_x").is_nan(), "nobody has no reaction");
}

#[test]
fn balls_pressed_between_plates_bear_the_force_over_their_section() {
    pressed_between_plates::<Plane>();
    pressed_between_plates::<Space>();
}

fn hydrostatic<X: Dim>() {
    let (r, count) = (0.05, 8);
    let mut world = World::<X>::new(1e-3);
    world.floor();
    let ids: Vec<u64> = (0..count).map(|k| world.ball(flat::<X>(0.0, r * (2 * k + 1) as f64), r)).collect();
    let mut simulation = world.build();
    run(&mut simulation, 0.1);
    let z = up::<X>();
    let weight = DENSITY * X::unit_ball() * r.powi(X::D as i32) * GRAVITY;
    let section = (2.0 * r).powi(X::D as i32 - 1);
    let at: Vec<f64> = (0..count).map(|k| 2.0 * r * f64::from(k) + 0.5 * r).collect();
    let cut = CutMeasure { axis: z.into(), at: at.clone() };
    let said = measured(&simulation, MeasureEntry { cut: Some(cut), ..Default::default() });
    for (k, at) in at.iter().enumerate() {
        // The branch between two centres carries the weight of all spheres above it.
        near(said.get(&format!("force_across_{z}_{at}_{z}")), weight * (count as usize - k) as f64);
    }
    // Slices around the contact points: each contains half of two spheres and carries the weight above.
    let (low, high) = (-r, -r + 2.0 * r * f64::from(count));
    let profile = ProfileMeasure { axis: z.into(), slices: count as u64, along: None, min: Some(low), max: Some(high) };
    let said = measured(&simulation, MeasureEntry { profile: Some(profile), ..Default::default() });
    for k in 1..count as usize {
        near(said.at(k, "position"), 2.0 * r * k as f64);
        near(said.at(k, &format!("stress_{z}{z}")), weight * (count as usize - k) as f64 / section);
        near(said.at(k, "solid_fraction"), X::unit_ball() * r.powi(X::D as i32) / (section * 2.0 * r));
        near(said.at(k, &format!("velocity_{z}")), 0.0);
    }
    let track = TrackMeasure { bodies: vec![ids[3], 77] };
    let said = measured(&simulation, MeasureEntry { track: Some(track), ..Default::default() });
    near(said.get(&format!("body_{}_position_{z}", ids[3])), 7.0 * r);
    assert!(said.get("body_77_velocity_x").is_nan());
    let said = measured(&simulation, contacts());
    assert_eq!(said.get("rattlers"), f64::from(count), "a column falls apart from the top: each has one contact left");
}

#[test]
fn a_column_bears_its_own_weight() {
    hydrostatic::<Plane>();
    hydrostatic::<Space>();
}

/// Stress and forces of two colliding spheres, all shifted by `way` in a cell of edge one.
fn colliding<X: Dim>(way: X::Vector) -> Vec<f64> {
    let mut world = World::<X>::new(1e-3).weightless();
    let bounds = Bounds { min: X::Vector::zero(), max: X::Vector::from_fn(|_| 1.0) };
    let cell = Cell { bounds, repeats: [true; 3], shear: None };
    let middle = X::Vector::from_fn(|_| 0.5);
    for (place, velocity) in [(flat::<X>(-0.07, -0.02), 2.0), (flat::<X>(0.07, 0.03), -1.0)] {
        let point = middle + place + way;
        let id = world.ball(point + cell.shift(cell.home(point, 0.0), 0.0), 0.06);
        world.state(id).velocity = flat::<X>(velocity, 0.0);
    }
    world.cell = Some(cell);
    let mut simulation = world.build();
    (0..100).find(|_| simulation.step().unwrap().totals.carrying > 0).unwrap();
    let [stress, network] = [stress(), contacts()].map(|entry| measured(&simulation, entry));
    let plane = CutMeasure { axis: "x".into(), at: vec![0.51 + way[0]] };
    let cut = measured(&simulation, MeasureEntry { cut: Some(plane), ..Default::default() });
    let profile = ProfileMeasure { axis: "x".into(), slices: 1, along: None, min: None, max: None };
    let profile = measured(&simulation, MeasureEntry { profile: Some(profile), ..Default::default() });
    assert!(stress.get("pressure") > 0.0 && cut.rows[0][0] > 0.0);
    near(profile.get("solid_fraction"), stress.get("solid_fraction"));
    near(profile.get("pressure"), stress.get("pressure"));
    [stress, network, cut].into_iter().flat_map(|said| said.rows.concat()).collect()
}

fn faces_do_not_show<X: Dim>() {
    let inside = colliding::<X>(X::Vector::zero());
    for way in [flat::<X>(0.5, 0.0), flat::<X>(0.0, 0.5), flat::<X>(0.44, 0.49), flat::<X>(-0.51, -0.48)] {
        for (own, other) in inside.iter().zip(colliding::<X>(way)) {
            assert!(
                (own - other).abs() <= 1e-8 * (1.0 + own.abs()) || own.is_nan(),
                "moved by {way:?}: {own}, {other}"
            );
        }
    }
}

#[test]
fn where_the_faces_of_a_periodic_cell_are_does_not_show_in_measures() {
    faces_do_not_show::<Plane>();
    faces_do_not_show::<Space>();
}

#[test]
fn what_a_sliding_block_loses_it_loses_by_friction() {
    let mut world = World::<Plane>::new(1e-3);
    world.floor();
    let block = world.cuboid(flat::<Plane>(0.0, 0.1), flat::<Plane>(0.2, 0.1));
    world.state(block).velocity = flat::<Plane>(1.0, 0.0);
    let mut simulation = world.build();
    run(&mut simulation, 0.1);
    let sliding = measured(&simulation, contacts());
    assert_eq!(sliding.get("sliding_share"), 1.0);
    run(&mut simulation, 0.2);
    let said = measured(&simulation, MeasureEntry { energy: Some(EnergyMeasure::default()), ..Default::default() });
    let mass = DENSITY * 0.4 * 0.2;
    assert!(said.get("translation") < 1e-9 && said.get("rotation") < 1e-9, "it has come to rest");
    assert!((said.get("dissipated") - 0.5 * mass).abs() < 1e-6 * mass);
    assert!((said.get("dissipated_friction") - 0.5 * mass).abs() < 1e-6 * mass);
    assert!(said.get("dissipated_normal").abs() < 1e-6 * mass && said.get("dissipated_links") == 0.0);
    near(said.get("potential"), mass * GRAVITY * 0.1);
}
