//! Scopes of both orders: all that is spawned has run when they end, and it borrows what outlives them.

mod common;
use common::{AnyScope, Fifo, Lifo, in_time};
use rayon_core::{Scope, ScopeFifo, scope, scope_fifo};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[test]
fn an_empty_scope_ends() {
    in_time(|| {
        scope(|_| {});
        scope_fifo(|_| {});
        rayon_core::in_place_scope(|_| {});
        rayon_core::in_place_scope_fifo(|_| {});
    });
}

#[test]
fn a_scope_returns_its_closure_s_value() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            assert_eq!(order.scope(|_| "value"), "value");
            assert_eq!(order.in_place_scope(|_| "value"), "value");
        }
    });
}

#[test]
fn what_is_spawned_has_run_when_the_scope_ends() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let (mut first, mut second) = (false, false);
            order.scope(|s| {
                s.spawn(|_| first = true);
                s.spawn(|_| second = true);
            });
            assert!(first && second);
        }
    });
}

/// Counts `leaves` by halving them into spawned closures.
fn halve<'scope>(s: AnyScope<'_, 'scope>, counted: &'scope AtomicUsize, leaves: usize) {
    if leaves == 1 {
        counted.fetch_add(1, Relaxed);
        return;
    }
    s.spawn(move |s| halve(s, counted, leaves / 2));
    s.spawn(move |s| halve(s, counted, leaves - leaves / 2));
}

#[test]
fn what_is_spawned_spawns_on() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let counted = AtomicUsize::new(0);
            order.scope(|s| s.spawn(|s| halve(s, &counted, 1_000)));
            assert_eq!(counted.into_inner(), 1_000);
        }
    });
}

struct Node {
    visits: u32,
    below: Vec<Node>,
}

impl Node {
    /// A tree as deep as `depth`, with no, one, two or three branches at each node by turns.
    fn grow(depth: u32, turn: &mut usize) -> Self {
        *turn += 1;
        let branches = if depth == 0 {
            0
        } else {
            [3, 1, 2, 3, 0][*turn % 5]
        };
        let below = (0..branches).map(|_| Self::grow(depth - 1, turn)).collect();
        Self { visits: 0, below }
    }

    fn count(&self, visits: u32) -> usize {
        assert_eq!(self.visits, visits);
        1 + self.below.iter().map(|n| n.count(visits)).sum::<usize>()
    }

    /// Hands each branch, exclusively borrowed, to a closure of its own.
    fn visit<'scope>(&'scope mut self, s: AnyScope<'_, 'scope>) {
        let Self { visits, below } = self;
        s.spawn(move |s| {
            for node in below {
                s.spawn(move |s| node.visit(s));
            }
        });
        *visits += 1;
    }
}

#[test]
fn exclusive_borrows_go_down_a_tree() {
    in_time(|| {
        let mut tree = Node::grow(10, &mut 0);
        let nodes = tree.count(0);
        assert!(nodes > 100, "{nodes}");
        Lifo.scope(|s| tree.visit(s));
        assert_eq!(tree.count(1), nodes);
        Fifo.scope(|s| tree.visit(s));
        assert_eq!(tree.count(2), nodes);
    });
}

/// The scope's own closure borrows a local, what it spawns only statics.
#[test]
fn a_static_scope() {
    static SUM: AtomicUsize = AtomicUsize::new(0);
    in_time(|| {
        let mut addends = vec![1, 20, 300, 4_000].into_iter();
        let borrowed = &mut addends;
        scope(|s: &Scope<'static>| {
            for addend in borrowed {
                s.spawn(move |_| _ = SUM.fetch_add(addend, Relaxed));
            }
        });
        assert_eq!(SUM.load(Relaxed), 4_321);
        assert_eq!(addends.next(), None);
    });
}

#[test]
fn a_static_fifo_scope() {
    static SUM: AtomicUsize = AtomicUsize::new(0);
    in_time(|| {
        let mut addends = vec![1, 20, 300, 4_000].into_iter();
        let borrowed = &mut addends;
        scope_fifo(|s: &ScopeFifo<'static>| {
            for addend in borrowed {
                s.spawn_fifo(move |_| _ = SUM.fetch_add(addend, Relaxed));
            }
        });
        assert_eq!(SUM.load(Relaxed), 4_321);
        assert_eq!(addends.next(), None);
    });
}

/// The list is gone sooner than the counters that it names: only they are lent to what is spawned.
#[test]
fn a_scope_of_a_longer_lifetime_than_its_closure_s() {
    fn count_all<'list, 'counter>(list: &'list [&'counter AtomicUsize]) {
        scope(|s: &Scope<'counter>| {
            for &counter in list {
                s.spawn(move |_| _ = counter.fetch_add(1, Relaxed));
            }
        });
    }
    in_time(|| {
        let counters = [const { AtomicUsize::new(0) }; 2];
        count_all(&[&counters[0], &counters[1], &counters[1]].repeat(30));
        assert_eq!(counters.map(AtomicUsize::into_inner), [30, 60]);
    });
}

#[test]
fn a_fifo_scope_of_a_longer_lifetime_than_its_closure_s() {
    fn count_all<'list, 'counter>(list: &'list [&'counter AtomicUsize]) {
        scope_fifo(|s: &ScopeFifo<'counter>| {
            for &counter in list {
                s.spawn_fifo(move |_| _ = counter.fetch_add(1, Relaxed));
            }
        });
    }
    in_time(|| {
        let counters = [const { AtomicUsize::new(0) }; 2];
        count_all(&[&counters[0], &counters[1], &counters[1]].repeat(30));
        assert_eq!(counters.map(AtomicUsize::into_inner), [30, 60]);
    });
}
