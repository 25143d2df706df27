//! A page in a browser without a window.

use std::path::Path;
use std::process::Command;

/// A browser, if there is one.
pub fn browser() -> Option<&'static str> {
    let starts = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(starts)
}

/// What the browser has made of the page, opened at that place.
pub fn show(browser: &str, page: &Path, place: &str) -> String {
    let shown = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--dump-dom",
        ])
        .arg("--virtual-time-budget=5000")
        .arg(format!("file://{}{place}", page.display()))
        .output()
        .unwrap();
    String::from_utf8_lossy(&shown.stdout).into_owned()
}
