//! Projects outside of the workspace, as users have them: they are built and run by cargo.
#![allow(dead_code, reason = "each test crate uses a part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Where the projects are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("projects")
}

/// The README's code block of `language` after its line `heading`.
pub fn block(language: &str, heading: &str) -> String {
    let readme = fs::read_to_string(Path::new(ROOT).join("README.md")).unwrap();
    let (_, after) = readme
        .split_once(heading)
        .expect("the README has this heading");
    let (_, code) = after
        .split_once(&format!("```{language}\n"))
        .expect("the heading has a code block");
    code.split_once("\n```").unwrap().0.to_owned()
}

/// A project called `name`, of `main` and with `dependencies`, in which a checkout of this one lies
/// beside it.
pub fn project(name: &str, dependencies: &str, main: &str) -> PathBuf {
    let folder = folder().join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("src")).unwrap();
    let package = "[package]\nname = \"my_game\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let dependencies = dependencies.replace("../bevy_heartbeat", ROOT);
    let manifest = format!("{package}\n{dependencies}\n\n[workspace]\n");
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/main.rs"), main).unwrap();
    // The versions that this workspace is tested with.
    fs::copy(
        Path::new(ROOT).join("Cargo.lock"),
        folder.join("Cargo.lock"),
    )
    .unwrap();
    folder
}

/// Writes what isn't there yet: what is, is built already.
fn write(path: &Path, content: &[u8]) {
    if fs::read(path).ok().as_deref() != Some(content) {
        fs::write(path, content).unwrap();
    }
}

/// Makes `to` what `from` is, without what an older copy had.
fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        return write(to, &fs::read(from).unwrap());
    }
    fs::create_dir_all(to).unwrap();
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name())
    };
    for name in names(to) {
        let (old, new) = (to.join(&name), from.join(&name));
        if old.is_dir() && !new.is_dir() {
            fs::remove_dir_all(old).unwrap();
        } else if old.is_file() && !new.is_file() {
            fs::remove_file(old).unwrap();
        }
    }
    for name in names(from) {
        copy(&from.join(&name), &to.join(&name));
    }
}

/// Another checkout of this workspace's crates, and so another source of them. Its scheduler and what
/// lies below are of a later version, for cargo refuses two paths to one version.
pub fn other_checkout() -> PathBuf {
    let (root, to) = (Path::new(ROOT), folder().join("other_checkout"));
    for of in ["crates/bevy_tasks", "crates/rayon-core"] {
        copy(&root.join(of), &to.join(of));
    }
    let manifest = |of: &str| fs::read_to_string(root.join(of).join("Cargo.toml")).unwrap();
    let (inherited, later) = ("version.workspace = true", "version = \"0.1.999\"");
    for of in ["heartbeat_pool", "heartbeat_record", "heartbeat_system"] {
        let of = format!("crates/{of}");
        copy(&root.join(&of).join("src"), &to.join(&of).join("src"));
        let own = manifest(&of);
        assert!(own.contains(inherited));
        let own = own.replacen(inherited, later, 1);
        write(&to.join(of).join("Cargo.toml"), own.as_bytes());
    }
    let root = manifest("");
    let (workspace, _) = root.split_once("\n[package]\n").unwrap();
    write(&to.join("Cargo.toml"), workspace.as_bytes());
    to
}

pub fn cargo_run(folder: &Path) -> Output {
    Command::new(env!("CARGO"))
        .args(["run", "--quiet"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", self::folder().join("target"))
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap()
}
