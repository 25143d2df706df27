//! How long jobs wait: threads that queue and begin one, against watches that come and go.

use crate::queue_times::{QueueTimes, WaitWatch};
use crate::sync::{Arc, Mutex, lock};
use heartbeat_record::Lane;
use loom::thread;

const LANE: Lane = Lane::Io;

type Queue = Mutex<Vec<u64>>;

/// Queues a job.
fn push(waits: &QueueTimes, queue: &Queue, job: u64) {
    waits.queued(LANE, job);
    lock(queue).push(job);
}

/// Begins the oldest job that is queued, if there is one.
fn begin(waits: &QueueTimes, queue: &Queue) {
    let mut queued = lock(queue);
    let oldest = (!queued.is_empty()).then(|| queued.remove(0));
    drop(queued);
    if let Some(job) = oldest {
        waits.begun(LANE, job);
    }
}

/// A job whose mark stays would seem to wait for ever.
#[test]
fn no_mark_outlives_its_job_though_watches_come_and_go() {
    super::check(2, || {
        let waits = Arc::new(QueueTimes::default());
        let queue = Arc::new(Queue::new(Vec::new()));
        let first = WaitWatch::new(&waits);
        let pusher = {
            let (waits, queue) = (waits.clone(), queue.clone());
            thread::spawn(move || push(&waits, &queue, 1))
        };
        let taker = {
            let (waits, queue) = (waits.clone(), queue.clone());
            thread::spawn(move || begin(&waits, &queue))
        };
        drop(first);
        let _second = WaitWatch::new(&waits);
        pusher.join().unwrap();
        taker.join().unwrap();
        begin(&waits, &queue);
        assert!(waits.is_free(LANE));
    });
}

/// Two threads that queue want the same marks.
#[test]
fn no_mark_outlives_its_job_though_another_is_queued_just_then() {
    super::check(3, || {
        let waits = Arc::new(QueueTimes::default());
        let queue = Arc::new(Queue::new(Vec::new()));
        let _watch = WaitWatch::new(&waits);
        let others: Vec<_> = [1, 2]
            .into_iter()
            .map(|job| {
                let (waits, queue) = (waits.clone(), queue.clone());
                thread::spawn(move || push(&waits, &queue, job))
            })
            .collect();
        begin(&waits, &queue);
        others.into_iter().for_each(|other| other.join().unwrap());
        (0..2).for_each(|_| begin(&waits, &queue));
        assert!(waits.is_free(LANE));
    });
}
