//! The engine's pools: which `bevy_tasks` is linked.

use super::lines;
use bevy_tasks::TaskPoolBuilder;
use std::ptr;

/// What the linked `bevy_tasks` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linked {
    /// The drop-in, on this crate's pool.
    Own,
    /// The drop-in from another source than this crate. It has a copy of `heartbeat_pool`, and so a
    /// pool, of its own.
    Foreign,
    /// Bevy's own.
    Stock,
}

/// What Bevy's builder lacks.
trait OnNoPool {
    /// Where the pool lies that the builder builds lanes of. The drop-in's builder has a method of
    /// this name and type itself, which comes before a trait's.
    #[allow(dead_code, reason = "the drop-in's is called in its place")]
    fn heartbeat_pool(&self) -> *const () {
        ptr::null()
    }
}

impl OnNoPool for TaskPoolBuilder {}

impl Linked {
    fn get() -> Self {
        let pool = TaskPoolBuilder::new().heartbeat_pool();
        if pool.is_null() {
            Self::Stock
        } else if ptr::eq(pool, ptr::from_ref(heartbeat_pool::global()).cast()) {
            Self::Own
        } else {
            Self::Foreign
        }
    }

    /// What is wrong with it, and what to do.
    fn complaint(self) -> Option<String> {
        let lines = lines("bevy_tasks");
        match self {
            Self::Own => None,
            Self::Foreign => Some(format!(
                "\
the application's bevy_tasks comes from another source than bevy_heartbeat itself, so the engine
runs on a pool of its own. Both must come from the same.
{lines}
`cargo tree -d` lists both sources of `heartbeat_pool`."
            )),
            Self::Stock => Some(format!(
                "\
the engine does not run on the pool, for the application links Bevy's own bevy_tasks.
{lines}
If they are there already, `cargo update bevy_tasks` takes them up, where Cargo.lock is older than
they are. If that doesn't help, `cargo tree -i bevy_tasks` tells who asks for another version: this
release is for Bevy 0.20.1 and later 0.20 releases."
            )),
        }
    }
}

/// Panics, with what to do, unless the engine runs on the pool.
pub(crate) fn check() {
    if let Some(complaint) = Linked::get().complaint() {
        panic!("bevy_heartbeat: {complaint}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_is_patched() {
        assert_eq!(Linked::get(), Linked::Own);
    }
}
