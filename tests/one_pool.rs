//! The process has the pool's threads and no others. In a process of its own, for it counts them.
#![cfg(target_os = "linux")]

mod common;

use bevy_app::Update;
use bevy_ecs::prelude::*;
use bevy_tasks::{AsyncComputeTaskPool, IoTaskPool, block_on};
use common::threads::thread_names;

#[derive(Component)]
struct Count(u64);

#[test]
fn an_app_runs_on_the_pools_threads_alone() {
    let mut app = common::app(2);
    app.world_mut().spawn_batch((0..1_000).map(Count));
    for _ in 0..4 {
        app.add_systems(Update, |mut all: Query<&mut Count>| {
            all.par_iter_mut().for_each(|mut count| count.0 += 1);
        });
    }
    for _ in 0..20 {
        app.update();
        block_on(IoTaskPool::get().spawn(async {}));
        block_on(AsyncComputeTaskPool::get().spawn(async {}));
    }
    // It is rayon's global pool as well, which is configured once.
    let threads = rayon::ThreadPoolBuilder::new().thread_name(|_| "TaskPool".to_owned());
    assert!(threads.build_global().is_err());
    assert_eq!(rayon::current_num_threads(), 2);
    let names = thread_names();
    let ours = |name: &&String| name.starts_with("heartbeat (");
    // Two, and spare ones that take the seats of waiting threads.
    assert!(names.iter().filter(ours).count() >= 2, "{names:?}");
    for other in [
        "IO Task Pool",
        "Async Compute T",
        "Compute Task Po",
        "TaskPool",
    ] {
        assert!(
            !names.iter().any(|name| name.starts_with(other)),
            "{names:?}"
        );
    }
}
