//! Coverage of the schema: the keys that a scene uses.

use std::collections::BTreeSet;

use serde_json::Value;

/// The schema of scenes, traversed along a scene.
pub(super) struct Schema(Value);

impl Schema {
    pub(super) fn new(json: &str) -> Self {
        Self(serde_json::from_str(json).unwrap())
    }

    /// Every key of every table and every value of every enumeration, as `table.key` and `table = word`.
    pub(super) fn all(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        list("scene", &self.0, &mut found);
        for (name, definition) in self.0["$defs"].as_object().into_iter().flatten() {
            list(name, definition, &mut found);
        }
        found
    }

    /// Adds the keys and values that a scene uses.
    pub(super) fn used(&self, scene: &toml::Table, found: &mut BTreeSet<String>) {
        let scene = serde_json::to_value(scene).unwrap();
        self.visit("scene", &self.0, &scene, found);
    }

    fn visit(&self, name: &str, schema: &Value, value: &Value, found: &mut BTreeSet<String>) {
        if let Some(reference) = schema["$ref"].as_str() {
            // References of a schema point to its definitions.
            let name = reference.trim_start_matches("#/$defs/");
            self.visit(name, &self.0["$defs"][name], value, found);
        }
        for several in ["anyOf", "oneOf", "allOf"] {
            for one in schema[several].as_array().into_iter().flatten() {
                self.visit(name, one, value, found);
            }
        }
        match value {
            Value::Object(entries) => {
                for (key, value) in entries {
                    if let Some(below) = schema["properties"].get(key) {
                        found.insert(format!("{name}.{key}"));
                        self.visit(&format!("{name}.{key}"), below, value, found);
                    } else if schema["additionalProperties"].is_object() {
                        self.visit(name, &schema["additionalProperties"], value, found);
                    }
                }
            }
            Value::Array(entries) if schema["items"].is_object() => {
                entries.iter().for_each(|value| self.visit(name, &schema["items"], value, found));
            }
            Value::String(word) if words(schema).any(|own| own == word) => {
                found.insert(format!("{name} = {word}"));
            }
            _ => {}
        }
    }
}

fn words(schema: &Value) -> impl Iterator<Item = &str> {
    let several = schema["enum"].as_array().into_iter().flatten();
    several.chain(schema.get("const")).filter_map(Value::as_str)
}

fn list(name: &str, schema: &Value, found: &mut BTreeSet<String>) {
    for (key, below) in schema["properties"].as_object().into_iter().flatten() {
        found.insert(format!("{name}.{key}"));
        list(&format!("{name}.{key}"), below, found);
    }
    found.extend(words(schema).map(|word| format!("{name} = {word}")));
    for several in ["anyOf", "oneOf", "allOf"] {
        schema[several].as_array().into_iter().flatten().for_each(|one| list(name, one, found));
    }
}
