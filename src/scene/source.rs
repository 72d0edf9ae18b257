//! The text of a scene, as written and as run, with the positions of its keys.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml_edit::{Document, Item};

use super::error::SourceLocation;
use super::path::Found;
use super::set::Set;
use super::syntax::explain_syntax;
use super::{KeyPath, SceneError, SceneProblem};
use crate::base::error::called_as;

/// The text of a scene with all changes made by `--set`.
#[derive(Clone, Debug, Default)]
pub(crate) struct SceneSource {
    name: String,
    folder: PathBuf,
    written: Parsed,
    sets: Vec<Set>,
    run: Parsed,
}

/// A text and its parsed document, which records the position of every key and value.
#[derive(Clone, Debug, Default)]
struct Parsed {
    text: String,
    root: Item,
}

impl Parsed {
    fn new(name: &str, text: String) -> Result<Self, SceneError> {
        match Document::parse(text.as_str()) {
            Ok(document) => {
                let root = document.into_item();
                Ok(Self { text, root })
            }
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let (message, label, help) = explain_syntax(error.message(), span.is_empty());
                let span = visible(&text, span);
                Err(SceneError::new(name, &text, vec![(span, label)], message, help))
            }
        }
    }
}

/// Extends an empty span to a visible character: an error at the end of a line or file has none.
fn visible(text: &str, span: Range<usize>) -> Range<usize> {
    if !span.is_empty() || text.is_empty() {
        return span;
    }
    let next = text[span.start..].chars().next().filter(|c| !c.is_whitespace());
    match next {
        Some(c) => span.start..span.start + c.len_utf8(),
        None => {
            let before = text[..span.start].trim_end();
            let last = before.chars().next_back().map_or(0, char::len_utf8);
            before.len() - last..before.len()
        }
    }
}

impl SceneSource {
    /// Reads the scene in a file.
    pub(crate) fn read(path: &Path, sets: &[String]) -> Result<Self, SceneError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|error| {
            let help = format!("give the path of a scene, a TOML file; `{} new` writes one to start from", called_as());
            SceneError::new(&name, "", Vec::new(), format!("cannot be read: {}", reason(&error)), help)
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[at];
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            // The text before the mistake is valid and keeps its length; the invalid byte becomes one replacement
            // character.
            let span = at..at + '\u{fffd}'.len_utf8();
            let message = format!("the file is not UTF-8 text: it holds the byte 0x{byte:02x}");
            let help = "save it as UTF-8 in your editor".to_owned();
            SceneError::new(&name, &text, vec![(span, "not UTF-8 from here on".into())], message, help)
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        Self::new(name, folder, text, sets)
    }

    /// A scene that messages call `name`; files it refers to are sought in `folder`.
    pub(crate) fn new(name: String, folder: PathBuf, text: String, sets: &[String]) -> Result<Self, SceneError> {
        let written = Parsed::new(&name, text)?;
        let sets: Vec<Set> = sets.iter().map(|s| Set::parse(s)).collect::<Result<_, _>>()?;
        let run = if sets.is_empty() {
            written.clone()
        } else {
            let mut document = Document::parse(written.text.clone())
                .map_err(|error| SceneError::new(&name, "", Vec::new(), error.message().into(), String::new()))?
                .into_mut();
            for set in &sets {
                set.apply(&mut document)?;
            }
            Parsed::new("the scene after --set", document.to_string())?
        };
        Ok(Self { name, folder, written, sets, run })
    }

    /// The text as run.
    pub(crate) fn text(&self) -> &str {
        &self.run.text
    }

    /// The document as run.
    pub(crate) fn item(&self) -> &Item {
        &self.run.root
    }

    /// The document as run, for searching.
    pub(crate) fn root(&self) -> Found<'_> {
        Found::Item(&self.run.root)
    }

    /// The path of a file that the scene refers to as `file`.
    pub(crate) fn resolve(&self, file: &Path) -> PathBuf {
        self.folder.join(file)
    }

    /// The location whose value or key has the range `span` in the text as run.
    pub(crate) fn locate(&self, span: &Range<usize>) -> SourceLocation {
        fn search(here: Found<'_>, path: &KeyPath, span: &Range<usize>) -> Option<SourceLocation> {
            if here.span().as_ref() == Some(span) && !path.is_root() {
                return Some(SourceLocation::Value(path.clone()));
            }
            here.children().into_iter().find_map(|(key, child)| {
                let path = path.then(&key);
                if here.key_span(&key).as_ref() == Some(span) {
                    return Some(SourceLocation::Key(path));
                }
                search(child, &path, span)
            })
        }
        search(self.root(), &KeyPath::default(), span).unwrap_or(SourceLocation::Value(KeyPath::default()))
    }

    /// The error that displays a problem to the user.
    pub(crate) fn error(&self, problem: SceneProblem) -> SceneError {
        let SceneProblem { location, message, label, help, also } = problem;
        let (path, is_key) = match location {
            SourceLocation::File(file) => {
                return SceneError::new(&file.name, &file.text, vec![(file.span, label)], message, help);
            }
            SourceLocation::Value(path) => (path, false),
            SourceLocation::Key(path) => (path, true),
        };
        if let Some(set) = self.determining_set(&path) {
            let span = if is_key && set.path == path { set.key_span() } else { set.value_span() };
            return SceneError::new("--set", &set.text, vec![(span, label)], message, help);
        }
        let mut labels = Vec::new();
        labels.extend(self.span(&path, is_key).map(|span| (span, label)));
        if let Some((other, label)) = also.map(|also| *also)
            && self.determining_set(&other).is_none()
            && !labels.is_empty()
        {
            labels.extend(self.span(&other, false).map(|span| (span, label)));
        }
        SceneError::new(&self.name, &self.written.text, labels, message, help)
    }

    /// The last `--set` that determined the value at `path`.
    fn determining_set(&self, path: &KeyPath) -> Option<&Set> {
        let direct = self.sets.iter().rev().find(|set| path.is_within(&set.path));
        direct.or_else(|| {
            // A table that exists only because a key in it was set.
            let (found, _) = path.follow(&self.written.root);
            self.sets.iter().rev().find(|set| found != *path && set.path.is_within(path) && !path.is_root())
        })
    }

    /// The range of `path` in the text as written, or of the table or array that should contain it.
    fn span(&self, path: &KeyPath, is_key: bool) -> Option<Range<usize>> {
        let (mut found, mut here) = path.follow(&self.written.root);
        if is_key && found == *path {
            let (_, parent) = path.parent().follow(&self.written.root);
            if let Some(span) = parent.key_span(path.last()) {
                return Some(span);
            }
        }
        while !found.is_root() {
            if let Some(span) = here.span() {
                return Some(span);
            }
            (found, here) = found.parent().follow(&self.written.root);
        }
        None
    }
}

/// The reason of a system error, worded the same on every system.
pub(crate) fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "you have no permission to read it".into(),
        std::io::ErrorKind::IsADirectory => "it is a folder".into(),
        _ => error.to_string(),
    }
}
