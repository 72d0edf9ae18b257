//! A sheet with marks in layers, in pixels from the top left corner: what is written as SVG or painted.

use super::colour::Colour;

/// A place on the sheet, px.
pub(super) type LabelPlace = [f64; 2];

/// A paper of this size, px, white.
#[derive(Clone, Debug)]
pub(super) struct SvgSheet {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Later ones cover earlier ones.
    pub(super) layers: Vec<Layer>,
}

/// Marks that belong together.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// What they show.
    pub(super) name: &'static str,
    /// Later ones cover earlier ones.
    pub(super) marks: Vec<Mark>,
}

/// Something to be seen.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    /// A disk with an edge.
    Disk { centre: LabelPlace, radius: f64, fill: Colour, edge: Edge },
    /// A circle.
    Ring { centre: LabelPlace, radius: f64, edge: Edge },
    /// A convex polygon with an edge.
    Polygon { corners: Vec<LabelPlace>, fill: Colour, edge: Edge },
    /// Straight lines of one kind, with round ends.
    Lines { ends: Vec<[LabelPlace; 2]>, edge: Edge },
    /// A line of text; `at` is the left end of its baseline.
    Text { at: LabelPlace, size: f64, bold: bool, text: String, colour: Colour },
}

/// A line's colour and width; none if the width is zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) colour: Colour,
    /// px.
    pub(super) width: f64,
}

impl Edge {
    /// No line.
    pub(super) fn none() -> Self {
        Self { colour: Colour([0.0; 3]), width: 0.0 }
    }
}

impl Mark {
    /// A rectangle from one corner to the other.
    pub(super) fn rectangle(min: LabelPlace, max: LabelPlace, fill: Colour) -> Self {
        let corners = vec![min, [max[0], min[1]], max, [min[0], max[1]]];
        Mark::Polygon { corners, fill, edge: Edge::none() }
    }
}
