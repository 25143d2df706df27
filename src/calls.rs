//! Fork and join, and calls that block, from wherever an app's code runs.

use heartbeat_pool::{Task, ThreadPool, Worker, global};

/// Runs `a` and `b`, possibly in parallel, and gives both results. It costs about as much as two
/// calls: `b` is offered to other threads once a beat, by the next join or loop inside of `a`.
///
/// So `a` must not wait for `b`, or it may wait for ever; and two long calls with no joins or loops
/// inside may run one after the other. Both belong into a scope, as of
/// `ComputeTaskPool::get().scope(..)`, or in a job into [`cx.scope`](crate::JobContext::scope).
///
/// Inside of a pool it is shared with that pool's threads, outside of any with the app's, so a
/// system may call it on whatever thread it runs. On the web, which has one, they run in turn. The
/// interface is rayon's.
///
/// # Panics
///
/// With the payload of `a` or `b` if one panics, `a`'s if both do.
///
/// ```
/// let numbers: Vec<u64> = (1..=4).collect();
/// let (left, right) = numbers.split_at(2);
/// let sums = bevy_heartbeat::join(|| left.iter().sum::<u64>(), || right.iter().sum::<u64>());
/// assert_eq!(sums, (3, 7));
/// ```
#[inline]
pub fn join<A, B, RA: Send, RB: Send>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
{
    Worker::with_current(|worker| match worker {
        Some(worker) => worker.join(|_| a(), |_| b()),
        None if cfg!(target_arch = "wasm32") => (a(), b()),
        None => global().join(a, b),
    })
}

/// Runs `f`, which may block, on a thread beyond the pool's own, so that no frame and no lane loses
/// one: for calls that wait, on a file or a socket, and not for computing. Threads are started as
/// needed, 512 at most, for one of which more calls wait; when they are idle all but four end. They
/// have the same names as the frame's threads, because a call stays on the thread that it began on
/// and a new one takes that one's place.
///
/// Inside of another pool it is that pool's, and goes with it; elsewhere it is the app's, which is
/// started if it is not there yet. (A plugin that is added later sets its number of threads, but no
/// longer the fields that a new pool alone takes; what a `TaskPoolBuilder` sets later is lost.) In
/// a pool without threads, whoever does its work runs `f`.
///
/// To drop the task cancels it, if `f` has not begun; what has begun runs to its end. In a job,
/// [`cx.blocking`](crate::JobContext::blocking) does the same, on the web too. The idea is tokio's.
///
/// # Panics
///
/// On the web, which has no such thread. A panic in `f` is resumed by whoever awaits the task.
///
/// ```
/// use bevy_app::{App, Startup};
/// use bevy_heartbeat::{HeartbeatPlugin, spawn_blocking};
/// use std::{thread, time::Duration};
///
/// fn ask_the_operating_system() {
///     spawn_blocking(|| thread::sleep(Duration::from_millis(1))).detach();
/// }
///
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin::default()).add_systems(Startup, ask_the_operating_system);
/// app.update();
/// ```
pub fn spawn_blocking<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> Task<R> {
    let is_inside = Worker::with_current(|worker| worker.is_some());
    if is_inside || cfg!(target_arch = "wasm32") {
        heartbeat_pool::spawn_blocking(f)
    } else {
        // If the system refuses it threads, the pool asks again when something waits.
        _ = ThreadPool::builder().build_static_if_unsized(global());
        global().spawn_blocking(f)
    }
}
