//! `nscdd partition`: shows the decomposition of a scene into subdomains, without simulating it.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use partitioning::{Region, faces, quality};

use super::args::PartitionArgs;
use super::terminal::print;
use crate::base::error::{Error, Result};
use crate::comm::SerialComm;
use crate::dim::{Dim, Plane, Space, Vector};
use crate::domain::{Domain, DomainSettings, SubdomainCount};
use crate::graphics::{self, SvgWriter};
use crate::interaction::ContactHistory;
use crate::output::vtkhdf::{FieldValues, Frame, FrameField, FrameFile};
use crate::scene::Scene;
use crate::scene::setup::{Setup, setup};

/// Multiplicities from this value on are counted together.
const MANY: usize = 8;
/// Width of a 2D picture, px.
const WIDTH: f64 = 800.0;

pub(super) fn partition(args: &PartitionArgs) -> Result<i32> {
    let mut scene = Scene::load(&args.scene.scene, &args.scene.sets)?;
    if let Some(parts) = args.subdomains {
        scene.domain.subdomains = SubdomainCount::Given(parts);
        scene.check()?;
    }
    match scene.world.dimension {
        2 => show::<Plane>(&scene, args, svg),
        _ => show::<Space>(&scene, args, points),
    }
}

/// Decomposition of the free bodies of a scene.
struct PartitionView<X: Dim> {
    domain: Domain<X>,
    /// Centre, radius, subdomain and multiplicity of each body.
    bodies: Vec<([f64; 3], f64, usize, usize)>,
    /// Bounding box of all bodies.
    within: Region<3>,
}

impl<X: Dim> PartitionView<X> {
    fn new(scene: &Scene) -> Result<Self> {
        let setup = setup::<X>(scene)?;
        let subdomains = SubdomainCount::Given(setup.subdomains(scene) as u32);
        let settings = DomainSettings { subdomains, ..scene.domain.clone() };
        let Setup { model, mut bodies, .. } = setup;
        let free = bodies.states().iter().filter(|s| !model.is_prescribed(s)).count();
        let mut domain = Domain::<X>::new(Arc::new(SerialComm), &settings, 0);
        domain.rearrange(&model, &mut bodies, &mut ContactHistory::default(), 0);
        let alert = 0.01 * model.smallest(bodies.states());
        let mut found = Vec::with_capacity(free);
        let mut within = Region { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };
        for state in bodies.states().iter().filter(|s| !model.is_prescribed(s)) {
            let placed = model.placed(state);
            let bounds = placed.bounds().inflated(alert);
            let mut multiplicity = 0;
            domain.cuts().touching(&bounds.min.in_space(), &bounds.max.in_space(), |_| multiplicity += 1);
            let (centre, radius) = (state.position.in_space(), placed.shape.reach() * state.size);
            within.min = std::array::from_fn(|k| within.min[k].min(centre[k] - radius));
            within.max = std::array::from_fn(|k| within.max[k].max(centre[k] + radius));
            found.push((centre, radius, domain.cuts().locate(&centre), multiplicity));
        }
        if found.is_empty() {
            within = Region { min: [0.0; 3], max: [1.0; 3] };
        }
        Ok(Self { domain, bodies: found, within })
    }

    /// Summary for the terminal.
    fn text(&self) -> String {
        let cuts = self.domain.cuts();
        let mut sizes = vec![0u64; self.domain.parts()];
        let mut histogram = [0usize; MANY + 1];
        for &(_, _, part, multiplicity) in &self.bodies {
            sizes[part] += 1;
            histogram[multiplicity.min(MANY)] += 1;
        }
        let count = self.bodies.len().max(1) as f64;
        let shared: usize = histogram[2..].iter().sum();
        let (least, most) = (sizes.iter().min().copied().unwrap_or(0), sizes.iter().max().copied().unwrap_or(0));
        let mut text = format!(
            "{} free bodies in {} subdomains: {least} to {most} each, imbalance {:.3}\n",
            self.bodies.len(),
            sizes.len(),
            quality::imbalance(&sizes)
        );
        let interfaces = faces(cuts, &self.within);
        let same = quality::equal_colours(&interfaces, |part| cuts.colour(part));
        let _ =
            writeln!(text, "interface: {:.1} % of the bodies are near more than one", 100.0 * shared as f64 / count);
        let _ = writeln!(
            text,
            "colours: {:.1} % of the area between subdomains has one colour on both sides",
            100.0 * same
        );
        text += "subdomains near a body, and how many bodies:\n";
        for (multiplicity, &bodies) in histogram.iter().enumerate().filter(|(_, bodies)| **bodies > 0) {
            let more = if multiplicity == MANY { "or more" } else { "" };
            let _ =
                writeln!(text, "  {multiplicity:>3} {more:<7} {bodies:>10}  {:>5.1} %", 100.0 * bodies as f64 / count);
        }
        text
    }
}

fn show<X: Dim>(scene: &Scene, args: &PartitionArgs, draw: fn(&PartitionView<X>, &Path) -> Result<()>) -> Result<i32> {
    let view = PartitionView::<X>::new(scene)?;
    let mut text = view.text();
    if let Some(path) = &args.picture {
        draw(&view, path)?;
        let _ = writeln!(text, "picture: {}", path.display());
    }
    print(&text)
}

/// Draws subdomains and bodies in 2D.
fn svg(view: &PartitionView<Plane>, path: &Path) -> Result<()> {
    let Region { min, max } = view.within;
    let scale = WIDTH / (max[0] - min[0]).max(f64::MIN_POSITIVE);
    let height = scale * (max[1] - min[1]);
    let to_picture = |x: f64, y: f64| {
        (scale * (x.clamp(min[0], max[0]) - min[0]), height - scale * (y.clamp(min[1], max[1]) - min[1]))
    };
    let mut svg = SvgWriter::new(WIDTH, height);
    for part in 0..view.domain.parts() {
        let region = view.domain.cuts().region(part);
        let ((left, top), (right, bottom)) =
            (to_picture(region.min[0], region.max[1]), to_picture(region.max[0], region.min[1]));
        let fill = if view.domain.cuts().colour(part) == 0 { "#f4c7c3" } else { "#c9d7f0" };
        let part = svg.element("rect").number("x", left).number("y", top).number("width", right - left);
        part.number("height", bottom - top).set("fill", fill).set("stroke", "#444").end();
    }
    for &(centre, radius, _, multiplicity) in &view.bodies {
        let (x, y) = to_picture(centre[0], centre[1]);
        let fill = if multiplicity > 1 { "#222" } else { "#888" };
        let body = svg.element("circle").number("cx", x).number("cy", y).number("r", scale * radius);
        body.set("fill", fill).number("fill-opacity", 0.6).end();
    }
    graphics::save(svg.finish(), path)
}

/// Writes bodies as points with their subdomains in 3D, for ParaView.
fn points(view: &PartitionView<Space>, path: &Path) -> Result<()> {
    let integers = |name: &'static str, values: Vec<i64>| FrameField {
        name: name.into(),
        width: 1,
        values: FieldValues::Integer(values),
    };
    let colour = |part: usize| i64::from(view.domain.cuts().colour(part));
    let frame = Frame {
        points: view.bodies.iter().map(|body| body.0).collect(),
        vertices: (0..view.bodies.len() as u64).collect(),
        point_fields: vec![
            FrameField {
                name: "radius".into(),
                width: 1,
                values: FieldValues::Float(view.bodies.iter().map(|body| body.1).collect()),
            },
            integers("subdomain", view.bodies.iter().map(|body| body.2 as i64).collect()),
            integers("colour", view.bodies.iter().map(|body| colour(body.2)).collect()),
            integers("multiplicity", view.bodies.iter().map(|body| body.3 as i64).collect()),
        ],
        ..Frame::default()
    };
    let file = FrameFile::create(path, true);
    file.and_then(|mut file| file.append(&SerialComm, &frame)).map_err(|e| Error::system("write", path, e))
}
