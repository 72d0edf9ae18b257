//! Paths within a scene: the keys and indices that lead to a value.

use std::fmt;

use toml_edit::Item;

/// Keys from the root of the scene down; array indices count from 0, as in `bodies.0.velocity`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPath(Vec<String>);

impl KeyPath {
    /// A path from its keys in order.
    pub fn new(keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(keys.into_iter().map(Into::into).collect())
    }

    /// Appends a key of this table or an index of this array.
    pub fn then(&self, step: impl ToString) -> Self {
        let mut keys = self.0.clone();
        keys.push(step.to_string());
        Self(keys)
    }

    /// The keys in order.
    pub fn keys(&self) -> &[String] {
        &self.0
    }

    /// The last key; empty for the root.
    pub fn last(&self) -> &str {
        self.0.last().map_or("", String::as_str)
    }

    /// The path of the enclosing table or array; the root is its own parent.
    pub fn parent(&self) -> Self {
        Self(self.0[..self.0.len().saturating_sub(1)].to_vec())
    }

    /// Whether the path is the whole scene.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `self` lies within `other` or equals it.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }

    /// The longest prefix of the path that exists in `root`, and the value there.
    pub fn follow<'a>(&self, root: &'a Item) -> (Self, Found<'a>) {
        let mut found = Found::Item(root);
        for (depth, key) in self.0.iter().enumerate() {
            match found.step(key) {
                Some(next) => found = next,
                None => return (Self(self.0[..depth].to_vec()), found),
            }
        }
        (self.clone(), found)
    }
}

impl From<&str> for KeyPath {
    fn from(dotted: &str) -> Self {
        Self::new(dotted.split('.'))
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// The value at a path. The library represents the tables of `[[bodies]]` and the values of arrays by different types.
#[derive(Clone, Copy)]
pub enum Found<'a> {
    /// A table or any value with a key of its own.
    Item(&'a Item),
    /// One table of an array of tables.
    Table(&'a toml_edit::Table),
    /// A value in an array.
    Value(&'a toml_edit::Value),
}

impl<'a> Found<'a> {
    fn step(self, key: &str) -> Option<Self> {
        match self {
            Found::Item(Item::ArrayOfTables(tables)) => tables.get(key.parse().ok()?).map(Found::Table),
            Found::Item(Item::Table(table)) => table.get(key).map(Found::Item),
            Found::Item(Item::Value(value)) => Found::Value(value).step(key),
            Found::Item(Item::None) => None,
            Found::Table(table) => table.get(key).map(Found::Item),
            Found::Value(toml_edit::Value::Array(array)) => array.get(key.parse().ok()?).map(Found::Value),
            Found::Value(toml_edit::Value::InlineTable(table)) => table.get(key).map(Found::Value),
            Found::Value(_) => None,
        }
    }

    /// The range of the text from which it was read.
    pub fn span(self) -> Option<std::ops::Range<usize>> {
        match self {
            Found::Item(item) => item.span(),
            Found::Table(table) => table.span(),
            Found::Value(value) => value.span(),
        }
    }

    /// The range of the text of one of its keys.
    pub fn key_span(self, key: &str) -> Option<std::ops::Range<usize>> {
        match self {
            Found::Item(item) => item.as_table_like()?.key(key)?.span(),
            Found::Table(table) => table.key(key)?.span(),
            Found::Value(value) => value.as_inline_table()?.key(key)?.span(),
        }
    }

    /// The children with their keys or indices.
    pub fn children(self) -> Vec<(String, Found<'a>)> {
        let array = |array: &'a toml_edit::Array| {
            array.iter().enumerate().map(|(i, v)| (i.to_string(), Found::Value(v))).collect()
        };
        match self {
            Found::Item(Item::ArrayOfTables(tables)) => {
                tables.iter().enumerate().map(|(i, t)| (i.to_string(), Found::Table(t))).collect()
            }
            Found::Item(Item::Table(table)) | Found::Table(table) => {
                table.iter().map(|(k, item)| (k.to_owned(), Found::Item(item))).collect()
            }
            Found::Item(Item::Value(toml_edit::Value::Array(values)))
            | Found::Value(toml_edit::Value::Array(values)) => array(values),
            Found::Item(Item::Value(toml_edit::Value::InlineTable(table)))
            | Found::Value(toml_edit::Value::InlineTable(table)) => {
                table.iter().map(|(k, v)| (k.to_owned(), Found::Value(v))).collect()
            }
            Found::Item(_) | Found::Value(_) => Vec::new(),
        }
    }

    /// The string, if it is one.
    pub fn text(self) -> Option<&'a str> {
        match self {
            Found::Item(item) => item.as_str(),
            Found::Value(value) => value.as_str(),
            Found::Table(_) => None,
        }
    }

    /// The floating-point number, if it is one.
    pub fn float(self) -> Option<f64> {
        match self {
            Found::Item(item) => item.as_float(),
            Found::Value(value) => value.as_float(),
            Found::Table(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[time]\nstep = 0.1\n[[bodies]]\n[[bodies]]\nposition = [1, 2.5]\nsphere = { radius = 3 }\n";

    #[test]
    fn a_path_leads_through_tables_arrays_and_inline_tables() {
        let document = toml_edit::Document::parse(TEXT).unwrap();
        let text = |path: &str| {
            let (found, item) = KeyPath::from(path).follow(document.as_item());
            (found.to_string(), item.span().map_or("", |span| &TEXT[span]).to_owned())
        };
        assert_eq!(text("time.step"), ("time.step".into(), "0.1".into()));
        assert_eq!(text("bodies.1.position.1"), ("bodies.1.position.1".into(), "2.5".into()));
        assert_eq!(text("bodies.1.sphere.radius"), ("bodies.1.sphere.radius".into(), "3".into()));
    }

    #[test]
    fn a_path_to_nothing_leads_to_what_should_hold_it() {
        let document = toml_edit::Document::parse(TEXT).unwrap();
        let (found, item) = KeyPath::from("bodies.0.sphere.radius").follow(document.as_item());
        assert_eq!(found.to_string(), "bodies.0");
        assert_eq!(item.span().map(|span| &TEXT[span]), Some("[[bodies]]"));
        assert!(KeyPath::from("bodies.7").follow(document.as_item()).0 == KeyPath::from("bodies"));
    }

    #[test]
    fn a_path_is_within_itself_and_what_holds_it() {
        let path = KeyPath::from("a.b.c");
        assert!(path.is_within(&path) && path.is_within(&path.parent()) && !path.parent().is_within(&path));
        assert!(!KeyPath::from("a.bc").is_within(&KeyPath::from("a.b")));
    }
}
