//! Quantities shared by all pictures of a sequence: visible box, colour range, force scale.

use super::joints::joints;
use super::{Drawing, DrawnWall, FieldQuantity, ImagePoint};
use crate::picture::colour::ColourMap;

/// Quantile of the values that the colour range covers if a few are far beyond.
const COMMON: f64 = 0.995;
/// Quantile of the forces that sets the line width of chains.
const STRONG: f64 = 0.98;

/// Summary of one or more drawings.
#[derive(Clone, Debug)]
pub struct Survey {
    quantity: FieldQuantity,
    dimension: u8,
    /// Bounding box of all bodies, m.
    pub(super) bounds: [ImagePoint; 2],
    least: f64,
    most: f64,
    common: f64,
    /// A strong force, N.
    pub(crate) force: f64,
    sum: f64,
    count: usize,
    /// A typical radius, m.
    pub(crate) radius: f64,
}

impl Survey {
    /// An empty survey.
    pub fn new(quantity: FieldQuantity, dimension: u8) -> Self {
        Self {
            quantity,
            dimension,
            bounds: [ImagePoint::repeat(f64::INFINITY), ImagePoint::repeat(f64::NEG_INFINITY)],
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            common: 0.0,
            force: 0.0,
            sum: 0.0,
            count: 0,
            radius: 0.0,
        }
    }

    /// Adds a drawing.
    pub fn add(&mut self, drawing: &Drawing) {
        let is_near = near(drawing);
        let mut grow = |at: &ImagePoint, more: f64| {
            self.bounds[0] = self.bounds[0].inf(&at.add_scalar(-more));
            self.bounds[1] = self.bounds[1].sup(&at.add_scalar(more));
        };
        let shown = |body: usize| is_near(&drawing.bodies[body].centre);
        drawing.balls.iter().filter(|ball| shown(ball.body)).for_each(|ball| grow(&ball.centre, ball.radius));
        let faces = drawing.faces.iter().filter(|face| shown(face.body));
        faces.for_each(|face| face.corners.iter().for_each(|corner| grow(corner, 0.0)));
        if self.dimension == 2 {
            (self.bounds[0].z, self.bounds[1].z) = (0.0, 0.0);
        }
        let values: Vec<f64> = match self.quantity {
            FieldQuantity::Pressure => joints(drawing).iter().map(|joint| joint.pressure).collect(),
            quantity if quantity.is_nodal() => {
                let faces = drawing.faces.iter().filter_map(|face| face.nodal.as_ref());
                faces.filter_map(|means| quantity.of_nodes(means)).collect()
            }
            quantity => drawing.bodies.iter().map(|body| quantity.of(body, self.dimension)).collect(),
        };
        self.least = values.iter().copied().fold(self.least, f64::min);
        self.most = values.iter().copied().fold(self.most, f64::max);
        self.common = self.common.max(quantile(values.iter().map(|value| value.abs()).collect(), COMMON));
        let forces: Vec<f64> = drawing.chains.iter().map(|chain| chain.force).filter(|&force| force > 0.0).collect();
        self.sum += forces.iter().sum::<f64>();
        self.count += forces.len();
        self.force = self.force.max(quantile(forces, STRONG));
        self.radius = self.radius.max(quantile(drawing.bodies.iter().map(|body| body.radius).collect(), 0.5));
    }

    /// Mean force, N.
    pub(super) fn mean_force(&self) -> f64 {
        self.sum / self.count.max(1) as f64
    }

    /// Colour range, and whether values lie below and above it.
    pub(crate) fn range(&self, given: Option<[f64; 2]>) -> ([f64; 2], [bool; 2]) {
        let beyond = |[low, high]: [f64; 2]| ([low, high], [self.least < low, self.most > high]);
        if let Some(given) = given {
            return beyond(given);
        }
        if !self.least.is_finite() || !self.most.is_finite() {
            return ([0.0, 1.0], [false; 2]);
        }
        let largest = self.most.abs().max(self.least.abs());
        let is_spread = self.common > 0.0 && self.common < 0.5 * largest;
        let high = if is_spread { 1.05 * self.common } else { largest };
        let high = if high > 0.0 { high } else { 1.0 };
        match self.quantity.map(self.dimension) {
            ColourMap::Diverging => beyond([-high, high]),
            ColourMap::Sequential if self.quantity.begins_at_zero() => beyond([0.0, high]),
            ColourMap::Sequential if self.least < self.most => ([self.least, self.most], [false; 2]),
            ColourMap::Sequential => ([0.0, high], [false; 2]),
        }
    }

    /// Visible box: that of the bodies, extended to nearby walls.
    pub(crate) fn view(&self, walls: &[DrawnWall]) -> [ImagePoint; 2] {
        let [mut min, mut max] = self.bounds;
        if min.x > max.x {
            (min, max) = (ImagePoint::zeros(), ImagePoint::new(1.0, 1.0, if self.dimension == 2 { 0.0 } else { 1.0 }));
        }
        let size = (max - min).norm();
        for wall in walls {
            match *wall {
                DrawnWall::Plane { point, normal } => {
                    let corner = min.zip_zip_map(&max, &normal, |low, high, n| if n > 0.0 { low } else { high });
                    let gap = normal.dot(&(corner - point));
                    let k = normal.iamax();
                    if gap > 0.0 && gap < 0.6 * size {
                        let end = if normal[k] > 0.0 { &mut min } else { &mut max };
                        end[k] -= gap / normal[k];
                    }
                }
                DrawnWall::Drum { centre, axis, radius } => {
                    let round = axis.map(|part| radius * (1.0 - part * part).max(0.0).sqrt());
                    let along = axis.map(|part| part.abs() > 0.999);
                    for k in (0..3).filter(|&k| !along[k]) {
                        min[k] = min[k].min(centre[k] - round[k]);
                        max[k] = max[k].max(centre[k] + round[k]);
                    }
                }
                DrawnWall::Segment { ends, .. } => {
                    let reach = 2.0 * size;
                    for end in ends.iter().filter(|end| (*end - 0.5 * (self.bounds[0] + self.bounds[1])).norm() < reach)
                    {
                        (min, max) = (min.inf(end), max.sup(end));
                    }
                }
            }
        }
        [min, max]
    }
}

/// Predicate for bodies near the majority, so that a few that flew off do not shrink the picture.
fn near(drawing: &Drawing) -> impl Fn(&ImagePoint) -> bool + use<> {
    let along = |k: usize| drawing.bodies.iter().map(move |body| body.centre[k]).collect::<Vec<f64>>();
    let limits = [0, 1, 2].map(|k| {
        let (low, high) = (quantile(along(k), 0.01), quantile(along(k), 0.99));
        let margin = 2.0 * (high - low);
        (low - margin, high + margin)
    });
    let few = drawing.bodies.len() < 100;
    let wide = limits.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
    move |at: &ImagePoint| few || (0..3).all(|k| at[k] >= limits[k].0 - 0.2 * wide && at[k] <= limits[k].1 + 0.2 * wide)
}

/// Value that a fraction `share` of all values does not exceed; zero for an empty list.
pub(super) fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let rank = ((values.len() - 1) as f64 * share).round() as usize;
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::DrawnBody;

    fn body(at: ImagePoint, velocity: ImagePoint) -> DrawnBody {
        DrawnBody {
            id: 0,
            centre: at,
            velocity,
            spin: ImagePoint::zeros(),
            contacts: 0,
            radius: 1.0,
            orientation: Default::default(),
        }
    }

    #[test]
    fn ranges_begin_at_zero_have_two_equal_sides_or_follow_the_values() {
        let bodies =
            vec![body(ImagePoint::zeros(), ImagePoint::x() * 3.0), body(ImagePoint::x(), ImagePoint::x() * -1.0)];
        let drawing = Drawing { bodies, ..Drawing::default() };
        let range = |quantity| {
            let mut survey = Survey::new(quantity, 2);
            survey.add(&drawing);
            survey.range(None).0
        };
        assert_eq!(range(FieldQuantity::Speed), [0.0, 3.0]);
        assert_eq!(range(FieldQuantity::VelocityX), [-3.0, 3.0]);
        assert_eq!(range(FieldQuantity::VelocityY), [-1.0, 1.0]);
        assert_eq!(range(FieldQuantity::Radius), [0.0, 1.0]);
    }

    #[test]
    fn a_floor_that_is_near_is_shown_and_one_far_away_is_not() {
        let floor = |y| DrawnWall::Plane { point: ImagePoint::y() * y, normal: ImagePoint::y() };
        let mut survey = Survey::new(FieldQuantity::Speed, 2);
        survey.bounds = [ImagePoint::zeros(), ImagePoint::new(4.0, 3.0, 0.0)];
        assert_eq!(survey.view(&[floor(-1.0)])[0].y, -1.0);
        assert_eq!(survey.view(&[floor(-9.0)])[0].y, 0.0);
    }
}
