//! Jobs of which a thread takes its own first, the newest or the oldest, and else the oldest of
//! others. Where jobs have ages, those that have none came from outside, and are last, as in rayon:
//! they may wait for any of the pool's own.

use crate::age::{Age, Aged};
use crate::queue::by_age;
use crate::queue::deque::Order;
use crate::sync::{AtomicU64, AtomicUsize, Mutex, Ordering, lock};
use crate::worker::STRANGERS_TURN;
use heartbeat_record::note;
use std::collections::VecDeque;

/// What one thread has pushed, and which.
struct Stack<T> {
    /// None of what has no age, where others have one.
    by: Option<u32>,
    items: VecDeque<Aged<T>>,
}

pub(super) struct Popped<T> {
    pub(super) item: Aged<T>,
    /// How old the calling thread's newest was, be it this item or one that stays.
    pub(super) newest_own: Option<Age>,
}

pub(super) struct Stacks<T> {
    order: Order,
    /// Whether each thread's jobs have ages.
    by_age: bool,
    /// Whether those of others are first now and then. Not where a thread that blocks is nobody's
    /// to relieve: what it waits for may be its own.
    has_turns: bool,
    /// In the order of their turns with those who take from others. What is empty is for the next
    /// thread that has none.
    stacks: Mutex<Vec<Stack<T>>>,
    len: AtomicUsize,
    /// The age of what others take next, by [`Age::to_bits`], of thread 0 if it is not known;
    /// 0 if there is nothing.
    age: AtomicU64,
    /// How often something was to be taken.
    pops: AtomicUsize,
}

impl<T> Stacks<T> {
    pub(super) fn new(order: Order, by_age: bool, has_turns: bool) -> Self {
        Self {
            order,
            by_age,
            has_turns,
            stacks: Mutex::new(Vec::new()),
            len: AtomicUsize::new(0),
            age: AtomicU64::new(0),
            pops: AtomicUsize::new(0),
        }
    }

    pub(super) fn push(&self, item: T, age: Option<Age>) {
        let is_nobodys = self.by_age && age.is_none();
        let by = (!is_nobodys).then(note::this_thread);
        let mut stacks = lock(&self.stacks);
        let stack = stack_of(&mut stacks, by);
        stack.items.push_back(Aged::new(item, age));
        self.count(&stacks, 1);
    }

    /// Puts back what was popped, to where it was, where jobs have ages.
    pub(super) fn push_back(&self, item: Aged<T>) {
        let mut stacks = lock(&self.stacks);
        let by = item.age().map(|age| age.thread);
        let items = &mut stack_of(&mut stacks, by).items;
        if item.age().is_some() {
            by_age::insert(items, item);
        } else {
            items.push_front(item);
        }
        self.count(&stacks, 1);
    }

    /// After `more` have come.
    fn count(&self, stacks: &[Stack<T>], more: isize) {
        // Relaxed, here and where these are read: written under the lock alone; a look, under
        // whatever fence the caller has.
        let len = self.len.load(Ordering::Relaxed).wrapping_add_signed(more);
        self.len.store(len, Ordering::Relaxed);
        let mut fronts = stacks.iter().filter_map(|stack| stack.items.front());
        let any = fronts.clone().next();
        let nobodys = Age { thread: 0, nth: 1 };
        let age = any.map_or(0, |_| {
            fronts.find_map(Aged::age).unwrap_or(nobodys).to_bits()
        });
        self.age.store(age, Ordering::Relaxed);
    }

    /// How old what others take next is, if that is known; none if there is nothing.
    pub(super) fn next(&self) -> Option<Option<Age>> {
        let age = Age::from_bits(self.age.load(Ordering::Relaxed))?;
        Some((age.thread != 0).then_some(age))
    }

    /// The calling thread's next or else the oldest of the next other thread, and now and then the
    /// other way round.
    pub(super) fn pop(&self) -> Option<Popped<T>> {
        if self.len() == 0 {
            return None;
        }
        // Relaxed: nothing rests on the number.
        let pops = self.pops.fetch_add(1, Ordering::Relaxed) + 1;
        self.take(self.has_turns && pops.is_multiple_of(STRANGERS_TURN as usize))
    }

    fn take(&self, others_first: bool) -> Option<Popped<T>> {
        let by = note::this_thread();
        let stacks = &mut *lock(&self.stacks);
        let newest_own = newest_of(stacks, by);
        let others = |stack: &Stack<T>| stack.by.is_some_and(|of| of != by);
        let item = if others_first {
            pop_oldest(stacks, others).or_else(|| self.pop_own(stacks, by))
        } else {
            self.pop_own(stacks, by)
                .or_else(|| pop_oldest(stacks, others))
        }
        .or_else(|| pop_oldest(stacks, |stack| stack.by.is_none()))?;
        self.count(stacks, -1);
        Some(Popped { item, newest_own })
    }

    /// How old the calling thread's newest is.
    pub(super) fn newest_own(&self) -> Option<Age> {
        if self.len() == 0 {
            return None;
        }
        newest_of(&lock(&self.stacks), note::this_thread())
    }

    /// Takes the calling thread's next, if the age of its newest `is_wanted`: in whatever order
    /// they come, with each that is queued there is one more to take.
    pub(super) fn take_own(&self, is_wanted: &dyn Fn(Age) -> bool) -> Option<Aged<T>> {
        if self.len() == 0 {
            return None;
        }
        let by = note::this_thread();
        let stacks = &mut *lock(&self.stacks);
        newest_of(stacks, by).filter(|age| is_wanted(*age))?;
        let item = self.pop_own(stacks, by);
        self.count(stacks, -1);
        item
    }

    fn pop_own(&self, stacks: &mut [Stack<T>], by: u32) -> Option<Aged<T>> {
        let own = stacks.iter_mut().find(|stack| stack.by == Some(by))?;
        match self.order {
            Order::NewestFirst => own.items.pop_back(),
            Order::OldestFirst => own.items.pop_front(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    /// Gives back half of the memory, as far as nothing lies there: between two scopes. What few
    /// jobs take is kept, for to ask for it anew costs more than they do.
    pub(super) fn shrink(&self) {
        for stack in &mut *lock(&self.stacks) {
            stack
                .items
                .shrink_to((stack.items.capacity() / 2).max(super::KEPT));
        }
    }
}

/// The stack of what `by` has pushed, or else a free one.
fn stack_of<T>(stacks: &mut Vec<Stack<T>>, by: Option<u32>) -> &mut Stack<T> {
    let place = stacks.iter().position(|stack| stack.by == by);
    let free = || stacks.iter().position(|stack| stack.items.is_empty());
    let place = place.or_else(free).unwrap_or_else(|| {
        let items = VecDeque::new();
        stacks.push(Stack { by, items });
        stacks.len() - 1
    });
    let stack = &mut stacks[place];
    stack.by = by;
    stack
}

/// How old the newest is that `by` has pushed.
fn newest_of<T>(stacks: &[Stack<T>], by: u32) -> Option<Age> {
    let own = stacks.iter().find(|stack| stack.by == Some(by))?;
    own.items.back()?.age()
}

/// Takes the oldest of the next of those stacks, which is the last one of them from then on.
fn pop_oldest<T>(stacks: &mut [Stack<T>], of: impl Fn(&Stack<T>) -> bool) -> Option<Aged<T>> {
    let is_next = |stack: &Stack<T>| of(stack) && !stack.items.is_empty();
    let next = stacks.iter().position(is_next)?;
    let item = stacks[next].items.pop_front();
    stacks[next..].rotate_left(1);
    item
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    fn take<T>(stacks: &Stacks<T>, others_first: bool) -> Option<T> {
        stacks.take(others_first).map(|taken| taken.item.item)
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
        let thread = note::this_thread();
        let age = |nth| Some(Age { thread, nth });
        (0..3).for_each(|nth| stacks.push(nth, age(nth)));
        elsewhere(|| {
            let popped = [(); 3].map(|()| stacks.pop().unwrap().item);
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
            let thread = note::this_thread();
            let age = |nth| Some(Age { thread, nth });
            (0..3).for_each(|nth| stacks.push(nth, age(nth)));
            elsewhere(|| {
                let others = stacks.pop().unwrap();
                assert_eq!((others.item.item, others.newest_own), (0, None));
                stacks.push_back(others.item);
            });
            let own = stacks.pop().unwrap();
            assert_eq!((own.item.item, own.newest_own), (popped, age(2)));
            stacks.push_back(own.item);
            assert_eq!(stacks.pop().unwrap().newest_own, age(2));
        }
    }

    /// It may wait for any of the others, and what is put back hides nothing that is newer.
    #[test]
    fn what_has_no_age_is_last() {
        for order in [Order::NewestFirst, Order::OldestFirst] {
            let stacks = Stacks::new(order, true, true);
            let thread = note::this_thread();
            let age = |nth| Some(Age { thread, nth });
            elsewhere(|| stacks.push(10, None));
            stacks.push(11, None);
            assert_eq!(stacks.next(), Some(None));
            (0..2).for_each(|nth| stacks.push(nth, age(nth)));
            assert_eq!(stacks.next(), Some(age(0)));
            let own = [(); 2].map(|()| take(&stacks, true).unwrap());
            assert!(own.iter().all(|own| *own < 2), "{own:?}");
            let first = stacks.pop().unwrap().item;
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
    fn each_item_is_taken_once() {
        const ITEMS: usize = if cfg!(miri) { 50 } else { 20_000 };
        const THREADS: usize = 4;
        let (stacks, over) = (
            Stacks::new(Order::NewestFirst, false, true),
            AtomicBool::new(false),
        );
        let work = |thread: usize| {
            let mut taken = Vec::new();
            for item in thread * ITEMS..(thread + 1) * ITEMS {
                stacks.push(Box::new(item), None);
                if item % 3 > 0 {
                    taken.extend(take(&stacks, item % 2 == 0));
                }
            }
            while !over.load(Ordering::Relaxed) || stacks.len() > 0 {
                taken.extend(take(&stacks, false));
            }
            taken
        };
        let mut taken: Vec<_> = thread::scope(|scope| {
            let work = &work;
            let threads = [0, 1, 2, 3].map(|thread| scope.spawn(move || work(thread)));
            over.store(true, Ordering::Relaxed);
            let taken = threads.into_iter().map(|thread| thread.join().unwrap());
            taken.flatten().collect()
        });
        taken.sort_unstable();
        assert!(taken.into_iter().map(|item| *item).eq(0..THREADS * ITEMS));
    }
}
