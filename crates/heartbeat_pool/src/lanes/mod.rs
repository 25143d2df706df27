//! Lanes: ranks of work with budgets.
//!
//! `occupancy` counts who runs what and lets in; `relief` lets in more, in a pool whose running jobs
//! block, and `stuck` tells since when they may; `untaken` where there are no spare threads for
//! that. The two lower lanes may have threads of their own, which the system treats as it is told
//! (`priority`).

pub(crate) mod occupancy;
#[cfg(not(heartbeat_loom))]
pub(crate) mod priority;
pub(crate) mod relief;
pub(crate) mod stuck;
pub(crate) mod untaken;
