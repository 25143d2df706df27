//! Forecasts of frames that were recorded by hand.

use super::super::order::{Order, SystemInfo, Systems};
use super::super::row::{FRAME, LOOP, SCHEDULE, SYSTEM, tests::thread};
use super::super::trace::Origin;
use super::*;
use heartbeat_pool::record::{Recorder, Role, Snapshot, What};
use std::sync::Arc;

const FIRST: u64 = 1 << 32;
const SECOND: u64 = FIRST + 1;
const THIRD: u64 = FIRST + 2;

/// Of three systems, of which the first two conflict.
fn order() -> Order {
    let mut systems = Systems::new();
    let mut add = |system, name: &str, conflicts: &[u64]| {
        let both = |other: &u64| (*other, Arc::from("Position"));
        let info = SystemInfo {
            name: name.to_owned(),
            conflicts: conflicts.iter().map(both).collect(),
            ..Default::default()
        };
        systems.insert(system, info);
    };
    add(FIRST, "first", &[SECOND]);
    add(SECOND, "second", &[FIRST]);
    add(THIRD, "third", &[]);
    Order::from(systems)
}

fn span(name: &str, value: u64, begin: u64, end: u64) -> [(u64, What); 2] {
    let name = Recorder::name(name);
    [
        (begin, What::SpanBegun { name, value }),
        (end, What::SpanEnded { name }),
    ]
}

fn system(name: &str, number: u64, begin: u64, end: u64) -> [(u64, What); 2] {
    span(&format!("{SYSTEM}{name}"), number, begin, end)
}

/// A frame of two milliseconds on one thread, with those events in its one schedule.
fn forecast(threads: usize, events: &[[(u64, What); 2]]) -> Forecast {
    forecast_of(threads, events, order())
}

fn forecast_of(threads: usize, events: &[[(u64, What); 2]], origin: impl Into<Origin>) -> Forecast {
    let frame = span(FRAME, 5, 1_000_000, 3_000_000);
    let schedule = span(&format!("{SCHEDULE}Update"), 0, 1_100_000, 2_900_000);
    let all = [&[frame, schedule], events].concat();
    let mut events: Vec<_> = all.into_iter().flatten().collect();
    events.sort_by_key(|(time, _)| *time);
    let mut snapshot = Snapshot::default();
    snapshot.threads.push(thread(1, Role::Outside, &events));
    let trace = Trace::new(snapshot, origin.into(), threads);
    assert!(trace.forecast(6).is_none());
    trace.forecast(5).unwrap()
}

fn on(forecast: &Forecast, threads: usize) -> u128 {
    let mut times = forecast.times.iter();
    let (_, time, _) = times.find(|(n, ..)| *n == threads).unwrap();
    time.as_micros()
}

#[test]
fn the_systems_to_change_first_are_named_the_best_first() {
    let systems = [
        system("first", FIRST, 1_100_000, 1_900_000),
        system("second", SECOND, 1_900_000, 2_500_000),
        system("third", THIRD, 2_500_000, 2_700_000),
    ];
    let forecast = forecast(2, &systems);
    assert_eq!(forecast.work.as_micros(), 1_999);
    assert_eq!(on(&forecast, 1), 1_999);
    // Both that conflict, one after the other, and what lies around them.
    let two = on(&forecast, 2);
    assert!((1_799..1_820).contains(&two), "{forecast:?}");
    let [first, second, _] = &forecast.gains[..] else {
        panic!("{:?}", forecast.gains);
    };
    // Half of the longest, and then the third one beside what is left of it; or both at once.
    let names = |gain: &Gain| (gain.system.clone(), gain.without_conflict.clone());
    let either = [
        ("first".to_owned(), Some("second".to_owned())),
        ("first".to_owned(), None),
    ];
    assert!(either.contains(&names(first)), "{forecast:?}");
    assert!(first.gain >= second.gain, "{forecast:?}");
    assert!(first.gain > Duration::from_micros(400), "{forecast:?}");
}

#[test]
fn a_loop_that_says_it_is_parallel_is_shared_though_one_thread_ran_it() {
    let system = system("third", THIRD, 1_100_000, 2_700_000);
    let serial = forecast(2, &[system]);
    assert_eq!(on(&serial, 2), 1_999);
    // From 1300 to 2300: half of it, and what it costs to have the other thread come.
    let looped = forecast(2, &[system, span(LOOP, 0, 1_300_000, 2_300_000)]);
    assert_eq!(on(&looped, 1), 1_999);
    let two = on(&looped, 2);
    assert!((1_499..1_560).contains(&two), "{looped:?}");
    // Of one that says only when it begins nothing is known but that.
    let name = Recorder::name(LOOP);
    let mark = (1_700_000, What::Mark { name, value: 0 });
    let marked = forecast(2, &[system, [mark, mark]]);
    let two = on(&marked, 2);
    assert!((1_499..1_560).contains(&two), "{marked:?}");
}

#[test]
fn a_schedule_in_a_system_is_work_of_its_own_and_others_keep_theirs() {
    // "first" runs a schedule in which "third" and another one run, then "second" runs.
    let inner = span(&format!("{SCHEDULE}Inner"), 0, 1_200_000, 2_200_000);
    let systems = [
        system("first", FIRST, 1_100_000, 2_300_000),
        inner,
        system("third", THIRD, 1_200_000, 1_700_000),
        system("fourth", THIRD + 1, 1_700_000, 2_200_000),
        system("second", SECOND, 2_300_000, 2_900_000),
    ];
    let forecast = forecast(2, &systems);
    assert!((1_997..2_001).contains(&on(&forecast, 1)), "{forecast:?}");
    // The inner two beside each other; "second" waits for "first".
    let two = on(&forecast, 2);
    assert!((1_490..1_560).contains(&two), "{forecast:?}");
}

#[test]
fn a_loop_beside_a_schedule_in_a_system_is_shared() {
    let systems = [
        system("first", FIRST, 1_100_000, 2_900_000),
        span(LOOP, 0, 1_200_000, 2_200_000),
        span(&format!("{SCHEDULE}Inner"), 0, 2_300_000, 2_800_000),
        system("third", THIRD, 2_300_000, 2_800_000),
    ];
    let forecast = forecast(2, &systems);
    assert!((1_997..2_001).contains(&on(&forecast, 1)), "{forecast:?}");
    let two = on(&forecast, 2);
    assert!((1_499..1_560).contains(&two), "{forecast:?}");
}

#[test]
fn hundreds_that_all_conflict_are_forecast_at_once() {
    let systems = 300;
    let mut order = Systems::new();
    for system in 0..systems {
        let others = (0..systems).filter(|other| *other != system);
        let conflicts = others.map(|other| (FIRST + other, Arc::from("Position")));
        let info = SystemInfo {
            conflicts: conflicts.collect(),
            ..Default::default()
        };
        order.insert(FIRST + system, info);
    }
    let runs = (0..systems).map(|number| {
        let begin = 1_200_000 + number * 5_000;
        system("one", FIRST + number, begin, begin + 4_000)
    });
    let forecast = forecast_of(2, &runs.collect::<Vec<_>>(), Order::from(order));
    assert!(
        on(&forecast, 1) <= 2_000 && on(&forecast, 64) >= 1_800,
        "{forecast:?}"
    );
}

#[test]
fn what_another_apps_system_did_is_not_the_frames_own() {
    let other = 7 << 32;
    let systems = [
        system("first", FIRST, 1_200_000, 1_700_000),
        system("other", other, 1_800_000, 2_800_000),
    ];
    let all = forecast(2, &systems);
    let mut origin = Origin::from(order());
    origin.schedules = Arc::new([FIRST >> 32].into());
    assert!(origin.has(SECOND) && !origin.has(other));
    let own = forecast_of(2, &systems, origin);
    assert!(
        all.gains.iter().any(|gain| gain.system == "other"),
        "{all:?}"
    );
    assert!(
        own.gains.iter().all(|gain| gain.system != "other"),
        "{own:?}"
    );
}

#[test]
fn a_frame_of_no_schedule_is_the_main_threads_alone() {
    let empty = forecast(4, &[]);
    assert_eq!(on(&empty, 64), 2_000);
    assert!(empty.gains.is_empty());
    let limits = empty.times.iter().map(|(_, _, limit)| *limit);
    assert!(limits.skip(1).all(|limit| limit == Limit::MainThread));
}
