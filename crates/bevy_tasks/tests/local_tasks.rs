//! Tasks that stay on the pool's thread that has spawned them.
#![cfg(feature = "multi_threaded")]

use bevy_tasks::{
    IoTaskPool, TaskPool, TaskPoolBuilder, block_on, tick_global_task_pools_on_main_thread,
};
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(60);

fn pool(threads: usize) -> &'static TaskPool {
    Box::leak(Box::new(
        TaskPoolBuilder::new().num_threads(threads).build(),
    ))
}

#[test]
fn what_is_spawned_by_with_local_executor_runs_on_a_pools_thread() {
    let pool = pool(1);
    for _ in 0..3 {
        let (sender, receiver) = mpsc::channel();
        pool.spawn(async move {
            let here = thread::current().id();
            let told = async move { sender.send(thread::current().id() == here).unwrap() };
            pool.with_local_executor(|executor| executor.spawn(told).detach());
        })
        .detach();
        assert_eq!(receiver.recv_timeout(DEADLINE), Ok(true));
    }
}

#[test]
fn what_is_spawned_inside_of_another_pool_runs_on_the_thread() {
    let (own, other) = (pool(1), pool(1));
    for _ in 0..3 {
        let (sender, receiver) = mpsc::channel();
        own.spawn(async move {
            let here = thread::current().id();
            let told = async move { sender.send(thread::current().id() == here).unwrap() };
            other.scope::<_, ()>(|_| other.spawn_local(told).detach());
        })
        .detach();
        assert_eq!(receiver.recv_timeout(DEADLINE), Ok(true));
    }
}

/// Threads that stand in for waiting ones end once they are idle, but for those that have such tasks.
#[test]
fn a_local_task_outlives_the_need_for_its_thread() {
    const TASKS: usize = 12;
    let pool = pool(2);
    let (first, first_end) = async_channel::bounded::<()>(1);
    let (second, second_end) = async_channel::bounded::<()>(1);
    let (sender, receiver) = mpsc::channel();
    let (begins, begun) = mpsc::channel();
    for _ in 0..TASKS {
        let (first_end, second_end) = (first_end.clone(), second_end.clone());
        let (sender, begins) = (sender.clone(), begins.clone());
        pool.spawn(async move {
            let local = async move {
                _ = second_end.recv().await;
                sender.send(()).unwrap();
            };
            pool.spawn_local(local).detach();
            begins.send(()).unwrap();
            _ = block_on(first_end.recv());
        })
        .detach();
    }
    for _ in 0..TASKS {
        begun.recv_timeout(DEADLINE).unwrap();
    }
    drop(first);
    // Those that are too many end.
    thread::sleep(Duration::from_millis(300));
    drop((second, sender));
    for _ in 0..TASKS {
        receiver.recv_timeout(DEADLINE).expect("none is lost");
    }
}

/// The app calls it once a frame, and the frame goes on.
#[test]
fn a_task_that_wakes_itself_has_as_many_turns_a_frame_as_with_bevys_own() {
    let polls = Arc::new(AtomicUsize::new(0));
    let counted = polls.clone();
    let task = IoTaskPool::get_or_init(TaskPool::default).spawn_local(poll_fn(move |context| {
        counted.fetch_add(1, Ordering::Relaxed);
        context.waker().wake_by_ref();
        Poll::<()>::Pending
    }));
    for frame in 1..4 {
        tick_global_task_pools_on_main_thread();
        // A hundred for each of the three pools.
        assert_eq!(polls.load(Ordering::Relaxed), 300 * frame);
    }
    drop(task);
}

/// Neither in its own way nor in that of the pool's other work.
#[test]
fn a_local_task_that_wakes_itself_for_ever_keeps_its_thread_from_nothing() {
    let pool = pool(1);
    pool.spawn(async {
        let local = async {
            loop {
                futures_lite::future::yield_now().await;
            }
        };
        pool.spawn_local(local).detach();
    })
    .detach();
    let (sender, receiver) = mpsc::channel();
    let end = Instant::now() + DEADLINE;
    // With a spare thread for each it would take minutes.
    for _ in 0..10_000 {
        let sender = sender.clone();
        pool.spawn(async move { sender.send(()).unwrap() }).detach();
        let left = end.saturating_duration_since(Instant::now());
        assert_eq!(receiver.recv_timeout(left), Ok(()));
    }
}
