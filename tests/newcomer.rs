//! A newcomer's project: a crate outside of the workspace that holds the README's lines and no
//! more. It builds and runs; without the patch it stops and says what is missing.

mod projects;

use projects::{block, cargo_run, project};

#[test]
fn the_readmes_lines_build_and_run_and_the_patch_is_missed_when_it_is_missing() {
    let manifest = block("toml", "## Use it");
    let main = block("rust", "## Use it");
    let output = cargo_run(&project("patched", &manifest, &main));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(stdout.contains("pieces of frame work"), "{stdout}");

    let (unpatched, _) = manifest.split_once("[patch.crates-io]").unwrap();
    let output = cargo_run(&project("unpatched", unpatched, &main));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{stderr}");
    assert!(
        stderr.contains("[patch.crates-io]\nbevy_tasks = "),
        "{stderr}"
    );
}
