//! A frame's critical path: from its end back to its begin, whatever each step waited for.

use super::flow::{Flow, Way};
use super::row::{Row, State};
use super::trace::{Frame, Trace};

/// Steps after which the rest of a path is left out.
const MOST: usize = 20_000;

/// A stretch of a path: a thread did, or came to do, what the frame waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) row: usize,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) what: String,
}

/// The path of `frame`, from its begin on.
pub(crate) fn critical_path(trace: &Trace, frame: &Frame) -> Vec<Step> {
    let mut path = Vec::new();
    let (mut row, mut time) = (frame.row, frame.end);
    for _ in 0..MOST {
        if time <= frame.begin {
            break;
        }
        let before = time - 1;
        let (step, next) = match trace.rows[row].state(before) {
            State::Running => work(trace, frame, row, time),
            state => rest(trace, frame, row, time, state),
        };
        time = step.begin;
        row = next;
        add(&mut path, step);
    }
    path.reverse();
    path
}

/// Adds an earlier step, to the last if it is of the same.
fn add(path: &mut Vec<Step>, step: Step) {
    match path.last_mut() {
        Some(last) if last.row == step.row && last.what == step.what && last.begin == step.end => {
            last.begin = step.begin;
        }
        _ if step.begin < step.end => path.push(step),
        _ => {}
    }
}

/// The work of `row` up to `end`, as far as it was the same, and where it came from.
fn work(trace: &Trace, frame: &Frame, row: usize, end: u64) -> (Step, usize) {
    let of = &trace.rows[row];
    let begin = last_edge(of, end).max(frame.begin);
    let what = of
        .around(end - 1)
        .map_or_else(String::new, |bar| trace.label(bar));
    (
        Step {
            row,
            begin,
            end,
            what,
        },
        row,
    )
}

/// The last time before `end` at which something changed on `row`.
fn last_edge(row: &Row, end: u64) -> u64 {
    let after = row.bars.partition_point(|bar| bar.begin < end);
    // Bars that lie beside each other are few in a row, and those that lie around end later.
    let ends = row.bars[..after].iter().rev().take(64);
    let ends = ends.filter(|bar| bar.end < end).map(|bar| bar.end);
    let begun = row.bars[..after].last().map_or(0, |bar| bar.begin);
    let state = row.states.partition_point(|(time, _)| *time < end);
    let changed = state.checked_sub(1).map_or(0, |place| row.states[place].0);
    ends.max().unwrap_or(0).max(begun).max(changed)
}

/// The time up to `end` in which `row` did nothing, and who ended that.
fn rest(trace: &Trace, frame: &Frame, row: usize, end: u64, state: State) -> (Step, usize) {
    let of = &trace.rows[row];
    let place = of.states.partition_point(|(time, _)| *time < end);
    let begun = place.checked_sub(1).map_or(0, |place| of.states[place].0);
    let begun = begun.max(frame.begin);
    if let Some(flow) = arrival(trace, row, begun, end)
        && flow.left >= frame.begin
    {
        let what = match flow.way {
            Way::Woken => "is being woken",
            Way::Queued | Way::Forked | Way::Promoted | Way::Called => "comes to take it",
        };
        let step = Step {
            row,
            begin: flow.left.max(frame.begin).min(end),
            end,
            what: what.to_owned(),
        };
        return (step, flow.from);
    }
    // Nobody had to wake it: it saw the last one end that it waited for.
    let ended = |(place, other): (usize, &Row)| {
        let last = other
            .states
            .partition_point(|(time, _)| *time <= end)
            .checked_sub(1)?;
        let ran = last.checked_sub(1)?;
        let (time, _) = other.states[last];
        let was_running = other.states[ran].1 == State::Running;
        (place != row && was_running && time > begun).then_some((time, place))
    };
    let what = match state {
        State::Waiting => "sees that what it waits for is over",
        _ => "looks for work",
    };
    let others = trace.rows.iter().enumerate().filter_map(ended).max();
    let (begin, next) = others.unwrap_or((begun, row));
    let begin = begin.min(end);
    let what = what.to_owned();
    (
        Step {
            row,
            begin,
            end,
            what,
        },
        next,
    )
}

/// What came to `row` last, after `begin` and until `end`.
fn arrival(trace: &Trace, row: usize, begin: u64, end: u64) -> Option<Flow> {
    let after = trace.flows.partition_point(|flow| flow.came <= end);
    let recent = trace.flows[..after].iter().rev();
    let mut recent = recent.take_while(|flow| flow.came >= begin);
    let comes = |flow: &&Flow| flow.to == row && flow.from != row && flow.left < end;
    recent.find(comes).copied()
}
