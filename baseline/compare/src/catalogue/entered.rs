//! Workloads of many tasks, from a worker and from outside.

use crate::workload::{Made, Size, Workload};
use suite::{Answer, Contender, Entry};

/// Where from, and how many tasks.
pub type Entered = (Entry, usize);

/// Workloads of so many tasks each, from a worker and from outside.
pub fn entered<const N: usize>(
    name: &str,
    about: &'static str,
    tasks: [usize; N],
    call: impl Fn(&dyn Contender, Entered, u64) -> Answer + Copy + 'static,
) -> Vec<Workload> {
    let of = |entry: Entry, tasks: usize| {
        let name = format!("{name}-{tasks} {}", entry.label());
        Workload::sampled(name, about, Size::Told, move |_| {
            Made::call(move |pool, iterations| call(pool, (entry, tasks), iterations))
                .each(tasks as u64, "task")
        })
    };
    let all = Entry::ALL.into_iter();
    all.flat_map(|entry| tasks.map(|tasks| of(entry, tasks)))
        .collect()
}
