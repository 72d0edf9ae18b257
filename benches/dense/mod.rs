//! A dense heap of equal grains in a box, and its broad-phase candidates.
//!
//! Grains in random orientations start on a lattice at the requested solid fraction, overlapping; each overlapping
//! grain repeatedly moves by half of the overlap and rotates. The remaining overlap is that of a heap under load.

use nscdd::contactor::{Bounds, PosedShape, Shape};
use nscdd::dim::{Dim, Orientation, Vector};
use nscdd::interaction::ContactPoint;
use nscdd::interaction::broad_phase::{self, BroadPhaseItem};
use nscdd::interaction::narrow_phase;

/// Alert distance and Verlet skin over the size of the smallest body: the defaults of detection.
const ALERT: f64 = 0.02;
const SKIN: f64 = 0.2;
/// Rounds of separation.
const ROUNDS: usize = 200;

/// Grains at their positions.
pub(crate) struct Heap<'a, X: Dim> {
    pub(crate) placed: Vec<PosedShape<'a, X>>,
    /// Alert distance of a pair, m.
    pub(crate) alert: f64,
    /// Edge of the box, m.
    wall: f64,
}

impl<'a, X: Dim> Heap<'a, X> {
    /// `side` to the power of the dimension grains of size one and volume `volume`, filling `fraction` of the box.
    pub(crate) fn new(
        shape: &'a Shape<X>,
        side: usize,
        (volume, fraction): (f64, f64),
        mut turn: impl FnMut() -> X::Orientation,
    ) -> Self {
        let spacing = (volume / fraction).powf(1.0 / X::D as f64);
        let site = |k: usize| X::Vector::from_fn(|i| (k / side.pow(i as u32) % side) as f64 + 0.5) * spacing;
        let placed = |k: usize| PosedShape { shape, size: 1.0, position: site(k), orientation: turn() };
        let mut heap = Self {
            placed: (0..side.pow(X::D as u32)).map(placed).collect(),
            alert: ALERT * shape.characteristic().unwrap_or(1.0),
            wall: spacing * side as f64,
        };
        let mut candidates = Vec::new();
        for round in 0..ROUNDS {
            if round % 10 == 0 {
                candidates = heap.candidates();
            }
            heap.spread(&candidates);
        }
        heap
    }

    /// Separates overlapping grains, and moves those that leave the box back.
    fn spread(&mut self, candidates: &[[u32; 2]]) {
        for &[i, j] in candidates {
            let [i, j] = [i as usize, j as usize];
            let mut deepest = None;
            narrow_phase::touches(&self.placed[i], &self.placed[j], 0.0, |t| {
                if t.gap < deepest.map_or(0.0, |known: ContactPoint<X>| known.gap) {
                    deepest = Some(t);
                }
            });
            let Some(ContactPoint { gap, normal, point, .. }) = deepest else { continue };
            for (k, push) in [(i, normal * (0.5 * gap)), (j, normal * (-0.5 * gap))] {
                let grain = &mut self.placed[k];
                grain.orientation = grain.orientation.turned(X::torque(point - grain.position, push));
                grain.position += push;
            }
        }
        for grain in &mut self.placed {
            let Bounds { min, max } = grain.bounds();
            grain.position += X::Vector::from_fn(|k| (-min[k]).max(0.0) - (max[k] - self.wall).max(0.0));
        }
    }

    /// Copies of this box, so many in each direction.
    pub(crate) fn repeated(&self, times: [usize; 3]) -> Self {
        let mut placed = Vec::new();
        for k in 0..times.iter().product() {
            let at = [k % times[0], k / times[0] % times[1], k / (times[0] * times[1])];
            let shift = X::Vector::from_fn(|i| at[i] as f64 * self.wall);
            placed.extend(self.placed.iter().map(|p| PosedShape { position: p.position + shift, ..*p }));
        }
        Self { placed, ..*self }
    }

    /// Bounding boxes for the broad phase.
    pub(crate) fn items(&self) -> Vec<BroadPhaseItem<X>> {
        let margin = 0.5 * self.alert * (1.0 + SKIN / ALERT);
        (self.placed.iter())
            .map(|p| BroadPhaseItem {
                bounds: p.bounds().inflated(margin),
                is_ball: p.shape.is_ball(),
                is_obstacle: false,
            })
            .collect()
    }

    /// Candidates of the broad phase.
    pub(crate) fn candidates(&self) -> Vec<[u32; 2]> {
        broad_phase::pairs(&self.items())
    }

    /// Narrow phase of these candidates; returns the number of contact points.
    pub(crate) fn touches(&self, candidates: &[[u32; 2]]) -> usize {
        let mut count = 0;
        for &[i, j] in candidates {
            let [a, b] = [i, j].map(|k| &self.placed[k as usize]);
            narrow_phase::touches(a, b, self.alert, |t| count += usize::from(t.gap < 1.0));
        }
        count
    }
}
