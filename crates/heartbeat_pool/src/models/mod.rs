//! Loom models of the protocols that sleep and completion rest on: every interleaving of the
//! threads that each names, or those within the preemption bound that it states.
//!
//! Run with `RUSTFLAGS="--cfg heartbeat_loom" cargo test -p heartbeat_pool --release --lib models`.

mod fork;
mod hidden;
mod injector;
mod join;
mod parker;
mod relief;
mod retire;
mod room;
mod scope;
mod sentinel;
mod signal;
mod sleep;
mod spare;
mod spmc;
mod waiters;
mod waiting;

/// Checks `f` in all interleavings with at most so many preemptions.
fn check(preemptions: usize, f: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(f);
}
