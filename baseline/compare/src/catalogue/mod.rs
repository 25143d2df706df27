//! All workloads, in the tables' order.

mod coarse;
mod entered;
mod fork_join;
mod quiet;
mod scaling;
mod scopes;
mod sixty_hertz;
mod slices;
mod tasks;
mod total_work;
mod turns;
mod wake_burst;

use crate::options::Options;
use crate::workload::Workload;

/// Every workload in the size that the options ask for.
#[must_use]
pub fn all(options: &Options) -> Vec<Workload> {
    let usual = || {
        vec![
            ("fork-join", fork_join::workloads(options)),
            ("slices", slices::workloads()),
            ("scopes", scopes::workloads()),
            ("coarse jobs", coarse::workloads()),
            ("tasks", tasks::workloads()),
            ("wake-ups", vec![wake_burst::workload()]),
            ("after a pause", quiet::workloads()),
            ("frames", vec![sixty_hertz::workload()]),
        ]
    };
    let scaling = || {
        vec![
            ("scaling", scaling::workloads()),
            ("total work", vec![total_work::workload()]),
        ]
    };
    let families = if options.scaling { scaling() } else { usual() };
    let named = |(family, workloads): (&'static str, Vec<Workload>)| {
        let workloads = workloads.into_iter();
        workloads.map(move |workload| workload.of(family))
    };
    families.into_iter().flat_map(named).collect()
}
