//! Reading of frames, one at a time, from a file written by [`FrameFile`](super::FrameFile).

use std::path::{Path, PathBuf};

use hdf5::types::{IntSize, TypeDescriptor};
use hdf5::{Group, H5Type};

use super::tree::{FIELD_GROUPS, TOPOLOGIES, options};
use super::{FieldValues, Frame, FrameError, FrameField};
use crate::output::columns::reason;
use crate::output::hyperslab::{self, Hyperslab};

/// A frame file open for reading, also while its run continues.
pub struct FrameReader {
    path: PathBuf,
    pub(crate) root: Group,
    times: Vec<f64>,
}

impl FrameReader {
    /// Opens the file for reading.
    pub fn open(path: &Path) -> Result<Self, FrameError> {
        let open = || {
            let root = options().open(path)?.group("VTKHDF")?;
            let steps = root.group("Steps")?;
            let complete = steps.attr("NSteps")?.read_scalar::<i64>()?;
            let mut times = steps.dataset("Values")?.read_raw::<f64>()?;
            times.truncate(usize::try_from(complete).unwrap_or(0));
            Ok((root, times))
        };
        let (root, times) = open().map_err(|error: hdf5::Error| failed(path, reason(&error)))?;
        Ok(Self { path: path.to_owned(), root, times })
    }

    /// Times of all frames, s.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Frame number `step` with the requested fields on points and on cells, as far as the file has them.
    pub fn read(&self, step: usize, point: &[&str], cell: &[&str]) -> Result<Frame, FrameError> {
        self.frame(step, point, cell).map_err(|reason| failed(&self.path, reason))
    }

    pub(crate) fn frame(&self, step: usize, point: &[&str], cell: &[&str]) -> Result<Frame, String> {
        let time = *self.times.get(step).ok_or_else(|| format!("it has no frame {step}"))?;
        let points = self.count("NumberOfPoints", step, 0, 1)?;
        let first = self.count("Steps/PointOffsets", step, 0, 1)?;
        let numbers: Vec<f64> = self.rows("Points", first, points, 3)?;
        let mut frame = Frame { time, points: numbers.as_chunks::<3>().0.to_vec(), ..Frame::default() };
        let [vertices, lines, polygons] = [0, 1, 2].map(|kind| self.cells(step, kind));
        frame.vertices = vertices?.into_iter().flatten().collect();
        frame.lines = lines?.iter().filter_map(|line| line.as_slice().try_into().ok()).collect();
        frame.polygons = polygons?;
        let ids = frame.vertices.iter().chain(frame.lines.as_flattened()).chain(frame.polygons.iter().flatten());
        if let Some(id) = ids.max().filter(|&&id| id as usize >= points) {
            return Err(format!("a cell of frame {step} names point {id} of {points}"));
        }
        let cells = frame.vertices.len() + frame.lines.len() + frame.polygons.len();
        frame.point_fields = self.fields(step, 0, points, point)?;
        frame.cell_fields = self.fields(step, 1, cells, cell)?;
        Ok(frame)
    }

    /// The cells of one kind, as point ids.
    fn cells(&self, step: usize, kind: usize) -> Result<Vec<Vec<u64>>, String> {
        let name = TOPOLOGIES[kind];
        let count = self.count(&format!("{name}/NumberOfCells"), step, 0, 1)?;
        let ids = self.count(&format!("{name}/NumberOfConnectivityIds"), step, 0, 1)?;
        // Each earlier step has one offset more than cells; the first stored value may be negative.
        let first = (self.number("Steps/CellOffsets", step, kind, 4)? + step as i64).max(0) as usize;
        let offsets: Vec<i64> = self.rows(&format!("{name}/Offsets"), first, count + 1, 1)?;
        let first = self.count("Steps/ConnectivityIdOffsets", step, kind, 4)?;
        let ids: Vec<i64> = self.rows(&format!("{name}/Connectivity"), first, ids, 1)?;
        let cell =
            |ends: &[i64]| ids.get(ends[0] as usize..ends[1] as usize).map(|ids| ids.iter().map(|&id| id as u64));
        let cells = offsets.windows(2).map(|ends| cell(ends).map(Iterator::collect));
        cells.collect::<Option<_>>().ok_or_else(|| format!("the {name} of frame {step} are incomplete"))
    }

    fn fields(&self, step: usize, group: usize, count: usize, wanted: &[&str]) -> Result<Vec<FrameField>, String> {
        let (group, offsets) = FIELD_GROUPS[group];
        let message = |error: hdf5::Error| reason(&error);
        let members = self.root.group(group).and_then(|group| group.member_names()).map_err(message)?;
        let mut fields = Vec::new();
        for &name in wanted.iter().filter(|&&name| members.iter().any(|own| own == name)) {
            let path = format!("{group}/{name}");
            let dataset = self.root.dataset(&path).map_err(message)?;
            let width = dataset.shape().get(1).copied().unwrap_or(1);
            let first = self.count(&format!("{offsets}/{name}"), step, 0, 1)?;
            let kind = dataset.dtype().and_then(|kind| kind.to_descriptor()).map_err(message)?;
            let values = match kind == TypeDescriptor::Integer(IntSize::U8) {
                true => FieldValues::Integer(self.rows(&path, first, count, width)?),
                false => FieldValues::Float(self.rows(&path, first, count, width)?),
            };
            fields.push(FrameField { name: name.to_owned().into(), width, values });
        }
        Ok(fields)
    }

    /// One number of a table of counters.
    fn number(&self, name: &str, step: usize, column: usize, width: usize) -> Result<i64, String> {
        let row: Vec<i64> = self.rows(name, step, 1, width)?;
        Ok(row[column])
    }

    fn count(&self, name: &str, step: usize, column: usize, width: usize) -> Result<usize, String> {
        self.number(name, step, column, width).map(|number| number.max(0) as usize)
    }

    pub(crate) fn rows<T: H5Type + Copy + Default>(
        &self,
        name: &str,
        start: usize,
        count: usize,
        width: usize,
    ) -> Result<Vec<T>, String> {
        let dataset = self.root.dataset(name).map_err(|error| reason(&error))?;
        hyperslab::get(&dataset, Hyperslab { start, count, width })
    }
}

fn failed(path: &Path, reason: String) -> FrameError {
    FrameError::File { action: "read", path: path.to_owned(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::SerialComm;
    use crate::output::vtkhdf::FrameFile;

    #[test]
    fn what_was_written_is_read_again_frame_by_frame() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.vtkhdf");
        let frame = |step: u64| Frame {
            time: step as f64,
            points: (0..step + 3).map(|i| [i as f64, step as f64, 0.25]).collect(),
            vertices: (0..step).collect(),
            lines: (0..step).map(|i| [i, i + 1]).collect(),
            polygons: vec![(0..step + 3).collect(); step as usize],
            point_fields: vec![
                FrameField {
                    name: "id".into(),
                    width: 1,
                    values: FieldValues::Integer((0..step as i64 + 3).collect()),
                },
                FrameField {
                    name: "velocity".into(),
                    width: 3,
                    values: FieldValues::Float(vec![0.5; 3 * (step as usize + 3)]),
                },
            ],
            cell_fields: vec![FrameField {
                name: "force".into(),
                width: 1,
                values: FieldValues::Float(vec![2.0; 3 * step as usize]),
            }],
        };
        let mut file = FrameFile::create(&path, true).unwrap();
        (0..5).for_each(|step| file.append(&SerialComm, &frame(step)).unwrap());
        let reader = FrameReader::open(&path).unwrap();
        assert_eq!(reader.times(), [0.0, 1.0, 2.0, 3.0, 4.0]);
        for step in 0..5 {
            let read = reader.read(step as usize, &["id", "velocity", "absent"], &["force"]).unwrap();
            assert_eq!(read, frame(step));
        }
        assert!(reader.read(5, &[], &[]).unwrap_err().to_string().ends_with("it has no frame 5"));
    }
}
