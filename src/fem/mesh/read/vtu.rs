//! Reader of VTK XML files with an unstructured grid (`.vtu`) of one piece: text, base64, and appended raw or base64
//! data, not compressed.

use crate::fem::mesh::fault::ReadTrouble;

use super::damaged::EXPORT_AGAIN;
use super::draft::Draft;
use super::source::{NumberType, Source, shortened, whole};
use super::vtk_cells::{VtkGrid, number_type};
use super::xml::{XmlTag, base64};

/// An array in the file.
struct VtuArray<'a> {
    /// The tag that surrounds it: `Points`, `Cells`, `CellData`.
    section: &'a str,
    name: &'a str,
    number_type: NumberType,
    components: usize,
    /// `ascii`, `binary` or `appended`.
    format: &'a str,
    /// Position in the appended data.
    offset: usize,
    /// What stands between its tags, and the line where it starts.
    content: &'a [u8],
    line: usize,
}

/// What holds for all arrays of the file.
#[derive(Default)]
struct VtuFormat<'a> {
    is_big_endian: bool,
    has_wide_headers: bool,
    /// The appended data after the underscore, and whether it is base64.
    appended: Option<(&'a [u8], bool)>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Draft, ReadTrouble> {
    let (format, arrays) = scan(bytes)?;
    let mut grid = VtkGrid::default();
    for array in &arrays {
        // Several arrays may refer to the same bytes: each role is filled once.
        match (array.section, array.name) {
            ("Points", _) if array.components != 3 => {
                let what = format!("has points of {} components, not three", array.components);
                return Err(ReadTrouble::new(what, EXPORT_AGAIN));
            }
            ("Points", _) if grid.points.is_empty() => grid.points = format.numbers(array)?,
            ("Cells", "connectivity") if grid.connectivity.is_empty() => grid.connectivity = format.numbers(array)?,
            ("Cells", "offsets") if grid.offsets.is_empty() => grid.offsets = format.numbers(array)?,
            ("Cells", "types") if grid.types.is_empty() => grid.types = format.numbers(array)?,
            ("CellData", name) if array.components == 1 && grid.lacks_groups(name) => {
                grid.cell_arrays.push((name.to_string(), format.numbers(array)?));
            }
            _ => {}
        }
    }
    grid.into_draft()
}

/// Finds the arrays of the file.
fn scan(bytes: &[u8]) -> Result<(VtuFormat<'_>, Vec<VtuArray<'_>>), ReadTrouble> {
    let mut format = VtuFormat::default();
    let mut arrays = Vec::new();
    let mut section = "";
    let (mut pieces, mut is_grid, mut is_closed) = (0, false, false);
    let (mut at, mut line) = (0, 1);
    while let Some(tag) = XmlTag::next(bytes, at)? {
        line += bytes[at..tag.end].iter().filter(|&&b| b == b'\n').count();
        at = tag.end;
        match tag.name {
            "VTKFile" => {
                is_grid = tag.attribute("type") == Some("UnstructuredGrid");
                format.is_big_endian = tag.attribute("byte_order") == Some("BigEndian");
                format.has_wide_headers = tag.attribute("header_type") == Some("UInt64");
                if let Some(compressor) = tag.attribute("compressor") {
                    let what = format!("is compressed ({})", shortened(compressor));
                    return Err(ReadTrouble::new(
                        what,
                        "save it without compression (in ParaView: Compressor Type None)",
                    ));
                }
            }
            "Piece" => pieces += 1,
            "Points" | "Cells" | "CellData" | "PointData" => section = tag.name,
            "/Points" | "/Cells" | "/CellData" | "/PointData" => section = "",
            "DataArray" if matches!(section, "Points" | "Cells" | "CellData") => {
                let rest = &bytes[at..];
                let length = rest.iter().position(|&b| b == b'<').unwrap_or(rest.len());
                arrays.extend(described(section, &tag, &rest[..length], line)?);
            }
            "AppendedData" => {
                let start = bytes[at..].iter().position(|&b| b == b'_').map_or(bytes.len(), |place| at + place + 1);
                format.appended = Some((&bytes[start..], tag.attribute("encoding") == Some("base64")));
                is_closed = true;
                break;
            }
            "/VTKFile" => is_closed = true,
            _ => {}
        }
    }
    match (is_grid, pieces, is_closed) {
        (false, ..) => Err(ReadTrouble::new("is not a VTKFile of type UnstructuredGrid", "give a .vtu file")),
        (_, _, false) => Err(ReadTrouble::new("the file ends before </VTKFile>: it is cut short", EXPORT_AGAIN)),
        (_, 1, _) => Ok((format, arrays)),
        _ => {
            let remedy = "save one piece (in ParaView: Merge Blocks, then Clean to Grid)";
            Err(ReadTrouble::new(format!("consists of {pieces} pieces"), remedy))
        }
    }
}

/// The array of a tag; nothing for an array of cell data that is not numbers.
fn described<'a>(
    section: &'a str,
    tag: &XmlTag<'a>,
    content: &'a [u8],
    line: usize,
) -> Result<Option<VtuArray<'a>>, ReadTrouble> {
    let trouble = |what: String| ReadTrouble::at_line(Some(line), what, EXPORT_AGAIN);
    let type_name = tag.attribute("type").unwrap_or_default();
    let Some(number_type) = number_type(type_name) else {
        let what = format!("an array has the type '{}'", shortened(type_name));
        return if section == "CellData" { Ok(None) } else { Err(trouble(what)) };
    };
    let count = |name: &str, otherwise: usize| match tag.attribute(name) {
        Some(text) => text.trim().parse().map_err(|_| trouble(format!("{name}='{}' is not a count", shortened(text)))),
        None => Ok(otherwise),
    };
    Ok(Some(VtuArray {
        section,
        name: tag.attribute("Name").unwrap_or_default(),
        number_type,
        components: count("NumberOfComponents", 1)?,
        format: tag.attribute("format").unwrap_or("ascii"),
        offset: count("offset", 0)?,
        content,
        line,
    }))
}

impl VtuFormat<'_> {
    /// The numbers of an array.
    fn numbers(&self, array: &VtuArray<'_>) -> Result<Vec<f64>, ReadTrouble> {
        let bytes = match (array.format, self.appended) {
            ("ascii", _) => {
                let mut source = Source::from_line(array.content, array.line);
                let mut numbers = Vec::new();
                while !source.is_at_end() {
                    numbers.push(source.number(array.number_type)?);
                }
                return Ok(numbers);
            }
            ("binary", _) => self.decoded(array.content)?,
            ("appended", Some((appended, is_base64))) => {
                let Some(start) = appended.get(array.offset..) else {
                    return Err(self.cut_short(array));
                };
                if is_base64 { self.decoded(start)? } else { self.raw(start).ok_or_else(|| self.cut_short(array))? }
            }
            (other, _) => {
                let what = format!("the array '{}' has the format '{}'", shortened(array.name), shortened(other));
                return Err(ReadTrouble::at_line(
                    Some(array.line),
                    what,
                    "save it as text (in ParaView: Data Mode Ascii)",
                ));
            }
        };
        let numbers = bytes.chunks_exact(array.number_type.width());
        Ok(numbers.map(|number| array.number_type.value(number, self.is_big_endian)).collect())
    }

    fn header_width(&self) -> usize {
        if self.has_wide_headers { 8 } else { 4 }
    }

    /// The length that the header tells.
    fn declared(&self, header: &[u8]) -> Option<usize> {
        let header = header.get(..self.header_width())?;
        let length = NumberType::Unsigned(header.len()).value(header, self.is_big_endian);
        whole(length).and_then(|length| usize::try_from(length).ok())
    }

    fn raw(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let end = self.header_width().checked_add(self.declared(bytes)?)?;
        Some(bytes.get(self.header_width()..end)?.to_vec())
    }

    /// Decodes the header, then as many bytes as it tells.
    fn decoded(&self, text: &[u8]) -> Result<Vec<u8>, ReadTrouble> {
        let width = self.header_width();
        let cut_short = || ReadTrouble::new("a base64 array is shorter than its header tells", EXPORT_AGAIN);
        let text = text.trim_ascii_start();
        let length = self.declared(&base64(text, width)?).ok_or_else(cut_short)?;
        let bytes = base64(text, width.saturating_add(length))?;
        // The bytes of the last letters may go beyond the end.
        bytes.get(width..width.saturating_add(length)).map(<[u8]>::to_vec).ok_or_else(cut_short)
    }

    fn cut_short(&self, array: &VtuArray<'_>) -> ReadTrouble {
        let what = format!("the appended data of the array '{}' lie beyond the end", shortened(array.name));
        ReadTrouble::at_line(Some(array.line), what, EXPORT_AGAIN)
    }
}
