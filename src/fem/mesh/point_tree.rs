//! A balanced k-d tree of points: which points lie in a box?

use crate::dim::Vector;

/// The tree: numbers of points, such that the middle of each range divides it along one axis after the other.
pub(super) struct PointTree<'a, V: Vector> {
    points: &'a [V],
    order: Vec<u32>,
}

impl<'a, V: Vector> PointTree<'a, V> {
    /// The tree of the points with these numbers.
    pub(super) fn new(points: &'a [V], numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut order: Vec<u32> = numbers.into_iter().collect();
        let mut pending = vec![(0, order.len(), 0)];
        while let Some((start, end, axis)) = pending.pop() {
            if end - start > 1 {
                let middle = (end - start) / 2;
                let along = |k: &u32| points[*k as usize][axis];
                // The number decides between equal coordinates, so that the tree does not depend on the order given.
                let compare = |p: &u32, q: &u32| along(p).total_cmp(&along(q)).then(p.cmp(q));
                order[start..end].select_nth_unstable_by(middle, compare);
                let next = (axis + 1) % V::N;
                pending.push((start, start + middle, next));
                pending.push((start + middle + 1, end, next));
            }
        }
        Self { points, order }
    }

    /// Calls `visit` with the number of each point between `min` and `max`.
    pub(super) fn in_box(&self, min: V, max: V, mut visit: impl FnMut(u32)) {
        let mut pending = vec![(0, self.order.len(), 0)];
        while let Some((start, end, axis)) = pending.pop() {
            if start == end {
                continue;
            }
            let middle = start + (end - start) / 2;
            let number = self.order[middle];
            let point = self.points[number as usize];
            if (0..V::N).all(|k| (min[k]..=max[k]).contains(&point[k])) {
                visit(number);
            }
            let next = (axis + 1) % V::N;
            if point[axis] >= min[axis] {
                pending.push((start, middle, next));
            }
            if point[axis] <= max[axis] {
                pending.push((middle + 1, end, next));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    #[test]
    fn the_tree_finds_what_a_loop_over_all_points_finds() {
        let mut seed = 1u64;
        let mut coordinate = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 60) as f64
        };
        let points: Vec<Vector3<f64>> =
            (0..500).map(|_| Vector3::new(coordinate(), coordinate(), coordinate())).collect();
        let tree = PointTree::new(&points, 0..500);
        for _ in 0..50 {
            let min = Vector3::new(coordinate(), coordinate(), coordinate());
            let max = min + Vector3::new(coordinate(), coordinate(), coordinate()) * 0.3;
            let mut found = Vec::new();
            tree.in_box(min, max, |k| found.push(k));
            found.sort_unstable();
            let is_inside = |k: &u32| (0..3).all(|i| (min[i]..=max[i]).contains(&points[*k as usize][i]));
            assert_eq!(found, (0..500).filter(is_inside).collect::<Vec<u32>>());
        }
    }
}
