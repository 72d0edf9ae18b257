//! Columns of typed values, the tables they form, the content of a file, and the error of reading or writing it.

use std::borrow::Cow;
use std::path::PathBuf;

use hdf5::file::FileAccessBuilder;

/// An attribute of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute {
    /// A text of any length, without NUL.
    Text(String),
    /// A count, an id or a seed.
    Integer(u64),
    /// A quantity.
    Float(f64),
}

/// One dataset of shape `[rows]`, or `[rows, width]` where `width` is not 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name of the dataset in its group.
    pub name: String,
    /// SI unit, `1` for a pure number.
    pub unit: Cow<'static, str>,
    /// One sentence for readers of the file without this program.
    pub about: Cow<'static, str>,
    /// Values per row.
    pub width: usize,
    /// All rows, one after the other.
    pub values: ColumnValues,
}

impl Column {
    /// A column of `values`, `width` per row.
    pub fn new(
        name: impl Into<String>,
        unit: &'static str,
        about: &'static str,
        width: usize,
        values: ColumnValues,
    ) -> Self {
        Column { name: name.into(), unit: unit.into(), about: about.into(), width, values }
    }

    /// Number of rows; zero where the width is zero.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    pub(super) fn shape(&self, rows: usize) -> Result<Vec<usize>, String> {
        if self.rows() * self.width != self.values.len() || self.width == 0 {
            let length = self.values.len();
            return Err(format!("{length} values do not fill rows of width {}", self.width));
        }
        Ok(if self.width == 1 { vec![rows] } else { vec![rows, self.width] })
    }
}

/// A group of columns in the file.
pub struct ColumnTable<'a> {
    /// Name of the group.
    pub name: &'a str,
    /// Its columns, with the rows of this process, or without rows if these are made later.
    pub columns: Vec<Column>,
    /// Which rows these are.
    pub rows: RowOwners<'a>,
}

/// Values of a column, row by row.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// Measured or computed quantities; stored to the bit.
    Float(Vec<f64>),
    /// Ids and counters.
    Integer(Vec<u64>),
    /// Indices, kinds and flags.
    Small(Vec<u32>),
    /// Raw bytes.
    Byte(Vec<u8>),
    /// Names; without NUL, which terminates a string in HDF5.
    Text(Vec<String>),
}

impl ColumnValues {
    /// Number of values, counting all components of all rows.
    pub fn len(&self) -> usize {
        match self {
            ColumnValues::Float(values) => values.len(),
            ColumnValues::Integer(values) => values.len(),
            ColumnValues::Small(values) => values.len(),
            ColumnValues::Byte(values) => values.len(),
            ColumnValues::Text(values) => values.len(),
        }
    }

    /// True if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Distribution of the rows of a table over the processes.
pub enum RowOwners<'a> {
    /// Every process has all rows.
    Known,
    /// Each process has some rows: here those from `start` of `total`.
    Spread {
        /// Number of the first row on this process.
        start: usize,
        /// Number of rows of all processes.
        total: usize,
    },
    /// Each process makes some of the rows, chunk by chunk.
    Made {
        /// Number of rows of all processes.
        total: usize,
        /// Makes the columns of the next rows; all processes call it equally often.
        make: RowMaker<'a>,
    },
}

impl RowOwners<'_> {
    /// Number of rows of all processes, where each has only some.
    pub(super) fn total(&self) -> Option<usize> {
        match self {
            RowOwners::Known => None,
            RowOwners::Spread { total, .. } | RowOwners::Made { total, .. } => Some(*total),
        }
    }
}

/// Makes the next rows of all columns of a table and returns them with the number of the first one; `None` when no rows
/// are left. The arguments are columns whose memory is reused (if any), a function that is shown the new rows with that
/// number, and work that this thread does while others make the rows; it is not done when no rows are left.
pub type RowMaker<'a> = Box<
    dyn FnMut(Vec<Column>, &(dyn Fn(usize, &[Column]) + Sync), &mut dyn FnMut()) -> Option<(usize, Vec<Column>)> + 'a,
>;

/// Content of a file, in the order in which it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct FileContent {
    /// Groups by name, each with its columns.
    pub groups: Vec<(String, Vec<Column>)>,
    /// Attributes of the file by name.
    pub attributes: Vec<(String, Attribute)>,
}

impl FileContent {
    /// The column `name` in `group`.
    pub fn column(&self, group: &str, name: &str) -> Option<&Column> {
        let (_, columns) = self.groups.iter().find(|(own, _)| own == group)?;
        columns.iter().find(|column| column.name == name)
    }

    /// The attribute `name`.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }
}

/// Failure to write or read a file.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {reason}", path.display())]
pub struct ColumnsError {
    /// `write` or `read`.
    pub action: &'static str,
    /// The file, as named by the caller.
    pub path: PathBuf,
    /// The cause, and the column or attribute concerned.
    pub reason: String,
}

/// Disables file locks: they protect against a second writer, which the rename does already, and fail on those cluster
/// file systems that have none.
pub(super) fn access(list: &mut FileAccessBuilder) -> &mut FileAccessBuilder {
    list.libver_v110().file_locking(false)
}

/// The message of the operating system where HDF5 contains one: it is buried under addresses and file handles.
pub(crate) fn reason(error: &hdf5::Error) -> String {
    let text = error.to_string();
    let system = text.split_once("error message = '").and_then(|(_, rest)| rest.split_once('\''));
    system.map_or(text.clone(), |(message, _)| message.to_owned())
}
