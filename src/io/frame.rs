//! What a frame shows: every bounded body as a point with its fields, angular bodies by their sides, and force chains as
//! lines between the centres of bodies that press on each other.

use super::outline::Outline;
use super::vtkhdf::{Field, Frame, Values};
use crate::dim::{Dim, Orientation, Vector};
use crate::domain::Chain;
use crate::model::Model;
use crate::state::{Bodies, BodyId, State};

/// The frame at `time`. `contacts` are those of the last step, of length `h`.
pub fn frame<X: Dim>(model: &Model<X>, bodies: &Bodies<X>, contacts: &[Chain<X>], time: f64, h: f64) -> Frame {
    let shown: Vec<&State<X>> = bodies.states().iter().filter(|s| model.shape(s).reach().is_finite()).collect();
    let mut frame = Frame { time, points: shown.iter().map(|s| s.position.in_space()).collect(), ..Frame::default() };
    frame.vertices = (0..shown.len() as u32).collect();
    let mut fields = PointFields::of(&shown, model);
    let chains = chains(bodies, contacts, h, &mut frame, &mut fields, model);
    draw_sides(&shown, model, &mut frame, &mut fields);
    let cells = frame.vertices.len() + frame.lines.len() + frame.polygons.len();
    let pad = |before: usize, values: Vec<f64>, width: usize| {
        let mut padded = vec![0.0; before * width];
        padded.extend(values);
        padded.resize(cells * width, 0.0);
        Values::Float(padded)
    };
    frame.point_fields = fields.finish();
    frame.cell_fields = vec![
        Field { name: "normal_force", width: 1, values: pad(shown.len(), chains.normal, 1) },
        Field { name: "force", width: 3, values: pad(shown.len(), chains.force, 3) },
    ];
    frame
}

/// Fields on points; points that are not bodies repeat the values of the body they belong to.
#[derive(Default)]
struct PointFields {
    id: Vec<i64>,
    radius: Vec<f64>,
    velocity: Vec<f64>,
    spin: Vec<f64>,
    orientation: Vec<f64>,
    contacts: Vec<i64>,
    is_body: Vec<i64>,
}

impl PointFields {
    fn of<X: Dim>(shown: &[&State<X>], model: &Model<X>) -> Self {
        let mut fields = Self::default();
        shown.iter().for_each(|state| fields.add(state, model, true));
        fields
    }

    fn add<X: Dim>(&mut self, state: &State<X>, model: &Model<X>, is_body: bool) {
        let is_ball = model.shape(state).is_ball();
        self.id.push(state.id.0 as i64);
        self.radius.push(if is_body && is_ball { state.size } else { 0.0 });
        self.velocity.extend(state.velocity.in_space());
        self.spin.extend(X::spin_in_space(state.spin));
        self.orientation.extend(X::quaternion(&state.orientation));
        self.contacts.push(i64::from(state.contacts));
        self.is_body.push(i64::from(is_body));
    }

    fn finish(self) -> Vec<Field> {
        vec![
            Field { name: "id", width: 1, values: Values::Integer(self.id) },
            Field { name: "radius", width: 1, values: Values::Float(self.radius) },
            Field { name: "velocity", width: 3, values: Values::Float(self.velocity) },
            Field { name: "spin", width: 3, values: Values::Float(self.spin) },
            Field { name: "orientation", width: 4, values: Values::Float(self.orientation) },
            Field { name: "contacts", width: 1, values: Values::Integer(self.contacts) },
            Field { name: "is_body", width: 1, values: Values::Integer(self.is_body) },
        ]
    }
}

struct Chains {
    normal: Vec<f64>,
    force: Vec<f64>,
}

/// A line for every contact with an impulse: between the centres, or from the centre to the contact point where
/// the other body is unbounded.
fn chains<X: Dim>(
    bodies: &Bodies<X>,
    contacts: &[Chain<X>],
    h: f64,
    frame: &mut Frame,
    fields: &mut PointFields,
    model: &Model<X>,
) -> Chains {
    let mut numbers = vec![u32::MAX; bodies.len()];
    let mut next = 0;
    for (i, state) in bodies.states().iter().enumerate() {
        if model.shape(state).reach().is_finite() {
            numbers[i] = next;
            next += 1;
        }
    }
    let mut by_id: Vec<(BodyId, usize)> = bodies.states().iter().enumerate().map(|(i, s)| (s.id, i)).collect();
    by_id.sort_unstable();
    let place = |id: BodyId| by_id.binary_search_by_key(&id, |entry| entry.0).ok().map(|k| by_id[k].1);
    let mut chains = Chains { normal: Vec::new(), force: Vec::new() };
    for contact in contacts {
        let [Some(a), Some(b)] = contact.bodies.map(place) else { continue };
        let pair = [a, b];
        let mut ends = pair.map(|i| numbers[i]);
        for side in 0..2 {
            if ends[side] == u32::MAX && ends[1 - side] != u32::MAX {
                ends[side] = frame.points.len() as u32;
                frame.points.push(contact.point.in_space());
                fields.add(&bodies.states()[pair[1 - side]], model, false);
            }
        }
        frame.lines.push(ends);
        chains.normal.push(contact.impulse.dot(&contact.normal) / h);
        chains.force.extend((contact.impulse * (1.0 / h)).in_space());
    }
    chains
}

/// The sides of every body that has some, and the balls of compounds.
fn draw_sides<X: Dim>(shown: &[&State<X>], model: &Model<X>, frame: &mut Frame, fields: &mut PointFields) {
    let outlines: Vec<Outline<X>> = model.shapes.iter().map(Outline::of).collect();
    for state in shown {
        let outline = &outlines[state.shape as usize];
        let place = |v: X::Vector| (state.position + state.orientation.rotate(v * state.size)).in_space();
        let first = frame.points.len() as u32;
        for &corner in &outline.corners {
            frame.points.push(place(corner));
            fields.add(state, model, false);
        }
        let numbered = |side: &Vec<u32>| side.iter().map(|corner| first + corner).collect::<Vec<u32>>();
        frame.polygons.extend(outline.sides.iter().map(numbered));
        for &(centre, radius) in &outline.balls {
            frame.points.push(place(centre));
            fields.add(state, model, false);
            if let Some(last) = fields.radius.last_mut() {
                *last = radius * state.size;
            }
        }
    }
}
