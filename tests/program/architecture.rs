//! The architecture stated in `src/lib.rs` holds: modules depend on each other in one direction only.

mod cycles;
mod source;

use std::fs;
use std::path::{Path, PathBuf};

/// The order of modules as stated in `src/lib.rs`.
fn stated_order() -> Vec<String> {
    let text = fs::read_to_string("src/lib.rs").unwrap();
    let line = text.lines().find(|l| l.contains("base -> dim")).unwrap();
    line.trim_start_matches("//!").split("->").map(|m| m.trim().to_string()).collect()
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn a_module_uses_only_modules_to_its_left() {
    let order = stated_order();
    let place = |name: &str| order.iter().position(|m| m == name);
    let mut files = Vec::new();
    rust_files(Path::new("src"), &mut files);
    for file in files {
        let inside = file.strip_prefix("src").unwrap();
        let own = inside.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
        let Some(own_place) = place(&own) else {
            assert!(["lib", "main"].contains(&own.as_str()), "{} is not in the stated order", file.display());
            continue;
        };
        for (number, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            for used in line.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if let Some(used_place) = place(&name) {
                    let at = format!("{}:{}", file.display(), number + 1);
                    assert!(used_place <= own_place, "{at}: {own} uses {name}, which stands to its right");
                }
            }
        }
    }
}

#[test]
fn every_module_has_a_line_in_the_architecture_text() {
    let text = fs::read_to_string("src/lib.rs").unwrap();
    for module in stated_order() {
        assert!(text.contains(&format!("//! | [`{module}`]")), "{module} has no line");
        assert!(text.contains(&format!("pub mod {module};")), "{module} is not a module");
    }
}

#[test]
fn only_dim_knows_two_from_three() {
    let mut files = Vec::new();
    rust_files(Path::new("src"), &mut files);
    for file in files.iter().filter(|f| !f.starts_with("src/dim")) {
        let text = fs::read_to_string(file).unwrap();
        let library = text.split("#[cfg(test)]").next().unwrap();
        let is_asked = ["X::D == ", "X::R == ", "X::R != "].iter().any(|test| library.contains(test));
        assert!(!is_asked, "{} asks for the dimension: the operation belongs in dim", file.display());
    }
}

/// Library code of a file: everything before its tests.
fn library(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    text.split("#[cfg(test)]\nmod tests").next().unwrap().to_string()
}

#[test]
fn only_comm_knows_the_rank_of_the_root() {
    let mut files = Vec::new();
    rust_files(Path::new("src"), &mut files);
    for file in files.iter().filter(|f| !f.starts_with("src/comm")) {
        let text = fs::read_to_string(file).unwrap();
        for test in [" == 0", " != 0", " > 0"] {
            for rank in ["rank", "rank()"] {
                let asks = format!("{rank}{test}");
                assert!(!text.contains(&asks), "{} contains `{asks}`: use `is_root`", file.display());
            }
        }
    }
}

#[test]
fn unsafe_code_stands_only_in_the_files_that_contributing_lists() {
    let text = fs::read_to_string("CONTRIBUTING.md").unwrap();
    let listed: String = text.lines().filter(|line| line.starts_with('|')).collect();
    let mut files = Vec::new();
    rust_files(Path::new("src"), &mut files);
    for file in files {
        let text = library(&file);
        let is_unsafe = ["unsafe {", "unsafe impl", "unsafe fn"].iter().any(|word| text.contains(word));
        let is_listed = listed.contains(&format!("`{}`", file.display()));
        assert_eq!(is_unsafe, is_listed, "{}", file.display());
    }
}

#[test]
fn a_type_has_a_name_of_its_own() {
    let mut files = Vec::new();
    rust_files(Path::new("src"), &mut files);
    let mut owners = std::collections::BTreeMap::new();
    for file in files {
        for line in library(&file).lines() {
            let words: Vec<&str> = line.split([' ', '<', '{', ';', ':']).collect();
            let at = usize::from(words[0].starts_with("pub"));
            // Associated types are indented.
            if !["struct", "enum", "trait", "type"].contains(&words.get(at).copied().unwrap_or("")) {
                continue;
            }
            let name = words[at + 1].split('(').next().unwrap().to_string();
            let before = owners.insert(name.clone(), file.clone());
            assert!(before.is_none(), "{name} in {} and {}", file.display(), before.unwrap().display());
        }
    }
}
