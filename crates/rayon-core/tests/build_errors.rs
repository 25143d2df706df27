//! A pool that can't be built in full isn't built at all: the threads that it had are stopped.

mod common;
use common::{all, fail, in_time, panic_of};
use rayon_core::{ThreadPoolBuildError, ThreadPoolBuilder};
use std::error::Error;
use std::io;
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// A builder for ten threads, and their starts and exits, which end with whatever was built.
fn watched() -> (ThreadPoolBuilder, Receiver<usize>, Receiver<usize>) {
    let (start, starts) = mpsc::channel();
    let (exit, exits) = mpsc::channel();
    let builder = ThreadPoolBuilder::new()
        .num_threads(10)
        .start_handler(move |index| start.send(index).unwrap())
        .exit_handler(move |index| exit.send(index).unwrap());
    (builder, starts, exits)
}

fn sorted(receiver: &Receiver<usize>) -> Vec<usize> {
    let mut received = all(receiver);
    received.sort_unstable();
    received
}

/// Half of the address space for each stack. A system of 32 bits may grant the first.
#[test]
fn a_stack_that_cannot_be_had() {
    in_time(|| {
        let (builder, starts, exits) = watched();
        let built = builder.stack_size(isize::MAX as usize).build();
        assert!(built.is_err());
        drop(built);
        let started = sorted(&starts);
        assert!(started.len() <= 1, "{started:?}");
        assert_eq!(sorted(&exits), started);
    });
}

#[test]
fn a_panic_of_what_names_the_threads() {
    in_time(|| {
        let (builder, starts, exits) = watched();
        let build = || {
            builder
                .thread_name(|index| {
                    if index == 6 {
                        fail("name");
                    }
                    format!("thread {index}")
                })
                .build()
        };
        assert_eq!(panic_of(build), Some("name"));
        assert_eq!(sorted(&starts), [0, 1, 2, 3, 4, 5]);
        assert_eq!(sorted(&exits), [0, 1, 2, 3, 4, 5]);
    });
}

#[test]
fn a_thread_that_the_application_s_own_handler_does_not_start() {
    in_time(|| {
        let (builder, starts, exits) = watched();
        let built = builder
            .spawn_handler(|worker| {
                if worker.index() == 4 {
                    return Err(io::Error::other("no more threads"));
                }
                thread::spawn(|| worker.run());
                Ok(())
            })
            .build();
        let error = built.err().unwrap();
        assert!(error.to_string().contains("no more threads"), "{error}");
        drop(error);
        assert_eq!(sorted(&starts), [0, 1, 2, 3]);
        assert_eq!(sorted(&exits), [0, 1, 2, 3]);
    });
}

/// So that it goes into a boxed error of the usual kind, and across threads.
#[test]
fn the_error_is_an_error_of_any_thread() {
    fn is_error<T: Error + Send + Sync + 'static>() {}
    is_error::<ThreadPoolBuildError>();
}
