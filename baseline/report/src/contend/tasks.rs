//! The workloads of programs that spawn and await.

use super::Task;
use super::sampler::{Figures, Sampler};
use super::spawner::{Service, Spawner, serve};
use async_channel::{Receiver, Sender, bounded};
use std::error::Error;
use std::time::{Duration, Instant};
use suite::{Refusal, await_all, percentile, repeat};

type Outcome = Result<Figures, Refusal>;

/// What is awaited again and again.
pub trait Round: Clone + Send + 'static {
    /// Once.
    fn once(&self, spawner: &impl Spawner) -> impl Future<Output = u64> + Send;
}

/// The loop around it, from outside.
struct Loop<R> {
    round: R,
    expected: u64,
    sampler: Sampler,
}

impl<R: Round> Service for Loop<R> {
    type Out = Outcome;

    fn run(self, spawner: impl Spawner) -> Outcome {
        let mut figures = self.sampler.run(|iterations| {
            repeat(iterations, self.expected, || {
                spawner.block_on(self.round.once(&spawner))
            })
        })?;
        figures.push(("answer", self.expected as f64));
        Ok(figures)
    }
}

/// Tasks that each spawn two, down to so many in all.
#[derive(Clone)]
struct Nested(u64);

/// One task and those below it: as many as it counts, itself among them.
fn nested<S: Spawner>(spawner: S, tasks: u64) -> S::Task<u64> {
    let spawn = spawner.clone();
    spawner.spawn(async move {
        let rest = tasks.saturating_sub(1);
        let halves = [rest / 2, rest - rest / 2];
        let below = halves.map(|half| (half > 0).then(|| nested(spawn.clone(), half)));
        let mut count = 1;
        for task in below.into_iter().flatten() {
            count += task.await;
        }
        count
    })
}

impl Round for Nested {
    async fn once(&self, spawner: &impl Spawner) -> u64 {
        nested(spawner.clone(), self.0).await
    }
}

/// Four senders and four receivers share one channel of a hundred places.
#[derive(Clone)]
struct Channel(u64);

const ENDS: u64 = 4;
const PLACES: usize = 100;

async fn send(sender: Sender<u64>, messages: u64) -> u64 {
    for message in 0..messages {
        if sender.send(message).await.is_err() {
            break;
        }
    }
    0
}

async fn receive(receiver: Receiver<u64>) -> u64 {
    let mut received = 0;
    while receiver.recv().await.is_ok() {
        received += 1;
    }
    received
}

impl Round for Channel {
    async fn once(&self, spawner: &impl Spawner) -> u64 {
        let (sender, receiver) = bounded(PLACES);
        let mut tasks = Vec::new();
        for _ in 0..ENDS {
            tasks.push(spawner.spawn(receive(receiver.clone())));
            tasks.push(spawner.spawn(send(sender.clone(), self.0 / ENDS)));
        }
        // The receivers end when the last sender is gone.
        drop(sender);
        await_all(tasks).await
    }
}

/// Tasks that sleep for a millisecond, all at once.
#[derive(Clone)]
struct Timers(u64);

const NAP: Duration = Duration::from_millis(1);

impl Round for Timers {
    async fn once(&self, spawner: &impl Spawner) -> u64 {
        let sleep = |_| {
            let timers = spawner.clone();
            spawner.spawn(async move {
                timers.sleep(NAP).await;
                1
            })
        };
        let tasks: Vec<_> = (0..self.0).map(sleep).collect();
        await_all(tasks).await
    }
}

/// How long it takes from a spawn to the task's first step, for each of so many tasks that are
/// spawned at once.
struct Latency {
    tasks: u64,
    sampler: Sampler,
}

impl Service for Latency {
    type Out = Outcome;

    fn run(self, spawner: impl Spawner) -> Outcome {
        let mut latencies = Vec::new();
        let mut figures = self.sampler.run(|iterations| {
            latencies.clear();
            for _ in 0..iterations {
                let begin = |_| {
                    let spawned = Instant::now();
                    spawner.spawn(async move { spawned.elapsed().as_secs_f64() })
                };
                let tasks: Vec<_> = (0..self.tasks).map(begin).collect();
                spawner.block_on(async {
                    for task in tasks {
                        latencies.push(task.await);
                    }
                });
            }
            suite::check(self.tasks * iterations, latencies.len() as u64)
        })?;
        for (name, share) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
            figures.push((name, percentile(&latencies, share)));
        }
        figures.push(("answer", self.tasks as f64));
        Ok(figures)
    }
}

/// Runs it if it is one of those here.
pub fn run(task: Task<'_>) -> Option<Result<Figures, Box<dyn Error>>> {
    let Task { size, sampler, .. } = task;
    let figures = match task.workload {
        "nested" => sample(task, Nested(size), size),
        "channel" => sample(task, Channel(size), size / ENDS * ENDS),
        "timers" => sample(task, Timers(size), size),
        "latency" => {
            let service = Latency {
                tasks: size,
                sampler,
            };
            serve(task.name, task.threads, service).flatten()
        }
        _ => return None,
    };
    Some(figures.map_err(Into::into))
}

/// Runs it on the contender's tasks.
pub fn sample(task: Task<'_>, round: impl Round, expected: u64) -> Outcome {
    let service = Loop {
        round,
        expected,
        sampler: task.sampler,
    };
    serve(task.name, task.threads, service)?
}
