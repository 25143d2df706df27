//! A recorded frame as work that any number of threads could have done: schedules' runs one after
//! the other, each of systems with an order, and what the main thread does in between.

use super::conflict::{Run, runs};
use super::costs::{Costs, NOTED};
use super::flow::Way;
use super::row::Kind;
use super::trace::{Frame, Trace};
use std::collections::HashMap;

/// What one thread takes from a system to the next, in nanoseconds, where others took part.
const USUAL_STEP: f64 = 100.0;

/// A system's work.
#[derive(Clone, Debug)]
pub(super) struct Task {
    pub(super) system: u64,
    /// Nanoseconds that one thread must do.
    pub(super) serial: f64,
    /// Nanoseconds that any number of threads could share.
    pub(super) shared: f64,
    /// The places of those that must be over before.
    pub(super) after: Vec<usize>,
    /// The places of those that can't run beside it.
    pub(super) conflicts: Vec<usize>,
}

/// A schedule's run.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) tasks: Vec<Task>,
    /// What the executor takes itself on one thread, in nanoseconds.
    pub(super) overhead: f64,
}

/// A frame's work, all in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// What the main thread does outside of schedules that were recorded.
    pub(super) main: f64,
    pub(super) stages: Vec<Stage>,
    pub(super) costs: Costs,
}

impl Model {
    pub(super) fn new(trace: &Trace, frame: &Frame) -> Self {
        let all = runs(trace, frame);
        let leaves = leaf_schedules(trace, frame);
        let mut rest = ran(trace, frame.row, frame.begin, frame.end);
        let mut stages = Vec::new();
        for (begin, end) in leaves {
            rest = rest.saturating_sub(ran(trace, frame.row, begin, end));
            let of = all
                .iter()
                .filter(|run| (begin..end).contains(&run.begin) && run.end <= end);
            let of: Vec<Run> = of.copied().collect();
            stages.push(Stage {
                tasks: tasks(trace, &of),
                overhead: overhead(trace, frame.row, &of, begin, end),
            });
        }
        Self {
            main: rest as f64,
            stages,
            costs: trace.costs,
        }
    }
}

/// The runs of schedules on the frame's thread that no other one lies in.
fn leaf_schedules(trace: &Trace, frame: &Frame) -> Vec<(u64, u64)> {
    let bars = &trace.rows[frame.row].bars;
    let is_run = |kind: Kind| kind == Kind::Schedule;
    let within = bars
        .iter()
        .filter(|bar| bar.begin >= frame.begin && bar.end <= frame.end);
    let spans: Vec<_> = within
        .filter(|bar| is_run(bar.kind))
        .map(|bar| (bar.begin, bar.end))
        .collect();
    let lies_in = |inner: &(u64, u64), outer: &(u64, u64)| {
        inner != outer && inner.0 >= outer.0 && inner.1 <= outer.1
    };
    let is_leaf = |outer: &&(u64, u64)| !spans.iter().any(|inner| lies_in(inner, outer));
    spans.iter().filter(is_leaf).copied().collect()
}

fn tasks(trace: &Trace, of: &[Run]) -> Vec<Task> {
    // The last run of each, if one ran more than once.
    let place: HashMap<u64, usize> = of
        .iter()
        .enumerate()
        .map(|(i, run)| (run.system, i))
        .collect();
    let places = |systems: &mut dyn Iterator<Item = &u64>| -> Vec<usize> {
        systems
            .filter_map(|system| place.get(system).copied())
            .collect()
    };
    let task = |(own, run): (usize, &Run)| {
        let info = trace.order.systems.get(&run.system);
        let (serial, shared) = work(trace, run);
        let mut task = Task {
            system: run.system,
            serial,
            shared,
            after: Vec::new(),
            conflicts: Vec::new(),
        };
        if let Some(info) = info {
            task.after = places(&mut info.after.iter());
            task.conflicts = places(&mut info.conflicts.keys());
        }
        task.after.retain(|other| *other != own);
        task
    };
    of.iter().enumerate().map(task).collect()
}

/// What the executor would take on one thread, of a run on `row` from `begin` to `end` in which
/// these systems ran.
fn overhead(trace: &Trace, row: usize, of: &[Run], begin: u64, end: u64) -> f64 {
    let is_main = |run: &&Run| run.row == row;
    let own = of.iter().filter(is_main);
    let systems: u64 = own.map(|run| ran(trace, row, run.begin, run.end)).sum();
    let rest = ran(trace, row, begin, end).saturating_sub(systems) as f64;
    let queued = queued(trace, row, begin, end);
    if queued == 0 {
        return rest;
    }
    // Less what one thread has not to do: it queues nothing, and takes nothing out of a queue.
    let taken = of.iter().filter(is_main).count() as f64;
    let next = trace.costs.next + NOTED;
    let handed = queued as f64 * trace.costs.spawn + taken * next;
    (rest - handed).max(0.0) + of.len() as f64 * USUAL_STEP
}

/// How many systems `row` has queued between these times.
fn queued(trace: &Trace, row: usize, begin: u64, end: u64) -> usize {
    let came = trace.flows.partition_point(|flow| flow.came < begin);
    let flows = trace.flows[came..].iter();
    // None that was queued here came later than the schedule's end.
    let flows = flows.take_while(|flow| flow.came <= end);
    let queued = flows.filter(|flow| {
        let is_here = flow.from == row && flow.left >= begin;
        is_here && flow.way == Way::Queued && trace.rows[row].system(flow.left).is_none()
    });
    queued.count()
}

/// Times between a begin and an end on a row.
type Stretch = (usize, u64, u64);

/// What a system's run took that one thread must do, and what several could share.
fn work(trace: &Trace, run: &Run) -> (f64, f64) {
    let sum = |stretches: &[Stretch]| -> f64 {
        let times = stretches.iter();
        let times = times.map(|(row, begin, end)| ran(trace, *row, *begin, *end));
        times.sum::<u64>() as f64
    };
    let (given, first) = given(trace, run);
    let mut own = loops(trace, run);
    // What was offered outside of loops is not known to end before the system does.
    let is_outside = |left: &u64| {
        !own.iter()
            .any(|(_, begin, end)| (*begin..*end).contains(left))
    };
    if let Some(left) = first.filter(is_outside) {
        own.retain(|(_, begin, _)| *begin < left);
        own.push((run.row, left, run.end));
    }
    let shared = sum(&own);
    let serial = ran(trace, run.row, run.begin, run.end) as f64 - NOTED - shared;
    (serial.max(0.0), shared + sum(&given))
}

/// The loops in `run` that say themselves that they are parallel, apart from those in others.
fn loops(trace: &Trace, run: &Run) -> Vec<Stretch> {
    let loops = &trace.rows[run.row].loops;
    let after = loops.partition_point(|(begin, _)| *begin < run.begin);
    let (mut found, mut until) = (Vec::new(), run.begin);
    for (begin, end) in loops[after..]
        .iter()
        .take_while(|(begin, _)| *begin < run.end)
    {
        let (begin, end) = ((*begin).max(until), (*end).min(run.end));
        if begin < end {
            found.push((run.row, begin, end));
            until = end;
        }
    }
    found
}

/// The parts of `run` that other threads took, and when it offered the first of them.
fn given(trace: &Trace, run: &Run) -> (Vec<Stretch>, Option<u64>) {
    let mut given: Vec<Stretch> = Vec::new();
    let mut first = None;
    let mut places = vec![(run.row, run.begin, run.end)];
    while let Some((row, begin, end)) = places.pop() {
        let after = trace.flows.partition_point(|flow| flow.came < begin);
        let flows = trace.flows[after..].iter();
        for flow in flows.take_while(|flow| flow.came <= run.end) {
            let is_part = flow.from == row && (begin..end).contains(&flow.left);
            if !is_part || flow.to == row || !flow.way.is_work() {
                continue;
            }
            first = first.or(Some(flow.left));
            let lies_in = |(row, begin, end): &Stretch| {
                *row == flow.to && (*begin..*end).contains(&flow.came)
            };
            // Parts of a part may come back to where it came from.
            if flow.to == run.row || given.iter().any(lies_in) {
                continue;
            }
            let over = ended(trace, flow.to, flow.came).min(run.end);
            given.push((flow.to, flow.came, over));
            places.push((flow.to, flow.came, over));
        }
    }
    (given, first)
}

/// When the job ends that `row` begins at `time`.
fn ended(trace: &Trace, row: usize, time: u64) -> u64 {
    let bars = &trace.rows[row].bars;
    let place = bars.partition_point(|bar| bar.begin < time);
    bars.get(place).map_or(time, |bar| bar.end)
}

/// For how long `row` ran between two times and had a core.
fn ran(trace: &Trace, row: usize, begin: u64, end: u64) -> u64 {
    let row = &trace.rows[row];
    // What it is blocked for is its own: other threads would not make that less.
    let (no_core, _) = row.without_core(begin, end);
    row.running(begin, end) - no_core
}
