//! `nscdd draw`: pictures of a run, a single one or a sequence.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::launch::pool;
use super::placement::Placement;
use super::terminal::print;
use crate::base::error::{Error, Result, say};
use crate::comm::SerialComm;
use crate::graphics::Format;
use crate::picture::{
    FieldQuantity, ImagePoint, NO_FRAMES, ONLY_PNG, PictureOptions, PictureSource, Survey, draw as draw_one,
};

/// Why there is nothing to colour.
const NO_NODES: &str =
    "colours deformable bodies, and the frames drawn have none; a body or generator with `mesh` is deformable";
/// Maximum number of pixels of a picture: a few hundred megabytes of memory.
const MOST_PIXELS: usize = 1 << 26;

// One field for each argument of the command.
#[derive(Args)]
pub(super) struct DrawArgs {
    /// The folder of a run, its frames.vtkhdf, or a checkpoint.
    run: PathBuf,
    /// Frame to draw: a number from 0, `first`, `last`, `all`, or a range such as `10..20` [default: last].
    #[arg(long, value_name = "N", conflicts_with = "time")]
    frame: Option<FrameChoice>,
    /// Draw the frame nearest to this time, s.
    #[arg(long, value_name = "T")]
    time: Option<f64>,
    /// Draw only every Kth of several frames.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Quantity that colours the bodies [default: speed; none with force chains].
    #[arg(long, value_enum, value_name = "FIELD")]
    by: Option<FieldQuantity>,
    /// Draw force chains: lines with a width proportional to the normal force, dark red where it is above the mean.
    #[arg(long)]
    chains: bool,
    /// Do not draw the bodies.
    #[arg(long)]
    no_bodies: bool,
    /// File to write, .png or, in two dimensions, .svg or .pdf; for several frames, with %04d in place of the number
    /// [default: pictures/frame-%04d in the folder of the run].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Width, px.
    #[arg(long, value_name = "PX", default_value_t = 1200, value_parser = clap::value_parser!(u32).range(200..=16_384))]
    width: u32,
    /// Height, px [default: from the extent of the scene].
    #[arg(long, value_name = "PX", value_parser = clap::value_parser!(u32).range(150..=16_384))]
    height: Option<u32>,
    /// Direction of the camera in three dimensions, degrees: azimuth from the x axis towards y, and elevation.
    #[arg(long, value_name = "AZIMUTH,ELEVATION", default_value = "-60,22", allow_hyphen_values = true)]
    from: Numbers,
    /// Magnification.
    #[arg(long, value_name = "Z", default_value_t = 1.0)]
    zoom: f64,
    /// Show only this box: its lower corner, then its upper corner, m; in three dimensions bodies outside it are
    /// omitted.
    #[arg(long = "box", value_name = "X,Y[,Z],X,Y[,Z]", allow_hyphen_values = true)]
    bounds: Option<Numbers>,
    /// Range of the colour map [default: range of the values in all frames drawn].
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true)]
    range: Option<Numbers>,
    /// Number of threads; it does not affect the picture [default: all cores].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

/// Name of a quantity on the command line.
fn value_name(quantity: FieldQuantity) -> String {
    quantity.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// Selection of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FrameChoice {
    First,
    Last,
    All,
    One(usize),
    Some(usize, usize),
}

impl FromStr for FrameChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || "a frame is a number from 0, `first`, `last`, `all`, or a range such as 10..20".to_owned();
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        match (text, text.split_once("..")) {
            ("first", _) => Ok(FrameChoice::First),
            ("last", _) => Ok(FrameChoice::Last),
            ("all", _) => Ok(FrameChoice::All),
            (_, Some((from, to))) => Ok(FrameChoice::Some(number(from)?, number(to)?)),
            _ => number(text).map(FrameChoice::One),
        }
    }
}

/// Comma-separated numbers.
#[derive(Clone, Debug)]
struct Numbers(Vec<f64>);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |part: &str| part.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
        numbers.map(Self).ok_or_else(|| "expected numbers separated by commas".into())
    }
}

pub(super) fn draw(args: &DrawArgs, quiet: bool) -> Result<i32> {
    let source = PictureSource::open(&args.run)?;
    let options = options(args, &source)?;
    let frames = selected_frames(args, &source)?;
    let (pattern, format) = target(args, &source, frames.len())?;
    let is_many = frames.len() > 1;
    let threads = pool(args.threads, &Placement::of(&SerialComm))?;
    let paths = threads.install(|| -> Result<Vec<PathBuf>> {
        let mut survey = Survey::new(options.by, source.dimension);
        let (mut chains, mut has_nodes) = (0, false);
        for &frame in &frames {
            let drawing = source.drawing(frame)?;
            chains += drawing.chains.len();
            has_nodes |= drawing.has_nodes();
            survey.add(&drawing);
        }
        if args.chains && chains == 0 && !quiet {
            say("nscdd: no force chains: no contact carried an impulse in the last step");
        }
        if options.by.is_nodal() && !has_nodes {
            let field = value_name(options.by);
            return Err(Error::system("draw", &args.run, format!("--by {field} {NO_NODES}")));
        }
        let mut paths = Vec::with_capacity(frames.len());
        for (number, &frame) in frames.iter().enumerate() {
            let path = numbered(&pattern, if is_many { number } else { frame });
            draw_one(&source.drawing(frame)?, &survey, &options, format, &path)?;
            paths.push(path);
        }
        Ok(paths)
    })?;
    let mut text = match (paths.first(), paths.last()) {
        (Some(first), Some(last)) if is_many => {
            format!("{} pictures: {} to {}\n", paths.len(), first.display(), last.display())
        }
        (Some(only), _) => format!("picture: {}\n", only.display()),
        _ => String::new(),
    };
    if is_many && format == Format::Png {
        text += &format!(
            "a film of them: ffmpeg -framerate 25 -i {} -c:v libx264 -pix_fmt yuv420p {}.mp4\n",
            pattern.display(),
            options.title
        );
    }
    if quiet { Ok(crate::base::error::EXIT_DONE) } else { print(&text) }
}

/// Options of the pictures, from the arguments.
fn options(args: &DrawArgs, source: &PictureSource) -> Result<PictureOptions> {
    let wrong = |reason: &str| Error::system("draw", &args.run, reason);
    let dimension = usize::from(source.dimension);
    let view = match args.bounds.as_ref().map(|bounds| bounds.0.as_slice()) {
        None => None,
        Some(numbers) if numbers.len() == 2 * dimension => {
            let corner = |from: usize| ImagePoint::from_fn(|k, _| if k < dimension { numbers[from + k] } else { 0.0 });
            let (min, max) = (corner(0), corner(dimension));
            if (0..dimension).any(|k| min[k] >= max[k]) {
                return Err(wrong("--box needs its lower corner first, then the upper one"));
            }
            Some([min, max])
        }
        Some(_) => {
            return Err(wrong(match dimension {
                2 => "--box needs four numbers in two dimensions: x,y,x,y",
                _ => "--box needs six numbers in three dimensions: x,y,z,x,y,z",
            }));
        }
    };
    let range = match args.range.as_ref().map(|range| range.0.as_slice()) {
        None => None,
        Some(&[low, high]) if low < high => Some([low, high]),
        Some(_) => return Err(wrong("--range needs two numbers, the lower one first")),
    };
    let Ok(from) = <[f64; 2]>::try_from(args.from.0.as_slice()) else {
        return Err(wrong("--from needs two numbers: azimuth and elevation, degrees"));
    };
    if !(args.zoom > 0.0 && args.zoom.is_finite()) {
        return Err(wrong("--zoom needs a number above zero"));
    }
    let (width, height) = (args.width as usize, args.height.map(|height| height as usize));
    if width * height.unwrap_or(width) > MOST_PIXELS {
        return Err(wrong("a picture has at most 67 million pixels; choose a smaller --width or --height"));
    }
    let by = args.by.unwrap_or(if args.chains { FieldQuantity::None } else { FieldQuantity::Speed });
    if by == FieldQuantity::Pressure && dimension == 2 {
        return Err(wrong(
            "--by pressure colours the joints of a scene in three dimensions; --chains shows forces in two",
        ));
    }
    if by == FieldQuantity::ContactPressure && source.is_checkpoint() {
        return Err(wrong(
            "--by contact-pressure needs the frames of a run: a checkpoint has no contact forces at nodes",
        ));
    }
    Ok(PictureOptions {
        title: source.title.clone(),
        by,
        chains: args.chains,
        bodies: !args.no_bodies,
        width,
        height,
        from,
        zoom: args.zoom,
        view,
        range,
        dimension: source.dimension,
    })
}

/// Numbers of the frames to draw.
fn selected_frames(args: &DrawArgs, source: &PictureSource) -> Result<Vec<usize>> {
    let times = source.times();
    let wrong = |reason: String| Err(Error::system("draw", &args.run, reason));
    let selects_frame = args.time.is_some()
        || matches!(args.frame, Some(FrameChoice::All | FrameChoice::One(_) | FrameChoice::Some(..)));
    if times.is_empty() || (source.is_checkpoint() && args.run.is_dir() && selects_frame) {
        return wrong(NO_FRAMES.into());
    }
    let last = times.len() - 1;
    let all = |from: usize, to: usize| (from..=to).step_by(args.every as usize).collect();
    let no_such_frame = |frame: usize| {
        let count = if last == 0 { "one frame, number 0".into() } else { format!("{} frames, 0 to {last}", last + 1) };
        wrong(format!("there is no frame {frame}; it has {count}"))
    };
    if let Some(time) = args.time {
        let distance = |k: &usize| (times[*k] - time).abs();
        let nearest = (0..=last).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        return Ok(nearest.into_iter().collect());
    }
    match args.frame.unwrap_or(FrameChoice::Last) {
        FrameChoice::First => Ok(vec![0]),
        FrameChoice::Last => Ok(vec![last]),
        FrameChoice::All => Ok(all(0, last)),
        FrameChoice::One(frame) if frame <= last => Ok(vec![frame]),
        FrameChoice::Some(from, to) if from <= to && to <= last => Ok(all(from, to)),
        FrameChoice::Some(from, to) if from > to => {
            wrong(format!("the range {from}..{to} is empty; give the lower number first"))
        }
        FrameChoice::One(frame) | FrameChoice::Some(_, frame) => no_such_frame(frame),
    }
}

/// Path of the files, with a placeholder for the frame number if there are several; creates the folder.
fn target(args: &DrawArgs, source: &PictureSource, count: usize) -> Result<(PathBuf, Format)> {
    // Sequences are drawn as raster images, since they become videos.
    let default = if source.dimension == 2 && count == 1 { "svg" } else { "png" };
    let stem = source.path.file_stem().map_or("picture".into(), |stem| stem.to_string_lossy().into_owned());
    let name = if source.is_checkpoint() { format!("{stem}.{default}") } else { format!("frame-%04d.{default}") };
    let mut path = match &args.out {
        None => {
            let run = if args.run.is_dir() { Some(args.run.as_path()) } else { args.run.parent() };
            run.unwrap_or(Path::new("")).join("pictures").join(name)
        }
        Some(out) if out.is_dir() || out.as_os_str().to_string_lossy().ends_with('/') => out.join(name),
        Some(out) => out.clone(),
    };
    let format = Format::of(&path)?;
    if source.dimension != 2 && format != Format::Png {
        return Err(Error::system("write", &path, ONLY_PNG));
    }
    let part = |own: Option<&std::ffi::OsStr>| own.map(|own| own.to_string_lossy().into_owned());
    let (named, ending) = (part(path.file_stem()), part(path.extension()).unwrap_or_default());
    if let Some(named) = named.filter(|named| count > 1 && placeholder(named).is_none()) {
        path.set_file_name(format!("{named}-%04d.{ending}"));
    }
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(|e| Error::system("create", folder, e))?;
    }
    Ok((path, format))
}

/// Position of `%d` or `%04d` in a name, and its number of digits.
fn placeholder(name: &str) -> Option<(std::ops::Range<usize>, usize)> {
    let from = name.find('%')?;
    let length = name[from + 1..].find('d')?;
    let digits = &name[from + 1..from + 1 + length];
    let width = if digits.is_empty() { 0 } else { digits.parse().ok().filter(|width| *width < 20)? };
    Some((from..from + length + 2, width))
}

/// The path with the number in place of the placeholder.
fn numbered(pattern: &Path, number: usize) -> PathBuf {
    let name = pattern.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match placeholder(&name) {
        Some((range, width)) => {
            pattern.with_file_name(format!("{}{number:0width$}{}", &name[..range.start], &name[range.end..]))
        }
        None => pattern.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_chosen_by_word_number_or_range() {
        let choice = |text: &str| text.parse::<FrameChoice>().ok();
        assert_eq!(choice("all"), Some(FrameChoice::All));
        assert_eq!([choice("7"), choice("3..9")], [Some(FrameChoice::One(7)), Some(FrameChoice::Some(3, 9))]);
        assert_eq!([choice("-1"), choice("half"), choice("3..")], [None, None, None]);
    }

    #[test]
    fn numbers_go_where_the_name_has_a_place_for_them() {
        let name = |pattern: &str, number| numbered(Path::new(pattern), number).display().to_string();
        assert_eq!(name("a/f-%04d.png", 12), "a/f-0012.png");
        assert_eq!(name("f%d.svg", 12), "f12.svg");
        assert_eq!(name("a/100%.png", 3), "a/100%.png");
    }
}
