//! A run from its settings to its outcome.

use super::failure;
use super::part::{Entry, fail};
use super::random::Random;
use super::strategy::Place;
use super::world::World;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How long a thread may hold the baton without a point, in real time.
const STUCK: Duration = Duration::from_secs(30);

/// What a run is to be like, but for its program.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Decides on all that is left to chance.
    pub seed: u64,
    /// Points after which the run is taken for a livelock.
    pub most_steps: u64,
    /// Threads, by number in the order of their starts, whose start is refused. None is refused
    /// whose name begins with one of `never_refused`.
    pub refused: Vec<usize>,
    /// See `refused`.
    pub never_refused: Vec<String>,
    /// All starts from the one of this number on are refused, until this time of the run.
    pub shortage: Option<(usize, Duration)>,
    /// Once in so many waits a condition variable wakes for nothing; never if zero.
    pub spurious: u64,
    /// Once in so many points the host stops all threads for a while; never if zero.
    pub stalls: u64,
    /// What a point takes, in nanoseconds.
    pub tick: u64,
    /// Where threads stand still for a while: ends of files' names, and lines. If there is none, by
    /// chance anywhere.
    pub freeze_at: Vec<Place>,
}

impl Settings {
    /// Whether the start of this number is refused, so long after the run has begun.
    pub(super) fn refuses(&self, start: usize, age: Duration) -> bool {
        let is_short = |(from, until)| start >= from && age < until;
        self.refused.contains(&start) || self.shortage.is_some_and(is_short)
    }

    /// Settings that are themselves chosen by `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x5e77_1495);
        Self {
            seed,
            most_steps: 2_000_000,
            refused: Vec::new(),
            never_refused: Vec::new(),
            shortage: None,
            spurious: random.of(&[0, 0, 20, 200]),
            stalls: random.of(&[0, 0, 100, 1_000, 10_000]),
            tick: random.of(&[10, 50, 50, 250]),
            freeze_at: Vec::new(),
        }
    }
}

/// What became of a run.
#[derive(Debug)]
pub struct Outcome {
    /// What went wrong, and where each thread stood.
    pub failure: Option<String>,
    /// How many points it had.
    pub steps: u64,
    /// How many changes of threads.
    pub switches: u64,
    /// Which thread came to which point, and when, as one number: the same for runs that are alike.
    pub trace: u64,
}

/// Runs `program` as the first thread of a run, to the end of all threads that it leads to.
///
/// # Panics
///
/// When the system has no thread for it.
pub fn run(settings: Settings, program: impl FnOnce() + Send + 'static) -> Outcome {
    let world = Arc::new(World::new(settings, "program", Location::caller()));
    let entry = Entry::first(world.clone());
    let main = move || {
        entry.begin();
        if let Err(payload) = catch_unwind(AssertUnwindSafe(program)) {
            let text = failure::message(&*payload);
            fail(format!("the program panicked: {text}"));
        }
    };
    let main = thread::Builder::new()
        .name("program".to_owned())
        .spawn(main);
    let main = main.expect("a run needs a thread");
    let outcome = world.wait_until_over(STUCK);
    if outcome.failure.is_none() {
        let _ = main.join();
    }
    outcome
}
