//! Scene values with several notations: a number, an array of numbers, or a table.
//!
//! They are deserialised by hand, since serde's untagged enums lose the position of a mistake in the file.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

/// A number, an array of numbers, or the table `T`, as far as `T` allows.
#[derive(Clone, Debug, PartialEq)]
pub enum Loose<T> {
    /// One number.
    Number(f64),
    /// Several numbers.
    Array(Vec<f64>),
    /// A table of keys and values.
    Table(T),
}

/// The notations that are allowed.
pub trait Notation: Sized {
    /// Description of the notations, to follow "expected".
    const EXPECTED: &'static str;
    /// Whether an array of numbers is allowed.
    const ARRAY: bool;
    /// Whether the table is allowed.
    const TABLE: bool;
}

/// Where no table is allowed: a number or an array.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NumberOrArray {}

impl Notation for NumberOrArray {
    const EXPECTED: &'static str = "a number or an array of numbers";
    const ARRAY: bool = true;
    const TABLE: bool = false;
}

struct LooseVisitor<T>(PhantomData<T>);

impl<'de, T: Notation + Deserialize<'de>> Visitor<'de> for LooseVisitor<T> {
    type Value = Loose<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Loose::Number(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Loose::Number(number as f64))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Loose::Number(number as f64))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, array: A) -> Result<Self::Value, A::Error> {
        if !T::ARRAY {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        Vec::deserialize(SeqAccessDeserializer::new(array)).map(Loose::Array)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Self::Value, A::Error> {
        if !T::TABLE {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        }
        T::deserialize(MapAccessDeserializer::new(table)).map(Loose::Table)
    }
}

impl<'de, T: Notation + Deserialize<'de>> Deserialize<'de> for Loose<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor(PhantomData))
    }
}

impl<T: Notation + JsonSchema> JsonSchema for Loose<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("Loose{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut alternatives = vec![json_schema!({ "type": "number" })];
        if T::ARRAY {
            alternatives.push(json_schema!({ "type": "array", "items": { "type": "number" } }));
        }
        if T::TABLE {
            alternatives.push(generator.subschema_for::<T>());
        }
        json_schema!({ "anyOf": alternatives })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Holder {
        value: Loose<NumberOrArray>,
    }

    fn read(text: &str) -> Result<Loose<NumberOrArray>, toml::de::Error> {
        toml::from_str::<Holder>(text).map(|holder| holder.value)
    }

    #[test]
    fn a_number_and_an_array_are_read_and_a_table_is_not() {
        assert_eq!(read("value = 3").unwrap(), Loose::Number(3.0));
        assert_eq!(read("value = [3, 0.5]").unwrap(), Loose::Array(vec![3.0, 0.5]));
        let error = read("value = { x = 3 }").unwrap_err();
        assert!(error.message().ends_with("expected a number or an array of numbers"), "{error}");
    }

    #[test]
    fn a_nested_mistake_keeps_its_position() {
        let text = "value = [3, \"x\"]";
        assert_eq!(&text[read(text).unwrap_err().span().unwrap()], "\"x\"");
    }
}
