//! Loops of long items beside a scope with a job an item: how many times as long the loop takes, in
//! alternated rounds. `cargo bench -p heartbeat_pool --bench long_items [-- CASE]`

mod lengths;

use heartbeat_pool::ThreadPool;
use lengths::{ORDERS, burn, lengths, median, time};
use std::time::Duration;
use std::{env, thread};

const ROUNDS: usize = 9;
/// Of processor time; what sleeps takes it on each thread.
const SIZE_OF_CASE: Duration = Duration::from_millis(60);

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
