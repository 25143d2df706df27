//! Threads from outside that come and go against those that leave their seats out of the list.
//!
//! [`Seats::sweep`] stands for `sweep_crowd` of `registry/seats.rs`, [`Seats::visit`] for `come_in`
//! of `worker/mod.rs`, what is queued meanwhile, and the end of that visit.

use super::check;
use crate::presence::{Presence, Was};
use crate::sync::{Arc, AtomicBool, Mutex, Ordering, lock};
use loom::thread;

/// One seat, and whether it is listed.
struct Seats {
    is_listed: Mutex<bool>,
    presence: Presence,
    has_work: AtomicBool,
}

impl Seats {
    /// One of a thread that came and went long ago.
    fn gone() -> Arc<Self> {
        let seats = Arc::new(Self {
            is_listed: Mutex::new(true),
            presence: Presence::default(),
            has_work: AtomicBool::new(false),
        });
        assert_eq!(seats.presence.enter(), Was::Outside);
        seats.presence.leave();
        seats.sweep();
        seats
    }

    fn sweep(&self) {
        let mut is_listed = lock(&self.is_listed);
        if self.presence.age() {
            if self.has_work.load(Ordering::Relaxed) {
                self.presence.take_back();
            } else {
                *is_listed = false;
            }
        }
    }

    fn visit(&self) {
        if self.presence.enter() == Was::Unlisted {
            *lock(&self.is_listed) = true;
        }
        self.has_work.store(true, Ordering::Release);
        self.presence.leave();
    }

    /// What others see: work lies nowhere but in a listed seat.
    fn look(&self) {
        if self.has_work.load(Ordering::Acquire) {
            assert!(*lock(&self.is_listed), "nobody finds what was queued");
        }
    }
}

#[test]
fn a_seat_where_work_lies_is_listed() {
    check(3, || {
        let seats = Seats::gone();
        let (owner, sweeper) = (seats.clone(), seats.clone());
        let owner = thread::spawn(move || owner.visit());
        let sweeper = thread::spawn(move || (0..3).for_each(|_| sweeper.sweep()));
        seats.look();
        owner.join().unwrap();
        sweeper.join().unwrap();
        seats.look();
    });
}

#[test]
fn who_comes_back_while_it_is_left_out_is_listed_again() {
    check(3, || {
        let seats = Seats::gone();
        seats.sweep();
        assert!(!*lock(&seats.is_listed));
        let owner = seats.clone();
        let owner = thread::spawn(move || (0..2).for_each(|_| owner.visit()));
        seats.sweep();
        seats.look();
        owner.join().unwrap();
        (0..3).for_each(|_| seats.sweep());
        seats.look();
    });
}
