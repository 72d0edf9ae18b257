//! `nscdd draw`: content of pictures, output files, and error messages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn nscdd(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nscdd")).current_dir(folder).args(args).output().unwrap()
}

fn said(output: &Output) -> (i32, String) {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    (output.status.code().unwrap(), text)
}

/// A short run of a shipped scene in `folder/run`.
fn run(folder: &TempDir, scene: &str, sets: &[&str]) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes").join(scene);
    let mut args = vec!["run", path.to_str().unwrap(), "--out", "run", "-q"];
    sets.iter().for_each(|set| args.extend(["--set", set]));
    assert_eq!(said(&nscdd(folder.path(), &args)).0, 0);
}

/// Width, height and pixels of a PNG.
fn decode(path: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let shape = reader.next_frame(&mut bytes).unwrap();
    (shape.width, shape.height, bytes.as_chunks::<3>().0.to_vec())
}

/// Checks that elements are properly nested and closed.
fn assert_well_formed(text: &str) {
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let (tag, words) = tag.split_once('>').unwrap();
        assert!(!words.contains('>'), "{words}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), Some(name)),
            (_, false) => open.push(name),
            _ => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

const DISKS: [&str; 3] = ["time.end=0.02", "output.frames.every=0.01", "generators.1.deposit.count=300"];
const SPHERES: [&str; 3] = ["time.end=0.03", "output.frames.every=0.01", "generators.1.deposit.count=200"];

#[test]
fn disks_become_circles_in_an_svg_and_pixels_in_a_png() {
    let folder = TempDir::new().unwrap();
    run(&folder, "deposit-disks.toml", &DISKS);
    let (code, text) = said(&nscdd(folder.path(), &["draw", "run"]));
    assert_eq!((code, text.as_str()), (0, "picture: run/pictures/frame-0002.svg\n"));
    let svg = fs::read_to_string(folder.path().join("run/pictures/frame-0002.svg")).unwrap();
    assert_well_formed(&svg);
    assert_eq!(svg.matches("<circle ").count(), 300);
    for words in ["width=\"1200\"", ">deposit-disks</text>", ">t = 0.02 s</text>", ">speed, m/s</text>", "id=\"walls\""]
    {
        assert!(svg.contains(words), "{words} is missing");
    }
    let args = ["draw", "run", "--chains", "--out", "chains.svg", "--frame", "1"];
    assert_eq!(said(&nscdd(folder.path(), &args)).0, 0);
    let svg = fs::read_to_string(folder.path().join("chains.svg")).unwrap();
    assert!(svg.contains("id=\"chains\"") && svg.contains("#991b1e") && svg.contains("normal force"));
    assert_eq!(
        said(&nscdd(folder.path(), &["draw", "run", "--out", "a.png", "--width", "400", "--height", "300"])).0,
        0
    );
    let (width, height, pixels) = decode(&folder.path().join("a.png"));
    assert_eq!((width, height), (400, 300));
    assert!(pixels.iter().filter(|pixel| pixel.iter().max() > pixel.iter().min()).count() > 5_000);
}

#[test]
fn a_pdf_has_the_text_of_the_picture_and_a_png_the_same_bytes_on_any_number_of_threads() {
    let folder = TempDir::new().unwrap();
    run(&folder, "deposit-disks.toml", &DISKS);
    let draw = |out: &str, threads: &str| {
        let args = ["draw", "run", "--chains", "--by", "speed", "--out", out, "--threads", threads];
        let (code, text) = said(&nscdd(folder.path(), &args));
        assert_eq!(code, 0, "{text}");
        fs::read(folder.path().join(out)).unwrap()
    };
    let one = draw("one.pdf", "1");
    assert!(one.starts_with(b"%PDF-") && draw("two.PDF", "2").starts_with(b"%PDF-"));
    assert!(one.windows(5).any(|five| five == b"Arimo"), "the text is no text");
    assert!(draw("one.png", "1") == draw("two.png", "2"));
}

#[test]
fn spheres_are_rendered_to_the_same_bytes_on_any_number_of_threads() {
    let folder = TempDir::new().unwrap();
    run(&folder, "splash.toml", &SPHERES);
    let draw = |out: &str, threads: &str, more: &[&str]| {
        let args = [&["draw", "run", "--width", "500", "--out", out, "--threads", threads], more].concat();
        let (code, text) = said(&nscdd(folder.path(), &args));
        assert_eq!(code, 0, "{text}");
        fs::read(folder.path().join(out)).unwrap()
    };
    for more in [&[][..], &["--chains"], &["--by", "contacts", "--from", "30,60", "--zoom", "2"]] {
        let one = draw("one.png", "1", more);
        assert!(one == draw("two.png", "2", more) && one == draw("again.png", "1", more), "{more:?}");
    }
    let (code, text) = said(&nscdd(folder.path(), &["draw", "run", "--out", "one.pdf"]));
    assert!(
        code == 1 && text.contains("name a file that ends in .png") && !folder.path().join("one.pdf").exists(),
        "{text}"
    );
    let (width, _, pixels) = decode(&folder.path().join("one.png"));
    assert_eq!(width, 500);
    let coloured = pixels
        .iter()
        .filter(|pixel| u32::from(*pixel.iter().max().unwrap()) > 30 + u32::from(*pixel.iter().min().unwrap()));
    assert!(coloured.count() > 10_000);
}

#[test]
fn all_frames_become_a_sequence_and_a_checkpoint_a_picture() {
    let folder = TempDir::new().unwrap();
    run(&folder, "splash.toml", &SPHERES);
    let (code, text) = said(&nscdd(folder.path(), &["draw", "run", "--frame", "all", "--width", "300"]));
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("4 pictures") && text.contains("ffmpeg -framerate 25 -i run/pictures/frame-%04d.png"),
        "{text}"
    );
    for number in 0..4 {
        assert!(folder.path().join(format!("run/pictures/frame-{number:04}.png")).exists());
    }
    let args = ["draw", "run", "--frame", "1..3", "--every", "2", "--width", "300", "--out", "film/f%d.png"];
    assert_eq!(said(&nscdd(folder.path(), &args)).0, 0);
    assert_eq!(fs::read_dir(folder.path().join("film")).unwrap().count(), 2);
    // The same content is drawn alike from the last frame and from the final state.
    let (code, text) = said(&nscdd(folder.path(), &["draw", "run/final.h5", "--width", "300", "--chains"]));
    assert_eq!((code, text.as_str()), (0, "picture: run/pictures/final.png\n"));
    let args = ["draw", "run", "--width", "300", "--chains", "--out", "last.png"];
    assert_eq!(said(&nscdd(folder.path(), &args)).0, 0);
    let (one, other) = (decode(&folder.path().join("run/pictures/final.png")), decode(&folder.path().join("last.png")));
    assert_eq!((one.0, one.1), (other.0, other.1));
    let differ = one.2.iter().zip(&other.2).filter(|(a, b)| (0..3).any(|k| a[k].abs_diff(b[k]) > 40)).count();
    assert!(differ < one.2.len() / 50, "{differ} pixels differ");
}

#[test]
fn mistakes_are_reported_with_the_remedy() {
    let folder = TempDir::new().unwrap();
    run(&folder, "deposit-disks.toml", &DISKS);
    let fails = |args: &[&str], code: i32, words: &[&str]| {
        let (own, text) = said(&nscdd(folder.path(), &[&["draw"], args].concat()));
        assert_eq!(own, code, "{text}");
        words.iter().for_each(|words| assert!(text.contains(words), "{text}"));
    };
    fails(&["run", "--frame", "9"], 1, &["there is no frame 9", "3 frames, 0 to 2"]);
    fails(&["run", "--by", "colour"], 2, &["speed", "velocity-x", "contacts"]);
    fails(&["run", "--frame", "half"], 2, &["`first`, `last`, `all`"]);
    fails(&["run", "--box", "0,0,0,1,1,1"], 1, &["four numbers"]);
    fails(&["run", "--range", "3,1"], 1, &["the lower one first"]);
    fails(&["run", "--out", "picture.jpg"], 1, &[".svg, .pdf or .png"]);
    fails(&["nowhere"], 1, &["no such folder or file"]);
    fs::create_dir(folder.path().join("empty")).unwrap();
    fails(&["empty"], 1, &["it has no frames", "[output]", "output.frames.every"]);
    fs::remove_file(folder.path().join("run/frames.vtkhdf")).unwrap();
    fails(&["run", "--frame", "0"], 1, &["it has no frames"]);
    let (code, text) = said(&nscdd(folder.path(), &["draw", "run"]));
    assert_eq!((code, text.as_str()), (0, "picture: run/pictures/final.svg\n"));
}

/// Blocks of rubber on a floor, in space, for a few steps.
const BLOCKS: &str = r#"
world = { dimension = 3 }
time = { step = 1e-3, end = 0.02 }
output.frames.every = 0.01
materials.rubber = { density = 1100, elastic = { young = 2e6, poisson = 0.4 } }
laws = [{ between = ["*", "*"], coulomb = { friction = 0.5 } }]
bodies = [
    { id = 0, material = "rubber", plane = { normal = [0, 0, 1] }, position = [0, 0, 0], fixed = true },
    { id = 1, material = "rubber", box.size = [0.2, 0.2, 0.1], position = [0, 0, 0.05], mesh.size = 0.05 },
    { id = 2, material = "rubber", sphere.radius = 0.05, position = [0, 0, 0.15] },
]
"#;

#[test]
fn elements_of_deformable_bodies_have_the_colour_of_their_stress_and_rigid_bodies_are_grey() {
    let folder = TempDir::new().unwrap();
    run(&folder, "cantilever.toml", &[]);
    let draw = |run: &str, field: &str, out: &str| {
        let (code, text) = said(&nscdd(folder.path(), &["draw", run, "--by", field, "--width", "400", "--out", out]));
        (code, text, folder.path().join(out))
    };
    let (code, text, path) = draw("run", "stress", "stress.svg");
    assert_eq!(code, 0, "{text}");
    let svg = fs::read_to_string(path).unwrap();
    assert_well_formed(&svg);
    // Bending: P L c/I = 6 MPa at the clamp, and elements in many colours.
    assert!(svg.contains(">stress, MPa</text>") && svg.contains(">4</text>"), "{svg}");
    let bodies = svg.split("id=\"bodies\"").nth(1).unwrap().split("</g>").next().unwrap();
    let colours: std::collections::BTreeSet<&str> =
        bodies.split(" fill=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(bodies.matches("<p").count() == 640 && colours.len() > 20, "{colours:?}");
    let (code, text, path) = draw("run", "strain", "strain.svg");
    assert!(code == 0 && fs::read_to_string(path).unwrap().contains(">strain</text>"), "{text}");
    // The last checkpoint has stresses, but no contact forces.
    assert_eq!(draw("run/final.h5", "stress", "final.png").0, 0);
    let (code, text, _) = draw("run/final.h5", "contact-pressure", "none.svg");
    assert!(code != 0 && text.contains("a checkpoint has no contact forces at nodes"), "{text}");

    fs::write(folder.path().join("blocks.toml"), BLOCKS).unwrap();
    assert_eq!(said(&nscdd(folder.path(), &["run", "blocks.toml", "--out", "blocks", "-q"])).0, 0);
    let coloured = |pixels: &[[u8; 3]]| {
        pixels.iter().filter(|pixel| pixel.iter().max().unwrap() - pixel.iter().min().unwrap() > 30).count()
    };
    for field in ["stress", "strain", "contact-pressure"] {
        let (code, text, path) = draw("blocks", field, &format!("{field}.png"));
        assert_eq!(code, 0, "{text}");
        assert!(coloured(&decode(&path).2) > 3_000, "{field}");
    }

    let rigid = TempDir::new().unwrap();
    run(&rigid, "deposit-disks.toml", &DISKS);
    let (code, text) = said(&nscdd(rigid.path(), &["draw", "run", "--by", "stress"]));
    assert!(code != 0 && text.contains("--by stress colours deformable bodies") && text.contains("`mesh`"), "{text}");
}
