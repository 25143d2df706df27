//! `app.run()` comes back at once, whatever the pools' tasks do. In a process of its own, for it
//! reads the clock, and for the process must end too.

mod common;

use bevy_app::{App, AppExit, Startup, Update};
use bevy_ecs::prelude::*;
use bevy_tasks::{ComputeTaskPool, Task, TaskPool, block_on};
use common::{app_by_environment, pools, within};
use std::future::pending;
use std::hint;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// The tests take turns, for they read the clock.
static TURN: Mutex<()> = Mutex::new(());

/// What lets the tasks go.
#[derive(Resource, Clone)]
struct Held {
    stop: Arc<AtomicBool>,
    lock: Arc<RwLock<()>>,
    /// Of what was never written to.
    silent: async_channel::Sender<()>,
    silence: async_channel::Receiver<()>,
    ran: Arc<AtomicUsize>,
    kept: Arc<Mutex<Vec<Task<()>>>>,
}

impl Held {
    fn new() -> Self {
        let (silent, silence) = async_channel::unbounded();
        Self {
            silent,
            silence,
            stop: Arc::default(),
            lock: Arc::default(),
            ran: Arc::default(),
            kept: Arc::default(),
        }
    }

    fn keep(&self, task: Task<()>) {
        self.kept.lock().unwrap().push(task);
    }

    /// Tasks that wait: for a channel, for a timer's thread, for nothing at all.
    fn start_waiting(&self, pool: &TaskPool) {
        let (tick, ticks) = async_channel::bounded(1);
        let stop = self.stop.clone();
        thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let _ = tick.try_send(());
                thread::sleep(Duration::from_millis(1));
            }
        });
        for index in 0..60 {
            let silence = self.silence.clone();
            self.keep(pool.spawn(async move { _ = silence.recv().await }));
            let ticks = ticks.clone();
            let sleeper = pool.spawn(async move { while ticks.recv().await.is_ok() {} });
            let endless = pool.spawn(pending::<()>());
            if index % 2 == 0 {
                sleeper.detach();
                drop(endless);
            } else {
                self.keep(sleeper);
                endless.detach();
            }
        }
        // What was queued so far has had its turn.
        block_on(pool.spawn(async {}));
    }

    /// Tasks that hold their threads, and behind them tasks that stay queued.
    fn start_busy(&self, pool: &TaskPool) {
        for _ in 0..=ComputeTaskPool::get().thread_num() {
            let stop = self.stop.clone();
            let spins = async move {
                while !stop.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            };
            pool.spawn(spins).detach();
            let lock = self.lock.clone();
            pool.spawn(async move { drop(lock.read()) }).detach();
        }
        for _ in 0..200 {
            let ran = self.ran.clone();
            let queued = async move { _ = ran.fetch_add(1, Ordering::Relaxed) };
            pool.spawn(queued).detach();
        }
        let ran = self.ran.clone();
        drop(pool.spawn(async move { _ = ran.fetch_add(1_000_000, Ordering::Relaxed) }));
    }
}

/// An app that starts a thousand tasks and exits `after` some frames.
fn app(held: &Held, after: u32) -> App {
    let mut app = app_by_environment();
    app.insert_resource(held.clone());
    app.add_systems(Startup, |held: Res<Held>| {
        pools().iter().for_each(|pool| held.start_waiting(pool));
        pools().iter().for_each(|pool| held.start_busy(pool));
    });
    for _ in 0..4 {
        app.add_systems(Update, thread::yield_now);
    }
    if after == 0 {
        app.add_systems(Startup, |mut exit: MessageWriter<AppExit>| {
            exit.write(AppExit::Success);
        });
    }
    let mut frame = 0;
    app.add_systems(Update, move |mut exit: MessageWriter<AppExit>| {
        frame += 1;
        if frame == after {
            exit.write(AppExit::Success);
        }
    });
    app
}

fn run_for_less_than_a_second(held: &Held, after: u32) {
    let mut app = app(held, after);
    let start = Instant::now();
    assert_eq!(app.run(), AppExit::Success);
    drop(app);
    let took = start.elapsed();
    assert!(took < Duration::from_secs(1), "the exit took {took:?}");
}

/// bevy#12912, #10976, #13743: an app that is told to exit hangs. Here with a thousand tasks that
/// run, wait, block, are queued, cancelled and detached.
#[test]
fn an_app_exits_with_a_thousand_tasks_in_every_state() {
    let _turn = TURN.lock();
    within(60, || {
        for after in [0, 1, 5] {
            let held = Held::new();
            let guard = held.lock.clone();
            let blocks = guard.write().unwrap();
            run_for_less_than_a_second(&held, after);
            held.stop.store(true, Ordering::Relaxed);
            drop(blocks);
            // All of the queued ones and none of the cancelled run later.
            while held.ran.load(Ordering::Relaxed) < 3 * 200 {
                thread::yield_now();
            }
            held.silent.close();
            for task in std::mem::take(&mut *held.kept.lock().unwrap()) {
                block_on(task);
            }
            assert_eq!(held.ran.load(Ordering::Relaxed), 3 * 200);
        }
    });
}

/// Run by the next test, in a process of its own: tasks are left as they are.
#[test]
#[ignore = "ends with blocked threads"]
fn child() {
    let held = Held::new();
    let guard = held.lock.clone();
    std::mem::forget(guard.write().unwrap());
    run_for_less_than_a_second(&held, 5);
}

/// bevy#10976: the window was gone and the process stayed, with all of its threads.
#[test]
fn a_process_ends_with_its_pools_tasks_still_blocked() {
    let _turn = TURN.lock();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--ignored"])
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return;
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("the process still runs");
        }
        thread::sleep(Duration::from_millis(5));
    }
}
