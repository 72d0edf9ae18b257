//! Compact binary encoding of frames; `page/frames.js` decodes it.
//!
//! Values are 16-bit integers, stored as differences to the previous frame, low and high bytes separately, and
//! deflated.
//!
//! A frame consists of a byte 1 if all bodies are present, otherwise a 0 and a bit per body; then, for the bodies
//! present, columns: position along each axis; orientation (in 2D an angle; in 3D, except for spheres, the index of the
//! largest component of the quaternion and the other three); velocity; spin; contacts. The chains follow: their number;
//! both ends as body numbers from 1, or 0; the square root of the force; and the positions of the ends that are at no
//! body.
//!
//! Where there are deformable bodies, their columns follow: for all corners of those present, the displacement along
//! each axis of the body; for all their faces, the von Mises stress.

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use nalgebra::UnitQuaternion;

use super::forms::Forms;
use crate::picture::{ChainLink, Drawing, DrawnBody, DrawnFace, ImagePoint};

/// Resolution relative to the largest velocity and the largest spin.
const VELOCITY_PARTS: f64 = 2047.0;
const SPIN_PARTS: f64 = 511.0;
/// Resolution relative to the square root of the largest force.
const FORCE_PARTS: f64 = 255.0;
/// Resolution relative to the largest stress.
const STRESS_PARTS: f64 = 4095.0;
/// Columns of a body: position, orientation, velocity, spin, contacts.
const COLUMNS: usize = 14;
/// Columns of the orientation in 3D, absent for spheres.
const ORIENTATION: std::ops::Range<usize> = 3..7;

/// Body numbers at the ends of a chain, from 1; 0 if there is none.
type EndBodies = [u32; 2];
/// Positions of the ends that are at no body.
type FreeEnds = [Option<[u16; 3]>; 2];

/// Scales for the conversion to integers.
#[derive(Clone, Copy, Debug)]
pub(super) struct PackScale {
    pub(super) dimension: u8,
    /// Lower corner of the box of positions, m.
    pub(super) min: ImagePoint,
    /// Size of the box, m.
    pub(super) size: ImagePoint,
    /// Largest velocity component, m/s.
    pub(super) velocity: f64,
    /// Largest spin component, rad/s.
    pub(super) spin: f64,
    /// Largest force, N.
    pub(super) force: f64,
    /// Largest von Mises stress of a face, Pa.
    pub(super) stress: f64,
}

impl PackScale {
    fn quantise(&self, at: &ImagePoint) -> [u16; 3] {
        let share = |k: usize| (at[k] - self.min[k]) / self.size[k].max(f64::MIN_POSITIVE);
        [0, 1, 2].map(|k| (65_535.0 * share(k).clamp(0.0, 1.0)).round() as u16)
    }

    /// Returns true if the point lies in the box.
    pub(super) fn contains(&self, at: &ImagePoint) -> bool {
        (0..usize::from(self.dimension)).all(|k| at[k] >= self.min[k] && at[k] <= self.min[k] + self.size[k])
    }
}

/// A body of the animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FilmBody {
    pub(super) id: u64,
    pub(super) form: usize,
    pub(super) radius: f64,
    pub(super) is_ball: bool,
}

/// Encoder of consecutive frames.
pub(super) struct Packer<'a> {
    scale: PackScale,
    entries: &'a [FilmBody],
    indices: BTreeMap<u64, usize>,
    /// Columns of every body in the last frame that contains it.
    previous: Vec<[u16; COLUMNS]>,
    forms: &'a Forms,
    /// Columns of the corners and faces of every deformable body in the last frame that contains it.
    deformed: BTreeMap<usize, DeformedColumns>,
}

/// Displacements of the corners of a body, and stresses of its faces.
#[derive(Clone, Debug, Default)]
struct DeformedColumns {
    displacements: Vec<[u16; 3]>,
    stresses: Vec<u16>,
}

impl<'a> Packer<'a> {
    /// Creates an encoder for bodies sorted by id.
    pub(super) fn new(scale: PackScale, entries: &'a [FilmBody], forms: &'a Forms) -> Self {
        let indices = entries.iter().enumerate().map(|(index, entry)| (entry.id, index)).collect();
        let previous = vec![[0; COLUMNS]; entries.len()];
        let deformed = entries.iter().enumerate().filter(|(_, entry)| forms.deforms(entry.form));
        let deformed = deformed.map(|(index, _)| (index, DeformedColumns::default())).collect();
        Self { scale, entries, indices, previous, forms, deformed }
    }

    /// Encodes the next frame with the given chains.
    pub(super) fn frame(&mut self, drawing: &Drawing, links: &[ChainLink]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut present: Vec<(usize, [u16; COLUMNS])> = Vec::with_capacity(self.entries.len());
        for body in &drawing.bodies {
            if let Some(&index) = self.indices.get(&body.id).filter(|_| self.scale.contains(&body.centre)) {
                present.push((index, self.columns(body)));
            }
        }
        present.sort_unstable_by_key(|(index, _)| *index);
        bytes.push(u8::from(present.len() == self.entries.len()));
        if present.len() < self.entries.len() {
            let mut bits = vec![0u8; self.entries.len().div_ceil(8)];
            present.iter().for_each(|(index, _)| bits[index / 8] |= 1 << (index % 8));
            bytes.extend(bits);
        }
        for column in self.used_columns() {
            let is_orientation = self.scale.dimension == 3 && ORIENTATION.contains(&column);
            let with = present.iter().filter(|(index, _)| !is_orientation || !self.entries[*index].is_ball);
            let changes = with.map(|(index, own)| u32::from(own[column].wrapping_sub(self.previous[*index][column])));
            byte_planes(&mut bytes, &changes.collect::<Vec<_>>(), 2);
        }
        present.iter().for_each(|(index, own)| self.previous[*index] = *own);
        self.chains(&mut bytes, drawing, links);
        if !self.deformed.is_empty() {
            self.deformations(&mut bytes, drawing, &present.iter().map(|(index, _)| *index).collect::<Vec<_>>());
        }
        deflated(&bytes)
    }

    /// Adds the columns of the deformable bodies among the `present` ones.
    fn deformations(&mut self, bytes: &mut Vec<u8>, drawing: &Drawing, present: &[usize]) {
        let mut faces: BTreeMap<usize, (usize, Vec<&DrawnFace>)> = BTreeMap::new();
        for face in &drawing.faces {
            let index = self.indices.get(&drawing.bodies[face.body].id);
            if let Some(&index) = index.filter(|index| self.deformed.contains_key(index)) {
                faces.entry(index).or_insert((face.body, Vec::new())).1.push(face);
            }
        }
        let (mut displacements, mut stresses) = ([const { Vec::new() }; 3], Vec::new());
        for index in present {
            let (Some(previous), Some((body, faces))) = (self.deformed.get_mut(index), faces.get(index)) else {
                continue;
            };
            let FilmBody { form, radius, .. } = self.entries[*index];
            let share = |face: &&DrawnFace| {
                let stress = face.nodal.map_or(0.0, |means| means.stress);
                (STRESS_PARTS * (stress / self.scale.stress.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)).round() as u16
            };
            let now = DeformedColumns {
                displacements: self.forms.displacements(form, &drawing.bodies[*body], radius, faces),
                stresses: faces.iter().map(share).collect(),
            };
            previous.displacements.resize(now.displacements.len(), [0; 3]);
            previous.stresses.resize(now.stresses.len(), 0);
            for (own, before) in now.displacements.iter().zip(&previous.displacements) {
                (0..3).for_each(|k| displacements[k].push(u32::from(own[k].wrapping_sub(before[k]))));
            }
            let changes = now.stresses.iter().zip(&previous.stresses);
            stresses.extend(changes.map(|(own, before)| u32::from(own.wrapping_sub(*before))));
            *previous = now;
        }
        displacements[..usize::from(self.scale.dimension)].iter().for_each(|column| byte_planes(bytes, column, 2));
        byte_planes(bytes, &stresses, 2);
    }

    /// Columns used in this dimension.
    fn used_columns(&self) -> Vec<usize> {
        match self.scale.dimension {
            2 => vec![0, 1, 3, 7, 8, 12, 13],
            _ => (0..COLUMNS).collect(),
        }
    }

    fn columns(&self, body: &DrawnBody) -> [u16; COLUMNS] {
        let PackScale { dimension, velocity, spin, .. } = self.scale;
        let [x, y, z] = self.scale.quantise(&body.centre);
        let part = |value: f64, max: f64, parts: f64| {
            let share = if max > 0.0 { (value / max).clamp(-1.0, 1.0) } else { 0.0 };
            (share * parts).round() as i16 as u16
        };
        let mut own = [0; COLUMNS];
        own[..3].copy_from_slice(&[x, y, z]);
        let orientation = match dimension {
            2 => [angle(&body.orientation), 0, 0, 0],
            _ => quaternion(&body.orientation),
        };
        own[ORIENTATION].copy_from_slice(&orientation);
        for k in 0..3 {
            own[7 + k] = part(body.velocity[k], velocity, VELOCITY_PARTS);
            own[10 + k] = part(body.spin[k], spin, SPIN_PARTS);
        }
        own[13] = body.contacts.min(65_535) as u16;
        own
    }

    fn chains(&self, bytes: &mut Vec<u8>, drawing: &Drawing, links: &[ChainLink]) {
        let mut chains: Vec<(EndBodies, u8, FreeEnds)> = Vec::with_capacity(links.len());
        for link in links {
            let end = |k: usize| {
                let known = link.bodies[k].and_then(|body| self.indices.get(&drawing.bodies[body].id));
                match known {
                    Some(&index) => (index as u32 + 1, None),
                    None => (0, Some(self.scale.quantise(&link.ends[k]))),
                }
            };
            let ((a, at_a), (b, at_b)) = (end(0), end(1));
            let share = (link.force / self.scale.force.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            let force = (FORCE_PARTS * share.sqrt()).round().max(1.0) as u8;
            chains.push(([a, b], force, [at_a, at_b]));
        }
        chains.sort_unstable();
        bytes.extend((chains.len() as u32).to_le_bytes());
        let mut previous = 0;
        let firsts = chains.iter().map(|(ends, _, _)| {
            let change = ends[0].wrapping_sub(previous);
            previous = ends[0];
            change
        });
        byte_planes(bytes, &firsts.collect::<Vec<_>>(), 4);
        byte_planes(bytes, &chains.iter().map(|(ends, _, _)| ends[1].wrapping_sub(ends[0])).collect::<Vec<_>>(), 4);
        bytes.extend(chains.iter().map(|(_, force, _)| *force));
        let points: Vec<[u16; 3]> = chains.iter().flat_map(|(_, _, points)| points.iter().flatten().copied()).collect();
        for k in 0..usize::from(self.scale.dimension) {
            byte_planes(bytes, &points.iter().map(|point| u32::from(point[k])).collect::<Vec<_>>(), 2);
        }
    }
}

/// Table of bodies: id as difference to the previous one, shape, radius relative to the largest.
pub(super) fn table(entries: &[FilmBody], largest: f64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut previous = 0;
    let ids = entries.iter().map(|entry| {
        let change = entry.id.wrapping_sub(previous);
        previous = entry.id;
        change as u32
    });
    byte_planes(&mut bytes, &ids.collect::<Vec<_>>(), 4);
    byte_planes(&mut bytes, &entries.iter().map(|entry| entry.form as u32).collect::<Vec<_>>(), 4);
    let radius = |entry: &FilmBody| (65_535.0 * entry.radius / largest.max(f64::MIN_POSITIVE)).round() as u32;
    byte_planes(&mut bytes, &entries.iter().map(radius).collect::<Vec<_>>(), 2);
    deflated(&bytes)
}

/// Writes the lowest bytes of all numbers, then the next ones.
fn byte_planes(bytes: &mut Vec<u8>, numbers: &[u32], count: usize) {
    (0..count).for_each(|k| bytes.extend(numbers.iter().map(|number| (number >> (8 * k)) as u8)));
}

/// Compresses with zlib, which browsers can inflate.
pub(super) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(bytes.len() / 2);
    let mut encoder = ZlibEncoder::new(&mut packed, Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes).and_then(|()| encoder.try_finish());
    drop(encoder);
    packed
}

/// Angle as a fraction of a full turn, in units of 2^-16.
fn angle(orientation: &UnitQuaternion<f64>) -> u16 {
    let share = 2.0 * orientation.k.atan2(orientation.w) / std::f64::consts::TAU;
    (65_536.0 * share.rem_euclid(1.0)).round() as u32 as u16
}

/// Index of the largest component and the other three, whose magnitudes are at most sqrt(1/2).
fn quaternion(orientation: &UnitQuaternion<f64>) -> [u16; 4] {
    let parts = [orientation.w, orientation.i, orientation.j, orientation.k];
    let largest = (0..4).max_by(|&a, &b| parts[a].abs().total_cmp(&parts[b].abs())).unwrap_or(0);
    let sign = 1f64.copysign(parts[largest]);
    let mut others = (0..4).filter(|&k| k != largest).map(|k| {
        let share = sign * parts[k] * std::f64::consts::SQRT_2;
        (32_767.0 * share.clamp(-1.0, 1.0)).round() as i16 as u16
    });
    let mut next = || others.next().unwrap_or(0);
    [largest as u16, next(), next(), next()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::NodalMeans;
    use std::io::Read;

    fn inflated(bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut all).unwrap();
        all
    }

    #[test]
    fn orientations_are_kept_to_a_hundredth_of_a_degree() {
        let orientation = UnitQuaternion::from_euler_angles(0.3, -1.2, 2.9);
        let [largest, rest @ ..] = quaternion(&orientation);
        let rest = rest.map(|part| f64::from(part as i16) / 32_767.0 / std::f64::consts::SQRT_2);
        let mut parts: Vec<f64> = rest.to_vec();
        let last = (1.0 - rest.iter().map(|part| part * part).sum::<f64>()).sqrt();
        parts.insert(usize::from(largest), last);
        let back = UnitQuaternion::new_normalize(nalgebra::Quaternion::new(parts[0], parts[1], parts[2], parts[3]));
        assert!(back.angle_to(&orientation) < 2e-4);
        let flat = UnitQuaternion::from_axis_angle(&ImagePoint::z_axis(), -0.5);
        assert!(
            (f64::from(angle(&flat)) / 65_536.0 * std::f64::consts::TAU - (std::f64::consts::TAU - 0.5)).abs() < 1e-4
        );
    }

    #[test]
    fn a_frame_has_the_bodies_present_and_what_has_changed() {
        let scale = PackScale {
            dimension: 2,
            min: ImagePoint::zeros(),
            size: ImagePoint::new(1.0, 1.0, 0.0),
            velocity: 2.0,
            spin: 1.0,
            force: 4.0,
            stress: 0.0,
        };
        let forms = Forms::of_balls();
        let entry = |id| FilmBody { id, form: 0, radius: 0.1, is_ball: true };
        let entries = [entry(3), entry(5)];
        let body = |id: u64, x: f64| DrawnBody {
            id,
            centre: ImagePoint::new(x, 0.0, 0.0),
            velocity: ImagePoint::x(),
            spin: ImagePoint::zeros(),
            contacts: 1,
            radius: 0.1,
            orientation: UnitQuaternion::identity(),
        };
        let mut packer = Packer::new(scale, &entries, &forms);
        let bodies = vec![body(5, 1.0), body(3, 0.0), body(9, 0.5)];
        let ends = [ImagePoint::new(0.0, 0.0, 0.0), ImagePoint::new(1.0, 0.0, 0.0)];
        let link = ChainLink { ends, bodies: [Some(1), Some(0)], force: 1.0, half_width: 0.0, is_strong: true };
        let first = inflated(&packer.frame(&Drawing { bodies, ..Drawing::default() }, &[link]));
        // All are present; x of body 3, then of body 5: low bytes, high bytes.
        assert_eq!(first[..5], [1, 0, 255, 0, 255]);
        // One chain from the first to the second, half the square root of the largest force.
        assert_eq!(first[first.len() - 13..], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 128]);
        let second = inflated(&packer.frame(&Drawing { bodies: vec![body(5, 1.0)], ..Drawing::default() }, &[]));
        assert_eq!(second[..4], [0, 0b10, 0, 0]);
        // A body that leaves the box is absent.
        let third = inflated(&packer.frame(&Drawing { bodies: vec![body(5, 1.5)], ..Drawing::default() }, &[]));
        assert_eq!(third[..2], [0, 0]);
    }

    #[test]
    fn a_deformable_body_adds_displacements_of_its_corners_and_stresses_of_its_faces() {
        let scale = PackScale {
            dimension: 2,
            min: ImagePoint::zeros(),
            size: ImagePoint::new(1.0, 1.0, 0.0),
            velocity: 1.0,
            spin: 1.0,
            force: 1.0,
            stress: 8.0,
        };
        let turned = UnitQuaternion::from_axis_angle(&ImagePoint::z_axis(), std::f64::consts::FRAC_PI_2);
        let body = DrawnBody {
            id: 7,
            centre: ImagePoint::new(0.5, 0.5, 0.0),
            velocity: ImagePoint::zeros(),
            spin: ImagePoint::zeros(),
            contacts: 0,
            radius: 0.25,
            orientation: turned,
        };
        // A triangle whose first corner moves by a hundredth of the radius along the first axis of the body.
        let drawing = |share: f64, stress: f64| {
            let corners = [[1.0 + share, 0.0], [-1.0, 0.5], [-1.0, -0.5]]
                .map(|[x, y]| body.centre + turned * ImagePoint::new(0.25 * x, 0.25 * y, 0.0));
            let nodal = Some(NodalMeans { stress, ..NodalMeans::default() });
            let faces = vec![DrawnFace { corners: corners.to_vec(), body: 0, nodal }];
            Drawing { bodies: vec![body], faces, ..Drawing::default() }
        };
        let mut forms = Forms::default();
        let found = forms.of(&drawing(0.0, 0.0), |_| true);
        assert!(forms.deforms(found[&0]) && forms.json()["all"][0]["deforms"] == true);
        let entries = [FilmBody { id: 7, form: found[&0], radius: 0.25, is_ball: false }];
        let mut packer = Packer::new(scale, &entries, &forms);
        let first = inflated(&packer.frame(&drawing(0.0, 0.0), &[]));
        assert!(first[first.len() - 14..].iter().all(|byte| *byte == 0), "{first:?}");
        // 0.01 x 4000 x 8 = 320 = 1 x 256 + 64; half the largest stress is 2048 = 8 x 256. Low bytes precede high
        // bytes.
        let second = inflated(&packer.frame(&drawing(0.01, 4.0), &[]));
        assert_eq!(second[second.len() - 14..], [64, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]);
    }
}
