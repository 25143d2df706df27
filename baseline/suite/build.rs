//! Tells the suite which compiler builds it.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output
        .ok()
        .and_then(|out| String::from_utf8(out.stdout).ok());
    let version = version.as_deref().map_or("unknown", str::trim);
    println!("cargo::rustc-env=SUITE_RUSTC_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
}
