//! `docs/mechanisms.md` has every number of the pool, as it is in the sources.
#![allow(missing_docs, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The types whose constants are numbers to choose; flags and states have names for theirs.
const TYPES: [&str; 7] = ["usize", "u8", "u32", "u64", "f32", "f64", "Duration"];

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
    let folders = [
        "crates/heartbeat_pool/src/",
        "crates/heartbeat_record/src/",
        "crates/heartbeat_system/src/",
        "crates/bevy_tasks/src/",
        "crates/rayon-core/src/",
        "src/executor/",
    ];
    let mut there = BTreeSet::new();
    for folder in folders {
        for path in sources(&root.join(folder)) {
            let file = path.strip_prefix(root).unwrap().to_str().unwrap();
            let file = file.replace('\\', "/");
            let short = file.strip_prefix("crates/heartbeat_pool/src/");
            let text = fs::read_to_string(&path).unwrap();
            there.extend(constants(short.unwrap_or(&file), &text));
        }
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

#[test]
fn the_files_of_each_mechanism_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_to_string(root.join("docs/mechanisms.md")).unwrap();
    let (_, table) = docs.split_once("## What there is").unwrap();
    let (table, _) = table.split_once("\n## ").unwrap();
    let files = table
        .lines()
        .filter_map(|line| line.split(" | ").nth(1))
        .flat_map(|files| files.split('`').skip(1).step_by(2))
        .filter(|file| file.ends_with(".rs") || file.ends_with('/'));
    let folders = [root.to_owned(), root.join("crates/heartbeat_pool/src")];
    let is_there = |file: &&str| folders.iter().any(|folder| folder.join(file).exists());
    let (there, gone): (Vec<_>, Vec<_>) = files.partition(is_there);
    assert!(there.len() > 20, "the table is written otherwise");
    assert!(gone.is_empty(), "no such files: {gone:#?}");
}

/// Each says at its head what it stands for, as the function `of` a file.
#[test]
fn what_the_models_stand_for_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/heartbeat_pool/src");
    let mut named = 0;
    for entry in fs::read_dir(root.join("models")).unwrap() {
        let path = entry.unwrap().path();
        let text = path.is_file().then(|| fs::read_to_string(&path).unwrap());
        let text = text.unwrap_or_default();
        let head = text.lines().map_while(|line| line.strip_prefix("//!"));
        let head = head.map(str::trim).collect::<Vec<_>>().join(" ");
        let tokens: Vec<_> = head.split('`').collect();
        for three in tokens.windows(3).filter(|three| three[1] == " of ") {
            let [function, file] = [three[0], three[2]];
            let source = fs::read_to_string(root.join(file));
            let source =
                source.unwrap_or_else(|error| panic!("{}: {file}: {error}", path.display()));
            let name = function.rsplit("::").next().unwrap();
            let is_there = ["fn", "struct"].map(|kind| source.contains(&format!("{kind} {name}")));
            assert!(
                is_there.contains(&true),
                "{}: no {function} in {file}",
                path.display()
            );
            named += 1;
        }
    }
    assert!(named > 10, "the heads are written otherwise");
}
