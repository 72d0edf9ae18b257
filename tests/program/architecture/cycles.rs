//! The files of `src/` depend on each other in one direction only: no cycles, not even within a module.
//!
//! A file depends on the files that define what it names; paths are followed through imports and re-exports. A
//! re-export alone is no dependency, and test code does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::slice::from_ref;

use super::source::{ModulePath, SourceFile, parse};

/// All files by the path of their module.
type SourceTree = BTreeMap<ModulePath, SourceFile>;

/// Reads the file of a module and those of all modules below it.
fn read(module: ModulePath, tree: &mut SourceTree) {
    let base = format!("src/{}", module.join("/"));
    let paths = [format!("{base}.rs"), format!("{base}/mod.rs"), "src/lib.rs".to_string()];
    let file = parse(&paths.iter().find_map(|path| fs::read_to_string(path).ok()).unwrap());
    file.children.iter().for_each(|child| read([&module[..], from_ref(child)].concat(), tree));
    tree.insert(module, file);
}

/// The module whose file defines what `path` names in `module`; none for modules and for other crates.
fn definition(tree: &SourceTree, module: &[String], path: &[String]) -> Option<ModulePath> {
    let (file, (first, rest)) = (&tree[module], path.split_first()?);
    let is_child = file.children.contains(first);
    match first.as_str() {
        "crate" => definition(tree, &[], rest),
        "self" => definition(tree, module, rest),
        "super" => definition(tree, module.split_last()?.1, rest),
        _ if is_child && !rest.is_empty() => definition(tree, &[module, from_ref(first)].concat(), rest),
        _ if file.items.contains(first) => Some(module.to_vec()),
        _ => {
            // An import that begins with its own name and no module of that name comes from another crate.
            let import =
                file.imports.get(first).filter(|import| import[0] != *first || (is_child && import.len() > 1))?;
            definition(tree, module, &[import, rest].concat())
        }
    }
}

#[test]
fn files_do_not_depend_on_each_other_in_a_cycle() {
    let mut tree = SourceTree::new();
    read(Vec::new(), &mut tree);
    let used = |(module, file): (&ModulePath, &SourceFile)| {
        let others = file.named.iter().filter_map(|path| Some((definition(&tree, module, path)?, path.join("::"))));
        (module.clone(), others.filter(|(other, _)| other != module).collect::<BTreeMap<_, _>>())
    };
    let uses: BTreeMap<_, _> = tree.iter().map(used).collect();
    let reaches = |start: &ModulePath, goal: &ModulePath| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(next) = open.pop() {
            open.extend(uses[next].keys().filter(|used| seen.insert(*used)));
        }
        seen.contains(goal)
    };
    let edges = uses.iter().flat_map(|(module, used)| used.iter().map(move |(other, name)| (module, other, name)));
    let cycles: Vec<String> = edges
        .filter(|(module, other, _)| reaches(other, module))
        .map(|(module, other, name)| format!("{} uses {} ({name})", module.join("::"), other.join("::")))
        .collect();
    assert!(uses.len() > 100 && cycles.is_empty(), "files that depend on each other:\n{}", cycles.join("\n"));
}
