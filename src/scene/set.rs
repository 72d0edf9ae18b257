//! `--set key=value`: a change to the scene document before it is deserialised.
//!
//! The key is a dotted path; array indices count from 0: `bodies.0.velocity=[1, 0]`. The value is TOML; a bare word is
//! taken as text, since shells remove quotes.

use toml_edit::{DocumentMut, Item, Key, Table, Value};

use super::words::did_you_mean;
use super::{KeyPath, SceneError};

/// One `--set`.
#[derive(Clone, Debug)]
pub(crate) struct Set {
    /// As typed on the command line.
    pub(crate) text: String,
    pub(crate) path: KeyPath,
    value: Value,
    equals: usize,
}

impl Set {
    /// Parses the argument of `--set`.
    pub(crate) fn parse(text: &str) -> Result<Self, SceneError> {
        let whole = 0..text.len();
        let Some(equals) = text.find('=') else {
            let help = "write --set key=value, for instance --set time.end=2.5";
            return Err(refuse(text, whole, "there is no `=` in this --set", help));
        };
        let keys = match Key::parse(text[..equals].trim()) {
            Ok(keys) => keys,
            Err(_) => {
                let help = "a key is a dotted path such as time.end or bodies.0.velocity";
                return Err(refuse(text, 0..equals, "the key of this --set cannot be read", help));
            }
        };
        let path = KeyPath::new(keys.iter().map(Key::get));
        let raw = text[equals + 1..].trim();
        let value = match raw.parse::<Value>() {
            Ok(value) => value,
            Err(_) if raw.starts_with(['[', '{', '"', '\'']) || raw.is_empty() => {
                let help = "the value is TOML: 0.5, true, \"text\", [1, 2, 3], { every = 0.1 }";
                return Err(refuse(text, equals + 1..text.len(), "the value of this --set cannot be read", help));
            }
            Err(_) => Value::from(raw),
        };
        Ok(Self { text: text.to_owned(), path, value, equals })
    }

    /// A change that does not come from the command line.
    pub(crate) fn new(path: &KeyPath, value: String) -> Self {
        Self { text: String::new(), path: path.clone(), value: Value::from(value), equals: 0 }
    }

    /// The range of the text of the last key.
    pub(crate) fn key_span(&self) -> std::ops::Range<usize> {
        let key = self.text[..self.equals].trim_end();
        let start = key.rfind('.').map_or(0, |dot| dot + 1);
        start..key.len()
    }

    /// The range of the text of the value.
    pub(crate) fn value_span(&self) -> std::ops::Range<usize> {
        self.equals + 1..self.text.len()
    }

    /// Applies the change to the document.
    pub(crate) fn apply(&self, document: &mut DocumentMut) -> Result<(), SceneError> {
        let Some((last, above)) = self.path.keys().split_last() else {
            return Err(refuse(&self.text, 0..self.equals, "the key of this --set is empty", ""));
        };
        let mut target = SetTarget::Item(document.as_item_mut());
        for (depth, key) in above.iter().enumerate() {
            let here = KeyPath::new(&above[..depth]);
            target = target.step(key, &here).map_err(|refusal| self.refuse(refusal))?;
        }
        let here = self.path.parent();
        target.put(last, self.value.clone(), &here).map_err(|refusal| self.refuse(refusal))
    }

    fn refuse(&self, refusal: Refusal) -> SceneError {
        refuse(&self.text, 0..self.equals, &refusal.message, &refusal.help)
    }
}

fn refuse(text: &str, span: std::ops::Range<usize>, message: &str, help: &str) -> SceneError {
    SceneError::new("--set", text, vec![(span, "this".into())], message.into(), help.into())
}

/// The reason why a path cannot be followed.
struct Refusal {
    message: String,
    help: String,
}

impl Refusal {
    fn new(message: String, help: impl Into<String>) -> Self {
        Self { message, help: help.into() }
    }
}

/// The part of the document that a change modifies.
enum SetTarget<'a> {
    Item(&'a mut Item),
    Table(&'a mut Table),
    Value(&'a mut Value),
}

impl<'a> SetTarget<'a> {
    /// The target below `key`; a missing table is created.
    fn step(self, key: &str, here: &KeyPath) -> Result<SetTarget<'a>, Refusal> {
        match self {
            SetTarget::Item(Item::ArrayOfTables(tables)) => {
                let count = tables.len();
                array_index(key, count, here)
                    .and_then(|i| tables.get_mut(i).map(SetTarget::Table).ok_or_else(|| beyond(key, count, here)))
            }
            SetTarget::Item(Item::Table(table)) | SetTarget::Table(table) => {
                if !table.contains_key(key) {
                    check_new_table(table, key, here)?;
                }
                Ok(SetTarget::Item(table.entry(key).or_insert(Item::Table(Table::new()))))
            }
            SetTarget::Item(Item::Value(value)) => SetTarget::Value(value).step(key, here),
            SetTarget::Value(Value::Array(array)) => {
                let count = array.len();
                array_index(key, count, here)
                    .and_then(|i| array.get_mut(i).map(SetTarget::Value).ok_or_else(|| beyond(key, count, here)))
            }
            SetTarget::Value(Value::InlineTable(table)) => {
                Ok(SetTarget::Value(table.entry(key).or_insert(Value::InlineTable(toml_edit::InlineTable::new()))))
            }
            SetTarget::Item(Item::None) | SetTarget::Value(_) => Err(no_table(here)),
        }
    }

    /// Inserts or replaces the value.
    fn put(self, key: &str, value: Value, here: &KeyPath) -> Result<(), Refusal> {
        match self {
            SetTarget::Item(Item::ArrayOfTables(tables)) => {
                let index = array_index(key, tables.len(), here)?;
                let help = format!("set one of its keys: {here}.{index}.<key>=...");
                Err(Refusal::new(format!("`{here}.{index}` is a whole table and cannot be replaced"), help))
            }
            SetTarget::Item(Item::Table(table)) | SetTarget::Table(table) => {
                table.insert(key, Item::Value(value));
                Ok(())
            }
            SetTarget::Item(Item::Value(inner)) => SetTarget::Value(inner).put(key, value, here),
            SetTarget::Value(Value::Array(array)) => {
                let index = array_index(key, array.len(), here)?;
                array.replace(index, value);
                Ok(())
            }
            SetTarget::Value(Value::InlineTable(table)) => {
                table.insert(key, value);
                Ok(())
            }
            SetTarget::Item(Item::None) | SetTarget::Value(_) => Err(no_table(here)),
        }
    }
}

/// Parses `key` as an index of an array of `count` entries.
fn array_index(key: &str, count: usize, here: &KeyPath) -> Result<usize, Refusal> {
    match key.parse::<usize>() {
        Ok(index) if index < count => Ok(index),
        Ok(_) => Err(beyond(key, count, here)),
        Err(_) => {
            let help = format!("write {here}.0 for the first of its {count}");
            Err(Refusal::new(format!("`{here}` is an array: the next key must be a number, not `{key}`"), help))
        }
    }
}

fn beyond(key: &str, count: usize, here: &KeyPath) -> Refusal {
    let help = match count {
        0 => format!("`{here}` is empty"),
        1 => format!("the only one is {here}.0"),
        _ => format!("they are {here}.0 to {here}.{}", count - 1),
    };
    Refusal::new(format!("there is no `{here}.{key}`"), help)
}

fn no_table(here: &KeyPath) -> Refusal {
    Refusal::new(format!("`{here}` is a single value and has no keys"), format!("set it as a whole: {here}=..."))
}

/// Rejects a new material: no body would use it, so it is more likely a typing error.
fn check_new_table(table: &Table, key: &str, here: &KeyPath) -> Result<(), Refusal> {
    let known: Vec<&str> = table.iter().map(|(name, _)| name).collect();
    if here.to_string() == "materials" {
        let help = did_you_mean(key, &known, "materials of the scene");
        return Err(Refusal::new(format!("the scene has no material `{key}`"), help));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(text: &str, set: &str) -> String {
        let mut document: DocumentMut = text.parse().unwrap();
        Set::parse(set).unwrap().apply(&mut document).unwrap();
        document.to_string()
    }

    fn refused(text: &str, set: &str) -> String {
        let mut document: DocumentMut = text.parse().unwrap();
        match Set::parse(set).and_then(|s| s.apply(&mut document)) {
            Err(error) => error.to_string(),
            Ok(()) => panic!("{document}"),
        }
    }

    #[test]
    fn a_value_is_replaced_and_the_rest_left_alone() {
        let text = "# mine\n[time]\nstep = 0.1 # s\nend = 2\n";
        assert_eq!(changed(text, "time.end=3.5"), "# mine\n[time]\nstep = 0.1 # s\nend = 3.5\n");
        assert_eq!(changed("[[bodies]]\nx = [1, 2]\n", "bodies.0.x.1=5"), "[[bodies]]\nx = [1, 5]\n");
        assert_eq!(changed("f = { every = 1 }\n", "f.every=2"), "f = { every = 2 }\n");
    }

    #[test]
    fn a_missing_table_is_made() {
        assert_eq!(
            changed("[time]\nend = 2\n", "solver.tolerance=1e-4"),
            "[time]\nend = 2\n\n[solver]\ntolerance = 1e-4\n"
        );
    }

    #[test]
    fn a_bare_word_is_text() {
        assert_eq!(changed("", "domain.interface=glue"), "[domain]\ninterface = \"glue\"\n");
        assert_eq!(changed("", "output.directory=out/run 1"), "[output]\ndirectory = \"out/run 1\"\n");
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        assert!(refused("[[bodies]]\n", "bodies.3.mass=1").contains("no `bodies.3`"));
        assert!(refused("[[bodies]]\n", "bodies.mass=1").contains("is an array"));
        assert!(refused("[time]\nend = 1\n", "time.end.x=1").contains("single value"));
        assert!(refused("[materials.glass]\n", "materials.glas.density=1").contains("no material `glas`"));
        assert!(refused("", "time.end").contains("no `=`"));
        assert!(refused("", "a b=3").contains("key"));
        assert!(refused("", "a=[1,").contains("value"));
    }
}
