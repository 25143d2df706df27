//! Small programs of all verbs, made by chance: in the scheduler of `--cfg heartbeat_sim`, where a seed is the
//! whole story of a run, or on real threads.
//!
//! A program can't deadlock in a correct pool, by its construction: each wait is for what was begun by the same
//! call of the same job, and what was begun waits for nothing of its elders.
#![allow(missing_docs, reason = "a test")]

#[path = "../../src/models/sim/random.rs"]
#[allow(unreachable_pub, dead_code, reason = "the scheduler's")]
mod random;

mod calls;
mod event;
mod future;
mod generate;
mod joins;
mod ledger;
mod perform;
mod program;
mod scene;
mod stage;
mod verbs;

#[cfg(not(heartbeat_sim))]
mod real;
#[cfg(heartbeat_sim)]
mod simulated;
#[cfg(not(heartbeat_sim))]
mod watchdog;
