//! All workloads, in the tables' order.

mod coarse;
mod fork_join;
mod scaling;
mod scopes;
mod sixty_hertz;
mod slices;
mod tasks;
mod total_work;
mod wake_burst;

use crate::options::Options;
use crate::workload::Workload;

/// Every workload in the size that the options ask for.
#[must_use]
pub fn all(options: &Options) -> Vec<Workload> {
    let mut all = fork_join::workloads(options);
    all.extend(slices::workloads());
    all.extend(scopes::workloads());
    all.extend(coarse::workloads());
    all.extend(tasks::workloads());
    all.push(wake_burst::workload());
    all.push(sixty_hertz::workload());
    if options.scaling {
        all.extend(scaling::workloads());
        all.push(total_work::workload());
    }
    all
}
