//! From a moment and what is wished to a file.

use std::path::Path;

use super::colour::{Colour, Map};
use super::legend::Bar;
use super::paint::Canvas;
use super::survey::Survey;
use super::{Drawing, DrawnBody, FieldQuantity, ImagePoint, plane, space, svg};
use crate::base::error::{Error, Result};

/// Bodies that are all of one colour.
const PLAIN: u32 = 0xb9c4cf;
/// The same under force chains.
const PALE: u32 = 0xe8ebee;

/// What a picture is to look like.
#[derive(Clone, Debug)]
pub struct PictureOptions {
    /// Name of the scene.
    pub title: String,
    /// What bodies are coloured by.
    pub by: FieldQuantity,
    /// Show force chains?
    pub chains: bool,
    /// Show bodies?
    pub bodies: bool,
    /// px.
    pub width: usize,
    /// px; follows from the scene if absent.
    pub height: Option<usize>,
    /// Where the eye is, as seen from the scene, in degrees: from the x axis towards y, and up.
    pub from: [f64; 2],
    /// How much larger everything is shown.
    pub zoom: f64,
    /// The box to show, m; all bodies if absent.
    pub view: Option<[ImagePoint; 2]>,
    /// The range of colours; that of the values if absent.
    pub range: Option<[f64; 2]>,
    /// 2 or 3.
    pub dimension: u8,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            title: String::new(),
            by: FieldQuantity::Speed,
            chains: false,
            bodies: true,
            width: 1200,
            height: None,
            from: [-60.0, 22.0],
            zoom: 1.0,
            view: None,
            range: None,
            dimension: 2,
        }
    }
}

impl PictureOptions {
    /// Is there anything to explain beside the picture?
    pub(super) fn has_panel(&self) -> bool {
        self.chains || self.shows_colours()
    }

    /// Are bodies glass, for what lies between them?
    pub(super) fn is_glass(&self) -> bool {
        self.chains || self.by == FieldQuantity::Pressure
    }

    fn shows_colours(&self) -> bool {
        self.by == FieldQuantity::Pressure || (self.bodies && self.by != FieldQuantity::None)
    }
}

/// How a picture is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines and words, in the plane.
    Svg,
    /// Pixels.
    Png,
}

/// Draw a moment into a file.
pub fn draw(drawing: &Drawing, survey: &Survey, wishes: &PictureOptions, format: Format, path: &Path) -> Result<()> {
    match (wishes.dimension, format) {
        (2, Format::Svg) => {
            let text = svg::write(&plane::sheet(drawing, survey, wishes), &wishes.title);
            std::fs::write(path, text).map_err(|e| Error::system("write", path, e))
        }
        (_, Format::Png) => image(drawing, survey, wishes).save(path),
        (_, Format::Svg) => {
            Err(Error::system("draw", path, "a scene in three dimensions becomes a PNG; name a file that ends in .png"))
        }
    }
}

/// A moment as what is in a PNG file of it.
pub fn png(drawing: &Drawing, survey: &Survey, wishes: &PictureOptions) -> Result<Vec<u8>> {
    image(drawing, survey, wishes).png()
}

fn image(drawing: &Drawing, survey: &Survey, wishes: &PictureOptions) -> Canvas {
    if wishes.dimension != 2 {
        return space::image(drawing, survey, wishes);
    }
    let sheet = plane::sheet(drawing, survey, wishes);
    let mut image = Canvas::blank(sheet.width, sheet.height);
    image.paint(&sheet);
    image
}

/// The colours of bodies.
pub(super) struct Scheme {
    quantity: FieldQuantity,
    dimension: u8,
    range: [f64; 2],
    plain: Colour,
    shown: fn(Map, f64) -> Colour,
    /// What explains them.
    pub(super) bar: Option<Bar>,
}

impl Scheme {
    pub(super) fn new(survey: &Survey, wishes: &PictureOptions) -> Self {
        let (range, beyond) = survey.range(wishes.range);
        let (quantity, dimension) = (wishes.by, wishes.dimension);
        // Under chains colours are pale, in the plane; in space bodies are glass there.
        let shown = if wishes.chains && dimension == 2 { pale } else { Map::at };
        let bar = wishes.shows_colours().then(|| Bar {
            title: quantity.title(),
            map: quantity.map(dimension),
            range,
            beyond,
            is_whole: quantity.is_whole(),
            colour: shown,
        });
        let plain = Colour::hex(if wishes.is_glass() { PALE } else { PLAIN });
        Self { quantity, dimension, range, plain, shown, bar }
    }

    /// Of a body.
    pub(super) fn colour(&self, body: &DrawnBody) -> Colour {
        match self.quantity {
            FieldQuantity::None | FieldQuantity::Pressure => self.plain,
            quantity => self.stands_for(quantity.of(body, self.dimension)),
        }
    }

    /// Of a value.
    pub(super) fn stands_for(&self, value: f64) -> Colour {
        let [low, high] = self.range;
        let share = (value - low) / (high - low);
        (self.shown)(self.quantity.map(self.dimension), share)
    }

    /// Of the edge of a body of this colour.
    pub(super) fn rim(&self, fill: Colour) -> Colour {
        let [red, green, blue] = fill.0;
        let is_dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.35;
        if is_dark { fill.mix(Colour([1.0; 3]), 0.38) } else { fill.mix(Colour([0.0; 3]), 0.38) }
    }
}

fn pale(map: Map, share: f64) -> Colour {
    map.at(share).mix(Colour([1.0; 3]), 0.55)
}
