//! Jobs wake an app that runs frames only when it is told to.

use super::{frames_until, with_app};
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use std::future::{self, Future};
use std::mem;
use std::panic;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Barrier};
use std::task::Poll;
use std::thread;
use std::time::Duration;

/// Tells of each call of the app's waker, after that of `set` and its frame.
fn wakes(app: &mut App) -> Receiver<()> {
    let (tells, told) = mpsc::channel();
    let waker = app.world().resource::<AppWaker>();
    assert!(waker.set(move || _ = tells.send(())));
    told.try_recv().expect("what was there before is told of");
    app.update();
    told
}

#[derive(Resource, Default)]
struct Told(Vec<&'static str>);

#[test]
fn each_request_and_each_end_brings_a_frame() {
    with_app(|app| {
        app.init_resource::<Told>();
        let told = wakes(app);
        let job = app.world_mut().spawn_job(Lane::Io, |cx| async move {
            cx.with(|mut told: ResMut<Told>| told.0.push("with")).await
        });
        job.then(|_: In<JobOutcome<_>>, mut told: ResMut<Told>| told.0.push("then"));
        while app.world().resource::<Told>().0.len() < 2 {
            told.recv().unwrap();
            app.update();
        }
    });
}

#[test]
fn requests_for_which_a_frame_has_no_time_bring_another_one() {
    const REQUESTS: usize = 8;
    with_app(|app| {
        app.init_resource::<Told>();
        app.insert_resource(WorldAccessBudget(Duration::ZERO));
        let told = wakes(app);
        let (asks, asked) = mpsc::channel();
        let job = app.world_mut().spawn_job(Lane::Io, move |cx| async move {
            let request = |_| {
                let cx = cx.clone();
                let push = |mut told: ResMut<Told>| told.0.push("with");
                Box::pin(async move { cx.with(push).await })
            };
            let mut requests: Vec<_> = (0..REQUESTS).map(request).collect();
            future::poll_fn(move |context| {
                requests.retain_mut(|request| request.as_mut().poll(context).is_pending());
                _ = asks.send(());
                if requests.is_empty() {
                    Poll::Ready(())
                } else {
                    Poll::Pending
                }
            })
            .await;
        });
        drop(job);
        // They are all there before the first of these frames.
        asked.recv().unwrap();
        while app.world().resource::<Told>().0.len() < REQUESTS {
            told.recv().unwrap();
            app.update();
        }
    });
}

#[test]
fn the_end_of_a_lists_job_brings_a_frame() {
    fn ask(mut jobs: Jobs<u32>, mut told: ResMut<Told>, mut is_asked: Local<bool>) {
        if !mem::replace(&mut *is_asked, true) {
            jobs.start(Lane::Io, |_| async { 1 });
        }
        told.0.extend(jobs.iter_poll().map(|_| "polled"));
    }
    with_app(|app| {
        app.init_resource::<Told>().add_systems(Update, ask);
        let told = wakes(app);
        while app.world().resource::<Told>().0.is_empty() {
            told.recv().unwrap();
            app.update();
        }
    });
}

#[test]
fn ends_of_many_jobs_ask_for_one_frame() {
    const JOBS: usize = 100;
    with_app(|app| {
        let told = wakes(app);
        let ended = Arc::new(AtomicUsize::new(0));
        for _ in 0..JOBS {
            let ended = ended.clone();
            let job = app.world_mut().spawn_job(Lane::Background, |_| async {});
            job.observe(move |_: On<JobDone<()>>| _ = ended.fetch_add(1, Ordering::Relaxed));
        }
        let mut jobs = app.world_mut().query::<&Job<()>>();
        while !jobs.iter(app.world()).all(Job::is_finished) {
            thread::yield_now();
        }
        frames_until(app, |_| ended.load(Ordering::Relaxed) == JOBS);
        // Those that have just ended may ask a little later, each for a frame of its own.
        let asked = told.try_iter().count();
        assert!((1..JOBS / 4).contains(&asked), "{asked} frames");
    });
}

#[test]
fn the_first_waker_holds() {
    with_app(|app| {
        let told = wakes(app);
        let waker = app.world().resource::<AppWaker>();
        assert!(!waker.set(|| panic!("it is not called")));
        assert_eq!(format!("{waker:?}"), "AppWaker { is_set: true }");
        app.world_mut().spawn_job(Lane::Frame, |_| async {});
        told.recv().unwrap();
    });
}

#[test]
fn a_wakers_panic_ends_nothing_else() {
    with_app(|app| {
        let waker = app.world().resource::<AppWaker>();
        waker.set(|| panic::resume_unwind(Box::new(())));
        let entity = app.world_mut().spawn_job(Lane::Io, |_| async { 1 }).id();
        let poll = |world: &mut World| world.get_mut::<Job<i32>>(entity).unwrap().poll();
        frames_until(app, |world| matches!(poll(world), Some(Ok(1))));
    });
}

/// What a job leaves while a frame runs may be too late for that one.
#[test]
fn what_comes_after_a_frames_look_brings_another_one() {
    with_app(|app| {
        let told = wakes(app);
        let looked = Arc::new(Barrier::new(2));
        let after = looked.clone();
        let job = app.world_mut().spawn_job(Lane::Io, move |_| async move {
            after.wait();
        });
        let entity = job.id();
        drop(job);
        app.add_systems(Update, move |job: Query<&Job<()>>| {
            if !job.iter().all(Job::is_finished) {
                looked.wait();
                while !job.iter().all(Job::is_finished) {
                    thread::yield_now();
                }
            }
        });
        app.update();
        assert_eq!(told.recv(), Ok(()));
        app.update();
        let mut job = app.world_mut().get_mut::<Job<()>>(entity).unwrap();
        assert!(matches!(job.poll(), Some(Ok(()))));
    });
}
