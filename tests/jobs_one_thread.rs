//! Jobs on a pool of one thread. In a process of its own.

mod common;
#[path = "jobs_few/mod.rs"]
mod few;

#[test]
fn jobs_run_on_one_thread() {
    common::within(60, || few::every_kind_of_job(&mut common::app(1)));
}
