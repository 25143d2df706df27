//! `for_each`: a loop with no batch size to choose, and the fold that it is a case of.
//!
//! What is not known to be short begins by splitting: all but a small part lies where others can
//! take it before the first item runs, as that one may take as long as all others together. The
//! small parts, and loops that are known to be short, run in pieces and poll the beat between them.
//! A raised beat halves what is left and offers one half, so that splits only as often as there is
//! somebody to take it: lazy splitting (Tzannes et al., PPOPP 2010) on the heartbeat. A thread that
//! sleeps is woken for 120 µs of work, or once loops have run alone for 120 µs together.

use crate::cost::loop_cost;
use crate::cost::piece_size::PieceSize;
use crate::cost::{self, WAKE_UP};
use crate::sync::{AtomicU64, Instant, Ordering};
use crate::verbs::loop_beat::Answer;
use crate::verbs::split::Split;
use crate::worker::Worker;
use std::marker::PhantomData;
use std::time::Duration;

/// How many parts a thread a loop is first split into: what one of them takes more than the others
/// adds a sixteenth to the whole at most.
const PARTS: usize = 16;

/// How a loop is split from its beginning.
struct Parts {
    /// The most items of one part.
    most: usize,
    /// More items than this are worth calling a helper at once, if that is known.
    missed: Option<usize>,
    /// The nanoseconds that all parts took.
    took: AtomicU64,
}

impl Parts {
    /// Of so many items, which take `all` together, if that is known.
    fn new(most: usize, items: usize, all: Option<Duration>) -> Self {
        let all = all.filter(|&all| cost::is_worth_waking(all));
        let missed = all.map(|all| (items as f64 * WAKE_UP.div_duration_f64(all)) as usize);
        Self {
            most,
            missed,
            took: AtomicU64::new(0),
        }
    }

    /// How many are to come at once for half of so many items.
    fn helpers(&self, items: usize) -> usize {
        let is_missed = self.missed.is_some_and(|missed| items / 2 > missed);
        if is_missed { items / self.most } else { 0 }
    }
}

/// What is done with pieces: a state for each stretch of them, and what the stretches come to.
struct Folding<W, S, R, I, F, E, C> {
    init: I,
    fold: F,
    finish: E,
    combine: C,
    of: PhantomData<fn(W, S) -> R>,
}

impl<W, S, R, I, F, E, C> Folding<W, S, R, I, F, E, C>
where
    W: Split,
    R: Send,
    I: Fn() -> S + Sync,
    F: Fn(&mut S, W) + Sync,
    E: Fn(S) -> R + Sync,
    C: Fn(R, R) -> R + Sync,
{
    fn run(&self, worker: &Worker, work: W) -> R {
        let items = work.size();
        if items < 2 || worker.team_size() < 2 {
            return self.stretch(worker, work, None, PieceSize::new(false));
        }
        let expected = loop_cost::expected(Self::key(), items);
        let is_long = |all| cost::is_worth_waking(all) || worker.splits_at_once(all, items);
        if expected.is_none_or(is_long) {
            return self.split(worker, work, expected, None);
        }
        if worker.seat.beat.is_raised() && worker.others_sleep() {
            return self.stretch(worker, work, None, PieceSize::of_a_short_loop());
        }
        // The same code may take much longer this time: the first item tells.
        let (first, rest) = work.split_at(1);
        let mut state = (self.init)();
        let start = Instant::now();
        (self.fold)(&mut state, first);
        let item = start.elapsed();
        let all = item.saturating_mul(u32::try_from(items).unwrap_or(u32::MAX));
        if !cost::is_worth_taking(1, item) || !cost::is_worth_waking(all) {
            return self.stretch(worker, rest, Some(state), PieceSize::after_a_short_item());
        }
        let first = (self.finish)(state);
        (self.combine)(first, self.split(worker, rest, Some(all), None))
    }

    /// Folds `work`, which takes `all` if that is known, in parts of so many items at `most`, which
    /// others can take from the beginning.
    fn split(&self, worker: &Worker, work: W, all: Option<Duration>, most: Option<usize>) -> R {
        let items = work.size();
        let usual = || {
            // The pool may have lost its threads just now.
            let parts = PARTS * worker.team_size().max(1);
            (items / parts).max(1)
        };
        let parts = Parts::new(most.unwrap_or_else(usual), items, all);
        let result = self.parts(worker, work, &parts);
        loop_cost::learn(Self::key(), parts.took.into_inner() as f32 / items as f32);
        result
    }

    /// Splits `work` into `parts`, which others can take, and folds those that they leave.
    fn parts(&self, worker: &Worker, work: W, parts: &Parts) -> R {
        let items = work.size();
        if items <= parts.most {
            // What the items share is theirs to know.
            worker.joins.helpers_wanted.set(0);
            let start = Instant::now();
            let result = self.stretch(worker, work, None, PieceSize::new(true));
            // Relaxed: read after all joins.
            let took = start.elapsed().as_nanos() as u64;
            parts.took.fetch_add(took, Ordering::Relaxed);
            return result;
        }
        worker.joins.helpers_wanted.set(parts.helpers(items));
        let (left, right) = work.split_at(items / 2);
        let (left, right) = worker.join_offered(
            |worker| self.parts(worker, left, parts),
            |worker| self.parts(worker, right, parts),
        );
        (self.combine)(left, right)
    }

    /// What tells loops of this code from others.
    fn key() -> usize {
        let code: fn(&Self, &Worker, W, &Parts) -> R = Self::parts;
        code as usize
    }

    /// Folds pieces from the front until nothing is left or the rest is split. The state is made
    /// for the first piece, if there is none: a stretch that is split at once needs none.
    fn stretch(
        &self,
        worker: &Worker,
        mut rest: W,
        mut state: Option<S>,
        mut size: PieceSize,
    ) -> R {
        loop {
            let left = rest.size();
            let is_asked = left > 1 && worker.poll_beat();
            let answer = is_asked.then(|| worker.answer_beat(&mut size, left));
            if left > 1 && !is_asked {
                size.go_on();
            }
            if let Some(Answer::Share { most }) = answer {
                Self::learn_alone(worker, &size);
                return self.share(worker, rest, state, &size, most);
            }
            if matches!(answer, Some(Answer::Decline)) || size.is_rest(left) {
                if left > 0 {
                    let state = state.get_or_insert_with(&self.init);
                    let piece = || (self.fold)(state, rest);
                    if size.is_put_off {
                        worker.fold_piece(&mut size, left, left, piece);
                    } else {
                        piece();
                        worker.count_piece(&size);
                    }
                }
                Self::learn_alone(worker, &size);
                // It may have had no piece.
                return (self.finish)(state.unwrap_or_else(&self.init));
            }
            // Not more than half, so that whoever comes free is not kept waiting for long.
            let items = size.items.min(left / 2);
            let (piece, others) = rest.split_at(items);
            rest = others;
            let state = state.get_or_insert_with(&self.init);
            worker.fold_piece(&mut size, left, items, || (self.fold)(state, piece));
        }
    }

    /// Learns what items take of those that were run while all others slept. That they are dear is
    /// learnt only once much was missed: else few dear items and many cheap ones, of one code,
    /// would mislead each other.
    fn learn_alone(worker: &Worker, size: &PieceSize) {
        let (items, time) = size.alone;
        if items == 0 {
            return;
        }
        let item = time.as_nanos() as f32 / items as f32;
        if !cost::is_worth_coming(cost::duration(item.into())) || worker.joins.is_much_missed() {
            loop_cost::learn(Self::key(), item);
        }
    }

    /// Ends the `state` of the pieces before it and folds `work`, half of it on offer; or each of
    /// its parts, where these are to have so many items at `most`.
    #[cold]
    fn share(
        &self,
        worker: &Worker,
        work: W,
        state: Option<S>,
        size: &PieceSize,
        most: Option<usize>,
    ) -> R {
        if let Some(item) = size.item {
            loop_cost::learn(Self::key(), item as f32);
        }
        // Ended first, for this thread goes on with a state of the next stretch.
        let before = state.map(&self.finish);
        let rest = self.share_rest(worker, work, size, most);
        match before {
            Some(before) => (self.combine)(before, rest),
            None => rest,
        }
    }

    fn share_rest(&self, worker: &Worker, work: W, size: &PieceSize, most: Option<usize>) -> R {
        let items = work.size();
        if let Some(most) = most {
            return self.split(worker, work, size.time(items), Some(most));
        }
        let is_long = size.time(items).is_some_and(cost::is_worth_waking);
        worker.joins.helpers_wanted.set(usize::from(is_long));
        let middle = work.size() / 2;
        let (left, right) = work.split_at(middle);
        let (left, right) = worker.join(
            |worker| self.stretch(worker, left, None, PieceSize::new(true)),
            |worker| self.stretch(worker, right, None, PieceSize::new(true)),
        );
        // Should nobody have been there to share with.
        worker.joins.helpers_wanted.set(0);
        (self.combine)(left, right)
    }
}

impl Worker {
    /// Runs a `piece` of so many `items` of a loop, with `left` ones at its start.
    #[inline]
    fn fold_piece(&self, size: &mut PieceSize, left: usize, items: usize, piece: impl FnOnce()) {
        let missed = self.joins.missed();
        if let Some(time) = size.run(left, items, piece) {
            self.joins.miss(missed, time);
        }
        self.count_piece(size);
    }

    /// Counts a piece that was run, for whoever looks whether the thread comes further. Short loops
    /// are over before anybody looks.
    #[inline]
    fn count_piece(&self, size: &PieceSize) {
        if size.timed {
            self.seat.counters.pieces[self.lane().index()].bump();
        }
    }

    /// Folds pieces of `work` until there is nothing left of it, splitting it between threads as
    /// they come free, and combines what that comes to in the order of the work. See
    /// [`fold_pieces`](crate::fold_pieces()).
    ///
    /// # Panics
    ///
    /// With the payload of whichever function panics; pieces that others have not begun yet are
    /// dropped, and so are all states and results.
    #[inline]
    pub fn fold_pieces<W: Split, S, R: Send>(
        &self,
        work: W,
        init: impl Fn() -> S + Sync,
        fold: impl Fn(&mut S, W) + Sync,
        finish: impl Fn(S) -> R + Sync,
        combine: impl Fn(R, R) -> R + Sync,
    ) -> R {
        let folding = Folding {
            init,
            fold,
            finish,
            combine,
            of: PhantomData,
        };
        folding.run(self, work)
    }

    /// Calls `f` on every item, splitting the slice between threads as they come free. See
    /// [`for_each`](crate::for_each()).
    ///
    /// # Panics
    ///
    /// With `f`'s payload; not every item may have been visited then.
    #[inline]
    pub fn for_each<T: Send>(&self, items: &mut [T], f: impl Fn(&mut T) + Sync) {
        let fold = |(): &mut (), piece: &mut [T]| piece.iter_mut().for_each(&f);
        self.fold_pieces(items, || (), fold, |()| (), |(), ()| ());
    }
}

/// Calls `f` on every item, splitting the slice between threads as they come free. There is no
/// batch size to choose: a short slice costs some 50 ns more than a plain loop (up to a
/// microsecond, while all other threads sleep, and now and then a wake-up), a long one is shared.
/// What items take is known from the last loop over the same code; until it is known, a loop counts
/// as long, and where items have become dear since then, the first ones run alone. Items must not
/// wait for one another, for one thread may run them one after the other.
///
/// In no pool at all, it is a plain loop.
///
/// # Panics
///
/// As [`Worker::for_each`].
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
/// let mut numbers: Vec<u64> = (0..1000).collect();
/// pool.with_worker(|_| heartbeat_pool::for_each(&mut numbers, |n| *n *= 2));
/// assert_eq!(numbers[999], 1998);
/// ```
pub fn for_each<T: Send>(items: &mut [T], f: impl Fn(&mut T) + Sync) {
    Worker::with_current(|worker| match worker {
        Some(worker) => worker.for_each(items, f),
        None => items.iter_mut().for_each(f),
    });
}

/// Folds pieces of `work` until there is nothing left of it, splitting it between threads as they
/// come free.
///
/// A *stretch* of pieces that follow one another on one thread, from one split to the next, has a
/// state (short work is one stretch; long work is some sixteen a thread, and more as threads come
/// free): `init` makes it, `fold` takes one piece after the other, `finish` turns it into a result
/// on the same thread, so a state need not be [`Send`]. `combine` takes the results of two
/// neighbours, the former one first. So what comes out is that of a plain loop wherever it makes no
/// difference how `combine` is bracketed and whether it gets results of no piece besides;
/// `finish(init())` is the result for no work at all. Which pieces there are is not specified, but
/// that none is empty.
///
/// In no pool at all, there is one piece.
///
/// # Panics
///
/// As [`Worker::fold_pieces`].
///
/// ```
/// let pool = heartbeat_pool::ThreadPool::builder().num_threads(2).build().unwrap();
/// let text = "a thread that waits runs what it waits for".as_bytes();
/// let spaces = pool.with_worker(|_| {
///     heartbeat_pool::fold_pieces(
///         text,
///         || 0,
///         |count, piece| *count += piece.iter().filter(|&&byte| byte == b' ').count(),
///         |count| count,
///         |left, right| left + right,
///     )
/// });
/// assert_eq!(spaces, 8);
/// ```
pub fn fold_pieces<W: Split, S, R: Send>(
    work: W,
    init: impl Fn() -> S + Sync,
    fold: impl Fn(&mut S, W) + Sync,
    finish: impl Fn(S) -> R + Sync,
    combine: impl Fn(R, R) -> R + Sync,
) -> R {
    Worker::with_current(|worker| match worker {
        Some(worker) => worker.fold_pieces(work, init, fold, finish, combine),
        None => {
            let mut state = init();
            if work.size() > 0 {
                fold(&mut state, work);
            }
            finish(state)
        }
    })
}
