//! Recordings of things with awkward names.
#![allow(missing_docs, reason = "a test")]

use bevy_app::{App, PostUpdate, Update};
use bevy_heartbeat::HeartbeatPlugin;
use bevy_heartbeat::record::{FlightRecorder, Record};
use browser::{browser, show};
use heartbeat_pool::record::Recorder;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

#[path = "common/browser.rs"]
mod browser;
#[path = "common/chrome_json.rs"]
mod chrome_json;

/// What names may hold, and none of it may mean anything to a page or to a parser.
fn awkward() -> Vec<String> {
    let short = [
        "</script>",
        "<!--<script>",
        "\"'`\\\u{2028}\n\t\u{1}",
        "Ünïcödé 名前 🦀",
    ];
    let mut names: Vec<_> = short.into_iter().map(str::to_owned).collect();
    names.push("n".repeat(10_000));
    names.push("module::".repeat(1_000) + "name");
    names
}

#[test]
fn whatever_names_hold_the_files_are_whole() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("awkward");
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin {
        record: Record::LateFrames {
            over: Duration::from_secs(3600),
            keep: 8,
        },
        record_to: folder.clone(),
        ..Default::default()
    });
    for name in awkward() {
        let span = Recorder::name(&name);
        app.add_systems(Update, move || {
            Recorder::begin(span, 0);
            thread::sleep(Duration::from_micros(100));
            Recorder::end(span);
        });
    }
    // Names of threads have no zeros and are cut by the system, but not by the recorder.
    for name in awkward() {
        let mark = Recorder::name("mark");
        app.add_systems(PostUpdate, move || {
            let thread = thread::Builder::new().name(name.clone());
            let thread = thread.spawn(move || Recorder::mark(mark, 1));
            thread.unwrap().join().unwrap();
        });
    }
    app.finish();
    app.cleanup();
    (0..6).for_each(|_| app.update());
    let trace = app.world().resource::<FlightRecorder>().trace();
    for extension in ["html", "json", "txt"] {
        trace
            .save(folder.join("trace").with_extension(extension))
            .unwrap();
    }
    let json = fs::read_to_string(folder.join("trace.json")).unwrap();
    let found = chrome_json::check(&json);
    let json: Value = serde_json::from_str(&json).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    for name in awkward() {
        assert!(events.iter().any(|event| event["name"] == *name), "{name}");
        assert!(
            found.threads.values().any(|thread| *thread == name),
            "{name}"
        );
    }
    let Some(browser) = browser() else {
        eprintln!("there is no browser here");
        return;
    };
    let shown = show(browser, &folder.join("trace.html"), "");
    assert!(shown.contains("data-ready=\"yes\""), "its script failed");
    assert_eq!(shown.matches("<option").count(), trace.frames().count());
}
