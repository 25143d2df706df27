//! A recorded frame as work that any number of threads could have done: schedules' runs one after
//! the other, each of systems with an order, and what the main thread does in between.

use super::conflict::{Run, ScheduleRun, runs, schedule_runs};
use super::costs::{Costs, NOTED};
use super::flow::Way;
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
    /// Whether only the main thread may run it.
    pub(super) on_main: bool,
    /// The schedules that it runs, by their places in the model: it does nothing else meanwhile.
    pub(super) inner: Vec<usize>,
}

/// A schedule's run.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) tasks: Vec<Task>,
    /// What the executor takes itself on one thread, in nanoseconds.
    pub(super) overhead: f64,
    /// The schedules that run in it, but in none of its tasks.
    pub(super) inner: Vec<usize>,
}

/// A frame's work, all in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// What the main thread does outside of schedules that were recorded.
    pub(super) main: f64,
    pub(super) stages: Vec<Stage>,
    /// Those that run in no other one.
    pub(super) outer: Vec<usize>,
    pub(super) costs: Costs,
}

impl Model {
    pub(super) fn new(trace: &Trace, frame: &Frame) -> Self {
        let spans = schedule_runs(trace, frame);
        let mut runs_of = vec![Vec::new(); spans.len()];
        for run in runs(trace, frame) {
            let is_around = |span: &ScheduleRun| span.begin <= run.begin && run.end <= span.end;
            if let Some(place) = spans.iter().rposition(is_around) {
                runs_of[place].push(run);
            }
        }
        let mut model = Self {
            main: 0.0,
            stages: Vec::new(),
            outer: inner(&spans, None),
            costs: trace.costs,
        };
        let own = ran(trace, frame.row, frame.begin, frame.end);
        let rest = own.saturating_sub(ran_in(trace, frame.row, &spans, &model.outer));
        model.main = rest as f64;
        for (place, mut of) in runs_of.into_iter().enumerate() {
            outermost(&mut of);
            model
                .stages
                .push(stage(trace, frame.row, &spans, place, &of));
        }
        model
    }
}

/// The places of those that lie in `outer`, and in no other one in it.
fn inner(spans: &[ScheduleRun], outer: Option<usize>) -> Vec<usize> {
    let of = |place: &usize| spans[*place].outer == outer;
    (0..spans.len()).filter(of).collect()
}

/// For how long `row` ran in those of `spans`.
fn ran_in(trace: &Trace, row: usize, spans: &[ScheduleRun], places: &[usize]) -> u64 {
    let spans = places.iter().map(|place| &spans[*place]);
    spans
        .map(|span| ran(trace, row, span.begin, span.end))
        .sum()
}

/// Forgets runs that lie in others, of systems that run a schedule of which nothing is recorded.
fn outermost(runs: &mut Vec<Run>) {
    let all = runs.clone();
    runs.retain(|run| {
        let is_around = |other: &Run| {
            let is_other = other.system != run.system || other.begin != run.begin;
            let is_around = other.begin <= run.begin && run.end <= other.end;
            is_other && other.row == run.row && is_around
        };
        let begun = all.partition_point(|other| other.begin <= run.begin);
        !all[..begun].iter().any(is_around)
    });
}

/// The schedule's run at `place`, in which `of` ran.
fn stage(trace: &Trace, row: usize, spans: &[ScheduleRun], place: usize, of: &[Run]) -> Stage {
    let mut loose = inner(spans, Some(place));
    let mut tasks = tasks(trace, of);
    for (task, run) in tasks.iter_mut().zip(of).filter(|(_, run)| run.row == row) {
        let is_in = |inner: &mut usize| (run.begin..run.end).contains(&spans[*inner].begin);
        task.inner = loose.extract_if(.., is_in).collect();
        if !task.inner.is_empty() {
            let inner = task.inner.iter().map(|place| &spans[*place]);
            let holes: Vec<_> = inner.map(|span| (span.begin, span.end)).collect();
            (task.serial, task.shared) = work(trace, run, &holes);
        }
    }
    let span = &spans[place];
    let others = ran_in(trace, row, spans, &loose);
    let overhead = overhead(trace, row, of, (span.begin, span.end), others);
    Stage {
        tasks,
        overhead,
        inner: loose,
    }
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
        let info = trace.origin.order.systems().get(&run.system);
        let (serial, shared) = work(trace, run, &[]);
        let mut task = Task {
            system: run.system,
            serial,
            shared,
            after: Vec::new(),
            conflicts: Vec::new(),
            on_main: false,
            inner: Vec::new(),
        };
        if let Some(info) = info {
            let before = trace
                .origin
                .order
                .before(run.system, |before| place.contains_key(&before));
            task.after = places(&mut before.iter());
            task.conflicts = places(&mut info.conflicts.keys());
            task.on_main = info.on_main;
        }
        task.after.retain(|other| *other != own);
        task
    };
    of.iter().enumerate().map(task).collect()
}

/// What the executor would take on one thread, of a run on `row` from `begin` to `end` in which
/// these systems ran, and others for so long.
fn overhead(trace: &Trace, row: usize, of: &[Run], (begin, end): (u64, u64), others: u64) -> f64 {
    let is_main = |run: &&Run| run.row == row;
    let own = of.iter().filter(is_main);
    let systems: u64 = own.map(|run| ran(trace, row, run.begin, run.end)).sum();
    let rest = ran(trace, row, begin, end).saturating_sub(systems + others) as f64;
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
        let is_in_system = || trace.rows[row].system_since(flow.left, begin).is_some();
        is_here && flow.way == Way::Queued && !is_in_system()
    });
    queued.count()
}

/// Times between a begin and an end on a row.
type Stretch = (usize, u64, u64);

/// What a system's run took that one thread must do, and what several could share, but in `holes`,
/// in which it ran schedules.
fn work(trace: &Trace, run: &Run, holes: &[(u64, u64)]) -> (f64, f64) {
    let sum = |stretches: &[Stretch]| -> f64 {
        let times = stretches.iter();
        let times = times.map(|(row, begin, end)| ran(trace, *row, *begin, *end));
        times.sum::<u64>() as f64
    };
    let (given, first) = given(trace, run, holes);
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
    let own = without(own, holes);
    let shared = sum(&own);
    let all = sum(&without(vec![(run.row, run.begin, run.end)], holes));
    let serial = all - NOTED - shared;
    (serial.max(0.0), shared + sum(&given))
}

/// What is left of these stretches, but for `holes`.
fn without(mut of: Vec<Stretch>, holes: &[(u64, u64)]) -> Vec<Stretch> {
    for (from, to) in holes {
        let parts = of.into_iter().flat_map(|(row, begin, end)| {
            [(row, begin, end.min(*from)), (row, begin.max(*to), end)]
        });
        of = parts.filter(|(_, begin, end)| begin < end).collect();
    }
    of
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
fn given(trace: &Trace, run: &Run, holes: &[(u64, u64)]) -> (Vec<Stretch>, Option<u64>) {
    let mut given: Vec<Stretch> = Vec::new();
    let mut first = None;
    let mut places = vec![(run.row, run.begin, run.end)];
    while let Some((row, begin, end)) = places.pop() {
        let after = trace.flows.partition_point(|flow| flow.came < begin);
        let flows = trace.flows[after..].iter();
        for flow in flows.take_while(|flow| flow.came <= run.end) {
            let is_part = flow.from == row && (begin..end).contains(&flow.left);
            let is_around = |(from, to): &(u64, u64)| (*from..*to).contains(&flow.left);
            let is_inner = row == run.row && holes.iter().any(is_around);
            if !is_part || is_inner || flow.to == row || !flow.way.is_work() {
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
