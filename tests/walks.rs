//! `docs/walks.md` leads by files that are there, and by few of them.
#![allow(missing_docs, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Files that a reader must open to follow one thing from its beginning to its end.
const LONGEST_WALK: usize = 12;

#[test]
fn each_walk_is_short_and_its_files_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("docs/walks.md")).unwrap();
    let walks: Vec<_> = text.split("\n## ").skip(1).collect();
    assert_eq!(walks.len(), 9);
    for walk in walks {
        let title = walk.lines().next().unwrap();
        let stops = walk.lines().filter_map(|line| line.split_once(". `"));
        let files: BTreeSet<_> = stops
            .map(|(_, stop)| stop.split('`').next().unwrap())
            .collect();
        assert!(
            (6..=LONGEST_WALK).contains(&files.len()),
            "{title}: {files:?}"
        );
        for file in files {
            let is_whole = file.starts_with("crates/") || file.starts_with("src/");
            let folder = if is_whole {
                ""
            } else {
                "crates/heartbeat_pool/src/"
            };
            let path = root.join(folder).join(file);
            assert!(path.is_file(), "{title}: there is no {}", path.display());
        }
    }
}
