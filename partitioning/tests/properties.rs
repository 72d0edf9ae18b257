//! What every method promises, on random clouds.
#![allow(clippy::unwrap_used)]

use std::sync::{Barrier, Mutex};

use partitioning::{
    Assign, Cuts, Cutter, HilbertCurve, Local, MultiJagged, RecursiveBisection, Reduce, Region, RegularGrid, hilbert,
    quality,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn cutters<const D: usize>() -> [Box<dyn Cutter<D>>; 3] {
    [Box::new(MultiJagged), Box::new(RecursiveBisection), Box::new(RegularGrid)]
}

/// Weighted points; half of the coordinates lie on a lattice, so that many are equal.
fn cloud<const D: usize>(most: usize) -> impl Strategy<Value = Vec<([f64; D], u32)>> {
    let coordinate = prop_oneof![-10.0..10.0, (-3..3_i32).prop_map(f64::from)];
    let point = vec(coordinate, D).prop_map(|point| std::array::from_fn(|axis| point[axis]));
    vec((point, 0_u32..20), 0..most)
}

/// One of two processes that run as threads.
struct Half<'a> {
    shared: &'a Mutex<Option<Vec<f64>>>,
    barrier: &'a Barrier,
}

impl Half<'_> {
    /// Whoever comes first leaves its values, whoever comes second combines and shares them.
    fn combine(&self, values: &mut [f64], combine: impl Fn(f64, f64) -> f64) {
        {
            let mut shared = self.shared.lock().unwrap();
            *shared = Some(match shared.take() {
                None => values.to_vec(),
                Some(other) => {
                    assert_eq!(other.len(), values.len(), "both processes reduce the same values");
                    other.iter().zip(&*values).map(|(a, b)| combine(*a, *b)).collect()
                }
            });
        }
        self.barrier.wait();
        values.copy_from_slice(self.shared.lock().unwrap().as_ref().unwrap());
        if self.barrier.wait().is_leader() {
            *self.shared.lock().unwrap() = None;
        }
        self.barrier.wait();
    }
}

impl Reduce for Half<'_> {
    fn sum(&self, values: &mut [u64]) {
        // Sums in these tests are far below 2^53.
        let mut floats: Vec<f64> = values.iter().map(|&value| value as f64).collect();
        self.combine(&mut floats, |a, b| a + b);
        values.iter_mut().zip(floats).for_each(|(value, float)| *value = float as u64);
    }
    fn min(&self, values: &mut [f64]) {
        self.combine(values, f64::min);
    }
    fn max(&self, values: &mut [f64]) {
        self.combine(values, f64::max);
    }
}

/// Runs `work` on the two processes, with the points dealt out by `deal`.
fn on_two<const D: usize, T: Send>(
    cloud: &[([f64; D], u32)],
    deal: impl Fn(usize) -> bool,
    work: impl Fn(&[[f64; D]], &[u32], &dyn Reduce) -> T + Sync,
) -> [T; 2] {
    let (shared, barrier) = (Mutex::new(None), Barrier::new(2));
    let run = |mine: Vec<([f64; D], u32)>| {
        let (points, weights): (Vec<_>, Vec<_>) = mine.into_iter().unzip();
        work(&points, &weights, &Half { shared: &shared, barrier: &barrier })
    };
    let side = |wanted: bool| -> Vec<_> {
        cloud.iter().enumerate().filter(|(index, _)| deal(*index) == wanted).map(|(_, point)| *point).collect()
    };
    let (one, two) = (side(false), side(true));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| run(two));
        [run(one), other.join().unwrap()]
    })
}

fn check_cuts<const D: usize>(cuts: &Cuts<D>, parts: usize, probes: &[[f64; D]]) -> Result<(), TestCaseError> {
    prop_assert_eq!(cuts.parts(), parts);
    for probe in probes {
        let part = cuts.locate(probe);
        let holders: Vec<usize> = (0..parts).filter(|&part| cuts.region(part).contains(probe)).collect();
        prop_assert_eq!(holders, [part]);
    }
    for pair in probes.windows(2) {
        let min: [f64; D] = std::array::from_fn(|axis| pair[0][axis].min(pair[1][axis]));
        let max: [f64; D] = std::array::from_fn(|axis| pair[0][axis].max(pair[1][axis]));
        let mut touched = Vec::new();
        cuts.touching(&min, &max, |part| touched.push(part));
        let meets =
            |region: Region<D>| (0..D).all(|axis| region.min[axis] <= max[axis] && min[axis] <= region.max[axis]);
        let brute: Vec<usize> = (0..parts).filter(|&part| meets(cuts.region(part))).collect();
        prop_assert_eq!(touched, brute);
    }
    let back = Cuts::from_numbers(&cuts.to_numbers());
    prop_assert_eq!(back.as_ref(), Some(cuts));
    Ok(())
}

fn check_cutters<const D: usize>(
    cloud: Vec<([f64; D], u32)>,
    parts: usize,
    far: [f64; D],
) -> Result<(), TestCaseError> {
    let (points, weights): (Vec<_>, Vec<_>) = cloud.iter().copied().unzip();
    let mut probes = points.clone();
    probes.extend([far, far.map(|x| -x), [0.0; D]]);
    for cutter in cutters::<D>() {
        let cuts = cutter.cut(&points, &weights, parts, &Local);
        check_cuts(&cuts, parts, &probes)?;

        let (mut points, mut weights) = (points.clone(), weights.clone());
        points.reverse();
        weights.reverse();
        prop_assert_eq!(&cutter.cut(&points, &weights, parts, &Local), &cuts, "order");
    }
    Ok(())
}

fn check_two_processes<const D: usize>(cloud: &[([f64; D], u32)], parts: usize) -> Result<(), TestCaseError> {
    let (points, weights): (Vec<_>, Vec<_>) = cloud.iter().copied().unzip();
    let deal = |index: usize| index.is_multiple_of(3);
    fn check<const D: usize, C: Cutter<D> + Sync>(
        cutter: C,
        cloud: &[([f64; D], u32)],
        parts: usize,
        whole: &Cuts<D>,
    ) -> Result<(), TestCaseError> {
        for halves in [
            on_two(
                cloud,
                |index| index.is_multiple_of(3),
                |points, weights, reduce| cutter.cut(points, weights, parts, reduce),
            ),
            on_two(cloud, |_| true, |points, weights, reduce| cutter.cut(points, weights, parts, reduce)),
        ] {
            prop_assert_eq!(&halves[0], whole);
            prop_assert_eq!(&halves[1], whole);
        }
        Ok(())
    }
    check(MultiJagged, cloud, parts, &MultiJagged.cut(&points, &weights, parts, &Local))?;
    check(RecursiveBisection, cloud, parts, &RecursiveBisection.cut(&points, &weights, parts, &Local))?;
    check(RegularGrid, cloud, parts, &RegularGrid.cut(&points, &weights, parts, &Local))?;

    let curve = |points: &[[f64; D]], weights: &[u32], reduce: &dyn Reduce| {
        let mut out = vec![0; points.len()];
        HilbertCurve.assign(points, weights, parts, reduce, &mut out);
        out
    };
    let whole = curve(&points, &weights, &Local);
    let [one, two] = on_two(cloud, deal, curve);
    let (mut one, mut two) = (one.into_iter(), two.into_iter());
    let dealt: Vec<u32> =
        (0..cloud.len()).filter_map(|index| if deal(index) { two.next() } else { one.next() }).collect();
    prop_assert_eq!(dealt, whole);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_point_is_in_one_part_and_order_does_not_matter_in_2d(
        cloud in cloud::<2>(200), parts in 1_usize..40, far in 0.0..1e6,
    ) {
        check_cutters(cloud, parts, [far, -far])?;
    }

    #[test]
    fn every_point_is_in_one_part_and_order_does_not_matter_in_3d(
        cloud in cloud::<3>(200), parts in 1_usize..40, far in 0.0..1e6,
    ) {
        check_cutters(cloud, parts, [far, -far, far])?;
    }

    #[test]
    fn two_processes_make_the_cuts_of_one(cloud in cloud::<3>(200), parts in 1_usize..20) {
        check_two_processes(&cloud, parts)?;
    }

    /// Each cut may be off by half the heaviest point and by 1/1024 of a part, and the errors of
    /// the cuts above a part are shared by ever more parts: together less than the heaviest
    /// point twice and 1/256 of a part, where no two points share a coordinate.
    #[test]
    fn no_part_outweighs_the_mean_by_more_than_two_points(
        cloud in vec((prop::array::uniform3(0.0..1.0), 1_u32..20), 1..3000), parts in 1_usize..50,
    ) {
        let (points, weights): (Vec<[f64; 3]>, Vec<u32>) = cloud.into_iter().unzip();
        let mean = weights.iter().sum::<u32>() as f64 / parts as f64;
        let heaviest = f64::from(weights.iter().copied().max().unwrap_or(0));
        let methods: [&dyn Assign<3>; 3] = [&MultiJagged, &RecursiveBisection, &HilbertCurve];
        for method in methods {
            let mut assignment = vec![0; points.len()];
            method.assign(&points, &weights, parts, &Local, &mut assignment);
            let sums = quality::part_weights(&assignment, &weights, parts);
            let most = *sums.iter().max().unwrap() as f64;
            prop_assert!(most <= mean * (1.0 + 1.0 / 256.0) + 2.0 * heaviest, "{} of {}", most, mean);
        }
    }

    #[test]
    fn damaged_numbers_never_panic(
        cloud in cloud::<2>(50),
        parts in 1_usize..9,
        place in any::<prop::sample::Index>(),
        damage in prop_oneof![-2.0..9.0, (0..6_i32).prop_map(f64::from), Just(f64::NAN), Just(f64::INFINITY)],
    ) {
        let (points, weights): (Vec<_>, Vec<_>) = cloud.into_iter().unzip();
        let mut numbers = RecursiveBisection.cut(&points, &weights, parts, &Local).to_numbers();
        let place = place.index(numbers.len());
        numbers[place] = damage;
        if let Some(cuts) = Cuts::<2>::from_numbers(&numbers) {
            check_cuts(&cuts, parts, &points)?;
        }
    }

    #[test]
    fn no_contiguous_pieces_have_a_lighter_heaviest_one(weights in vec(0_u64..20, 0..12), parts in 1_usize..6) {
        let pieces = hilbert::split(&weights, parts);
        prop_assert!(pieces.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
        let used = pieces.last().map_or(0, |&last| last as usize + 1);
        prop_assert_eq!(used, parts.min(weights.len()));
        let mut sums = vec![0; parts];
        pieces.iter().zip(&weights).for_each(|(&piece, weight)| sums[piece as usize] += weight);
        // best[i]: the least possible maximum of the first i items in the pieces so far.
        let mut best: Vec<u64> = (0..=weights.len()).map(|end| weights[..end].iter().sum()).collect();
        for _ in 1..parts {
            best = (0..=weights.len())
                .map(|end| (0..=end).map(|cut| best[cut].max(weights[cut..end].iter().sum())).min().unwrap())
                .collect();
        }
        prop_assert_eq!(sums.into_iter().max(), best.last().copied());
    }
}
