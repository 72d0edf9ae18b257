//! Writing of FCLIB files: compressed columns; complete or absent; the bytes depend on the content alone.

use std::path::Path;

use hdf5::types::{FixedAscii, TypeDescriptor};
use hdf5::{File, Group, H5Type};
use sprs::{CsMatI, TriMatI};

use super::content::{FclibContent, FclibInfo, FclibSolution};
use crate::base::error::{Error, Result};
use crate::dim::{Dim, Vector};
use crate::output::columns::{reason, replace_file, unfinished_name};
use crate::solver::delassus::Delassus;

/// Maximum length of a text.
const MAX_TEXT: usize = 1024;

/// Writes the file, or leaves an existing one unchanged.
pub fn write<X: Dim>(path: &Path, content: &FclibContent<X>) -> Result<()> {
    let unfinished = unfinished_name(path);
    let written = put(&unfinished, content).map_err(|error| reason(&error));
    let written = written.and_then(|()| replace_file(&unfinished, path).map_err(|error| error.to_string()));
    written.map_err(|reason| {
        // Best effort: the error to report is the first failure, not that of the cleanup.
        let _ = std::fs::remove_file(&unfinished);
        Error::system("write", path, reason)
    })
}

fn put<X: Dim>(path: &Path, content: &FclibContent<X>) -> hdf5::Result<()> {
    let FclibContent { problem, solution, guesses, contacts, about } = content;
    let mut options = File::with_options();
    options.with_fapl(|list| list.file_locking(false)).with_fcpl(|list| list.obj_track_times(false));
    let file = options.create(path)?;
    let local = group(&file, "fclib_local")?;
    let FclibInfo { title, description, math_info } = about;
    let info = group(&local, "info")?;
    for (name, text) in [("title", title), ("description", description), ("math_info", math_info)] {
        put_text(&info, name, text)?;
    }
    put_integers(&local, "spacedim", &[X::D as i32])?;
    put_matrix(&group(&local, "W")?, problem)?;
    let vectors = group(&local, "vectors")?;
    put_vectors::<X>(&vectors, "q", problem.free())?;
    put_values(&vectors, "mu", problem.friction())?;
    if let Some(solution) = solution {
        put_pair(&group(&file, "solution")?, solution)?;
    }
    if !guesses.is_empty() {
        let all = group(&file, "guesses")?;
        put_integers(&all, "number_of_guesses", &[guesses.len() as i32])?;
        for (number, guess) in (1..).zip(guesses) {
            put_pair(&group(&all, &number.to_string())?, guess)?;
        }
    }
    if !contacts.is_empty() {
        let own = group(&file, "nscdd")?;
        let bodies: Vec<u64> = contacts.iter().flat_map(|contact| contact.bodies).collect();
        put_values(&own, "bodies", &bodies)?;
        put_vectors::<X>(&own, "points", &contacts.iter().map(|contact| contact.point).collect::<Vec<_>>())?;
        put_vectors::<X>(&own, "normals", &contacts.iter().map(|contact| contact.normal).collect::<Vec<_>>())?;
    }
    file.flush().and_then(|()| file.close())
}

/// Writes the matrix in compressed columns, without zeros.
fn put_matrix<X: Dim>(group: &Group, problem: &Delassus<X>) -> hdf5::Result<()> {
    let size = X::D * problem.contacts();
    let mut entries = TriMatI::<f64, i32>::new((size, size));
    for row in 0..problem.contacts() {
        for (column, block) in problem.row(row) {
            for (i, j) in (0..X::D).flat_map(|i| (0..X::D).map(move |j| (i, j))) {
                if block[(i, j)] != 0.0 {
                    entries.add_triplet(X::D * row + i, X::D * column + j, block[(i, j)]);
                }
            }
        }
    }
    let matrix: CsMatI<f64, i32> = entries.to_csc();
    let (starts, rows, values) = matrix.into_raw_storage();
    for (name, value) in [("nzmax", rows.len() as i32), ("m", size as i32), ("n", size as i32), ("nz", -1)] {
        put_integers(group, name, &[value])?;
    }
    put_integers(group, "p", &starts)?;
    put_integers(group, "i", &rows)?;
    put_values(group, "x", &values)
}

fn put_pair<X: Dim>(group: &Group, pair: &FclibSolution<X>) -> hdf5::Result<()> {
    put_vectors::<X>(group, "u", &pair.velocities)?;
    put_vectors::<X>(group, "r", &pair.impulses)
}

fn put_vectors<X: Dim>(group: &Group, name: &str, vectors: &[X::Vector]) -> hdf5::Result<()> {
    let numbers: Vec<f64> = vectors.iter().flat_map(|v| v.as_slice()).copied().collect();
    put_values(group, name, &numbers)
}

fn group(parent: &Group, name: &str) -> hdf5::Result<Group> {
    parent.create_group_builder().obj_track_times(false).create(name)
}

fn put_integers(group: &Group, name: &str, values: &[i32]) -> hdf5::Result<()> {
    put_values(group, name, values)
}

fn put_values<T: H5Type>(group: &Group, name: &str, values: &[T]) -> hdf5::Result<()> {
    group.new_dataset::<T>().obj_track_times(false).shape(values.len()).create(name)?.write_raw(values)
}

/// Writes a text of fixed length, as FCLIB reads it.
fn put_text(group: &Group, name: &str, text: &str) -> hdf5::Result<()> {
    let plain: String =
        text.chars().map(|c| if c.is_ascii() && c != '\0' { c } else { '?' }).take(MAX_TEXT - 1).collect();
    let stored =
        FixedAscii::<MAX_TEXT>::from_ascii(&plain).map_err(|error| hdf5::Error::Internal(error.to_string()))?;
    let kind = TypeDescriptor::FixedAscii(plain.len() + 1);
    let dataset = group.new_dataset_builder().obj_track_times(false).empty_as(&kind).shape(()).create(name)?;
    dataset.write_scalar(&stored)
}
