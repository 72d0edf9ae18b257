//! What a source file declares and names, without test code.

use std::collections::{BTreeMap, BTreeSet};

/// Names from the root of the crate to an item, or as written in the code.
pub(super) type ModulePath = Vec<String>;

/// What a file declares and names.
#[derive(Default)]
pub(super) struct SourceFile {
    pub(super) children: BTreeSet<String>,
    pub(super) items: BTreeSet<String>,
    /// Paths of imports and re-exports by the name that they introduce.
    pub(super) imports: BTreeMap<String, ModulePath>,
    /// Paths in the code, and those of imports that are not re-exports.
    pub(super) named: BTreeSet<ModulePath>,
}

/// Length of the comment, literal, lifetime, word, `::` or single character at the start of `text`.
fn token_length(text: &str) -> usize {
    let word = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let hashes = text[word..].len() - text[word..].trim_start_matches('#').len();
    let is_raw = ["r", "br"].contains(&&text[..word]) && text[word + hashes..].starts_with('"');
    let is_character = text.starts_with("'\\") || (text.starts_with('\'') && text.chars().nth(2) == Some('\''));
    let after = |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    let mut is_escaped = false;
    let ends = |(_, c): &(usize, char)| {
        let is_end = !is_escaped && text.starts_with(*c);
        is_escaped = !is_escaped && *c == '\\';
        is_end
    };
    match text.chars().next() {
        Some('/') if text.starts_with("//") => after("\n", 0),
        _ if is_raw => after(&format!("\"{}", "#".repeat(hashes)), word + hashes + 1),
        Some('"' | '\'') if text.starts_with('"') || is_character => {
            text.char_indices().skip(1).find(ends).map_or(text.len(), |(at, _)| at + 1)
        }
        Some('\'') => 1 + token_length(&text[1..]),
        Some(':') if text.starts_with("::") => 2,
        first => word.max(first.map_or(0, char::len_utf8)),
    }
}

/// Words and punctuation, without comments, literals, lifetimes and items compiled for tests only.
fn tokens(mut text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let (token, rest) = text.split_at(token_length(text));
        text = rest;
        if !token.trim().is_empty() && !token.starts_with("//") && !token.starts_with('\'') && !token.ends_with('"') {
            found.push(token);
        }
    }
    while let Some(at) = found.windows(7).position(|seven| seven == ["#", "[", "cfg", "(", "test", ")", "]"]) {
        let mut depth = 0;
        let ends = |token: &&str| {
            depth += i32::from(*token == "{") - i32::from(*token == "}");
            depth == 0 && ["}", ";"].contains(token)
        };
        let length = found[at..].iter().position(ends).unwrap();
        found.drain(at..=at + length);
    }
    found
}

/// Names and paths that a tree of imports, up to its `;`, introduces.
fn imported(tree: &[&str]) -> Vec<(String, ModulePath)> {
    let (mut found, mut path, mut prefixes, mut name) = (Vec::new(), ModulePath::new(), Vec::new(), None);
    for (at, &token) in tree.iter().enumerate() {
        match token {
            "::" | "as" => {}
            "{" => prefixes.push(path.clone()),
            "," | "}" | ";" => {
                found.extend(name.take().map(|name| (name, path)));
                prefixes.truncate(prefixes.len() - usize::from(token == "}"));
                path = prefixes.last().cloned().unwrap_or_default();
            }
            word => {
                if tree[at.saturating_sub(1)] != "as" && (word != "self" || path.is_empty()) {
                    path.push(word.to_string());
                }
                name = if word == "self" { path.last().cloned() } else { Some(word.to_string()) };
            }
        }
        if tree.get(at + 1) == Some(&"::") {
            name = None;
        }
    }
    found
}

/// Parses the text of a file.
pub(super) fn parse(text: &str) -> SourceFile {
    let (tokens, mut file, mut depth, mut at) = (tokens(text), SourceFile::default(), 0, 0);
    let is_word = |at: usize| tokens.get(at).is_some_and(|t| t.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    while at < tokens.len() {
        let start = at;
        match (tokens[at], tokens.get(at + 1)) {
            ("{", _) => depth += 1,
            ("}", _) => depth -= 1,
            ("use", Some(next)) if *next != "<" => {
                at += tokens[at..].iter().position(|token| *token == ";").unwrap();
                let found = imported(&tokens[start + 1..=at]);
                let is_exported = start > 0 && ["pub", ")"].contains(&tokens[start - 1]);
                file.named.extend(found.iter().filter(|_| !is_exported).map(|(_, path)| path.clone()));
                file.imports.extend(found);
            }
            ("mod" | "struct" | "enum" | "trait" | "type" | "fn" | "const" | "static", Some(name)) if depth == 0 => {
                let is_file = tokens[at] == "mod" && tokens[at + 2] == ";";
                if is_file { &mut file.children } else { &mut file.items }.insert(name.to_string());
                at += 1;
            }
            _ if is_word(at) && (at == 0 || ![".", "::"].contains(&tokens[at - 1])) => {
                while tokens.get(at + 1) == Some(&"::") && is_word(at + 2) {
                    at += 2;
                }
                file.named.insert(tokens[start..=at].iter().step_by(2).map(|word| word.to_string()).collect());
            }
            _ => {}
        }
        at += 1;
    }
    file
}
