//! Where each thread's time went in a frame: it ran, or why it did not.

use super::conflict::{self, Held};
use super::flow::{Flow, Way};
use super::row::{Row, State};
use super::trace::{Frame, Trace};
use heartbeat_pool::Lane;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// How long before a promotion the beat that asked for it may have been raised.
const BEAT: u64 = 200_000;

/// What a thread's time was spent on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// The thread ran.
    Running,
    /// Nothing was queued: others wait for what runs, such as this system.
    NothingQueued {
        /// Its name; none if it is no system.
        running: Option<String>,
    },
    /// A system could have begun, but another one had what it wants.
    Conflict {
        /// The one that waited.
        system: String,
        /// The one that ran.
        running: String,
        /// What both want.
        both_want: String,
    },
    /// Frame work was there, but nobody had been told of it yet, or it was private until a beat.
    NotOffered,
    /// The thread was woken, but slept still.
    BeingWoken,
    /// The thread had work, but the system gave it no core.
    NoCore,
    /// The thread had work, which waited: for a lock, or for a call that blocks.
    Blocked,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running => write!(f, "running"),
            Self::NothingQueued {
                running: Some(name),
            } => {
                write!(f, "nothing queued while {name} runs")
            }
            Self::NothingQueued { running: None } => write!(f, "nothing queued"),
            Self::Conflict {
                system,
                running,
                both_want,
            } => {
                write!(f, "{system} waits for {running}: both want {both_want}")
            }
            Self::NotOffered => write!(f, "queued, not yet offered"),
            Self::BeingWoken => write!(f, "asleep, being woken"),
            Self::NoCore => write!(f, "no core: the operating system ran other threads"),
            Self::Blocked => write!(f, "in a lock or a blocking call"),
        }
    }
}

/// Where the time of a frame's threads went. The causes add up to the frame's time times the
/// threads.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Account {
    /// The number of the frame.
    pub frame: u64,
    /// How long it took.
    pub time: Duration,
    /// How many threads were to run at once. Spare ones, which ran in the place of waiting ones,
    /// don't count.
    pub threads: usize,
    /// The longest first.
    pub causes: Vec<(Cause, Duration)>,
}

/// What goes on between two times, between which nothing changes.
struct Sweep<'a> {
    trace: &'a Trace,
    rows: Vec<usize>,
    /// When something was queued, and when it was taken.
    queued: Vec<(u64, u64)>,
    /// Who was being woken, from when to when.
    woken: Vec<(usize, u64, u64)>,
    held: Vec<(u64, Option<Held>)>,
    runs: Vec<conflict::Run>,
}

impl Trace {
    /// Where the time of the threads went in the frame of that number; none if it isn't there.
    #[must_use]
    pub fn why_idle(&self, frame: u64) -> Option<Account> {
        let frame = *self.frame(frame)?;
        let sweep = Sweep::new(self, &frame);
        let mut times: BTreeMap<Cause, u64> = BTreeMap::new();
        for pair in sweep.edges(&frame).windows(2) {
            sweep.add(pair[0], pair[1], &mut times);
        }
        for row in &sweep.rows {
            without_core(&self.rows[*row], &frame, &mut times);
        }
        let mut causes: Vec<_> = times
            .into_iter()
            .filter(|(_, time)| *time > 0)
            .map(|(cause, time)| (cause, Duration::from_nanos(time)))
            .collect();
        causes.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        Some(Account {
            frame: frame.number,
            time: Duration::from_nanos(frame.end - frame.begin),
            threads: self.threads,
            causes,
        })
    }
}

impl<'a> Sweep<'a> {
    fn new(trace: &'a Trace, frame: &Frame) -> Self {
        let rows = trace.rows_of(frame);
        let within = |left: u64, came: u64| came > frame.begin && left < frame.end;
        let flows = trace.flows.iter();
        let flows: Vec<&Flow> = flows.filter(|flow| within(flow.left, flow.came)).collect();
        // What is queued of lower lanes may wait for its budget, and is no frame's.
        let is_frames = |flow: &&&Flow| flow.way.is_work() && flow.lane == Some(Lane::Frame);
        let work = flows.iter().filter(is_frames);
        let mut queued: Vec<_> = work.map(|flow| (flow.left, flow.came)).collect();
        let woken = flows.iter().filter(|flow| flow.way == Way::Woken);
        let woken = woken.map(|flow| (flow.to, flow.left, flow.came)).collect();
        for (_, promoted) in &trace.promoted {
            let before = trace.beats.partition_point(|beat| beat <= promoted);
            if let Some(beat) = before.checked_sub(1).map(|place| trace.beats[place])
                && promoted - beat < BEAT
                && within(beat, *promoted)
            {
                queued.push((beat, *promoted));
            }
        }
        Self {
            trace,
            rows,
            queued,
            woken,
            held: conflict::held(trace, frame),
            runs: conflict::runs(trace, frame),
        }
    }

    /// All times in the frame at which anything changes, its begin and its end among them.
    fn edges(&self, frame: &Frame) -> Vec<u64> {
        let states = self
            .rows
            .iter()
            .flat_map(|row| &self.trace.rows[*row].states);
        let mut edges: Vec<u64> = states.map(|(time, _)| *time).collect();
        edges.extend(self.queued.iter().flat_map(|(left, came)| [*left, *came]));
        edges.extend(self.woken.iter().flat_map(|(_, left, came)| [*left, *came]));
        edges.extend(self.held.iter().map(|(time, _)| *time));
        edges.retain(|time| (frame.begin..=frame.end).contains(time));
        edges.extend([frame.begin, frame.end]);
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    fn add(&self, begin: u64, end: u64, times: &mut BTreeMap<Cause, u64>) {
        let seats = self.trace.threads;
        let is_running = |row: &&usize| self.trace.rows[**row].state(begin) == State::Running;
        // Threads that come back from a wait may be more than there are seats for a moment.
        let running = self.rows.iter().filter(is_running).count().min(seats);
        let mut count = |cause, seats: usize| {
            *times.entry(cause).or_default() += (end - begin) * seats as u64;
        };
        count(Cause::Running, running);
        let is_woken = |row: &&usize| {
            let mut woken = self.woken.iter();
            woken.any(|(who, left, came)| who == *row && *left <= begin && *came > begin)
        };
        let idle = seats - running;
        let woken = self.rows.iter().filter(is_woken).count().min(idle);
        count(Cause::BeingWoken, woken);
        if idle > woken {
            count(self.cause(begin), idle - woken);
        }
    }

    /// Why threads that sleep or search do so at `time`.
    fn cause(&self, time: u64) -> Cause {
        if self
            .queued
            .iter()
            .any(|(left, came)| *left <= time && *came > time)
        {
            return Cause::NotOffered;
        }
        let name = |system| self.trace.system_name(system).to_owned();
        let after = self.held.partition_point(|(begin, _)| *begin <= time);
        if let Some((_, Some(held))) = after.checked_sub(1).map(|place| &self.held[place]) {
            let info = self.trace.origin.order.systems().get(&held.system);
            let both_want = info.and_then(|info| info.conflicts.get(&held.by));
            return Cause::Conflict {
                system: name(held.system),
                running: name(held.by),
                both_want: both_want.map_or_else(String::new, ToString::to_string),
            };
        }
        // Of those that run the one that ends last, and of those the one that began last: others
        // may lie around it.
        let begun = self.runs.partition_point(|run| run.begin <= time);
        let running = self.runs[..begun].iter().filter(|run| run.end > time);
        let leaf = running.max_by_key(|run| run.begin);
        let running = leaf.map(|run| name(run.system));
        Cause::NothingQueued { running }
    }
}

/// Moves from what `row` ran the time for which it had no core, or was blocked.
fn without_core(row: &Row, frame: &Frame, times: &mut BTreeMap<Cause, u64>) {
    let (no_core, blocked) = row.without_core(frame.begin, frame.end);
    let running = times.entry(Cause::Running).or_default();
    let no_core = no_core.min(*running);
    let blocked = blocked.min(*running - no_core);
    *running -= no_core + blocked;
    *times.entry(Cause::NoCore).or_default() += no_core;
    *times.entry(Cause::Blocked).or_default() += blocked;
}

#[cfg(test)]
#[path = "idle_tests.rs"]
mod tests;
