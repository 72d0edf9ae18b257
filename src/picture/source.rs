//! Input of pictures: the frames of a run, or a checkpoint.

use std::fs;
use std::path::{Path, PathBuf};

use super::{CELL_FIELDS, Drawing, DrawnWall, POINT_FIELDS};
use crate::base::error::{Error, Result};
use crate::comm::SerialComm;
use crate::dim::{Dim, Plane, Space};
use crate::output::checkpoint::{self, CheckpointFacts, candidates};
use crate::output::columns::VerifiedFile;
use crate::output::frame::still;
use crate::output::vtkhdf::FrameReader;
use crate::scene::Scene;
use crate::scene::restore::restore;

/// Advice on how to obtain frames.
pub const NO_FRAMES: &str = "it has no frames; a scene with `frames = { every = 0.01 }` under [output] writes one every 0.01 s, and so does \
     `--set output.frames.every=0.01`";

/// The times of a run that can be drawn.
pub struct PictureSource {
    /// Name of the scene.
    pub title: String,
    /// Dimension of the scene, 2 or 3.
    pub dimension: u8,
    /// The file read.
    pub path: PathBuf,
    contents: DrawableTimes,
}

enum DrawableTimes {
    Frames(FrameReader, Vec<DrawnWall>),
    Checkpoint(Box<Drawing>),
}

impl PictureSource {
    /// Opens the frames of the run in a folder or, without frames, its latest checkpoint; or a file of either kind.
    pub fn open(path: &Path) -> Result<Self> {
        if path.is_dir() {
            let frames = path.join("frames.vtkhdf");
            if frames.exists() {
                let source = Self::frames(&frames, path)?;
                if !source.times().is_empty() {
                    return Ok(source);
                }
            }
            let newest = candidates(path).into_iter().find_map(|file| Self::checkpoint(&file, path).ok());
            return newest.ok_or_else(|| Error::system("draw", path, NO_FRAMES));
        }
        if !path.exists() {
            return Err(Error::system("draw", path, "there is no such folder or file"));
        }
        let folder = run_folder(path);
        match path.extension().is_some_and(|own| own == "vtkhdf") {
            true => Self::frames(path, &folder),
            false => Self::checkpoint(path, &folder),
        }
    }

    fn frames(path: &Path, folder: &Path) -> Result<Self> {
        let reader = FrameReader::open(path).map_err(|e| Error::system("read", path, e.reason()))?;
        // Frames lack walls. The latest checkpoint has them; walls at rest are valid at all times.
        let newest = candidates(folder).into_iter().find_map(|file| open_checkpoint(&file, folder, true).ok());
        let walls = newest.as_ref().map_or(Vec::new(), |newest| newest.drawing.walls.clone());
        let known = newest.map(|newest| newest.dimension).or_else(|| scene_dimension(folder));
        let mut source = Self {
            title: title(folder, path),
            dimension: 3,
            path: path.to_owned(),
            contents: DrawableTimes::Frames(reader, walls),
        };
        source.dimension = match known {
            Some(dimension) => dimension,
            None if source.times().is_empty() => 3,
            None => {
                if is_flat(&source.drawing(source.times().len() - 1)?) {
                    2
                } else {
                    3
                }
            }
        };
        Ok(source)
    }

    fn checkpoint(path: &Path, folder: &Path) -> Result<Self> {
        let CheckpointDrawing { dimension, drawing } = open_checkpoint(path, folder, false)?;
        let contents = DrawableTimes::Checkpoint(Box::new(drawing));
        Ok(Self { title: title(folder, path), dimension, path: path.to_owned(), contents })
    }

    /// Returns true if there is a single time, that of a checkpoint.
    pub fn is_checkpoint(&self) -> bool {
        matches!(self.contents, DrawableTimes::Checkpoint(_))
    }

    /// The times available, s.
    pub fn times(&self) -> Vec<f64> {
        match &self.contents {
            DrawableTimes::Frames(reader, _) => reader.times().to_vec(),
            DrawableTimes::Checkpoint(drawing) => vec![drawing.time],
        }
    }

    /// Reads the drawing of one of these times.
    pub fn drawing(&self, number: usize) -> Result<Drawing> {
        match &self.contents {
            DrawableTimes::Frames(reader, walls) => {
                let frame = reader.read(number, &POINT_FIELDS, &CELL_FIELDS);
                let frame = frame.map_err(|e| Error::system("read", &self.path, e.reason()))?;
                Ok(Drawing::new(&frame, walls.clone()))
            }
            DrawableTimes::Checkpoint(drawing) => Ok((**drawing).clone()),
        }
    }
}

/// The drawing of a checkpoint.
struct CheckpointDrawing {
    dimension: u8,
    drawing: Drawing,
}

fn open_checkpoint(path: &Path, folder: &Path, static_only: bool) -> Result<CheckpointDrawing> {
    let file =
        VerifiedFile::open(&SerialComm, path).and_then(|file| checkpoint::facts(&file).map(|facts| (file, facts)));
    let (file, facts) = file.map_err(|e| Error::system("read", path, e.reason))?;
    let scene = Scene::parse(&facts.scene, &path.display().to_string(), folder, &[])?;
    match facts.dimension {
        2 => Ok(CheckpointDrawing { dimension: 2, drawing: restored::<Plane>(&file, &facts, &scene, static_only)? }),
        _ => Ok(CheckpointDrawing { dimension: 3, drawing: restored::<Space>(&file, &facts, &scene, static_only)? }),
    }
}

/// With `static_only`, restores only the walls at rest.
fn restored<X: Dim>(file: &VerifiedFile, facts: &CheckpointFacts, scene: &Scene, static_only: bool) -> Result<Drawing> {
    let (setup, history, _) = restore::<X>(scene, checkpoint::read(&SerialComm, file)?)?;
    let walls = DrawnWall::all(&setup.model, &setup.bodies, static_only);
    match static_only {
        true => Ok(Drawing { walls, ..Drawing::default() }),
        false => {
            let frame = still(&setup.model, &setup.bodies, &history, facts.time, scene.time.step);
            Ok(Drawing::new(&frame, walls))
        }
    }
}

/// Folder of the run that a file belongs to.
fn run_folder(file: &Path) -> PathBuf {
    let full = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = full.ancestors().skip(1).take(2).find(|folder| folder.join("scene.toml").exists());
    folder.or_else(|| full.parent()).unwrap_or(Path::new(".")).to_owned()
}

/// Name of the scene from the summary of the run; otherwise the name of its folder or of the file.
fn title(folder: &Path, file: &Path) -> String {
    let summary = fs::read_to_string(folder.join("summary.json")).ok();
    let summary = summary.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let named = summary.and_then(|summary| summary["scene"].as_str().map(str::to_owned));
    let name = |path: &Path| path.file_stem().map(|name| name.to_string_lossy().into_owned());
    let is_run = folder.join("scene.toml").exists();
    let folder = std::path::absolute(folder).ok().filter(|_| is_run).and_then(|full| name(&full));
    named.or(folder).or_else(|| name(file)).unwrap_or_default()
}

/// The dimension that the scene of the run states.
fn scene_dimension(folder: &Path) -> Option<u8> {
    let scene = fs::read_to_string(folder.join("scene.toml")).ok()?;
    let scene = scene.parse::<toml::Table>().ok()?;
    scene.get("world")?.get("dimension")?.as_integer()?.try_into().ok()
}

/// Returns true if all positions and motions lie in the plane.
fn is_flat(drawing: &Drawing) -> bool {
    drawing.bodies.iter().all(|body| body.centre.z == 0.0 && body.velocity.z == 0.0 && body.spin.x == 0.0)
        && drawing.faces.iter().flat_map(|face| &face.corners).all(|corner| corner.z == 0.0)
}
