//! Clouds that leave nothing to balance, and grids that must come out as grids.

use partitioning::{
    Assign, Cutter, HilbertCurve, Local, MultiJagged, RecursiveBisection, Region, RegularGrid, faces, quality,
};

fn cutters<const D: usize>() -> [Box<dyn Cutter<D>>; 3] {
    [Box::new(MultiJagged), Box::new(RecursiveBisection), Box::new(RegularGrid)]
}

/// The points of a lattice of unit spacing.
fn lattice(counts: [usize; 3]) -> Vec<[f64; 3]> {
    (0..counts.iter().product())
        .map(|i: usize| [i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]].map(|x| x as f64))
        .collect()
}

/// Every method copes, and gives every point a part that exists.
fn cope<const D: usize>(points: &[[f64; D]], weights: &[u32]) {
    for parts in [1, 2, 7, 64, 97] {
        let mut out = vec![u32::MAX; points.len()];
        for cutter in cutters::<D>() {
            let cuts = cutter.cut(points, weights, parts, &Local);
            assert_eq!(cuts.parts(), parts);
            for point in points {
                assert!(cuts.locate(point) < parts);
            }
        }
        HilbertCurve.assign(points, weights, parts, &Local, &mut out);
        assert!(out.iter().all(|&part| (part as usize) < parts));
    }
}

#[test]
fn clouds_that_cannot_be_balanced_are_cut_all_the_same() {
    cope::<2>(&[], &[]);
    cope::<3>(&[], &[]);
    cope(&[[1.0, 2.0, 3.0]], &[5]);
    cope(&[[1.0, 2.0]; 100], &[1; 100]);
    cope(&[[0.0, 0.0], [1.0, 1.0], [2.0, 0.5]], &[1, 2, 3]);
    cope(&lattice([5, 5, 5]), &[0; 125]);
    cope(&lattice([30, 1, 1]), &[1; 30]);
    cope(&lattice([2, 2, 1]), &[u32::MAX; 4]);
}

#[test]
fn coordinates_at_the_edge_of_the_floats_are_cut_all_the_same() {
    cope(&[[f64::NAN; 2], [f64::INFINITY, 0.0], [1.0, f64::NEG_INFINITY], [2.0, 3.0]], &[1; 4]);
    cope(&[[f64::NAN; 3]; 4], &[1; 4]);
    cope(&[[f64::MAX, 0.0], [f64::MIN, 1.0], [0.0, 0.5]], &[1; 3]);
    cope(&[[f64::MAX; 2]; 2], &[1; 2]);
    cope(&[[5e-324, 0.0], [0.0, -0.0], [-5e-324, 1e-310]], &[1; 3]);
    cope(&[[1.0, 1e300], [1.0 + f64::EPSILON, -1e300]], &[1; 2]);
}

#[test]
fn the_sign_of_zero_does_not_show() {
    let cut = |zero: f64| MultiJagged.cut(&[[zero, 1.0], [0.0, 3.0], [-0.0, 2.0]], &[1; 3], 3, &Local);
    let bits = |zero: f64| cut(zero).to_numbers().into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(0.0), bits(-0.0));
}

#[test]
fn regular_grids_have_no_face_between_boxes_of_one_colour() {
    for (counts, parts) in [([8, 8, 8], 64), ([12, 6, 6], 54), ([16, 4, 4], 32), ([6, 6, 1], 36), ([7, 1, 1], 7)] {
        let points = lattice(counts);
        let within = Region { min: [-0.5; 3], max: counts.map(|count| count as f64 - 0.5) };
        let cuts = RegularGrid.cut(&points, &vec![1; points.len()], parts, &Local);
        let faces = faces(&cuts, &within);
        assert!(parts == 1 || !faces.is_empty());
        assert_eq!(quality::equal_colours(&faces, |part| cuts.colour(part)), 0.0, "{counts:?}");
    }
}

#[test]
fn even_lattices_make_weighted_methods_cut_grids_too() {
    let points = lattice([16, 16, 16]);
    let within = Region { min: [-0.5; 3], max: [15.5; 3] };
    for cutter in cutters::<3>() {
        let cuts = cutter.cut(&points, &vec![1; points.len()], 64, &Local);
        let faces = faces(&cuts, &within);
        assert_eq!(faces.len(), 3 * 3 * 16);
        assert_eq!(quality::equal_colours(&faces, |part| cuts.colour(part)), 0.0);
        let parts: Vec<u32> = points.iter().map(|point| cuts.locate(point) as u32).collect();
        let sums = quality::part_weights(&parts, &vec![1; points.len()], 64);
        assert_eq!(quality::imbalance(&sums), 1.0);
    }
}

#[test]
fn weighted_methods_follow_a_cloud_that_a_grid_cannot() {
    // Density falls as 1/x; the lattice is skewed so that no layer lies in a plane of equal x, y or z.
    let skew = |[x, y, z]: [f64; 3]| {
        [1.3_f64.powf(x + 0.04 * y + 0.002 * z), y + 0.04 * z + 0.002 * x, z + 0.04 * x + 0.002 * y]
    };
    let points: Vec<[f64; 3]> = lattice([20, 20, 20]).into_iter().map(skew).collect();
    let weights = vec![1; points.len()];
    let imbalance = |method: &dyn Assign<3>| {
        let mut out = vec![0; points.len()];
        method.assign(&points, &weights, 27, &Local, &mut out);
        quality::imbalance(&quality::part_weights(&out, &weights, 27))
    };
    assert!(imbalance(&RegularGrid) > 2.0);
    assert!(imbalance(&HilbertCurve) < 1.02);
    assert!(imbalance(&MultiJagged) < 1.02);
    assert!(imbalance(&RecursiveBisection) < 1.02);
}
