//! Where work lies until somebody runs it, and who may take it.
//!
//! | queue | filled by | emptied by |
//! | --- | --- | --- |
//! | `private` | a worker's joins | that worker; a raised beat moves them all to `forks`, the oldest first |
//! | `forks` | a worker's offered joins | that worker, or thieves; `hidden` keeps thieves off for a while, `returned` has those that came back |
//! | `deque` | a worker's spawned frame jobs | that worker, in the pool's `Order`, or thieves |
//! | `returned`, a queue by age | thieves, with forks that were not theirs, or not yet next | its thread, or thieves |
//! | `by_age`, of the same type | threads that queue a scope's jobs, where work goes by age; thieves that put a job back | its thread, or thieves |
//! | `injector` | everybody | every worker of the team that its lane is for |
//! | `blocking` | everybody | any thread of the frame's team, which needs no room for it |
//! | `mailbox`, `pinned` | everybody | one thread |
//!
//! Nothing here knows who sleeps; whoever fills a queue tells by [`schedule`](crate::schedule).

#[cfg(not(heartbeat_loom))]
pub(crate) mod blocking;
pub(crate) mod by_age;
#[cfg(not(heartbeat_loom))]
pub(crate) mod deque;
#[cfg(not(heartbeat_loom))]
pub(crate) mod forks;
pub(crate) mod hidden;
#[cfg(not(heartbeat_loom))]
pub(crate) mod injector;
#[cfg(not(heartbeat_loom))]
pub(crate) mod mailbox;
#[cfg(not(heartbeat_loom))]
pub(crate) mod pinned;
#[cfg(not(heartbeat_loom))]
pub(crate) mod private;
