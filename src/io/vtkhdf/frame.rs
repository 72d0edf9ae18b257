//! What one frame shows: points, cells, the quantities on them.
//!
//! In: plain numbers. Out: whether they agree with each other, and the
//! cells as VTK stores them.

/// The numbers of a field, all components of the first point or cell, then of the second.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Quantities; stored in single precision, which a colour map does not exhaust.
    Float(Vec<f64>),
    /// Ids and kinds; stored as they are.
    Integer(Vec<i64>),
}

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Values::Float(values) => values.len(),
            Values::Integer(values) => values.len(),
        }
    }
}

/// A named quantity on every point or every cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name ParaView lists.
    pub name: &'static str,
    /// 1 for a scalar, 3 for a vector, 4 for a quaternion.
    pub width: usize,
    /// `width` numbers for each point or cell.
    pub values: Values,
}

/// What one frame shows; plain numbers, so that this file knows nothing of bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Seconds.
    pub time: f64,
    /// Metres; stored in double precision, since a displacement is a small difference of two.
    pub points: Vec<[f64; 3]>,
    /// Cells of one point.
    pub vertices: Vec<u32>,
    /// Cells of two points.
    pub lines: Vec<[u32; 2]>,
    /// Cells of three points and more.
    pub polygons: Vec<Vec<u32>>,
    /// Quantities on the points.
    pub point_fields: Vec<Field>,
    /// Quantities on the cells: vertices first, then lines, then polygons.
    pub cell_fields: Vec<Field>,
}

/// Name, width and whether real, of the fields on points and on cells, each in order of name.
pub(super) type Layout = [Vec<(String, usize, bool)>; 2];

/// The cells of one kind as VTK stores them: where each starts among the ids, and the point ids.
pub(super) struct Cells {
    pub(super) offsets: Vec<i64>,
    pub(super) ids: Vec<i64>,
}

pub(super) fn layout(frame: &Frame) -> Layout {
    let kind = |field: &Field| (field.name.to_owned(), field.width, matches!(field.values, Values::Float(_)));
    [&frame.point_fields, &frame.cell_fields].map(|fields| {
        let mut kinds: Vec<_> = fields.iter().map(kind).collect();
        kinds.sort();
        kinds
    })
}

pub(super) fn check(frame: &Frame) -> Result<(), String> {
    if !frame.time.is_finite() {
        return Err("a frame needs a time".to_owned());
    }
    if let Some(polygon) = frame.polygons.iter().find(|polygon| polygon.len() < 3) {
        return Err(format!("a polygon of {} points", polygon.len()));
    }
    let (vertices, lines) = (&frame.vertices, frame.lines.as_flattened());
    let ids = vertices.iter().chain(lines).chain(frame.polygons.iter().flatten());
    let points = frame.points.len();
    if let Some(id) = ids.max().filter(|&&id| id as usize >= points) {
        return Err(format!("a cell names point {id} of {points}"));
    }
    let cells = vertices.len() + frame.lines.len() + frame.polygons.len();
    for (fields, count) in [(&frame.point_fields, points), (&frame.cell_fields, cells)] {
        for Field { name, width, values } in fields {
            if name.is_empty() || name.contains(['/', '.', '\0']) {
                return Err(format!("a field cannot have the name {name:?}"));
            }
            if *width == 0 || values.len() != count * width {
                let length = values.len();
                return Err(format!("field {name} has {length} values for {count} times {width}"));
            }
        }
    }
    Ok(())
}

pub(super) fn topologies(frame: &Frame) -> [Cells; 4] {
    [
        cells(frame.vertices.iter().map(std::slice::from_ref)),
        cells(frame.lines.iter().map(|line| &line[..])),
        cells(frame.polygons.iter().map(|polygon| &polygon[..])),
        cells(std::iter::empty()),
    ]
}

fn cells<'a>(all: impl Iterator<Item = &'a [u32]>) -> Cells {
    let mut cells = Cells { offsets: vec![0], ids: Vec::new() };
    for cell in all {
        cells.ids.extend(cell.iter().map(|&id| i64::from(id)));
        cells.offsets.push(cells.ids.len() as i64);
    }
    cells
}
