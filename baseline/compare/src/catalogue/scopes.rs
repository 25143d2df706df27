//! Scopes of next to nothing, where only the pool's own cost is seen.

use super::entered::entered;
use crate::workload::Workload;

const TASKS: [usize; 3] = [10, 100, 1000];

/// All of this kind.
pub fn workloads() -> Vec<Workload> {
    let closures = "A scope of closures that add one to a number of their own.";
    let futures = "A scope of futures that add one to a number of their own and are ready.";
    let mut all = entered(
        "scope",
        closures,
        TASKS,
        |pool, (entry, tasks), iterations| pool.scope(entry, tasks, iterations),
    );
    all.extend(entered(
        "scope-futures",
        futures,
        TASKS,
        |pool, (entry, tasks), iterations| pool.scope_futures(entry, tasks, iterations),
    ));
    all
}
