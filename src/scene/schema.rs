//! The JSON schema of scenes, for editors. The doc comments of the scene's types are its text, from which the help of
//! error messages is taken too.

use std::sync::LazyLock;

use serde_json::Value;

use super::{KeyPath, Scene};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Scene).to_value());

/// The JSON schema of a scene.
pub fn schema() -> String {
    let mut text = serde_json::to_string_pretty(&*SCHEMA).unwrap_or_default();
    text.push('\n');
    text
}

/// The reference of all keys of a scene, in Markdown.
pub fn reference() -> String {
    super::reference::markdown(&SCHEMA)
}

/// The description of the key at `path` in the schema, as the end of a sentence.
pub(crate) fn about(path: &KeyPath) -> Option<String> {
    let mut here = &*SCHEMA;
    for key in path.keys() {
        here = step(here, key)?;
    }
    let text = here.get("description")?.as_str()?;
    // Only the first paragraph, which says what the key is.
    let first = text.split("\n\n").next()?.replace('\n', " ");
    let mut letters = first.trim_end_matches('.').chars();
    let lowered = letters.next()?.to_lowercase().collect::<String>() + letters.as_str();
    Some(lowered)
}

/// The schema of `key` within `here`.
fn step<'a>(here: &'a Value, key: &str) -> Option<&'a Value> {
    let direct = here.get("properties").and_then(|p| p.get(key));
    let any = || here.get("additionalProperties").filter(|v| v.is_object());
    let item = || here.get("items").filter(|_| key.parse::<usize>().is_ok());
    direct.or_else(any).or_else(item).or_else(|| {
        let reference = here.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix("#/$defs/"));
        let target = reference.and_then(|name| SCHEMA.get("$defs")?.get(name));
        let choices = here.get("anyOf").and_then(Value::as_array);
        target.into_iter().chain(choices.into_iter().flatten()).find_map(|schema| step(schema, key))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_a_scene_is_explained() {
        fn undocumented(schema: &Value, name: &str, found: &mut Vec<String>) {
            for (key, value) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                let described = value.get("description").is_some();
                if !described {
                    found.push(format!("{name}.{key}"));
                }
            }
        }
        let mut found = Vec::new();
        undocumented(&SCHEMA, "scene", &mut found);
        for (name, schema) in SCHEMA["$defs"].as_object().unwrap() {
            undocumented(schema, name, &mut found);
        }
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn the_schema_finds_the_words_for_a_path() {
        assert_eq!(about(&KeyPath::from("time.step")).unwrap(), "length of a step, s");
        assert!(about(&KeyPath::from("bodies.3.sphere.radius")).unwrap().starts_with("radius"));
        assert!(about(&KeyPath::from("materials.glass.density")).is_some());
        assert!(about(&KeyPath::from("laws.0.coulomb.friction")).is_some());
        assert!(about(&KeyPath::from("world.nothing")).is_none());
    }
}
