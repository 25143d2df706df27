//! Jobs on a pool without threads, where the app's own does all the work. In a process of its own.

mod common;
#[path = "jobs_few/mod.rs"]
mod few;

#[test]
fn jobs_run_without_a_thread_of_the_pool() {
    common::within(60, || few::every_kind_of_job(&mut common::app(0)));
}
