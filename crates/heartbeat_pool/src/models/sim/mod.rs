//! A scheduler that is told what to do: the whole pool under `--cfg heartbeat_sim`.
//!
//! The threads are the system's, so that thread-locals, unwinding and other crates' queues work as
//! they always do, but one of them runs at a time: the one that holds the *baton*. Each operation
//! of the facade (`sync.rs`) is a *point* where the baton may pass to another thread, by a
//! generator that a seed starts. What happens is the same each time for one seed. Time is virtual:
//! it moves a little with each point, now and then by much, as if the host had stopped the machine,
//! and when all threads are blocked to the earliest timeout.
//!
//! What it finds: lost wake-ups, deadlocks, livelocks, waits that run what they must not, whatever
//! the program that runs in it checks. What it can't find: what rests on the weakness of atomic
//! orderings, for here all is sequentially consistent (that is loom's matter); and races inside of
//! other crates, which run without a point in them.
//!
//! | file | what |
//! | --- | --- |
//! | `run` | a run, from its settings to its outcome |
//! | `world` | its threads, its time, who holds the baton |
//! | `part` | a thread's part in it |
//! | `strategy` | who gets it next |
//! | `failure` | what is told of a run that failed: where each thread stands |
//! | `atomic`, `lock`, `once`, `channel`, `thread`, `clock` | the facade's names |

pub mod atomic;
mod channel;
mod clock;
mod failure;
pub mod lock;
mod once;
mod part;
mod random;
mod run;
mod strategy;
pub mod thread;
mod world;

pub(crate) use channel::channel;
pub use channel::{Receiver, Sender};
pub use clock::Instant;
pub use once::OnceLock;
pub use part::{fail, is_simulated, note, pass, settle, timers};
pub use random::Random;
pub use run::{Outcome, Settings, run};
pub use strategy::Place;

/// Tells the scheduler that the caller waits for others by looking again and again.
#[track_caller]
pub fn spin_loop() {
    part::yields();
}

/// Forgets what was learnt in earlier runs, so that a run depends on its seed alone.
pub fn forget() {
    crate::cost::measured::forget();
    crate::cost::loop_cost::forget();
}
