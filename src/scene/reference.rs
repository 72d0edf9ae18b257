//! Reference of scene keys as Markdown: converts the JSON schema of scenes to `docs/keys.md`.
//!
//! The page has one section for every top-level key of a scene, then one for every kind of nested table. Names and
//! descriptions come from the schema, and thus from the doc comments of the scene's types.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

const INTRODUCTION: &str = "# Scene keys

All keys of scene files. This page is the output of `nscdd schema --markdown`, generated from the schema of scene files; a test
compares the two. SI units throughout; in two dimensions masses, forces and energies are per metre of depth. A *table* is written
`{ key = value, ... }` on one line, or `[name]` with its keys on the lines below; `[[name]]` begins another entry of a list. Keys
without a default are optional unless they are *required*.
";

/// Kinds of nested tables by name, and the keys under which they occur.
type Nested = BTreeMap<String, Vec<String>>;

/// Creates the whole page.
pub(crate) fn markdown(schema: &Value) -> String {
    let page = Page { definitions: &schema["$defs"] };
    let (mut contents, mut sections) = (String::from("| key | what it is |\n|---|---|\n"), String::new());
    let mut nested = Nested::new();
    for key in keys(schema) {
        let entry = &schema["properties"][key];
        let Some(target) = page.target(entry).map(|name| &page.definitions[name]) else { continue };
        let (heading, must) = (heading(key, entry), if is_required(schema, key) { " Required." } else { "" });
        let _ = writeln!(contents, "| [`{heading}`](#{}) | {}{must} |", anchor(&heading), description(entry));
        let _ = write!(sections, "\n## `{heading}`\n{}\n{}", description(target), page.rows(target, key, &mut nested));
    }
    // A section may add nested tables; each is written once, in the order of names.
    let mut written = BTreeMap::new();
    while let Some(name) = nested.keys().find(|name| !written.contains_key(*name)).cloned() {
        let target = &page.definitions[&name];
        let section = format!("{}\n{}", description(target), page.rows(target, &title(&name), &mut nested));
        written.insert(name, section);
    }
    sections += "\n## Nested tables\n";
    for (name, section) in written {
        let _ = write!(sections, "\n### {}\nFor `{}`. {section}", title(&name), nested[&name].join("`, `"));
    }
    format!("{INTRODUCTION}\n{contents}{sections}")
}

struct Page<'a> {
    /// Kinds of tables and choices by name.
    definitions: &'a Value,
}

impl Page<'_> {
    /// The keys of a table as rows; adds the kinds of tables among their values to `nested`.
    fn rows(&self, table: &Value, parent: &str, nested: &mut Nested) -> String {
        let mut text = String::new();
        for key in keys(table) {
            let entry = &table["properties"][key];
            let mut what = description(entry);
            for (word, meaning) in self.words(entry) {
                let _ = write!(what, "<br>`{word}`: {meaning}");
            }
            if let Some(name) = self.target(entry).filter(|name| self.definitions[name].get("type").is_some()) {
                nested.entry(name.to_owned()).or_default().push(format!("{parent}.{key}").replace(' ', "_"));
            }
            let default = match entry.get("default") {
                _ if is_required(table, key) => "*required*".into(),
                Some(Value::Null) | None => String::new(),
                Some(value) => format!("`{value}`"),
            };
            let _ = writeln!(text, "| `{key}` | {} | {default} | {what} |", self.kind(entry));
        }
        let head = if text.is_empty() { "" } else { "\n| key | value | default | what it is |\n|---|---|---|---|\n" };
        head.to_owned() + &text
    }

    /// The type of a value, as text.
    fn kind(&self, schema: &Value) -> String {
        if let Some(name) = reference(schema) {
            let target = &self.definitions[name];
            return match target.get("type") {
                Some(_) => format!("[table](#{})", anchor(&title(name))),
                None => self.kind(target),
            };
        }
        if let Some(alternatives) = alternatives(schema) {
            return alternatives
                .iter()
                .map(|alternative| self.kind(alternative))
                .filter(|kind| kind != "null")
                .collect::<Vec<_>>()
                .join(" or ");
        }
        if let Some(word) = schema.get("const") {
            return format!("`{word}`");
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::Array(all) => all.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect(),
            one => one.as_str().into_iter().collect(),
        };
        let kind = |kind: &&str| match *kind {
            "integer" => "whole number".to_owned(),
            "boolean" => "`true` or `false`".to_owned(),
            "string" => "text".to_owned(),
            "array" => {
                let number = schema.get("maxItems").filter(|count| schema.get("minItems") == Some(count));
                let number = number.map_or(String::new(), |number| format!("{number} "));
                format!("list of {number}{}", plural(&self.kind(&schema["items"])))
            }
            "object" => "table".to_owned(),
            other => other.to_owned(),
        };
        kinds.iter().map(kind).collect::<Vec<_>>().join(" or ")
    }

    /// The words that a value may be, with their meanings.
    fn words(&self, schema: &Value) -> Vec<(String, String)> {
        if let Some(name) = reference(schema) {
            return self.words(&self.definitions[name]);
        }
        if let (Some(word), true) = (schema.get("const"), schema.get("description").is_some()) {
            return vec![(word.to_string(), description(schema))];
        }
        alternatives(schema).into_iter().flatten().flat_map(|alternative| self.words(alternative)).collect()
    }

    /// The kind of table that a value is, or that a list or a map of names contains.
    fn target<'b>(&self, schema: &'b Value) -> Option<&'b str> {
        let within = ["items", "additionalProperties"].iter().filter_map(|key| schema.get(*key));
        let all = within.chain(alternatives(schema).into_iter().flatten());
        reference(schema).or_else(|| all.filter(|inner| inner.is_object()).find_map(|inner| self.target(inner)))
    }
}

fn is_required(table: &Value, key: &str) -> bool {
    table["required"].as_array().is_some_and(|all| all.iter().any(|required| required == key))
}

/// Keys of a table: required keys in the order of declaration, then the others by name.
fn keys(table: &Value) -> Vec<&str> {
    let required: Vec<&str> = table["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let others = table["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let others: Vec<&str> = others.filter(|key| !required.contains(key)).collect();
    [required, others].concat()
}

/// The plural of a type; lists of lists are handled too.
fn plural(kind: &str) -> String {
    match kind {
        "number" | "whole number" | "text" | "table" => format!("{kind}s"),
        linked if linked.starts_with("[table]") => linked.replacen("table", "tables", 1),
        other => other.replacen("list of", "lists of", 1),
    }
}

fn alternatives(schema: &Value) -> Option<&Vec<Value>> {
    schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()
}

fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")
}

/// The description in the schema, formatted for a table cell.
fn description(schema: &Value) -> String {
    let words = schema["description"].as_str().unwrap_or_default().split_whitespace();
    words.collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The heading of a top-level key, as scenes write it.
fn heading(key: &str, entry: &Value) -> String {
    match (entry.get("items"), entry.get("additionalProperties")) {
        (Some(_), _) => format!("[[{key}]]"),
        (_, Some(_)) => format!("[{key}.NAME]"),
        _ => format!("[{key}]"),
    }
}

/// The name of a kind of table for readers: `CohesiveZone` is "cohesive zone", `BallEntry` is "ball".
fn title(name: &str) -> String {
    let name = name.strip_suffix("Entry").unwrap_or(name);
    let split =
        |letter: char| if letter.is_uppercase() { format!(" {}", letter.to_lowercase()) } else { letter.to_string() };
    name.chars().map(split).collect::<String>().trim().to_owned()
}

/// The anchor of a heading in links, as forges and mdBook form it.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
}
