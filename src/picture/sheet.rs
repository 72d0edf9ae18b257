//! A sheet of marks in layers, in pixels from the top left corner; written as SVG or rasterised.

use super::colour::Colour;

/// A position on the sheet, px.
pub(super) type LabelPlace = [f64; 2];

/// A white sheet of this size, px.
#[derive(Clone, Debug)]
pub(super) struct SvgSheet {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Layers, bottom first.
    pub(super) layers: Vec<Layer>,
}

/// A group of marks.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// Name of the layer.
    pub(super) name: &'static str,
    /// Marks, bottom first.
    pub(super) marks: Vec<Mark>,
}

/// A graphical element.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// A disk with an outline.
    Disk { centre: LabelPlace, radius: f64, fill: Colour, edge: Edge },
    /// A circle.
    Ring { centre: LabelPlace, radius: f64, edge: Edge },
    /// A convex polygon with an outline.
    Polygon { corners: Vec<LabelPlace>, fill: Colour, edge: Edge },
    /// Line segments of one style, with round caps.
    Lines { ends: Vec<[LabelPlace; 2]>, edge: Edge },
    /// A line of text; `at` is the left end of its baseline.
    Text { at: LabelPlace, size: f64, bold: bool, text: String, colour: Colour },
}

/// Colour and width of a line; a width of zero draws none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) colour: Colour,
    /// Width, px.
    pub(super) width: f64,
}

impl Edge {
    /// No line.
    pub(super) fn none() -> Self {
        Self { colour: Colour([0.0; 3]), width: 0.0 }
    }
}

impl Mark {
    /// An axis-aligned rectangle between two opposite corners.
    pub(super) fn rectangle(min: LabelPlace, max: LabelPlace, fill: Colour) -> Self {
        let corners = vec![min, [max[0], min[1]], max, [min[0], max[1]]];
        Mark::Polygon { corners, fill, edge: Edge::none() }
    }
}
