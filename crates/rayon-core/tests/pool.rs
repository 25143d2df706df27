//! Pools: how many threads they have, who is on one, and `install` within and between them.

mod common;
use common::{fail, in_time, panic_of, pool};
use rayon_core::{ThreadBuilder, ThreadPoolBuilder, current_num_threads, current_thread_index};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

#[test]
fn has_as_many_threads_as_asked_for() {
    in_time(|| {
        for threads in [1, 2, 22] {
            let pool = pool(threads);
            assert_eq!(pool.current_num_threads(), threads);
            assert_eq!(pool.install(current_num_threads), threads);
        }
    });
}

#[test]
fn a_default_pool_has_threads() {
    in_time(|| {
        let pool = ThreadPoolBuilder::default().build().unwrap();
        assert!(pool.current_num_threads() > 0);
        assert_eq!(pool.install(|| "ran"), "ran");
    });
}

#[test]
fn a_thread_has_an_index_on_its_own_pool_alone() {
    in_time(|| {
        let (mine, other) = (pool(22), pool(2));
        assert_eq!(mine.current_thread_index(), None);
        assert_eq!(current_thread_index(), None);
        mine.install(|| {
            let index = mine.current_thread_index().unwrap();
            assert!(index < 22);
            assert_eq!(current_thread_index(), Some(index));
            assert_eq!(other.current_thread_index(), None);
        });
    });
}

#[test]
fn who_calls_another_pool_is_inside_of_that_one() {
    in_time(|| {
        let app = heartbeat_pool::ThreadPool::builder().num_threads(4);
        let app = app.build().unwrap();
        let (sender, receiver) = mpsc::channel();
        pool(1).install(|| {
            assert_eq!(current_num_threads(), 1);
            app.with_worker(|_| {
                assert_eq!(current_num_threads(), 4);
                assert!(current_thread_index().unwrap() < 4);
                rayon_core::spawn(move || sender.send(current_num_threads()).unwrap());
                assert_eq!(rayon_core::in_place_scope(|_| current_num_threads()), 4);
            });
            assert_eq!(
                (current_num_threads(), current_thread_index()),
                (1, Some(0))
            );
        });
        assert_eq!(receiver.recv(), Ok(4));
    });
}

#[test]
fn a_panic_in_install_reaches_the_caller() {
    in_time(|| {
        let pool = pool(2);
        assert_eq!(
            panic_of(|| pool.install(|| fail("installed"))),
            Some("installed")
        );
        assert_eq!(pool.install(|| "alive"), "alive");
    });
}

#[test]
fn install_on_the_pool_that_one_is_on() {
    in_time(|| {
        let pool = pool(1);
        let (outer, inner) = pool.install(|| {
            let here = thread::current().id();
            (here, pool.install(|| thread::current().id()))
        });
        assert_eq!(outer, inner);
    });
}

/// The only thread of each pool waits for the other's, and is needed meanwhile; each sleeps first, so that
/// the other may as well.
fn to_and_fro(doze: Duration) {
    let (one, other) = (pool(1), pool(1));
    let reached = one.install(|| {
        other.install(|| {
            thread::sleep(doze);
            one.install(|| {
                thread::sleep(doze);
                other.install(|| (one.current_thread_index(), other.current_thread_index()))
            })
        })
    });
    assert_eq!(reached, (None, Some(0)));
}

#[test]
fn install_to_and_fro() {
    in_time(|| to_and_fro(Duration::ZERO));
}

#[test]
fn install_to_and_fro_asleep_between() {
    in_time(|| to_and_fro(Duration::from_millis(500)));
}

#[test]
fn a_stack_that_is_too_small_is_made_as_large_as_it_must_be() {
    in_time(|| {
        let builder = ThreadPoolBuilder::new().num_threads(1).stack_size(1);
        assert_eq!(builder.build().unwrap().install(|| "ran"), "ran");
    });
}

#[test]
fn a_thread_that_joins_a_pool_of_its_own_has_an_index_there() {
    in_time(|| {
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let own = builder.use_current_thread().build().unwrap();
        assert_eq!(own.current_thread_index(), Some(0));
        assert_eq!(own.current_thread_has_pending_tasks(), Some(false));
    });
}

#[test]
fn a_thread_of_one_pool_asks_another_for_nothing_of_its_own() {
    in_time(|| {
        let (here, there) = (pool(1), pool(1));
        here.install(|| {
            assert_eq!(here.current_thread_has_pending_tasks(), Some(false));
            assert_eq!(there.current_thread_has_pending_tasks(), None);
            assert_eq!((there.yield_now(), there.yield_local()), (None, None));
        });
    });
}

/// Uses `left` bytes of the stack.
fn dig(left: usize) -> u8 {
    let piece = std::hint::black_box([1_u8; 4096]);
    match left.checked_sub(piece.len()) {
        None => piece[0],
        Some(left) => dig(left).wrapping_add(std::hint::black_box(&piece)[7]),
    }
}

#[test]
fn threads_of_a_scoped_pool_have_the_names_and_stacks_that_were_asked_for() {
    const DEEP: usize = 8 << 20;
    in_time(|| {
        let builder = ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(|index| format!("scoped {index}"))
            .stack_size(8 * DEEP);
        let name = || {
            dig(DEEP);
            thread::current().name().map(str::to_owned)
        };
        let name = builder.build_scoped(ThreadBuilder::run, |pool| pool.install(name));
        assert_eq!(name.unwrap().as_deref(), Some("scoped 0"));
    });
}
