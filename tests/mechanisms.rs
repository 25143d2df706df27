//! `docs/mechanisms.md` has every number of the pool, as it is in the sources.
#![allow(missing_docs, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The types whose constants are numbers to choose; flags and states have names for theirs.
const TYPES: [&str; 6] = ["usize", "u32", "u64", "f32", "f64", "Duration"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let entries = entries.filter(|path| path.file_name().unwrap() != "models");
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let below = folders.iter().flat_map(|folder| sources(folder));
    files.into_iter().chain(below).collect()
}

/// File, name and value of each constant in `text`, without its tests.
fn constants(file: &str, text: &str) -> Vec<String> {
    let tests = text
        .find("\n#[cfg(test)]")
        .or_else(|| text.find("\n#[cfg(all(\n    test"));
    let tests = tests.or_else(|| text.find("\n#[cfg(all(test"));
    let text = &text[..tests.unwrap_or(text.len())];
    let parts = text.split("const ").skip(1);
    let constant = |part: &str| {
        let (name, rest) = part.split_once(": ")?;
        let (kind, rest) = rest.split_once(" = ")?;
        let is_number =
            TYPES.contains(&kind) && name.chars().all(|c| c == '_' || c.is_ascii_uppercase());
        let (value, _) = is_number.then(|| rest.split_once(';'))??;
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let value = value.replace("Duration::", "");
        Some(format!("| `{file}` | `{name}` | `{value}` |"))
    };
    parts.filter_map(constant).collect()
}

#[test]
fn every_number_is_listed_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = root.join("crates/heartbeat_pool/src");
    let mut there = BTreeSet::new();
    for path in sources(&source) {
        let file = path
            .strip_prefix(&source)
            .unwrap()
            .to_str()
            .unwrap()
            .replace('\\', "/");
        there.extend(constants(&file, &fs::read_to_string(&path).unwrap()));
    }
    assert!(there.len() > 20, "the sources lie elsewhere");
    let docs = fs::read_to_string(root.join("docs/mechanisms.md")).unwrap();
    let (_, table) = docs
        .split_once("## Numbers")
        .expect("a table of the numbers");
    let listed = table.lines().filter(|line| line.starts_with("| `"));
    let first_three = |line: &str| {
        let end = line.match_indices(" |").nth(2).expect("five columns").0;
        line[..end + 2].to_owned()
    };
    let listed: BTreeSet<_> = listed.map(first_three).collect();
    let missing: Vec<_> = there.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&there).collect();
    assert!(missing.is_empty(), "not listed: {missing:#?}");
    assert!(gone.is_empty(), "not in the sources: {gone:#?}");
}
