//! Numbers in columns: a CSV file with a header, read with an eye for mistakes.

use std::ops::Range;
use std::path::Path;

use super::source::reason;
use super::words::list;
use super::{Checked, KeyPath, Problem};

/// A table of numbers and the text it came from.
pub(in crate::io) struct Sheet {
    name: String,
    text: String,
    columns: usize,
    values: Vec<f64>,
    /// The text of each row.
    rows: Vec<Range<usize>>,
}

impl Sheet {
    /// Read the file at `path`, which must have exactly the columns `names`, in any order. `place` is the key
    /// of the scene that names the file.
    pub(in crate::io) fn read(path: &Path, place: &KeyPath, names: &[&str]) -> Checked<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path).map_err(|error| {
            let help = "paths are relative to the folder of the scene";
            Problem::value(place, format!("{name} cannot be read: {}", reason(&error))).label("this file").help(help)
        })?;
        Self::parse(name, text, place, names)
    }

    fn parse(name: String, text: String, place: &KeyPath, names: &[&str]) -> Checked<Self> {
        let header_help = || format!("the first line names the columns: {}", names.join(","));
        let mut lines = lines(&text).filter(|(line, _)| !line.trim().is_empty() && !line.starts_with('#'));
        let Some((header, span)) = lines.next() else {
            return Err(Problem::value(place, format!("{name} is empty")).label("this file").help(header_help()));
        };
        let cells: Vec<(&str, Range<usize>)> = cells(header, span.start).collect();
        let mut order = Vec::with_capacity(names.len());
        for wanted in names {
            match cells.iter().position(|(cell, _)| cell == wanted) {
                Some(column) => order.push(column),
                None => {
                    let message = format!("the column `{wanted}` is missing");
                    return Err(Problem::file(&name, &text, span, message).label("the header").help(header_help()));
                }
            }
        }
        if let Some((cell, at)) = cells.iter().enumerate().find(|(i, _)| !order.contains(i)).map(|(_, cell)| cell) {
            let at = if at.is_empty() { span } else { at.clone() };
            let problem = Problem::file(&name, &text, at, format!("unknown column `{cell}`"));
            return Err(problem.label("not one of the columns").help(format!("the columns are {}", list(names))));
        }
        let (mut values, mut rows) = (Vec::new(), Vec::new());
        let mut row = vec![0.0; cells.len()];
        for (line, span) in lines {
            read_row(line, &span, &mut row).map_err(|(at, message)| {
                let help = format!("each row has the numbers {}", header.trim());
                Problem::file(&name, &text, at, message).label("in this row").help(help)
            })?;
            values.extend(order.iter().map(|&column| row[column]));
            rows.push(span);
        }
        if rows.is_empty() {
            let problem = Problem::file(&name, &text, span, "there are no rows below the header");
            return Err(problem.label("only this line").help(header_help()));
        }
        Ok(Self { name, text, columns: names.len(), values, rows })
    }

    /// The rows, their numbers in the order of the names asked for.
    pub(in crate::io) fn rows(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.values.chunks_exact(self.columns)
    }

    /// A mistake in one row.
    pub(in crate::io) fn problem(&self, row: usize, message: impl Into<String>) -> Problem {
        Problem::file(&self.name, &self.text, self.rows[row].clone(), message).label("this row")
    }
}

/// Lines without their ends, each with its place.
fn lines(text: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut start = 0;
    text.split('\n').map(move |line| {
        let from = start;
        start += line.len() + 1;
        let line = line.strip_suffix('\r').unwrap_or(line);
        (line, from..from + line.len())
    })
}

/// The cells of a line that starts at byte `start`, without blanks around.
fn cells(line: &str, start: usize) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut next = start;
    line.split(',').map(move |cell| {
        let from = next + (cell.len() - cell.trim_start().len());
        next += cell.len() + 1;
        (cell.trim(), from..from + cell.trim().len())
    })
}

/// The numbers of a row into `row`.
fn read_row(line: &str, span: &Range<usize>, row: &mut [f64]) -> Result<(), (Range<usize>, String)> {
    let mut count = 0;
    for (cell, at) in cells(line, span.start) {
        let at = if at.is_empty() { span.clone() } else { at };
        if let Some(value) = row.get_mut(count) {
            *value = cell.parse().map_err(|_| (at.clone(), format!("expected a number, found \"{cell}\"")))?;
            if !value.is_finite() {
                return Err((at, format!("{cell} is not a number to compute with")));
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

    fn parse(text: &str) -> Checked<Sheet> {
        Sheet::parse("f.csv".into(), text.into(), &KeyPath::from("a"), &["x", "r"])
    }

    #[test]
    fn columns_are_found_by_name_and_blank_lines_and_comments_skipped() {
        let sheet = parse("# grains\n r , x\r\n\n0.5, 1e-3\n2,3\n").unwrap();
        assert_eq!(sheet.rows().collect::<Vec<_>>(), [&[1e-3, 0.5], &[3.0, 2.0]]);
    }

    #[test]
    fn mistakes_are_found_where_they_are() {
        let said = |text: &str| parse(text).err().map(|p| p.message).unwrap();
        assert_eq!(said("x,r\n1,two\n"), "expected a number, found \"two\"");
        assert_eq!(said("x,r\n1,nan\n"), "nan is not a number to compute with");
        assert_eq!(said("x,r\n1\n"), "this row has 1 cells, the header 2");
        assert_eq!(said("x\n1\n"), "the column `r` is missing");
        assert_eq!(said("x,r,q\n1,2,3\n"), "unknown column `q`");
        assert_eq!(said("x,r\n"), "there are no rows below the header");
        assert_eq!(said("\n"), "f.csv is empty");
    }
}
