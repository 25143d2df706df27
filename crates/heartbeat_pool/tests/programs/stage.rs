//! What both ways to perform a program have in common.

use crate::ledger::Ledger;
use crate::perform::{Planned, Play};
use crate::program::{Program, Shape};
use crate::scene::thread;
use heartbeat_pool::{BuildError, ThreadBuilder, ThreadPool, ThreadPoolBuilder};
use std::env;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The number that the environment's `name` gives.
pub fn number(name: &str) -> Option<u64> {
    let value = env::var(name).ok()?;
    Some(
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} is a number")),
    )
}

/// What `program`'s jobs share.
pub fn play(program: &Program) -> Arc<Play> {
    let shape = &program.pool;
    Arc::new(Play {
        ledger: Arc::new(Ledger::new(shape.is_lenient())),
        may_be_threadless: !shape.keeps_threads(),
        second: Mutex::default(),
    })
}

/// Has a thread of the program's own run as a pool's, in a while.
fn start_late(pools: ThreadBuilder, micros: u64) -> io::Result<()> {
    let own = thread::Builder::new().name(format!("outside {}", pools.name()));
    let run = move || {
        thread::sleep(Duration::from_micros(micros));
        pools.run();
    };
    own.spawn(run).map(drop)
}

/// The pool of `shape`. None if its threads were refused, as they may be.
pub fn build(
    shape: &Shape,
    ledger: &Arc<Ledger>,
    set_up: impl FnOnce(ThreadPoolBuilder) -> ThreadPoolBuilder,
) -> Option<Arc<ThreadPool>> {
    let told = ledger.clone();
    let builder = ThreadPool::builder()
        .num_threads(shape.threads)
        .spare_threads(shape.spares)
        .order(shape.order)
        .lower_threads(shape.lower)
        .beat(Duration::from_micros(if shape.brisk { 5 } else { 100 }))
        .panic_handler(move |payload| {
            if let Some(Planned(id)) = payload.downcast_ref() {
                told.reported(*id);
            }
        });
    let builder = match shape.late {
        Some(micros) => builder.spawn_handler(move |pools| start_late(pools, micros)),
        None => set_up(builder),
    };
    match builder.build() {
        Ok(pool) => Some(Arc::new(pool)),
        Err(error) => {
            if !shape.may_not_begin() || !matches!(error, BuildError::Spawn { .. }) {
                ledger.fail(format!("the pool was not built: {error}"));
            }
            None
        }
    }
}

/// The second pool of `program`, if it has one, for its jobs to find.
pub fn build_second(program: &Program, play: &Play) -> Option<Arc<ThreadPool>> {
    let shape = program.pool.second()?;
    let pool = build(&shape, &play.ledger, |builder| builder)?;
    *play.second.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&pool);
    Some(pool)
}

/// Performs the steps of all threads from outside.
pub fn outside(program: &Program, play: &Arc<Play>, pool: &Arc<ThreadPool>) {
    let start = |(number, body)| {
        let body: &crate::program::Body = body;
        let (pool, play, body) = (pool.clone(), play.clone(), body.clone());
        let own = play.ledger.add("outside", None);
        let thread = thread::Builder::new().name(format!("outside {number}"));
        let run = move || play.outside(&pool, own, &body);
        thread
            .spawn(run)
            .expect("a thread from outside is not refused")
    };
    let threads: Vec<_> = program.outside.iter().enumerate().map(start).collect();
    for thread in threads {
        if thread.join().is_err() {
            play.ledger
                .fail("a thread from outside panicked".to_owned());
        }
    }
}

/// Whether the pool's end may panic so.
pub fn is_end(text: &str) -> bool {
    // Where they may not be, the threads that they reach find them.
    let ends = [
        "Task polled after completion",
        "the pool ended before it ran the call",
        "spawn_on: the pool has no thread",
    ];
    ends.iter().any(|end| text.contains(end))
}
