//! No package here has files that import each other in a circle, and nothing is too long to read.
#![allow(missing_docs, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a file, and of a function, without its tests.
const LONGEST_FILE: usize = 400;
const LONGEST_FUNCTION: usize = 40;

/// A package's files by their path in it, as in `work::maze`, without tests and comments.
type Sources = BTreeMap<String, String>;

/// The folders of sources, each of one package: `src`, or `program` where two packages share it.
fn packages() -> Vec<PathBuf> {
    let baseline = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut folders, mut found) = (vec![baseline.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.file_name().unwrap().to_str().unwrap() {
                "target" | "records" | "tests" => {}
                "src" | "program" => found.push(path),
                _ if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    assert!(found.len() > 12, "the packages lie elsewhere: {found:?}");
    found
}

fn sources(root: &Path) -> Sources {
    let (mut folders, mut sources) = (vec![root.to_owned()], Sources::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().with_extension("");
                let parts: Vec<_> = name.iter().map(|part| part.to_str().unwrap()).collect();
                let name = parts.join("::").trim_end_matches("::mod").to_owned();
                // What everything hangs from.
                let is_root = ["lib", "main"].contains(&name.as_str());
                sources.insert(if is_root { String::new() } else { name }, code(&path));
            }
        }
    }
    sources
}

fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// The file that a path leads to: `crate::work::maze::Maze` to `work::maze`.
fn file<'a>(sources: &'a Sources, path: &str) -> &'a str {
    let is_end = |c: char| !(c.is_alphanumeric() || c == '_' || c == ':');
    let mut path = &path[..path.find(is_end).unwrap_or(path.len())];
    loop {
        if let Some((name, _)) = sources.get_key_value(path.trim_end_matches(':')) {
            return name;
        }
        path = path.rsplit_once("::").map_or("", |(shorter, _)| shorter);
    }
}

/// The paths that begin a text: one, or those of a list in braces.
fn list(text: &str) -> Vec<String> {
    let paths = match text.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap().split(',').collect(),
        None => vec![text],
    };
    paths
        .iter()
        .map(|path| path.trim().to_owned())
        .filter(|path| !path.is_empty())
        .collect()
}

/// What a file imports, of the others: by `crate::`, by `super::`, or as its own part.
fn imports<'a>(sources: &'a Sources, own: &str, code: &str) -> BTreeSet<&'a str> {
    let paths = |prefix: &'static str| {
        let found = code.match_indices(prefix);
        // Macros name the crate of whoever calls them by `$crate`, which is no import.
        let found = found.filter(|(at, _)| !code[..*at].ends_with('$'));
        found.flat_map(|(at, prefix)| list(&code[at + prefix.len()..]))
    };
    let above = own.rsplit_once("::").map_or("", |(above, _)| above);
    let beside = paths("super::").map(|path| format!("{above}::{path}"));
    let paths = paths("crate::").chain(beside);
    let mut found: BTreeSet<&str> = paths
        .map(|path| file(sources, path.trim_start_matches("::")))
        .collect();
    let is_part = |name: &&String| {
        name.rsplit_once("::")
            .map_or(!name.is_empty() && own.is_empty(), |(of, _)| of == own)
    };
    found.extend(sources.keys().filter(is_part).map(String::as_str));
    found.remove(own);
    // A part may know the file that it is part of.
    if !above.is_empty() {
        found.remove(above);
    }
    found
}

/// Every file that can be reached from `from`, itself only by a circle.
fn reached<'a>(imports: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &str) -> BTreeSet<&'a str> {
    let (mut found, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(name) = next.pop() {
        for other in &imports[name] {
            if found.insert(*other) {
                next.push(other);
            }
        }
    }
    found
}

/// The files of a package that are in a circle.
fn circles(sources: &Sources) -> Vec<&str> {
    let imports: BTreeMap<&str, _> = sources
        .iter()
        .map(|(name, code)| (name.as_str(), imports(sources, name, code)))
        .collect();
    let names = imports.keys().copied();
    names
        .filter(|name| reached(&imports, name).contains(name))
        .collect()
}

#[test]
fn nothing_imports_itself_by_way_of_others() {
    for root in packages() {
        let sources = sources(&root);
        let circles = circles(&sources);
        assert!(circles.is_empty(), "{}: {circles:?}", root.display());
    }
}

#[test]
fn a_circle_is_found() {
    let sources = |files: &[(&str, &str)]| -> Sources {
        let owned = |(name, code): &(&str, &str)| ((*name).to_owned(), (*code).to_owned());
        files.iter().map(owned).collect()
    };
    let straight = [
        ("", "mod a;"),
        ("a", "use crate::b::B;"),
        ("b", "pub struct B;"),
    ];
    assert!(circles(&sources(&straight)).is_empty());
    let two = [
        ("a", "use crate::{c, b::B};"),
        ("b", "use crate::a;"),
        ("c", "pub struct C;"),
    ];
    assert_eq!(circles(&sources(&two)), ["a", "b"]);
    let part = [
        ("a", "mod b;"),
        ("a::b", "use super::A;"),
        ("a::c", "use super::b;"),
    ];
    assert!(circles(&sources(&part)).is_empty(), "a file and its parts");
    let parts = [
        ("a", "mod b;"),
        ("a::b", "use super::c::C;"),
        ("a::c", "use super::{A, b::B};"),
    ];
    assert_eq!(circles(&sources(&parts)), ["a::b", "a::c"]);
    let root = [("", "mod a;"), ("a", "use crate::All;")];
    assert_eq!(circles(&sources(&root)), ["", "a"]);
}

#[test]
fn nothing_is_too_long_to_read() {
    let mut long = Vec::new();
    for root in packages() {
        for (name, code) in sources(&root) {
            let lines: Vec<_> = code.lines().collect();
            let place = format!("{} {name}", root.display());
            if lines.len() > LONGEST_FILE {
                long.push(format!("{place}: {} lines", lines.len()));
            }
            let functions = functions(&lines).into_iter();
            let functions = functions.filter(|(_, length)| *length > LONGEST_FUNCTION);
            long.extend(functions.map(|(name, length)| format!("{place}: {name} {length} lines")));
        }
    }
    assert!(long.is_empty(), "{long:#?}");
}

/// Each function's first line and its count of lines, those of its head and its end aside.
fn functions<'a>(lines: &[&'a str]) -> Vec<(&'a str, usize)> {
    let (mut found, mut begun) = (Vec::new(), None::<(usize, usize)>);
    for (number, line) in lines.iter().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let is_function = line.trim_start().starts_with("fn ") || line.contains(" fn ");
        match begun {
            None if is_function && line.ends_with(['{', '(']) => begun = Some((number, indent)),
            Some((first, outer)) if indent == outer && line.trim() == "}" => {
                found.push((lines[first].trim(), number - first - 1));
                begun = None;
            }
            // A trait's, without a body.
            Some((_, outer)) if indent == outer && line.ends_with(';') => begun = None,
            _ => {}
        }
    }
    found
}
