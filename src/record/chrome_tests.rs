//! What is written, of recordings made by hand and by chance.

use super::super::made::{self, Chance};
use super::*;
use heartbeat_pool::Lane;
use heartbeat_pool::record::{Place, What, Work};

#[path = "../../tests/common/chrome_json.rs"]
mod chrome_json;

fn written(trace: &Trace) -> String {
    let mut text = Vec::new();
    trace.write_chrome(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn slices_nest_and_flows_lie_in_them_whatever_happened_and_wherever_it_was_cut() {
    let mut chance = Chance::new(11);
    let mut flows = 0;
    for _ in 0..300 {
        let mut trace = made::trace(&mut chance);
        let all = trace.flows.len();
        let found = chrome_json::check(&written(&trace));
        assert_eq!((found.flows, found.left_out), (all, 0));
        flows += all;
        trace.cut(chance.below(2_000));
        let found = chrome_json::check(&written(&trace));
        let left = found.flows + found.left_out as usize;
        assert_eq!(left, trace.flows.len());
    }
    assert!(flows > 1_000, "{flows} flows");
}

/// A thread from outside wakes one of the pool's, and queues a job that this one finds later.
fn woken_and_queued() -> Trace {
    let lane = Lane::Frame;
    let place = Place::Own;
    let main = [
        (1_000, What::Woke { parker: 9 }),
        (
            5_000,
            What::Queued {
                job: 1,
                lane,
                place,
            },
        ),
    ];
    let begun = What::Begun {
        job: 1,
        lane,
        work: Work::Spawned,
    };
    let other = [
        (
            500,
            What::Parked {
                parker: 9,
                timed: false,
            },
        ),
        (3_000, What::Awake { woken: true }),
        (7_000, begun),
        (8_000, What::Ended { job: 1 }),
    ];
    made::of(&main, &other)
}

#[test]
fn a_wake_up_and_who_wakes_have_slices_though_neither_does_anything_else() {
    let mut trace = woken_and_queued();
    let found = chrome_json::check(&written(&trace));
    assert_eq!((found.flows, found.left_out), (2, 0));
    // Times are those after the first, the first wake-up's.
    assert_eq!(found.slices[&1], [(0, 1_000), (4_000, 5_000)]);
    let others = [(0, 2_000), (2_000, 6_000), (6_000, 7_000)];
    assert_eq!(found.slices[&2], others);
    let names: Vec<_> = [1, 2].map(|thread| found.threads[&thread].as_str()).into();
    assert_eq!(names, ["thread 1", "thread 2"]);

    trace.cut(6_000);
    let found = chrome_json::check(&written(&trace));
    assert_eq!((found.flows, found.left_out), (0, 1));
    assert_eq!(found.slices[&2], [(0, 1_000), (1_000, 2_000)]);
}

#[test]
fn no_nanosecond_is_lost_where_a_reader_cuts_off() {
    let mut chance = Chance::new(3);
    // Up to some hours.
    for digits in 1..14 {
        for _ in 0..2_000 {
            let nanos = chance.below(1 << 31).wrapping_mul(chance.below(1 << 31));
            let nanos = nanos % 10_u64.pow(digits);
            assert_eq!((micros(nanos) * 1e3) as u64, nanos);
        }
    }
}
