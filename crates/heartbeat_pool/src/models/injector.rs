//! Where new jobs go: who finds the overflow empty against who puts a job there just then.

use crate::queue::injector::Spill;
use crate::sync::{Arc, AtomicUsize, Ordering};
use loom::thread;

/// While a job lies in the overflow, those that come after it go there too: else it might stay for
/// ever.
#[test]
fn no_job_is_left_behind_in_the_overflow() {
    loom::model(|| {
        let shared = Arc::new((Spill::new(), AtomicUsize::new(0)));
        shared.0.begin();
        let pusher = {
            let shared = shared.clone();
            thread::spawn(move || {
                let (spill, queued) = &*shared;
                if spill.is_on() {
                    queued.fetch_add(1, Ordering::Release);
                    spill.begin();
                }
            })
        };
        let (spill, queued) = &*shared;
        let is_empty = || queued.load(Ordering::Acquire) == 0;
        if is_empty() {
            spill.end(is_empty);
        }
        pusher.join().unwrap();
        assert!(is_empty() || spill.is_on());
    });
}
