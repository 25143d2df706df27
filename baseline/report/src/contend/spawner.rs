//! Tasks that a program can be written for once, and that each pool has in its own way.

use super::stream::Stream;
use async_executor::StaticExecutor;
use async_io::Timer;
use bevy_tasks::block_on as bevy_block_on;
use futures_lite::future::block_on;
use heartbeat_pool::Lane;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;
use suite::Refusal;

/// Where tasks run.
pub trait Spawner: Clone + Send + Sync + 'static {
    /// What a spawned future is awaited by.
    type Task<T: Send + 'static>: Future<Output = T> + Send + 'static;

    /// Spawns a future.
    fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Self::Task<T>;

    /// Waits for a future on the calling thread, which is outside of the pool.
    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T;

    /// Ends after so long: by tokio's own timers there, by async-io's everywhere else.
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send {
        async move {
            Timer::after(time).await;
        }
    }

    /// Both ends of a connection, by tokio's own streams there, by async-io's everywhere else.
    fn connection(&self) -> impl Future<Output = io::Result<[Stream; 2]>> + Send {
        Stream::async_io()
    }
}

/// This project's pool.
#[derive(Clone)]
pub struct Ours(Arc<heartbeat_pool::ThreadPool>);

impl Spawner for Ours {
    type Task<T: Send + 'static> = heartbeat_pool::Task<T>;

    fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Self::Task<T> {
        self.0.spawn_future(Lane::Frame, future)
    }

    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        self.0.block_on(future)
    }
}

/// The stock pool of the engine.
#[derive(Clone)]
pub struct Bevy(Arc<bevy_tasks::TaskPool>);

impl Spawner for Bevy {
    type Task<T: Send + 'static> = bevy_tasks::Task<T>;

    fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Self::Task<T> {
        self.0.spawn(future)
    }

    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        bevy_block_on(future)
    }
}

/// smol, with the one executor that it has for a process. Its threads wait for sockets and timers
/// themselves, and so does a thread that blocks on a future.
#[derive(Clone, Copy)]
pub struct Smol;

impl Spawner for Smol {
    type Task<T: Send + 'static> = smol::Task<T>;

    fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Self::Task<T> {
        smol::spawn(future)
    }

    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        smol::block_on(future)
    }
}

/// async-executor's static executor, run by plain threads.
#[derive(Clone, Copy)]
pub struct Plain(&'static StaticExecutor);

impl Spawner for Plain {
    type Task<T: Send + 'static> = async_executor::Task<T>;

    fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Self::Task<T> {
        self.0.spawn(future)
    }

    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        block_on(future)
    }
}

/// forte's pool.
#[derive(Clone, Copy)]
pub struct Forte(&'static forte::ThreadPool);

impl Spawner for Forte {
    type Task<T: Send + 'static> = forte::Task<T>;

    fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Self::Task<T> {
        self.0.spawn(future)
    }

    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        self.0.with_worker(|worker| worker.block_on(future))
    }
}

/// tokio's multi-threaded runtime.
#[derive(Clone)]
pub struct Tokio(Arc<tokio::runtime::Runtime>);

/// A task that panics takes the thread that awaits it along.
pub struct TokioTask<T>(tokio::task::JoinHandle<T>);

impl<T> Future for TokioTask<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let task = Pin::new(&mut self.0);
        task.poll(context).map(|result| match result {
            Ok(value) => value,
            Err(error) => panic!("a task is lost: {error}"),
        })
    }
}

impl Spawner for Tokio {
    type Task<T: Send + 'static> = TokioTask<T>;

    fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Self::Task<T> {
        TokioTask(self.0.spawn(future))
    }

    fn block_on<T: Send>(&self, future: impl Future<Output = T> + Send) -> T {
        self.0.block_on(future)
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    async fn connection(&self) -> io::Result<[Stream; 2]> {
        Stream::tokio().await
    }
}

/// What is run with a pool's tasks.
pub trait Service {
    /// What it gives.
    type Out;

    /// Runs it, from a thread outside of the pool.
    fn run(self, spawner: impl Spawner) -> Self::Out;
}

/// Runs a service with the tasks of that name, on so many threads.
///
/// # Errors
///
/// When there is no pool of that name with tasks, or it can't be built.
pub fn serve<S: Service>(name: &str, threads: usize, service: S) -> Result<S::Out, Refusal> {
    let refused = Refusal::Skipped("its threads can't be started");
    match name {
        "ours" => {
            let builder = heartbeat_pool::ThreadPool::builder().num_threads(threads);
            let pool = builder.build().map_err(|_| refused)?;
            Ok(service.run(Ours(Arc::new(pool))))
        }
        "bevy_tasks" => {
            let builder = bevy_tasks::TaskPoolBuilder::new().num_threads(threads);
            Ok(service.run(Bevy(Arc::new(builder.build()))))
        }
        "async-executor" => {
            let executor: &'static _ = Box::leak(Box::new(StaticExecutor::new()));
            for _ in 0..threads {
                // They run as long as the process.
                thread::spawn(|| block_on(executor.run(std::future::pending::<()>())));
            }
            Ok(service.run(Plain(executor)))
        }
        "smol" => {
            let why = "it was not started with SMOL_THREADS set to the number of its threads";
            rival_smol::Smol::new(threads).map_err(|_| Refusal::Skipped(why))?;
            Ok(service.run(Smol))
        }
        "forte" => {
            let pool: &'static _ = Box::leak(Box::new(forte::ThreadPool::new()));
            // The caller enters it and runs its work as well: of one thread nobody else does.
            pool.resize_to(threads.saturating_sub(1));
            Ok(service.run(Forte(pool)))
        }
        "tokio" => {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let runtime = builder.worker_threads(threads).enable_all().build();
            Ok(service.run(Tokio(Arc::new(runtime.map_err(|_| refused)?))))
        }
        _ => Err(Refusal::Unsupported),
    }
}
