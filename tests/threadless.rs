//! A pool without threads: the main thread does all the work. In a process of its own.

mod common;

use bevy_app::Update;
use bevy_tasks::{AsyncComputeTaskPool, IoTaskPool, TaskPool, block_on};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn late_frames_are_written_when_the_app_goes() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("threadless");
    let mut app = bevy_app::App::new();
    app.add_plugins(bevy_heartbeat::HeartbeatPlugin {
        threads: Some(0),
        record: bevy_heartbeat::record::Record::LateFrames {
            over: std::time::Duration::ZERO,
            keep: 1,
        },
        record_to: folder.clone(),
        ..Default::default()
    });
    app.finish();
    app.cleanup();
    app.update();
    app.update();
    drop(app);
    assert!(folder.join("late-frame-2.html").exists());
}

#[test]
fn an_app_runs_without_a_thread_of_the_pool() {
    common::within(60, || {
        let mut app = common::app(0);
        // It divides by the number of threads.
        app.add_plugins(bevy_transform::TransformPlugin);
        app.world_mut()
            .spawn_batch((0..100).map(|_| bevy_transform::components::Transform::IDENTITY));
        let ran = Arc::new(AtomicUsize::new(0));
        for _ in 0..4 {
            let ran = ran.clone();
            app.add_systems(Update, move || _ = ran.fetch_add(1, Ordering::Relaxed));
        }
        app.update();
        assert_eq!(ran.load(Ordering::Relaxed), 4);
        assert_eq!(common::pools().map(TaskPool::thread_num), [1; 3]);
        for pool in [&**IoTaskPool::get(), &**AsyncComputeTaskPool::get()] {
            let ran = ran.clone();
            let task = pool.spawn(async move { _ = ran.fetch_add(1, Ordering::Relaxed) });
            // The app's tick of the frame runs it.
            while !task.is_finished() {
                app.update();
            }
        }
        // Outside of a frame, whoever waits does the work.
        for pool in [&**IoTaskPool::get(), &**AsyncComputeTaskPool::get()] {
            let nested = pool.spawn(async move { pool.spawn(async { 5 }).await });
            assert_eq!(block_on(nested), 5);
            // What the task spawns on its thread is on the one that waits.
            let local = pool.spawn(async move { pool.spawn_local(async { 6 }).await });
            assert_eq!(block_on(local), 6);
        }
        assert_eq!(heartbeat_pool::global().metrics().threads, 0);
        late_frames_are_written_when_the_app_goes();
    });
}
