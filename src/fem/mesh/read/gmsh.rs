//! Reader of Gmsh files, formats 4.1 and 2.2, text and binary: numbers, nodes and elements of a section.
//!
//! Both formats are a series of sections `$Name` ... `$EndName`. Elements belong to physical groups: in 2.2 an
//! element carries the number of its group, in 4.1 of its geometric entity, which carries those of its groups.

use std::collections::HashMap;

use crate::fem::mesh::ElementKind;
use crate::fem::mesh::fault::ReadTrouble;

use super::damaged::EXPORT_AGAIN;
use super::draft::{CellShape, Draft};
use super::gmsh_sections::{Entities, INTEGER, REAL, SIZE, read_entities, read_names};
use super::source::{Encoding, NumberType, Source};

const SAVE_AS: &str = "save it as version 4.1 or 2.2 (in Gmsh: File, Export, or -format msh41)";

/// Formats that are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GmshVersion {
    Two,
    Four,
}

pub(super) fn parse(bytes: &[u8]) -> Result<Draft, ReadTrouble> {
    let mut source = Source::new(bytes);
    let mut reader = GmshReader { draft: Draft::default(), numbers: HashMap::new(), entities: HashMap::new() };
    let (version, encoding) = header(&mut source)?;
    let mut has_elements = false;
    while let Some(name) = source.next_line() {
        let Some(section) = name.strip_prefix('$') else {
            let shown = super::source::shortened(&name);
            return Err(source.trouble(format!("'{shown}' stands where a section begins"), EXPORT_AGAIN));
        };
        match section {
            "PhysicalNames" => read_names(&mut source, &mut reader.draft.names)?,
            "Entities" if version == GmshVersion::Four => {
                source.encoding = encoding;
                reader.entities = read_entities(&mut source)?;
            }
            "Nodes" | "Elements" => {
                has_elements |= section == "Elements";
                match version {
                    GmshVersion::Four => source.encoding = encoding,
                    GmshVersion::Two => {}
                }
                match (section, version) {
                    ("Nodes", GmshVersion::Four) => reader.nodes_of_four(&mut source)?,
                    ("Nodes", GmshVersion::Two) => reader.nodes_of_two(&mut source, encoding)?,
                    (_, GmshVersion::Four) => reader.elements_of_four(&mut source)?,
                    (_, GmshVersion::Two) => reader.elements_of_two(&mut source, encoding)?,
                }
            }
            _ => {}
        }
        source.skip_past(&format!("$End{section}"))?;
        source.encoding = Encoding::Text;
        source.rest_of_line();
    }
    if !has_elements {
        return Err(ReadTrouble::new("has no section $Elements", "mesh the geometry before saving it"));
    }
    Ok(reader.draft)
}

/// Reads the section that names the version and the encoding.
fn header(source: &mut Source<'_>) -> Result<(GmshVersion, Encoding), ReadTrouble> {
    if source.next_line().as_deref() != Some("$MeshFormat") {
        return Err(source.trouble("does not begin with $MeshFormat", SAVE_AS));
    }
    let line = source.rest_of_line();
    let words: Vec<&str> = line.split_whitespace().collect();
    let version = match words.first() {
        Some(&"4.1") => GmshVersion::Four,
        Some(&("2" | "2.1" | "2.2")) => GmshVersion::Two,
        other => {
            let shown = super::source::shortened(other.unwrap_or(&""));
            return Err(source.trouble(format!("has version '{shown}' of the format"), SAVE_AS));
        }
    };
    if words.get(2).is_some_and(|&width| width != "8") {
        return Err(source.trouble("does not have numbers of 8 bytes", SAVE_AS));
    }
    let encoding = match words.get(1) {
        Some(&"0") => Encoding::Text,
        Some(&"1") => {
            // The number one, in the byte order of the file.
            source.encoding = Encoding::Binary { is_big_endian: false };
            let is_big_endian = source.integer(INTEGER)? != 1;
            source.encoding = Encoding::Text;
            Encoding::Binary { is_big_endian }
        }
        Some(_) | None => return Err(source.trouble("is neither text (0) nor binary (1)", SAVE_AS)),
    };
    source.skip_past("$EndMeshFormat")?;
    source.rest_of_line();
    Ok((version, encoding))
}

/// What was read so far.
struct GmshReader {
    draft: Draft,
    /// Index of each node by its number in the file.
    numbers: HashMap<i64, u32>,
    entities: Entities,
}

impl GmshReader {
    fn add_node(&mut self, source: &Source<'_>, number: i64, place: [f64; 3]) -> Result<(), ReadTrouble> {
        if self.numbers.insert(number, self.draft.nodes.len() as u32).is_some() {
            return Err(source.trouble(format!("node {number} is given twice"), EXPORT_AGAIN));
        }
        self.draft.nodes.push(place);
        Ok(())
    }

    fn nodes_of_two(&mut self, source: &mut Source<'_>, encoding: Encoding) -> Result<(), ReadTrouble> {
        let count = count_line(source, encoding, 28)?;
        for _ in 0..count {
            let number = source.integer(INTEGER)?;
            let place = [source.number(REAL)?, source.number(REAL)?, source.number(REAL)?];
            self.add_node(source, number, place)?;
        }
        Ok(())
    }

    fn nodes_of_four(&mut self, source: &mut Source<'_>) -> Result<(), ReadTrouble> {
        let blocks = source.count(SIZE, 20)?;
        source.numbers(3, SIZE)?;
        for _ in 0..blocks {
            let dimension = source.integer(INTEGER)?;
            source.integer(INTEGER)?;
            let parameters = if source.integer(INTEGER)? == 0 { 0 } else { dimension.clamp(0, 3) as usize };
            let count = source.count(SIZE, 32)?;
            let numbers: Vec<i64> = (0..count).map(|_| source.integer(SIZE)).collect::<Result<_, _>>()?;
            for number in numbers {
                let place = [source.number(REAL)?, source.number(REAL)?, source.number(REAL)?];
                source.numbers(parameters, REAL)?;
                self.add_node(source, number, place)?;
            }
        }
        Ok(())
    }

    fn elements_of_two(&mut self, source: &mut Source<'_>, encoding: Encoding) -> Result<(), ReadTrouble> {
        let count = count_line(source, encoding, 8)?;
        let mut done = 0;
        while done < count {
            match encoding {
                Encoding::Text => {
                    let number = source.integer(INTEGER)?;
                    let line = source.line();
                    let code = source.integer(INTEGER)?;
                    let tags = source.count(INTEGER, 4)?;
                    self.element_of_two(source, (number, line), shape_of(source, code, number)?, tags)?;
                    done += 1;
                }
                Encoding::Binary { .. } => {
                    let code = source.integer(INTEGER)?;
                    let follow = source.count(INTEGER, 8)?;
                    let tags = source.count(INTEGER, 4)?;
                    for _ in 0..follow {
                        let number = source.integer(INTEGER)?;
                        self.element_of_two(source, (number, None), shape_of(source, code, number)?, tags)?;
                    }
                    // A header without elements must not repeat for ever.
                    done += follow.max(1);
                }
            }
        }
        Ok(())
    }

    /// Reads tags and nodes of an element; the first tag is its group.
    fn element_of_two(
        &mut self,
        source: &mut Source<'_>,
        (number, line): (i64, Option<usize>),
        shape: CellShape,
        tags: usize,
    ) -> Result<(), ReadTrouble> {
        let tags: Vec<i64> = (0..tags).map(|_| source.integer(INTEGER)).collect::<Result<_, _>>()?;
        let group = tags.first().map(|group| group.saturating_abs()).filter(|&group| group != 0);
        let nodes = self.element_nodes(source, shape, number, INTEGER)?;
        self.draft.add(shape, &nodes, group.as_slice(), number.max(0) as usize, line)
    }

    fn elements_of_four(&mut self, source: &mut Source<'_>) -> Result<(), ReadTrouble> {
        let blocks = source.count(SIZE, 20)?;
        source.numbers(3, SIZE)?;
        for _ in 0..blocks {
            let dimension = source.integer(INTEGER)?;
            let entity = source.integer(INTEGER)?;
            let code = source.integer(INTEGER)?;
            let count = source.count(SIZE, 8)?;
            let groups = self.entities.get(&(dimension, entity)).cloned().unwrap_or_default();
            for _ in 0..count {
                let number = source.integer(SIZE)?;
                let line = source.line();
                let shape = shape_of(source, code, number)?;
                let nodes = self.element_nodes(source, shape, number, SIZE)?;
                self.draft.add(shape, &nodes, &groups, number.max(0) as usize, line)?;
            }
        }
        Ok(())
    }

    fn element_nodes(
        &self,
        source: &mut Source<'_>,
        shape: CellShape,
        element: i64,
        number_type: NumberType,
    ) -> Result<Vec<u32>, ReadTrouble> {
        let mut nodes = Vec::with_capacity(shape.node_count());
        for _ in 0..shape.node_count() {
            let number = source.integer(number_type)?;
            let index = self.numbers.get(&number).copied().ok_or_else(|| {
                let trouble = source.trouble(format!("refers to node {number}, which is not given"), EXPORT_AGAIN);
                ReadTrouble { element: Some(element.max(0) as usize), ..trouble }
            })?;
            nodes.push(index);
        }
        Ok(nodes)
    }
}

/// Reads a count that stands on a line of its own, then switches to the encoding of the section.
fn count_line(source: &mut Source<'_>, encoding: Encoding, width: usize) -> Result<usize, ReadTrouble> {
    let count = source.integer(INTEGER)?;
    if encoding != Encoding::Text {
        source.rest_of_line();
    }
    source.encoding = encoding;
    source.checked_count(count, width)
}

/// The shape of an element with this type number.
fn shape_of(source: &Source<'_>, code: i64, element: i64) -> Result<CellShape, ReadTrouble> {
    let name = match code {
        15 => return Ok(CellShape::Point),
        1 => return Ok(CellShape::Line),
        8 => return Ok(CellShape::QuadraticLine),
        2 => return Ok(CellShape::Whole(ElementKind::T3)),
        9 => return Ok(CellShape::Whole(ElementKind::T6)),
        3 => return Ok(CellShape::Whole(ElementKind::Q4)),
        4 => return Ok(CellShape::Whole(ElementKind::Tet4)),
        11 => return Ok(CellShape::Whole(ElementKind::Tet10)),
        5 => return Ok(CellShape::Whole(ElementKind::Hex8)),
        6 => "a prism",
        7 => "a pyramid",
        10 | 16 => "a quadratic quadrilateral",
        12 | 17 => "a quadratic hexahedron",
        13 | 18 => "a quadratic prism",
        14 | 19 => "a quadratic pyramid",
        _ => "of an unknown type",
    };
    let remedy = "mesh with linear or quadratic triangles or tetrahedra, or linear quadrilaterals or hexahedra";
    let trouble = source.trouble(format!("is {name} (type {code})"), remedy);
    Err(ReadTrouble { element: Some(element.max(0) as usize), ..trouble })
}
