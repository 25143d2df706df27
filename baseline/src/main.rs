//! Runs each workload on this project's pool and on its rivals in alternation, checks every answer,
//! and prints medians and ratios: `cargo run --release`, in this folder.

use heartbeat_pool::{Lane, ThreadPool};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 31;
const THREADS: usize = 2;

/// One way to do a workload; it gives an answer to check.
type Run<'a> = (&'static str, Box<dyn FnMut() -> u64 + 'a>);

fn compare(workload: &str, expected: u64, repeat: usize, mut runs: Vec<Run>) {
    let mut times = vec![Vec::new(); runs.len()];
    for round in 0..=ROUNDS {
        for ((_, run), times) in runs.iter_mut().zip(&mut times) {
            let start = Instant::now();
            for _ in 0..repeat {
                assert_eq!(black_box(run()), expected, "{workload}");
            }
            // The first round warms up.
            if round > 0 {
                times.push(start.elapsed().as_secs_f64() / repeat as f64);
            }
        }
    }
    println!("\n{workload}");
    let medians: Vec<f64> = times
        .iter_mut()
        .map(|times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect();
    for ((name, _), median) in runs.iter().zip(&medians) {
        println!(
            "  {name:<12} {:>12.2} us {:>8.2} x",
            median * 1e6,
            median / medians[0]
        );
    }
}

fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

fn fib_heartbeat(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heartbeat_pool::join(|| fib_heartbeat(n - 1), || fib_heartbeat(n - 2));
    a + b
}

fn fib_rayon(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon_core::join(|| fib_rayon(n - 1), || fib_rayon(n - 2));
    a + b
}

fn fib_chili(scope: &mut chili::Scope, n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = scope.join(|s| fib_chili(s, n - 1), |s| fib_chili(s, n - 2));
    a + b
}

fn main() {
    let ours = ThreadPool::builder().num_threads(THREADS).build().unwrap();
    let stock = stock::TaskPoolBuilder::new().num_threads(THREADS).build();
    let rayon = rayon_core::ThreadPoolBuilder::new()
        .num_threads(THREADS)
        .build()
        .unwrap();
    let chili = chili::ThreadPool::with_config(chili::Config {
        thread_count: std::num::NonZero::new(THREADS),
        ..Default::default()
    });
    println!("{THREADS} threads, medians of {ROUNDS} alternated rounds");

    compare(
        "fib(10) by join",
        55,
        1000,
        vec![
            ("serial", Box::new(|| fib(black_box(10)))),
            (
                "ours",
                Box::new(|| ours.with_worker(|_| fib_heartbeat(black_box(10)))),
            ),
            (
                "chili",
                Box::new(|| fib_chili(&mut chili.scope(), black_box(10))),
            ),
            (
                "rayon",
                Box::new(|| rayon.install(|| fib_rayon(black_box(10)))),
            ),
        ],
    );
    compare(
        "fib(30) by join",
        832_040,
        1,
        vec![
            ("serial", Box::new(|| fib(black_box(30)))),
            (
                "ours",
                Box::new(|| ours.with_worker(|_| fib_heartbeat(black_box(30)))),
            ),
            (
                "chili",
                Box::new(|| fib_chili(&mut chili.scope(), black_box(30))),
            ),
            (
                "rayon",
                Box::new(|| rayon.install(|| fib_rayon(black_box(30)))),
            ),
        ],
    );
    for tasks in [10_usize, 100, 1000] {
        compare(
            &format!("scope of {tasks} empty tasks"),
            tasks as u64,
            10,
            vec![
                (
                    "stock",
                    Box::new(|| {
                        stock
                            .scope(|scope| (0..tasks).for_each(|_| scope.spawn(async {})))
                            .len() as u64
                    }),
                ),
                (
                    "ours",
                    Box::new(|| {
                        ours.scope(|scope| (0..tasks).for_each(|_| scope.spawn(|| ())));
                        tasks as u64
                    }),
                ),
                (
                    "rayon",
                    Box::new(|| {
                        rayon.in_place_scope(|scope| (0..tasks).for_each(|_| scope.spawn(|_| ())));
                        tasks as u64
                    }),
                ),
            ],
        );
    }
    for tasks in [1_u64, 100, 10_000] {
        compare(
            &format!("spawn and await {tasks} futures from outside"),
            tasks,
            5,
            vec![
                (
                    "stock",
                    Box::new(|| {
                        let all: Vec<_> = (0..tasks).map(|_| stock.spawn(async { 1 })).collect();
                        all.into_iter().map(stock::block_on).sum()
                    }),
                ),
                (
                    "ours",
                    Box::new(|| {
                        let spawn = |_| ours.spawn_future(Lane::Frame, async { 1 });
                        let all: Vec<_> = (0..tasks).map(spawn).collect();
                        all.into_iter().map(|task| ours.block_on(task)).sum()
                    }),
                ),
            ],
        );
    }
}
