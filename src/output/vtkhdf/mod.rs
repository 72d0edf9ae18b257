//! Frames for ParaView: one VTKHDF file of temporal PolyData, one part per step.
//!
//! In: frames of points, cells and the fields on them. Out: a file that VTK 9.3 and later open as plain PolyData,
//! whatever the number of ranks of the run. Format: VTKHDF 2.0,
//! <https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format/>.
//!
//! The file is open only during an append. In between it is complete and unlocked, so a running job can be inspected. A
//! killed job leaves its complete frames, since an append changes nothing that they need: its values start new chunks,
//! and the counters that announce the new step come last. (The exception is the moment in which HDF5 splits a node of
//! its index.) The file uses the oldest HDF5 format, the only one without a "being written" mark that a kill would
//! leave behind.

mod distribute;
mod frame;
mod pieces;
mod read;
mod rewind;
mod table;
mod tree;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use hdf5::Dataset;

use super::columns::reason;
use super::hyperslab::Transfer;
use crate::comm::{Comm, Reader, Writer, all_agree};
use distribute::gather;
use frame::{CellCount, FrameCounts, FrameLayout, check, layout};
use pieces::{by_name, max_bytes, pieces};
use table::{ChangedCounters, DatasetRange, DatasetRows};
use tree::{FIELD_GROUPS, TOPOLOGIES, lay_out, options};

pub use frame::{FieldValues, Frame, FrameField};
pub use read::FrameReader;

/// Failure to write or read frames.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// An error of the file system or of HDF5.
    #[error("cannot {action} {}: {reason}", path.display())]
    File {
        /// `create`, `resume`, `replace`, `append a frame to` or `read`.
        action: &'static str,
        /// The frame file.
        path: PathBuf,
        /// The cause.
        reason: String,
    },
    /// The frame is inconsistent in itself or with earlier frames.
    #[error("cannot append the frame at {time} s to {}: {reason}", path.display())]
    Frame {
        /// Time of the frame, s.
        time: f64,
        /// The frame file.
        path: PathBuf,
        /// What is wrong with the frame.
        reason: String,
    },
}

impl FrameError {
    /// True if the file itself is damaged, as opposed to an error of the disk or of a new frame.
    pub fn is_damage(&self) -> bool {
        matches!(self, FrameError::File { action: "read" | "resume", .. })
    }

    /// The cause, without the name of the file.
    pub fn reason(&self) -> &str {
        match self {
            FrameError::File { reason, .. } | FrameError::Frame { reason, .. } => reason,
        }
    }
}

/// A frame file, which grows by one frame per append.
#[derive(Debug)]
pub struct FrameFile {
    path: PathBuf,
    /// True if values are to be compressed; used on process 0 before the first frame.
    packed: bool,
    steps: usize,
    fields: Option<FrameLayout>,
}

impl FrameFile {
    /// Creates a file without frames, in place of any existing one. With `packed`, frames are compressed where the
    /// library supports it, and process 0 writes them; otherwise all processes write at once.
    pub fn create(path: &Path, packed: bool) -> Result<Self, FrameError> {
        let new = FrameFile { path: path.to_owned(), packed, steps: 0, fields: None };
        lay_out(path, &FrameLayout::default(), 0, packed).map_err(|error| new.refused("create", error))?;
        Ok(new)
    }

    /// The file on a process other than 0, which has created or resumed it.
    pub fn on_other_process(path: &Path) -> Self {
        FrameFile { path: path.to_owned(), packed: false, steps: 0, fields: None }
    }

    /// Number of frames in the file.
    pub fn frames(&self) -> usize {
        self.steps
    }

    /// Writes all frames to disk, as far as this process has written them.
    pub fn sync(&self) -> io::Result<()> {
        fs::File::open(&self.path)?.sync_data()
    }

    /// Collective. Appends a frame, of which every process of `comm` passes its part. The first frame determines the
    /// fields.
    ///
    /// After an error, which all processes get, the file shows the same frames as before, as far as the disk allows.
    pub fn append(&mut self, comm: &dyn Comm, frame: &Frame) -> Result<(), FrameError> {
        let (layout, counts) = (layout(frame), FrameCounts::of(comm, frame));
        let fits = match &self.fields {
            Some(first) if *first != layout => Err("its fields are not those of the first frame".to_owned()),
            _ => check(frame, counts.points.1),
        };
        let fits = all_agree(comm, fits);
        fits.map_err(|reason| FrameError::Frame { time: frame.time, path: self.path.clone(), reason })?;
        self.write(comm, frame, &layout, &counts).map_err(|reason| self.failed("append a frame to", reason))?;
        self.fields = Some(layout);
        self.steps += 1;
        Ok(())
    }

    /// Collective. Process 0 allocates space; all processes write their rows, or compress them for process 0 to write;
    /// process 0 then sets the counters of the step.
    fn write(&self, comm: &dyn Comm, frame: &Frame, layout: &FrameLayout, counts: &FrameCounts) -> Result<(), String> {
        let pieces = pieces(frame, counts);
        let is_root = comm.is_root();
        let made = if is_root { self.allocate(layout, counts, &pieces) } else { Ok((false, Vec::new())) };
        let (is_packed, ranges) = all_agree(comm, made)?;
        let mut message = Writer::default();
        message.u64(is_packed.into());
        for DatasetRange { start, chunk, chunks } in ranges {
            [start, chunk, chunks].iter().for_each(|&number| message.u64(number as u64));
        }
        let received = comm.broadcast(message.0);
        let mut numbers = Reader(&received);
        let is_packed = numbers.u64() != 0;
        let mut number = || numbers.u64() as usize;
        let ranges: Vec<DatasetRange> =
            pieces.iter().map(|_| DatasetRange { start: number(), chunk: number(), chunks: number() }).collect();
        let written = match is_packed {
            true => {
                let chunks = gather(comm, &pieces, &ranges);
                if is_root { self.write_chunks(&pieces, &ranges, &chunks) } else { Ok(()) }
            }
            false => self.put(comm, &pieces, &ranges),
        };
        all_agree(comm, written)?;
        all_agree(comm, if is_root { self.publish(frame, counts, &pieces, &ranges) } else { Ok(()) })
    }

    fn allocate(
        &self,
        layout: &FrameLayout,
        counts: &FrameCounts,
        pieces: &[DatasetRows],
    ) -> Result<(bool, Vec<DatasetRange>), String> {
        let make = || {
            if self.fields.is_none() {
                lay_out(&self.path, layout, counts.points.1, self.packed)?;
            }
            let file = options().open_rw(&self.path)?;
            let root = file.group("VTKHDF")?;
            let ranges: Vec<DatasetRange> =
                pieces.iter().map(|piece| piece.allocate(&root)).collect::<hdf5::Result<_>>()?;
            let is_packed = !root.dataset("Points")?.filters().is_empty();
            file.flush()?;
            Ok((is_packed, ranges))
        };
        let made = make().map_err(|error: hdf5::Error| reason(&error))?;
        reserve(&self.path, max_bytes(pieces)).map_err(|error| error.to_string())?;
        Ok(made)
    }

    /// The first part of an append, as a kill leaves it.
    #[cfg(test)]
    fn begin(&self, frame: &Frame) {
        let counts = FrameCounts::of(&crate::comm::SerialComm, frame);
        self.allocate(&layout(frame), &counts, &pieces(frame, &counts)).unwrap();
    }

    /// Collective. All processes write their rows at once.
    fn put(&self, comm: &dyn Comm, pieces: &[DatasetRows], ranges: &[DatasetRange]) -> Result<(), String> {
        let (mut options, together) = (options(), Transfer::of(comm));
        together.prepare(comm, &mut options);
        let file = options.open_rw(&self.path).map_err(|error| reason(&error))?;
        let root = file.group("VTKHDF").map_err(|error| reason(&error))?;
        let put = pieces.iter().zip(ranges).map(|(piece, range)| piece.put(&root, range, &together));
        let done = put.fold(Ok(()), Result::and);
        drop(root);
        done.and(file.flush().and_then(|()| file.close()).map_err(|error| reason(&error)))
    }

    fn write_chunks(
        &self,
        pieces: &[DatasetRows],
        ranges: &[DatasetRange],
        chunks: &[Vec<Vec<u8>>],
    ) -> Result<(), String> {
        let file = options().open_rw(&self.path).map_err(|error| reason(&error))?;
        let root = file.group("VTKHDF").map_err(|error| reason(&error))?;
        let everything = pieces.iter().zip(ranges).zip(chunks);
        let changed = everything.map(|((piece, range), chunks)| piece.write_chunks(&root, range, chunks));
        let _open: Vec<Dataset> = changed.collect::<Result<_, String>>()?;
        file.flush().map_err(|error| reason(&error))
    }

    /// Sets the counters that announce the new step to readers.
    fn publish(
        &self,
        frame: &Frame,
        counts: &FrameCounts,
        pieces: &[DatasetRows],
        ranges: &[DatasetRange],
    ) -> Result<(), String> {
        let message = |error: hdf5::Error| reason(&error);
        let index = |name: &str| pieces.iter().position(|piece| piece.path == name);
        let start = |name: &str| index(name).map_or(0, |i| ranges[i].start as i64);
        let step = self.steps;
        let file = options().open_rw(&self.path).map_err(message)?;
        let root = file.group("VTKHDF").map_err(message)?;
        let mut changed = ChangedCounters::default();
        changed.set(&root, "NumberOfPoints", step, &[counts.points.1 as i64])?;
        let (mut first_cells, mut first_ids) = ([0; 4], [0; 4]);
        for (kind, name) in TOPOLOGIES.into_iter().enumerate() {
            let CellCount { cells, ids } = counts.total[kind];
            // VTK looks for the offsets of a step at `CellOffsets` plus the number of earlier steps, each of which has
            // one offset more than cells. But since 9.4 it ends that count once the steps add up to `CellOffsets`
            // cells, and so misses empty steps just before. A new chunk for each step puts `CellOffsets` beyond them,
            // and the count is complete.
            first_cells[kind] = start(&format!("{name}/Offsets")) - step as i64;
            first_ids[kind] = start(&format!("{name}/Connectivity"));
            changed.set(&root, &format!("{name}/NumberOfCells"), step, &[cells as i64])?;
            changed.set(&root, &format!("{name}/NumberOfConnectivityIds"), step, &[ids as i64])?;
        }
        for ((group, offsets), fields) in FIELD_GROUPS.into_iter().zip([&frame.point_fields, &frame.cell_fields]) {
            for FrameField { name, .. } in by_name(fields) {
                changed.set(&root, &format!("{offsets}/{name}"), step, &[start(&format!("{group}/{name}"))])?;
            }
        }
        changed.set(&root, "Steps/PartOffsets", step, &[step as i64])?;
        changed.set(&root, "Steps/NumberOfParts", step, &[1i64])?;
        changed.set(&root, "Steps/PointOffsets", step, &[start("Points")])?;
        changed.set(&root, "Steps/CellOffsets", step, &first_cells)?;
        changed.set(&root, "Steps/ConnectivityIdOffsets", step, &first_ids)?;
        file.flush().map_err(message)?;
        // Flushed together: VTK reads all `FieldValues` into a buffer for `NSteps` of them.
        changed.set(&root, "Steps/Values", step, &[frame.time])?;
        let steps = root.group("Steps").and_then(|steps| steps.attr("NSteps")).map_err(message)?;
        steps.write_scalar(&(step as i64 + 1)).map_err(message)?;
        file.flush().map_err(message)
    }

    fn refused(&self, action: &'static str, error: hdf5::Error) -> FrameError {
        self.failed(action, reason(&error))
    }

    fn failed(&self, action: &'static str, reason: String) -> FrameError {
        FrameError::File { action, path: self.path.clone(), reason }
    }
}

/// Allocates the space that an append may need while the file is closed, or leaves the file unchanged. When HDF5 itself
/// finds the disk full, its index is half written, and earlier frames are lost with it. HDF5 truncates what is not
/// needed, since it lies beyond the end of the file that it has recorded.
fn reserve(path: &Path, bytes: usize) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().append(true).open(path)?;
    let before = file.metadata()?.len();
    match io::copy(&mut io::repeat(0).take(bytes as u64), &mut file) {
        Ok(_) => Ok(()),
        Err(error) => file.set_len(before).and(Err(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::frame::topologies;
    use super::*;
    use crate::comm::SerialComm;
    use hdf5::{File, Group, H5Type};

    /// A frame whose numbers identify the step, with these numbers of points, lines and triangles.
    fn frame(step: u32, points: u32, lines: u32, triangles: u32) -> Frame {
        let cells = points + lines + triangles;
        let float = |count: u32| FieldValues::Float((0..count).map(|i| f64::from(1000 * step + i)).collect());
        let ids = (0..i64::from(points)).map(|i| i + 1000 * i64::from(step)).collect();
        Frame {
            time: 0.1 * f64::from(step),
            points: (0..points).map(|i| [f64::from(step), f64::from(i), 1.0 / 3.0]).collect(),
            vertices: (0..u64::from(points)).collect(),
            lines: (0..lines).map(|i| [i % points, (i + 1) % points].map(u64::from)).collect(),
            polygons: (0..triangles).map(|i| [i, i + 1, i + 2].map(|i| u64::from(i % points)).to_vec()).collect(),
            point_fields: vec![
                FrameField { name: "velocity".into(), width: 3, values: float(3 * points) },
                FrameField { name: "id".into(), width: 1, values: FieldValues::Integer(ids) },
                FrameField { name: "stress".into(), width: 6, values: float(6 * points) },
            ],
            cell_fields: vec![FrameField { name: "impulse".into(), width: 1, values: float(cells) }],
        }
    }

    fn rows<T: H5Type>(root: &Group, name: &str) -> Vec<T> {
        root.dataset(name).unwrap().read_raw().unwrap()
    }

    fn slice<T: H5Type + Copy>(root: &Group, name: &str, start: i64, count: usize) -> Vec<T> {
        rows(root, name)[start as usize..][..count].to_vec()
    }

    /// Reads every step as VTK does and compares it with the frame it came from.
    fn assert_shows(path: &Path, frames: &[Frame]) {
        let file = File::open(path).unwrap();
        let root = file.group("VTKHDF").unwrap();
        let steps: i64 = root.group("Steps").unwrap().attr("NSteps").unwrap().read_scalar().unwrap();
        assert_eq!(steps as usize, frames.len());
        assert_eq!(rows::<f64>(&root, "Steps/Values"), frames.iter().map(|f| f.time).collect::<Vec<_>>());
        for (step, frame) in frames.iter().enumerate() {
            let at = |name: &str, column: usize, width: usize| rows::<i64>(&root, name)[step * width + column];
            assert_eq!(at("NumberOfPoints", 0, 1) as usize, frame.points.len());
            let points = slice::<f64>(&root, "Points", 3 * at("Steps/PointOffsets", 0, 1), 3 * frame.points.len());
            assert_eq!(points, frame.points.as_flattened());
            for (kind, cells) in topologies(frame, &FrameCounts::of(&SerialComm, frame)).iter().enumerate() {
                let name = TOPOLOGIES[kind];
                let before = &rows::<i64>(&root, &format!("{name}/NumberOfCells"))[..step];
                let first = at("Steps/CellOffsets", kind, 4);
                let mut sum = 0;
                let counted = before.iter().take_while(|&&own| (sum < first, sum += own).0).count();
                assert_eq!(counted, step, "VTK 9.4 to 9.7 must count every step before");
                let offsets = slice::<i64>(&root, &format!("{name}/Offsets"), first + step as i64, cells.offsets.len());
                assert_eq!(offsets, cells.offsets);
                let start = at("Steps/ConnectivityIdOffsets", kind, 4);
                assert_eq!(slice::<i64>(&root, &format!("{name}/Connectivity"), start, cells.ids.len()), cells.ids);
            }
            for ((group, offsets), fields) in FIELD_GROUPS.into_iter().zip([&frame.point_fields, &frame.cell_fields]) {
                for FrameField { name, width, values } in fields {
                    let start = at(&format!("{offsets}/{name}"), 0, 1) * *width as i64;
                    let name = format!("{group}/{name}");
                    match values {
                        FieldValues::Float(values) => {
                            assert_eq!(&slice::<f64>(&root, &name, start, values.len()), values)
                        }
                        FieldValues::Integer(values) => {
                            assert_eq!(&slice::<i64>(&root, &name, start, values.len()), values)
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn steps_of_every_size_and_empty_ones_are_found_where_vtk_looks_for_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.vtkhdf");
        let sizes = [(5, 3, 2), (0, 0, 0), (0, 0, 0), (9, 0, 4), (2, 1, 0), (700, 255, 511), (1, 0, 0), (3, 3, 3)];
        let frames: Vec<_> = (0..).zip(sizes).map(|(step, (p, l, t))| frame(step, p, l, t)).collect();
        for packed in [true, false] {
            let mut file = FrameFile::create(&path, packed).unwrap();
            assert_shows(&path, &[]);
            for (step, frame) in frames.iter().enumerate() {
                file.append(&SerialComm, frame).unwrap();
                assert_shows(&path, &frames[..=step]);
            }
            assert_eq!(file.frames(), frames.len());
            let filters = File::open(&path).unwrap().dataset("VTKHDF/Points").unwrap().filters();
            assert_eq!(filters.is_empty(), !packed);
        }
    }

    #[test]
    fn a_resumed_file_keeps_the_frames_up_to_its_time_and_goes_on_from_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.vtkhdf");
        let mut file = FrameFile::create(&path, true).unwrap();
        (0..5).for_each(|step| file.append(&SerialComm, &frame(step, 4, step, 1)).unwrap());
        let mut resumed = FrameFile::resume(&path, frame(2, 0, 0, 0).time, false).unwrap();
        assert_eq!(resumed.frames(), 3);
        resumed.append(&SerialComm, &frame(3, 6, 2, 0)).unwrap();
        assert_shows(&path, &[frame(0, 4, 0, 1), frame(1, 4, 1, 1), frame(2, 4, 2, 1), frame(3, 6, 2, 0)]);
        let mut emptied = FrameFile::resume(&path, -1.0, true).unwrap();
        let bare = Frame { points: vec![[0.0; 3]], ..Frame::default() };
        emptied.append(&SerialComm, &bare).unwrap();
        assert_shows(&path, &[bare]);
    }

    #[test]
    fn a_frame_that_contradicts_itself_or_the_first_is_refused_and_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.vtkhdf");
        let mut file = FrameFile::create(&path, true).unwrap();
        file.append(&SerialComm, &frame(0, 4, 3, 2)).unwrap();
        let mut refused = |reason: &str, change: fn(&mut Frame)| {
            let mut changed_frame = frame(1, 4, 3, 2);
            change(&mut changed_frame);
            let message = file.append(&SerialComm, &changed_frame).unwrap_err().to_string();
            assert!(message.contains("frames.vtkhdf") && message.ends_with(reason), "{message}");
        };
        refused("its fields are not those of the first frame", |frame| frame.cell_fields.clear());
        refused("its fields are not those of the first frame", |frame| frame.point_fields[0].width = 1);
        refused("a cell names point 4 of 4", |frame| frame.lines[1] = [0, 4]);
        refused("field impulse has 9 values for 8 times 1", |frame| frame.lines.truncate(2));
        refused("a polygon of 2 points", |frame| frame.polygons[0].truncate(2));
        refused("a frame needs a time", |frame| frame.time = f64::NAN);
        assert_shows(&path, &[frame(0, 4, 3, 2)]);
    }

    #[test]
    fn errors_name_the_file_and_the_systems_reason() {
        let message = FrameFile::create(Path::new("/nonexistent/f.vtkhdf"), true).unwrap_err().to_string();
        assert_eq!(message, "cannot create /nonexistent/f.vtkhdf: No such file or directory");
    }
}
