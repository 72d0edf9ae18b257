//! Rewinding of a frame file to an earlier time, for a run that resumes there.
//!
//! In: the file of a stopped or killed run, and the time of its checkpoint. Out: the file as it was at that time, byte
//! for byte. HDF5 does not release space, so a file with later frames, or with part of one, is rebuilt from the frames
//! that it keeps; a file that ends with the frame of that time is left unchanged. The new file replaces the old one
//! when it is complete.

use std::fs;
use std::path::Path;

use hdf5::types::{FloatSize, TypeDescriptor};

use super::frame::FrameLayout;
use super::tree::{FIELD_GROUPS, TOPOLOGIES};
use super::{FrameError, FrameFile, FrameReader};
use crate::comm::SerialComm;
use crate::output::columns::{reason, replace_file, unfinished_name};

impl FrameFile {
    /// Reopens the file of a stopped run, without its frames later than `time`, which the resumed run writes again. A
    /// file without remaining frames is created anew, `packed` or not; otherwise it continues as it began.
    pub fn resume(path: &Path, time: f64, packed: bool) -> Result<Self, FrameError> {
        let old = FrameReader::open(path)?;
        let steps = old.times().iter().take_while(|&&own| own <= time).count();
        if steps == 0 {
            drop(old);
            return Self::create(path, packed);
        }
        let failed = |reason| FrameError::File { action: "resume", path: path.to_owned(), reason };
        let layout = old.layout().map_err(|error| failed(reason(&error)))?;
        let kept = Self { path: path.to_owned(), packed, steps, fields: Some(layout.clone()) };
        if old.ends_with(steps, &layout).map_err(failed)? {
            return Ok(kept);
        }
        let unfinished = unfinished_name(path);
        let rebuilt = rebuild(&old, steps, &layout, &unfinished).and_then(|()| {
            drop(old);
            let replaced = replace_file(&unfinished, path);
            replaced.map_err(|error| FrameError::File {
                action: "replace",
                path: path.to_owned(),
                reason: error.to_string(),
            })
        });
        if rebuilt.is_err() {
            // The unfinished file may be what filled the disk.
            let _ = fs::remove_file(&unfinished);
        }
        rebuilt.map(|()| kept)
    }
}

/// Writes the first `steps` frames of a file into a new file.
fn rebuild(old: &FrameReader, steps: usize, layout: &FrameLayout, path: &Path) -> Result<(), FrameError> {
    let names = layout.each_ref().map(|fields| fields.iter().map(|field| field.0.as_str()).collect::<Vec<&str>>());
    let is_packed = old.root.dataset("Points").is_ok_and(|points| !points.filters().is_empty());
    let mut new = FrameFile::create(path, is_packed)?;
    for step in 0..steps {
        new.append(&SerialComm, &old.read(step, &names[0], &names[1])?)?;
    }
    Ok(())
}

impl FrameReader {
    /// Name, width and whether real, of the fields on points and on cells.
    fn layout(&self) -> hdf5::Result<FrameLayout> {
        let fields = |group| -> hdf5::Result<_> {
            let group = self.root.group(group)?;
            let mut fields = Vec::new();
            for name in group.member_names()? {
                let dataset = group.dataset(&name)?;
                let is_real = dataset.dtype()?.to_descriptor()? == TypeDescriptor::Float(FloatSize::U4);
                fields.push((name, dataset.shape().get(1).copied().unwrap_or(1), is_real));
            }
            fields.sort();
            Ok(fields)
        };
        Ok([fields(FIELD_GROUPS[0].0)?, fields(FIELD_GROUPS[1].0)?])
    }

    /// True if the file is as the append of frame number `steps` left it. Then every dataset ends with that frame, and
    /// the rows of each frame begin where those of the frame before end.
    fn ends_with(&self, steps: usize, layout: &FrameLayout) -> Result<bool, String> {
        let length = |name: &str| -> Result<usize, String> {
            let dataset = self.root.dataset(name).map_err(|error| reason(&error))?;
            Ok(dataset.shape()[0])
        };
        if self.times().len() != steps || length("Steps/Values")? != steps {
            return Ok(false);
        }
        for counters in ["Steps/PartOffsets", "Steps/NumberOfParts"] {
            if length(counters)? != steps {
                return Ok(false);
            }
        }
        // If the length of a counter is not `steps`, an append was abandoned.
        let column = |name: &str, column: usize, width: usize| -> Result<Option<Vec<i64>>, String> {
            if length(name)? != steps {
                return Ok(None);
            }
            let rows: Vec<i64> = self.rows(name, 0, steps, width)?;
            Ok(Some(rows.iter().skip(column).step_by(width).copied().collect()))
        };
        let is_complete = |name: &str, starts: Option<Vec<i64>>, counts: &[i64]| -> Result<bool, String> {
            let Some(starts) = starts else { return Ok(false) };
            let dataset = self.root.dataset(name).map_err(|error| reason(&error))?;
            let chunk = dataset.chunk().map_or(1, |shape| shape[0]);
            let mut end = 0;
            for (&start, &count) in starts.iter().zip(counts) {
                let rows = (count.max(0) as usize).next_multiple_of(chunk);
                if start != end as i64 {
                    return Ok(false);
                }
                end += rows;
            }
            Ok(dataset.shape()[0] == end)
        };
        let Some(points) = column("NumberOfPoints", 0, 1)? else { return Ok(false) };
        let mut all = is_complete("Points", column("Steps/PointOffsets", 0, 1)?, &points)?;
        let mut cells = vec![0; steps];
        for (kind, name) in TOPOLOGIES.into_iter().enumerate() {
            let counts = column(&format!("{name}/NumberOfCells"), 0, 1)?;
            let ids = column(&format!("{name}/NumberOfConnectivityIds"), 0, 1)?;
            let (Some(counts), Some(ids)) = (counts, ids) else { return Ok(false) };
            // Every frame has one offset more than cells.
            let starts = column("Steps/CellOffsets", kind, 4)?;
            let starts = starts.map(|starts| (0..).zip(starts).map(|(step, start)| start + step).collect());
            let offsets: Vec<i64> = counts.iter().map(|count| count + 1).collect();
            all &= is_complete(&format!("{name}/Offsets"), starts, &offsets)?;
            all &= is_complete(&format!("{name}/Connectivity"), column("Steps/ConnectivityIdOffsets", kind, 4)?, &ids)?;
            cells.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
        }
        for (((group, offsets), fields), counts) in FIELD_GROUPS.into_iter().zip(layout).zip([&points, &cells]) {
            for (name, ..) in fields {
                all &= is_complete(&format!("{group}/{name}"), column(&format!("{offsets}/{name}"), 0, 1)?, counts)?;
            }
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FieldValues, Frame, FrameField};
    use super::*;

    fn frame(step: u32) -> Frame {
        let points = 3 + 120 * step;
        let values = |count: u32| (0..count).map(|i| f64::from(i + step)).collect();
        Frame {
            time: f64::from(step),
            points: (0..points).map(|i| [f64::from(step), f64::from(i), 1.0 / 3.0]).collect(),
            vertices: (0..u64::from(points)).collect(),
            lines: (0..u64::from(step)).map(|i| [i, i + 1]).collect(),
            polygons: Vec::new(),
            point_fields: vec![
                FrameField { name: "velocity".into(), width: 3, values: FieldValues::Float(values(3 * points)) },
                FrameField {
                    name: "id".into(),
                    width: 1,
                    values: FieldValues::Integer((0..i64::from(points)).collect()),
                },
            ],
            cell_fields: vec![FrameField {
                name: "force".into(),
                width: 1,
                values: FieldValues::Float(values(points + step)),
            }],
        }
    }

    fn written(path: &Path, packed: bool, steps: std::ops::Range<u32>) -> FrameFile {
        let mut file = match steps.start {
            0 => FrameFile::create(path, packed).unwrap(),
            first => FrameFile::resume(path, f64::from(first) - 1.0, packed).unwrap(),
        };
        steps.for_each(|step| file.append(&SerialComm, &frame(step)).unwrap());
        file
    }

    #[test]
    fn a_resumed_file_has_the_bytes_of_one_that_was_never_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, parts) = (folder.path().join("whole.vtkhdf"), folder.path().join("parts.vtkhdf"));
        for packed in [true, false] {
            written(&whole, packed, 0..9);
            // With later frames, with none, and with no frames left.
            for [stop, back] in [[6, 3], [5, 5], [4, 1], [4, 0]] {
                written(&parts, packed, 0..stop);
                written(&parts, packed, back..9);
                assert!(fs::read(&whole).unwrap() == fs::read(&parts).unwrap(), "{packed}, {stop}, {back}");
            }
        }
    }

    #[test]
    fn a_frame_cut_short_by_a_kill_is_removed_on_resume() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, parts) = (folder.path().join("whole.vtkhdf"), folder.path().join("parts.vtkhdf"));
        for packed in [true, false] {
            written(&whole, packed, 0..6);
            let file = written(&parts, packed, 0..4);
            file.begin(&frame(4));
            assert!(fs::metadata(&parts).unwrap().len() > 0);
            written(&parts, packed, 4..6);
            assert!(fs::read(&whole).unwrap() == fs::read(&parts).unwrap(), "{packed}");
            assert!(!unfinished_name(&parts).exists());
        }
    }
}
