//! Options of a picture, and the colours that follow from them.

use super::colour::{Colour, ColourMap};
use super::survey::Survey;
use super::{DrawnBody, DrawnFace, FieldQuantity, ImagePoint};

/// Body colour if all bodies have the same colour.
const PLAIN: u32 = 0xb9c4cf;
/// Body colour under force chains.
const PALE: u32 = 0xe8ebee;

/// Options of a picture.
#[derive(Clone, Debug)]
pub struct PictureOptions {
    /// Name of the scene.
    pub title: String,
    /// Quantity that colours the bodies.
    pub by: FieldQuantity,
    /// Whether force chains are shown.
    pub chains: bool,
    /// Whether bodies are shown.
    pub bodies: bool,
    /// Width of the image, px.
    pub width: usize,
    /// Height of the image, px; derived from the scene if absent.
    pub height: Option<usize>,
    /// Direction from the scene to the camera, degrees: azimuth from the x axis towards y, and elevation.
    pub from: [f64; 2],
    /// Magnification.
    pub zoom: f64,
    /// Box to show, m; all bodies if absent.
    pub view: Option<[ImagePoint; 2]>,
    /// Range of the colour map; the range of the values if absent.
    pub range: Option<[f64; 2]>,
    /// Dimension of the scene, 2 or 3.
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
    /// Returns true if the picture needs a legend beside it.
    pub(super) fn has_panel(&self) -> bool {
        self.chains || self.shows_colours()
    }

    /// Returns true if bodies are transparent, to show what lies between them.
    pub(super) fn is_transparent(&self) -> bool {
        self.chains || self.by == FieldQuantity::Pressure
    }

    fn shows_colours(&self) -> bool {
        self.by == FieldQuantity::Pressure || (self.bodies && self.by != FieldQuantity::None)
    }
}

/// Contents of a colour bar.
pub(super) struct Bar {
    /// Name and unit.
    pub(super) title: String,
    pub(super) map: ColourMap,
    /// In the unit of the title.
    pub(super) range: [f64; 2],
    /// Whether values lie below and above the range.
    pub(super) beyond: [bool; 2],
    /// True for integer values.
    pub(super) is_whole: bool,
    /// Colour in the picture at a fraction of the range.
    pub(super) colour: fn(ColourMap, f64) -> Colour,
}

/// Colour scheme of the bodies.
pub(super) struct Scheme {
    quantity: FieldQuantity,
    dimension: u8,
    range: [f64; 2],
    plain: Colour,
    colour_of: fn(ColourMap, f64) -> Colour,
    /// Colour bar, if the scheme needs one.
    pub(super) bar: Option<Bar>,
}

impl Scheme {
    pub(super) fn new(survey: &Survey, options: &PictureOptions) -> Self {
        let (range, beyond) = survey.range(options.range);
        let (quantity, dimension) = (options.by, options.dimension);
        // Under force chains bodies have pale colours in 2D; in 3D they are transparent instead.
        let colour_of = if options.chains && dimension == 2 { pale } else { ColourMap::at };
        let (title, factor) = quantity.scaled_title(range[0].abs().max(range[1].abs()));
        let bar = options.shows_colours().then(|| Bar {
            title,
            map: quantity.map(dimension),
            range: range.map(|end| end * factor),
            beyond,
            is_whole: quantity.is_whole(),
            colour: colour_of,
        });
        let plain = Colour::hex(if options.is_transparent() { PALE } else { PLAIN });
        Self { quantity, dimension, range, plain, colour_of, bar }
    }

    /// Colour of a body.
    pub(super) fn colour(&self, body: &DrawnBody) -> Colour {
        match self.quantity {
            FieldQuantity::None | FieldQuantity::Pressure => self.plain,
            quantity if quantity.is_nodal() => self.plain,
            quantity => self.value_colour(quantity.of(body, self.dimension)),
        }
    }

    /// Colour of a face of `body`.
    pub(super) fn face_colour(&self, face: &DrawnFace, body: &DrawnBody) -> Colour {
        let value = face.nodal.as_ref().and_then(|means| self.quantity.of_nodes(means));
        value.map_or_else(|| self.colour(body), |value| self.value_colour(value))
    }

    /// Colour of a value.
    pub(super) fn value_colour(&self, value: f64) -> Colour {
        let [low, high] = self.range;
        let share = (value - low) / (high - low);
        (self.colour_of)(self.quantity.map(self.dimension), share)
    }

    /// Outline colour for a body of this colour.
    pub(super) fn outline(&self, fill: Colour) -> Colour {
        let [red, green, blue] = fill.0;
        let is_dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.35;
        if is_dark { fill.mix(Colour([1.0; 3]), 0.38) } else { fill.mix(Colour([0.0; 3]), 0.38) }
    }
}

fn pale(map: ColourMap, share: f64) -> Colour {
    map.at(share).mix(Colour([1.0; 3]), 0.55)
}
