//! Closed surface meshes from STL (text and binary) and OBJ files, checked before anything is built from them.
//!
//! A mesh returned by [`Mesh::read`] is closed, consistently oriented outward and encloses a volume. [`Mesh::polytope`]
//! checks that it is convex, and thereby that it does not intersect itself. Files contain single-precision or short
//! decimal coordinates, so flat and convex mean within 1e-6 of the size.

mod obj;
mod soup;
mod stl;

use std::fmt;
use std::path::{Path, PathBuf};

use nalgebra::Vector3;

use super::{MassProperties, Polytope};
use crate::dim::hull::extent;
use crate::dim::{Dim, Space};

pub use soup::MeshLocation;
use soup::{COARSER, EXPORT_AGAIN, MeshIssue, Soup};

/// Accuracy of coordinates in files, relative to the size.
pub(super) const PRECISION: f64 = 1e-6;
/// Largest file that is read, bytes.
const MOST_BYTES: u64 = 1 << 29;

/// A closed surface of flat facets, oriented outward.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The file it was read from.
    pub file: PathBuf,
    /// Points, m.
    pub vertices: Vec<Vector3<f64>>,
    /// Corners of each facet, counter-clockwise seen from outside.
    pub facets: Vec<Vec<u32>>,
    /// Position of each facet in the file.
    locations: Vec<MeshLocation>,
}

/// The reason why a file gives no shape.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshFault {
    /// The file.
    pub file: PathBuf,
    /// Position in the file.
    pub location: MeshLocation,
    /// What is wrong there.
    pub what: String,
    /// What the user can do.
    pub remedy: &'static str,
}

impl fmt::Display for MeshFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.location.line {
            write!(f, ", line {line}")?;
        }
        if let Some(facet) = self.location.facet {
            write!(f, ", facet {facet}")?;
        }
        write!(f, ": {}; {}", self.what, self.remedy)
    }
}

impl std::error::Error for MeshFault {}

/// Remedy for an open surface.
const CLOSE_IT: &str = "close the surface in the program that made it (fill holes, merge vertices)";

impl Mesh {
    /// Reads and checks a file; `.stl` or `.obj` by its name.
    pub fn read(file: &Path) -> Result<Self, MeshFault> {
        let name = |issue: MeshIssue| Self::named(file, issue);
        let unreadable = |reason: std::io::Error| {
            let remedy = "check the path and the permissions";
            name(MeshIssue::at(MeshLocation::default(), format!("cannot be read: {reason}"), remedy))
        };
        let bytes = std::fs::metadata(file).map_err(unreadable)?.len();
        if bytes > MOST_BYTES {
            let what = format!("is {bytes} bytes long, more than the {MOST_BYTES} allowed");
            return Err(name(MeshIssue::at(MeshLocation::default(), what, COARSER)));
        }
        Self::parse(file, &std::fs::read(file).map_err(unreadable)?)
    }

    /// As [`read`](Self::read), from the content of the file.
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Self, MeshFault> {
        let ending = file.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let soup = match ending.as_str() {
            "stl" => stl::parse(bytes),
            "obj" => obj::parse(bytes),
            _ => {
                let what = "has an unknown format";
                Err(MeshIssue::at(MeshLocation::default(), what, "give a file whose name ends in .stl or .obj"))
            }
        };
        soup.and_then(checked).map_err(|issue| Self::named(file, issue)).map(|soup| Mesh {
            file: file.to_path_buf(),
            vertices: soup.vertices,
            facets: soup.facets,
            locations: soup.locations,
        })
    }

    /// Exact mass properties of the enclosed volume, convex or not.
    pub fn mass(&self) -> MassProperties<Space> {
        MassProperties::of(&self.vertices, &self.facets)
    }

    /// The convex polyhedron with this surface; a surface that is not convex is an error that names the facet.
    pub fn polytope(&self) -> Result<(Polytope<Space>, MassProperties<Space>), MeshFault> {
        let refused = |issue| Self::named(&self.file, issue);
        let margin = PRECISION * extent(&self.vertices).1;
        let remedy = "cut the shape into convex parts, one file each, and make a compound of them";
        let is_above = |flat: usize, other: usize| {
            let (origin, normal) = (self.corner(flat, 0), self.area_vector(flat).normalize());
            self.facets[other].iter().any(|&k| normal.dot(&(self.vertices[k as usize] - origin)) > margin)
        };
        for [_, _, i, j] in neighbours(&self.facets) {
            let (i, j) = (i as usize, j as usize);
            let flat_first = self.area_vector(i).norm() >= self.area_vector(j).norm();
            let (flat, other) = if flat_first { (i, j) } else { (j, i) };
            if is_above(flat, other) || is_above(flat, flat) {
                let beside = self.locations[flat].facet.unwrap_or(flat + 1);
                let what = format!("the surface is not convex: this facet rises over the plane of facet {beside}");
                return Err(refused(MeshIssue::at(self.locations[other], what, remedy)));
            }
        }
        let (shape, mass) = Polytope::hull_within(&self.vertices, PRECISION)
            .map_err(|fault| refused(MeshIssue::at(MeshLocation::default(), fault.to_string(), EXPORT_AGAIN)))?;
        // Convex at every edge and yet not convex: wound around more than once, or several pieces.
        let surface: f64 = (0..self.facets.len()).map(|k| 0.5 * self.area_vector(k).norm()).sum();
        let enclosed = self.mass().volume;
        if (enclosed - mass.volume).abs() > 10.0 * margin * surface {
            let what = format!(
                "encloses {enclosed:.6e} m3, its convex hull {:.6e}: it intersects itself or has several pieces",
                mass.volume
            );
            return Err(refused(MeshIssue::at(MeshLocation::default(), what, remedy)));
        }
        Ok((shape, mass))
    }

    fn corner(&self, facet: usize, k: usize) -> Vector3<f64> {
        self.vertices[self.facets[facet][k] as usize]
    }

    fn area_vector(&self, facet: usize) -> Vector3<f64> {
        area_vector(&self.vertices, &self.facets[facet])
    }

    fn named(file: &Path, issue: MeshIssue) -> MeshFault {
        MeshFault { file: file.to_path_buf(), location: issue.location, what: issue.what, remedy: issue.remedy }
    }
}

fn area_vector(vertices: &[Vector3<f64>], facet: &[u32]) -> Vector3<f64> {
    Space::area_vector(&facet.iter().map(|&k| vertices[k as usize]).collect::<Vec<_>>())
}

/// The edges of all facets: ends (lower first), then the two adjacent facets, sorted. Assumes a closed surface.
fn neighbours(facets: &[Vec<u32>]) -> Vec<[u32; 4]> {
    sides(facets).chunks_exact(2).map(|pair| [pair[0].0, pair[0].1, pair[0].2, pair[1].2]).collect()
}

/// Every side of every facet: lower end, upper end, facet, and whether it runs from the upper to the lower; sorted.
fn sides(facets: &[Vec<u32>]) -> Vec<(u32, u32, u32, bool)> {
    let mut sides: Vec<(u32, u32, u32, bool)> = Vec::with_capacity(facets.iter().map(Vec::len).sum());
    for (number, facet) in facets.iter().enumerate() {
        for (i, &a) in facet.iter().enumerate() {
            let b = facet[(i + 1) % facet.len()];
            sides.push((a.min(b), a.max(b), number as u32, a > b));
        }
    }
    sides.sort_unstable();
    sides
}

/// A closed surface with a volume, oriented outward; or the reason why it is not one.
fn checked(mut soup: Soup) -> Result<Soup, MeshIssue> {
    // A facet collapsed to a line or a point has no area; without it the surface is still closed.
    let is_proper = |facet: &Vec<u32>| {
        let mut corners = facet.clone();
        corners.sort_unstable();
        corners.windows(2).all(|pair| pair[0] != pair[1])
    };
    let keep: Vec<bool> = soup.facets.iter().map(is_proper).collect();
    let mut number = keep.iter();
    soup.locations.retain(|_| number.next() == Some(&true));
    let mut number = keep.iter();
    soup.facets.retain(|_| number.next() == Some(&true));
    if soup.facets.len() < 4 {
        let what = format!("has {} facets with an area; a closed surface has at least 4", soup.facets.len());
        return Err(MeshIssue::at(MeshLocation::default(), what, EXPORT_AGAIN));
    }
    let size = extent(&soup.vertices).1;
    if !(1e-60..1e60).contains(&size) {
        let what = format!("extends over {size:e} m");
        return Err(MeshIssue::at(MeshLocation::default(), what, "give lengths in metres between 1e-60 and 1e60"));
    }
    check_closed(&soup)?;
    let volume = MassProperties::<Space>::of(&soup.vertices, &soup.facets).volume;
    let surface: f64 = soup.facets.iter().map(|f| 0.5 * area_vector(&soup.vertices, f).norm()).sum();
    if volume.is_nan() || volume.abs() <= 0.5 * PRECISION * size * surface {
        let what = format!("encloses no volume ({volume:e} m3)");
        return Err(MeshIssue::at(MeshLocation::default(), what, "give a solid, not a sheet"));
    }
    if volume < 0.0 {
        soup.facets.iter_mut().for_each(|f| f.reverse());
    }
    Ok(soup)
}

/// Checks that every edge is shared by exactly two facets that traverse it in opposite directions.
fn check_closed(soup: &Soup) -> Result<(), MeshIssue> {
    let sides = sides(&soup.facets);
    let mut worst: Option<(u32, String, &'static str)> = None;
    for edge in sides.chunk_by(|p, q| (p.0, p.1) == (q.0, q.1)) {
        let point = |k: u32| soup.vertices[k as usize].as_slice().to_vec();
        let between = || format!("its edge from {:?} to {:?}", point(edge[0].0), point(edge[0].1));
        let number = |k: usize| soup.locations[edge[k].2 as usize].facet.unwrap_or(0);
        let found = match edge {
            [_] => (edge[0].2, format!("{} belongs to no other facet: the surface is open", between()), CLOSE_IT),
            [a, b] if a.3 == b.3 => {
                let what = format!("{} is traversed in the same direction by facet {}", between(), number(1));
                (edge[0].2, what, "recompute the normals so that all facets point outward")
            }
            [_, _] => continue,
            _ => {
                let what = format!("{} is shared by {} facets, among them facet {}", between(), edge.len(), number(1));
                (edge[0].2, what, "a solid's edge has two: remove inner walls and doubled facets")
            }
        };
        if worst.as_ref().is_none_or(|w| found.0 < w.0) {
            worst = Some(found);
        }
    }
    match worst {
        Some((facet, what, remedy)) => Err(MeshIssue::at(soup.locations[facet as usize], what, remedy)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
