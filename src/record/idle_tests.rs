//! Causes of idle time, in recordings made by hand.

use super::super::order::{Order, SystemInfo, Systems};
use super::super::row::{FRAME, SCHEDULE, SYSTEM, tests::thread};
use super::super::trace::Origin;
use super::*;
use heartbeat_pool::record::{Place, Recorder, Role, Snapshot, What, Work};
use std::sync::Arc;

const FIRST: u64 = 1 << 32;
const SECOND: u64 = FIRST + 1;

fn order(conflict: bool) -> Order {
    let info = |name: &str, other: u64| SystemInfo {
        name: name.to_owned(),
        conflicts: [(other, Arc::from("Position"))]
            .into_iter()
            .filter(|_| conflict)
            .collect(),
        ..Default::default()
    };
    let both = [
        (FIRST, info("first", SECOND)),
        (SECOND, info("second", FIRST)),
    ];
    Order::from(Systems::from(both))
}

/// The account of a frame from 1000 to 2000 of two threads, in which the main one does `main` and
/// the other one `other`.
fn account(main: &[(u64, What)], other: &[(u64, What)], conflict: bool) -> Account {
    let name = Recorder::name(FRAME);
    let mut events = vec![(1000, What::SpanBegun { name, value: 5 })];
    events.extend_from_slice(main);
    events.push((2000, What::SpanEnded { name }));
    let mut snapshot = Snapshot::default();
    snapshot.threads.push(thread(1, Role::Outside, &events));
    snapshot.threads.push(thread(2, Role::Frame, other));
    let trace = Trace::new(snapshot, Origin::from(order(conflict)), 2);
    assert!(trace.why_idle(6).is_none());
    let account = trace.why_idle(5).unwrap();
    let sum: Duration = account.causes.iter().map(|(_, time)| *time).sum();
    assert_eq!(sum, account.time * 2, "{account:?}");
    account
}

fn of(account: &Account, wanted: impl Fn(&Cause) -> bool) -> u128 {
    let causes = account.causes.iter().filter(|(cause, _)| wanted(cause));
    causes.map(|(_, time)| time.as_nanos()).sum()
}

fn span(begin: u64, end: u64, system: u64) -> [(u64, What); 2] {
    let name = if system == FIRST { "first" } else { "second" };
    let name = Recorder::name(&format!("{SYSTEM}{name}"));
    let value = system;
    [
        (begin, What::SpanBegun { name, value }),
        (end, What::SpanEnded { name }),
    ]
}

#[test]
fn who_sleeps_while_one_system_runs_has_nothing_to_do() {
    let parked = [(
        1,
        What::Parked {
            parker: 7,
            timed: false,
        },
    )];
    let account = account(&span(1100, 1900, FIRST), &parked, false);
    let name = Some("first".to_owned());
    assert_eq!(
        of(&account, |cause| *cause
            == Cause::NothingQueued {
                running: name.clone()
            }),
        800
    );
    assert_eq!(
        of(&account, |cause| *cause
            == Cause::NothingQueued { running: None }),
        200
    );
    assert_eq!(of(&account, |cause| *cause == Cause::Running), 1000);
}

#[test]
fn what_a_schedule_does_in_its_next_run_is_not_held_up_in_this_one() {
    // Twice in the frame: the first, which conflicts with the second and comes before it.
    let schedule = |begin, end| {
        let name = Recorder::name(&format!("{SCHEDULE}Fixed"));
        [
            (begin, What::SpanBegun { name, value: 0 }),
            (end, What::SpanEnded { name }),
        ]
    };
    let mut systems = Vec::new();
    for begin in [1100, 1500] {
        let [begun, ended] = schedule(begin, begin + 300);
        let runs = [
            span(begin + 10, begin + 100, FIRST),
            span(begin + 110, begin + 290, SECOND),
        ];
        systems.extend([&[begun][..], &runs.concat(), &[ended]].concat());
    }
    let parked = [(
        1,
        What::Parked {
            parker: 7,
            timed: false,
        },
    )];
    let account = account(&systems, &parked, true);
    let waits_for_second = |cause: &Cause| match cause {
        Cause::Conflict { running, .. } => running == "second",
        _ => false,
    };
    assert_eq!(of(&account, waits_for_second), 0, "{account:?}");
}

#[test]
fn who_could_run_a_system_that_is_held_up_says_by_whom_and_for_what() {
    let (job, lane) = (3, Lane::Background);
    let (place, work) = (Place::Injector, Work::Spawned);
    // Beside a job whose lane has no room.
    let systems = [
        &[(1050, What::Queued { job, lane, place })][..],
        &span(1100, 1500, FIRST),
        &span(1500, 1900, SECOND),
        &[
            (1950, What::Begun { job, lane, work }),
            (1960, What::Ended { job }),
        ],
    ]
    .concat();
    let parked = [(
        1,
        What::Parked {
            parker: 7,
            timed: false,
        },
    )];
    let account = account(&systems, &parked, true);
    assert_eq!(of(&account, |cause| *cause == Cause::NotOffered), 0);
    let held = Cause::Conflict {
        system: "second".to_owned(),
        running: "first".to_owned(),
        both_want: "Position".to_owned(),
    };
    assert_eq!(of(&account, |cause| *cause == held), 400);
}

#[test]
fn a_wake_up_a_wait_for_a_beat_and_a_lack_of_seats_are_told_apart() {
    let main = [
        (1100, What::Promoted { job: 3 }),
        (1200, What::Woke { parker: 7 }),
    ];
    let begun = What::Begun {
        job: 3,
        lane: Lane::Frame,
        work: Work::Joined,
    };
    let other = [
        (
            1,
            What::Parked {
                parker: 7,
                timed: false,
            },
        ),
        (1050, What::Beat),
        (1300, What::Awake { woken: true }),
        (1400, begun),
        (1800, What::Ended { job: 3 }),
    ];
    let account = account(&main, &other, false);
    assert_eq!(of(&account, |cause| *cause == Cause::BeingWoken), 100);
    // From the beat to the wake-up, and from that to the begin.
    assert_eq!(of(&account, |cause| *cause == Cause::NotOffered), 150 + 100);
    assert_eq!(of(&account, |cause| *cause == Cause::Running), 1400);
    assert_eq!(
        of(&account, |cause| matches!(
            cause,
            Cause::NothingQueued { .. }
        )),
        250
    );
}

#[test]
fn without_a_core_and_in_a_lock_are_no_running() {
    let main = [
        (1000, What::Delayed { ns: 10 }),
        (1000, What::Ran { ns: 100 }),
        (2000, What::Delayed { ns: 210 }),
        (2000, What::Ran { ns: 500 }),
    ];
    let parked = [(
        1,
        What::Parked {
            parker: 7,
            timed: false,
        },
    )];
    let account = account(&main, &parked, false);
    assert_eq!(of(&account, |cause| *cause == Cause::NoCore), 200);
    assert_eq!(of(&account, |cause| *cause == Cause::Blocked), 400);
    assert_eq!(of(&account, |cause| *cause == Cause::Running), 400);
}
