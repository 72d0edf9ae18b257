//! Readers of mesh files: Gmsh (`.msh`), VTK legacy (`.vtk`) and VTK XML (`.vtu`).
//!
//! A reader turns the bytes of a file into a [`Draft`](draft::Draft); the draft becomes a mesh that passed all checks.
//! Files are not trusted: a count is compared with the length of the file before memory is reserved for it.

mod damaged;
mod draft;
mod gmsh;
mod gmsh_sections;
mod source;
mod vtk;
mod vtk_cells;
mod vtu;
mod xml;

use std::path::Path;

use crate::dim::Dim;

use super::VolumeMesh;
use super::fault::{ReadTrouble, VolumeMeshFault};

/// Largest file that is read, bytes.
const MOST_BYTES: u64 = 1 << 29;

impl<X: Dim> VolumeMesh<X> {
    /// Reads and checks a file; `.msh`, `.vtk` or `.vtu` by its name. Lengths are in metres.
    ///
    /// Physical groups of Gmsh and cell arrays `group`, `material`, `CellEntityIds` or `gmsh:physical` of VTK become
    /// groups; elements of lower dimension only serve as members of groups. Nodes that belong to no element are
    /// dropped. In the plane, all nodes have the same z, which is dropped too.
    pub fn read(file: &Path) -> Result<Self, VolumeMeshFault> {
        let unreadable = |reason: std::io::Error| {
            ReadTrouble::new(format!("cannot be read: {reason}"), "check the path and the permissions").in_file(file)
        };
        let bytes = std::fs::metadata(file).map_err(unreadable)?.len();
        if bytes > MOST_BYTES {
            let what = format!("is {bytes} bytes long, more than the {MOST_BYTES} allowed");
            return Err(ReadTrouble::new(what, "give a coarser mesh").in_file(file));
        }
        Self::parse(file, &std::fs::read(file).map_err(unreadable)?)
    }

    /// As [`read`](Self::read), from the content of the file.
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Self, VolumeMeshFault> {
        let ending = file.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        let draft = match ending.as_str() {
            "msh" => gmsh::parse(bytes),
            "vtk" => vtk::parse(bytes),
            "vtu" => vtu::parse(bytes),
            _ => Err(ReadTrouble::new("has an unknown format", "give a file whose name ends in .msh, .vtk or .vtu")),
        };
        draft.and_then(|draft| draft.finish()).map_err(|trouble| trouble.in_file(file))
    }
}

#[cfg(test)]
mod tests;
