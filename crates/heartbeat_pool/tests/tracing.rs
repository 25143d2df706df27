//! The `tracing` feature: a span for each job, on a named thread.
#![cfg(feature = "tracing")]

mod common;

use common::{pool, within_a_minute};
use heartbeat_pool::{Lane, Worker};
use std::collections::BTreeSet;
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static SPANS: Mutex<BTreeSet<(String, String)>> = Mutex::new(BTreeSet::new());
static NEXT: AtomicU64 = AtomicU64::new(1);

struct Collect;

#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0 += &format!("{field}={value:?} ");
    }
}

impl Subscriber for Collect {
    fn enabled(&self, _: &Metadata) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes) -> Id {
        panic_at(1);
        let mut fields = Fields::default();
        span.record(&mut fields);
        let thread = thread::current().name().unwrap_or("outside").to_owned();
        let text = format!("{} {}", span.metadata().name(), fields.0.trim_end());
        SPANS.lock().unwrap().insert((text, thread));
        Id::from_u64(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    fn record(&self, _: &Id, _: &Record) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event) {}
    fn enter(&self, _: &Id) {
        panic_at(2);
    }
    fn exit(&self, _: &Id) {
        panic_at(3);
    }
}

/// At which of its calls the subscriber panics, if at any.
static PANICS_AT: AtomicU64 = AtomicU64::new(0);

fn panic_at(call: u64) {
    if PANICS_AT.load(Ordering::Relaxed) == call {
        panic::resume_unwind(Box::new(()));
    }
}

#[test]
fn each_job_has_a_span_on_a_named_thread() {
    tracing::subscriber::set_global_default(Collect).unwrap();
    within_a_minute(|| {
        let pool = pool(1);
        for lane in Lane::ALL {
            pool.block_on(pool.spawn_future(lane, async {}));
        }
        pool.block_on(pool.spawn_blocking(|| ()));
        pool.broadcast(|_| ());
        let meet = Barrier::new(2);
        pool.scope(|scope| (0..2).for_each(|_| scope.spawn(|| _ = meet.wait())));
        let on_pool = |text: &str| {
            let spans = SPANS.lock().unwrap();
            let found = spans
                .iter()
                .any(|(span, thread)| span.contains(text) && thread.starts_with("heartbeat ("));
            assert!(found, "{text}: {spans:?}");
        };
        on_pool("heartbeat_job kind=Spawned lane=Frame");
        on_pool("kind=Spawned lane=Io");
        on_pool("kind=Spawned lane=Background");
        // Of the lane that its thread was counted for last, whichever that is.
        on_pool("kind=Pinned lane=");
        let spans = SPANS.lock().unwrap();
        for kind in ["Blocking", "Scoped"] {
            let kind = format!("kind={kind}");
            assert!(
                spans.iter().any(|(span, _)| span.contains(&kind)),
                "{spans:?}"
            );
        }
        drop(spans);
        // A subscriber's panic is no job's.
        for call in 1..=3 {
            PANICS_AT.store(call, Ordering::Relaxed);
            for lane in Lane::ALL {
                assert_eq!(pool.block_on(pool.spawn_future(lane, async { 5 })), 5);
            }
            pool.block_on(pool.spawn_blocking(|| ()));
            pool.scope(|scope| (0..2).for_each(|_| scope.spawn(|| _ = meet.wait())));
            let halves = |worker: &Worker| worker.join_offered(|_| meet.wait(), |_| meet.wait());
            pool.install(|worker| _ = halves(worker));
        }
    });
}
