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

/// The runs of systems that begin in `frame`, by their begins.
pub(crate) fn runs(trace: &Trace, frame: &Frame) -> Vec<Run> {
    let mut runs = Vec::new();
    for (row, of) in trace.rows.iter().enumerate() {
        for bar in &of.bars {
            if let Kind::System(system) = bar.kind
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
    let mut of: HashMap<u64, Vec<(u64, u64)>> = HashMap::new();
    for run in &runs {
        of.entry(run.system).or_default().push((run.begin, run.end));
    }
    let edges = runs.iter().flat_map(|run| [run.begin, run.end]);
    let mut edges: Vec<u64> = edges.collect();
    edges.sort_unstable();
    edges.dedup();
    let at = |time| (time, held_at(trace, &runs, &of, time));
    edges.into_iter().map(at).collect()
}

type Runs = HashMap<u64, Vec<(u64, u64)>>;

fn held_at(trace: &Trace, runs: &[Run], of: &Runs, time: u64) -> Option<Held> {
    let begun = runs.partition_point(|run| run.begin <= time);
    let running = runs[..begun].iter().filter(|run| run.end > time);
    let mut found: Option<(u64, Held)> = None;
    for run in running {
        let Some(info) = trace.order.systems().get(&run.system) else {
            continue;
        };
        for other in info.conflicts.keys() {
            // The one that waits and begins first, once this one is over.
            let next = next_run(of, *other, time);
            if let Some(next) = next.filter(|next| *next >= run.end)
                && found.is_none_or(|(first, _)| next < first)
                && may_begin(trace, of, *other, time)
            {
                let (system, by) = (*other, run.system);
                found = Some((next, Held { system, by }));
            }
        }
    }
    found.map(|(_, held)| held)
}

/// When the system begins next after `time`.
fn next_run(of: &Runs, system: u64, time: u64) -> Option<u64> {
    let runs = of.get(&system)?;
    runs.iter()
        .map(|(begin, _)| *begin)
        .find(|begin| *begin > time)
}

/// Whether all that must be over before the system begins is.
fn may_begin(trace: &Trace, of: &Runs, system: u64, time: u64) -> bool {
    let info = trace.order.systems().get(&system);
    info.is_some_and(|info| {
        let is_over = |before: &u64| {
            let runs = of.get(before);
            // What does not run in this frame was skipped.
            runs.is_none_or(|runs| runs.iter().any(|(_, end)| *end <= time))
        };
        info.after.iter().all(is_over)
    })
}
