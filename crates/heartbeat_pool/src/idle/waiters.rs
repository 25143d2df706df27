//! The threads that sleep in a wait for something else than work: those that a pool must tell when
//! it loses its last thread, for from then on they must do its work themselves.

use crate::parker::Parker;
use crate::sync::{Arc, Mutex, lock};

#[derive(Default)]
pub(crate) struct Waiters(Mutex<Vec<Arc<Parker>>>);

impl Waiters {
    /// Lists `parker`, whose owner must look at what it waits for after that.
    pub(crate) fn add(&self, parker: &Arc<Parker>) {
        lock(&self.0).push(parker.clone());
    }

    pub(crate) fn remove(&self, parker: &Arc<Parker>) {
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
