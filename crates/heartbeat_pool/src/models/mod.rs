//! Models, the whole pool in a scheduler of its own (`sim`), and atomics that count how often cache
//! lines change hands (`transfers`).
//!
//! Loom models of the protocols that sleep and completion rest on: every interleaving of the
//! threads that each names, or those within the preemption bound that it states.
//!
//! Run with `RUSTFLAGS="--cfg heartbeat_loom" cargo test -p heartbeat_pool --release --lib models`.

#[cfg(heartbeat_loom)]
mod beat;
#[cfg(heartbeat_loom)]
mod fork;
#[cfg(heartbeat_loom)]
mod hidden;
#[cfg(heartbeat_loom)]
mod install;
#[cfg(heartbeat_loom)]
mod parker;
#[cfg(heartbeat_loom)]
mod presence;
#[cfg(heartbeat_loom)]
mod queue_times;
#[cfg(heartbeat_loom)]
mod relief;
#[cfg(heartbeat_loom)]
mod retire;
#[cfg(heartbeat_loom)]
mod room;
#[cfg(heartbeat_loom)]
mod scope;
#[cfg(heartbeat_loom)]
mod sentinel;
#[cfg(heartbeat_loom)]
mod signal;
#[cfg(heartbeat_loom)]
mod sleep;
#[cfg(heartbeat_loom)]
mod spare;
#[cfg(heartbeat_loom)]
mod teams;
#[cfg(heartbeat_loom)]
mod waiters;
#[cfg(heartbeat_loom)]
mod waiting;

/// Checks `f` in all interleavings with at most so many preemptions.
#[cfg(heartbeat_loom)]
fn check(preemptions: usize, f: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(f);
}

#[cfg(heartbeat_sim)]
pub mod sim;
#[cfg(heartbeat_transfers)]
pub mod transfers;
