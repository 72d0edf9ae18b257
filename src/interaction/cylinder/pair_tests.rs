//! Regression tests: pairs that random tests once got wrong, each for a different reason.

use super::oracle::{OracleBody, distance, touches};
use super::*;
use crate::dim::{Quaternion, Space};
use crate::interaction::polytope::Solid;
use crate::interaction::polytope::oracle::cuboid;
use nalgebra::Vector3;

fn cylinder(position: [f64; 3], orientation: [f64; 4], half_length: f64, radius: f64) -> OracleBody<'static> {
    let [w, x, y, z] = orientation;
    OracleBody::Cylinder(Cylinder::new(position.into(), Quaternion::new(w, x, y, z), half_length, radius))
}

/// How far the returned nearest points are outside the two bodies; the better of the point of the distance and the
/// contact points.
fn outside(a: &OracleBody, b: &OracleBody) -> f64 {
    let (found, n, point) = distance(a, b);
    let near = touches(a, b, found + 1e-12).into_iter().map(|t| t.point);
    let out = |p: Vector3<f64>| a.outside(p - n * (0.5 * found)).max(b.outside(p + n * (0.5 * found)));
    point.into_iter().chain(near).map(out).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_upper_end_of_an_edge_beside_the_side_does_not_pass_for_what_the_cap_meets() {
    // A lower corner is 1.4e-14 above the cap and 4e-15 beside it. The direction from the rim to the upper end of the
    // same edge, 0.8 further up, hardly differs from the axis of the cap; that slab ends at the lower corner.
    let cube = cuboid::<Space>(Vector3::new(0.4, 0.4, 0.4));
    let a = cylinder(
        [-0.013768951528830509, 0.39930560828506756, 0.43360708364494993],
        [-0.09394249335718913, 0.7891899034427693, -0.4928902772623002, -0.354137372817555],
        0.19418745041899446,
        0.7951598476070115,
    );
    let b = OracleBody::Solid(Solid {
        polytope: &cube,
        size: 1.0,
        position: Vector3::new(-0.4725570752267888, -0.9878728187893446, 0.5951786906536571),
        orientation: Quaternion::new(
            -0.6244689064627794,
            0.49161415827389826,
            -0.5989389952239716,
            0.09811311964220837,
        ),
        rounding: 0.0,
    });
    assert!(outside(&a, &b) < 1e-14, "{}", outside(&a, &b));
}

#[test]
fn of_two_rims_beside_a_nearly_parallel_side_the_nearer_one_gives_the_axis() {
    // Tilted by 2e-7; the axes of the two rims of the second differ by less than widths can resolve at this distance.
    let a = cylinder(
        [0.01150281536333686, 0.22516152395555433, 0.412548307681486],
        [-0.1001009721506208, -0.6787289156892906, -0.08311567442982735, 0.7227714985013004],
        0.7836080237780292,
        0.14300702106376423,
    );
    let b = cylinder(
        [-0.7622363452894655, 3.4343931576921687, 1.5753724699246503],
        [-0.10010096813110422, -0.6787289823316214, -0.08311569702146884, 0.7227714338786035],
        0.30511952046440094,
        0.3016910243994426,
    );
    let (apart, axis, _) = distance(&a, &b);
    let gap = 2.9557739932173674e-6;
    let (found, n, _) = distance(&a, &b.moved(axis * (gap - apart)));
    // Moved along the axis of largest separation, the two bodies keep it.
    assert!((found - gap).abs() < 4e-15, "{}", found - gap);
    assert!((n - axis).norm() < 1e-9 + 1e-14 / gap, "{}", (n - axis).norm());
}
