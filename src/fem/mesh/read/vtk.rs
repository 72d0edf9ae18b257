//! Reader of VTK legacy files with an unstructured grid, text and binary (big-endian).
//!
//! Four lines of header, then keywords with their arrays: `POINTS`, `CELLS` (before version 5: counts among the
//! points; since then: `OFFSETS` and `CONNECTIVITY`), `CELL_TYPES`, and data on points and cells. Only arrays of one
//! component on cells are kept.

use crate::fem::mesh::fault::ReadTrouble;

use super::damaged::EXPORT_AGAIN;
use super::draft::Draft;
use super::source::{Encoding, NumberType, Source, shortened, whole};
use super::vtk_cells::{VtkGrid, is_group_array, number_type};

const INTEGER: NumberType = NumberType::Signed(4);

pub(super) fn parse(bytes: &[u8]) -> Result<Draft, ReadTrouble> {
    let mut source = Source::new(bytes);
    let title = source.rest_of_line();
    let Some(version) = title.strip_prefix("# vtk DataFile Version ") else {
        return Err(source.trouble("does not begin with '# vtk DataFile Version'", "give a VTK legacy file"));
    };
    let has_offsets = version.split('.').next().and_then(|n| n.trim().parse::<u32>().ok()).is_some_and(|n| n >= 5);
    source.rest_of_line();
    let encoding = match source.next_line().unwrap_or_default().to_ascii_uppercase().as_str() {
        "ASCII" => Encoding::Text,
        "BINARY" => Encoding::Binary { is_big_endian: true },
        _ => return Err(source.trouble("is neither ASCII nor BINARY by its third line", EXPORT_AGAIN)),
    };
    let mut reader = VtkReader { source, encoding, has_offsets, grid: VtkGrid::default(), data: None };
    while let Some(line) = reader.source.next_line() {
        reader.section(&line)?;
    }
    if reader.grid.types.is_empty() {
        return Err(ReadTrouble::new("has no CELL_TYPES", EXPORT_AGAIN));
    }
    reader.grid.into_draft()
}

struct VtkReader<'a> {
    source: Source<'a>,
    encoding: Encoding,
    has_offsets: bool,
    grid: VtkGrid,
    /// Once in the data: the number of points or cells, and whether they are cells.
    data: Option<(usize, bool)>,
}

impl VtkReader<'_> {
    /// Reads the section that begins with `line`.
    fn section(&mut self, line: &str) -> Result<(), ReadTrouble> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let word = |k: usize| words.get(k).copied().unwrap_or_default();
        let items = self.data.map_or(0, |(items, _)| items);
        match word(0).to_ascii_uppercase().as_str() {
            "DATASET" if word(1).eq_ignore_ascii_case("UNSTRUCTURED_GRID") => {}
            "DATASET" => {
                let what = format!("holds a {}", shortened(word(1)));
                return Err(self.source.trouble(what, "save it as an unstructured grid"));
            }
            "POINTS" => self.grid.points = self.array(self.size(word(1))?.saturating_mul(3), word(2))?,
            "CELLS" => self.cells(self.size(word(1))?, self.size(word(2))?)?,
            "CELL_TYPES" => self.grid.types = self.numbers(self.size(word(1))?, INTEGER)?,
            "POINT_DATA" => self.data = Some((self.items(word(1), self.grid.points.len() / 3)?, false)),
            "CELL_DATA" => self.data = Some((self.items(word(1), self.grid.offsets.len())?, true)),
            "SCALARS" => self.scalars(word(1), word(2), word(3))?,
            "VECTORS" | "NORMALS" => _ = self.array(items.saturating_mul(3), word(2))?,
            "TENSORS" => _ = self.array(items.saturating_mul(9), word(2))?,
            "TENSORS6" => _ = self.array(items.saturating_mul(6), word(2))?,
            "TEXTURE_COORDINATES" => _ = self.array(items.saturating_mul(self.size(word(2))?), word(3))?,
            "GLOBAL_IDS" | "PEDIGREE_IDS" => _ = self.array(items, word(2))?,
            "COLOR_SCALARS" => _ = self.numbers(items.saturating_mul(self.size(word(2))?), NumberType::Unsigned(1))?,
            "LOOKUP_TABLE" => _ = self.numbers(self.size(word(2))?.saturating_mul(4), NumberType::Unsigned(1))?,
            "FIELD" => self.field(self.size(word(2))?)?,
            "METADATA" => self.metadata(),
            _ => {
                let what = format!("'{}' is not understood", shortened(line));
                return Err(self.source.trouble(what, "export the unstructured grid alone"));
            }
        }
        Ok(())
    }

    fn size(&self, word: &str) -> Result<usize, ReadTrouble> {
        word.parse().map_err(|_| self.source.trouble(format!("'{}' is not a count", shortened(word)), EXPORT_AGAIN))
    }

    /// The number of values that an array has, which is that of the points or cells.
    fn items(&self, word: &str, expected: usize) -> Result<usize, ReadTrouble> {
        match self.size(word)? {
            items if items == expected => Ok(items),
            items => Err(self.source.trouble(format!("holds data of {items} items, not {expected}"), EXPORT_AGAIN)),
        }
    }

    fn numbers(&mut self, count: usize, number_type: NumberType) -> Result<Vec<f64>, ReadTrouble> {
        self.source.encoding = self.encoding;
        let numbers = self.source.numbers(count, number_type);
        self.source.encoding = Encoding::Text;
        numbers
    }

    fn array(&mut self, count: usize, type_name: &str) -> Result<Vec<f64>, ReadTrouble> {
        let Some(number_type) = number_type(&type_name.to_ascii_lowercase()) else {
            let what = format!("an array has the type '{}'", shortened(type_name));
            return Err(self.source.trouble(what, "export arrays of numbers only"));
        };
        self.numbers(count, number_type)
    }

    /// Reads the cells; `first` and `second` are the two counts on the line.
    fn cells(&mut self, first: usize, second: usize) -> Result<(), ReadTrouble> {
        if self.has_offsets {
            let mut offsets = self.named_array("OFFSETS", first)?;
            // The first offset is the start of the first cell.
            if !offsets.is_empty() {
                offsets.remove(0);
            }
            self.grid.offsets = offsets;
            self.grid.connectivity = self.named_array("CONNECTIVITY", second)?;
            return Ok(());
        }
        let numbers = self.numbers(second, INTEGER)?;
        let mut rest = &numbers[..];
        while let Some((&count, after)) = rest.split_first() {
            let count = whole(count).and_then(|count| usize::try_from(count).ok());
            let Some(points) = count.and_then(|count| after.get(..count)) else {
                let cell = self.grid.offsets.len() + 1;
                let trouble = self.source.trouble("has more points than the section CELLS", EXPORT_AGAIN);
                return Err(ReadTrouble { element: Some(cell), ..trouble });
            };
            self.grid.connectivity.extend(points);
            self.grid.offsets.push(self.grid.connectivity.len() as f64);
            rest = &after[points.len()..];
        }
        if self.grid.offsets.len() != first {
            let what = format!("has {} cells, not {first}, in the section CELLS", self.grid.offsets.len());
            return Err(self.source.trouble(what, EXPORT_AGAIN));
        }
        Ok(())
    }

    fn named_array(&mut self, name: &str, count: usize) -> Result<Vec<f64>, ReadTrouble> {
        let line = self.source.next_line().unwrap_or_default();
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            [keyword, type_name] if keyword.eq_ignore_ascii_case(name) => self.array(count, type_name),
            _ => Err(self.source.trouble(format!("'{}' stands where {name} begins", shortened(&line)), EXPORT_AGAIN)),
        }
    }

    fn scalars(&mut self, name: &str, type_name: &str, components: &str) -> Result<(), ReadTrouble> {
        let components = if components.is_empty() { 1 } else { self.size(components)? };
        let table = self.source.next_line().unwrap_or_default();
        if !table.to_ascii_uppercase().starts_with("LOOKUP_TABLE") {
            return Err(self.source.trouble("LOOKUP_TABLE is missing after SCALARS", EXPORT_AGAIN));
        }
        let items = self.data.map_or(0, |(items, _)| items);
        let values = self.array(items.saturating_mul(components), type_name)?;
        self.keep(name, components, values);
        Ok(())
    }

    fn keep(&mut self, name: &str, components: usize, values: Vec<f64>) {
        if is_group_array(name)
            && components == 1
            && self.data.is_some_and(|(items, are_cells)| are_cells && items == values.len())
        {
            self.grid.cell_arrays.push((name.to_string(), values));
        }
    }

    /// Reads arrays, each after a line `name components items type`.
    fn field(&mut self, arrays: usize) -> Result<(), ReadTrouble> {
        let mut read = 0;
        while read < arrays {
            let line = self.source.next_line().unwrap_or_default();
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                ["METADATA"] => self.metadata(),
                [name, components, items, type_name] => {
                    let (components, items) = (self.size(components)?, self.size(items)?);
                    let values = self.array(items.saturating_mul(components), type_name)?;
                    self.keep(name, components, values);
                    read += 1;
                }
                _ => {
                    let what = format!("'{}' is not a name, two counts and a type", shortened(&line));
                    return Err(self.source.trouble(what, EXPORT_AGAIN));
                }
            }
        }
        Ok(())
    }

    /// Skips lines up to a blank one.
    fn metadata(&mut self) {
        while !self.source.is_at_end() && !self.source.rest_of_line().is_empty() {}
    }
}
