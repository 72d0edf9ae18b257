//! Report of a run as a single self-contained HTML page.
//!
//! Input: the folder of a run. Output: an HTML file within a size budget that loads nothing else. Data that the run did
//! not write is left out, with a note. The page receives numbers to draw; the scripts in `page/` contain no physics.
//! The same folder gives the same bytes.

mod curves;
mod facts;
mod film;
mod forms;
mod latest_state;
mod pack;
mod page;
mod table;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::base::error::{Error, Result};
use crate::output::columns::{replace_file, unfinished_name};
use crate::picture::{Drawing, FieldQuantity, PictureOptions, PictureSource, Survey, png};
use film::Film;
use latest_state::LatestState;

/// Width of the pictures, px.
const WIDTH: usize = 860;
/// Maximum share of the budget for the two pictures.
const PICTURES: f64 = 0.35;

/// Limits on the size of a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportOptions {
    /// Maximum size, bytes.
    pub budget: usize,
    /// Maximum number of frames.
    pub frames: usize,
}

/// Summary of a written report.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenReport {
    /// The file written.
    pub path: PathBuf,
    /// Its size, bytes.
    pub bytes: usize,
    /// Number of playable frames, and number of frames of the run.
    pub frames: [usize; 2],
    /// Notes for the user: what is missing, and why.
    pub notes: Vec<String>,
}

/// Writes the report of the run in `folder` to the file `out`, completely or not at all.
pub fn write(folder: &Path, options: &ReportOptions, out: &Path) -> Result<WrittenReport> {
    let (text, frames, notes) = report(folder, options)?;
    let unfinished = unfinished_name(out);
    let written = fs::write(&unfinished, &text).and_then(|()| replace_file(&unfinished, out));
    written.map_err(|e| Error::system("write", out, e))?;
    Ok(WrittenReport { path: out.to_owned(), bytes: text.len(), frames, notes })
}

fn report(folder: &Path, options: &ReportOptions) -> Result<(String, [usize; 2], Vec<String>)> {
    if !folder.is_dir() {
        return Err(Error::system("report on", folder, "there is no such folder"));
    }
    let Some(scene) = fs::read_to_string(folder.join("scene.toml")).ok() else {
        return Err(Error::system("report on", folder, "it is not the folder of a run: it has no scene.toml"));
    };
    let mut notes = Vec::new();
    let mut facts = facts::facts(folder, &scene);
    let mut sections = curves::sections(folder, &scene);
    match LatestState::newest(folder) {
        Some(state) => {
            facts["state"] = state.numbers();
            notes.extend(state.note.clone());
            state.add_to(&mut sections);
        }
        None => notes.push("There is no valid checkpoint: forces, fabric and measures are not shown.".into()),
    }
    let fixed = page::LENGTH + size(&facts) + size(&json!(sections));
    let source = frames_of(folder);
    let (mut pictures, mut film) = (Value::Null, None);
    match &source {
        Some(source) => {
            let max_bytes = (PICTURES * options.budget as f64) as usize;
            pictures = picture_pair(source, max_bytes, &mut notes)?;
            let remaining = options.budget.saturating_sub(fixed + size(&pictures));
            film = Film::of(source, remaining, options.frames, &mut notes)?;
        }
        None => notes.push(
            "The run has no frames, so there is no film. A scene with `frames = { every = 0.01 }` under [output] \
             writes one every 0.01 s."
                .into(),
        ),
    }
    let frames =
        [film.as_ref().map_or(0, |film| film.frames), source.as_ref().map_or(0, |source| source.times().len())];
    let text = page::html(&facts, &sections, &pictures, film.as_ref(), &notes);
    if text.len() > options.budget {
        notes.push(format!("The report takes {} bytes, more than the budget, even without a film.", text.len()));
    }
    Ok((text, frames, notes))
}

/// Opens the frames of the run; a checkpoint alone does not make an animation.
fn frames_of(folder: &Path) -> Option<PictureSource> {
    let path = folder.join("frames.vtkhdf");
    let source = path.exists().then(|| PictureSource::open(&path).ok()).flatten();
    source.filter(|source| !source.times().is_empty())
}

/// The first and the last frame, with force chains, as embedded pictures.
fn picture_pair(source: &PictureSource, max_bytes: usize, notes: &mut Vec<String>) -> Result<Value> {
    let times = source.times();
    let numbers: Vec<usize> = if times.len() > 1 { vec![0, times.len() - 1] } else { vec![0] };
    let drawings: Vec<Drawing> = numbers.iter().map(|&number| source.drawing(number)).collect::<Result<_>>()?;
    let mut survey = Survey::new(FieldQuantity::None, source.dimension);
    drawings.iter().for_each(|drawing| survey.add(drawing));
    let mut width = WIDTH;
    loop {
        let options = PictureOptions {
            title: source.title.clone(),
            by: FieldQuantity::None,
            chains: true,
            width,
            dimension: source.dimension,
            ..PictureOptions::default()
        };
        let mut all = Vec::new();
        for drawing in &drawings {
            let text = page::base64(&png(drawing, &survey, &options)?);
            all.push(json!({ "time": table::short(drawing.time), "png": text }));
        }
        let pictures = Value::Array(all);
        if size(&pictures) <= max_bytes {
            return Ok(pictures);
        }
        if width < WIDTH / 2 {
            notes.push("The pictures of the first and the last frame do not fit into the budget.".into());
            return Ok(Value::Null);
        }
        width = width * 4 / 5;
    }
}

/// Length of the serialised value, bytes.
fn size(value: &Value) -> usize {
    value.to_string().len()
}
