//! The files of `src/` depend on each other in one direction only: no circles, not even within a module.
//!
//! A file depends on the files that define what it names; paths are followed through imports and re-exports. A
//! re-export alone is no dependency, and test code does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

type ModulePath = Vec<String>;

/// What a file declares and names.
#[derive(Default)]
struct SourceFile {
    children: BTreeSet<String>,
    items: BTreeSet<String>,
    /// Paths of imports and re-exports by the name that they introduce.
    imports: BTreeMap<String, ModulePath>,
    /// Paths in the code, and those of imports that are not re-exports.
    named: BTreeSet<ModulePath>,
}

type SourceTree = BTreeMap<ModulePath, SourceFile>;

/// Length of the comment, literal, word, `::` or single character at the start of `text`.
fn token_length(text: &str) -> usize {
    let after = |end: &str, from: usize| text[from..].find(end).map_or(text.len(), |at| from + at + end.len());
    let word = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let hashes = text[word..].len() - text[word..].trim_start_matches('#').len();
    let is_character = text.starts_with("'\\") || (text.starts_with('\'') && text.chars().nth(2) == Some('\''));
    if text.starts_with("//") {
        after("\n", 0)
    } else if ["r", "br"].contains(&&text[..word]) && text[word + hashes..].starts_with('"') {
        after(&format!("\"{}", "#".repeat(hashes)), word + hashes + 1)
    } else if text.starts_with('"') || is_character {
        let mut is_escaped = false;
        let ends = |(_, c): &(usize, char)| {
            is_escaped = !is_escaped && *c == '\\';
            !is_escaped && text.starts_with(*c)
        };
        text.char_indices().skip(1).find(ends).map_or(text.len(), |(at, _)| at + 1)
    } else if let Some(lifetime) = text.strip_prefix('\'') {
        1 + token_length(lifetime)
    } else if text.starts_with("::") {
        2
    } else {
        word.max(text.chars().next().map_or(0, char::len_utf8))
    }
}

/// Words and punctuation, without comments, literals and items compiled for tests only.
fn tokens(mut text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    while !text.is_empty() {
        let (token, rest) = text.split_at(token_length(text));
        text = rest;
        let is_code = !token.trim().is_empty() && !token.starts_with("//");
        if is_code && !token.starts_with('\'') && !token.ends_with('"') {
            found.push(token);
        }
    }
    while let Some(at) = found.windows(7).position(|seven| seven == ["#", "[", "cfg", "(", "test", ")", "]"]) {
        let end = at + found[at..].iter().position(|token| ["{", ";"].contains(token)).expect("an item");
        let end = if found[end] == "{" { closing(&found, end) } else { end };
        found.drain(at..=end);
    }
    found
}

/// Place of the brace that closes the one at `open`.
fn closing(tokens: &[&str], open: usize) -> usize {
    let mut depth = 0;
    let ends = |token: &&str| {
        depth += i32::from(*token == "{") - i32::from(*token == "}");
        depth == 0
    };
    open + tokens[open..].iter().position(ends).expect("a closing brace")
}

/// Names and paths that a tree of imports after `prefix` introduces.
fn leaves(tree: &[&str], prefix: &[String]) -> Vec<(String, ModulePath)> {
    let (mut found, mut path, mut at) = (Vec::new(), prefix.to_vec(), 0);
    while at < tree.len() {
        match tree[at] {
            "{" => {
                let end = closing(tree, at);
                found.extend(leaves(&tree[at + 1..end], &path));
                at = end;
                path.clear();
            }
            "as" => {
                found.push((tree[at + 1].to_string(), std::mem::take(&mut path)));
                at += 1;
            }
            "," => path = prefix.to_vec(),
            "::" => {}
            "self" if !path.is_empty() => {}
            segment => path.push(segment.to_string()),
        }
        at += 1;
        if let (None | Some(&","), Some(name)) = (tree.get(at), path.last()) {
            found.push((name.clone(), path.clone()));
        }
    }
    found
}

fn parse(text: &str) -> SourceFile {
    let (tokens, mut file, mut depth, mut at) = (tokens(text), SourceFile::default(), 0, 0);
    let is_word = |at: usize| tokens.get(at).is_some_and(|t| t.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    while at < tokens.len() {
        let next = tokens.get(at + 1).map(|token| token.to_string());
        match (tokens[at], next) {
            ("{", _) => depth += 1,
            ("}", _) => depth -= 1,
            ("mod", Some(name)) if tokens[at + 2] == ";" => {
                file.children.insert(name);
                at += 1;
            }
            ("use", Some(next)) if next != "<" => {
                let end = at + tokens[at..].iter().position(|token| *token == ";").expect("the end of an import");
                let is_exported = at > 0 && ["pub", ")"].contains(&tokens[at - 1]);
                let found = leaves(&tokens[at + 1..end], &[]);
                file.named.extend(found.iter().filter(|_| !is_exported).map(|(_, path)| path.clone()));
                file.imports.extend(found);
                at = end;
            }
            ("struct" | "enum" | "trait" | "type" | "fn" | "const" | "static", Some(name)) if depth == 0 => {
                file.items.insert(name);
                at += 1;
            }
            _ if is_word(at) && (at == 0 || ![".", "::"].contains(&tokens[at - 1])) => {
                let start = at;
                while tokens.get(at + 1) == Some(&"::") && is_word(at + 2) {
                    at += 2;
                }
                file.named.insert(tokens[start..=at].iter().step_by(2).map(|segment| segment.to_string()).collect());
            }
            _ => {}
        }
        at += 1;
    }
    file
}

/// Reads the file of a module and of all modules below it.
fn read(module: ModulePath, tree: &mut SourceTree) {
    let base = format!("src/{}", module.join("/"));
    let places = [format!("{base}.rs"), format!("{base}/mod.rs"), "src/lib.rs".to_string()];
    let file = parse(&places.iter().find_map(|place| fs::read_to_string(place).ok()).expect("the file of a module"));
    for child in &file.children {
        read([&module[..], &[child.clone()]].concat(), tree);
    }
    tree.insert(module, file);
}

/// The module whose file defines what `path` names in `module`; none for modules and for other crates.
fn definition(tree: &SourceTree, module: &[String], path: &[String]) -> Option<ModulePath> {
    let file = tree.get(module)?;
    let (first, rest) = path.split_first()?;
    let is_child = file.children.contains(first);
    match first.as_str() {
        "crate" => definition(tree, &[], rest),
        "self" => definition(tree, module, rest),
        "super" => definition(tree, &module[..module.len().checked_sub(1)?], rest),
        _ if is_child && !rest.is_empty() => definition(tree, &[module, &[first.clone()]].concat(), rest),
        _ if file.items.contains(first) => Some(module.to_vec()),
        _ => {
            let import = file.imports.get(first)?;
            // `use name::...` where `name` is neither a module nor another import: another crate.
            (import[0] != *first || (is_child && import.len() > 1))
                .then(|| definition(tree, module, &[import, rest].concat()))?
        }
    }
}

/// All that `start` depends on, directly or not.
fn reached<'a>(
    uses: &'a BTreeMap<ModulePath, BTreeMap<ModulePath, String>>,
    start: &'a ModulePath,
) -> BTreeSet<&'a ModulePath> {
    let (mut found, mut open) = (BTreeSet::new(), vec![start]);
    while let Some(next) = open.pop() {
        open.extend(uses[next].keys().filter(|used| found.insert(*used)));
    }
    found
}

#[test]
fn files_form_no_circle() {
    let mut tree = SourceTree::new();
    read(Vec::new(), &mut tree);
    let used = |(module, file): (&ModulePath, &SourceFile)| {
        let defined = |path: &ModulePath| Some((definition(&tree, module, path)?, path.join("::")));
        let others = file.named.iter().filter_map(defined).filter(|(other, _)| other != module);
        (module.clone(), others.collect::<BTreeMap<_, _>>())
    };
    let uses: BTreeMap<_, _> = tree.iter().map(used).collect();
    let reached: BTreeMap<_, _> = uses.keys().map(|module| (module, reached(&uses, module))).collect();
    let mut circles = Vec::new();
    for (module, used) in &uses {
        for (other, name) in used.iter().filter(|(other, _)| reached[other].contains(module)) {
            circles.push(format!("{} -> {}: {name}", module.join("::"), other.join("::")));
        }
    }
    assert!(circles.is_empty(), "files that depend on each other:\n{}", circles.join("\n"));
}
