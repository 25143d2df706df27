//! How often a cache line goes from one core to another, counted: the facade's face under
//! `--cfg heartbeat_transfers`.
//!
//! Contention between many threads can be counted where there are few cores, for it is a matter of
//! who writes and reads what, and in which order. Each atomic operation of the facade, each lock
//! and each signal of a condition variable notes its thread at the line of memory that it touches:
//!
//! - a write is a *transfer* if another thread wrote the line last;
//! - a read is one if another thread wrote the line last, and the reader has not read it since.
//!
//! Transfers are counted by *site*, the line of source that asked for the operation. The order in
//! which two threads are noted may differ from that of their operations, by a count of one.
//!
//! Not seen is what is no part of the facade: plain memory (a fork's closure, what a mutex guards),
//! counts of references in `Arc`, and other crates' atomics, those in the queues of crossbeam and
//! concurrent-queue and in the tasks of async-task.
//!
//! | file | what |
//! | --- | --- |
//! | `lines` | who wrote a line last, and who has read it since |
//! | `sites` | the counts |
//! | `atomic`, `lock` | the facade's names |

pub mod atomic;
mod lines;
pub mod lock;
mod sites;

pub use sites::{Site, reset, snapshot, total};

#[cfg(test)]
mod tests {
    use super::atomic::{AtomicU64, Ordering};
    use super::lock::Mutex;
    use super::{Site, snapshot};
    use std::thread;

    #[repr(align(64))]
    struct Line<T>(T);

    /// Writes and reads that this file's `line` was the cause of.
    fn at(line: u32) -> (u64, u64) {
        let place = format!("{}:{line}", file!());
        let sites = snapshot();
        let is_it = |site: &&Site| site.place == place;
        let site = sites.iter().find(is_it);
        site.map_or((0, 0), |site| (site.writes, site.reads))
    }

    fn elsewhere(f: impl FnOnce() + Send) {
        thread::scope(|scope| _ = scope.spawn(f));
    }

    #[test]
    fn a_write_after_another_threads_is_a_transfer() {
        let line = Line(AtomicU64::new(0));
        let above = line!();
        let write = || _ = line.0.fetch_add(1, Ordering::Relaxed);
        // Another test's thread may have had this stack before.
        write();
        let (before, _) = at(above + 1);
        write();
        for _ in 0..3 {
            elsewhere(write);
        }
        write();
        write();
        assert_eq!(at(above + 1), (before + 4, 0));
    }

    #[test]
    fn a_read_counts_once_after_each_write() {
        let line = Line(AtomicU64::new(0));
        let above = line!();
        let read = || _ = line.0.load(Ordering::Relaxed);
        for _ in 0..2 {
            line.0.store(1, Ordering::Relaxed);
            read();
            elsewhere(|| {
                read();
                read();
            });
        }
        assert_eq!(at(above + 1), (0, 2));
    }

    #[test]
    fn neighbours_on_a_line_disturb_each_other() {
        let line = Line([AtomicU64::new(0), AtomicU64::new(0)]);
        line.0[0].store(1, Ordering::Relaxed);
        let above = line!();
        let write = || line.0[1].store(1, Ordering::Relaxed);
        elsewhere(write);
        assert_eq!(at(above + 1), (1, 0));
    }

    #[test]
    fn a_failed_exchange_is_a_read() {
        let line = Line(AtomicU64::new(0));
        line.0.store(1, Ordering::Relaxed);
        let (from, to) = ((5, Ordering::Relaxed), (6, Ordering::Relaxed));
        let above = line!();
        let exchange = || line.0.compare_exchange(from.0, to.0, from.1, to.1).is_ok();
        elsewhere(|| assert!(!exchange()));
        assert_eq!(at(above + 1), (0, 1));
    }

    #[test]
    fn a_lock_is_a_write() {
        let line = Line(Mutex::new(0));
        let above = line!();
        let lock = || *line.0.lock().unwrap() += 1;
        lock();
        let (before, _) = at(above + 1);
        elsewhere(lock);
        assert_eq!(at(above + 1), (before + 1, 0));
    }
}
