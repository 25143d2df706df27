//! A channel.

use super::lock::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::mpsc::{RecvError, SendError};
use std::sync::{Arc, PoisonError};

#[derive(Debug)]
struct Ends<T> {
    items: VecDeque<T>,
    senders: usize,
    is_received: bool,
}

#[derive(Debug)]
struct Channel<T> {
    ends: Mutex<Ends<T>>,
    news: Condvar,
}

impl<T> Channel<T> {
    fn with<R>(&self, f: impl FnOnce(&mut Ends<T>) -> R) -> R {
        f(&mut self.ends.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The end that takes items in.
#[derive(Debug)]
pub struct Sender<T>(Arc<Channel<T>>);

/// The end that they come out of.
#[derive(Debug)]
pub struct Receiver<T>(Arc<Channel<T>>);

/// A channel of any number of items.
pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Arc::new(Channel {
        ends: Mutex::new(Ends {
            items: VecDeque::new(),
            senders: 1,
            is_received: true,
        }),
        news: Condvar::new(),
    });
    (Sender(channel.clone()), Receiver(channel))
}

impl<T> Sender<T> {
    /// Sends `item`.
    ///
    /// # Errors
    ///
    /// When the other end is gone.
    pub fn send(&self, item: T) -> Result<(), SendError<T>> {
        let refused = self.0.with(|ends| {
            if !ends.is_received {
                return Some(item);
            }
            ends.items.push_back(item);
            None
        });
        match refused {
            Some(item) => Err(SendError(item)),
            None => {
                self.0.news.notify_one();
                Ok(())
            }
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.with(|ends| ends.senders -= 1);
        self.0.news.notify_all();
    }
}

impl<T> Receiver<T> {
    /// Waits for an item.
    ///
    /// # Errors
    ///
    /// When the other end is gone.
    pub fn recv(&self) -> Result<T, RecvError> {
        let mut ends = self.0.ends.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(item) = ends.items.pop_front() {
                return Ok(item);
            }
            if ends.senders == 0 {
                return Err(RecvError);
            }
            ends = self
                .0
                .news
                .wait(ends)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Iterator for Receiver<T> {
    type Item = T;
    fn next(&mut self) -> Option<T> {
        self.recv().ok()
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let items = self.0.with(|ends| {
            ends.is_received = false;
            std::mem::take(&mut ends.items)
        });
        drop(items);
    }
}
