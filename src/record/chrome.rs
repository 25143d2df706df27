//! Chrome's trace format, which [Perfetto](https://ui.perfetto.dev) opens.

use super::flow::{Flow, Way};
use super::json::{Json, json};
use super::row::{Kind, Row};
use super::slices::{Point, Slice, What};
use super::trace::Trace;
use std::io::{self, Write};

/// The process that all threads belong to. No thread has its number: Perfetto would call that one
/// the main thread.
const PROCESS: u32 = 1 << 31;

/// What is added to times, in nanoseconds, so that none comes out smaller where it is read.
const MARGIN: f64 = 1e-3;

/// Microseconds, as the format wants them. Perfetto multiplies by a thousand and cuts off the rest:
/// a number that isn't whole might come out a nanosecond less, and slices then end in others.
fn micros(nanos: u64) -> f64 {
    match nanos % 1_000 {
        0 => (nanos / 1_000) as f64,
        _ => (nanos as f64 + MARGIN) / 1e3,
    }
}

/// The file, event by event.
struct Events<W> {
    out: W,
    is_first: bool,
    /// What times are counted from.
    start: u64,
}

impl<W: Write> Events<W> {
    fn begin(mut out: W, start: u64) -> io::Result<Self> {
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        Ok(Self {
            out,
            is_first: true,
            start,
        })
    }

    fn add(&mut self, event: &Json) -> io::Result<()> {
        let comma = if self.is_first { "" } else { ",\n" };
        self.is_first = false;
        write!(self.out, "{comma}{event}")
    }

    /// The name of the process.
    fn process(&mut self, name: &str) -> io::Result<()> {
        let name = json!({ "name": name });
        self.add(&json!({ "ph": "M", "name": "process_name", "pid": PROCESS, "args": name }))
    }

    /// The name of a thread, or its place among the others.
    fn thread(&mut self, thread: u32, what: &str, value: Json) -> io::Result<()> {
        self.add(&json!({ "ph": "M", "name": what, "pid": PROCESS, "tid": thread, "args": value }))
    }

    fn slice(&mut self, thread: u32, slice: &Slice, name: &str, category: &str) -> io::Result<()> {
        self.add(&json!({
            "ph": "X",
            "name": name,
            "cat": category,
            "pid": PROCESS,
            "tid": thread,
            "ts": micros(slice.begin - self.start),
            "dur": micros(slice.end - slice.begin),
        }))
    }

    /// A flow, whose ends are bound to the slices that they lie in.
    fn flow(
        &mut self,
        id: usize,
        way: Way,
        (from, left): (u32, u64),
        (to, came): (u32, u64),
    ) -> io::Result<()> {
        let (name, ..) = names(way);
        let (left, came) = (micros(left - self.start), micros(came - self.start));
        self.add(&json!({
            "ph": "s",
            "name": name,
            "cat": "flow",
            "id": id,
            "pid": PROCESS,
            "tid": from,
            "ts": left,
        }))?;
        self.add(&json!({
            "ph": "f",
            "bp": "e",
            "name": name,
            "cat": "flow",
            "id": id,
            "pid": PROCESS,
            "tid": to,
            "ts": came,
        }))
    }

    fn end(mut self, about: &Json) -> io::Result<()> {
        write!(self.out, "\n],\"otherData\":{about}}}\n")?;
        self.out.flush()
    }
}

impl Trace {
    /// Writes it as JSON in Chrome's trace format. Flows that set out before its first frame are
    /// left out there, and counted in `otherData`.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_chrome(&self, out: impl Write) -> io::Result<()> {
        let (start, end) = (self.start(), self.end());
        let is_within = |flow: &&Flow| flow.left >= start;
        let flows: Vec<&Flow> = self.flows.iter().filter(is_within).collect();
        let mut points: Vec<Vec<Point>> = vec![Vec::new(); self.rows.len()];
        for flow in &flows {
            let (_, leaves, comes) = names(flow.way);
            points[flow.from].push((flow.left, leaves));
            points[flow.to].push((flow.came, comes));
        }
        let mut events = Events::begin(out, start)?;
        events.process("bevy_heartbeat")?;
        for (place, (row, points)) in self.rows.iter().zip(points).enumerate() {
            events.thread(row.thread, "thread_name", json!({ "name": &row.name }))?;
            events.thread(
                row.thread,
                "thread_sort_index",
                json!({ "sort_index": place }),
            )?;
            for slice in row.slices((start, end), points) {
                self.slice(&mut events, row, &slice)?;
            }
        }
        for (number, flow) in flows.iter().enumerate() {
            let (from, to) = (self.rows[flow.from].thread, self.rows[flow.to].thread);
            events.flow(number, flow.way, (from, flow.left), (to, flow.came))?;
        }
        events.end(&json!({
            "lost_events": self.lost,
            "flows_from_before": self.flows.len() - flows.len(),
        }))
    }

    fn slice<W: Write>(&self, events: &mut Events<W>, row: &Row, slice: &Slice) -> io::Result<()> {
        match slice.what {
            What::Bar(place) => {
                let bar = &row.bars[place];
                events.slice(row.thread, slice, &self.label(bar), category(bar.kind))
            }
            What::Search => events.slice(row.thread, slice, "looks for work", "search"),
            What::Mark(name) => events.slice(row.thread, slice, name, "mark"),
        }
    }
}

/// What a flow is called, and what the threads do at its begin and its end.
fn names(way: Way) -> (&'static str, &'static str, &'static str) {
    match way {
        Way::Queued => ("queued", "queues", "takes"),
        Way::Forked => ("forked", "forks", "takes"),
        Way::Promoted => ("promoted", "promotes", "takes"),
        Way::Woken => ("woken", "wakes another", "wakes"),
        Way::Called => ("called", "calls", "comes"),
    }
}

pub(super) fn category(kind: Kind) -> &'static str {
    match kind {
        Kind::Frame(..) => "frame",
        Kind::Schedule => "schedule",
        Kind::System(_) => "system",
        Kind::Span => "span",
        Kind::Job(..) => "job",
        Kind::Wait(_) => "wait",
        Kind::Sleep => "sleep",
    }
}

#[cfg(test)]
#[path = "chrome_tests.rs"]
mod tests;
