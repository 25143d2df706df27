//! What it costs to hand work to other threads, as a recording shows it.

use super::flow::{Flow, Way};
use super::row::{Kind, Row, State};
use heartbeat_pool::record::{Place, Snapshot, What, Work};

/// What is taken for a cost that a recording does not show, in nanoseconds.
const USUAL: Costs = Costs {
    spawn: 80.0,
    next: 200.0,
    fork: 60.0,
    steal: 600.0,
    wake_up: 30_000.0,
};
/// What noting a begin and an end adds, in nanoseconds, to a system, and as much to what lies between
/// two: the clock lets nothing that comes before or after overlap with it.
pub(super) const NOTED: f64 = 170.0;
/// Fewer samples show nothing.
const FEW: usize = 3;
/// What takes longer than this, in nanoseconds, was no mere step from one thing to the next.
const LONG: u64 = 20_000;

/// Costs in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Costs {
    /// To queue a system for whoever takes it.
    pub(crate) spawn: f64,
    /// From a queued system's end to the begin of the next one on the same thread.
    pub(crate) next: f64,
    /// To offer half of a loop.
    pub(crate) fork: f64,
    /// What passes until a thread has work that looks for some.
    pub(crate) steal: f64,
    /// The same of one that sleeps.
    pub(crate) wake_up: f64,
}

impl Default for Costs {
    fn default() -> Self {
        USUAL
    }
}

/// The sample below which that share of them lies.
fn share(mut samples: Vec<u64>, share: f64) -> Option<f64> {
    samples.sort_unstable();
    let place = (samples.len() as f64 * share) as usize;
    let sample = samples.get(place).filter(|_| samples.len() >= FEW);
    sample.map(|sample| *sample as f64)
}

impl Costs {
    /// Those of a recording whose threads are these rows.
    pub(crate) fn of(snapshot: &Snapshot, rows: &[Row], flows: &[Flow]) -> Self {
        let is_spawn = |what| matches!(what, What::Queued { place, .. } if place == Place::Scope);
        let is_fork = |what| matches!(what, What::Forked { .. });
        let (mut next, mut steals, mut wake_ups) = (Vec::new(), Vec::new(), Vec::new());
        for flow in flows.iter().filter(|flow| flow.way.is_work()) {
            match arrival(&rows[flow.to], flow) {
                Arrival::Next(time) => next.push(time),
                Arrival::Steal(time) => steals.push(time),
                Arrival::WakeUp(time) => wake_ups.push(time),
                Arrival::Other => {}
            }
        }
        let half = |samples| share(samples, 0.5);
        Self {
            spawn: half(steps(snapshot, is_spawn)).unwrap_or(USUAL.spawn),
            next: half(next).map_or(USUAL.next, |next| (next - NOTED).max(0.0)),
            // Between half of them lies a part of the loop itself.
            fork: share(steps(snapshot, is_fork), 0.25)
                .unwrap_or(USUAL.fork)
                .min(USUAL.spawn),
            steal: half(steals).unwrap_or(USUAL.steal),
            wake_up: half(wake_ups).unwrap_or(USUAL.wake_up),
        }
    }
}

/// The times from one event of a kind to the next, where nothing lies between them.
fn steps(snapshot: &Snapshot, is: impl Fn(What) -> bool) -> Vec<u64> {
    let threads = snapshot.threads.iter();
    let pairs = threads.flat_map(|thread| thread.events.windows(2));
    let steps = pairs.filter(|pair| is(pair[0].what) && is(pair[1].what));
    let times = steps.map(|pair| pair[1].time - pair[0].time);
    times.filter(|time| *time < LONG).collect()
}

/// How a thread came to a piece of work, and how long it took.
enum Arrival {
    /// It was through with a system, and took the next.
    Next(u64),
    /// It looked for work.
    Steal(u64),
    /// It slept.
    WakeUp(u64),
    /// It had something else to do, or did it itself.
    Other,
}

/// How `row` came to what `flow` brought.
fn arrival(row: &Row, flow: &Flow) -> Arrival {
    let begun = row.bars.partition_point(|bar| bar.begin < flow.came);
    // Bars are by their begins: what ends late may have begun long before.
    let recent = row.bars[..begun].iter().rev().take(RECENT);
    let (mut was_busy, mut slept, mut system) = (false, None, None);
    for bar in recent.filter(|bar| (flow.left..=flow.came).contains(&bar.end)) {
        match bar.kind {
            Kind::Sleep => slept = slept.max(Some(bar.end)),
            Kind::System(_) => system = system.max(Some(bar.end)),
            Kind::Job(work, _) if work != Work::Spawned => was_busy = true,
            _ => {}
        }
    }
    // While it was busy, it was not what was offered that waited for it.
    let waited = flow.came - idle_since(row, flow.came).max(flow.left);
    match system {
        Some(end) if flow.way == Way::Queued && slept < system => {
            let began = row.bars[begun..].iter().take(RECENT);
            let mut systems = began.filter(|bar| matches!(bar.kind, Kind::System(_)));
            let next = systems.next().map(|bar| bar.begin - end);
            next.filter(|time| *time < LONG)
                .map_or(Arrival::Other, Arrival::Next)
        }
        None if !was_busy && flow.from != flow.to && slept.is_some() => Arrival::WakeUp(waited),
        None if !was_busy && flow.from != flow.to => Arrival::Steal(waited),
        _ => Arrival::Other,
    }
}

/// Since when `row` had nothing to do before `time`; 0 if it had.
fn idle_since(row: &Row, time: u64) -> u64 {
    let before = row.states.partition_point(|(begin, _)| *begin < time);
    let mut states = row.states[..before].iter().rev();
    let idle = states
        .by_ref()
        .take_while(|(_, state)| *state != State::Running);
    idle.last().map_or(0, |(begin, _)| *begin)
}

/// Bars before and after an arrival that can say how it came.
const RECENT: usize = 16;

#[cfg(test)]
mod tests {
    use super::super::flow::flows;
    use super::super::row::{SYSTEM, tests::thread};
    use super::*;
    use heartbeat_pool::Lane;
    use heartbeat_pool::record::{Recorder, Role};

    const PARKER: u64 = 9;

    const LANE: Lane = Lane::Frame;

    /// A queued system that runs.
    fn run(begin: u64, end: u64) -> [(u64, What); 4] {
        let name = Recorder::name(&format!("{SYSTEM}costs::system"));
        let value = 1 << 32;
        let begun = What::Begun {
            job: 5,
            lane: LANE,
            work: Work::Scoped,
        };
        [
            (begin, begun),
            (begin + 100, What::SpanBegun { name, value }),
            (end, What::SpanEnded { name }),
            (end + 100, What::Ended { job: 5 }),
        ]
    }

    /// What one thread queues in a round, and the other one takes: asleep, then awake, then at
    /// once.
    fn round(start: u64) -> [Vec<(u64, What)>; 2] {
        let queued = What::Queued {
            job: 5,
            lane: LANE,
            place: Place::Scope,
        };
        let (parker, timed) = (PARKER, false);
        let sleep = [
            (0, What::Parked { parker, timed }),
            (6_000, What::Awake { woken: true }),
        ];
        let mut takes = sleep.to_vec();
        // Queued at 0 and 400: woken for the first, through with that for the second.
        takes.extend(run(7_000, 20_000));
        takes.extend(run(20_200, 30_000));
        // Queued while it looks for work.
        takes.extend(run(41_000, 50_000));
        let takes = takes.into_iter().map(|(time, what)| (start + time, what));
        let queues = [0, 400, 40_000].map(|time| (start + time, queued));
        [queues.to_vec(), takes.collect()]
    }

    fn costs(rounds: u64) -> Costs {
        let (mut queues, mut takes) = (Vec::new(), Vec::new());
        for round in (0..rounds).map(|place| round(1_000_000 * (place + 1))) {
            let [queued, taken] = round;
            queues.extend(queued);
            takes.extend(taken);
        }
        let mut snapshot = Snapshot::default();
        snapshot.threads.push(thread(1, Role::Outside, &queues));
        snapshot.threads.push(thread(2, Role::Frame, &takes));
        let rows: Vec<_> = snapshot.threads.iter().map(Row::new).collect();
        Costs::of(&snapshot, &rows, &flows(&snapshot))
    }

    #[test]
    fn each_cost_is_that_of_its_own_kind() {
        let expected = Costs {
            spawn: 400.0,
            next: 300.0 - NOTED,
            steal: 1_000.0,
            wake_up: 7_000.0,
            ..USUAL
        };
        assert_eq!(costs(4), expected);
    }

    #[test]
    fn what_is_hardly_shown_is_taken_to_be_as_usual() {
        assert_eq!(costs(2), USUAL);
    }

    #[test]
    fn a_fork_is_what_lies_between_two_at_the_best() {
        let times = [0, 50, 100, 150, 9_000, 9_050, 17_000];
        let events = times.map(|time| (time, What::Forked { job: time }));
        let mut snapshot = Snapshot::default();
        snapshot.threads.push(thread(1, Role::Frame, &events));
        assert_eq!(Costs::of(&snapshot, &[], &[]).fork, 50.0);
    }
}
