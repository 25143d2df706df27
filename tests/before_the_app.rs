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
    });
}
