//! What a program asks a pool for, a verb a file (`fork`, `split`, `measured` and `loop_beat` are
//! what they share): a function for threads inside of a pool, a method of
//! [`ThreadPool`](crate::ThreadPool) for others, or a method of [`Worker`](crate::Worker).

pub(crate) mod block_on;
pub(crate) mod blocking;
pub(crate) mod broadcast;
pub(crate) mod for_each;
pub(crate) mod fork;
pub(crate) mod install;
pub(crate) mod join;
mod loop_beat;
pub(crate) mod measured;
pub(crate) mod scope;
pub(crate) mod spawn;
pub(crate) mod split;
pub(crate) mod yield_now;
