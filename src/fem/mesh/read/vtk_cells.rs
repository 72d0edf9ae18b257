//! What the two VTK formats share: types of numbers, types of cells, and arrays that name groups.

use crate::fem::mesh::ElementKind;
use crate::fem::mesh::fault::ReadTrouble;

use super::damaged::EXPORT_AGAIN;
use super::draft::{CellShape, Draft};
use super::source::{NumberType, whole};

/// Names of cell arrays that hold the number of a group, the preferred one first.
const GROUP_ARRAYS: [&str; 4] = ["group", "material", "CellEntityIds", "gmsh:physical"];

/// The arrays that describe an unstructured grid.
#[derive(Default)]
pub(super) struct VtkGrid {
    /// Coordinates, three a point.
    pub(super) points: Vec<f64>,
    /// Points of all cells.
    pub(super) connectivity: Vec<f64>,
    /// End of each cell in `connectivity`.
    pub(super) offsets: Vec<f64>,
    /// Type of each cell.
    pub(super) types: Vec<f64>,
    /// Cell arrays of one component that tell groups.
    pub(super) cell_arrays: Vec<(String, Vec<f64>)>,
}

/// Returns true if a cell array with this name tells groups.
pub(super) fn is_group_array(name: &str) -> bool {
    GROUP_ARRAYS.contains(&name)
}

impl VtkGrid {
    /// Returns true if an array with this name tells groups and was not read yet.
    pub(super) fn lacks_groups(&self, name: &str) -> bool {
        is_group_array(name) && self.cell_arrays.iter().all(|(known, _)| known != name)
    }

    pub(super) fn into_draft(self) -> Result<Draft, ReadTrouble> {
        let mut draft = Draft::default();
        draft.nodes.extend(self.points.chunks_exact(3).map(|p| [p[0], p[1], p[2]]));
        if self.types.len() != self.offsets.len() {
            let what = format!("has {} cells and {} types of cells", self.offsets.len(), self.types.len());
            return Err(ReadTrouble::new(what, EXPORT_AGAIN));
        }
        let groups = GROUP_ARRAYS.iter().find_map(|name| self.cell_arrays.iter().find(|(own, _)| own == name));
        let mut start = 0;
        for (number, (&code, &offset)) in self.types.iter().zip(&self.offsets).enumerate() {
            let at = |what: String| ReadTrouble { element: Some(number + 1), ..ReadTrouble::new(what, EXPORT_AGAIN) };
            let end = whole(offset).and_then(|end| usize::try_from(end).ok());
            let points = end.and_then(|end| self.connectivity.get(start..end));
            let (Some(end), Some(points)) = (end, points) else {
                return Err(at(format!("has the offset {offset} after {start}")));
            };
            let index = |&point: &f64| whole(point).and_then(|k| u32::try_from(k).ok());
            let Some(points) = points.iter().map(index).collect::<Option<Vec<u32>>>() else {
                return Err(at("has a point whose number is not an index".into()));
            };
            start = end;
            let (shape, nodes) =
                ordered(code, &points).map_err(|trouble| ReadTrouble { element: Some(number + 1), ..trouble })?;
            let group = match groups.and_then(|(name, values)| Some((name, *values.get(number)?))) {
                Some((name, value)) => Some(whole(value).ok_or_else(|| {
                    let what = format!("has the value {value} in the array '{name}'");
                    ReadTrouble { remedy: "number groups by integers", ..at(what) }
                })?),
                None => None,
            };
            draft.add(shape, &nodes, group.as_slice(), number + 1, None)?;
        }
        Ok(draft)
    }
}

/// The shape of a cell of this type and its nodes in the order of Gmsh.
fn ordered(code: f64, points: &[u32]) -> Result<(CellShape, Vec<u32>), ReadTrouble> {
    let turned = |order: &[usize]| order.iter().filter_map(|&k| points.get(k).copied()).collect();
    let as_given = points.to_vec();
    let name = match whole(code).unwrap_or(-1) {
        1 => return Ok((CellShape::Point, as_given)),
        3 => return Ok((CellShape::Line, as_given)),
        21 => return Ok((CellShape::QuadraticLine, as_given)),
        5 => return Ok((CellShape::Whole(ElementKind::T3), as_given)),
        22 => return Ok((CellShape::Whole(ElementKind::T6), as_given)),
        8 => return Ok((CellShape::Whole(ElementKind::Q4), turned(&[0, 1, 3, 2]))),
        9 => return Ok((CellShape::Whole(ElementKind::Q4), as_given)),
        10 => return Ok((CellShape::Whole(ElementKind::Tet4), as_given)),
        // The nodes in the middle of the last two edges change places.
        24 => return Ok((CellShape::Whole(ElementKind::Tet10), turned(&[0, 1, 2, 3, 4, 5, 6, 7, 9, 8]))),
        11 => return Ok((CellShape::Whole(ElementKind::Hex8), turned(&[0, 1, 3, 2, 4, 5, 7, 6]))),
        12 => return Ok((CellShape::Whole(ElementKind::Hex8), as_given)),
        2 => "a set of points",
        4 => "a polyline",
        6 => "a strip of triangles",
        7 => "a polygon",
        13 => "a wedge",
        14 => "a pyramid",
        23 | 28 => "a quadratic quadrilateral",
        25 | 29 => "a quadratic hexahedron",
        _ => "of an unknown type",
    };
    let remedy = "mesh with linear or quadratic triangles or tetrahedra, or linear quadrilaterals or hexahedra";
    Err(ReadTrouble::new(format!("is {name} (type {code})"), remedy))
}

/// The type of numbers with this name: of a legacy file, in lower case, or of an XML file.
pub(super) fn number_type(name: &str) -> Option<NumberType> {
    Some(match name {
        "float" | "Float32" => NumberType::Float(4),
        "double" | "Float64" => NumberType::Float(8),
        "char" | "signed_char" | "vtktypeint8" | "Int8" => NumberType::Signed(1),
        "unsigned_char" | "vtktypeuint8" | "UInt8" => NumberType::Unsigned(1),
        "short" | "vtktypeint16" | "Int16" => NumberType::Signed(2),
        "unsigned_short" | "vtktypeuint16" | "UInt16" => NumberType::Unsigned(2),
        "int" | "vtkidtype" | "vtktypeint32" | "Int32" => NumberType::Signed(4),
        "unsigned_int" | "vtktypeuint32" | "UInt32" => NumberType::Unsigned(4),
        "long" | "vtktypeint64" | "Int64" => NumberType::Signed(8),
        "unsigned_long" | "vtktypeuint64" | "UInt64" => NumberType::Unsigned(8),
        _ => return None,
    })
}
