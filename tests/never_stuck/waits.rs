//! Waits inside of waits, and what must not run in them.

use crate::common::{app_by_environment, pools, within};
use bevy_app::Update;
use bevy_ecs::prelude::*;
use bevy_tasks::{ComputeTaskPool, IoTaskPool, Task, TaskPoolBuilder, block_on};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

#[derive(Component)]
struct Part<const N: usize>(u64);

/// bevy#5743: parallel queries deadlocked where more systems made one at a time than the pool has
/// threads.
#[test]
fn more_systems_iterate_in_parallel_than_there_are_threads() {
    fn walk<const N: usize>(mut all: Query<&mut Part<N>>) {
        all.par_iter_mut().for_each(|mut part| part.0 += 1);
    }
    within(60, || {
        let mut app = app_by_environment();
        let one = (Part::<0>(0), Part::<1>(0), Part::<2>(0), Part::<3>(0));
        let two = (Part::<4>(0), Part::<5>(0), Part::<6>(0), Part::<7>(0));
        app.world_mut()
            .spawn((one, two, Part::<8>(0), Part::<9>(0)));
        app.add_systems(Update, (walk::<0>, walk::<1>, walk::<2>, walk::<3>));
        app.add_systems(Update, (walk::<4>, walk::<5>, walk::<6>, walk::<7>));
        app.add_systems(Update, (walk::<8>, walk::<9>));
        for _ in 0..1_000 {
            app.update();
        }
        let mut all = app.world_mut().query::<(&Part<0>, &Part<9>)>();
        let (first, last) = all.single(app.world()).unwrap();
        assert_eq!((first.0, last.0), (1_000, 1_000));
    });
}

/// bevy#15271, of #21954: fifty loads, each of which opens a scope inside of its io task, overflow
/// the io thread's stack, for each wait runs the next load.
#[test]
fn thousands_of_loads_that_open_scopes_need_no_deeper_stack_than_one() {
    within(60, || {
        let _app = app_by_environment();
        let loads: Vec<Task<usize>> = (0..5_000)
            .map(|_| {
                IoTaskPool::get().spawn(async {
                    // A hundred of these fill the two mebibytes of a thread.
                    let ballast = black_box([1_u8; 16 << 10]);
                    let parts = IoTaskPool::get().scope(|scope| {
                        for _ in 0..4 {
                            scope.spawn(async { 1 });
                        }
                    });
                    parts.len() + usize::from(black_box(ballast[7]))
                })
            })
            .collect();
        let parts: usize = loads.into_iter().map(block_on).sum();
        assert_eq!(parts, 5_000 * 5);
    });
}

/// bevy#21954 on a pool of its own, of one thread with a small stack.
#[test]
fn scopes_in_tasks_do_not_pile_up_on_one_small_stack() {
    within(60, || {
        let pool = TaskPoolBuilder::new()
            .num_threads(1)
            .stack_size(512 << 10)
            .build();
        let pool = Arc::new(pool);
        let tasks: Vec<_> = (0..1_000)
            .map(|_| {
                let inner = pool.clone();
                pool.spawn(async move {
                    let ballast = black_box([1_u8; 16 << 10]);
                    inner.scope(|scope| (0..2).for_each(|_| scope.spawn(async {})));
                    usize::from(black_box(ballast[7]))
                })
            })
            .collect();
        assert_eq!(tasks.into_iter().map(block_on).sum::<usize>(), 1_000);
        // Each task held the pool; its own thread must not be the last to.
        while Arc::strong_count(&pool) > 1 {
            thread::yield_now();
        }
    });
}

thread_local!(static WAITS: Cell<bool> = const { Cell::new(false) });

/// bevy#12960: a system that waits for its parallel query ran a heavy task of another world, and
/// its frame waited for that.
#[test]
fn a_wait_runs_no_work_of_strangers() {
    within(60, || {
        let mut app = app_by_environment();
        app.world_mut().spawn_batch((0..200).map(Part::<0>));
        let strangers = Arc::new(AtomicUsize::new(0));
        let ran = strangers.clone();
        app.add_systems(Update, move |all: Query<&Part<0>>| {
            for pool in pools() {
                for _ in 0..3 {
                    let ran = ran.clone();
                    let heavy = async move {
                        assert!(!WAITS.get(), "a stranger runs in a wait");
                        thread::sleep(Duration::from_micros(200));
                        ran.fetch_add(1, Ordering::Relaxed);
                    };
                    pool.spawn(heavy).detach();
                }
            }
            WAITS.set(true);
            all.par_iter().for_each(|part| _ = black_box(part.0));
            ComputeTaskPool::get().scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(async { thread::sleep(Duration::from_micros(50)) });
                }
            });
            let [_, io, _] = pools();
            block_on(io.spawn(async {}));
            WAITS.set(false);
        });
        for _ in 0..50 {
            app.update();
        }
        // One that was run in a wait has panicked, and counts nothing.
        while strangers.load(Ordering::Relaxed) < 50 * 9 {
            thread::yield_now();
        }
    });
}
