//! What a record says about where it was made.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

/// The processor's own name, where the system tells it.
#[must_use]
pub fn cpu_model() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    model.map_or("unknown".to_owned(), |model| {
        model.trim_start_matches([' ', '\t', ':']).to_owned()
    })
}

/// How many threads run at once.
#[must_use]
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// How many other programs' threads ran lately, where the system tells it.
#[must_use]
pub fn load() -> Option<String> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    load.split(' ').next().map(str::to_owned)
}

/// The compiler that built this.
#[must_use]
pub fn rustc() -> &'static str {
    env!("SUITE_RUSTC_VERSION")
}

/// The commit that is checked out at `folder`, and whether files differ from it.
#[must_use]
pub fn commit(folder: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(arguments)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = !git(&["status", "--porcelain"])?.is_empty();
    Some(commit + if changed { ", with changes" } else { "" })
}
