//! Later releases of the engine: its crates then ask for a later `bevy_tasks`, and cargo must take
//! the drop-in for that.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What the drop-in's manifest gives as its version.
fn drop_in_version() -> String {
    let manifest =
        fs::read_to_string(Path::new(ROOT).join("crates/bevy_tasks/Cargo.toml")).unwrap();
    let version = |line: &str| {
        Some(
            line.strip_prefix("version = \"")?
                .trim_end_matches('"')
                .to_owned(),
        )
    };
    manifest.lines().find_map(version).unwrap()
}

fn package(folder: &Path, name: &str, version: &str, rest: &str) {
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::write(folder.join("src/lib.rs"), "").unwrap();
    let package =
        format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\nedition = \"2024\"\n");
    fs::write(folder.join("Cargo.toml"), package + rest).unwrap();
}

/// A game of an engine that asks for `bevy_tasks` of its own version, `engine`, and with the line
/// of the patch to a `bevy_tasks` of version `drop_in`.
fn game(engine: &str, drop_in: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("later_releases");
    let folder = folder.join(format!("{engine}-{drop_in}"));
    let _ = fs::remove_dir_all(&folder);
    package(&folder.join("drop_in"), "bevy_tasks", drop_in, "");
    let asks = format!("[dependencies]\nbevy_tasks = \"{engine}\"\n");
    package(&folder.join("engine"), "engine", engine, &asks);
    let game = "[dependencies]\nengine = { path = \"engine\" }\n[workspace]\n\
                [patch.crates-io]\nbevy_tasks = { path = \"drop_in\" }\n";
    package(&folder, "game", "0.1.0", game);
    folder
}

/// Whether cargo takes a patch of version `drop_in` for an `engine` of that version. None without
/// cargo.
fn is_taken(engine: &str, drop_in: &str) -> Option<bool> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        .current_dir(game(engine, drop_in))
        .output()
        .ok()?;
    let metadata = String::from_utf8_lossy(&output.stdout);
    let package = format!("\"name\":\"bevy_tasks\",\"version\":\"{drop_in}\"");
    Some(output.status.success() && metadata.contains(&package))
}

#[test]
fn the_patch_is_taken_by_every_release_of_the_engine() {
    let drop_in = drop_in_version();
    for engine in ["0.20.1", "0.20.2", "0.20.20"] {
        match is_taken(engine, &drop_in) {
            Some(taken) => assert!(taken, "{engine} doesn't take {drop_in}"),
            None => return eprintln!("skipped: cargo can't be run"),
        }
    }
    // One of the engine's first version would be passed over.
    assert_eq!(is_taken("0.20.2", "0.20.1"), Some(false));
}
