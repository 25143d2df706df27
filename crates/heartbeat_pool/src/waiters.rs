//! The threads that sleep in a wait for something else than work: those that a pool must tell when
//! it loses its last thread, for from then on they must do its work themselves.

use crate::parker::Parker;
use crate::sync::{Arc, Mutex, lock};

pub(crate) struct Waiters(Mutex<Vec<Arc<Parker>>>);

impl Waiters {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Calls `park`, which parks the calling thread unless there is a reason not to, while the thread is listed.
    pub(crate) fn park(&self, parker: &Arc<Parker>, park: impl FnOnce()) {
        lock(&self.0).push(parker.clone());
        park();
        let mut waiters = lock(&self.0);
        if let Some(place) = waiters.iter().position(|other| Arc::ptr_eq(other, parker)) {
            waiters.swap_remove(place);
        }
    }

    /// Has every listed thread look again at what it waits for.
    pub(crate) fn wake_all(&self) {
        for parker in &*lock(&self.0) {
            parker.unpark();
        }
    }
}
