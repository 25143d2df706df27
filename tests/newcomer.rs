//! A newcomer's project: a crate outside of the workspace that holds the README's lines and no
//! more. It builds and runs; without the patch it stops and says what is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The README's code block of `language` after its line `heading`.
fn block(language: &str, heading: &str) -> String {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let (_, after) = readme
        .split_once(heading)
        .expect("the README has this heading");
    let (_, code) = after
        .split_once(&format!("```{language}\n"))
        .expect("the heading has a code block");
    code.split_once("\n```").unwrap().0.to_owned()
}

fn project(name: &str, dependencies: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("newcomer")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("src")).unwrap();
    let package = "[package]\nname = \"my_game\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    // The README speaks of a checkout beside the game.
    let dependencies = dependencies.replace("../bevy_heartbeat", ROOT);
    let manifest = format!("{package}\n{dependencies}\n\n[workspace]\n");
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/main.rs"), block("rust", "## Use it")).unwrap();
    // The versions that this workspace is tested with.
    fs::copy(
        Path::new(ROOT).join("Cargo.lock"),
        folder.join("Cargo.lock"),
    )
    .unwrap();
    folder
}

fn cargo_run(folder: &Path) -> Output {
    Command::new(env!("CARGO"))
        .args(["run", "--quiet"])
        .current_dir(folder)
        .env(
            "CARGO_TARGET_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("newcomer/target"),
        )
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap()
}

#[test]
fn the_readmes_lines_build_and_run_and_the_patch_is_missed_when_it_is_missing() {
    let manifest = block("toml", "## Use it");
    let output = cargo_run(&project("patched", &manifest));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("frame jobs"), "{stdout}");

    let (unpatched, _) = manifest.split_once("[patch.crates-io]").unwrap();
    let output = cargo_run(&project("unpatched", unpatched));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{stderr}");
    assert!(
        stderr.contains("[patch.crates-io]\nbevy_tasks = "),
        "{stderr}"
    );
}
