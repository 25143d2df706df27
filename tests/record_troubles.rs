//! Recordings in trouble: panics on other threads, refused files, files written while frames go on.
#![allow(missing_docs, reason = "a test")]

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::record::{FlightRecorder, Record};
use bevy_heartbeat::{HeartbeatPlugin, Lane};
use recordings::{folder, turn};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;
use std::time::Duration;

#[path = "common/chrome_json.rs"]
mod chrome_json;
#[path = "common/recordings.rs"]
mod recordings;

fn app(over: Duration, folder: &Path) -> App {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin {
        threads: Some(3),
        record: Record::LateFrames { over, keep: 4 },
        record_to: folder.to_owned(),
        ..Default::default()
    });
    app.add_systems(
        Update,
        (|| (), || thread::sleep(Duration::from_micros(100))),
    );
    app.finish();
    app.cleanup();
    app
}

#[test]
fn panics_on_many_threads_while_late_frames_are_written_leave_all_files() {
    let _turn = turn();
    let folder = folder("panics");
    // All frames but the first are late.
    let mut app = app(Duration::ZERO, &folder);
    let pool = heartbeat_pool::global();
    let mut panics = Vec::new();
    for frame in 0..40 {
        app.update();
        if frame >= 4 {
            let panic = |lane| pool.spawn_future(lane, async { panic!("part of the test") });
            panics.extend(Lane::ALL.map(panic));
        }
    }
    for panic in panics {
        // The files are written before a panic goes on its way.
        let outcome: thread::Result<()> = catch_unwind(AssertUnwindSafe(|| pool.block_on(panic)));
        assert!(outcome.is_err());
    }
    let files = app.world().resource::<FlightRecorder>().files();
    assert!(files > 1, "{files}");
    drop(app);
    let written = |prefix: &str, extension: &str| {
        let names = fs::read_dir(&folder).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names
            .filter(|name| name.starts_with(prefix) && name.ends_with(extension))
            .collect::<Vec<_>>()
    };
    for extension in [".html", ".json", ".txt"] {
        assert_eq!(written("late-frame-", extension).len() as u32, files);
        assert_eq!(written("panic", extension).len(), 1);
    }
    for name in written("", ".json") {
        chrome_json::check(&fs::read_to_string(folder.join(name)).unwrap());
    }
}

#[test]
fn of_two_apps_each_is_recorded_until_it_goes_or_its_recorder_is_taken() {
    let _turn = turn();
    let folders = [folder("first"), folder("second")];
    let [mut first, mut second] = folders.each_ref().map(|to| app(Duration::ZERO, to));
    for _ in 0..3 {
        first.update();
        second.update();
    }
    drop(second);
    for _ in 0..12 {
        first.update();
    }
    let trace = first.world().resource::<FlightRecorder>().trace();
    assert!(trace.frames().count() >= 4);
    first.world_mut().remove_resource::<FlightRecorder>();
    first.update();
    assert!(folders[0].join("late-frame-2.html").exists());
}

/// Taken out in one frame, and put back in the middle of a later one.
#[test]
fn a_recorder_that_comes_back_measures_no_frame_from_an_older_ones_begin() {
    let _turn = turn();
    let folder = folder("comes-back");
    let mut app = app(Duration::from_secs(1), &folder);
    let (mut frame, mut held) = (0, None);
    app.add_systems(Update, move |world: &mut World| {
        frame += 1;
        match frame {
            3 => held = world.remove_resource::<FlightRecorder>(),
            4..9 => thread::sleep(Duration::from_millis(250)),
            9 => world.insert_resource(held.take().unwrap()),
            _ => {}
        }
    });
    (0..12).for_each(|_| app.update());
    let recorder = app.world().resource::<FlightRecorder>();
    assert_eq!(recorder.files(), 0);
    assert!(recorder.trace().frames().count() >= 3);
}

#[test]
fn a_file_that_cannot_be_written_is_named_and_the_app_goes_on() {
    let _turn = turn();
    for extension in ["html", "json", "txt"] {
        let folder = folder(&format!("refused-{extension}"));
        // No file takes the place of a folder.
        let refuse = |name: &str| {
            let path = folder.join(name).with_extension(extension);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let own = refuse("own");
        (2..20).for_each(|frame| _ = refuse(&format!("late-frame-{frame}")));
        let mut app = app(Duration::ZERO, &folder);
        (0..3).for_each(|_| app.update());
        let error = app.world().resource::<FlightRecorder>().save(&own);
        let Err(error @ bevy_heartbeat::record::SaveError::File { .. }) = error else {
            panic!("{error:?}");
        };
        let text = error.to_string();
        assert!(text.contains(&own.display().to_string()), "{text}");
        (0..6).for_each(|_| app.update());
        drop(app);
        let names = fs::read_dir(&folder).unwrap();
        let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert!(names.all(|name| !name.starts_with('.')), "a part is left");
    }
}

#[test]
fn a_trace_that_is_written_while_frames_and_jobs_go_on_is_whole() {
    let _turn = turn();
    let folder = folder("meanwhile");
    let mut app = app(Duration::MAX, &folder);
    app.add_systems(Update, |recorder: Res<FlightRecorder>| {
        // In the midst of a frame.
        assert!(recorder.trace().report().to_string().contains("threads"));
    });
    let pool = heartbeat_pool::global();
    for round in 0..12 {
        for lane in Lane::ALL {
            (0..50).for_each(|_| pool.spawn(lane, || ()));
        }
        app.update();
        let path = folder.join(format!("{round}.json"));
        app.world()
            .resource::<FlightRecorder>()
            .save(&path)
            .unwrap();
        chrome_json::check(&fs::read_to_string(&path).unwrap());
    }
}
