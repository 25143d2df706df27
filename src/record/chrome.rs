//! Chrome's trace format, which [Perfetto](https://ui.perfetto.dev) opens.

use super::flow::Way;
use super::json::{Json, json};
use super::row::{Bar, Kind};
use super::trace::Trace;
use std::io::{self, Write};

/// The process that all threads belong to.
const PROCESS: u32 = 1;

/// Microseconds, as the format wants them.
fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1e3
}

impl Trace {
    /// Writes it as JSON in Chrome's trace format.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_chrome(&self, mut out: impl Write) -> io::Result<()> {
        let start = self.start();
        out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
        let mut first = true;
        let mut write = |event: Json| {
            if !first {
                out.write_all(b",\n")?;
            }
            first = false;
            write!(out, "{event}")
        };
        for (place, row) in self.rows.iter().enumerate() {
            let name = json!({ "name": &row.name });
            write(
                json!({ "ph": "M", "name": "thread_name", "pid": PROCESS, "tid": row.thread, "args": name }),
            )?;
            let order = json!({ "sort_index": place });
            write(
                json!({ "ph": "M", "name": "thread_sort_index", "pid": PROCESS, "tid": row.thread, "args": order }),
            )?;
            for bar in row.bars.iter().filter(|bar| bar.end != u64::MAX) {
                write(self.complete(bar, row.thread, start))?;
            }
        }
        for (number, flow) in self.flows.iter().enumerate() {
            let name = way(flow.way);
            let (from, to) = (self.rows[flow.from].thread, self.rows[flow.to].thread);
            let left = micros(flow.left.max(start) - start);
            let came = micros(flow.came - start);
            write(
                json!({ "ph": "s", "id": number, "name": name, "cat": "flow", "pid": PROCESS, "tid": from, "ts": left }),
            )?;
            write(
                json!({ "ph": "f", "bp": "e", "id": number, "name": name, "cat": "flow", "pid": PROCESS, "tid": to, "ts": came }),
            )?;
        }
        out.write_all(b"\n]}\n")?;
        out.flush()
    }

    fn complete(&self, bar: &Bar, thread: u32, start: u64) -> Json {
        json!({
            "ph": "X",
            "name": self.label(bar),
            "cat": category(bar.kind),
            "pid": PROCESS,
            "tid": thread,
            "ts": micros(bar.begin.max(start) - start),
            "dur": micros(bar.end.max(start) - bar.begin.max(start)),
        })
    }
}

fn way(way: Way) -> &'static str {
    match way {
        Way::Queued => "queued",
        Way::Forked => "forked",
        Way::Promoted => "promoted",
        Way::Woken => "woken",
        Way::Called => "called",
    }
}

pub(super) fn category(kind: Kind) -> &'static str {
    match kind {
        Kind::Frame(_) => "frame",
        Kind::Schedule => "schedule",
        Kind::System(_) => "system",
        Kind::Span => "span",
        Kind::Job(..) => "job",
        Kind::Wait(_) => "wait",
        Kind::Sleep => "sleep",
    }
}
