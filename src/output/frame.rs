//! Content of a frame: every bounded body as a point with fields, non-spherical bodies also by their faces, deformable
//! ones by their nodes, and force chains as lines between the centres of bodies in contact.
//!
//! Each process builds the part of the bodies that it holds in file order. All points of a body are consecutive, so
//! that the frame of all processes does not depend on their number.

use std::collections::BTreeMap;

use super::nodal_pressure::contact_pressures;
use super::outline::ShapeOutline;
use super::vtkhdf::{FieldValues, Frame, FrameField};
use crate::body::{Bodies, BodyId, Node, NodeRow, State, Tails};
use crate::comm::{Comm, Exchange, MessageItem, Reader, Writer};
use crate::dim::{Dim, Orientation, Vector};
use crate::domain::Domain;
use crate::interaction::ContactHistory;
use crate::model::Model;
use crate::output::ForceChainLink;
use crate::output::rows::{IdRanges, RowPartition, before};

/// Collective. Part of this process in the frame at `time`, with the contacts of the last step, of length `h`; `loaded`
/// are the nodes that carried a contact in it.
pub fn frame<X: Dim>(
    domain: &Domain<X>,
    model: &Model<X>,
    bodies: &Bodies<X>,
    loaded: &Tails<u32>,
    time: f64,
    h: f64,
) -> Frame {
    let is_shown = |state: &State<X>| model.shape(state).reach().is_finite();
    let RowPartition { rows, shares, .. } = domain.body_rows(bodies, &domain.id_index(bodies));
    let chains = domain.chains(model, bodies, &shares, is_shown, time);
    let nodes = nodes(domain, model, bodies, loaded, &shares);
    let mut drawing = FrameBuilder::new(model, time, h);
    drawing.bodies(&rows.whole(), &chains, &nodes);
    drawing.connect(&**domain.comm(), &shares);
    drawing.finish()
}

/// A node with the impulse of all contacts on it in the last step, in body axes, N s.
#[derive(Clone, Copy)]
struct LoadedNode<X: Dim> {
    row: NodeRow<X>,
    impulse: X::Vector,
}

impl<X: Dim> LoadedNode<X> {
    fn free(row: NodeRow<X>) -> Self {
        Self { row, impulse: X::Vector::zero() }
    }
}

impl<X: Dim> MessageItem for LoadedNode<X> {
    fn write_to(&self, message: &mut Writer) {
        message.write(&self.row);
        message.write(&self.impulse);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        Self { row: message.read(), impulse: message.read() }
    }
}

/// Collective. Nodes of the bodies that `shares` has on this process, by body and number.
fn nodes<X: Dim>(
    domain: &Domain<X>,
    model: &Model<X>,
    bodies: &Bodies<X>,
    loaded: &Tails<u32>,
    shares: &IdRanges,
) -> Vec<LoadedNode<X>> {
    // Every process has the same model.
    if !model.has_deformables() {
        return Vec::new();
    }
    let mut out = Exchange::default();
    let (rows, impulses) = (bodies.node_rows(), domain.node_impulses());
    for body in domain.counted_indices(bodies) {
        let mut nodes: Vec<_> = rows[bodies.nodes().range(body)].iter().copied().map(LoadedNode::free).collect();
        for (&node, &impulse) in loaded.of(body).iter().zip(impulses.of(body)) {
            nodes[node as usize].impulse = impulse;
        }
        nodes.iter().for_each(|node| out.to(shares.host(node.row.body)).write(node));
    }
    in_file_order(out.swap_items(&**domain.comm()))
}

fn in_file_order<X: Dim>(mut nodes: Vec<LoadedNode<X>>) -> Vec<LoadedNode<X>> {
    nodes.sort_unstable_by_key(|node| (node.row.body, node.row.number));
    nodes
}

/// Frame of all bodies of a checkpoint, with the contact history of the last step, of length `h`. Contact points are
/// not stored: a force on an unbounded body points straight at it, and the contact pressure at nodes is zero.
pub fn still<X: Dim>(model: &Model<X>, bodies: &Bodies<X>, history: &ContactHistory<X>, time: f64, h: f64) -> Frame {
    let states = bodies.by_id();
    let find = |id: BodyId| states.binary_search_by_key(&id, |state| state.id).ok().map(|place| &states[place]);
    let is_shown = |state: &State<X>| model.shape(state).reach().is_finite();
    let mut chains = Vec::new();
    for record in history.iter().filter(|record| record.normal != 0.0) {
        let (Some(a), Some(b)) = (find(record.id.a), find(record.id.b)) else { continue };
        let (first, other) = if is_shown(a) { (a, b) } else { (b, a) };
        if !is_shown(first) {
            continue;
        }
        let (home, there) = (model.at_home(first, time), model.at_home(other, time));
        let between = is_shown(other);
        let point = if between { there.position } else { model.placed(other).foot(home.position) };
        let way = point - home.position;
        // Across a periodic boundary bodies touch as images, which the record does not identify.
        let near = [first, other].map(|state| model.shape(state).reach() * state.size).iter().sum::<f64>();
        if between && model.cell.is_some() && way.norm() > 1.1 * near {
            continue;
        }
        let normal = way * (1.0 / way.norm().max(f64::MIN_POSITIVE));
        chains.push(ForceChainLink {
            bodies: [first.id, other.id],
            between,
            point,
            normal,
            impulse: normal * record.normal,
        });
    }
    chains.sort_by_key(|chain| chain.bodies);
    let mut drawing = FrameBuilder::new(model, time, h);
    let nodes = bodies.node_rows().into_iter().map(LoadedNode::free).collect();
    drawing.bodies(&states, &chains, &in_file_order(nodes));
    for (line, id) in std::mem::take(&mut drawing.open) {
        if let Ok(place) = drawing.firsts.binary_search_by_key(&id, |entry| entry.0) {
            drawing.frame.lines[line][1] = drawing.firsts[place].1;
        }
    }
    drawing.finish()
}

/// A frame under construction.
struct FrameBuilder<'a, X: Dim> {
    model: &'a Model<X>,
    h: f64,
    frame: Frame,
    fields: PointFields,
    /// Point of every body added so far.
    firsts: Vec<(BodyId, u64)>,
    /// Lines whose second end is the point of a body not found yet.
    open: Vec<(usize, BodyId)>,
    normal: Vec<f64>,
    force: Vec<f64>,
}

impl<'a, X: Dim> FrameBuilder<'a, X> {
    fn new(model: &'a Model<X>, time: f64, h: f64) -> Self {
        Self {
            model,
            h,
            frame: Frame { time, ..Frame::default() },
            fields: PointFields::default(),
            firsts: Vec::new(),
            open: Vec::new(),
            normal: Vec::new(),
            force: Vec::new(),
        }
    }

    /// Adds all bounded bodies of `states`, sorted by id as their chains and nodes are.
    fn bodies(&mut self, states: &[State<X>], chains: &[ForceChainLink<X>], nodes: &[LoadedNode<X>]) {
        let outlines: Vec<ShapeOutline<X>> = self.model.shapes.iter().map(ShapeOutline::of).collect();
        let mut rest = chains;
        for state in states.iter().filter(|state| self.model.shape(state).reach().is_finite()) {
            let own = rest.partition_point(|chain| chain.bodies[0] <= state.id);
            let (links, others) = rest.split_at(own);
            rest = others;
            let home = self.model.at_home(state, self.frame.time);
            self.body(&home, links, &outlines[state.shape as usize]);
            let first = nodes.partition_point(|node| node.row.body < state.id);
            let own = nodes[first..].partition_point(|node| node.row.body == state.id);
            self.mesh(&home, &nodes[first..first + own]);
        }
    }

    fn point(&mut self, state: &State<X>, at: X::Vector, is_body: bool) -> u64 {
        self.frame.points.push(at.in_space());
        self.fields.add(state, self.model, is_body);
        self.frame.points.len() as u64 - 1
    }

    /// Adds a body with its force chains and faces.
    fn body(&mut self, state: &State<X>, chains: &[ForceChainLink<X>], outline: &ShapeOutline<X>) {
        let centre = self.point(state, state.position, true);
        self.frame.vertices.push(centre);
        self.firsts.push((state.id, centre));
        for chain in chains {
            // The line ends at the other centre, or at the contact point where the other body is unbounded.
            let end = match chain.between {
                true => {
                    self.open.push((self.frame.lines.len(), chain.bodies[1]));
                    0
                }
                false => self.point(state, chain.point, false),
            };
            self.frame.lines.push([centre, end]);
            self.normal.push(chain.impulse.dot(&chain.normal) / self.h);
            self.force.extend((chain.impulse * (1.0 / self.h)).in_space());
        }
        let place = |v: X::Vector| state.position + state.orientation.rotate(v * state.size);
        let first = self.frame.points.len() as u64;
        for &corner in &outline.corners {
            self.point(state, place(corner), false);
        }
        let numbered = |side: &Vec<u32>| side.iter().map(|&corner| first + u64::from(corner)).collect::<Vec<u64>>();
        self.frame.polygons.extend(outline.sides.iter().map(numbered));
        for &(ball, radius) in &outline.balls {
            self.point(state, place(ball), false);
            if let Some(last) = self.fields.radius.last_mut() {
                *last = radius * state.size;
            }
        }
    }

    /// Adds the nodes of a deformable body, if it is one, and the polygons between them.
    fn mesh(&mut self, state: &State<X>, loaded: &[LoadedNode<X>]) {
        let Some(mesh) = self.model.shape(state).as_meshed() else { return };
        let first = self.frame.points.len() as u64;
        let nodes: Vec<Node<X>> = loaded.iter().map(|node| node.row.node).collect();
        let operator = self.model.deformable(state);
        let tensors = operator.map(|operator| operator.principal_values(&nodes)).unwrap_or_default();
        let places: Vec<X::Vector> = nodes.iter().zip(&mesh.mesh.nodes).map(|(n, p)| *p + n.displacement).collect();
        let forces: Vec<X::Vector> = loaded.iter().map(|node| node.impulse * (1.0 / self.h)).collect();
        let pressures = contact_pressures(mesh, &places, &forces);
        for (k, (Node { displacement, velocity }, place)) in nodes.iter().zip(&places).enumerate() {
            let arm = state.orientation.rotate(*place);
            self.point(state, state.position + arm, false);
            let velocity = state.velocity + X::cross(state.spin, arm) + state.orientation.rotate(*velocity);
            let (stress, strain) = tensors.get(k).map_or_else(Default::default, |own| (own.stress, own.strain));
            self.fields.last_is_node(&NodeFields {
                number: loaded[k].row.number,
                displacement: state.orientation.rotate(*displacement).in_space(),
                velocity: velocity.in_space(),
                stress,
                strain,
                pressure: pressures[k],
            });
        }
        let numbered = |side: &[u32]| side.iter().map(|&node| first + u64::from(node)).collect::<Vec<u64>>();
        match X::HAS_DEPTH {
            true => {
                self.frame.polygons.extend(mesh.surface.facets.iter().map(|facet| numbered(facet.nodes())));
            }
            false => {
                self.frame.polygons.extend(mesh.mesh.elements.iter().map(|element| numbered(element.corners())));
            }
        }
    }

    /// Collective. Renumbers points globally and finds the end point of every open line.
    fn connect(&mut self, comm: &dyn Comm, shares: &IdRanges) {
        let [(first, _)] = before(comm, [self.frame.points.len() as u64]);
        let shift = |id: &mut u64| *id += first as u64;
        let Frame { vertices, lines, polygons, .. } = &mut self.frame;
        let ends = lines.as_flattened_mut().iter_mut();
        vertices.iter_mut().chain(ends).chain(polygons.iter_mut().flatten()).for_each(shift);
        self.firsts.iter_mut().for_each(|(_, id)| shift(id));
        let mut asked = Exchange::default();
        let hosts: Vec<usize> = self.open.iter().map(|(_, id)| shares.host(*id)).collect();
        self.open.iter().zip(&hosts).for_each(|((_, id), &host)| asked.to(host).u64(id.0));
        let mut answers = Exchange::default();
        for message in asked.swap(comm) {
            let answer = answers.to(message.rank);
            for id in message.reader().read_all::<BodyId>() {
                let found = self.firsts.binary_search_by_key(&id, |entry| entry.0);
                // A body in contact with another exists; if it did not, the line would end where it begins.
                answer.u64(found.map_or(u64::MAX, |place| self.firsts[place].1));
            }
        }
        let answers = answers.swap(comm).iter().map(|message| (message.rank, message.reader()));
        let mut answers: BTreeMap<usize, Reader> = answers.collect();
        for ((line, _), host) in self.open.iter().zip(hosts) {
            let [start, end] = &mut self.frame.lines[*line];
            // A process that is asked answers.
            let found = answers.get_mut(&host).map_or(u64::MAX, Reader::u64);
            *end = if found == u64::MAX { *start } else { found };
        }
    }

    fn finish(mut self) -> Frame {
        let (before, after) = (self.frame.vertices.len(), self.frame.polygons.len());
        let pad = |values: Vec<f64>, width: usize| {
            let mut padded = vec![0.0; before * width];
            padded.extend(values);
            padded.extend(std::iter::repeat_n(0.0, after * width));
            FieldValues::Float(padded)
        };
        self.frame.point_fields = self.fields.finish(self.model.has_deformables());
        self.frame.cell_fields = vec![
            FrameField { name: "normal_force".into(), width: 1, values: pad(self.normal, 1) },
            FrameField { name: "force".into(), width: 3, values: pad(self.force, 3) },
        ];
        self.frame
    }
}

/// Fields on points; points other than centres repeat the values of their body, except the radius, and nodes except
/// the velocity.
#[derive(Default)]
struct PointFields {
    id: Vec<i64>,
    radius: Vec<f64>,
    velocity: Vec<f64>,
    spin: Vec<f64>,
    orientation: Vec<f64>,
    contacts: Vec<i64>,
    is_body: Vec<i64>,
    /// Number of each node in its body, -1 for other points, up to the last node.
    node: Vec<i64>,
    /// Displacement of each node relative to the rigid motion, world axes, m; zero for other points.
    displacement: Vec<f64>,
    /// Principal stresses at each node, decreasing, Pa; zero for other points.
    stress: Vec<f64>,
    /// Principal strains at each node, decreasing; zero for other points.
    strain: Vec<f64>,
    /// Contact pressure at each node, Pa; zero for other points.
    pressure: Vec<f64>,
}

/// Values of the fields at a node.
struct NodeFields {
    number: u64,
    displacement: [f64; 3],
    velocity: [f64; 3],
    stress: [f64; 3],
    strain: [f64; 3],
    pressure: f64,
}

/// The von Mises stress of principal stresses.
fn von_mises(principal: &[f64]) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|k| principal[k]);
    (0.5 * ((a - b).powi(2) + (b - c).powi(2) + (c - a).powi(2))).sqrt()
}

impl PointFields {
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

    /// Makes the last point a node.
    fn last_is_node(&mut self, node: &NodeFields) {
        let before = self.id.len() - 1;
        self.velocity.truncate(3 * before);
        self.velocity.extend(node.velocity);
        self.node.resize(before, -1);
        self.node.push(node.number as i64);
        self.displacement.resize(3 * before, 0.0);
        self.displacement.extend(node.displacement);
        self.stress.resize(3 * before, 0.0);
        self.stress.extend(node.stress);
        self.strain.resize(3 * before, 0.0);
        self.strain.extend(node.strain);
        self.pressure.resize(before, 0.0);
        self.pressure.push(node.pressure);
    }

    /// The fields, with those of nodes where there may be any: all frames of a run have the same fields.
    fn finish(mut self, has_nodes: bool) -> Vec<FrameField> {
        let mut fields = Vec::new();
        if has_nodes {
            let points = self.id.len();
            self.node.resize(points, -1);
            self.pressure.resize(points, 0.0);
            for vectors in [&mut self.displacement, &mut self.stress, &mut self.strain] {
                vectors.resize(3 * points, 0.0);
            }
            let equivalent = self.stress.chunks_exact(3).map(von_mises).collect();
            fields.push(FrameField { name: "node".into(), width: 1, values: FieldValues::Integer(self.node) });
            for (name, width, values) in [
                ("displacement", 3, self.displacement),
                ("von_mises", 1, equivalent),
                ("principal_stress", 3, self.stress),
                ("principal_strain", 3, self.strain),
                ("contact_pressure", 1, self.pressure),
            ] {
                fields.push(FrameField { name: name.into(), width, values: FieldValues::Float(values) });
            }
        }
        fields.extend([
            FrameField { name: "id".into(), width: 1, values: FieldValues::Integer(self.id) },
            FrameField { name: "radius".into(), width: 1, values: FieldValues::Float(self.radius) },
            FrameField { name: "velocity".into(), width: 3, values: FieldValues::Float(self.velocity) },
            FrameField { name: "spin".into(), width: 3, values: FieldValues::Float(self.spin) },
            FrameField { name: "orientation".into(), width: 4, values: FieldValues::Float(self.orientation) },
            FrameField { name: "contacts".into(), width: 1, values: FieldValues::Integer(self.contacts) },
            FrameField { name: "is_body".into(), width: 1, values: FieldValues::Integer(self.is_body) },
        ]);
        fields
    }
}
