//! How many batches the engine's parallel iteration makes, learnt from what it took before.
//!
//! `par_iter` splits what it has by the number that [`TaskPool::thread_num`](crate::TaskPool) gives
//! it, and goes through it in place where that is 1. So this number is the one thing by which batches
//! can be made to fit the work, and nobody has to tune them (bevy#3184). It is asked for before it is
//! known who iterates. But each thread's iterations follow one another much the same in every frame,
//! so what came last tells what comes next.

use core::any::type_name;
use core::cell::Cell;
use core::mem;
use core::panic::Location;
use std::time::Instant;

/// Work of less microseconds than this stays on its thread.
const WORTH_SHARING: f32 = 25.0;
/// What a batch should take: much more than a task costs, much less than a frame.
const BATCH: f32 = 5.0;
/// So many batches a thread even out whatever the entities cost.
const MOST_A_THREAD: f32 = 16.0;
/// Of so many iterations that stay on their thread, one is a sample, to see how long it is now. A prime, so that
/// it is not always the same of some that alternate.
const SAMPLE: u8 = 7;
/// Batches a thread of a sample, which are shared only if the first of them prove to be long.
const SAMPLED: usize = 4;
/// Of iterations that look short while they are shared, because many threads share them, one in as many is a
/// sample in the end.
const SELDOM: u8 = 127;
/// What is left of an old measurement after a new, smaller one.
const MEMORY: f32 = 0.75;
/// Kinds of iteration that a thread tells apart.
const SLOTS: usize = 64;

/// What a thread knows of the iterations that follow one of some kind.
#[derive(Clone, Copy, Default)]
struct Next {
    /// How long they take in microseconds, the longer ones above all.
    takes: f32,
    /// Whether the last sample showed them to be worth sharing.
    is_long: bool,
    /// How many come between that sample and the next.
    pause: u8,
    /// How many of these are still to come.
    left: u8,
}

struct History {
    next: [Cell<Next>; SLOTS + 1],
    /// The kind of the last iteration; `SLOTS` if there was none.
    last: Cell<usize>,
    /// What the one that has asked for its batches and not begun yet is expected to be.
    asked: Cell<Option<Expected>>,
}

/// How long an iteration is likely to take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Less than sharing costs.
    Short,
    Long,
}

thread_local! {
    static HISTORY: History = const {
        History {
            next: [const { Cell::new(Next { takes: 0.0, is_long: false, pause: 0, left: 0 }) }; SLOTS + 1],
            last: Cell::new(SLOTS),
            asked: Cell::new(None),
        }
    };
}

/// Whether the code at `caller` asks for the number of its batches.
pub(crate) fn is_iteration(caller: &Location) -> bool {
    // Queries, and messages of both kinds.
    let files = ["par_iter.rs", "iterators.rs"];
    files.iter().any(|file| caller.file().ends_with(file)) && caller.file().contains("bevy_ecs")
}

/// The number of batches for the calling thread's next iteration, in a pool of so many threads.
pub(crate) fn number(threads: usize) -> usize {
    if threads <= 1 {
        return threads;
    }
    HISTORY.with(|history| {
        let slot = &history.next[history.last.get()];
        let mut next = slot.get();
        // Where they are shared and take long even so, a sample could tell nothing new.
        if !next.is_long || next.takes < WORTH_SHARING {
            if next.left == 0 {
                history.asked.set(Some(Expected::Short));
                return threads * SAMPLED;
            }
            next.left -= 1;
            slot.set(next);
        }
        if !next.is_long {
            return 1;
        }
        history.asked.set(Some(Expected::Long));
        threads * (next.takes / BATCH).clamp(1.0, MOST_A_THREAD) as usize
    })
}

/// Calls `f`, which is the scope with the closure `Body`, with how long it is likely to take: that of an iteration
/// if one has asked for its batches just before.
pub(crate) fn measure<Body, R>(f: impl FnOnce(Expected) -> R) -> R {
    let asked = HISTORY.with(|history| history.asked.take());
    let Some(expected) = asked else {
        return f(Expected::Long);
    };
    let start = Instant::now();
    let result = f(expected);
    let took = start.elapsed().as_secs_f32() * 1e6;
    HISTORY.with(|history| {
        let slot = &history.next[history.last.get()];
        let mut next = slot.get();
        next.takes = took.max(next.takes * MEMORY);
        if expected == Expected::Short {
            let was_long = mem::replace(&mut next.is_long, next.takes >= WORTH_SHARING);
            next.pause = match (was_long, next.is_long) {
                (true, true) => (2 * next.pause + 1).min(SELDOM),
                (false, true) => 1,
                (_, false) => SAMPLE - 1,
            };
            next.left = next.pause;
        }
        slot.set(next);
        history.last.set(kind::<Body>());
    });
    result
}

/// A number for a type of closure.
fn kind<Body>() -> usize {
    // Where the name lies tells types apart better than its letters; it need not be perfect.
    (type_name::<Body>().as_ptr() as usize >> 3) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    /// The numbers of batches of `count` iterations that take so long.
    fn numbers(count: usize, micros: u64) -> Vec<usize> {
        numbers_of(count, |_| micros)
    }

    fn numbers_of(count: usize, micros: impl Fn(Expected) -> u64) -> Vec<usize> {
        let iterate = |_| {
            let number = number(4);
            if number > 1 {
                measure::<(), _>(|expected| {
                    let (start, length) = (Instant::now(), Duration::from_micros(micros(expected)));
                    while start.elapsed() < length {}
                });
            }
            number
        };
        (0..count).map(iterate).collect()
    }

    #[test]
    fn batches_fit_the_work() {
        // On a thread without a history.
        let check = || {
            // Nothing is known at first, and not yet what follows the first.
            assert_eq!(numbers(2, 100), [16, 16]);
            let long = numbers(20, 100);
            assert!(long.iter().all(|&number| number == 64), "{long:?}");
            numbers(100, 0);
            let short = numbers(100, 0);
            assert!(short.iter().filter(|&&number| number == 1).count() >= 80);
            numbers(20, 100);
            assert_eq!(numbers(1, 100), [64]);
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn what_is_short_for_many_threads_alone_stays_shared() {
        let check = || {
            let samples = Cell::new(0);
            let micros = |expected| match expected {
                Expected::Short => {
                    samples.set(samples.get() + 1);
                    200
                }
                Expected::Long => 1,
            };
            numbers_of(300, micros);
            samples.set(0);
            let numbers = numbers_of(300, micros);
            assert!(numbers.iter().all(|&number| number > 1), "{numbers:?}");
            assert!(samples.get() <= 3, "{} samples", samples.get());
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn one_thread_makes_one_batch() {
        assert_eq!((number(1), number(0)), (1, 0));
    }

    #[test]
    fn only_the_engines_iterations_are_told_this() {
        assert!(!is_iteration(Location::caller()));
    }
}
