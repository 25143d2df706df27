//! Models, the whole pool in a scheduler of its own (`sim`), and atomics that count how often cache
//! lines change hands (`transfers`).
//!
//! Loom models of the protocols that sleep and completion rest on: every interleaving of the
//! threads that each names, or those within the preemption bound that it states.
//!
//! | model | what meets |
//! | --- | --- |
//! | `beat` | an answered beat: somebody raises the next one |
//! | `fork` | a stolen half's end, its owner's wait, a half that is given back |
//! | `hidden` | forks kept from others for a while, and threads that go to sleep meanwhile |
//! | `install` | a call from outside, in a pool that loses its threads |
//! | `parker` | a token, and what is sent to one thread |
//! | `presence` | threads from outside that come and go, and looks that leave them out |
//! | `queue_times` | how long jobs wait, as watches come and go |
//! | `relief` | a stuck pool, and the job that comes unstuck |
//! | `retire` | idle threads that end, in a pool that grows |
//! | `room` | a push, a place that is left, and a target that grows |
//! | `scope` | a scope's end, its tickets, its owner's sleep |
//! | `sentinel` | the sentinel, a push, a promotion and the start of work |
//! | `signal` | a wait inside of a poll, and the wake-up of the wait around it |
//! | `sleep` | a push and a sleep, and the end of the pool |
//! | `spare` | pushes, and a spare thread that is being started or refused |
//! | `teams` | a push, and a change of which team it is for |
//! | `waiters` | a wait for a future, in a pool that loses its threads |
//! | `waiting` | waits in a pool without spare threads |
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
