//! Groups and datasets of an empty frame file.
//!
//! In: the path and the fields to come. Out: a file to append to.

use std::path::Path;

use hdf5::types::FixedAscii;
use hdf5::{File, FileBuilder};

use super::frame::FrameLayout;
use super::table::{counters, values};

/// Kinds of PolyData cells, in the order of VTK.
pub(crate) const TOPOLOGIES: [&str; 4] = ["Vertices", "Lines", "Polygons", "Strips"];
/// Groups of fields, and groups of their first rows by step.
pub(crate) const FIELD_GROUPS: [(&str, &str); 2] =
    [("PointData", "Steps/PointDataOffsets"), ("CellData", "Steps/CellDataOffsets")];

/// File options without locks: neither ParaView with the file open nor a file system without locks may stop the run.
pub(crate) fn options() -> FileBuilder {
    let mut options = File::with_options();
    options.with_fapl(|list| list.file_locking(false));
    options.with_fcpl(|list| list.obj_track_times(false));
    options
}

/// Creates a file without steps, with all its empty datasets. Called by `create`, so that a run learns at its start
/// whether it may write there, and again by the first frame, which determines the fields and the expected number of
/// `rows`.
pub(crate) fn lay_out(path: &Path, layout: &FrameLayout, rows: usize, packed: bool) -> hdf5::Result<()> {
    let file = options().create(path)?;
    let root = file.create_group("VTKHDF")?;
    root.new_attr::<i64>().shape(2).create("Version")?.write_raw(&[2i64, 0])?;
    let kind = FixedAscii::<8>::from_ascii("PolyData").map_err(|error| hdf5::Error::Internal(error.to_string()))?;
    root.new_attr::<FixedAscii<8>>().create("Type")?.write_scalar(&kind)?;
    values::<f64>(&root, "Points", 3, rows, packed)?;
    counters::<i64>(&root, "NumberOfPoints", 1)?;
    for name in TOPOLOGIES {
        let group = root.create_group(name)?;
        values::<i64>(&group, "Offsets", 1, rows, packed)?;
        values::<i64>(&group, "Connectivity", 1, rows, packed)?;
        counters::<i64>(&group, "NumberOfCells", 1)?;
        counters::<i64>(&group, "NumberOfConnectivityIds", 1)?;
    }
    let steps = root.create_group("Steps")?;
    counters::<f64>(&steps, "Values", 1)?;
    for name in ["PartOffsets", "NumberOfParts", "PointOffsets"] {
        counters::<i64>(&steps, name, 1)?;
    }
    for name in ["CellOffsets", "ConnectivityIdOffsets"] {
        counters::<i64>(&steps, name, 4)?;
    }
    for ((group, offsets), fields) in FIELD_GROUPS.into_iter().zip(layout) {
        let (group, offsets) = (root.create_group(group)?, root.create_group(offsets)?);
        for (name, width, is_real) in fields {
            match is_real {
                true => values::<f32>(&group, name, *width, rows, packed)?,
                false => values::<i64>(&group, name, *width, rows, packed)?,
            }
            counters::<i64>(&offsets, name, 1)?;
        }
    }
    steps.new_attr::<i64>().create("NSteps")?.write_scalar(&0i64)?;
    file.flush()
}
