//! What the pools are compared by: the workloads with their answers, the face that every pool is
//! seen through, and the measuring.
//!
//! A pool's own code for a workload (its recursions, its scopes) lies in the pool's own crate, so
//! that it is inlined there as it would be in a program that uses that pool alone. This crate calls
//! it once a sample, through [`Contender`], and takes the time around that call.

mod answer;
mod at_once;
mod command_line;
mod contender;
mod cpu;
mod fork_join;
mod lockfile;
mod machine;
mod measure;
mod order;
mod paced;
mod plot;
pub mod program;
mod record;
pub mod recorded;
mod replace;
mod serial;
mod stats;
mod table;
mod two_tasks;
mod wake_up;
mod watchdog;
mod work;

pub use answer::{Answer, Refusal, check, repeat};
pub use at_once::{free_threads, threads_at_once};
pub use command_line::{Values, WordError, exit, read_words, refuse_together, set_once};
pub use contender::{Contender, Entry};
pub use cpu::CpuClock;
pub use lockfile::Locked;
pub use machine::{commit, cores, cpu_model, load, rustc};
pub use measure::{Job, Outcome, Plan, Sampled, compare};
pub use order::order;
pub use paced::{FRAME, Paced};
pub use plot::{Plot, PlotError};
pub use record::{Record, RecordError};
pub use replace::replace_file;
pub use serial::Serial;
pub use stats::{median, median_ratio, percentile};
pub use table::{Table, factor, from_seconds, seconds};
pub use wake_up::wake_up_latency;
pub use watchdog::Watchdog;
pub use work::burst::{Burst, Starts};
pub use work::coarse::Coarse;
pub use work::fib::fib;
pub use work::irregular::{Children, Irregular};
pub use work::items::{Cost, Items, one_ns, ten_ns};
pub use work::maze::{Frontier, Maze};
pub use work::messages::ping_pong;
pub use work::mix::mix;
pub use work::slots::repeat_slots;
pub use work::spin::{Spinner, spin, spin_from};
pub use work::tree::{Node, Tree};
pub use work::uneven::Uneven;
pub use work::{await_all, one};
