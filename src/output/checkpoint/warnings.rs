//! Warnings of a run as a table with one row per kind.

use crate::output::columns::{Column, ColumnValues, ColumnsError, VerifiedFile};
use crate::simulation::warnings::{Warning, WarningKind, Warnings};

const GROUP: &str = "warnings";

/// The columns of the table.
pub(crate) fn columns(warnings: &Warnings) -> Result<Vec<Column>, String> {
    let all: Vec<&Warning> = warnings.of_scene().collect();
    let kind = |warning: &&Warning| serde_json::to_value(warning.kind).map_err(|error| error.to_string());
    let names = all.iter().map(kind).map(|kind| Ok(kind?.as_str().unwrap_or_default().to_owned()));
    let names = names.collect::<Result<Vec<String>, String>>()?;
    let count = |f: fn(&Warning) -> u64| ColumnValues::Integer(all.iter().map(|warning| f(warning)).collect());
    let times = ColumnValues::Float(all.iter().map(|warning| warning.first_time_s).collect());
    let messages = ColumnValues::Text(all.iter().map(|warning| warning.message.replace('\0', " ")).collect());
    Ok(vec![
        Column::new("kind", "", "what it is about", 1, ColumnValues::Text(names)),
        Column::new("count", "", "how many steps, contacts or bodies it concerned so far", 1, count(|w| w.count)),
        Column::new("first_step", "", "the step in which it first happened", 1, count(|w| w.first_step)),
        Column::new("first_time", "s", "the end of that step", 1, times),
        Column::new("message", "", "what happened then, and what to do", 1, messages),
    ])
}

/// Reads the warnings of a file.
pub(crate) fn read(file: &VerifiedFile) -> Result<Warnings, ColumnsError> {
    let values = |name: &str| Ok(file.column(GROUP, name, None)?.values);
    let all = (values("kind")?, values("count")?, values("first_step")?, values("first_time")?, values("message")?);
    let (
        ColumnValues::Text(kinds),
        ColumnValues::Integer(counts),
        ColumnValues::Integer(steps),
        ColumnValues::Float(times),
        ColumnValues::Text(messages),
    ) = all
    else {
        return Err(file.fail("a column of /warnings is of another type"));
    };
    let kind = |name: String| {
        let known = serde_json::from_value::<WarningKind>(name.clone().into());
        known.map_err(|_| file.fail(format!("/warnings has the kind `{name}`, which this program does not know")))
    };
    let rows = kinds.into_iter().zip(counts).zip(steps).zip(times).zip(messages);
    let rows = rows.map(|((((name, count), first_step), first_time_s), message)| {
        Ok(Warning { kind: kind(name)?, count, first_step, first_time_s, message })
    });
    Ok(Warnings::resumed(rows.collect::<Result<_, ColumnsError>>()?))
}
