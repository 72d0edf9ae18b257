//! A scene made several times as wide, for weak scaling of any scene.
//!
//! In: the text of a scene, an axis, a factor P. Out: the text of a scene with P times as many bodies, or what in it
//! cannot be widened. Boxes (walls, deposits, lattices, feeds, sinks, the bounds of the world) are stretched along the
//! axis from the lower end of the scene; lattices and feeds get P times as many bodies, deposits too. Planes across the
//! axis move to their stretched places; other listed bodies are repeated P times, at the width of the scene. So the
//! inner walls of the scene, if it has any, are repeated, its outer ones are not.

use toml::{Table, Value};

/// Tables that name bodies, or tie the ends of the scene together.
const UNSUPPORTED: [&str; 4] = ["cell", "links", "membranes", "removals"];
/// Tables without effect on the cost of a step that name bodies, or places in the narrow scene.
const OMITTED: [&str; 2] = ["measure", "stop"];
/// Generators that can be widened.
const GENERATORS: [&str; 3] = ["walls", "deposit", "lattice"];

/// The scene `text` made `factor` times as wide along an axis (0 for x); an error names what cannot be widened.
pub(super) fn widened(text: &str, axis: usize, factor: usize) -> Result<String, String> {
    let mut scene: Table = text.parse().map_err(|error| format!("the scene: {error}"))?;
    if let Some(name) = UNSUPPORTED.iter().find(|name| scene.contains_key(**name)) {
        return Err(format!("[{name}]"));
    }
    OMITTED.iter().for_each(|name| drop(scene.remove(*name)));
    let [from, to] = extent(&scene, axis)?;
    let widening = Widening { axis, factor, from, width: to - from };
    for (i, entry) in entries(&mut scene, "generators").enumerate() {
        widening.generator(entry).map_err(|what| format!("generators.{i}: {what}"))?;
    }
    for name in ["feeds", "sinks"] {
        for (i, entry) in entries(&mut scene, name).enumerate() {
            widening.feed(entry).map_err(|what| format!("{name}.{i}: {what}"))?;
        }
    }
    if let Some(bounds) = scene.get_mut("world").and_then(|world| world.get_mut("bounds")) {
        widening.stretch_box(bounds).map_err(|what| format!("world.bounds: {what}"))?;
    }
    let mut bodies = Vec::new();
    for (i, entry) in entries(&mut scene, "bodies").enumerate() {
        bodies.extend(widening.body(entry).map_err(|what| format!("bodies.{i}: {what}"))?);
    }
    if !bodies.is_empty() {
        scene.insert("bodies".into(), Value::Array(bodies));
    }
    toml::to_string(&scene).map_err(|error| error.to_string())
}

/// The tables of an array of tables.
fn entries<'a>(scene: &'a mut Table, name: &str) -> impl Iterator<Item = &'a mut Table> {
    scene.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_table_mut)
}

/// Lower and upper end of the walls, otherwise of all that generators make.
fn extent(scene: &Table, axis: usize) -> Result<[f64; 2], String> {
    let generators = || scene.get("generators").and_then(Value::as_array).into_iter().flatten();
    let boxes = |name: &'static str| {
        let ends = move |entry: &Value| {
            let made = entry.get(name)?;
            match name {
                "lattice" => {
                    let (first, count) = (number(made, "origin", axis)?, number(made, "count", axis)?);
                    let spacing = number(made, "spacing", axis).or_else(|| float(made.get("spacing")?))?;
                    Some([first, first + count * spacing])
                }
                _ => Some([number(made, "min", axis)?, number(made, "max", axis)?]),
            }
        };
        generators().filter_map(ends)
    };
    let join = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
    let found = boxes("walls").reduce(join).or_else(|| boxes("deposit").chain(boxes("lattice")).reduce(join));
    found.filter(|[from, to]| to > from).ok_or_else(|| "there are neither walls, a deposit nor a lattice".to_owned())
}

fn float(value: &Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
}

fn number(table: &Value, key: &str, axis: usize) -> Option<f64> {
    float(table.get(key)?.get(axis)?)
}

/// Multiplies the numbers at these keys, where they are given.
fn multiply<'a>(numbers: impl Iterator<Item = Option<&'a mut Value>>, factor: usize) {
    for value in numbers.flatten() {
        match value {
            Value::Integer(number) => *number *= factor as i64,
            Value::Float(number) => *number *= factor as f64,
            _ => {}
        }
    }
}

/// How a scene is widened.
struct Widening {
    axis: usize,
    factor: usize,
    /// Lower end of the scene.
    from: f64,
    width: f64,
}

impl Widening {
    fn stretched(&self, coordinate: f64) -> f64 {
        self.from + (coordinate - self.from) * self.factor as f64
    }

    fn stretch(&self, table: &mut Value, key: &str) -> Result<(), String> {
        let missing = || format!("`{key}` has no coordinate along the axis");
        let place = table.get_mut(key).and_then(|point| point.get_mut(self.axis)).ok_or_else(missing)?;
        *place = Value::Float(self.stretched(float(place).ok_or_else(missing)?));
        Ok(())
    }

    fn stretch_box(&self, table: &mut Value) -> Result<(), String> {
        self.stretch(table, "min").and_then(|()| self.stretch(table, "max"))
    }

    fn generator(&self, entry: &mut Table) -> Result<(), String> {
        let name = GENERATORS.into_iter().find(|name| entry.contains_key(*name));
        let name = name.ok_or("only walls, deposits and lattices can be widened")?;
        entry.remove("first_id");
        let Some(made) = entry.get_mut(name) else { return Ok(()) };
        if name == "lattice" {
            multiply([made.get_mut("count").and_then(|count| count.get_mut(self.axis))].into_iter(), self.factor);
            return self.stretch(made, "origin");
        }
        multiply([made.get_mut("count")].into_iter(), self.factor);
        self.stretch_box(made)
    }

    /// A feed or a sink.
    fn feed(&self, entry: &mut Table) -> Result<(), String> {
        for key in ["rate", "count", "total"] {
            multiply([entry.get_mut(key)].into_iter(), self.factor);
        }
        self.stretch_box(entry.get_mut("box").ok_or("it has no box")?)
    }

    /// The body at its new place, or its repetitions.
    fn body(&self, entry: &Table) -> Result<Vec<Value>, String> {
        let mut entry = Value::Table(entry.clone());
        if let Some(table) = entry.as_table_mut() {
            table.remove("id");
        }
        if let Some(name) = ["from", "drum", "segment"].into_iter().find(|name| entry.get(name).is_some()) {
            return Err(format!("`{name}` cannot be widened"));
        }
        if let Some(normal) = entry.get("plane").and_then(|plane| plane.get("normal")).and_then(Value::as_array) {
            let across = normal.get(self.axis).and_then(float).is_some_and(|part| part != 0.0);
            let is_tilted = across && normal.iter().filter_map(float).filter(|part| *part != 0.0).count() > 1;
            if is_tilted {
                return Err("a plane oblique to the axis cannot be widened".into());
            }
            if across {
                self.stretch(&mut entry, "position")?;
            }
            return Ok(vec![entry]);
        }
        let at = number(&entry, "position", self.axis).ok_or("it has no position to be repeated from")?;
        let mut copies = vec![entry; self.factor];
        for (k, copy) in copies.iter_mut().enumerate() {
            if let Some(place) = copy.get_mut("position").and_then(|position| position.get_mut(self.axis)) {
                *place = Value::Float(at + k as f64 * self.width);
            }
        }
        Ok(copies)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::dim::{Plane, Space};
    use crate::scene::Scene;
    use crate::scene::setup::setup;

    /// Movable and other bodies of a scene in the repository, widened.
    fn bodies(name: &str, axis: usize, factor: usize) -> [usize; 2] {
        let scene =
            Scene::load(Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name).as_path(), &[]).unwrap();
        let text = widened(&scene.text(), axis, factor).unwrap();
        let scene = Scene::parse(&text, name, Path::new("."), &[]).unwrap();
        let counted =
            |prescribed: Vec<bool>| [false, true].map(|kind| prescribed.iter().filter(|own| **own == kind).count());
        if scene.world.dimension == 2 {
            let setup = setup::<Plane>(&scene).unwrap();
            return counted(setup.bodies.states().iter().map(|state| setup.model.is_prescribed(state)).collect());
        }
        let setup = setup::<Space>(&scene).unwrap();
        counted(setup.bodies.states().iter().map(|state| setup.model.is_prescribed(state)).collect())
    }

    #[test]
    fn a_scene_p_times_as_wide_has_p_times_as_many_bodies_and_the_same_walls() {
        for (name, axis) in [("deposit-spheres.toml", 0), ("elastic-slab.toml", 0), ("box-of-polyhedra.toml", 1)] {
            let [[own, walls], [twice, same]] = [1, 2].map(|factor| bodies(name, axis, factor));
            assert_eq!((twice, same), (2 * own, walls), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_widened_is_named() {
        let refused = |text: &str| widened(text, 0, 2).unwrap_err();
        let lattice = "[[generators]]\nlattice = { count = [4, 2], spacing = 0.5, origin = [1, 0], radius = 0.2 }\n";
        assert_eq!(refused("[cell]\nmin = [0]\n"), "[cell]");
        assert!(refused("[[generators]]\narch = {}\n").contains("neither walls"));
        assert!(refused(&format!("{lattice}[[generators]]\nmasonry = {{}}\n")).starts_with("generators.1: only walls"));
        let body = |body: &str| refused(&format!("{lattice}[[bodies]]\n{body}\n"));
        assert_eq!(body("from = 'other.h5'"), "bodies.0: `from` cannot be widened");
        assert!(body("plane.normal = [1, 1]\nposition = [0, 0]").contains("oblique"));
        let wide =
            widened(&format!("{lattice}[[bodies]]\nid = 3\nball.radius = 1\nposition = [1.5, 9]\n"), 0, 3).unwrap();
        let wide: Table = wide.parse().unwrap();
        let at: Vec<f64> =
            wide["bodies"].as_array().unwrap().iter().filter_map(|body| number(body, "position", 0)).collect();
        assert_eq!(at, [1.5, 3.5, 5.5]);
        assert_eq!(number(&wide["generators"][0]["lattice"], "count", 0), Some(12.0));
    }
}
