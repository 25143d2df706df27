//! The plugin's fields for threads. In a process of its own, for they hold where the pool is new.

mod common;

use bevy_app::App;
use bevy_heartbeat::prelude::*;
use bevy_heartbeat::{JobError, spawn_blocking};
use bevy_tasks::block_on;
use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

static PANICS: AtomicUsize = AtomicUsize::new(0);

/// How much stack the deep call takes at least.
const DEEP: usize = 8 << 20;

/// Uses `left` bytes of the stack.
fn dig(left: usize) -> u8 {
    let piece = hint::black_box([1_u8; 4096]);
    match left.checked_sub(piece.len()) {
        None => piece[0],
        Some(left) => dig(left).wrapping_add(hint::black_box(&piece)[7]),
    }
}

#[test]
fn threads_have_names_stacks_and_a_panic_handler() {
    common::within(60, || {
        let mut app = App::new();
        app.add_plugins(HeartbeatPlugin {
            threads: Some(1),
            stack_size: Some(8 * DEEP),
            thread_name: Some(|index| format!("game {index}")),
            panic_handler: Some(|payload| {
                assert_eq!(payload.downcast_ref::<&str>(), Some(&"a job broke"));
                PANICS.fetch_add(1, Ordering::SeqCst);
            }),
            ..Default::default()
        });
        let pool = heartbeat_pool::global();
        let names = Lane::ALL.map(|lane| {
            let name = || async {
                dig(DEEP);
                thread::current().name().map(str::to_owned)
            };
            block_on(pool.spawn_future(lane, name())).unwrap()
        });
        // A spare thread may be the one that runs it.
        assert!(names[0].starts_with("game "), "{names:?}");
        assert!(names[1].starts_with("low game"), "{names:?}");
        pool.spawn(Lane::Frame, || panic!("a job broke"));
        while PANICS.load(Ordering::SeqCst) == 0 {
            thread::yield_now();
        }
        // The parts of a job are the job's, which has an outcome.
        let part = |cx: JobContext| async move {
            let () = cx.lane(Lane::Io, async { panic!("a part broke") }).await;
        };
        let part = app.world_mut().spawn_job(Lane::Background, part).id();
        let call = |cx: JobContext| async move {
            let () = cx.blocking(|| panic!("a call broke")).await;
        };
        let call = app.world_mut().spawn_job(Lane::Background, call).id();
        for (entity, message) in [(part, "a part broke"), (call, "a call broke")] {
            let outcome = loop {
                app.update();
                if let Some(outcome) = app.world_mut().get_mut::<Job<()>>(entity).unwrap().poll() {
                    break outcome;
                }
            };
            match outcome {
                Err(JobError::Panicked(panic)) => assert_eq!(panic.message, message),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(PANICS.load(Ordering::SeqCst), 1);
        // Also from jobs: the plugin has the function.
        let blocked = pool.spawn_future(Lane::Io, async { spawn_blocking(|| 4).await });
        assert_eq!(block_on(blocked), 4);
    });
}
