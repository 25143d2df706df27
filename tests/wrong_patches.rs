//! Projects whose patch has a line too few, or one that leads elsewhere: they are told which, and
//! what to write.

mod projects;

use projects::{block, cargo_run, other_checkout, project};

/// Prints what is logged until the plugin has looked for rayon.
const LISTENS: &str = r#"
use bevy_app::App;
use bevy_heartbeat::HeartbeatPlugin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

static LOOKED: AtomicBool = AtomicBool::new(false);

struct Printed;

impl log::Log for Printed {
    fn enabled(&self, _: &log::Metadata) -> bool {
        true
    }

    fn log(&self, record: &log::Record) {
        let text = record.args().to_string();
        println!("{}: {text}", record.level());
        if text.contains("rayon") {
            LOOKED.store(true, Ordering::Relaxed);
        }
    }

    fn flush(&self) {}
}

fn main() {
    log::set_logger(&Printed).unwrap();
    log::set_max_level(log::LevelFilter::Debug);
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default());
    app.finish();
    let start = Instant::now();
    while !LOOKED.load(Ordering::Relaxed) && start.elapsed() < Duration::from_secs(300) {
        app.update();
        // The look has what frames leave of the cores.
        std::thread::sleep(Duration::from_millis(1));
    }
    use_rayon();
}
"#;

/// What such a project logs, with `rayon` in its manifest and in use, or without.
fn log_of(name: &str, manifest: &str, rayon: bool) -> String {
    let (dependency, used) = if rayon {
        (
            "rayon = \"1.12\"\n",
            "println!(\"{:?}\", rayon::join(|| 1, || 2))",
        )
    } else {
        ("", "")
    };
    let dependencies = format!("[dependencies]\nlog = \"0.4\"\n{dependency}");
    let manifest = manifest.replace("[dependencies]\n", &dependencies);
    let main = format!("{LISTENS}\nfn use_rayon() {{ {used} }}\n");
    let output = cargo_run(&project(name, &manifest, &main));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The README's manifest, with the line of the patch for `name` from another checkout.
fn with_other_source_of(name: &str) -> String {
    let manifest = block("toml", "## Use it");
    let line = format!("{name} = {{ path = \"../bevy_heartbeat/crates/{name}\" }}");
    assert!(manifest.contains(&line));
    let other = other_checkout().join("crates").join(name);
    manifest.replace(&line, &format!("{name} = {{ path = {other:?} }}"))
}

#[test]
fn a_bevy_tasks_of_another_source_is_told_from_none() {
    let manifest = with_other_source_of("bevy_tasks");
    let output = cargo_run(&project(
        "other_bevy_tasks",
        &manifest,
        &block("rust", "## Use it"),
    ));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{stderr}");
    assert!(stderr.contains("another source"), "{stderr}");
    assert!(!stderr.contains("Bevy's own bevy_tasks"), "{stderr}");
    assert!(
        stderr.contains("[patch.crates-io]\nbevy_tasks = "),
        "{stderr}"
    );
}

fn assert_warns_of_rayon(log: &str) {
    let warning = log.split_once("WARN: bevy_heartbeat: ").expect(log).1;
    assert!(
        warning.contains("[patch.crates-io]\nrayon-core = "),
        "{log}"
    );
}

#[test]
fn a_missing_rayon_core_is_warned_about() {
    let manifest = block("toml", "## Use it");
    let (manifest, _) = manifest.split_once("# Only if some crate").unwrap();
    assert_warns_of_rayon(&log_of("stock_rayon", manifest, true));
    // Nothing of rayon is said where nobody uses it.
    let log = log_of("no_rayon", manifest, false);
    assert!(!log.contains("WARN") && log.contains("no rayon"), "{log}");
}

#[test]
fn a_rayon_core_of_another_source_is_warned_about() {
    let manifest = with_other_source_of("rayon-core");
    assert_warns_of_rayon(&log_of("other_rayon", &manifest, true));
}
