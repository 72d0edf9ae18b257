//! The book in `docs/`: its reference matches the program, and its links are valid.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{nscdd, text};

/// After a change of the schema: `REWRITE_EXPECTED=1 cargo test --release --test program book`, then review the
/// changes.
#[test]
fn the_reference_of_keys_is_what_the_program_prints() {
    let output = nscdd(1, &["schema", "--markdown"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    if std::env::var_os("REWRITE_EXPECTED").is_some() {
        fs::write("docs/keys.md", &printed).unwrap();
    }
    let written = fs::read_to_string("docs/keys.md").unwrap();
    let differing = printed.lines().zip(written.lines()).find(|(now, then)| now != then);
    assert!(printed == written, "docs/keys.md is out of date, first at {differing:?}; see the line above this test");
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

/// Lines of a page outside of examples.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut example = false;
    page.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        example ^= fence;
        !fence && !example
    })
}

/// Anchors of the headings of a page, as used by forges and mdBook.
fn anchors(page: &str) -> Vec<String> {
    let headings =
        prose(page).filter_map(|line| line.strip_prefix('#')).map(|rest| rest.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let joined = heading.to_lowercase().replace(' ', "-");
        joined.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link_leads_to_a_file_that_is_there_and_every_anchor_to_a_heading() {
    let mut all: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(PathBuf::from).into();
    pages(Path::new("docs"), &mut all);
    pages(Path::new("jobs"), &mut all);
    let texts: HashMap<PathBuf, String> =
        all.iter().map(|page| (page.canonicalize().unwrap(), fs::read_to_string(page).unwrap())).collect();
    let (mut broken, mut followed) = (Vec::new(), 0);
    for page in &all {
        let own = &texts[&page.canonicalize().unwrap()];
        for target in prose(own).flat_map(|line| line.split("](").skip(1).filter_map(|rest| rest.split(')').next())) {
            if target.contains("://") {
                continue;
            }
            followed += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let place = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let Ok(place) = place.canonicalize() else {
                broken.push(format!("{}: {target}: no such file", page.display()));
                continue;
            };
            let known = texts.get(&place).is_none_or(|text| anchors(text).iter().any(|known| known == anchor));
            if !anchor.is_empty() && !known {
                broken.push(format!("{}: {target}: no such heading", page.display()));
            }
        }
    }
    assert!(followed > 200, "only {followed} links found");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// A page without a link to it is not read.
#[test]
fn every_page_is_in_the_table_of_contents_of_its_folder_and_in_that_of_mdbook() {
    let mut all = Vec::new();
    pages(Path::new("docs"), &mut all);
    assert!(all.len() > 20, "only {} pages found", all.len());
    let is_named = |contents: &Path, page: &Path| {
        let own = page.strip_prefix(contents.parent().unwrap()).unwrap();
        fs::read_to_string(contents).unwrap().contains(&format!("]({})", own.display()))
    };
    for page in &all {
        let folder = page.parent().unwrap().join("README.md");
        let itself = page.ends_with("README.md") || page.ends_with("SUMMARY.md");
        assert!(itself || is_named(&folder, page), "{} is not in {}", page.display(), folder.display());
        let summary = Path::new("docs/SUMMARY.md");
        assert!(page == summary || is_named(summary, page), "{} is not in docs/SUMMARY.md", page.display());
    }
}
