//! Content of one frame: points, cells and the fields on them; each process has a part.
//!
//! In: plain numbers. Out: whether they are consistent, and the cells as VTK stores them.

use std::borrow::Cow;

use super::table::NumberKind;
use crate::comm::Comm;
use crate::output::rows::before;

/// Values of a field: all components of the first point or cell, then of the second.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValues {
    /// Quantities; stored in single precision, which exceeds the resolution of a colour map.
    Float(Vec<f64>),
    /// Ids and kinds; stored without conversion.
    Integer(Vec<i64>),
}

impl FieldValues {
    /// Number type in the file.
    pub(crate) fn kind(&self) -> NumberKind {
        match self {
            FieldValues::Float(_) => NumberKind::Single,
            FieldValues::Integer(_) => NumberKind::Integer,
        }
    }

    /// The values of a range as stored.
    pub(crate) fn bytes(&self, range: std::ops::Range<usize>) -> Vec<u8> {
        match self {
            FieldValues::Float(values) => {
                values[range].iter().flat_map(|&value| (value as f32).to_ne_bytes()).collect()
            }
            FieldValues::Integer(values) => integers(&values[range]),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            FieldValues::Float(values) => values.len(),
            FieldValues::Integer(values) => values.len(),
        }
    }
}

/// A named quantity on all points or all cells.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameField {
    /// Name shown by ParaView.
    pub name: Cow<'static, str>,
    /// 1 for a scalar, 3 for a vector, 4 for a quaternion.
    pub width: usize,
    /// `width` numbers for each point or cell.
    pub values: FieldValues,
}

/// Content of one frame; plain numbers, so that this file is independent of bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time, s.
    pub time: f64,
    /// Positions, m; stored in double precision, since a displacement is a small difference of two positions.
    pub points: Vec<[f64; 3]>,
    /// Cells of one point. Points are numbered over all processes, in rank order.
    pub vertices: Vec<u64>,
    /// Cells of two points.
    pub lines: Vec<[u64; 2]>,
    /// Cells of three or more points.
    pub polygons: Vec<Vec<u64>>,
    /// Fields on points.
    pub point_fields: Vec<FrameField>,
    /// Fields on cells: vertices first, then lines, then polygons.
    pub cell_fields: Vec<FrameField>,
}

/// Name, width and whether real, of the fields on points and on cells, each sorted by name.
pub(crate) type FrameLayout = [Vec<(String, usize, bool)>; 2];

/// The cells of one kind as VTK stores them: offsets into the ids, and the point ids.
pub(crate) struct FrameCells {
    /// Ends of the cells; on the first process preceded by the start of the first cell.
    pub(crate) offsets: Vec<i64>,
    pub(crate) ids: Vec<i64>,
}

/// Numbers of cells of one kind and of the point ids in them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CellCount {
    pub(crate) cells: usize,
    pub(crate) ids: usize,
}

/// Numbers of points and cells on the processes before this one, and on all.
pub(crate) struct FrameCounts {
    pub(crate) is_first: bool,
    pub(crate) points: (usize, usize),
    pub(crate) before: [CellCount; 4],
    pub(crate) total: [CellCount; 4],
}

impl FrameCounts {
    /// Collective. Counts over all processes.
    pub(crate) fn of(comm: &dyn Comm, frame: &Frame) -> Self {
        let corners = frame.polygons.iter().map(Vec::len).sum::<usize>();
        let (vertices, lines, polygons) = (frame.vertices.len(), frame.lines.len(), frame.polygons.len());
        let own = [frame.points.len(), vertices, vertices, lines, 2 * lines, polygons, corners];
        let [points, counts @ ..] = before(comm, own.map(|count| count as u64));
        let mut all = Self { is_first: comm.is_root(), points, before: Default::default(), total: Default::default() };
        for (kind, pair) in counts.as_chunks::<2>().0.iter().enumerate() {
            let [cells, ids] = *pair;
            all.before[kind] = CellCount { cells: cells.0, ids: ids.0 };
            all.total[kind] = CellCount { cells: cells.1, ids: ids.1 };
        }
        all
    }
}

/// Integers as stored.
pub(crate) fn integers(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

pub(crate) fn layout(frame: &Frame) -> FrameLayout {
    let kind =
        |field: &FrameField| (field.name.to_string(), field.width, matches!(field.values, FieldValues::Float(_)));
    [&frame.point_fields, &frame.cell_fields].map(|fields| {
        let mut kinds: Vec<_> = fields.iter().map(kind).collect();
        kinds.sort();
        kinds
    })
}

/// Checks that the part is consistent in itself and with the number of `points` of all processes.
pub(crate) fn check(frame: &Frame, points: usize) -> Result<(), String> {
    if !frame.time.is_finite() {
        return Err("a frame needs a time".to_owned());
    }
    if let Some(polygon) = frame.polygons.iter().find(|polygon| polygon.len() < 3) {
        return Err(format!("a polygon of {} points", polygon.len()));
    }
    let (vertices, lines) = (&frame.vertices, frame.lines.as_flattened());
    let ids = vertices.iter().chain(lines).chain(frame.polygons.iter().flatten());
    if let Some(id) = ids.max().filter(|&&id| id as usize >= points) {
        return Err(format!("a cell names point {id} of {points}"));
    }
    let cells = vertices.len() + frame.lines.len() + frame.polygons.len();
    for (fields, count) in [(&frame.point_fields, frame.points.len()), (&frame.cell_fields, cells)] {
        for FrameField { name, width, values } in fields {
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

pub(crate) fn topologies(frame: &Frame, counts: &FrameCounts) -> [FrameCells; 4] {
    [
        cells(frame.vertices.iter().map(std::slice::from_ref), counts, 0),
        cells(frame.lines.iter().map(|line| &line[..]), counts, 1),
        cells(frame.polygons.iter().map(|polygon| &polygon[..]), counts, 2),
        cells(std::iter::empty(), counts, 3),
    ]
}

fn cells<'a>(all: impl Iterator<Item = &'a [u64]>, counts: &FrameCounts, kind: usize) -> FrameCells {
    let first = counts.before[kind].ids;
    let mut cells = FrameCells { offsets: Vec::new(), ids: Vec::new() };
    if counts.is_first {
        cells.offsets.push(0);
    }
    for cell in all {
        cells.ids.extend(cell.iter().map(|&id| id as i64));
        cells.offsets.push((first + cells.ids.len()) as i64);
    }
    cells
}
