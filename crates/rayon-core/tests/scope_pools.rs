//! Scopes of several pools at once, and of a pool that the caller isn't on.

mod common;
use common::{AnyScope, Fifo, Lifo, Order, in_time, pool};
use rayon_core::ThreadPool;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

/// Opens a scope of each pool, one within another, and calls `f` in the last with all of them.
fn in_all<'scope>(
    order: Order,
    pools: &[ThreadPool],
    scopes: Vec<AnyScope<'_, 'scope>>,
    f: impl FnOnce(&[AnyScope<'_, 'scope>]) + Send,
) {
    match pools {
        [] => f(&scopes),
        [pool, others @ ..] => order.scope_in(pool, move |s| {
            // As a list of references that live shorter.
            let mut scopes = scopes;
            scopes.push(s);
            in_all(order, others, scopes, f);
        }),
    }
}

#[test]
fn a_borrow_is_lent_to_scopes_of_many_pools() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let pools: Vec<_> = (0..10).map(|_| pool(1)).collect();
            let ran = AtomicUsize::new(0);
            in_all(order, &pools, Vec::new(), |scopes| {
                for s in scopes {
                    s.spawn(|_| _ = ran.fetch_add(1, Relaxed));
                }
            });
            assert_eq!(ran.into_inner(), 10);
        }
    });
}

/// What a scope of another pool spawns runs on that pool, whoever spawns it.
#[test]
fn a_scope_keeps_to_its_pool() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let (one, other) = (pool(1), pool(1));
            let on_one = one.install(|| thread::current().id());
            let ran_on = order.scope_in(&one, |s| {
                let (note, noted) = mpsc::channel();
                let second = note.clone();
                other.install(|| s.spawn(move |_| note.send(thread::current().id()).unwrap()));
                s.spawn(move |_| second.send(thread::current().id()).unwrap());
                noted
            });
            assert_eq!(common::all(&ran_on), [on_one; 2]);
        }
    });
}

/// The caller waits for the pool's only thread, so it mustn't be on it.
#[test]
fn an_in_place_scope_leaves_the_pool_s_threads_to_it() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let pool = pool(1);
            let caller = thread::current().id();
            order.in_place_scope_in(&pool, |s| {
                assert_eq!(thread::current().id(), caller);
                let (done, over) = mpsc::channel();
                s.spawn(move |_| done.send(thread::current().id()).unwrap());
                assert_ne!(over.recv(), Ok(caller));
            });
        }
    });
}
