//! Which systems were held up because another one had what they want.

use super::row::Kind;
use super::trace::{Frame, Trace};
use std::collections::HashMap;

/// A run of a system in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) system: u64,
    pub(crate) row: usize,
}

/// A system that could begin, and one that runs and has what it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) system: u64,
    pub(crate) by: u64,
}

/// A run of a schedule on the frame's thread.
pub(crate) struct ScheduleRun {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// The place of the one that it lies in.
    pub(crate) outer: Option<usize>,
}

/// The runs of schedules on the frame's thread, by their begins.
pub(crate) fn schedule_runs(trace: &Trace, frame: &Frame) -> Vec<ScheduleRun> {
    let bars = trace.rows[frame.row].bars.iter();
    let within = bars.filter(|bar| bar.begin >= frame.begin && bar.end <= frame.end);
    let mut spans: Vec<ScheduleRun> = Vec::new();
    for bar in within.filter(|bar| bar.kind == Kind::Schedule) {
        let outer = spans.iter().rposition(|span| bar.end <= span.end);
        let (begin, end) = (bar.begin, bar.end);
        spans.push(ScheduleRun { begin, end, outer });
    }
    spans
}

/// The runs of the app's systems that begin in `frame`, by their begins.
pub(crate) fn runs(trace: &Trace, frame: &Frame) -> Vec<Run> {
    let mut runs = Vec::new();
    for (row, of) in trace.rows.iter().enumerate() {
        for bar in &of.bars {
            if let Kind::System(system) = bar.kind
                && trace.origin.has(system)
                && (frame.begin..frame.end).contains(&bar.begin)
            {
                let (begin, end) = (bar.begin, bar.end.min(frame.end));
                runs.push(Run {
                    begin,
                    end,
                    system,
                    row,
                });
            }
        }
    }
    runs.sort_by_key(|run| run.begin);
    runs
}

/// From which times on in `frame` which system is held up, if any is.
pub(crate) fn held(trace: &Trace, frame: &Frame) -> Vec<(u64, Option<Held>)> {
    let runs = runs(trace, frame);
    // A schedule may run several times in a frame: who waits for whom is of each run its own.
    let spans = schedule_runs(trace, frame);
    let span = |run: &Run| {
        let is_around = |span: &ScheduleRun| span.begin <= run.begin && run.end <= span.end;
        spans.iter().rposition(is_around)
    };
    let in_spans: Vec<_> = runs.iter().map(span).collect();
    let mut of = Runs::new();
    for (run, span) in runs.iter().zip(&in_spans) {
        let times = of.entry((*span, run.system)).or_default();
        times.push((run.begin, run.end));
    }
    let edges = runs.iter().flat_map(|run| [run.begin, run.end]);
    let mut edges: Vec<u64> = edges.collect();
    edges.sort_unstable();
    edges.dedup();
    let at = |time| (time, held_at(trace, &runs, &in_spans, &of, time));
    edges.into_iter().map(at).collect()
}

/// In which of the frame's runs of schedules, and which system.
type Key = (Option<usize>, u64);
type Runs = HashMap<Key, Vec<(u64, u64)>>;

fn held_at(
    trace: &Trace,
    runs: &[Run],
    spans: &[Option<usize>],
    of: &Runs,
    time: u64,
) -> Option<Held> {
    let begun = runs.partition_point(|run| run.begin <= time);
    let running = runs[..begun].iter().zip(spans);
    let running = running.filter(|(run, _)| run.end > time);
    let mut found: Option<(u64, Held)> = None;
    for (run, span) in running {
        let Some(info) = trace.origin.order.systems().get(&run.system) else {
            continue;
        };
        for other in info.conflicts.keys() {
            // The one that waits and begins first, once this one is over.
            let next = next_run(of, (*span, *other), time);
            if let Some(next) = next.filter(|next| *next >= run.end)
                && found.is_none_or(|(first, _)| next < first)
                && may_begin(trace, of, (*span, *other), time)
            {
                let (system, by) = (*other, run.system);
                found = Some((next, Held { system, by }));
            }
        }
    }
    found.map(|(_, held)| held)
}

/// When the system begins next after `time`.
fn next_run(of: &Runs, system: Key, time: u64) -> Option<u64> {
    let runs = of.get(&system)?;
    runs.iter()
        .map(|(begin, _)| *begin)
        .find(|begin| *begin > time)
}

/// Whether all that must be over before the system begins is.
fn may_begin(trace: &Trace, of: &Runs, (span, system): Key, time: u64) -> bool {
    let order = &trace.origin.order;
    let before = order.before(system, |before| of.contains_key(&(span, before)));
    before.into_iter().all(|before| {
        let mut runs = of.get(&(span, before)).into_iter().flatten();
        runs.any(|(_, end)| *end <= time)
    })
}
