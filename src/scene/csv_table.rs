//! Reader for CSV files with a header and columns of numbers, line by line, with located error messages.
//!
//! A file may exceed the memory of a process, which needs a part of its rows only: the first pass reads the header and
//! counts rows, the second reads the part. The whole text is read only to display a mistake.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::source::reason;
use super::words::list;
use super::{Checked, KeyPath, SceneProblem};

/// A file with a table of numbers.
pub(crate) struct CsvTable {
    path: PathBuf,
    /// The scene key that names the file.
    key: KeyPath,
    header: String,
    /// For each requested name, the index of its column.
    order: Vec<usize>,
    rows: u64,
}

/// A mistake in a row, and how to fix it.
pub(crate) type Fault = (String, &'static str);

impl CsvTable {
    /// Reads the header of the file at `path`, which must have exactly the columns `names`, in any order, and counts
    /// its rows. `key` is the scene key that names the file.
    pub(crate) fn open(path: &Path, key: &KeyPath, names: &[&str]) -> Checked<Self> {
        let mut table = Self { path: path.into(), key: key.clone(), header: String::new(), order: Vec::new(), rows: 0 };
        let header_help = || format!("the first line names the columns: {}", names.join(","));
        let mut lines = table.lines()?;
        let Some(span) = table.next(&mut lines)? else {
            let problem = SceneProblem::value(key, format!("{} is empty", path.display()));
            return Err(problem.label("this file").help(header_help()));
        };
        table.header.clone_from(&lines.line);
        let cells: Vec<(&str, Range<usize>)> = cells(&table.header, span.start).collect();
        for wanted in names {
            match cells.iter().position(|(cell, _)| cell == wanted) {
                Some(column) => table.order.push(column),
                None => {
                    let message = format!("the column `{wanted}` is missing");
                    return Err(table.problem(span, message).label("the header").help(header_help()));
                }
            }
        }
        let unknown = cells.iter().enumerate().find(|(i, _)| !table.order.contains(i)).map(|(_, cell)| cell);
        if let Some((cell, at)) = unknown {
            let at = if at.is_empty() { span } else { at.clone() };
            let problem = table.problem(at, format!("unknown column `{cell}`"));
            return Err(problem.label("not one of the columns").help(format!("the columns are {}", list(names))));
        }
        while table.next(&mut lines)?.is_some() {
            table.rows += 1;
        }
        if table.rows == 0 {
            let problem = table.problem(span, "there are no rows below the header");
            return Err(problem.label("only this line").help(header_help()));
        }
        Ok(table)
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Visits the rows of `part` in order, with their numbers in the order of the requested names, up to the first
    /// mistake in a row or reported by `visit`.
    pub(crate) fn read(&self, part: Range<u64>, mut visit: impl FnMut(&[f64]) -> Result<(), Fault>) -> Checked {
        let mut lines = self.lines()?;
        let mut cells = vec![0.0; self.order.len()];
        let mut row = cells.clone();
        let _header = self.next(&mut lines)?;
        for number in 0..part.end {
            let Some(span) = self.next(&mut lines)? else { break };
            if number < part.start {
                continue;
            }
            read_row(&lines.line, &span, &mut cells).map_err(|(at, message)| {
                let help = format!("each row has the numbers {}", self.header.trim());
                self.problem(at, message).label("in this row").help(help)
            })?;
            row.iter_mut().zip(&self.order).for_each(|(number, &column)| *number = cells[column]);
            visit(&row).map_err(|(message, help)| self.problem(span, message).label("this row").help(help))?;
        }
        Ok(())
    }

    fn lines(&self) -> Checked<Lines> {
        let file = File::open(&self.path).map_err(|error| self.unreadable(&error))?;
        Ok(Lines { reader: BufReader::new(file), line: String::new(), end: 0 })
    }

    fn next(&self, lines: &mut Lines) -> Checked<Option<Range<usize>>> {
        lines.next().map_err(|error| self.unreadable(&error))
    }

    /// A mistake at `span` of the text.
    fn problem(&self, span: Range<usize>, message: impl Into<String>) -> SceneProblem {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => SceneProblem::file(&self.path.display().to_string(), &text, span, message),
            Err(error) => self.unreadable(&error),
        }
    }

    fn unreadable(&self, error: &std::io::Error) -> SceneProblem {
        let message = format!("{} cannot be read: {}", self.path.display(), reason(error));
        let help = "paths are relative to the folder of the scene";
        SceneProblem::value(&self.key, message).label("this file").help(help)
    }
}

/// The lines of a file, one at a time.
struct Lines {
    reader: BufReader<File>,
    /// The current line, without line ending.
    line: String,
    /// Offset of the end of the current line in the file, including its line ending.
    end: usize,
}

impl Lines {
    /// Advances to the next line that is neither blank nor a comment; returns its range in the file.
    fn next(&mut self) -> std::io::Result<Option<Range<usize>>> {
        loop {
            self.line.clear();
            let start = self.end;
            let length = self.reader.read_line(&mut self.line)?;
            if length == 0 {
                return Ok(None);
            }
            self.end += length;
            let line = self.line.strip_suffix('\n').unwrap_or(&self.line);
            let line = line.strip_suffix('\r').unwrap_or(line);
            self.line.truncate(line.len());
            if !self.line.trim().is_empty() && !self.line.starts_with('#') {
                return Ok(Some(start..start + self.line.len()));
            }
        }
    }
}

/// The cells of a line that starts at byte `start`, without surrounding blanks.
fn cells(line: &str, start: usize) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut next = start;
    line.split(',').map(move |cell| {
        let from = next + (cell.len() - cell.trim_start().len());
        next += cell.len() + 1;
        (cell.trim(), from..from + cell.trim().len())
    })
}

/// Parses the numbers of a line into `row`.
fn read_row(line: &str, span: &Range<usize>, row: &mut [f64]) -> Result<(), (Range<usize>, String)> {
    let mut count = 0;
    for (cell, at) in cells(line, span.start) {
        let at = if at.is_empty() { span.clone() } else { at };
        if let Some(value) = row.get_mut(count) {
            *value = cell.parse().map_err(|_| (at.clone(), format!("expected a number, found \"{cell}\"")))?;
            if !value.is_finite() {
                return Err((at, format!("{cell} is not a finite number")));
            }
        }
        count += 1;
    }
    if count != row.len() {
        return Err((span.clone(), format!("this row has {count} cells, the header {}", row.len())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of `part`, or the error message about the file.
    fn parse(text: &str, part: Range<u64>) -> Result<Vec<Vec<f64>>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.csv");
        std::fs::write(&path, text).unwrap();
        let mut rows = Vec::new();
        let table = CsvTable::open(&path, &KeyPath::from("a"), &["x", "r"]);
        let read = table.and_then(|table| {
            table.read(part, |row| {
                rows.push(row.to_vec());
                if row[1] > 0.0 { Ok(()) } else { Err(("no radius".into(), "")) }
            })
        });
        read.map(|()| rows).map_err(|problem| problem.message.replace(path.to_str().unwrap(), "f.csv"))
    }

    #[test]
    fn columns_are_found_by_name_and_blank_lines_and_comments_skipped() {
        let text = "# grains\n r , x\r\n\n0.5, 1e-3\n#\n2,3\n4,5";
        assert_eq!(parse(text, 0..3).unwrap(), [[1e-3, 0.5], [3.0, 2.0], [5.0, 4.0]]);
        assert_eq!(parse(text, 1..2).unwrap(), [[3.0, 2.0]]);
        assert!(parse(text, 3..3).unwrap().is_empty());
    }

    #[test]
    fn mistakes_are_found_where_they_are() {
        let message = |text: &str| parse(text, 0..1).unwrap_err();
        assert_eq!(message("x,r\n1,two\n"), "expected a number, found \"two\"");
        assert_eq!(message("x,r\n1,nan\n"), "nan is not a finite number");
        assert_eq!(message("x,r\n1\n"), "this row has 1 cells, the header 2");
        assert_eq!(message("x\n1\n"), "the column `r` is missing");
        assert_eq!(message("x,r,q\n1,2,3\n"), "unknown column `q`");
        assert_eq!(message("x,r\n"), "there are no rows below the header");
        assert_eq!(message("\n"), "f.csv is empty");
    }

    #[test]
    fn the_first_row_with_a_mistake_of_any_kind_counts_and_other_parts_do_not_see_it() {
        let text = "x,r\n1,1\n1,0\none,1\n1,1\n";
        assert_eq!(parse(text, 0..4).unwrap_err(), "no radius");
        assert_eq!(parse(text, 2..4).unwrap_err(), "expected a number, found \"one\"");
        assert_eq!(parse(text, 3..4).unwrap().len(), 1);
    }
}
