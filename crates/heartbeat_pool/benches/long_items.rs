//! Loops of long items beside a scope with a job an item: how many times as long the loop takes, in
//! alternated rounds. `cargo bench -p heartbeat_pool --bench long_items [-- CASE]`

use heartbeat_pool::ThreadPool;
use std::hint::spin_loop;
use std::time::{Duration, Instant};
use std::{env, thread};

const ROUNDS: usize = 9;
/// Of processor time; what sleeps takes it on each thread.
const SIZE_OF_CASE: Duration = Duration::from_millis(60);

const ORDERS: [&str; 5] = ["equal", "dear first", "dear last", "mixed", "rising"];

/// The lengths of `count` items of at most `longest`.
fn lengths(order: &str, count: usize, longest: Duration) -> Vec<Duration> {
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

fn burn(length: Duration) {
    let start = Instant::now();
    while start.elapsed() < length {
        spin_loop();
    }
}

fn time(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The medians of the loop and of the scope.
fn compare(pool: &ThreadPool, items: &mut [Duration], work: fn(Duration)) -> [f64; 2] {
    let rounds = (0..ROUNDS).map(|_| {
        let by_loop = time(|| pool.for_each(items, |item| work(*item)));
        let by_scope = time(|| {
            pool.scope(|scope| {
                for &mut item in &mut *items {
                    scope.spawn(move || work(item));
                }
            });
        });
        (by_loop, by_scope)
    });
    let (loops, scopes) = rounds.unzip();
    [loops, scopes].map(median)
}

fn main() {
    let wanted: Vec<_> = env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    println!("times as long as a scope with a job an item; milliseconds of the scope");
    for threads in [2, 8, 64] {
        let pool = ThreadPool::builder().num_threads(threads).build();
        let pool = pool.expect("the system starts that many threads");
        for (how, work) in [("burns", burn as fn(_)), ("sleeps", thread::sleep)] {
            for micros in [1, 5, 20, 50, 200, 1_000, 5_000] {
                // A sleep takes some fifty microseconds more than it is told to.
                let (lanes, least) = if how == "burns" {
                    (1, 1)
                } else {
                    (threads, 200)
                };
                if micros < least {
                    continue;
                }
                let many = (SIZE_OF_CASE.as_micros() as usize / micros as usize) * lanes;
                for count in [many, 2 * threads] {
                    for order in ORDERS {
                        let case =
                            format!("{threads} threads, {count} x {micros} us, {how}, {order}");
                        if wanted.iter().all(|wanted| case.contains(wanted.as_str())) {
                            let longest = Duration::from_micros(micros);
                            let mut items = lengths(order, count, longest);
                            let [by_loop, by_scope] = compare(&pool, &mut items, work);
                            println!("{:5.2}  {:6.1}  {case}", by_loop / by_scope, by_scope * 1e3);
                        }
                    }
                }
            }
        }
    }
}
