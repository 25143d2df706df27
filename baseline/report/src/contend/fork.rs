//! A join that a program can be written for once, and that each pool has in its own way.
//!
//! All of it is known when it is compiled, so a program's calls are inlined as if they were written
//! for that pool alone.

use chili::Scope;
use std::num::NonZero;
use suite::Refusal;

/// One half of a join: what runs, and what it gives.
pub trait Half: Send {
    /// What it gives.
    type Out: Send;

    /// Runs it, on a pool whose `fork` it may use.
    fn run(self, fork: impl Fork) -> Self::Out;
}

/// The right to one join.
pub trait Fork: Sized {
    /// The right to another one.
    type Again<'a>: Fork
    where
        Self: 'a;

    /// For a program that joins more than once.
    fn again(&mut self) -> Self::Again<'_>;

    /// Runs both, maybe in parallel.
    fn join<A: Half, B: Half>(self, a: A, b: B) -> (A::Out, B::Out);
}

/// No pool.
#[derive(Clone, Copy)]
pub struct Plain;

impl Fork for Plain {
    type Again<'a> = Self;

    fn again(&mut self) -> Self {
        Self
    }

    #[inline(always)]
    fn join<A: Half, B: Half>(self, a: A, b: B) -> (A::Out, B::Out) {
        (a.run(Self), b.run(Self))
    }
}

/// rayon's own join, on the pool that the thread is in.
#[derive(Clone, Copy)]
pub struct Rayon;

impl Fork for Rayon {
    type Again<'a> = Self;

    fn again(&mut self) -> Self {
        Self
    }

    #[inline(always)]
    fn join<A: Half, B: Half>(self, a: A, b: B) -> (A::Out, B::Out) {
        rayon::join(|| a.run(Self), || b.run(Self))
    }
}

impl<'p> Fork for &mut Scope<'p> {
    type Again<'a>
        = &'a mut Scope<'p>
    where
        Self: 'a;

    fn again(&mut self) -> &mut Scope<'p> {
        self
    }

    #[inline(always)]
    fn join<A: Half, B: Half>(self, a: A, b: B) -> (A::Out, B::Out) {
        Scope::join(self, |scope| a.run(scope), |scope| b.run(scope))
    }
}

impl Fork for &forte::Worker {
    type Again<'a>
        = Self
    where
        Self: 'a;

    fn again(&mut self) -> Self {
        self
    }

    #[inline(always)]
    fn join<A: Half, B: Half>(self, a: A, b: B) -> (A::Out, B::Out) {
        forte::Worker::join(self, |worker| a.run(worker), |worker| b.run(worker))
    }
}

impl Fork for &heartbeat_pool::Worker {
    type Again<'a>
        = Self
    where
        Self: 'a;

    fn again(&mut self) -> Self {
        self
    }

    #[inline(always)]
    fn join<A: Half, B: Half>(self, a: A, b: B) -> (A::Out, B::Out) {
        heartbeat_pool::Worker::join(self, |worker| a.run(worker), |worker| b.run(worker))
    }
}

/// What is run inside of a pool.
pub trait Program: Send {
    /// What it gives.
    type Out: Send;

    /// Runs it, with a fork as often as it wants one.
    fn run(self, fork: impl Fork) -> Self::Out;
}

/// Runs a program inside of the pool of that name, with so many running threads: the caller's
/// counts where it runs as well.
///
/// # Errors
///
/// When the pool has no join, or can't be built.
pub fn enter<P: Program>(name: &str, threads: usize, program: P) -> Result<P::Out, Refusal> {
    let refused = Refusal::Skipped("its threads can't be started");
    match name {
        "serial" => Ok(program.run(Plain)),
        "ours" => {
            let builder = heartbeat_pool::ThreadPool::builder().num_threads(threads);
            let pool = builder.build().map_err(|_| refused)?;
            Ok(pool.with_worker(|worker| program.run(worker)))
        }
        "rayon" => {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = builder.build().map_err(|_| refused)?;
            Ok(pool.install(|| program.run(Rayon)))
        }
        "chili" => {
            let pool = chili::ThreadPool::with_config(chili::Config {
                thread_count: NonZero::new(threads),
                ..chili::Config::default()
            });
            let mut scope = pool.scope();
            Ok(program.run(&mut scope))
        }
        "forte" => {
            // Its pools must be static; this one lives as long as the process.
            let pool: &'static _ = Box::leak(Box::new(forte::ThreadPool::new()));
            pool.resize_to(threads.saturating_sub(1));
            let out = pool.with_worker(|worker| program.run(worker));
            pool.depopulate();
            Ok(out)
        }
        _ => Err(Refusal::Unsupported),
    }
}
