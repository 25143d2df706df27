//! How many batches the engine's parallel iteration makes, learnt from what it took before.
//!
//! `par_iter` splits what it has by the number that [`TaskPool::thread_num`](crate::TaskPool) gives
//! it. So this number is the one thing by which batches can be made to fit the work, and nobody has
//! to tune them (bevy#3184). It is asked for before it is known who iterates. But a system asks
//! from the same depth of the stack each time, and its iterations follow one another: where the
//! question comes from, and what came before from there, tells what comes next.
//!
//! Each iteration is measured, but for most of those that go through many small tables and are known
//! to be short. What such took before tells whether its batches are tasks at once, or run where they
//! are made until they prove to be long.

use crate::iteration::Taken;
use core::any::type_name;
use core::cell::Cell;
use core::panic::Location;
use core::ptr;
use heartbeat_pool::record::{Name, Recorder};
use std::sync::OnceLock;
use std::time::Duration;

/// Work of less microseconds stays on its thread: a helper that sleeps needs about as long to come.
const WORTH_SHARING: f32 = 25.0;
/// Of what took no less time shared, twice as much work stays on its thread. But more than this is
/// shared in any case: it may have been another program's fault.
const SURELY_WORTH_SHARING: f32 = 200.0;
/// What is not long for no other reason than that it was shared.
const SURELY_LONG: f32 = 2_000.0;
/// What sharing must leave of the time that the work takes, to be worth it.
const GAIN: f32 = 0.9;
/// Work whose batches take less stays on its thread as well, with what they cost themselves: to
/// queue one takes some 0.4, and to run it where it is made some 0.1.
const WORTH_QUEUEING: f32 = 1.0;
/// If an iteration makes so many batches for each that it was told to make, it is told to make
/// fewer: the engine makes one of each small table at least.
const SPREAD: f32 = 4.0;
/// What a batch should take in microseconds: much more than a task costs, much less than a frame.
const BATCH: f32 = 10.0;
/// The same of an iteration that makes many for each that it was told to make.
const LEAST_BATCH: f32 = 2.0;
/// This many batches a thread even out whatever the entities cost. As many chunks of a slice are a
/// task each.
pub(crate) const MOST_A_THREAD: usize = 8;
/// And so many at least are worth to be shared.
const LEAST: usize = 4;
/// Batches of what is likely to be short, or one for every other thread: twice as many each time
/// that it has proved to be long, for then all but the first are shared. Each costs a tenth of a
/// microsecond.
const IN_PLACE: f32 = 2.0;
const MOST_IN_PLACE: f32 = 32.0;
/// What is left of an old measurement after a new, smaller one.
const MEMORY: f32 = 0.75;
/// The same of what is to be remembered for some thousand iterations.
const LONG_MEMORY: f32 = 0.998;
/// Of so many that are shared one is a sample, whose batches run where they are made until it proves
/// to be long: batches that many threads run at a time may take longer than on one. And so is one of
/// as many that go through their many small tables in place.
const SAMPLE: u8 = 31;
/// So many in a row must be short and go through many tables before the next ones go unseen. If one
/// proves to be something else after that, the next time it takes twice as many, up to 255: these
/// may be two kinds that look like one.
const SURE: u8 = 16;
/// Of those that go unseen in a row so many are told apart, by their number since the last one that
/// was seen.
const UNSEEN: usize = 3;
/// Kinds of iteration that a thread tells apart, well enough.
const SLOTS: usize = 256;

/// What a thread knows of the iterations that follow one of some type, or begin those of a system.
#[derive(Clone, Copy)]
struct Next {
    /// How many microseconds all their batches take together, the longer ones above all. What they
    /// take from begin to end says little of that once they are shared, for many threads may be in
    /// each other's way.
    work: f32,
    /// How many batches run where they are made, while it is likely to be short.
    in_place: f32,
    /// Work of so many microseconds is shared, by how that has paid before.
    worth_sharing: f32,
    /// How many batches it has made for each that it was told to make, if [`SPREAD`] or more.
    spread: f32,
    /// How many more come before the next sample.
    left: u8,
    /// How many were short in a row and have gone through many tables, and how many it takes until
    /// the next ones are not seen.
    sure: u8,
    sure_from: u8,
}

impl Next {
    const UNKNOWN: Self = Self {
        work: 0.0,
        in_place: f32::INFINITY,
        worth_sharing: WORTH_SHARING,
        spread: 1.0,
        left: 0,
        sure: 0,
        sure_from: SURE,
    };

    /// How many batches the next one is to make, in a pool of so many threads, and what it is likely
    /// to be. Nothing is expected of one that goes through what it has in place, which nobody sees.
    fn ask(&mut self, threads: usize) -> (usize, Option<Expected>) {
        let is_sample = self.left == 0 && self.work < SURELY_LONG;
        if self.is_short() || is_sample {
            // Each of many batches costs more than its few entities.
            if self.is_sure() && !is_sample {
                self.left -= 1;
                return (1, None);
            }
            // Of one, the engine would make no scope, and nobody would see it.
            let number = self.in_place.max(self.work / BATCH).min(MOST_IN_PLACE);
            let least = match self.spread > 1.0 {
                true => IN_PLACE,
                false => (threads as f32 / 2.0).clamp(IN_PLACE, MOST_IN_PLACE),
            };
            let number = (number / self.spread).max(least);
            let limit = Duration::from_nanos((self.worth_sharing * 1e3) as u64);
            return (number as usize, Some(Expected::Short { limit }));
        }
        self.left = self.left.checked_sub(1).unwrap_or(SAMPLE - 1);
        let most = MOST_A_THREAD * threads;
        let batches = match self.spread > 1.0 {
            // Any of the tables may be the one that takes all of the time.
            true => self.work / self.spread / LEAST_BATCH,
            false => self.work / BATCH,
        };
        ((batches as usize).clamp(LEAST, most), Some(Expected::Long))
    }

    fn is_short(&self) -> bool {
        self.work < self.worth_sharing
    }

    /// Whether the next ones go unseen.
    fn is_sure(&self) -> bool {
        self.sure >= self.sure_from
    }

    /// After one that was `asked` for and came to what was `taken`.
    fn measured(self, asked: &Asked, taken: Taken) -> Self {
        let micros = |time: Duration| time.as_secs_f32() * 1e6;
        let (work, batches) = (micros(taken.work), taken.batches as f32);
        let is_shared = asked.expected == Expected::Long;
        let is_thin = work >= WORTH_SHARING && work < batches * WORTH_QUEUEING;
        // It may have been long for no other reason than that it was shared.
        let is_doubted = !self.is_short() && !is_shared;
        let memory = if is_thin || is_doubted { 0.0 } else { MEMORY };
        let work = if is_thin { 0.0 } else { work };
        let worth_sharing = match is_shared {
            true if micros(taken.time) > work * GAIN => self.worth_sharing * 2.0,
            true => self.worth_sharing * MEMORY,
            false => self.worth_sharing * LONG_MEMORY,
        };
        let in_place = match self.in_place {
            f32::INFINITY => IN_PLACE,
            batches if is_shared => batches,
            batches if work >= self.worth_sharing => batches * 2.0,
            batches => batches * LONG_MEMORY,
        };
        let spread = batches / asked.number as f32;
        let is_spread = spread >= SPREAD;
        let (sure, sure_from) = match is_spread && work.max(self.work * memory) < worth_sharing {
            true => (self.sure.saturating_add(1), self.sure_from),
            false if self.is_sure() => (0, self.sure_from.saturating_mul(2)),
            false => (0, self.sure_from),
        };
        Self {
            work: work.max(self.work * memory),
            in_place: in_place.clamp(IN_PLACE, MOST_IN_PLACE),
            worth_sharing: worth_sharing.clamp(WORTH_SHARING, SURELY_WORTH_SHARING),
            spread: if is_spread { spread } else { 1.0 },
            sure,
            sure_from,
            left: match is_shared {
                true => self.left,
                // Of fewer batches each takes longer.
                false if is_thin && asked.number as f32 > IN_PLACE => 0,
                false => SAMPLE - 1,
            },
        }
    }
}

struct History {
    next: [Cell<Next>; SLOTS],
    /// Where on the stack the last iteration has asked.
    depth: Cell<usize>,
    /// The type of the closure of the last one that was seen, and how many were not since then.
    last: Cell<usize>,
    unseen: Cell<usize>,
    /// The one that has asked for its batches and not begun yet.
    asked: Cell<Option<Asked>>,
}

/// What an iteration was told.
#[derive(Clone, Copy)]
struct Asked {
    /// How many batches to make.
    number: usize,
    expected: Expected,
    /// From what depth, after one of which type, and after how many that nobody has seen.
    depth: usize,
    last: usize,
    unseen: usize,
}

impl Asked {
    /// The place in `next` that this is known from; that of those before it with less `unseen`.
    fn place(&self, unseen: usize) -> usize {
        place(self.depth, self.last + unseen)
    }
}

/// How long an iteration is likely to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Less than sharing costs, which pays if it takes so long.
    Short { limit: Duration },
    /// More.
    Long,
}

thread_local! {
    static HISTORY: History = const {
        History {
            next: [const { Cell::new(Next::UNKNOWN) }; SLOTS],
            depth: Cell::new(0),
            last: Cell::new(0),
            unseen: Cell::new(0),
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
            history.last.set(0);
            history.unseen.set(0);
        }
        let (last, unseen) = (history.last.get(), history.unseen.get());
        let slot = &history.next[place(depth, last + unseen)];
        let mut next = slot.get();
        let (number, expected) = next.ask(threads);
        slot.set(next);
        if expected.is_none() {
            history.unseen.set((unseen + 1).min(UNSEEN));
        }
        history.asked.set(expected.map(|expected| Asked {
            number,
            expected,
            depth,
            last,
            unseen,
        }));
        number
    })
}

/// Whether an iteration is long that has taken so long alone for so many batches.
pub(crate) fn is_long(alone: Duration, limit: Duration, batches: usize) -> bool {
    alone >= limit && alone.as_secs_f32() * 1e6 >= WORTH_QUEUEING * batches as f32
}

/// Calls `f`, which is the scope with the closure `Body`, with how long an iteration is likely to
/// take if one has asked for its batches just before. `f` also gives what that came to.
pub(crate) fn measure<Body, R>(f: impl FnOnce(Option<Expected>) -> (R, Option<Taken>)) -> R {
    let asked = HISTORY.with(|history| history.asked.take());
    // One that has failed before its scope may have left its question to somebody else's.
    let Some(asked) = asked.filter(|_| is_engines(type_name::<Body>())) else {
        return f(None).0;
    };
    let (result, taken) = f(Some(asked.expected));
    HISTORY.with(|history| {
        let slot = &history.next[asked.place(asked.unseen)];
        if let Some(taken) = taken {
            let before = slot.replace(slot.get().measured(&asked, taken));
            if before.is_short() && !slot.get().is_short() {
                // Those before it, which nobody saw, may have been as long.
                for unseen in 0..asked.unseen {
                    let slot = &history.next[asked.place(unseen)];
                    let sure = 0;
                    slot.set(Next { sure, ..slot.get() });
                }
            }
        }
        // Where the name lies tells types apart better than its letters.
        history.last.set(type_name::<Body>().as_ptr().addr());
        history.unseen.set(0);
    });
    result
}

/// Whether a closure of this name is the engine's, and not only knows one of its types.
fn is_engines(name: &str) -> bool {
    name.starts_with("bevy_ecs::") || cfg!(test) && name.contains("::bevy_ecs::")
}

/// Where what is known lies of iterations that ask from `depth` after one of the type `last`.
fn place(depth: usize, last: usize) -> usize {
    // Fibonacci hashing. It need not be perfect.
    let mixed = (depth ^ last.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize);
    mixed >> (usize::BITS - SLOTS.ilog2())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Duration;

    mod bevy_ecs {
        pub(super) struct Body;
        pub(super) struct Other;
    }

    /// Calls `check` on a thread without a history; on another one if it fails, for by chance two
    /// kinds may have one place, which depends on where the stack lies.
    fn on_a_new_thread(check: fn()) {
        let passes = |nth: usize| {
            let thread = thread::Builder::new().stack_size((2 + nth) << 20);
            thread.spawn(check).unwrap().join().is_ok()
        };
        assert!((0..4).any(passes));
    }

    fn micros(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    /// Iterates in a pool of four threads; `taken` gives what that takes, in microseconds, and what
    /// its batches take together.
    fn iterate(taken: impl FnOnce(Expected) -> (u64, u64)) -> (usize, Expected) {
        let batches = number(4);
        measure::<bevy_ecs::Body, _>(|expected| {
            let expected = expected.unwrap();
            let (time, work) = taken(expected);
            let (time, work) = (micros(time), micros(work));
            let taken = Taken {
                work,
                time,
                batches,
            };
            ((batches, expected), Some(taken))
        })
    }

    fn is_short(expected: Expected) -> bool {
        matches!(expected, Expected::Short { .. })
    }

    /// Iterations that take so long on four threads.
    fn iterations(count: usize, work: u64) -> Vec<(usize, Expected)> {
        iterations_of(count, work / 4, work)
    }

    fn iterations_of(count: usize, time: u64, work: u64) -> Vec<(usize, Expected)> {
        (0..count).map(|_| iterate(|_| (time, work))).collect()
    }

    fn all_short(iterations: &[(usize, Expected)]) -> bool {
        iterations.iter().all(|(_, expected)| is_short(*expected))
    }

    fn all_long(iterations: &[(usize, Expected)]) -> bool {
        !iterations.iter().any(|(_, expected)| is_short(*expected))
    }

    #[test]
    fn batches_fit_the_work() {
        // On a thread without a history.
        let check = || {
            // Nothing is known at first, and not yet what follows the first.
            for unknown in [iterations(1, 100), iterations(1, 100)] {
                assert_eq!(unknown[0].0, MOST_IN_PLACE as usize);
                assert!(all_short(&unknown));
            }
            let long = iterations(20, 100);
            assert!(long.iter().all(|(number, _)| *number >= 10), "{long:?}");
            assert!(all_long(&long));
            iterations(100, 0);
            assert!(all_short(&iterations(100, 0)));
            iterations(20, 200);
            assert!(iterations(1, 200)[0].0 >= 20);
        };
        on_a_new_thread(check);
    }

    #[test]
    fn what_is_long_now_and_then_is_split_for_it() {
        let check = || {
            // At no regular distance.
            let mut state = 1_u32;
            let mut frame = |_| {
                state = state.wrapping_mul(0x915f_77f5).wrapping_add(1);
                let is_long = state >> 16 & 63 == 0;
                (is_long, iterations(1, if is_long { 2_000 } else { 0 })[0].0)
            };
            (0..2_000).for_each(|number| _ = frame(number));
            let long = (0..10_000).map(frame).filter(|(is_long, _)| *is_long);
            let numbers: Vec<_> = long.map(|(_, number)| number).collect();
            assert!(numbers.len() > 100);
            // But for those that come so soon after another that they are taken for shorter ones.
            let split = numbers.iter().filter(|number| **number >= 16).count();
            assert!(10 * split > 8 * numbers.len(), "{numbers:?}");
            iterations(2_000, 0);
            // What is short alone gets no more than it must.
            assert!(iterations(100, 0).iter().all(|(number, _)| *number == 2));
        };
        on_a_new_thread(check);
    }

    #[test]
    fn what_takes_no_less_time_shared_stays_on_its_thread() {
        let check = || {
            iterations_of(100, 50, 50);
            let short = iterations_of(1_000, 50, 50);
            let shared = short.iter().filter(|(_, asked)| !is_short(*asked)).count();
            // Whether it does so still is seen now and then.
            assert!((1..20).contains(&shared), "{shared}");
            // Of much work that may be anything's fault.
            iterations_of(20, 2_000, 2_000);
            let long = iterations_of(100, 2_000, 2_000);
            let shared = long.iter().filter(|(_, asked)| !is_short(*asked)).count();
            assert!(shared >= 95, "{shared}");
            // What pays is soon shared again.
            iterations_of(300, 13, 50);
            let long = iterations_of(100, 13, 50);
            let shared = long.iter().filter(|(_, asked)| !is_short(*asked)).count();
            assert!(shared >= 95, "{shared}");
        };
        on_a_new_thread(check);
    }

    #[test]
    fn what_is_long_as_it_is_shared_alone_stays_on_its_thread() {
        let check = || {
            iterations(2, 100);
            iterations_of(100, 300, 1);
            assert!(all_short(&iterations_of(100, 300, 1)));
        };
        on_a_new_thread(check);
    }

    #[test]
    fn what_was_shared_for_no_reason_is_found_to_be_short() {
        let check = || {
            let iterate = |_| iterate(|asked| if is_short(asked) { (10, 10) } else { (15, 30) });
            iterations(2, 100);
            let count = 2 * usize::from(SAMPLE);
            (0..count).for_each(|number| _ = iterate(number));
            let all: Vec<_> = (0..100).map(iterate).collect();
            assert!(all_short(&all), "{all:?}");
        };
        on_a_new_thread(check);
    }

    /// Makes `spread` batches for each of `number`, and takes so many microseconds.
    fn many_batches_of(number: usize, spread: usize, work: u64) -> Expected {
        measure::<bevy_ecs::Body, _>(|expected| {
            let work = micros(work);
            let taken = Taken {
                work,
                time: work / 4,
                batches: number * spread,
            };
            (expected.unwrap(), Some(taken))
        })
    }

    fn many_batches(count: usize, spread: usize, work: u64) -> Vec<(usize, Expected)> {
        let iterate = |_| {
            let number = number(4);
            (number > 1).then(|| (number, many_batches_of(number, spread, work)))
        };
        (0..count).filter_map(iterate).collect()
    }

    #[test]
    fn many_short_batches_are_worth_no_tasks() {
        let check = || {
            let mut seen = 0;
            for nth in 0..400 + 310 {
                if number(4) > 1 {
                    seen += usize::from(nth >= 400);
                    many_batches_of(2, 500, 100);
                }
            }
            assert!((9..14).contains(&seen), "{seen}");
        };
        on_a_new_thread(check);
    }

    /// Iterates in the order of `are_long`: over one table for long, or over many for a moment. How
    /// many long ones nobody saw, and how many short ones somebody did.
    fn mixed(are_long: impl Iterator<Item = bool>) -> (usize, usize) {
        let (mut unseen, mut seen) = (0, 0);
        for is_long in are_long {
            match (number(4), is_long) {
                (1, _) => unseen += usize::from(is_long),
                (batches, true) => measure::<bevy_ecs::Other, _>(|_| {
                    let (work, time) = (micros(4_000), micros(1_000));
                    let taken = Taken {
                        work,
                        time,
                        batches,
                    };
                    ((), Some(taken))
                }),
                (batches, false) => {
                    seen += 1;
                    many_batches_of(batches, 16, 1);
                }
            }
        }
        (unseen, seen)
    }

    #[test]
    fn one_with_many_tables_hides_none_that_is_long() {
        let check = || {
            for count in [1, 2, 3] {
                let frame = std::iter::repeat_n(false, count).chain([true]);
                let (unseen, seen) = mixed((0..1000).flat_map(|_| frame.clone()));
                assert!(unseen < 50 && seen < 300 * count, "{unseen}, {seen}");
            }
            // As on a thread that runs some of a frame's systems, now one and now another.
            let mut random = 1_u32;
            let any = || {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                random >> 30 == 0
            };
            let (unseen, _) = mixed(std::iter::repeat_with(any).take(4000));
            assert!(unseen < 100, "{unseen} in any order");
        };
        on_a_new_thread(check);
    }

    #[test]
    fn one_with_many_tables_is_soon_known_to_have_become_long() {
        let check = || {
            for short in [100, 600, 617] {
                many_batches(short, 16, 1);
                let seen = many_batches(100, 16, 60_000);
                let late = 100 - seen.iter().filter(|(_, asked)| !is_short(*asked)).count();
                assert!(late < 40, "{late} of 100");
            }
        };
        on_a_new_thread(check);
    }

    #[test]
    fn few_that_are_long_are_shared_each_time() {
        let check = || {
            iterations(10, 10_000);
            assert!(all_long(&iterations(500, 10_000)));
        };
        on_a_new_thread(check);
    }

    #[test]
    fn many_threads_make_more_batches_of_what_is_short() {
        let check = || {
            let number = |threads| {
                let ask = || {
                    let number = number(threads);
                    let taken = Taken {
                        work: Duration::ZERO,
                        time: Duration::ZERO,
                        batches: number,
                    };
                    measure::<bevy_ecs::Body, _>(|_| (number, Some(taken)))
                };
                (0..2_000).fold(0, |_, _| ask())
            };
            assert_eq!([2, 4, 16, 64, 256].map(number), [2, 2, 8, 32, 32]);
        };
        on_a_new_thread(check);
    }

    #[test]
    fn of_many_tables_each_may_be_the_one_that_is_long() {
        let check = || {
            let few = (LEAST, Expected::Long);
            assert_eq!(many_batches(10, 500, 2_000)[5..], [few; 5]);
            let many = (32, Expected::Long);
            assert_eq!(many_batches(20, 500, 200_000)[10..], [many; 10]);
        };
        on_a_new_thread(check);
    }

    #[test]
    fn an_iteration_that_fails_leaves_nothing_to_others() {
        let check = || {
            number(4);
            let expected = measure::<Location, _>(|expected| (expected, None));
            assert!(expected.is_none());
            assert_eq!(iterations(1, 0)[0].0, MOST_IN_PLACE as usize);
        };
        on_a_new_thread(check);
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
