//! What work costs, and what it costs to give it away.
//!
//! Two costs of the machine decide nearly all that the scheduler weighs: [`HAND_OVER`] and
//! [`WAKE_UP`]. Here are the questions that most of it asks of them.
//!
//! What was measured of work like that which comes is kept by the code that is run, told apart by a
//! pointer: which of two ways costs less (`two_ways`), whether sharing a join pays (`measured`),
//! and how long a loop's items take (`loop_cost`), from which follow its pieces (`piece_size`).

pub(crate) mod loop_cost;
pub(crate) mod measured;
pub(crate) mod piece_size;
pub(crate) mod two_ways;

use std::time::Duration;

/// What it costs to hand a job to a thread on another core that is awake: some cache lines go over.
pub(crate) const HAND_OVER: Duration = Duration::from_micros(1);

/// What it costs to put a thread to sleep and to wake it. So a thread that waits looks around for
/// as long before it sleeps, which is at most twice as dear as knowing the future.
pub(crate) const WAKE_UP: Duration = Duration::from_micros(20);

/// Calls that take longer are not kept on one thread to try that out: a trial that loses would be
/// felt. Those that have come to take longer while they are kept may gain by all threads: that is
/// tried.
const LONGEST_TRIAL: Duration = Duration::from_millis(100);

/// Work that takes this long pays for waking a thread for it at once.
pub(crate) const A_WAKE_UP_PAYS: Duration = WAKE_UP.saturating_mul(6);

/// No more is remembered of the time that a thread ran alone while others slept: it pays for as
/// many wake-ups in vain as take a tenth of it.
pub(crate) const MOST_MISSED: Duration = A_WAKE_UP_PAYS.saturating_mul(20);

/// How many kinds of code are remembered.
const PLACES: usize = 256;

/// Where what is known of the code at `key` is kept.
fn place(key: usize) -> usize {
    // Functions begin at multiples of 16, mostly.
    (key >> 4) % PLACES
}

/// Whether so many jobs, which have taken `time` together, are longer than it takes to hand one
/// over: a thread that runs shorter ones is done sooner alone.
pub(crate) fn is_worth_taking(jobs: u32, time: Duration) -> bool {
    time >= HAND_OVER.saturating_mul(jobs)
}

/// Whether work that takes `time` pays for a thread that is awake to come for it: a few times what
/// promoting and taking cost.
pub(crate) fn is_worth_coming(time: Duration) -> bool {
    time >= 4 * HAND_OVER
}

/// Whether work that takes `time` is missed by a helper that sleeps until it is called.
pub(crate) fn is_worth_a_call(time: Duration) -> bool {
    time >= WAKE_UP
}

/// Whether work that takes `time` pays for waking at once a thread that would look within a beat.
pub(crate) fn is_worth_waking(time: Duration) -> bool {
    time >= A_WAKE_UP_PAYS
}

pub(crate) fn duration(nanos: f64) -> Duration {
    Duration::from_nanos(nanos as u64)
}
