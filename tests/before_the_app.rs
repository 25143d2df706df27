//! What a game does before it makes its app. In a process of its own, for nothing has started the
//! pool.

mod common;

use bevy_heartbeat::{join, spawn_blocking};
use common::{app, within};
use std::thread;

#[test]
fn a_blocking_call_and_a_join_need_no_app() {
    within(60, || {
        assert_eq!(bevy_tasks::block_on(spawn_blocking(|| 5)), 5);
        assert_eq!(join(|| 1, || 2), (1, 2));
        let mut app = app(3);
        app.update();
        assert_eq!(heartbeat_pool::global().num_threads(), 3);
        let name = || thread::current().name().map(str::to_owned);
        let name = bevy_tasks::block_on(spawn_blocking(name)).unwrap();
        assert!(name.starts_with("heartbeat ("), "{name}");
        a_blocking_call_inside_of_another_pool_is_that_ones();
    });
}

fn a_blocking_call_inside_of_another_pool_is_that_ones() {
    let pool = heartbeat_pool::ThreadPool::builder()
        .num_threads(1)
        .thread_name(|index| format!("another {index}"))
        .build()
        .unwrap();
    let name = || thread::current().name().map(str::to_owned);
    let name = pool.install(|_| spawn_blocking(name));
    let name = pool.block_on(name).unwrap();
    assert!(name.starts_with("another "), "{name}");
}
