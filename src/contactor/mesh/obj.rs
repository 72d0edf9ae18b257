//! Parser of OBJ files: a list of vertices, and facets of any number of corners that refer to them.
//!
//! Only `v` and `f` lines are used; texture, normals, groups and materials are ignored. A facet with more than three
//! corners must be flat and convex. Coincident vertices are merged.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::soup::{COARSER, EXPORT_AGAIN, MOST_FACETS, MeshIssue, MeshLocation, Soup};
use super::stl::numbers;
use crate::contactor::MOST_POINTS;

/// Lines that do not affect the shape.
const IGNORED: &[&[u8]] = &[b"vn", b"vt", b"g", b"o", b"s", b"mtllib", b"usemtl", b"l", b"p"];

pub(super) fn parse(bytes: &[u8]) -> Result<Soup, MeshIssue> {
    let mut soup = Soup::default();
    // From the vertex number in the file to the merged vertex.
    let mut merged: Vec<u32> = Vec::new();
    let mut known: HashMap<[u64; 3], u32> = HashMap::new();
    for (line, content) in bytes.split(|&b| b == b'\n').enumerate() {
        let mut location = MeshLocation { facet: None, line: Some(line + 1) };
        let content = content.split(|&b| b == b'#').next().unwrap_or_default();
        let mut words = content.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
        match words.next() {
            None => {}
            Some(b"v") => {
                let point: Vector3<f64> = numbers(&mut words, location)?.map(|x| x + 0.0);
                if !point.iter().all(|x| x.is_finite()) {
                    let what = format!("a vertex at {:?} is not finite", point.as_slice());
                    return Err(MeshIssue::at(location, what, EXPORT_AGAIN));
                }
                if merged.len() == MOST_POINTS {
                    return Err(MeshIssue::at(location, format!("has more than {MOST_POINTS} vertices"), COARSER));
                }
                let next = soup.vertices.len() as u32;
                let index = *known.entry([0, 1, 2].map(|i| point[i].to_bits())).or_insert(next);
                if index == next {
                    soup.vertices.push(point);
                }
                merged.push(index);
            }
            Some(b"f") => {
                location.facet = Some(soup.facets.len() + 1);
                if soup.facets.len() == MOST_FACETS {
                    return Err(MeshIssue::at(location, format!("has more than {MOST_FACETS} facets"), COARSER));
                }
                let facet = words.map(|w| vertex(w, &merged, location)).collect::<Result<Vec<u32>, _>>()?;
                if facet.len() < 3 {
                    let what = format!("has {} corners", facet.len());
                    return Err(MeshIssue::at(location, what, "give every facet at least three"));
                }
                soup.facets.push(facet);
                soup.locations.push(location);
            }
            Some(keyword) if IGNORED.contains(&keyword) => {}
            Some(keyword) => {
                let shown: String = String::from_utf8_lossy(keyword).chars().take(40).collect();
                let what = format!("'{shown}' lines are not understood");
                return Err(MeshIssue::at(
                    location,
                    what,
                    "export vertices and flat facets only (no free-form surfaces)",
                ));
            }
        }
    }
    Ok(soup)
}

/// The vertex that a corner like `7`, `7/2/5` or `-1` refers to.
fn vertex(word: &[u8], merged: &[u32], location: MeshLocation) -> Result<u32, MeshIssue> {
    let number = word.split(|&b| b == b'/').next().unwrap_or_default();
    let number: Option<i64> = std::str::from_utf8(number).ok().and_then(|w| w.parse().ok());
    let index = match number {
        Some(n) if n > 0 => usize::try_from(n - 1).ok(),
        Some(n) if n < 0 => {
            n.checked_neg().and_then(|n| usize::try_from(n).ok()).and_then(|n| merged.len().checked_sub(n))
        }
        _ => None,
    };
    index.and_then(|k| merged.get(k)).copied().ok_or_else(|| {
        let shown: String = String::from_utf8_lossy(word).chars().take(40).collect();
        let what = format!("corner '{shown}' names no vertex above this line ({} so far)", merged.len());
        MeshIssue::at(location, what, EXPORT_AGAIN)
    })
}
