//! What the plugin itself runs says in the recording what it is.

use super::row::LOOP;
use heartbeat_pool::record::{Name, Recorder};
use std::sync::OnceLock;

/// Something that goes on until this is dropped, if it is recorded.
pub(crate) struct Span(Option<Name>);

impl Span {
    /// A parallel loop, on the calling thread: where there is one thread, nothing else would show
    /// that it is parallel.
    pub(crate) fn of_loop() -> Self {
        static NAME: OnceLock<Name> = OnceLock::new();
        Self::begin(|| *NAME.get_or_init(|| Recorder::name(LOOP)))
    }

    /// A turn of the job of that name.
    pub(crate) fn of_job(name: &str) -> Self {
        Self::begin(|| Recorder::name(name))
    }

    fn begin(name: impl FnOnce() -> Name) -> Self {
        let name = Recorder::is_on().then(name);
        name.inspect(|name| Recorder::begin(*name, 0));
        Self(name)
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        self.0.inspect(|name| Recorder::end(*name));
    }
}
