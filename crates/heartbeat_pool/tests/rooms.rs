//! The sources lie as the crate's docs say: each room imports only those above it, and no file is
//! too long to read.
#![allow(missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a file, and of a function, without its tests.
const LONGEST_FILE: usize = 400;
const LONGEST_FUNCTION: usize = 40;
/// Files that may import each other: one and its helpers.
const LARGEST_CIRCLE: usize = 3;

/// The sources by their path in the crate, as in `queue::forks`, without tests and comments.
fn sources() -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut folders, mut sources) = (vec![root.clone()], BTreeMap::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().unwrap() != "models" {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.insert(name(&root, &path), code(&path));
            }
        }
    }
    assert!(sources.len() > 50, "the sources lie elsewhere");
    sources
}

fn name(root: &Path, path: &Path) -> String {
    let path: PathBuf = path.strip_prefix(root).unwrap().with_extension("");
    let parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
    parts.join("::").trim_end_matches("::mod").to_owned()
}

fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let tests = text
        .find("\n#[cfg(test)]")
        .or(text.find("\n#[cfg(all(test"));
    let code = &text[..tests.unwrap_or(text.len())];
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// What each source imports, of the others.
fn imports(sources: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<&str>> {
    let imports = |own: &str, code: &str| {
        let mut found = BTreeSet::new();
        for (at, prefix) in code.match_indices("crate::") {
            let path = &code[at + prefix.len()..];
            let is_end = |c: char| !(c.is_ascii_lowercase() || c == '_' || c == ':');
            let mut path = &path[..path.find(is_end).unwrap_or(path.len())];
            loop {
                if let Some((name, _)) = sources.get_key_value(path.trim_end_matches(':')) {
                    found.insert(name.as_str());
                    break;
                }
                let Some((shorter, _)) = path.rsplit_once("::") else {
                    break;
                };
                path = shorter;
            }
        }
        found.remove(own);
        found
    };
    let all = sources.iter();
    all.map(|(name, code)| (name.as_str(), imports(name, code)))
        .collect()
}

/// The rank of each room, by the table in the crate's docs.
fn ranks() -> BTreeMap<String, usize> {
    let docs =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let (_, table) = docs
        .split_once("//! # Rooms")
        .expect("a table of the rooms");
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("//! | `"));
    let mut ranks = BTreeMap::new();
    for (rank, row) in rows.enumerate() {
        let (rooms, _) = row.split_once(" | ").expect("a column of rooms");
        for room in rooms.split(", ") {
            ranks.insert(room.trim_matches('`').to_owned(), rank);
        }
    }
    ranks
}

#[test]
fn rooms_import_only_those_above_them() {
    let (sources, ranks) = (sources(), ranks());
    let rank = |name: &str| {
        let room = name.split("::").next().unwrap();
        let rank = ranks.get(room);
        *rank.unwrap_or_else(|| panic!("{room} is not in the table of rooms"))
    };
    let mut upwards = Vec::new();
    for (name, imports) in imports(&sources) {
        if name == "lib" {
            continue;
        }
        let higher = imports.iter().filter(|other| rank(other) > rank(name));
        upwards.extend(higher.map(|other| format!("{name} imports {other}")));
    }
    assert!(upwards.is_empty(), "{upwards:#?}");
}

#[test]
fn only_a_file_and_its_helpers_import_each_other() {
    let sources = sources();
    let imports = imports(&sources);
    let reached = |from: &str| {
        let (mut found, mut next) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(name) = next.pop() {
            for other in &imports[name.as_str()] {
                if found.insert((*other).to_owned()) {
                    next.push((*other).to_owned());
                }
            }
        }
        found
    };
    let reached: BTreeMap<&str, _> = imports.keys().map(|name| (*name, reached(name))).collect();
    for (name, others) in &reached {
        let circle = |other: &&String| reached[other.as_str()].contains(*name);
        let circle: Vec<_> = others.iter().filter(circle).collect();
        assert!(circle.len() <= LARGEST_CIRCLE, "{circle:#?}");
        let room = name.split("::").next().unwrap();
        let stays = |other: &&String| other.split("::").next() == Some(room);
        assert!(circle.iter().all(stays), "{circle:#?}");
    }
}

#[test]
fn nothing_is_too_long_to_read() {
    let mut long = Vec::new();
    for (name, code) in sources() {
        let lines: Vec<_> = code.lines().collect();
        if lines.len() > LONGEST_FILE {
            long.push(format!("{name}: {} lines", lines.len()));
        }
        let mut begun: Option<(usize, usize, &str)> = None;
        for (number, line) in lines.iter().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let is_function = line.contains("fn ") && line.contains('(') && !line.contains("Fn");
            if begun.is_none() && is_function {
                begun = Some((number, indent, line.trim()));
            } else if let Some((first, outer, text)) = begun
                && indent == outer
                && (line.trim() == "}" || line.ends_with(';'))
            {
                if number - first > LONGEST_FUNCTION + 1 {
                    long.push(format!("{name}: {text} {} lines", number - first));
                }
                begun = None;
            }
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}
