//! Reading of scenes: from a file or a text to a checked scene, and from a problem to an error that shows the line.

use std::path::{Path, PathBuf};

use super::explain::explain;
use super::set::Set;
use super::source::SceneSource;
use super::values::finite;
use super::{KeyPath, Loose, Scene, SceneError, SceneProblem};
use crate::base::error::Error;
use crate::contactor::keys;

impl Scene {
    /// Reads a scene from a file, applies `sets` (`key=value` each), and checks it.
    pub fn load(path: &Path, sets: &[String]) -> Result<Self, Error> {
        SceneSource::read(path, sets).and_then(Self::read).map_err(input)
    }

    /// As [`load`](Self::load), from a text. Messages call it `name`; files it refers to are sought in `folder`.
    pub fn parse(text: &str, name: &str, folder: &Path, sets: &[String]) -> Result<Self, Error> {
        let source = SceneSource::new(name.to_owned(), folder.to_owned(), text.to_owned(), sets);
        source.and_then(Self::read).map_err(input)
    }

    fn read(source: SceneSource) -> Result<Self, SceneError> {
        finite(source.root()).map_err(|problem| source.error(problem))?;
        match toml::from_str::<Scene>(source.text()) {
            Ok(mut scene) => {
                scene.source = source;
                match scene.problem() {
                    Ok(()) => Ok(scene),
                    Err(problem) => Err(scene.source.error(problem)),
                }
            }
            Err(error) => Err(source.error(explain(&source, &error))),
        }
    }

    /// Checks everything that does not require the bodies. [`load`](Self::load) has done so; call it again after
    /// changing a scene in memory.
    pub fn check(&self) -> Result<(), Error> {
        self.problem().map_err(|problem| self.fail(problem))
    }

    /// The scene as run, with every `--set` applied. Files it refers to are given by their absolute path, so that a
    /// copy elsewhere still finds them.
    pub fn text(&self) -> String {
        let Ok(mut document) = self.source.text().parse::<toml_edit::DocumentMut>() else {
            return self.source.text().to_owned();
        };
        for path in self.files() {
            let (_, found) = path.follow(document.as_item());
            let Some(file) = found.text() else { continue };
            let resolved = self.source.resolve(Path::new(file));
            let full = std::path::absolute(&resolved).unwrap_or(resolved);
            let set = Set::new(&path, full.display().to_string());
            // The path was just followed to a value, so the replacement cannot fail.
            let _ = set.apply(&mut document);
        }
        document.to_string()
    }

    /// The path of a file that the scene refers to as `file`.
    pub(crate) fn resolve(&self, file: &Path) -> PathBuf {
        self.source.resolve(file)
    }

    /// The keys under which the scene refers to other files.
    fn files(&self) -> Vec<KeyPath> {
        let generated = self.generators.iter().enumerate().filter(|(_, g)| g.csv.is_some());
        let mut paths: Vec<KeyPath> =
            generated.map(|(i, _)| KeyPath::from("generators").then(i).then("csv").then("file")).collect();
        for (i, generator) in self.generators.iter().enumerate() {
            let at = KeyPath::from("generators").then(i).then("shape");
            paths.extend(generator.shape.iter().flat_map(|shape| shape.files(&at)));
        }
        for (i, feed) in self.feeds.iter().enumerate() {
            let at = KeyPath::from("feeds").then(i).then("shape");
            paths.extend(feed.shape.iter().flat_map(|shape| shape.files(&at)));
        }
        let tilt = self.world.tilt.as_ref().and_then(|tilt| tilt.angle.as_ref());
        if matches!(tilt, Some(Loose::Table(table)) if table.table.is_some()) {
            paths.push(KeyPath::from("world.tilt.angle.table"));
        }
        for (i, membrane) in self.membranes.iter().enumerate() {
            if matches!(&membrane.pressure, Loose::Table(table) if table.table.is_some()) {
                paths.push(KeyPath::from("membranes").then(i).then("pressure").then("table"));
            }
        }
        for (i, body) in self.bodies.iter().enumerate() {
            if body.from.is_some() {
                paths.push(KeyPath::from("bodies").then(i).then("from"));
            }
            let at = KeyPath::from("bodies").then(i).then(keys::COMPOUND);
            paths.extend(body.compound.iter().flatten().enumerate().flat_map(|(k, part)| part.files(&at.then(k))));
            if body.polyhedron.as_ref().is_some_and(|p| p.file.is_some()) {
                paths.push(KeyPath::from("bodies").then(i).then(keys::POLYHEDRON).then("file"));
            }
            let Some(driven) = &body.driven else { continue };
            for (kind, degrees) in [("velocity", &driven.velocity), ("force", &driven.force)] {
                for (name, signal) in degrees.given() {
                    if matches!(signal, Loose::Table(table) if table.table.is_some()) {
                        let at = KeyPath::from("bodies").then(i).then("driven");
                        paths.push(at.then(kind).then(name).then("table"));
                    }
                }
            }
        }
        paths
    }

    /// Converts a problem into the error of this scene.
    pub fn fail(&self, problem: SceneProblem) -> Error {
        input(self.source.error(problem))
    }
}

fn input(error: SceneError) -> Error {
    Error::Input(Box::new(error))
}
