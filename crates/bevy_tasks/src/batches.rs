//! How many batches the engine's parallel iteration makes, learnt from what it took before.
//!
//! `par_iter` splits what it has by the number that [`TaskPool::thread_num`](crate::TaskPool) gives
//! it, and goes through it in place where that is 1. So this number is the one thing by which
//! batches can be made to fit the work, and nobody has to tune them (bevy#3184). It is asked for
//! before it is known who iterates. But a system asks from the same depth of the stack each time,
//! and its iterations follow one another: where the question comes from, and what came before from
//! there, tells what comes next.

use crate::iteration::Taken;
use core::any::type_name;
use core::cell::Cell;
use core::panic::Location;
use core::ptr;
use heartbeat_pool::record::{Name, Recorder};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Work of less microseconds stays on its thread.
const WORTH_SHARING: f32 = 25.0;
/// And so does work whose batches take less, with what they cost themselves: to queue one takes
/// some 0.4, and to run it where it is made some 0.1.
const WORTH_QUEUEING: f32 = 1.0;
/// If an iteration makes so many batches for each that it was told to make, it is told to make
/// fewer: the engine makes one of each small table at least.
const SPREAD: f32 = 4.0;
/// What a batch should take in microseconds: much more than a task costs, much less than a frame.
const BATCH: f32 = 10.0;
/// This many batches a thread even out whatever the entities cost.
const MOST_A_THREAD: usize = 8;
/// Of so many iterations that stay on their thread, one is a sample, to see how long it is now. A
/// prime, so that it is not always the same of some that alternate.
const SAMPLE: u8 = 13;
/// Of so many that are shared: batches that many threads run at a time may take longer than on one.
const SAMPLE_SHARED: u8 = 127;
/// Batches a thread of a sample, which are run where they are made until they prove to be long. As
/// many at least of what is shared, for it may take longer this time.
const SAMPLED: usize = 4;
/// Batches of a sample at most: each costs a tenth of a microsecond.
const MOST_SAMPLED: usize = 32;
/// What comes so long after the thread's last question is a sample in any case: it may well be
/// another iteration than came then, and beside that while a sample costs next to nothing.
const AWHILE: Duration = Duration::from_micros(100);
/// Of a kind that may have taken so long on its thread, so many more are samples: it may do so now
/// and then, and a frame is late by that. When one began is known, and when the thread asked next:
/// it may have done anything since. So where no sample was as long, half as many follow the next
/// time, and after so many times as many as at first, for it may have changed.
const LATE: Duration = Duration::from_millis(1);
const WARY: u16 = 200;
const DOUBTS: u8 = 32;
/// What is left of an old measurement after a new, smaller one.
const MEMORY: f32 = 0.75;
/// Kinds of iteration that a thread tells apart, well enough.
const SLOTS: usize = 256;
/// Of short ones in a row, so many.
const ROW: usize = 16;

/// What a thread knows of the iterations that follow one of some kind, or begin those of a system.
#[derive(Clone, Copy)]
struct Next {
    /// How many microseconds all their batches take together, the longer ones above all. What they
    /// take from begin to end says little of that once they are shared, for many threads may be in
    /// each other's way.
    work: f32,
    /// How many more come before the next sample.
    left: u8,
    /// How many more are samples, for one may have been long on its thread.
    wary: u16,
    /// How often in a row that was said, with no sample that was as long.
    doubt: u8,
    /// How many batches it has made for each that it was told to make, if [`SPREAD`] or more.
    spread: f32,
}

impl Next {
    /// The first one is a sample.
    const UNKNOWN: Self = Self {
        work: 0.0,
        left: 0,
        wary: 0,
        doubt: 0,
        spread: 1.0,
    };

    fn is_worth_sharing(&self) -> bool {
        self.work >= WORTH_SHARING
    }

    /// What to ask for, to get about so many batches, but several.
    fn number(&self, batches: usize) -> usize {
        ((batches as f32 / self.spread) as usize).max(2)
    }

    /// After one that was `asked` for and came to what was `taken`. A sample of what was shared
    /// counts alone: it may be shared for no other reason than that it was.
    fn measured(self, asked: &Asked, taken: Taken) -> Self {
        let Asked {
            expected, number, ..
        } = *asked;
        let work = taken.work.as_secs_f32() * 1e6;
        let is_thin = work >= WORTH_SHARING && work < taken.batches as f32 * WORTH_QUEUEING;
        let is_doubted = self.is_worth_sharing() && expected == Expected::Short;
        let memory = if is_thin || is_doubted { 0.0 } else { MEMORY };
        let work = if is_thin { 0.0 } else { work };
        let work = work.max(self.work * memory);
        let left = match (work >= WORTH_SHARING, expected) {
            (true, Expected::Long { .. }) => self.left,
            (true, Expected::Short) => SAMPLE_SHARED - 1,
            (false, _) => SAMPLE - 1,
        };
        let is_late = work >= LATE.as_micros() as f32;
        let spread = taken.batches as f32 / number as f32;
        Self {
            work,
            left,
            doubt: if is_late { 0 } else { self.doubt },
            spread: if spread >= SPREAD { spread } else { 1.0 },
            ..self
        }
    }

    /// After one that may have been long on its thread.
    fn suspected(self) -> Self {
        Self {
            wary: (u32::from(WARY) >> self.doubt) as u16,
            doubt: (self.doubt + 1) % DOUBTS,
            ..self
        }
    }
}

struct History {
    next: [Cell<Next>; SLOTS],
    /// Where on the stack the last iteration has asked.
    depth: Cell<usize>,
    /// The kind of the last long one.
    last: Cell<usize>,
    /// How many have come since, by turns of [`ROW`]. Whether these are samples or not, the next
    /// has the same place.
    row: Cell<usize>,
    /// When the thread has last asked for the number of an iteration that is not shared.
    asked_at: Cell<Option<Instant>>,
    /// The place in `next` of that one, if it went through what it has in place.
    in_place: Cell<Option<usize>>,
    /// The one that has asked for its batches and not begun yet.
    asked: Cell<Option<Asked>>,
}

/// What an iteration was told.
#[derive(Clone, Copy)]
struct Asked {
    /// How many batches to make.
    number: usize,
    expected: Expected,
    /// The place in `next` that this is known from.
    place: usize,
}

impl History {
    fn begin_row(&self, last: usize) {
        self.last.set(last);
        self.row.set(0);
    }

    /// After one that is short.
    fn go_on(&self) {
        self.row.set((self.row.get() + 1) % ROW);
    }

    /// Whether this was called last a while ago. What has gone through its own in place since then
    /// may have taken as long.
    fn is_awhile_ago(&self) -> bool {
        let now = Instant::now();
        let Some(before) = self.asked_at.replace(Some(now)) else {
            return true;
        };
        let since = now - before;
        if let Some(place) = self.in_place.take()
            && since >= LATE
        {
            let next = &self.next[place];
            next.set(next.get().suspected());
        }
        since >= AWHILE
    }
}

/// How long an iteration is likely to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Less than sharing costs.
    Short,
    /// More, and so many batches make a task.
    Long { a_task: usize },
}

thread_local! {
    static HISTORY: History = const {
        History {
            next: [const { Cell::new(Next::UNKNOWN) }; SLOTS],
            depth: Cell::new(0),
            last: Cell::new(0),
            row: Cell::new(0),
            asked_at: Cell::new(None),
            in_place: Cell::new(None),
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

/// Notes in a recording that a parallel loop begins, which on one thread nothing else would show.
pub(crate) fn note() {
    static NAME: OnceLock<Name> = OnceLock::new();
    if Recorder::is_on() {
        let name = *NAME.get_or_init(|| Recorder::name("bevy_heartbeat parallel loop"));
        Recorder::mark(name, 0);
    }
}

/// The number of batches for the calling thread's next iteration, in a pool of so many threads.
#[inline(never)]
pub(crate) fn number(threads: usize) -> usize {
    if threads <= 1 {
        return threads;
    }
    let depth = ptr::from_ref(&threads).addr();
    HISTORY.with(|history| {
        if history.depth.replace(depth) != depth {
            history.begin_row(0);
        }
        let place = place(depth, history.last.get(), history.row.get());
        let slot = &history.next[place];
        let is_shared = slot.get().is_worth_sharing();
        // Not of one that makes many batches: a sample of those takes up to twice as long.
        let is_awhile_ago = !is_shared && history.is_awhile_ago() && slot.get().spread < SPREAD;
        let mut is_sample = slot.get().left == 0 || is_awhile_ago;
        // Read anew, for it may be that one which was found to be long.
        let mut next = slot.get();
        if !is_shared && next.wary > 0 {
            next.wary -= 1;
            slot.set(next);
            is_sample = true;
        }
        let ask = |number: usize, expected: Expected| {
            history.asked.set(Some(Asked {
                number,
                expected,
                place,
            }));
            number
        };
        if is_sample {
            let batches = (threads * SAMPLED).min(MOST_SAMPLED);
            return ask(next.number(batches), Expected::Short);
        }
        next.left -= 1;
        slot.set(next);
        if is_shared {
            let tasks = ((next.work / BATCH) as usize).clamp(SAMPLED, threads * MOST_A_THREAD);
            let number = next.number(tasks);
            let a_task = (number as f32 * next.spread) as usize / tasks;
            return ask(
                number,
                Expected::Long {
                    a_task: a_task.max(1),
                },
            );
        }
        // Nobody will tell its kind, but what comes next has one more before it.
        history.go_on();
        history.in_place.set(Some(place));
        1
    })
}

/// How many batches make a task, of an iteration that has taken so long alone for so many. None if
/// it may still be short.
pub(crate) fn batches_a_task(alone: Duration, batches: usize) -> Option<usize> {
    let alone = alone.as_secs_f32() * 1e6;
    let each = alone / batches as f32;
    let is_long = alone >= WORTH_SHARING && each >= WORTH_QUEUEING;
    is_long.then(|| ((BATCH / each) as usize).max(1))
}

/// Calls `f`, which is the scope with the closure `Body`, with how long an iteration is likely to
/// take if one has asked for its batches just before. `f` also gives what that came to.
pub(crate) fn measure<Body, R>(f: impl FnOnce(Option<Expected>) -> (R, Option<Taken>)) -> R {
    let asked = HISTORY.with(|history| history.asked.take());
    // One that has failed before its scope may have left its question to somebody else's.
    let Some(asked) = asked.filter(|_| type_name::<Body>().contains("bevy_ecs::")) else {
        return f(None).0;
    };
    let (result, taken) = f(Some(asked.expected));
    HISTORY.with(|history| {
        let slot = &history.next[asked.place];
        if let Some(taken) = taken {
            slot.set(slot.get().measured(&asked, taken));
        }
        if slot.get().is_worth_sharing() {
            // Where the name lies tells types apart better than its letters.
            history.begin_row(type_name::<Body>().as_ptr().addr());
        } else {
            history.go_on();
        }
    });
    result
}

/// Where what is known lies of iterations that ask from `depth` after one of the kind `last` and so
/// many short ones.
fn place(depth: usize, last: usize, row: usize) -> usize {
    // Fibonacci hashing. It need not be perfect.
    let kind = last.wrapping_add(row).rotate_left(32);
    let mixed = (depth ^ kind).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize);
    mixed >> (usize::BITS - SLOTS.ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    mod bevy_ecs {
        pub(super) struct Body;
    }

    fn taken(micros: u64, batches: usize) -> Option<Taken> {
        let work = Duration::from_micros(micros);
        Some(Taken { work, batches })
    }

    /// The numbers of batches of `count` iterations that take so long.
    fn numbers(count: usize, micros: u64) -> Vec<usize> {
        numbers_of(count, micros, micros)
    }

    /// The same, whose batches have taken `work` together.
    fn numbers_of(count: usize, micros: u64, work: u64) -> Vec<usize> {
        let iterate = |_| {
            let number = number(4);
            let (start, length) = (Instant::now(), Duration::from_micros(micros));
            while start.elapsed() < length {}
            if number > 1 {
                measure::<bevy_ecs::Body, _>(|_| ((), taken(work, number)));
            }
            number
        };
        (0..count).map(iterate).collect()
    }

    #[test]
    fn batches_fit_the_work() {
        // On a thread without a history.
        let check = || {
            // Nothing is known at first, and not yet what follows the first, unless that has the
            // same place, as one in `SLOTS` has.
            assert_eq!(numbers(1, 100), [16]);
            numbers(1, 100);
            let long = numbers(20, 100);
            assert!(long.iter().all(|&number| number >= 10), "{long:?}");
            numbers(100, 0);
            let short = numbers(100, 0);
            assert!(short.iter().filter(|&&number| number == 1).count() >= 80);
            numbers(20, 200);
            assert!(numbers(1, 200)[0] >= 20);
        };
        thread::spawn(check).join().unwrap();
    }

    /// All of them ask from one place, as in a system, where nobody knows of those that are short.
    #[test]
    fn what_comes_after_several_short_ones_is_known_to_be_long() {
        let check = || {
            let frame = || {
                numbers(2, 0);
                numbers(1, 100)[0]
            };
            let numbers: Vec<_> = (0..200).map(|_| frame()).collect();
            assert!(
                numbers[20..].iter().all(|&number| number > 1),
                "{numbers:?}"
            );
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn what_comes_after_a_while_is_looked_at() {
        let check = || {
            numbers(100, 0);
            let short = numbers(100, 0);
            assert!(short.iter().filter(|&&number| number == 1).count() >= 80);
            for _ in 0..20 {
                // Of those that came before, nothing says how long this one is.
                thread::sleep(AWHILE);
                assert!(numbers(1, 100)[0] > 1);
                // Now they are taken for long, until they prove not to be.
                numbers(100, 0);
            }
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn what_was_long_in_place_is_looked_at_from_then_on() {
        let check = || {
            numbers(100, 0);
            // Each after another one, so that none comes a while after what was asked last.
            let pair = |length: Duration| {
                let first = numbers(1, 0)[0];
                let second = number(4);
                if second > 1 {
                    let taken = taken(length.as_micros() as u64, second);
                    measure::<bevy_ecs::Body, _>(|_| ((), taken));
                } else {
                    thread::sleep(length);
                }
                first > 1 || second > 1
            };
            let frame = |frame: u32| {
                pair(if frame % 60 == 59 {
                    2 * LATE
                } else {
                    Duration::ZERO
                })
            };
            (0..600).for_each(|number| _ = frame(number));
            let sampled = (0..600).filter(|number| frame(*number)).count();
            // Without that one in 13 would be.
            assert!(sampled > 300, "{sampled}");
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn pauses_are_soon_not_taken_for_long_iterations() {
        let check = || {
            let slice = || {
                thread::sleep(2 * LATE);
                let numbers = numbers(1_000, 0);
                numbers.iter().filter(|&&number| number > 1).count()
            };
            (0..200).for_each(|_| _ = slice());
            let sampled: usize = (0..200).map(|_| slice()).sum();
            // One in 13 is a sample as ever.
            assert!(sampled < 200_000 / 13 + 20_000, "{sampled}");
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn what_is_short_for_many_threads_alone_stays_shared() {
        let check = || {
            numbers_of(2, 1, 100);
            let numbers = numbers_of(100, 1, 100);
            assert!(numbers.iter().all(|&number| number == 10), "{numbers:?}");
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn what_is_long_as_it_is_shared_alone_stays_on_its_thread() {
        let check = || {
            numbers(2, 100);
            numbers_of(100, 300, 1);
            let numbers = numbers_of(100, 300, 1);
            assert!(!numbers.iter().any(|&number| number > 16), "{numbers:?}");
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn what_was_shared_for_no_reason_is_found_to_be_short() {
        let check = || {
            let iterate = |_| {
                let number = number(4);
                if number > 1 {
                    measure::<bevy_ecs::Body, _>(|expected| {
                        let is_shared = matches!(expected, Some(Expected::Long { .. }));
                        ((), taken(if is_shared { 30 } else { 10 }, number))
                    });
                }
                number
            };
            numbers(2, 100);
            // All from one depth: those of another one may have the place of the long ones before.
            let first = 40 * usize::from(SAMPLE_SHARED);
            let numbers: Vec<_> = (0..first + 100).map(iterate).collect();
            let numbers = &numbers[first..];
            let alone = numbers.iter().filter(|&&number| number == 1).count();
            assert!(alone >= 80, "{numbers:?}");
        };
        thread::spawn(check).join().unwrap();
    }

    /// Each makes so many batches for each that it is told to make.
    fn many_batches(count: usize, spread: usize, nanos_each: u64) -> Vec<(usize, Expected)> {
        let iterate = |_| {
            let number = number(4);
            let mut expected = Expected::Short;
            if number > 1 {
                measure::<bevy_ecs::Body, _>(|asked| {
                    expected = asked.unwrap();
                    let batches = number * spread;
                    let work = Duration::from_nanos(nanos_each * batches as u64);
                    ((), Some(Taken { work, batches }))
                });
            }
            (number, expected)
        };
        (0..count).map(iterate).collect()
    }

    #[test]
    fn many_short_batches_are_worth_no_tasks() {
        let check = || {
            let last = many_batches(1_100, 500, 100).split_off(1_000);
            assert!(
                last.iter()
                    .all(|(_, expected)| *expected == Expected::Short)
            );
            // Few are the first of their kind.
            let many = last.iter().filter(|(number, _)| *number > 2).count();
            assert!(many < 10, "{many}");
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn of_many_batches_several_make_a_task() {
        let check = || {
            // Two milliseconds and a thousand batches: of 32 tasks each has 31.
            let long = Expected::Long { a_task: 31 };
            assert_eq!(many_batches(7, 500, 2_000)[2..], [(2, long); 5]);
        };
        thread::spawn(check).join().unwrap();
    }

    #[test]
    fn an_iteration_that_fails_leaves_nothing_to_others() {
        let check = || {
            number(4);
            let expected = measure::<Location, _>(|expected| (expected, None));
            assert!(expected.is_none());
            assert_eq!(numbers(1, 0), [16]);
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
