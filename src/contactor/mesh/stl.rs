//! Parser of STL files, text and binary: triangles, each with explicit corners.
//!
//! The normals in the file are ignored: the order of the corners implies them, and is what programs write correctly.
//! Corners that agree to the last bit are one vertex.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::soup::{COARSER, EXPORT_AGAIN, MOST_FACETS, MeshIssue, MeshLocation, Soup};
use crate::contactor::MOST_POINTS;

/// Length of the header and the facet count of a binary file, bytes.
const HEADER: usize = 84;
/// Length of a facet in a binary file, bytes.
const RECORD: usize = 50;

/// Parses text or binary: a binary file has exactly the length that follows from its facet count, whatever its first
/// word.
pub(super) fn parse(bytes: &[u8]) -> Result<Soup, MeshIssue> {
    let declared = bytes.get(80..HEADER).map(|count| count.iter().rev().fold(0usize, |n, &b| n << 8 | usize::from(b)));
    let is_text = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    match declared {
        Some(count) if HEADER + RECORD * count == bytes.len() => binary(&bytes[HEADER..], count),
        _ if is_text => text(bytes),
        Some(count) if count > MOST_FACETS => Err(too_many(count)),
        Some(count) => {
            let complete = (bytes.len() - HEADER) / RECORD;
            let what = format!("declares {count} facets but has bytes for {complete}: it is cut short or damaged");
            Err(MeshIssue::at(MeshLocation { facet: Some(complete.min(count) + 1), line: None }, what, EXPORT_AGAIN))
        }
        None => Err(MeshIssue::at(MeshLocation::default(), "is too short for an STL file", EXPORT_AGAIN)),
    }
}

fn too_many(count: usize) -> MeshIssue {
    let what = format!("has {count} facets, more than the {MOST_FACETS} that {MOST_POINTS} vertices can make");
    MeshIssue::at(MeshLocation::default(), what, COARSER)
}

fn binary(records: &[u8], count: usize) -> Result<Soup, MeshIssue> {
    if count > MOST_FACETS {
        return Err(too_many(count));
    }
    let mut builder = Builder::default();
    for (number, record) in records.chunks_exact(RECORD).enumerate() {
        let location = MeshLocation { facet: Some(number + 1), line: None };
        let single = |k: usize| {
            let at = 12 + 4 * k;
            f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
        };
        let corner = |k: usize| Vector3::new(single(3 * k), single(3 * k + 1), single(3 * k + 2));
        builder.add([corner(0), corner(1), corner(2)], location)?;
    }
    Ok(builder.soup)
}

fn text(bytes: &[u8]) -> Result<Soup, MeshIssue> {
    let mut builder = Builder::default();
    let mut corners: Vec<Vector3<f64>> = Vec::with_capacity(3);
    let mut is_in_facet = false;
    let mut is_ended = false;
    let mut number = 0;
    let mut start = 0;
    for (line, content) in bytes.split(|&b| b == b'\n').enumerate() {
        let location = MeshLocation { facet: (number > 0).then_some(number), line: Some(line + 1) };
        let mut words = content.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        let Some(keyword) = words.next().map(<[u8]>::to_ascii_lowercase) else { continue };
        match keyword.as_slice() {
            b"solid" | b"outer" | b"endloop" => is_ended = false,
            b"endsolid" => is_ended = true,
            b"facet" if !is_in_facet => {
                (is_in_facet, start) = (true, line + 1);
                number += 1;
                if number > MOST_FACETS {
                    return Err(too_many(number));
                }
            }
            b"vertex" if is_in_facet && corners.len() < 3 => corners.push(numbers(&mut words, location)?),
            b"endfacet" if is_in_facet && corners.len() == 3 => {
                builder.add([corners[0], corners[1], corners[2]], MeshLocation { line: Some(start), ..location })?;
                corners.clear();
                is_in_facet = false;
            }
            _ => {
                let shown: String = String::from_utf8_lossy(content).trim().chars().take(40).collect();
                let what = format!("'{shown}' does not belong here");
                let remedy = "a facet is: facet normal, outer loop, three vertices, endloop, endfacet";
                return Err(MeshIssue::at(location, what, remedy));
            }
        }
    }
    if is_in_facet || !is_ended {
        let location = MeshLocation { facet: (number > 0).then_some(number), line: None };
        return Err(MeshIssue::at(location, "the file ends here, before 'endsolid': it is cut short", EXPORT_AGAIN));
    }
    Ok(builder.soup)
}

/// Parses three coordinates.
pub(super) fn numbers<'a>(
    words: &mut impl Iterator<Item = &'a [u8]>,
    location: MeshLocation,
) -> Result<Vector3<f64>, MeshIssue> {
    let mut point = Vector3::zeros();
    for k in 0..3 {
        let word = words.next().unwrap_or_default();
        point[k] = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok()).ok_or_else(|| {
            let shown: String = String::from_utf8_lossy(word).chars().take(40).collect();
            MeshIssue::at(location, format!("'{shown}' is not a coordinate"), "give three numbers")
        })?;
    }
    Ok(point)
}

/// Merges equal corners.
#[derive(Default)]
struct Builder {
    soup: Soup,
    known: HashMap<[u64; 3], u32>,
}

impl Builder {
    fn add(&mut self, corners: [Vector3<f64>; 3], location: MeshLocation) -> Result<(), MeshIssue> {
        let mut facet = Vec::with_capacity(3);
        for corner in corners {
            if !corner.iter().all(|x| x.is_finite()) {
                let what = format!("a corner at {:?} is not finite", corner.as_slice());
                return Err(MeshIssue::at(location, what, EXPORT_AGAIN));
            }
            // Adding zero turns -0 into 0.
            let corner = corner.map(|x| x + 0.0);
            let next = self.soup.vertices.len() as u32;
            let index = *self.known.entry([0, 1, 2].map(|i| corner[i].to_bits())).or_insert(next);
            if index == next {
                if self.soup.vertices.len() == MOST_POINTS {
                    let what = format!("has more than {MOST_POINTS} vertices from here on");
                    return Err(MeshIssue::at(location, what, COARSER));
                }
                self.soup.vertices.push(corner);
            }
            facet.push(index);
        }
        self.soup.facets.push(facet);
        self.soup.locations.push(location);
        Ok(())
    }
}
