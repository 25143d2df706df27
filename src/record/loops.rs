//! Parallel loops say in the recording that they are: on one thread nothing else would show it.

use super::row::LOOP;
use heartbeat_pool::record::{Name, Recorder};
use std::sync::OnceLock;

/// A parallel loop that runs, if it is recorded.
pub(crate) struct Loop(Option<Name>);

impl Loop {
    /// One begins on the calling thread, and ends when this is dropped.
    pub(crate) fn begin() -> Self {
        static NAME: OnceLock<Name> = OnceLock::new();
        let name = || *NAME.get_or_init(|| Recorder::name(LOOP));
        let name = Recorder::is_on().then(name);
        name.inspect(|name| Recorder::begin(*name, 0));
        Self(name)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        self.0.inspect(|name| Recorder::end(*name));
    }
}
