//! Work of given lengths, in some order, for the benches of long items.

use std::hint::spin_loop;
use std::time::{Duration, Instant};

/// Where the dear ones are.
pub const ORDERS: [&str; 5] = ["equal", "dear first", "dear last", "mixed", "rising"];

/// The lengths of `count` items of at most `longest`.
pub fn lengths(order: &str, count: usize, longest: Duration) -> Vec<Duration> {
    let dear = count.div_ceil(4);
    let is_dear = |i: usize| match order {
        "dear first" => i < dear,
        "dear last" => i >= count - dear,
        // Some number that has no period in common with the pieces.
        _ => i.wrapping_mul(0x9E37_79B9) >> 7 & 3 == 0,
    };
    let length = |i: usize| match order {
        "equal" => 1.0,
        "rising" => (i as f64 + 0.5) / count as f64,
        _ if is_dear(i) => 1.0,
        _ => 0.03,
    };
    (0..count).map(|i| longest.mul_f64(length(i))).collect()
}

pub fn burn(length: Duration) {
    let start = Instant::now();
    while start.elapsed() < length {
        spin_loop();
    }
}

pub fn time(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}

pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
