//! A chain in which each closure spawns the next runs on a stack that its length doesn't deepen.

mod common;
use common::{AnyScope, Fifo, Lifo, in_time, pool};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn here() -> usize {
    let local = 0_u8;
    black_box(&raw const local).addr()
}

fn chain<'scope>(s: AnyScope<'_, 'scope>, top: usize, deepest: &'scope AtomicUsize, left: usize) {
    deepest.fetch_max(top.abs_diff(here()), Relaxed);
    if left > 0 {
        s.spawn(move |s| chain(s, top, deepest, left - 1));
    }
}

#[test]
fn a_chain_a_hundred_times_longer_is_no_deeper() {
    for order in [Lifo, Fifo] {
        let depths = in_time(move || {
            pool(1).install(|| {
                [5, 500].map(|length| {
                    let deepest = AtomicUsize::new(0);
                    order.scope(|s| chain(s, here(), &deepest, length));
                    deepest.into_inner()
                })
            })
        });
        let ratio = depths[1] as f64 / depths[0] as f64;
        assert!(ratio < 1.1, "{order:?}: {depths:?} bytes");
    }
}
