//! What a page may call: each is what rayon does on its own where there are no threads.

use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

/// Loops, sorts, joins, scopes and broadcasts, counted. 0 if one of them was wrong.
#[unsafe(no_mangle)]
pub extern "C" fn calls() -> u32 {
    let sum: u32 = (0..10_000_u32).into_par_iter().map(|n| n % 7).sum();
    let mut numbers: Vec<u32> = (0..10_000_u32).map(|n| n * 7919 % 10_007).collect();
    numbers.par_sort();
    let (a, b) = rayon::join(|| rayon::join(|| 1, || 2), || 3);
    let ran = AtomicU32::new(0);
    rayon::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|scope| scope.spawn(|_| _ = ran.fetch_add(1, Ordering::Relaxed)));
        }
    });
    rayon::in_place_scope(|scope| scope.spawn(|_| _ = ran.fetch_add(1, Ordering::Relaxed)));
    let told = rayon::broadcast(|context| context.num_threads());
    let all = [
        sum == (0..10_000).map(|n| n % 7).sum(),
        numbers.is_sorted(),
        (a, b) == ((1, 2), 3),
        ran.into_inner() == 101,
        told == [1],
        rayon::current_num_threads() == 1,
    ];
    if all.into_iter().all(|is_right| is_right) {
        6
    } else {
        0
    }
}

/// A pool of its own is refused: 1 if it says so.
#[unsafe(no_mangle)]
pub extern "C" fn own_pool() -> u32 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    pool.is_err().into()
}
