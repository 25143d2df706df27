//! Every contender on every workload, small: who answers must answer rightly, and nobody may hang.

use crate::lineup::Lineup;
use std::sync::Arc;
use std::time::Duration;
use suite::{
    Answer, Burst, Coarse, Contender, Cost, Entry, Irregular, Items, Maze, Refusal, Tree, Uneven,
    Watchdog, fib,
};

const LIMIT: Duration = Duration::from_secs(60);
const ITERATIONS: u64 = 20;

fn burst(pool: &dyn Contender) -> Answer {
    let burst = Arc::new(Burst::begin(2, 1000));
    pool.spawn_burst(&burst)?;
    burst.wait(LIMIT).map(drop).ok_or(Refusal::Lost(LIMIT))
}

fn entered(pool: &dyn Contender, entry: Entry) -> Vec<Answer> {
    vec![
        pool.scope(entry, 100, ITERATIONS),
        pool.scope_futures(entry, 100, ITERATIONS),
        pool.spawn_await(entry, 100, ITERATIONS),
    ]
}

fn all(pool: &dyn Contender) -> Vec<Answer> {
    let mut items = Items::new(10_000);
    let mut answers = vec![
        pool.tree(&Tree::perfect(10), ITERATIONS),
        pool.fib(15, fib(15), ITERATIONS),
        pool.irregular(&Irregular::new(100), ITERATIONS),
        pool.flood(&Maze::new(128), ITERATIONS),
        pool.uneven(&Uneven::new(true, 10_000, 1000), ITERATIONS),
        pool.uneven(&Uneven::new(false, 10_000, 1000), ITERATIONS),
        pool.coarse(&Coarse::new(16, 1000), ITERATIONS),
        pool.yields(100, ITERATIONS),
        pool.ping_pong(100, ITERATIONS),
        burst(pool),
    ];
    for cost in [Cost::OneNs, Cost::TenNs, Cost::Steps(10)] {
        answers.push(pool.for_each(&mut items, cost, ITERATIONS));
    }
    answers.push(items.verify());
    answers.extend(
        Entry::ALL
            .into_iter()
            .flat_map(|entry| entered(pool, entry)),
    );
    answers
}

/// How many of these workloads each can run.
const RUN: [(&str, usize); 8] = [
    ("serial", 11),
    ("ours", 20),
    ("rayon", 14),
    ("chili", 11),
    ("forte", 19),
    ("bevy_tasks", 12),
    ("async-executor", 6),
    ("tokio", 6),
];

#[test]
fn all_answers_are_right() {
    let watchdog = Watchdog::start(LIMIT);
    for threads in [1, 2, 5] {
        for pool in Lineup::new(threads, |_| true).iter() {
            let name = pool.name();
            let answers = watchdog.watch(|| format!("{name} x{threads}"), || all(pool));
            let ran = answers.iter().filter(|answer| answer.is_ok()).count();
            assert!(RUN.contains(&(name, ran)), "{name} x{threads} runs {ran}");
            for (place, answer) in answers.into_iter().enumerate() {
                let fine = matches!(
                    answer,
                    Ok(()) | Err(Refusal::Unsupported | Refusal::Skipped(_))
                );
                assert!(fine, "{name} x{threads}, workload {place}: {answer:?}");
            }
        }
    }
}
