//! Reasons why a mesh cannot be used, with the place and the remedy.

use std::fmt;
use std::path::{Path, PathBuf};

/// The reason why a file gives no mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeMeshFault {
    /// The file.
    pub file: PathBuf,
    /// Line, counted from one, in text files.
    pub line: Option<usize>,
    /// Number of the element in the file; counted from one where the file does not number elements.
    pub element: Option<usize>,
    /// What is wrong there.
    pub what: String,
    /// What the user can do.
    pub remedy: &'static str,
}

impl fmt::Display for VolumeMeshFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        if let Some(element) = self.element {
            write!(f, ", element {element}")?;
        }
        write!(f, ": {}; {}", self.what, self.remedy)
    }
}

impl std::error::Error for VolumeMeshFault {}

/// A defect of a mesh in memory; elements are counted from zero.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshDefect {
    /// The element that has it.
    pub element: Option<usize>,
    /// A second element that it involves.
    pub other: Option<usize>,
    /// What is wrong.
    pub what: String,
    /// What the user can do.
    pub remedy: &'static str,
}

impl fmt::Display for MeshDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(element) = self.element {
            write!(f, "element {element}")?;
        }
        if let Some(other) = self.other {
            write!(f, " (with element {other})")?;
        }
        let separator = if self.element.is_some() { ": " } else { "" };
        write!(f, "{separator}{}; {}", self.what, self.remedy)
    }
}

impl std::error::Error for MeshDefect {}

impl MeshDefect {
    pub(super) fn of_mesh(what: impl Into<String>, remedy: &'static str) -> Self {
        Self { element: None, other: None, what: what.into(), remedy }
    }

    pub(super) fn of_element(element: usize, what: impl Into<String>, remedy: &'static str) -> Self {
        Self { element: Some(element), other: None, what: what.into(), remedy }
    }

    pub(super) fn of_pair(element: u32, other: u32, what: impl Into<String>, remedy: &'static str) -> Self {
        Self { element: Some(element as usize), other: Some(other as usize), what: what.into(), remedy }
    }
}

/// An error found by a reader, before the name of the file is added.
#[derive(Debug)]
pub(super) struct ReadTrouble {
    pub(super) line: Option<usize>,
    pub(super) element: Option<usize>,
    pub(super) what: String,
    pub(super) remedy: &'static str,
}

impl ReadTrouble {
    pub(super) fn new(what: impl Into<String>, remedy: &'static str) -> Self {
        Self { line: None, element: None, what: what.into(), remedy }
    }

    pub(super) fn at_line(line: Option<usize>, what: impl Into<String>, remedy: &'static str) -> Self {
        Self { line, element: None, what: what.into(), remedy }
    }

    pub(super) fn in_file(self, file: &Path) -> VolumeMeshFault {
        let Self { line, element, what, remedy } = self;
        VolumeMeshFault { file: file.to_path_buf(), line, element, what, remedy }
    }
}
