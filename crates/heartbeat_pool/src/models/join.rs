//! Promote against recover in `join`.

use crate::claim::Claim;
use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Mutex, Ordering, lock};
use loom::cell::UnsafeCell;
use loom::thread;

/// An owner and two thieves: exactly one of them runs the job, and a thief's result is seen.
#[test]
fn claim_has_one_winner() {
    loom::model(|| {
        let claim = Arc::new(Claim::new());
        let parker = Arc::new(Parker::new());
        let runs = Arc::new(AtomicUsize::new(0));
        let result = Arc::new(UnsafeCell::new(0));
        let thieves: Vec<_> = (0..2)
            .map(|_| {
                let (claim, parker) = (claim.clone(), parker.clone());
                let (runs, result) = (runs.clone(), result.clone());
                thread::spawn(move || {
                    if claim.try_take() {
                        runs.fetch_add(1, Ordering::Relaxed);
                        // SAFETY: the claim was won, and the owner reads only after `finish`.
                        result.with_mut(|result| unsafe { *result = 7 });
                        claim.finish();
                        parker.unpark();
                    }
                })
            })
            .collect();
        if claim.try_recover() {
            runs.fetch_add(1, Ordering::Relaxed);
        } else {
            while !claim.is_done() {
                parker.park();
            }
            // SAFETY: `is_done` acquired the thief's only write.
            assert_eq!(result.with(|result| unsafe { *result }), 7);
        }
        for thief in thieves {
            thief.join().unwrap();
        }
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    });
}

/// A join's whole protocol around a promoted job: the owner offers it and comes back for it, a
/// thief may take it from the list meanwhile. One of the two runs it; a recovered one leaves the
/// list; the thief touches nothing of the owner's after it let it go.
#[test]
fn a_promoted_job_is_recovered_or_taken() {
    loom::model(|| {
        struct Promoted {
            claim: Claim,
            owner: Arc<Parker>,
            /// Stands for the job on the owner's stack.
            job: Arc<UnsafeCell<u32>>,
        }
        let list = Arc::new(Mutex::new(Vec::<Arc<Promoted>>::new()));
        let thief = {
            let list = list.clone();
            thread::spawn(move || {
                let taken = {
                    let mut list = lock(&list);
                    let place = list.iter().position(|job| job.claim.try_take());
                    place.map(|place| list.remove(place))
                };
                if let Some(taken) = taken {
                    // SAFETY: the claim was won, and the owner waits for `finish`.
                    taken.job.with_mut(|job| unsafe { *job += 1 });
                    taken.claim.finish();
                    taken.owner.unpark();
                }
            })
        };
        let parker = Arc::new(Parker::new());
        let job = Arc::new(UnsafeCell::new(0));
        let promoted = Arc::new(Promoted {
            claim: Claim::new(),
            owner: parker.clone(),
            job: job.clone(),
        });
        lock(&list).push(promoted.clone());
        if promoted.claim.try_recover() {
            lock(&list).retain(|other| !Arc::ptr_eq(other, &promoted));
            // SAFETY: the claim was recovered.
            job.with_mut(|job| unsafe { *job += 1 });
        } else {
            while !promoted.claim.is_done() {
                parker.park();
            }
        }
        // The owner's stack ends: a touch from here on would race with this write.
        // SAFETY: whoever ran the job is done with it.
        job.with_mut(|job| unsafe { assert_eq!(*job, 1) });
        thief.join().unwrap();
        assert!(lock(&list).is_empty());
    });
}
