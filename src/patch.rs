//! Whether the engine runs on the pool: that is decided in the application's manifest.

use bevy_tasks::TaskPoolBuilder;

/// What to say when it does not.
pub(crate) const MISSING: &str = "\
bevy_heartbeat: the engine does not run on the pool, for the application links Bevy's own bevy_tasks.
Add these lines to the Cargo.toml at the root of the application's workspace, with the path to \
where bevy_heartbeat lies:

[patch.crates-io]
bevy_tasks = { path = \"../bevy_heartbeat/crates/bevy_tasks\" }

If they are there already, `cargo tree -i bevy_tasks` tells who asks for another version: this \
release is for Bevy 0.20.1 and later 0.20 releases.";

/// Whether the linked `bevy_tasks` is the drop-in.
pub(crate) fn is_applied() -> bool {
    // A pool without threads costs nothing to make. Only the drop-in leaves a mark.
    drop(TaskPoolBuilder::new().num_threads(0).build());
    heartbeat_pool::has_drop_in("bevy_tasks")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_is_patched() {
        assert!(is_applied());
    }
}
