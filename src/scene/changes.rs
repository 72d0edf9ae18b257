//! Differences between two scenes, key by key.

use toml::{Table, Value};

/// Keys that may change without making it a different run.
const HARMLESS: [&str; 3] = ["time.end", "output", "measure"];

/// Keys that must not change when a run is resumed, since its bodies exist already.
const FIXED: [&str; 6] = ["bodies", "cell", "feeds", "generators", "materials", "world.dimension"];

/// The keys that differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Keys that change the computation.
    pub serious: Vec<String>,
    /// Keys that concern existing bodies, so that a change cannot take effect.
    pub impossible: Vec<String>,
}

/// Compares two scenes by their texts. A text that is not TOML counts as empty; its next reader reports the error.
pub fn changes(before: &str, after: &str) -> Changes {
    let table = |text: &str| Value::Table(text.parse::<Table>().unwrap_or_default());
    let mut keys = Vec::new();
    differ(&table(before), &table(after), String::new(), &mut keys);
    let is_one_of = |key: &String, list: &[&str]| {
        list.iter().any(|own| key.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    };
    keys.retain(|key| !is_one_of(key, &HARMLESS));
    let (impossible, serious) = keys.into_iter().partition(|key| is_one_of(key, &FIXED));
    Changes { serious, impossible }
}

fn differ(a: &Value, b: &Value, at: String, found: &mut Vec<String>) {
    let below = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    match (a, b) {
        (Value::Table(a), Value::Table(b)) => {
            let keys: std::collections::BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                match (a.get(key), b.get(key)) {
                    (Some(a), Some(b)) => differ(a, b, below(key), found),
                    _ => found.push(below(key)),
                }
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                differ(a, b, below(&i.to_string()), found);
            }
        }
        _ if a == b => {}
        _ => found.push(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_keys_are_named_and_harmless_ones_are_not() {
        let before = "[time]\nstep = 1.0\nend = 2.0\n[output]\nhistory = true\n[[bodies]]\nposition = [0, 1]\n";
        let after = "[time]\nstep = 0.5\nend = 3.0\n[solver]\ntolerance = 1.0\n[[bodies]]\nposition = [0, 2]\n";
        let found = changes(before, after);
        assert_eq!(found.serious, ["solver", "time.step"]);
        assert_eq!(found.impossible, ["bodies.0.position.1"]);
        assert_eq!(changes(before, before), Changes::default());
    }
}
