//! Masonry: walls, arches and columns stand or collapse as statics predicts; blocks given by corners slide and topple
//! on slopes (A3, A5).

use std::path::Path;

use crate::support::incline::{self, Stand};
use crate::support::{GRAVITY, reaction, run, simulate};
use nalgebra::{Vector2, Vector3};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

/// A world of stone with the given time step; its floor is body 0.
fn build<X: Dim>(step: f64, friction: f64, tolerance: f64, generators: &str) -> Simulation<X> {
    let up = if X::R == 1 { "[0, 1]" } else { "[0, 0, 1]" };
    let zero = if X::R == 1 { "[0, 0]" } else { "[0, 0, 0]" };
    let text = format!(
        "world.dimension = {}\ntime = {{ step = {step}, end = 1 }}\n\
         solver = {{ tolerance = {tolerance}, max_sweeps = 20000 }}\ndomain.subdomains = 1\n\
         materials.stone.density = 2000\n\
         [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb.friction = {friction}\n\
         [[bodies]]\nmaterial = \"stone\"\nplane.normal = {up}\nposition = {zero}\nfixed = true\n\
         [[generators]]\nmaterial = \"stone\"\n{generators}\n",
        X::D
    );
    let scene = Scene::parse(&text, "test", Path::new(""), &[]).unwrap();
    simulate(&scene)
}

/// Maximum displacement of a body after `time`, m.
fn drift<X: Dim>(simulation: &mut Simulation<X>, time: f64) -> f64 {
    let start = simulation.bodies.by_id();
    run(simulation, time);
    let now = simulation.bodies.by_id();
    now.iter().zip(&start).map(|(a, b)| (a.position - b.position).norm()).fold(0.0, f64::max)
}

/// Share of the weight of all free bodies that the floor carries.
fn carried<X: Dim>(simulation: &Simulation<X>) -> f64 {
    let free = simulation.bodies.states().iter().filter(|s| !simulation.model.is_prescribed(s));
    let weight = free.map(|s| s.mass).sum::<f64>() * GRAVITY;
    -reaction(simulation, 0)[X::D - 1] / simulation.step_length() / weight
}

fn wall_stands<X: Dim>(brick: &str, origin: &str) {
    let masonry = format!("masonry = {{ brick = {brick}, courses = 20, bricks = 5, origin = {origin} }}");
    let mut simulation = build::<X>(2e-3, 0.6, 1e-6, &masonry);
    assert_eq!(simulation.bodies.len(), 1 + 10 * 5 + 10 * 6);
    let drift = drift(&mut simulation, 1.0) / 0.25;
    println!("wall in {} dimensions: drift {drift:.1e} of a brick, floor {:.6}", X::D, carried(&simulation));
    assert!(drift < 1e-4, "drifted by {drift:e} of a brick");
    assert!((carried(&simulation) - 1.0).abs() < 1e-3);
}

#[test]
fn a_wall_of_twenty_courses_in_running_bond_stands() {
    wall_stands::<Plane>("[0.25, 0.08]", "[0, 0]");
    wall_stands::<Space>("[0.25, 0.12, 0.08]", "[0, 0, 0]");
}

/// Displacement of the crown of a semicircular arch of mean radius one in two seconds, m.
fn crown_falls<X: Dim>(thickness: f64, voussoirs: u64) -> f64 {
    let (centre, depth) = if X::R == 1 { ("[0, 1]", "") } else { ("[0, 0, 1]", "depth = 0.4,") };
    let inner = 1.0 - 0.5 * thickness;
    let arch = format!(
        "arch = {{ inner_radius = {inner}, thickness = {thickness}, voussoirs = {voussoirs}, {depth} centre = {centre} }}"
    );
    let mut simulation = build::<X>(1e-3, 0.9, 1e-6, &arch);
    let crown = 1 + voussoirs / 2;
    let start = simulation.bodies.find(crown).unwrap().position[X::D - 1];
    assert!((start - 2.0).abs() < 0.02, "body {crown} is not the crown");
    run(&mut simulation, 2.0);
    let fall = start - simulation.bodies.find(crown).unwrap().position[X::D - 1];
    println!("arch in {} dimensions, thickness {thickness}: its crown falls by {fall:.1e} m", X::D);
    fall
}

/// Minimum ratio of thickness to mean radius of a semicircular arch with that many voussoirs (odd), by statics alone:
/// some thrust H at some height must pass every joint between its edges. Tends to Heyman's 0.1075.
fn least_thickness(voussoirs: u32) -> f64 {
    let wedge = std::f64::consts::PI / f64::from(voussoirs);
    // Margin that the joints leave for the line of thrust at the best H: negative if there is none.
    let room = |thickness: f64| {
        let (inner, outer) = (1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness);
        let (tangent, cosine) = ((0.5 * wedge).tan(), (0.5 * wedge).cos());
        let powers = |n: i32| cosine.powi(n) * (outer.powi(n) - inner.powi(n));
        let (weight, moment) = (tangent * powers(2), 2.0 / 3.0 * tangent * powers(3));
        let half_crown = (0.5 * weight, tangent * tangent * powers(3) / 6.0);
        let joints: Vec<[f64; 4]> = (0..voussoirs / 2 + 1)
            .scan(half_crown, |(w, m), k| {
                if k > 0 {
                    *w += weight;
                    *m += moment * (f64::from(k) * wedge).sin();
                }
                let (sine, cosine) = ((f64::from(k) + 0.5) * wedge).sin_cos();
                Some([cosine, sine, *w, *m])
            })
            .collect();
        // H y + m = rho (H cos + w sin) with inner <= rho <= outer, for one y at the crown.
        let slack = |thrust: f64| {
            let at = |rho: f64| joints.iter().map(move |[c, s, w, m]| rho * (thrust * c + w * s) - m);
            at(outer).fold(f64::MAX, f64::min) - at(inner).fold(f64::MIN, f64::max)
        };
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..200 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if slack(a) < slack(b) { low = a } else { high = b }
        }
        slack(low)
    };
    let (mut falls, mut stands) = (0.05, 0.2);
    for _ in 0..50 {
        let middle = 0.5 * (falls + stands);
        if room(middle) < 0.0 { falls = middle } else { stands = middle }
    }
    stands
}

#[test]
fn an_arch_falls_below_the_least_thickness_of_statics_and_not_above_it() {
    assert!((least_thickness(1001) - 0.10748).abs() < 1e-5, "{}", least_thickness(1001));
    for voussoirs in [15, 19] {
        let least = least_thickness(voussoirs);
        println!("{voussoirs} voussoirs need a thickness of {least}");
        assert!(crown_falls::<Plane>(1.005 * least, u64::from(voussoirs)) < 1e-4);
        assert!(crown_falls::<Plane>(0.995 * least, u64::from(voussoirs)) > 0.5);
    }
}

/// Heyman: a semicircular arch needs 0.1075 of its mean radius if nothing slips.
#[test]
fn an_arch_of_thickness_0_14_stands_and_one_of_0_08_falls() {
    assert!(crown_falls::<Plane>(0.14, 19) < 1e-4);
    assert!(crown_falls::<Plane>(0.08, 19) > 0.5);
    assert!(crown_falls::<Space>(0.14, 19) < 1e-4);
    assert!(crown_falls::<Space>(0.08, 19) > 0.5);
}

#[test]
fn a_column_of_ten_drums_with_a_capital_stands_for_a_thousand_steps() {
    fn stands<X: Dim>(column: &str) {
        let mut simulation = build::<X>(1e-3, 0.6, 1e-6, column);
        assert_eq!(simulation.bodies.len(), 12);
        let drift = drift(&mut simulation, 1.0) / 0.3;
        println!("column in {} dimensions: drift {drift:.1e} of the radius, floor {:.6}", X::D, carried(&simulation));
        assert!(drift < 1e-4, "drifted by {drift:e} of the radius");
        assert!((carried(&simulation) - 1.0).abs() < 1e-3);
    }
    stands::<Plane>("column = { drums = 10, radius = 0.3, height = 0.4, origin = [0, 0], capital.size = [0.8, 0.2] }");
    for sides in ["", "sides = 12,"] {
        stands::<Space>(&format!(
            "column = {{ drums = 10, radius = 0.3, height = 0.4, {sides} origin = [0, 0, 0], capital.size = [0.8, 0.8, 0.2] }}"
        ));
    }
}

#[test]
fn the_buildings_among_the_scenes_stand() {
    for name in ["brick-wall", "arch", "column"] {
        let scene = Scene::load(Path::new(&format!("scenes/{name}.toml")), &[]).unwrap();
        let mut simulation = simulate::<Space>(&scene);
        let drift = drift(&mut simulation, 0.5);
        println!("{name}: drift {drift:.1e} m in half a second");
        assert!(drift < 1e-3, "{name}: {drift} m");
    }
}

/// A trapezium: a polygon whose only symmetry is left-right.
fn trapezium(foot: f64, top: f64, height: f64) -> Vec<Vector2<f64>> {
    [[-0.5 * foot, 0.0], [0.5 * foot, 0.0], [0.5 * top, height], [-0.5 * top, height]].map(Into::into).to_vec()
}

/// A hexagonal prism with sides at the given distance from its axis; one side faces downhill.
fn hexagonal(inner: f64, height: f64) -> Vec<Vector3<f64>> {
    let radius = inner / (std::f64::consts::PI / 6.0).cos();
    let corner = |k: usize, z: f64| {
        let angle = (k as f64 + 0.5) * std::f64::consts::FRAC_PI_3;
        Vector3::new(radius * angle.cos(), radius * angle.sin(), z)
    };
    (0..12).map(|k| corner(k % 6, if k < 6 { 0.0 } else { height })).collect()
}

/// A wedge: a roof over a rectangle, with its ridge perpendicular to the slope.
fn roof(foot: f64, height: f64) -> Vec<Vector3<f64>> {
    let foot = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(|[x, y]| Vector3::new(x * foot, y * foot, 0.0));
    foot.into_iter().chain([-0.5, 0.5].map(|y| Vector3::new(0.0, y * 0.2, height))).collect()
}

fn slides_as_coulomb_says<X: Dim>(block: impl Stand<X>) {
    for slope in [0.2, 0.499] {
        let found = incline::acceleration::<X>(&block, slope, 0.5, 1);
        assert!(found.abs() < 1e-9, "{found} m/s2 on a slope of {slope}");
    }
    for slope in [0.505f64, 0.8] {
        let expected = GRAVITY * (slope.atan().sin() - 0.5 * slope.atan().cos());
        let found = incline::acceleration::<X>(&block, slope, 0.5, 1);
        println!("slope {slope}: {found} m/s2 for {expected}, off by {:.1e}", found / expected - 1.0);
        assert!((found / expected - 1.0).abs() < 1e-3, "{found} for {expected}");
    }
}

#[test]
fn a3_polygons_and_polyhedra_stick_up_to_the_friction_angle_and_slide_beyond_as_coulomb_says() {
    slides_as_coulomb_says::<Plane>(incline::corners(trapezium(0.4, 0.2, 0.2)));
    slides_as_coulomb_says::<Space>(incline::corners(hexagonal(0.2, 0.2)));
    slides_as_coulomb_says::<Space>(incline::corners(roof(0.4, 0.2)));
}

/// `slope` is that at which the centre of mass lies above the lower edge of the base.
fn topples_at<X: Dim>(slope: f64, block: impl Stand<X>) {
    assert!(!incline::topples::<X>(&block, 0.995 * slope, 1), "topples below {slope}");
    assert!(incline::topples::<X>(&block, 1.005 * slope, 1), "stands above {slope}");
}

#[test]
fn a5_polygons_and_polyhedra_topple_when_their_centre_passes_the_lower_rim_and_not_before() {
    // Rectangle and box given by corners: width over height.
    topples_at::<Plane>(0.25, incline::corners(trapezium(0.1, 0.1, 0.4)));
    let column = trapezium(0.1, 0.1, 0.4);
    let column = [-0.05, 0.05].iter().flat_map(|&y| column.iter().map(move |c| Vector3::new(c.x, y, c.y)));
    topples_at::<Space>(0.25, incline::corners(column.collect()));
    // Centre of mass of a trapezium: h/3 (foot + 2 top) / (foot + top).
    topples_at::<Plane>(0.05 / (0.4 / 3.0 * 0.2 / 0.15), incline::corners(trapezium(0.1, 0.05, 0.4)));
    topples_at::<Space>(0.05 / 0.2, incline::corners(hexagonal(0.05, 0.4)));
}
