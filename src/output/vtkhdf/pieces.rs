//! Conversion of a frame into rows of the datasets of the file.

use super::frame::{Frame, FrameCells, FrameCounts, FrameField, integers, topologies};
use super::table::{CHUNK_BYTES, DatasetRows, NumberKind};
use super::tree::TOPOLOGIES;

/// Rows for every dataset, fields sorted by name, so that a file rebuilt from its frames has the same bytes.
pub(crate) fn pieces(frame: &Frame, counts: &FrameCounts) -> Vec<DatasetRows> {
    let FrameCounts { is_first, points: (points_before, points), before, total } = counts;
    let all = frame.points.as_flattened().iter().flat_map(|number| number.to_ne_bytes()).collect();
    let parts = vec![(*points_before, all)];
    let mut pieces =
        vec![DatasetRows { path: "Points".into(), kind: NumberKind::Double, width: 3, total: *points, parts }];
    for (kind, FrameCells { offsets, ids }) in topologies(frame, counts).into_iter().enumerate() {
        let name = TOPOLOGIES[kind];
        // There is one offset more than cells: the start of the first cell.
        let first = before[kind].cells + usize::from(!is_first);
        let mut add = |name: String, total: usize, first: usize, values: Vec<i64>| {
            let parts = vec![(first, integers(&values))];
            pieces.push(DatasetRows { path: name, kind: NumberKind::Integer, width: 1, total, parts });
        };
        add(format!("{name}/Offsets"), total[kind].cells + 1, first, offsets);
        add(format!("{name}/Connectivity"), total[kind].ids, before[kind].ids, ids);
    }
    for FrameField { name, width, values } in by_name(&frame.point_fields) {
        let parts = vec![(*points_before, values.bytes(0..values.len()))];
        pieces.push(DatasetRows {
            path: format!("PointData/{name}"),
            kind: values.kind(),
            width: *width,
            total: *points,
            parts,
        });
    }
    let cells: usize = total.iter().map(|count| count.cells).sum();
    for FrameField { name, width, values } in by_name(&frame.cell_fields) {
        let (mut parts, mut taken, mut first) = (Vec::new(), 0, 0);
        for (kind, own) in [frame.vertices.len(), frame.lines.len(), frame.polygons.len()].into_iter().enumerate() {
            let range = width * taken..width * (taken + own);
            parts.push((first + before[kind].cells, values.bytes(range)));
            taken += own;
            first += total[kind].cells;
        }
        pieces.push(DatasetRows {
            path: format!("CellData/{name}"),
            kind: values.kind(),
            width: *width,
            total: cells,
            parts,
        });
    }
    pieces
}

/// Fields sorted by name.
pub(crate) fn by_name(fields: &[FrameField]) -> Vec<&FrameField> {
    let mut sorted: Vec<&FrameField> = fields.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    sorted
}

/// Upper bound of the size of a frame, compressed or not, in bytes: its numbers and, for every dataset, a started chunk
/// and two nodes of its index.
pub(crate) fn max_bytes(pieces: &[DatasetRows]) -> usize {
    let numbers: usize = pieces.iter().map(|piece| piece.total * piece.width).sum();
    size_of::<f64>() * numbers + (25 + 2 * pieces.len()) * (CHUNK_BYTES + (1 << 13))
}
