//! Jobs of which a thread takes its own first, the newest or the oldest, and else the oldest of
//! others. Nobody's are last: where jobs have ages, those that have none came from outside, and may
//! wait for any of the pool's own, as in rayon; and a task that was woken while it ran would be the
//! newest again and again.
//!
//! Each thread has a stack of its own, with a lock that nobody else wants who has jobs of their
//! own: threads that spawn small jobs would fight for one of all.

use crate::age::{self, Age, Aged, HasAge};
use crate::queue::by_age;
use crate::queue::deque::Order;
use crate::sync::{AtomicU64, AtomicUsize, Mutex, MutexGuard, Ordering, lock};
use crate::worker::STRANGERS_TURN;
use crossbeam_utils::CachePadded;
use std::collections::VecDeque;
use std::iter;
use std::sync::OnceLock;

/// Who has pushed what comes last. Threads' numbers are not 0.
const NOBODY: u32 = 0;

/// Whose jobs come before the calling thread's next, now and then: none of these may ever be empty.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Others,
    /// The calling thread's oldest.
    Oldest,
    Nobodys,
}

impl Turn {
    const ALL: [Self; 3] = [Self::Others, Self::Oldest, Self::Nobodys];
}

/// What one thread has pushed, and which. Apart from what changes with each job, for all look for
/// their own here.
struct Stack<T> {
    /// The number of a thread. Changed where it is empty, under its lock and that of
    /// [`Stacks::claims`].
    by: AtomicU64,
    jobs: CachePadded<Jobs<T>>,
    next: OnceLock<Box<Self>>,
}

struct Jobs<T> {
    items: Mutex<Items<T>>,
    /// How many there are.
    len: AtomicUsize,
    /// The age of the oldest, by [`Age::to_bits`]; none if that is not known, or there is none.
    oldest: AtomicU64,
}

struct Items<T> {
    queue: VecDeque<Aged<T>>,
    /// How often its thread has looked for what is next.
    looks: u32,
}

impl<T> Stack<T> {
    fn new(by: u32) -> Self {
        let items = Items {
            queue: VecDeque::new(),
            looks: 0,
        };
        Self {
            by: AtomicU64::new(by.into()),
            jobs: CachePadded::new(Jobs {
                items: Mutex::new(items),
                len: AtomicUsize::new(0),
                oldest: AtomicU64::new(0),
            }),
            next: OnceLock::new(),
        }
    }

    fn by(&self) -> u32 {
        // Relaxed: looked at once more under the lock.
        self.by.load(Ordering::Relaxed) as u32
    }

    fn len(&self) -> usize {
        // Relaxed, as for `oldest`: a look, under whatever fence the caller has.
        self.jobs.len.load(Ordering::Relaxed)
    }

    fn lock(&self) -> Locked<'_, T> {
        Locked {
            stack: self,
            items: lock(&self.jobs.items),
        }
    }

    /// Locks it, if it is that of somebody who `is_its` still.
    fn lock_if(&self, is_its: impl Fn(u32) -> bool) -> Option<Locked<'_, T>> {
        if !is_its(self.by()) {
            return None;
        }
        let locked = self.lock();
        is_its(self.by()).then_some(locked)
    }
}

/// A stack, of which nobody else takes, and which tells in the end what it has.
struct Locked<'a, T> {
    stack: &'a Stack<T>,
    items: MutexGuard<'a, Items<T>>,
}

impl<T> Locked<'_, T> {
    fn if_empty(self) -> Option<Self> {
        self.items.queue.is_empty().then_some(self)
    }

    fn newest(&self) -> Option<Age> {
        self.items.queue.back()?.age()
    }

    fn pop(&mut self, order: Order) -> Option<Aged<T>> {
        match order {
            Order::NewestFirst => self.items.queue.pop_back(),
            Order::OldestFirst => self.items.queue.pop_front(),
        }
    }
}

impl<T> Drop for Locked<'_, T> {
    fn drop(&mut self) {
        let (jobs, queue) = (&self.stack.jobs, &self.items.queue);
        let oldest = Age::to_bits(queue.front().and_then(HasAge::age));
        // Relaxed: under the lock.
        jobs.len.store(queue.len(), Ordering::Relaxed);
        jobs.oldest.store(oldest, Ordering::Relaxed);
    }
}

pub(super) struct Stacks<T> {
    order: Order,
    /// Whether each thread's jobs have ages.
    by_age: bool,
    /// Whether each comes first in its [`Turn`]. Not where a thread that blocks is nobody's to
    /// relieve: what it waits for may be its own newest.
    has_turns: bool,
    /// What is empty is for the next thread that has none.
    first: Stack<T>,
    /// Held by a thread that takes one over, or adds one.
    claims: Mutex<()>,
    /// At which of them those who take from others begin.
    turn: AtomicUsize,
}

impl<T> Stacks<T> {
    pub(super) fn new(order: Order, by_age: bool, has_turns: bool) -> Self {
        Self {
            order,
            by_age,
            has_turns,
            first: Stack::new(NOBODY),
            claims: Mutex::new(()),
            turn: AtomicUsize::new(0),
        }
    }

    fn all(&self) -> impl Iterator<Item = &Stack<T>> + Clone {
        iter::successors(Some(&self.first), |stack| stack.next.get().map(Box::as_ref))
    }

    /// All of them with their places, in the order of their turns.
    fn in_turn(&self) -> impl Iterator<Item = (usize, &Stack<T>)> {
        // Relaxed: nothing rests on whose turn it is.
        let turn = self.turn.load(Ordering::Relaxed);
        let all = self.all().enumerate();
        all.clone().skip(turn).chain(all.take(turn))
    }

    /// The stack of what `by` has pushed, if there is one.
    fn find(&self, by: u32) -> Option<Locked<'_, T>> {
        self.all().find_map(|stack| stack.lock_if(|of| of == by))
    }

    /// The same, or else a free one.
    fn stack_of(&self, by: u32) -> Locked<'_, T> {
        self.find(by).unwrap_or_else(|| self.claim(by))
    }

    #[cold]
    fn claim(&self, by: u32) -> Locked<'_, T> {
        let _claims = lock(&self.claims);
        if let Some(stack) = self.find(by) {
            return stack;
        }
        let mut free = self.all().filter(|stack| stack.len() == 0);
        let free = free.find_map(|stack| stack.lock().if_empty());
        if let Some(free) = free {
            // Relaxed: under the locks.
            free.stack.by.store(by.into(), Ordering::Relaxed);
            return free;
        }
        // This one and no other from here on: one thread with two would not find what is in the
        // second.
        let last = self.all().last().unwrap_or(&self.first);
        let new = last.next.get_or_init(|| Box::new(Stack::new(by)));
        new.lock()
    }

    pub(super) fn push(&self, item: T, age: Option<Age>) {
        if self.by_age && age.is_none() {
            return self.push_last(item);
        }
        let mut own = self.stack_of(age::this_thread());
        own.items.queue.push_back(Aged::new(item, age));
    }

    /// Pushes what is nobody's, of which the oldest is next.
    pub(super) fn push_last(&self, item: T) {
        let mut nobodys = self.stack_of(NOBODY);
        nobodys.items.queue.push_back(Aged::new(item, None));
    }

    /// Puts back what was popped, to where it was, where jobs have ages.
    pub(super) fn push_back(&self, item: Aged<T>) {
        let by = item.age().map_or(NOBODY, Age::thread);
        let queue = &mut self.stack_of(by).items.queue;
        if item.age().is_some() {
            by_age::insert(queue, item);
        } else {
            queue.push_front(item);
        }
    }

    /// How old what others take next is, if that is known; none if there is nothing.
    pub(super) fn next(&self) -> Option<Option<Age>> {
        let mut any = self
            .in_turn()
            .filter(|(_, stack)| stack.len() > 0)
            .peekable();
        any.peek()?;
        // Relaxed: see `Stack::len`.
        Some(any.find_map(|(_, stack)| Age::from_bits(stack.jobs.oldest.load(Ordering::Relaxed))))
    }

    /// The calling thread's next, or else the oldest of the next other thread, or else of nobody's;
    /// now and then one of these or the calling thread's oldest comes first. Also how old the
    /// calling thread's newest was, if its next was the first to be looked for: be it this item or
    /// one that stays.
    pub(super) fn pop(&self) -> Option<(Aged<T>, Option<Age>)> {
        self.take(|own| {
            own.items.looks = own.items.looks.wrapping_add(1);
            let looks = own.items.looks;
            let is_turn = self.has_turns && looks.is_multiple_of(STRANGERS_TURN);
            is_turn.then(|| Turn::ALL[(looks / STRANGERS_TURN) as usize % Turn::ALL.len()])
        })
    }

    fn take(
        &self,
        turn: impl FnOnce(&mut Locked<'_, T>) -> Option<Turn>,
    ) -> Option<(Aged<T>, Option<Age>)> {
        let by = age::this_thread();
        let (mut first, mut newest_own) = (None, None);
        let mut has_stack = false;
        if let Some(mut own) = self.find(by) {
            has_stack = true;
            first = turn(&mut own);
            newest_own = own.newest().filter(|_| first.is_none());
            let item = match first {
                None => own.pop(self.order),
                Some(Turn::Oldest) => own.items.queue.pop_front(),
                Some(Turn::Others | Turn::Nobodys) => None,
            };
            if let Some(item) = item {
                return Some((item, newest_own));
            }
        }
        // Of two locked at a time, another thread might want the other one first.
        let nobodys = || self.pop_oldest(|of| of == NOBODY);
        // A thread without a stack counts no looks.
        let is_one = |of| self.has_turns && !has_stack && of == NOBODY;
        let item = (first == Some(Turn::Nobodys))
            .then(nobodys)
            .flatten()
            .or_else(|| self.pop_oldest(|of| is_one(of) || (of != by && of != NOBODY)))
            .or_else(|| first.and_then(|_| self.find(by)?.pop(self.order)))
            .or_else(nobodys)?;
        Some((item, newest_own))
    }

    /// Takes the oldest item of the next of those stacks, round robin.
    fn pop_oldest(&self, of: impl Fn(u32) -> bool) -> Option<Aged<T>> {
        let mut those = self.in_turn().filter(|(_, stack)| stack.len() > 0);
        those.find_map(|(place, stack)| {
            let item = stack.lock_if(&of)?.items.queue.pop_front()?;
            self.turn.store(place + 1, Ordering::Relaxed);
            Some(item)
        })
    }

    /// How old the calling thread's newest is.
    pub(super) fn newest_own(&self) -> Option<Age> {
        self.find(age::this_thread())?.newest()
    }

    /// Takes the calling thread's next, if the age of its newest `is_wanted`: in whatever order
    /// they come, with each that is queued there is one more to take.
    pub(super) fn take_own(&self, is_wanted: &dyn Fn(Age) -> bool) -> Option<Aged<T>> {
        let mut own = self.find(age::this_thread())?;
        own.newest().filter(|age| is_wanted(*age))?;
        own.pop(self.order)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all().all(|stack| stack.len() == 0)
    }

    pub(super) fn len(&self) -> usize {
        self.all().map(Stack::len).sum()
    }

    /// Whether more threads than so many had jobs here at a time.
    pub(super) fn has_more_than(&self, threads: usize) -> bool {
        self.all().nth(threads).is_some()
    }

    /// Gives back half of the memory, as far as nothing lies there: between two scopes. What few
    /// jobs take is kept, for to ask for it anew costs more than they do.
    pub(super) fn shrink(&self) {
        for mut stack in self.all().map(Stack::lock) {
            let queue = &mut stack.items.queue;
            queue.shrink_to((queue.capacity() / 2).max(super::KEPT));
        }
    }
}

impl<T> Drop for Stacks<T> {
    /// One by one: each within the one before it would need a deep stack. Nothing lies there then.
    fn drop(&mut self) {
        let mut next = self.first.next.take();
        while let Some(mut stack) = next {
            next = stack.next.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::thread;

    fn take<T>(stacks: &Stacks<T>, others_first: bool) -> Option<T> {
        let taken = stacks.take(|_| others_first.then_some(Turn::Others));
        taken.map(|(taken, _)| taken.item)
    }

    /// What `f` gives on a thread of its own.
    fn elsewhere<R: Send>(f: impl FnOnce() -> R + Send) -> R {
        thread::scope(|scope| scope.spawn(f).join().unwrap())
    }

    #[test]
    fn own_items_come_newest_first_and_those_of_others_oldest_first() {
        let stacks = Stacks::new(Order::NewestFirst, false, true);
        (0..5).for_each(|item| stacks.push(item, None));
        assert_eq!(take(&stacks, false), Some(4));
        assert_eq!(elsewhere(|| take(&stacks, false)), Some(0));
        elsewhere(|| {
            stacks.push(10, None);
            stacks.push(11, None);
            assert_eq!(
                (take(&stacks, false), take(&stacks, true)),
                (Some(11), Some(1))
            );
        });
        assert_eq!(
            (take(&stacks, true), take(&stacks, true)),
            (Some(10), Some(3))
        );
        assert_eq!(stacks.len(), 1);
        assert_eq!(
            (take(&stacks, false), take(&stacks, false)),
            (Some(2), None)
        );
    }

    #[test]
    fn what_is_put_back_lies_where_it_was() {
        let stacks = Stacks::new(Order::NewestFirst, true, true);
        let thread = age::this_thread();
        let age = |nth| Some(Age::new(thread, nth));
        (0..3).for_each(|nth| stacks.push(nth, age(nth)));
        elsewhere(|| {
            let popped = [(); 3].map(|()| stacks.pop().unwrap().0);
            assert_eq!(stacks.next(), None);
            let [first, second, third] = popped;
            stacks.push_back(second);
            assert_eq!(stacks.next(), Some(age(1)));
            stacks.push_back(third);
            stacks.push_back(first);
            assert_eq!((stacks.next(), stacks.len()), (Some(age(0)), 3));
        });
        stacks.push(3, age(3));
        let oldest = elsewhere(|| [(); 2].map(|()| take(&stacks, false)));
        assert_eq!(oldest, [Some(0), Some(1)]);
        assert_eq!([(); 2].map(|()| take(&stacks, false)), [Some(3), Some(2)]);
    }

    #[test]
    fn what_is_popped_comes_with_the_age_of_the_newest_own() {
        for (order, popped) in [(Order::NewestFirst, 2), (Order::OldestFirst, 0)] {
            let stacks = Stacks::new(order, true, true);
            let thread = age::this_thread();
            let age = |nth| Some(Age::new(thread, nth));
            (0..3).for_each(|nth| stacks.push(nth, age(nth)));
            elsewhere(|| {
                let others = stacks.pop().unwrap();
                assert_eq!((others.0.item, others.1), (0, None));
                stacks.push_back(others.0);
            });
            let own = stacks.pop().unwrap();
            assert_eq!((own.0.item, own.1), (popped, age(2)));
            stacks.push_back(own.0);
            assert_eq!(stacks.pop().unwrap().1, age(2));
        }
    }

    /// It may wait for any of the others, and what is put back hides nothing that is newer.
    #[test]
    fn what_has_no_age_is_last() {
        for order in [Order::NewestFirst, Order::OldestFirst] {
            let stacks = Stacks::new(order, true, true);
            let thread = age::this_thread();
            let age = |nth| Some(Age::new(thread, nth));
            elsewhere(|| stacks.push(10, None));
            stacks.push(11, None);
            assert_eq!(stacks.next(), Some(None));
            (0..2).for_each(|nth| stacks.push(nth, age(nth)));
            assert_eq!(stacks.next(), Some(age(0)));
            let own = [(); 2].map(|()| take(&stacks, true).unwrap());
            assert!(own.iter().all(|own| *own < 2), "{own:?}");
            let first = stacks.pop().unwrap().0;
            assert_eq!(first.item, 10);
            stacks.push(2, age(2));
            stacks.push_back(first);
            assert_eq!(stacks.newest_own(), age(2));
            let rest = [(); 3].map(|()| take(&stacks, false));
            assert_eq!(rest, [Some(2), Some(10), Some(11)]);
        }
    }

    #[test]
    fn others_have_turns() {
        let stacks = Stacks::new(Order::NewestFirst, false, true);
        for thread in 0..3 {
            elsewhere(|| (0..4).for_each(|item| stacks.push((thread, item), None)));
        }
        let threads = [(); 12].map(|()| take(&stacks, false).unwrap().0);
        let first = &threads[..3];
        let mut all = first.to_vec();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2]);
        assert!(threads.chunks(3).all(|round| round == first), "{threads:?}");
    }

    #[test]
    fn none_is_last_for_ever() {
        let stacks = Stacks::new(Order::NewestFirst, false, true);
        stacks.push_last(0);
        elsewhere(|| (1..3).for_each(|item| stacks.push(item, None)));
        (3..6).for_each(|item| stacks.push(item, None));
        // Each time something newer is there.
        let looks = [(); 4 * STRANGERS_TURN as usize].map(|()| {
            stacks.push(6, None);
            stacks.pop().unwrap().0.item
        });
        let mut turns: Vec<_> = looks.into_iter().filter(|item| *item != 6).collect();
        turns.sort_unstable();
        assert_eq!(turns, [0, 1, 3, 4]);
    }

    #[test]
    fn each_item_is_taken_once() {
        const ITEMS: u32 = if cfg!(miri) { 50 } else { 20_000 };
        for by_age in [false, true] {
            let (stacks, left) = (
                Stacks::new(Order::NewestFirst, by_age, true),
                AtomicUsize::new(4),
            );
            let work = |of: u32| {
                let by = age::this_thread();
                let mut taken = Vec::new();
                let mut take = |is_put_back: bool| match stacks.pop() {
                    Some(popped) if by_age && is_put_back => stacks.push_back(popped.0),
                    popped => taken.extend(popped.map(|(popped, _)| popped.item)),
                };
                for nth in 0..ITEMS {
                    let age = (by_age && nth % 7 > 0).then_some(Age::new(by, nth.into()));
                    stacks.push(Box::new(of * ITEMS + nth), age);
                    if nth % 3 > 0 {
                        take(nth % 5 == 0);
                    }
                }
                // Relaxed: each thread sees what it has left itself.
                left.fetch_sub(1, Ordering::Relaxed);
                while left.load(Ordering::Relaxed) > 0 || !stacks.is_empty() {
                    take(false);
                }
                taken
            };
            let mut taken: Vec<_> = thread::scope(|scope| {
                let work = &work;
                let threads = [0, 1, 2, 3].map(|of| scope.spawn(move || work(of)));
                let taken = threads.into_iter().map(|thread| thread.join().unwrap());
                taken.flatten().collect()
            });
            taken.sort_unstable();
            assert!(taken.into_iter().map(|item| *item).eq(0..4 * ITEMS));
        }
    }

    /// Its own push and a job of its that another puts back, while a third one's stack empties.
    #[test]
    fn no_thread_has_two_stacks() {
        const ROUNDS: u32 = if cfg!(miri) { 10 } else { 20_000 };
        let all: Vec<_> = (0..ROUNDS)
            .map(|_| Stacks::new(Order::NewestFirst, true, true))
            .collect();
        let own = age::this_thread();
        let together = Barrier::new(3);
        thread::scope(|scope| {
            scope.spawn(|| {
                let thread = age::this_thread();
                let age = Some(Age::new(thread, 0));
                all.iter().for_each(|stacks| stacks.push(2, age));
                for stacks in &all {
                    together.wait();
                    assert!(stacks.take_own(&|_| true).is_some());
                }
            });
            scope.spawn(|| {
                let age = Age::new(own, 0);
                for stacks in &all {
                    together.wait();
                    stacks.push_back(Aged::new(0, Some(age)));
                }
            });
            for stacks in &all {
                together.wait();
                let age = Age::new(own, 1);
                stacks.push(1, Some(age));
            }
        });
        let took = |stacks: &Stacks<i32>| [(); 2].map(|()| take(stacks, false));
        assert!(all.iter().all(|stacks| took(stacks) == [Some(1), Some(0)]));
    }

    #[test]
    fn a_chain_of_stacks_may_be_long() {
        let stacks = Stacks::new(Order::NewestFirst, false, true);
        const THREADS: u32 = if cfg!(miri) { 100 } else { 100_000 };
        let mut last = &stacks.first;
        for thread in 1..THREADS {
            last = last.next.get_or_init(|| Box::new(Stack::new(thread)));
        }
        assert!(stacks.has_more_than(THREADS as usize - 1));
        assert!(!stacks.has_more_than(THREADS as usize));
        stacks.push((), None);
        drop(stacks);
    }

    #[test]
    fn an_empty_stack_is_for_the_next_thread() {
        let stacks = Stacks::new(Order::NewestFirst, false, true);
        for round in 0..5 {
            elsewhere(|| stacks.push(round, None));
            elsewhere(|| stacks.push(10 + round, None));
            assert_eq!(stacks.all().count(), 2);
            let both = [(); 2].map(|()| take(&stacks, false).unwrap() % 10);
            assert_eq!(both, [round; 2]);
        }
    }
}
