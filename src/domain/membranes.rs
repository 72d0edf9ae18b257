//! Membrane loads over all processes: finds the outermost free body on each ray and the force on it.

use super::Domain;
use crate::body::{Bodies, BodyId, State};
use crate::comm::all_gather_items;
use crate::contactor::{Bounds, PosedShape};
use crate::dim::{Dim, Vector};
use crate::model::{Membrane, Model};

/// Above this number of rays, the grid is coarsened.
const MOST_RAYS: f64 = 4e6;

/// Grid of rays of a membrane in the plane normal to its axis: ray numbers start at `first`, `counts` along each axis.
struct MembraneRays {
    axes: Vec<usize>,
    spacing: f64,
    first: Vec<i64>,
    counts: Vec<usize>,
}

impl MembraneRays {
    /// Rays through the box with these corners. Their positions are fixed in space, independent of the box.
    fn through<X: Dim>(membrane: &Membrane<X>, smallest: f64, min: &[f64], max: &[f64]) -> Self {
        let axes: Vec<usize> = (0..X::D).filter(|&k| k != membrane.axis).collect();
        let count = |k: usize, spacing: f64| ((max[k] - min[k]) / spacing).ceil() + 1.0;
        let mut spacing = membrane.spacing(smallest);
        while axes.iter().map(|&k| count(k, spacing)).product::<f64>() > MOST_RAYS {
            spacing *= 2.0;
        }
        let first = axes.iter().map(|&k| (min[k] / spacing).floor() as i64).collect();
        let counts = axes.iter().map(|&k| count(k, spacing) as usize).collect();
        Self { axes, spacing, first, counts }
    }

    fn count(&self) -> usize {
        self.counts.iter().product()
    }

    /// Visits the rays through the box from `min` to `max`: the index of each, and a point on it.
    fn crossing<X: Dim>(&self, min: X::Vector, max: X::Vector, mut visit: impl FnMut(usize, X::Vector)) {
        let range = |i: usize| {
            let ray = |x: f64| (x / self.spacing - 0.5).floor() as i64 - self.first[i];
            let (low, high) = (ray(min[self.axes[i]]), ray(max[self.axes[i]]) + 1);
            low.max(0)..=high.min(self.counts[i] as i64 - 1)
        };
        let mut visit_row = |row: i64, point: X::Vector| {
            for j in range(0) {
                let mut point = point;
                point[self.axes[0]] = ((self.first[0] + j) as f64 + 0.5) * self.spacing;
                visit(row as usize * self.counts[0] + j as usize, point);
            }
        };
        if self.axes.len() == 1 {
            return visit_row(0, X::Vector::zero());
        }
        for row in range(1) {
            let mut point = X::Vector::zero();
            point[self.axes[1]] = ((self.first[1] + row) as f64 + 0.5) * self.spacing;
            visit_row(row, point);
        }
    }
}

impl<X: Dim> Domain<X> {
    /// Collective. Forces of all membranes on bodies at load time `t`, on every process. `smallest` is the length of
    /// the smallest body.
    pub fn membrane_forces(
        &self,
        model: &Model<X>,
        bodies: &Bodies<X>,
        smallest: f64,
        t: f64,
    ) -> Vec<(BodyId, X::Vector)> {
        model.membranes.iter().flat_map(|membrane| self.pressed_by(membrane, model, bodies, smallest, t)).collect()
    }

    fn pressed_by(
        &self,
        membrane: &Membrane<X>,
        model: &Model<X>,
        bodies: &Bodies<X>,
        smallest: f64,
        t: f64,
    ) -> Vec<(BodyId, X::Vector)> {
        let covers = |state: &State<X>| model.motion(state).is_none() && membrane.covers(state.position);
        let own = bodies.states().iter().enumerate().filter(|(i, state)| self.ownership.is_own(*i) && covers(state));
        let own: Vec<(BodyId, PosedShape<'_, X>)> = own.map(|(_, state)| (state.id, model.placed(state))).collect();
        let all = own.iter().map(|(_, body)| body.undeformed_bounds()).collect::<Bounds<X>>().of_all(&*self.comm);
        let (min, max) = (all.min.as_slice(), all.max.as_slice());
        if min.iter().zip(max).any(|(min, max)| !(max - min).is_finite() || min > max) {
            return Vec::new();
        }
        let rays = MembraneRays::through(membrane, smallest, min, max);
        let mut outermost = vec![f64::NEG_INFINITY; rays.count()];
        let crossings = |visit: &mut dyn FnMut(usize, usize, f64)| {
            for (k, (_, body)) in own.iter().enumerate() {
                let bounds = body.undeformed_bounds();
                rays.crossing::<X>(bounds.min, bounds.max, |ray, point| {
                    if let Some(top) = membrane.meets(body, &bounds, point) {
                        visit(k, ray, top);
                    }
                });
            }
        };
        crossings(&mut |_, ray, top| outermost[ray] = outermost[ray].max(top));
        self.comm.max(&mut outermost);
        // Of equally outermost bodies, the one with the lowest id, within the precision of a double.
        let mut first = vec![f64::INFINITY; outermost.len()];
        let id = |k: usize| own[k].0.0 as f64;
        crossings(&mut |k, ray, top| {
            if top == outermost[ray] {
                first[ray] = first[ray].min(id(k));
            }
        });
        self.comm.min(&mut first);
        let mut counts: Vec<u64> = vec![0; own.len()];
        crossings(&mut |k, ray, top| {
            counts[k] += u64::from(top == outermost[ray] && first[ray] == id(k));
        });
        let own = own.iter().zip(counts).filter(|(_, count)| *count > 0).map(|((id, _), count)| (*id, count));
        let force = membrane.force(rays.spacing, t);
        all_gather_items(&*self.comm, own).into_iter().map(|(id, rays): (_, u64)| (id, force * rays as f64)).collect()
    }
}
