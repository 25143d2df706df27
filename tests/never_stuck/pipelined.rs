//! Pipelined rendering: the shape of `bevy_render`'s `pipelined_rendering.rs`, whose crate needs a
//! GPU's libraries. A sub-app travels between the main thread and a render thread; whoever waits
//! for it does so in a scope, and the main thread runs the render world's main-thread systems.

use crate::common::{app_by_environment, pools, within};
use bevy_app::{App, AppExit, SubApp, Update};
use bevy_derive::AppLabel;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MainThreadExecutor, ScheduleLabel};
use bevy_ecs::system::NonSendMarker;
use bevy_tasks::{ComputeTaskPool, block_on};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;

#[derive(AppLabel, Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct RenderExtractApp;

#[derive(Component)]
struct Count(u64);

#[derive(Resource)]
struct Channels {
    to_render: async_channel::Sender<SubApp>,
    from_render: async_channel::Receiver<SubApp>,
    in_flight: bool,
    executor: MainThreadExecutor,
}

impl Channels {
    /// The render app, once it is back, with the main thread's work done meanwhile.
    fn receive(&self) -> Option<SubApp> {
        let executor = Some(&*self.executor.0);
        let received = ComputeTaskPool::get().scope_with_executor(true, executor, |scope| {
            scope.spawn(async { self.from_render.recv().await.ok() });
        });
        received.into_iter().next().unwrap()
    }
}

impl Drop for Channels {
    fn drop(&mut self) {
        if self.in_flight {
            let _ = catch_unwind(AssertUnwindSafe(|| drop(self.receive())));
        }
    }
}

/// Something of the render world that only the main thread may touch and drop.
struct MainOnly(Rc<ThreadId>, Arc<AtomicUsize>);

impl Drop for MainOnly {
    fn drop(&mut self) {
        assert_eq!(*self.0, thread::current().id());
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

/// What is counted of an app's rendering.
#[derive(Clone, Default)]
struct Rendered {
    frames: Arc<AtomicUsize>,
    dropped: Arc<AtomicUsize>,
}

/// A render world with systems of all kinds, some for the main thread.
fn render_app(rendered: &Rendered) -> SubApp {
    let mut render = SubApp::new();
    render.update_schedule = Some(Update.intern());
    let id = Rc::new(thread::current().id());
    render
        .world_mut()
        .insert_non_send(MainOnly(id, rendered.dropped.clone()));
    render.world_mut().spawn_batch((0..300).map(Count));
    let frames = rendered.frames.clone();
    render.add_systems(Update, |main: NonSend<MainOnly>| {
        assert_eq!(*main.0, thread::current().id());
    });
    render.add_systems(Update, move |_: NonSendMarker| {
        frames.fetch_add(1, Ordering::Relaxed);
    });
    render.add_systems(Update, |all: Query<&Count>| {
        all.par_iter().for_each(|count| assert!(count.0 < 300));
    });
    render.add_systems(Update, || {
        thread::sleep(Duration::from_micros(200));
        let [_, io, _] = pools();
        block_on(io.spawn(async {}));
    });
    render
}

/// Makes `app` render on a thread of its own, as the engine's plugin does.
fn pipeline(app: &mut App, mut render: SubApp) -> JoinHandle<()> {
    let executor = MainThreadExecutor::new();
    app.insert_resource(executor.clone());
    render.insert_resource(executor.clone());
    let (to_render, to_render_thread) = async_channel::bounded(1);
    let (to_app, from_render) = async_channel::bounded(1);
    to_app.send_blocking(render).ok().unwrap();
    app.insert_resource(Channels {
        to_render,
        from_render,
        in_flight: true,
        executor,
    });
    let mut extract = SubApp::new();
    extract.set_extract(|world, _| {
        world.resource_scope(
            |world, mut channels: Mut<Channels>| match channels.receive() {
                Some(mut render) => {
                    render.extract(world);
                    channels.to_render.send_blocking(render).unwrap();
                }
                None => {
                    channels.in_flight = false;
                    world.write_message(AppExit::error());
                }
            },
        );
    });
    app.insert_sub_app(RenderExtractApp, extract);
    thread::spawn(move || {
        loop {
            let received = ComputeTaskPool::get()
                .scope(|scope| scope.spawn(async { to_render_thread.recv().await }));
            let Some(Ok(mut render)) = received.into_iter().next() else {
                break;
            };
            render.update();
            if to_app.send_blocking(render).is_err() {
                break;
            }
        }
    })
}

fn main_world() -> App {
    let mut app = app_by_environment();
    app.world_mut().spawn_batch((0..300).map(Count));
    app.add_systems(Update, |all: Query<&Count>, _: NonSendMarker| {
        all.par_iter().for_each(|count| assert!(count.0 < 300));
    });
    app.add_systems(Update, thread::yield_now);
    app
}

/// bevy#10976, #24059: at exit the main thread waited for the render world, whose last frame waited
/// for a system on the main thread.
#[test]
fn a_pipelined_app_is_started_and_dropped_with_a_frame_in_flight() {
    within(60, || {
        for frames in 0..40 {
            let rendered = Rendered::default();
            let mut app = main_world();
            let thread = pipeline(&mut app, render_app(&rendered));
            for _ in 0..frames {
                app.update();
            }
            drop(app);
            thread.join().unwrap();
            assert_eq!(rendered.frames.load(Ordering::Relaxed), frames);
            assert_eq!(rendered.dropped.load(Ordering::Relaxed), 1);
        }
    });
}

/// bevy#12912, #24035: a window didn't close once the render world had a `NonSend` system; an exit
/// in the second frame hung always.
#[test]
fn an_early_exit_of_a_pipelined_app_comes_through() {
    within(60, || {
        for frames in [1, 2, 3, 10] {
            let rendered = Rendered::default();
            let mut app = main_world();
            let mut frame = 0;
            app.add_systems(Update, move |mut exit: MessageWriter<AppExit>| {
                frame += 1;
                if frame == frames {
                    exit.write(AppExit::Success);
                }
            });
            let thread = pipeline(&mut app, render_app(&rendered));
            assert_eq!(app.run(), AppExit::Success);
            thread.join().unwrap();
            assert_eq!(rendered.frames.load(Ordering::Relaxed), frames);
            assert_eq!(rendered.dropped.load(Ordering::Relaxed), 1);
        }
    });
}

/// The render world's own thread holds it while it waits for a main thread that is deep in a frame
/// of its own, parallel work and all; two such apps at once share the pool.
#[test]
fn two_pipelined_apps_run_at_once() {
    within(60, || {
        let run = || {
            let rendered = Rendered::default();
            let mut app = main_world();
            let thread = pipeline(&mut app, render_app(&rendered));
            for _ in 0..100 {
                app.update();
            }
            drop(app);
            thread.join().unwrap();
            assert_eq!(rendered.frames.load(Ordering::Relaxed), 100);
        };
        let other = thread::spawn(run);
        run();
        other.join().unwrap();
    });
}

/// A render system that panics ends the render thread; the app learns of it and exits.
#[test]
fn a_panic_in_the_render_world_ends_the_app() {
    within(60, || {
        let mut app = main_world();
        let rendered = Rendered::default();
        let mut render = render_app(&rendered);
        let frames = rendered.frames.clone();
        render.add_systems(Update, move || {
            assert!(frames.load(Ordering::Relaxed) < 3, "a planned panic");
        });
        let thread = pipeline(&mut app, render);
        assert!(matches!(app.run(), AppExit::Error(_)));
        assert!(thread.join().is_err());
    });
}

/// A panic in the main world, with a frame in flight, reaches the caller; the app can be dropped.
#[test]
fn a_panic_in_the_main_world_leaves_a_pipelined_app_that_can_be_dropped() {
    within(60, || {
        for at in 1..=5 {
            let mut app = main_world();
            let rendered = Rendered::default();
            let mut frame = 0;
            app.add_systems(Update, move || {
                frame += 1;
                assert!(frame < at, "a planned panic");
            });
            let thread = pipeline(&mut app, render_app(&rendered));
            let run = AssertUnwindSafe(|| (0..5).for_each(|_| app.update()));
            assert!(catch_unwind(run).is_err());
            drop(app);
            thread.join().unwrap();
            assert_eq!(rendered.dropped.load(Ordering::Relaxed), 1);
        }
    });
}
