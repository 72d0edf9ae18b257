//! Animation of the frames of a run, reduced to fit a size budget.
//!
//! Reductions are applied in this order: fewer frames (at least 40), no weak forces, no forces, fewer frames (at least
//! 1), fewer bodies.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::forms::Forms;
use super::pack::{FilmBody, PackScale, Packer, deflated, table};
use super::table::{short, shorts};
use crate::base::error::Result;
use crate::picture::{
    ChainLink, ColourMap, DrawnWall, FieldQuantity, ImagePoint, PictureSource, STRONG, Survey, WEAK, inner_faces,
    links, wall_lines,
};

/// Number of frames below which forces are dropped first: with fewer frames the animation is jerky.
const MIN_FRAMES: usize = 40;
/// Maximum number of bodies and faces of deformable bodies times frames that a browser handles well.
const MAX_STATES: usize = 4_000_000;
/// Approximate size of a body in a frame in which all bodies move, bytes.
const BYTES_PER_BODY: usize = 9;
/// Forces below this fraction of the mean are too thin to be visible.
const MIN_FORCE: f64 = 0.1;
/// Margin around the view within which bodies are kept, relative to its diagonal.
const MARGIN: f64 = 1.0;

/// Selection of force chains.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Chains {
    All,
    Strong,
    None,
}

/// Frames for the page.
pub(super) struct Film {
    /// Number of frames.
    pub(super) frames: usize,
    /// Metadata needed to read and show them.
    pub(super) facts: Value,
    /// Packed data: shapes, bodies, then the frames in order.
    pub(super) bytes: Vec<u8>,
}

impl Film {
    /// Packs the frames of a run: at most `max_frames` of them, no longer than `budget` bytes as text; `None` if not
    /// even one fits.
    pub(super) fn of(
        source: &PictureSource,
        budget: usize,
        max_frames: usize,
        notes: &mut Vec<String>,
    ) -> Result<Option<Self>> {
        let all = source.times().len();
        let last = source.drawing(all - 1)?;
        let faces = last.faces.iter().filter(|face| face.nodal.is_some()).count();
        let states = (last.bodies.len() + faces).max(1);
        let count = max_frames.min(all).min((MAX_STATES / states).max(2)).max(1);
        let contents = FilmContents::of(source, &evenly_spaced(all, count))?;
        // Base64 turns three bytes into four characters; time, mean force and length of each frame are stored
        // separately.
        let budget = budget.saturating_sub(contents.facts().to_string().len() + 400 + 32 * count) / 4 * 3;
        let mut stride = 1;
        while contents.entries.len() / stride * BYTES_PER_BODY * count.min(8) > budget && stride < 1 << 20 {
            stride *= 2;
        }
        loop {
            for chains in [Chains::All, Chains::Strong, Chains::None] {
                let mut count = count;
                let least = if chains == Chains::None { 1 } else { MIN_FRAMES.min(count) };
                while count >= least {
                    match contents.film(source, &evenly_spaced(all, count), chains, stride, budget)? {
                        Ok(film) => {
                            note_omissions(notes, [film.frames, all], chains, stride);
                            return Ok(Some(film));
                        }
                        Err(share) => count = ((0.97 * share * count as f64) as usize).min(count - 1),
                    }
                }
            }
            stride *= 2;
            if stride > 1 << 20 {
                notes.push("Not a single frame fits into the budget: there is no film.".into());
                return Ok(None);
            }
        }
    }
}

fn note_omissions(notes: &mut Vec<String>, [count, all]: [usize; 2], chains: Chains, stride: usize) {
    let mut words = Vec::new();
    if count < all {
        words.push(format!("{count} of {all} frames are shown"));
    }
    match chains {
        Chains::All => {}
        Chains::Strong => words.push("only forces above the mean are shown".into()),
        Chains::None => words.push("forces are omitted".into()),
    }
    if stride > 1 {
        words.push(format!("only one body in {stride} and the largest ones are shown"));
    }
    if !words.is_empty() {
        notes.push(format!("To fit the size budget: {}. A larger --budget shows more.", words.join("; ")));
    }
}

/// `count` evenly spaced numbers from the first to the last of `all`.
fn evenly_spaced(all: usize, count: usize) -> Vec<usize> {
    match count {
        1 => vec![all - 1],
        _ => (0..count).map(|k| k * (all - 1) / (count - 1)).collect(),
    }
}

/// All bodies that appear, and the data common to all frames.
struct FilmContents {
    entries: Vec<FilmBody>,
    forms: Forms,
    scale: PackScale,
    largest: f64,
    surveys: Vec<(FieldQuantity, Survey)>,
    view: [ImagePoint; 2],
    walls: Vec<DrawnWall>,
}

impl FilmContents {
    fn of(source: &PictureSource, numbers: &[usize]) -> Result<Self> {
        let dimension = source.dimension;
        let has_nodes = source.drawing(numbers[numbers.len() - 1])?.has_nodes();
        let mut surveys: Vec<(FieldQuantity, Survey)> = quantities(dimension, has_nodes)
            .into_iter()
            .map(|quantity| (quantity, Survey::new(quantity, dimension)))
            .collect();
        let (mut known, mut forms): (BTreeMap<u64, FilmBody>, _) = (BTreeMap::new(), Forms::default());
        let (mut velocity, mut spin, mut force, mut stress) = (0f64, 0f64, 0f64, 0f64);
        let mut corners = [ImagePoint::repeat(f64::INFINITY), ImagePoint::repeat(f64::NEG_INFINITY)];
        let mut walls = Vec::new();
        for &number in numbers {
            let drawing = source.drawing(number)?;
            surveys.iter_mut().for_each(|(_, survey)| survey.add(&drawing));
            let is_new = |body: usize| {
                let own = &drawing.bodies[body];
                own.radius > 0.0 && !known.contains_key(&own.id)
            };
            for (body, form) in forms.of(&drawing, is_new) {
                let own = &drawing.bodies[body];
                known.insert(own.id, FilmBody { id: own.id, form, radius: own.radius, is_ball: forms.is_ball(form) });
            }
            for body in &drawing.bodies {
                velocity = velocity.max(body.velocity.amax());
                spin = spin.max(body.spin.amax());
                corners = [corners[0].inf(&body.centre), corners[1].sup(&body.centre)];
            }
            stress = drawing.faces.iter().filter_map(|face| Some(face.nodal?.stress)).fold(stress, f64::max);
            force = drawing.chains.iter().map(|chain| chain.force).fold(force, f64::max);
            walls = drawing.walls;
        }
        let view = surveys[0].1.view(&walls);
        let margin = (view[1] - view[0]).norm() * MARGIN;
        let min = corners[0].sup(&view[0].add_scalar(-margin));
        let max = corners[1].inf(&view[1].add_scalar(margin)).sup(&min);
        let largest = known.values().map(|entry| entry.radius).fold(0.0, f64::max);
        let scale = PackScale { dimension, min, size: max - min, velocity, spin, force, stress };
        Ok(Self { entries: known.into_values().collect(), forms, scale, largest, surveys, view, walls })
    }

    /// Packs these frames; if they do not fit, returns the fraction that does.
    fn film(
        &self,
        source: &PictureSource,
        numbers: &[usize],
        chains: Chains,
        stride: usize,
        budget: usize,
    ) -> Result<std::result::Result<Film, f64>> {
        let typical = self.surveys[0].1.radius;
        let kept = |(index, entry): &(usize, &FilmBody)| index % stride == 0 || entry.radius > 4.0 * typical;
        let entries: Vec<FilmBody> = self.entries.iter().enumerate().filter(kept).map(|(_, entry)| *entry).collect();
        let mut packer = Packer::new(self.scale, &entries, &self.forms);
        let mut parts = vec![deflated(self.forms.json().to_string().as_bytes()), table(&entries, self.largest)];
        let mut size: usize = parts.iter().map(Vec::len).sum();
        let (mut times, mut means) = (Vec::new(), Vec::new());
        for (done, &number) in numbers.iter().enumerate() {
            let drawing = source.drawing(number)?;
            let all = links(&drawing, self.surveys[0].1.force, typical);
            let mean = all.iter().map(|link| link.force).sum::<f64>() / all.len().max(1) as f64;
            let frame = packer.frame(&drawing, &selected(all, chains, mean));
            size += frame.len();
            if size > budget {
                return Ok(Err(done as f64 / numbers.len() as f64));
            }
            parts.push(frame);
            times.push(drawing.time);
            means.push(mean);
        }
        let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
        let mut facts = self.facts();
        facts["bodies"] = json!(entries.len());
        facts["lengths"] = json!(lengths);
        facts["times"] = json!(shorts(times.into_iter()));
        facts["means"] = json!(shorts(means.into_iter()));
        facts["has_chains"] = json!(chains != Chains::None && self.scale.force > 0.0);
        Ok(Ok(Film { frames: numbers.len(), facts, bytes: parts.concat() }))
    }

    /// The quantities that can colour bodies, with their ranges.
    fn fields(&self) -> Vec<Value> {
        let fields = self.surveys.iter().map(|(quantity, survey)| {
            let (range, beyond) = survey.range(None);
            let (title, factor) = quantity.scaled_title(range[1]);
            let range = range.map(|end| end * factor);
            json!({
                "name": name(*quantity),
                "title": title,
                "is_diverging": quantity.map(self.scale.dimension) == ColourMap::Diverging,
                "is_whole": quantity.is_whole(),
                "range": range.map(short),
                "beyond": beyond,
            })
        });
        fields.collect()
    }

    fn facts(&self) -> Value {
        let Self { scale, view, walls, .. } = self;
        let dimension = usize::from(scale.dimension);
        let point = |at: &ImagePoint| shorts(at.iter().take(dimension).copied());
        let middle = 0.5 * (view[0] + view[1]);
        let wide = [middle + 2.0 * (view[0] - middle), middle + 2.0 * (view[1] - middle)];
        let flat =
            |([from, to], normal): ([ImagePoint; 2], ImagePoint)| json!([point(&from), point(&to), point(&normal)]);
        let solid = |corners: &[ImagePoint], normal: &ImagePoint| {
            let corners: Vec<_> = corners.iter().map(&point).collect();
            json!({ "corners": corners, "normal": point(&normal.normalize()) })
        };
        let (flat_walls, solid_walls) = match scale.dimension {
            2 => (wall_lines(walls, wide).into_iter().map(flat).collect(), Vec::new()),
            _ => (Vec::new(), inner_faces(walls, *view).iter().map(|own| solid(&own.corners, &own.normal)).collect()),
        };
        let rings = walls.iter().filter_map(|wall| match wall {
            DrawnWall::Drum { centre, radius, .. } if scale.dimension == 2 => {
                Some(json!([point(centre), short(*radius)]))
            }
            _ => None,
        });
        let segments = walls.iter().filter_map(|wall| match wall {
            DrawnWall::Segment { ends, .. } => Some(json!([point(&ends[0]), point(&ends[1])])),
            _ => None,
        });
        let mut facts = json!({
            "dimension": scale.dimension,
            "min": scale.min.iter().take(dimension).collect::<Vec<_>>(),
            "size": scale.size.iter().take(dimension).collect::<Vec<_>>(),
            "velocity": scale.velocity,
            "spin": scale.spin,
            "force": scale.force,
            "largest": self.largest,
            "typical_radius": short(self.surveys[0].1.radius),
            "strong_force": short(self.surveys[0].1.force),
            "view": [point(&view[0]), point(&view[1])],
            "fields": self.fields(),
            "sequential": ColourMap::Sequential.colours(),
            "diverging": ColourMap::Diverging.colours(),
            "chain_colours": [STRONG, WEAK],
            "walls": flat_walls,
            "rings": rings.collect::<Vec<_>>(),
            "segments": segments.collect::<Vec<_>>(),
            "sides": solid_walls,
        });
        if let Some((quantity, survey)) = self.surveys.iter().find(|(quantity, _)| *quantity == FieldQuantity::Stress) {
            // Of the largest stress, in the unit of the colour bar.
            facts["stress"] = json!(scale.stress * quantity.scaled_title(survey.range(None).0[1]).1);
        }
        facts
    }
}

fn selected(all: Vec<ChainLink>, chains: Chains, mean: f64) -> Vec<ChainLink> {
    let least = match chains {
        Chains::All => MIN_FORCE * mean,
        Chains::Strong => mean,
        Chains::None => f64::INFINITY,
    };
    all.into_iter().filter(|link| link.force >= least).collect()
}

/// Quantities that can colour bodies on the page.
fn quantities(dimension: u8, has_nodes: bool) -> Vec<FieldQuantity> {
    let mut all = vec![FieldQuantity::Speed, FieldQuantity::VelocityX, FieldQuantity::VelocityY];
    if dimension == 3 {
        all.push(FieldQuantity::VelocityZ);
    }
    all.extend([FieldQuantity::Spin, FieldQuantity::Contacts, FieldQuantity::Radius, FieldQuantity::Id]);
    if has_nodes {
        all.push(FieldQuantity::Stress);
    }
    all.push(FieldQuantity::None);
    all
}

/// Name of a quantity on the page.
fn name(quantity: FieldQuantity) -> &'static str {
    match quantity {
        FieldQuantity::Speed => "speed",
        FieldQuantity::VelocityX => "velocity_x",
        FieldQuantity::VelocityY => "velocity_y",
        FieldQuantity::VelocityZ => "velocity_z",
        FieldQuantity::Spin => "spin",
        FieldQuantity::Contacts => "contacts",
        FieldQuantity::Radius => "radius",
        FieldQuantity::Id => "id",
        FieldQuantity::Stress => "stress",
        _ => "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_evenly_spaced_from_the_first_to_the_last() {
        assert_eq!(evenly_spaced(100, 4), [0, 33, 66, 99]);
        assert_eq!((evenly_spaced(7, 1), evenly_spaced(3, 3)), (vec![6], vec![0, 1, 2]));
    }

    #[test]
    fn what_is_left_out_is_noted() {
        let mut notes = Vec::new();
        note_omissions(&mut notes, [50, 50], Chains::All, 1);
        assert!(notes.is_empty());
        note_omissions(&mut notes, [20, 50], Chains::Strong, 4);
        assert!(
            notes[0].contains("20 of 50 frames")
                && notes[0].contains("above the mean")
                && notes[0].contains("one body in 4")
        );
    }
}
