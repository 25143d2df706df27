//! Parking, and what is sent to one thread.

use crate::idle::sleep::Sleep;
use crate::parker::{Parker, Wake};
use crate::sync::{Arc, AtomicUsize, Ordering};
use loom::cell::UnsafeCell;
use loom::thread;

/// Two threads, one token: `park` returns for every earlier `unpark`, and what was written before
/// it is seen.
#[test]
fn parker_loses_no_token() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let data = Arc::new(UnsafeCell::new(0));
        let unparker = {
            let (parker, data) = (parker.clone(), data.clone());
            thread::spawn(move || {
                // SAFETY: the owner reads only after it took the token.
                data.with_mut(|data| unsafe { *data = 1 });
                parker.unpark();
            })
        };
        parker.park();
        // SAFETY: the writer left its token after its only access.
        assert_eq!(data.with(|data| unsafe { *data }), 1);
        unparker.join().unwrap();
    });
}

/// Two unparkers, an owner that parks once: tokens may merge but never vanish.
#[test]
fn parker_takes_merged_tokens() {
    loom::model(|| {
        let parker = Arc::new(Parker::new());
        let threads = [Wake::Anywhere, Wake::Elsewhere].map(|wake| {
            let parker = parker.clone();
            thread::spawn(move || parker.unpark_by(wake))
        });
        parker.park();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}

/// Work for one thread, which may be anywhere before its sleep: it finds it, though no count of
/// searchers is asked.
#[test]
fn a_thread_sees_what_is_sent_to_it() {
    loom::model(|| {
        let sleep = Arc::new(Sleep::default());
        let mailbox = Arc::new(AtomicUsize::new(0));
        let parker = Arc::new(Parker::new());
        sleep.search_begin();
        let owner = {
            let (sleep, mailbox, parker) = (sleep.clone(), mailbox.clone(), parker.clone());
            thread::spawn(move || {
                while mailbox.load(Ordering::Relaxed) == 0 {
                    sleep.park_begin(&parker);
                    if mailbox.load(Ordering::Relaxed) == 0 {
                        parker.park();
                    }
                    sleep.park_cancel(&parker);
                }
            })
        };
        mailbox.store(1, Ordering::Relaxed);
        parker.unpark();
        owner.join().unwrap();
    });
}
