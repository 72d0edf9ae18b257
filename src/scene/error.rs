//! Error messages about a scene: what is wrong, where, and how to fix it.
//!
//! Checks return a [`SceneProblem`], which locates the mistake by keys; the scene's source converts it into a
//! [`SceneError`], which shows the line of the file or the `--set` from which the value came.

use std::fmt;
use std::ops::Range;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use super::KeyPath;

/// A mistake, located by keys of the scene.
#[derive(Clone, Debug)]
pub struct SceneProblem {
    pub(crate) location: SourceLocation,
    pub(crate) message: String,
    pub(crate) label: String,
    pub(crate) help: String,
    /// A second relevant location, such as the other of two bodies with one id.
    pub(crate) also: Option<Box<(KeyPath, String)>>,
}

/// The result of a check.
pub type Checked<T = ()> = Result<T, SceneProblem>;

/// The location of a mistake.
#[derive(Clone, Debug)]
pub(crate) enum SourceLocation {
    /// The value at a path, or, if there is none, the table that should contain it.
    Value(KeyPath),
    /// The key itself.
    Key(KeyPath),
    /// A location in another file to which the scene refers.
    File(Box<FileLocation>),
}

/// A location in a file.
#[derive(Clone, Debug)]
pub(crate) struct FileLocation {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) span: Range<usize>,
}

impl SceneProblem {
    /// A mistake in the value at `path`.
    pub fn value(path: &KeyPath, message: impl Into<String>) -> Self {
        Self::at(SourceLocation::Value(path.clone()), message)
    }

    /// A mistake in the key that `path` ends with.
    pub fn key(path: &KeyPath, message: impl Into<String>) -> Self {
        Self::at(SourceLocation::Key(path.clone()), message)
    }

    /// A mistake in another file.
    pub fn file(name: &str, text: &str, span: Range<usize>, message: impl Into<String>) -> Self {
        Self::at(SourceLocation::File(Box::new(FileLocation { name: name.into(), text: text.into(), span })), message)
    }

    fn at(location: SourceLocation, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { location, message, label: "here".into(), help: String::new(), also: None }
    }

    /// Sets the label under the offending text.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the suggested fix.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds a second relevant location and its label.
    pub fn also(mut self, path: &KeyPath, label: impl Into<String>) -> Self {
        self.also = Some(Box::new((path.clone(), label.into())));
        self
    }
}

/// A mistake in a scene, ready for display.
#[derive(Debug)]
pub struct SceneError {
    message: String,
    help: String,
    source: Box<NamedSource<String>>,
    labels: Vec<(Range<usize>, String)>,
}

impl SceneError {
    /// `message` about the text called `name`, with labels under parts of it.
    pub(crate) fn new(
        name: &str,
        text: &str,
        labels: Vec<(Range<usize>, String)>,
        message: String,
        help: String,
    ) -> Self {
        // Without a labelled line, the report would not name the file.
        let message = if labels.is_empty() { format!("{name}: {message}") } else { message };
        Self { message, help, source: Box::new(NamedSource::new(name, text.to_owned())), labels }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SceneError {}

impl Diagnostic for SceneError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn fmt::Display + 'a>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        (!self.labels.is_empty()).then_some(self.source.as_ref() as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let spans = self.labels.iter().enumerate().map(|(i, (span, label))| {
            let label = Some(label.clone());
            if i == 0 {
                LabeledSpan::new_primary_with_span(label, span.clone())
            } else {
                LabeledSpan::new_with_span(label, span.clone())
            }
        });
        Some(Box::new(spans))
    }
}
