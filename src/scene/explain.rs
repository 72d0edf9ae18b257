//! Translation of errors of serde into the terms of the scene format.

use super::error::SourceLocation;
use super::schema::about;
use super::source::SceneSource;
use super::words::did_you_mean;
use super::{KeyPath, SceneProblem};

/// Explains an error that occurred while deserialising the document into the scene's types.
pub(crate) fn explain(source: &SceneSource, error: &toml::de::Error) -> SceneProblem {
    let location = error.span().map_or(SourceLocation::Value(KeyPath::default()), |span| source.locate(&span));
    let path = match &location {
        SourceLocation::Value(path) | SourceLocation::Key(path) => path.clone(),
        SourceLocation::File(_) => KeyPath::default(),
    };
    let message = error.message();
    let quoted = in_backticks(message);
    if let (true, Some((name, known))) = (message.starts_with("unknown field"), quoted.split_first()) {
        let table = path.parent();
        let problem = SceneProblem::key(&path, format!("unknown key `{name}` {}", in_table(&table)));
        return problem.label("not a key of this table").help(did_you_mean(name, known, "its keys are"));
    }
    if let (true, Some((name, known))) = (message.starts_with("unknown variant"), quoted.split_first()) {
        let problem = SceneProblem::value(&path, format!("unknown choice \"{name}\" for `{}`", path.last()));
        return problem.label("not one of the choices").help(did_you_mean(name, known, "the choices are"));
    }
    if let (true, Some(name)) = (message.starts_with("missing field"), quoted.first()) {
        return missing(&path, name);
    }
    if message == "invalid type: map, expected a sequence" && path.keys().len() == 1 {
        let problem =
            SceneProblem::value(&path, format!("`{path}` is a list of tables; each entry begins with double brackets"));
        return problem.label("single brackets").help(format!("write [[{path}]]"));
    }
    let (message, label) = mismatch(message).unwrap_or_else(|| (message.to_owned(), "invalid value".into()));
    let message = if path.is_root() { message } else { format!("`{}`: {message}", last_name(&path)) };
    SceneProblem::value(&path, message).label(label).help(about_value(&path))
}

/// The problem that `name` is missing in the table at `path`.
pub(crate) fn missing(path: &KeyPath, name: &str) -> SceneProblem {
    let inside = path.then(name);
    let what = about(&inside);
    if path.is_root() {
        let help = format!("add the table [{name}]{}", what.map_or(String::new(), |text| format!(": {text}")));
        return SceneProblem::value(path, format!("the table [{name}] is missing")).help(help);
    }
    let help = format!("add `{name}`{}", what.map_or(String::new(), |text| format!(": {text}")));
    SceneProblem::value(path, format!("the key `{name}` is missing {}", in_table(path)))
        .label(format!("`{name}` should be here"))
        .help(help)
}

/// The schema's description of a value, or of the array that contains it.
fn about_value(path: &KeyPath) -> String {
    let mut path = path.clone();
    while path.last().parse::<usize>().is_ok() {
        path = path.parent();
    }
    about(&path).map_or(String::new(), |text| format!("`{}`: {text}", last_name(&path)))
}

/// The last key of a path that is not an array index.
fn last_name(path: &KeyPath) -> &str {
    let word = path.keys().iter().rev().find(|key| key.parse::<usize>().is_err());
    word.map_or("", String::as_str)
}

/// "in [world]", "in [[bodies]]", "in `sphere`".
fn in_table(path: &KeyPath) -> String {
    match path.keys() {
        [] => "at the top of the scene".into(),
        [key] => format!("in [{key}]"),
        [key, index] if index.parse::<usize>().is_ok() => format!("in [[{key}]]"),
        [.., key] => format!("in `{key}`"),
    }
}

/// The words between backticks.
fn in_backticks(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// Explains messages such as "invalid type: string "2", expected f64": what was expected and found, and a label.
fn mismatch(message: &str) -> Option<(String, String)> {
    if message == "wanted string or table" {
        return Some(("expected text in quotes".into(), "not text".into()));
    }
    if message.contains("overflowed") {
        return Some(("this number is too large".into(), "too large".into()));
    }
    if let Some(rest) = message.strip_prefix("invalid length ") {
        let (found, expected) = rest.split_once(", expected ")?;
        let expected = expected.replace("an array of length ", "an array of ");
        return Some((format!("expected {expected}, found {found}"), "wrong length".into()));
    }
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let (found, expected) = (in_words_found(found), in_words_expected(expected));
    Some((format!("expected {expected}, found {found}"), format!("this is {found}")))
}

fn in_words_expected(expected: &str) -> String {
    match expected {
        "f64" => "a number".into(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number of at least 0".into(),
        "a boolean" => "true or false".into(),
        "a string" | "path string" => "text in quotes".into(),
        "a sequence" => "an array in brackets, such as [0, 1]".into(),
        "a map" => "a table".into(),
        other if other.starts_with("struct ") => "a table".into(),
        other => other.strip_prefix("expected ").unwrap_or(other).into(),
    }
}

fn in_words_found(found: &str) -> String {
    let quoted = || in_backticks(found).first().map_or(String::new(), |s| (*s).to_owned());
    match found {
        "map" => "a table".into(),
        "sequence" => "an array".into(),
        _ if found.starts_with("string ") => found.replacen("string", "the text", 1),
        _ if found.starts_with("boolean ") => quoted(),
        _ if found.starts_with("integer ") || found.starts_with("floating point ") => {
            format!("the number {}", quoted())
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_in_plain_words() {
        let text = |message: &str| mismatch(message).unwrap().0;
        assert_eq!(text("invalid type: string \"2\", expected f64"), "expected a number, found the text \"2\"");
        assert_eq!(text("invalid type: integer `3`, expected struct World"), "expected a table, found the number 3");
        assert_eq!(
            text("invalid value: integer `-3`, expected u32"),
            "expected a whole number of at least 0, found the number -3"
        );
        assert_eq!(text("invalid length 1, expected an array of length 2"), "expected an array of 2, found 1");
        assert_eq!(
            text("invalid type: boolean `true`, expected a sequence"),
            "expected an array in brackets, such as [0, 1], found true"
        );
    }

    #[test]
    fn a_table_is_named_as_it_is_written() {
        assert_eq!(in_table(&KeyPath::from("world")), "in [world]");
        assert_eq!(in_table(&KeyPath::from("bodies.3")), "in [[bodies]]");
        assert_eq!(in_table(&KeyPath::from("bodies.3.sphere")), "in `sphere`");
    }
}
