//! rayon used before there is an app: they share one pool all the same. In a process of its own, for it counts
//! the threads.
#![cfg(target_os = "linux")]

mod common;

use bevy_app::Update;
use bevy_tasks::{AsyncComputeTaskPool, block_on};
use common::threads::thread_names;
use rayon::prelude::*;
use std::thread;

#[test]
fn an_app_takes_over_the_pool_that_rayon_has_begun_with() {
    let sum = || (0..1_000_u32).into_par_iter().sum::<u32>();
    assert_eq!(sum(), 499_500);
    let mut app = common::app(3);
    assert_eq!(rayon::current_num_threads(), 3);
    app.add_systems(Update, move || assert_eq!(sum(), 499_500));
    for _ in 0..20 {
        app.update();
    }
    assert_eq!(sum(), 499_500);
    let name = async || thread::current().name().map(str::to_owned);
    let name = block_on(AsyncComputeTaskPool::get().spawn(name()));
    assert!(name.unwrap().starts_with("low ("));
    let names = thread_names();
    assert!(
        names.iter().any(|name| name.starts_with("heartbeat (")),
        "{names:?}"
    );
    assert!(
        !names.iter().any(|name| name.starts_with("rayon (")),
        "{names:?}"
    );
}
