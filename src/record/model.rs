//! A recorded frame as work that any number of threads could have done: schedules' runs one after
//! the other, each of systems with an order, and what the main thread does in between.

use super::conflict::{Run, runs};
use super::row::Kind;
use super::trace::{Frame, Trace};
use std::collections::HashMap;

/// What it costs to hand a system to the executor's threads where no run has shown it, in
/// nanoseconds.
const USUAL_SPAWN: f64 = 1_500.0;
/// The same of a hand-over to another thread.
const USUAL_HAND_OVER: f64 = 5_000.0;

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
    /// What the executor took itself, in nanoseconds.
    pub(super) overhead: f64,
}

/// A frame's work, all in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// What the main thread does outside of schedules that were recorded.
    pub(super) main: f64,
    pub(super) stages: Vec<Stage>,
    /// What a system costs more if others may run it.
    pub(super) spawn: f64,
    /// What passes until another thread has begun.
    pub(super) hand_over: f64,
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
            let (no_core, _) = trace.rows[frame.row].without_core(begin, end);
            let with_core = 1.0 - no_core as f64 / (end - begin).max(1) as f64;
            let mut stage = stage(trace, &of, begin, end);
            stage.overhead *= with_core;
            stages.push(stage);
        }
        Self {
            main: rest as f64,
            stages,
            spawn: USUAL_SPAWN,
            hand_over: hand_over(trace).unwrap_or(USUAL_HAND_OVER),
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

fn stage(trace: &Trace, of: &[Run], begin: u64, end: u64) -> Stage {
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
    let tasks: Vec<_> = of.iter().enumerate().map(task).collect();
    let covered = covered(of);
    Stage {
        tasks,
        overhead: (end - begin).saturating_sub(covered) as f64,
    }
}

/// For how long any of the runs went on.
fn covered(runs: &[Run]) -> u64 {
    let (mut covered, mut until) = (0, 0);
    for run in runs {
        covered += run.end.saturating_sub(run.begin.max(until));
        until = until.max(run.end);
    }
    covered
}

/// What a system's run took that one thread must do, and what several could share.
fn work(trace: &Trace, run: &Run) -> (f64, f64) {
    let own = |begin, end| ran(trace, run.row, begin, end) as f64;
    let mut given = 0.0;
    let mut first = None;
    let mut places = vec![(run.row, run.begin, run.end)];
    while let Some((row, begin, end)) = places.pop() {
        let after = trace.flows.partition_point(|flow| flow.came < begin);
        for flow in &trace.flows[after..] {
            let is_part = flow.from == row && (begin..end).contains(&flow.left);
            if flow.came > run.end {
                break;
            }
            if !is_part || flow.to == row || !flow.way.is_work() {
                continue;
            }
            first = first.or(Some(flow.left));
            let over = ended(trace, flow.to, flow.came).min(run.end);
            given += ran(trace, flow.to, flow.came, over) as f64;
            places.push((flow.to, flow.came, over));
        }
    }
    match first {
        Some(first) => (own(run.begin, first), own(first, run.end) + given),
        None => (own(run.begin, run.end), 0.0),
    }
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

/// What usually passes from the moment that work is offered until another thread begins it.
fn hand_over(trace: &Trace) -> Option<f64> {
    let flows = trace.flows.iter();
    let taken = flows.filter(|flow| flow.from != flow.to && flow.way.is_work());
    let mut times: Vec<u64> = taken
        .map(|flow| flow.came.saturating_sub(flow.left))
        .collect();
    times.sort_unstable();
    times.get(times.len() / 2).map(|time| *time as f64)
}
