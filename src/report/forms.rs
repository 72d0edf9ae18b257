//! Shapes of bodies for the page, each stored once: disks or spheres and planar faces in the frame of the body, scaled
//! so that the farthest point lies at distance one.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::picture::{Drawing, DrawnBody, DrawnFace, ImagePoint};

/// Resolution of coordinates, steps per radius.
const FINE: f64 = 4_000.0;
/// Resolution of the displacements of corners of deformable bodies, steps per step of coordinates.
const FINER: f64 = 8.0;

/// A shape in integer coordinates, so that equal shapes compare equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ReportForm {
    /// Centre and radius.
    balls: Vec<[i32; 4]>,
    corners: Vec<[i32; 3]>,
    /// Corner indices of each face.
    sides: Vec<Vec<usize>>,
    /// True if corners are displaced in every frame.
    deforms: bool,
}

impl ReportForm {
    /// Returns true for a single disk or sphere.
    pub(super) fn is_ball(&self) -> bool {
        self.sides.is_empty() && self.balls.len() == 1 && self.balls[0][..3] == [0; 3]
    }
}

/// All distinct shapes found so far.
#[derive(Default)]
pub(super) struct Forms {
    known: BTreeMap<ReportForm, usize>,
    all: Vec<ReportForm>,
}

impl Forms {
    /// Shape numbers of the bodies of a drawing for which `is_wanted` holds.
    pub(super) fn of(&mut self, drawing: &Drawing, is_wanted: impl Fn(usize) -> bool) -> BTreeMap<usize, usize> {
        let mut forms: BTreeMap<usize, ReportForm> = (0..drawing.bodies.len())
            .filter(|&body| is_wanted(body))
            .map(|body| (body, ReportForm::default()))
            .collect();
        let local = |body: usize, at: &ImagePoint| {
            let own = &drawing.bodies[body];
            own.orientation.inverse() * (at - own.centre) * (FINE / own.radius.max(f64::MIN_POSITIVE))
        };
        for ball in &drawing.balls {
            let Some(form) = forms.get_mut(&ball.body) else { continue };
            let at = local(ball.body, &ball.centre);
            let radius = FINE * ball.radius / drawing.bodies[ball.body].radius;
            form.balls.push([at.x, at.y, at.z, radius].map(|x| x.round() as i32));
        }
        for side in &drawing.faces {
            let Some(form) = forms.get_mut(&side.body) else { continue };
            let number = |corner: &ImagePoint| {
                let at = local(side.body, corner);
                let at = [at.x, at.y, at.z].map(|x| x.round() as i32);
                form.corners.iter().position(|own| *own == at).unwrap_or_else(|| {
                    form.corners.push(at);
                    form.corners.len() - 1
                })
            };
            let corners: Vec<usize> = side.corners.iter().map(number).collect();
            form.sides.push(corners);
            form.deforms |= side.nodal.is_some();
        }
        forms.into_iter().map(|(body, form)| (body, self.number(form))).collect()
    }

    /// The shape of a ball alone.
    #[cfg(test)]
    pub(super) fn of_balls() -> Self {
        let mut forms = Self::default();
        forms.number(ReportForm { balls: vec![[0, 0, 0, FINE as i32]], ..ReportForm::default() });
        forms
    }

    fn number(&mut self, form: ReportForm) -> usize {
        if let Some(&known) = self.known.get(&form) {
            return known;
        }
        self.known.insert(form.clone(), self.all.len());
        self.all.push(form);
        self.all.len() - 1
    }

    /// Returns true if the shape with this number is a disk or sphere.
    pub(super) fn is_ball(&self, number: usize) -> bool {
        self.all[number].is_ball()
    }

    /// Returns true if the shape with this number is that of a deformable body.
    pub(super) fn deforms(&self, number: usize) -> bool {
        self.all[number].deforms
    }

    /// Displacements of the corners of the shape with this number, in the axes of `body` and in steps; `faces` are all
    /// those of the body in the order of its shape. The shape has this `radius`.
    pub(super) fn displacements(
        &self,
        number: usize,
        body: &DrawnBody,
        radius: f64,
        faces: &[&DrawnFace],
    ) -> Vec<[u16; 3]> {
        let form = &self.all[number];
        let mut displacements = vec![[0; 3]; form.corners.len()];
        for (side, face) in form.sides.iter().zip(faces) {
            for (&corner, at) in side.iter().zip(&face.corners) {
                let local = body.orientation.inverse() * (at - body.centre) * (FINE / radius.max(f64::MIN_POSITIVE));
                displacements[corner] = [0, 1, 2].map(|k| {
                    let steps = FINER * (local[k] - f64::from(form.corners[corner][k]));
                    // Saturating conversion: displacements are small.
                    steps.round() as i16 as u16
                });
            }
        }
        displacements
    }

    /// Serialises the shapes for the page.
    pub(super) fn json(&self) -> Value {
        let form = |form: &ReportForm| {
            let mut own = json!({ "balls": form.balls, "corners": form.corners, "sides": form.sides });
            if form.deforms {
                own["deforms"] = json!(true);
            }
            own
        };
        let mut all = json!({ "fine": FINE, "all": self.all.iter().map(form).collect::<Vec<_>>() });
        if self.all.iter().any(|form| form.deforms) {
            all["finer"] = json!(FINE * FINER);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::{DrawnBall, DrawnBody, DrawnFace};
    use nalgebra::UnitQuaternion;

    #[test]
    fn rotated_and_scaled_bodies_share_a_shape() {
        let rotation = UnitQuaternion::from_axis_angle(&ImagePoint::z_axis(), 0.7);
        let body = |id: u64, centre: ImagePoint, orientation, radius| DrawnBody {
            id,
            centre,
            velocity: ImagePoint::zeros(),
            spin: ImagePoint::zeros(),
            contacts: 0,
            radius,
            orientation,
        };
        let bodies = vec![
            body(0, ImagePoint::zeros(), UnitQuaternion::identity(), 1.0),
            body(1, ImagePoint::new(5.0, 1.0, 0.0), rotation, 2.0),
            body(2, ImagePoint::new(9.0, 0.0, 0.0), rotation, 0.5),
        ];
        let corners = [[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]].map(|[x, y]| ImagePoint::new(x, y, 0.0));
        let to_world =
            |body: &DrawnBody| corners.iter().map(|at| body.centre + body.orientation * at * body.radius).collect();
        let faces = (0..2).map(|k| DrawnFace { corners: to_world(&bodies[k]), body: k, nodal: None }).collect();
        let balls = vec![DrawnBall { centre: bodies[2].centre, radius: 0.5, spoke: ImagePoint::x(), body: 2 }];
        let mut forms = Forms::default();
        let found = forms.of(&Drawing { bodies, balls, faces, ..Drawing::default() }, |_| true);
        assert_eq!(found.into_values().collect::<Vec<_>>(), [0, 0, 1]);
        assert!(forms.is_ball(1) && !forms.is_ball(0));
    }
}
