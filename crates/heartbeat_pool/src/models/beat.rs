//! Beats that are answered: somebody raises the next one.
//!
//! [`searcher`] stands for `end_search` of `worker/life.rs`, [`promote`] for
//! `has_room_after_a_beat` of `verbs/join.rs`, what leaves for `offer_room` of `schedule.rs`, and
//! [`leave_and_sleep`] for `spin` and `sleep` of `worker/ladder.rs`. A drowsy sentinel has taken
//! the post, or is left out, and does nothing.

use super::check;
use crate::heartbeat::Beat;
use crate::idle::sleep::{Sleep, Wake};
use crate::lanes::occupancy::Occupancy;
use crate::parker::Parker;
use crate::sync::{Arc, Ordering, fence};
use heartbeat_record::Lane;
use loom::thread;

/// A pool with a thread from outside that forks.
struct Pool {
    sleep: Sleep,
    occupancy: Occupancy,
    beat: Beat,
}

impl Pool {
    fn new(threads: usize) -> Arc<Self> {
        let occupancy = Occupancy::new();
        occupancy.set_target(threads);
        occupancy.enter(Lane::Frame);
        Arc::new(Self {
            sleep: Sleep::default(),
            occupancy,
            beat: Beat::new(),
        })
    }
}

/// What a searcher does about beats that were answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SeesTo {
    /// It calls for a sentinel, and raises the beats itself if there is one who sleeps for long.
    Both,
    /// It calls for a sentinel.
    Sentinel,
    Nothing,
}

/// A searcher that finds a fork, and runs it for good.
fn searcher(pool: &Pool, sees_to: SeesTo) {
    pool.occupancy.enter(Lane::Frame);
    let is_answered = pool.sleep.search_end()
        && sees_to != SeesTo::Nothing
        && pool.occupancy.admits(Lane::Frame)
        && !pool.beat.is_raised();
    if !is_answered {
        return;
    }
    if sees_to == SeesTo::Both && pool.sleep.needs_watch() && pool.sleep.finds_sentinel() {
        pool.beat.raise();
    }
    if pool.sleep.needs_watch() && !pool.sleep.finds_sentinel() {
        let _ = pool.sleep.wake_one(Wake::Anywhere);
    }
}

/// A thread that answers its beat beside a searcher, and another one asleep: the other one
/// is woken, and raises the next beat, or the searcher has raised it where a sentinel `is_drowsy`.
fn answered_beside_a_searcher(sees_to: SeesTo, is_drowsy: bool) {
    let pool = Pool::new(4);
    let idle = Arc::new(Parker::new());
    pool.sleep.search_begin();
    pool.sleep.park_begin(&idle);
    pool.sleep.search_begin();
    assert!(!is_drowsy || pool.sleep.sentinel_begin());
    let searching = {
        let pool = pool.clone();
        thread::spawn(move || searcher(&pool, sees_to))
    };
    pool.beat.answer();
    if pool.sleep.needs_watch() {
        let _ = pool.sleep.wake_one(Wake::Anywhere);
    }
    searching.join().unwrap();
    let is_seen_to = idle.has_token() || pool.beat.is_raised();
    assert!(is_seen_to, "the next beat is raised by nobody");
}

#[test]
fn after_an_answered_beat_somebody_raises_the_next() {
    check(3, || answered_beside_a_searcher(SeesTo::Both, false));
}

#[test]
fn after_an_answered_beat_nobody_waits_for_a_drowsy_sentinel() {
    check(3, || answered_beside_a_searcher(SeesTo::Both, true));
}

#[test]
#[should_panic(expected = "the next beat is raised by nobody")]
fn a_searcher_that_sees_to_no_beats_leaves_forks_to_their_owner() {
    check(3, || answered_beside_a_searcher(SeesTo::Nothing, false));
}

#[test]
#[should_panic(expected = "the next beat is raised by nobody")]
fn a_searcher_that_relies_on_a_drowsy_sentinel_leaves_forks_to_their_owner() {
    check(3, || answered_beside_a_searcher(SeesTo::Sentinel, true));
}

/// Whether a thread that lowers its beat sees room for another one.
fn promote(pool: &Pool, looks_again: bool) -> bool {
    pool.beat.answer();
    let has_room = || pool.occupancy.admits(Lane::Frame);
    has_room()
        || looks_again && {
            // Pairs with the fence in `needs_watch`.
            fence(Ordering::SeqCst);
            has_room()
        }
}

/// A full pool in which one thread answers its beat and another one leaves: the fork is offered, or
/// the beat is raised again.
fn answered_beside_a_leaver(looks_again: bool) {
    let pool = Pool::new(2);
    pool.occupancy.enter(Lane::Frame);
    let leaver = {
        let pool = pool.clone();
        thread::spawn(move || {
            pool.occupancy.leave(Lane::Frame);
            if pool.sleep.needs_watch() {
                pool.beat.raise();
            }
        })
    };
    let is_offered = promote(&pool, looks_again);
    leaver.join().unwrap();
    assert!(is_offered || pool.beat.is_raised(), "the room is missed");
}

#[test]
fn an_answered_beat_and_a_freed_place_meet() {
    check(3, || answered_beside_a_leaver(true));
}

#[test]
#[should_panic(expected = "the room is missed")]
fn an_answered_beat_that_looks_once_misses_the_place() {
    check(3, || answered_beside_a_leaver(false));
}

/// A worker that leaves the count and goes to sleep, beside a drowsy sentinel.
fn leave_and_sleep(pool: &Pool, asks_before_sleep: bool) {
    pool.sleep.search_begin();
    pool.occupancy.leave(Lane::Frame);
    if pool.sleep.searchers() == 1 && pool.occupancy.admits(Lane::Frame) {
        pool.beat.raise();
    }
    pool.sleep.park_begin(&Arc::new(Parker::new()));
    if asks_before_sleep && pool.sleep.needs_watch() && pool.occupancy.admits(Lane::Frame) {
        pool.beat.raise();
    }
}

/// A full pool in which one thread answers its beat and two others leave.
fn answered_beside_two_leavers(asks_before_sleep: bool) {
    let pool = Pool::new(3);
    let leavers = [(); 2].map(|()| {
        pool.occupancy.enter(Lane::Frame);
        let pool = pool.clone();
        move || leave_and_sleep(&pool, asks_before_sleep)
    });
    let leavers = leavers.map(thread::spawn);
    let is_offered = promote(&pool, true);
    for leaver in leavers {
        leaver.join().unwrap();
    }
    assert!(is_offered || pool.beat.is_raised(), "the room is missed");
}

#[test]
fn of_two_that_leave_at_a_time_one_asks() {
    check(3, || answered_beside_two_leavers(true));
}

#[test]
#[should_panic(expected = "the room is missed")]
fn two_that_leave_at_a_time_and_see_each_other_search_ask_nobody() {
    check(3, || answered_beside_two_leavers(false));
}
