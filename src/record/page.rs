//! One page with the timeline in it, for any browser and without a network.

use super::chrome::category;
use super::json::{Json, json};
use super::path::critical_path;
use super::row::Row;
use super::trace::{Frame, Trace};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};

/// The page, without its data.
const PAGE: &str = include_str!("page.html");
/// Where they go.
const PLACE: &str = "\"HEARTBEAT-DATA\"";
/// Frames that have their critical path and their account in the page: the longest.
const FRAMES: usize = 64;

/// Each text once.
#[derive(Default)]
struct Labels {
    texts: Vec<String>,
    places: HashMap<String, usize>,
}

impl Labels {
    fn place(&mut self, text: String) -> usize {
        *self.places.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            self.texts.len() - 1
        })
    }
}

impl Trace {
    /// Writes it as a page.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_page(&self, mut out: impl Write) -> io::Result<()> {
        let (before, after) = PAGE.split_once(PLACE).unwrap_or((PAGE, ""));
        // No text may end the script that it lies in.
        let data = self.data().to_string().replace("</", "<\\/");
        out.write_all(before.as_bytes())?;
        out.write_all(data.as_bytes())?;
        out.write_all(after.as_bytes())?;
        out.flush()
    }

    fn data(&self) -> Json {
        let start = self.start();
        let end = self.end(start);
        let mut labels = Labels::default();
        let rows: Vec<Json> = self
            .rows
            .iter()
            .map(|row| self.row(row, (start, end), &mut labels))
            .collect();
        let flows = self.flows.iter().map(|flow| {
            json!([
                flow.from,
                flow.left - start,
                flow.to,
                flow.came - start,
                flow.way as u8
            ])
        });
        let mut longest: Vec<&Frame> = self.frames.iter().collect();
        longest.sort_by_key(|frame| Reverse(frame.end - frame.begin));
        longest.truncate(FRAMES);
        let frame = |frame: &Frame| {
            let is_told = longest.contains(&frame);
            let path = is_told.then(|| self.path(frame, start, &mut labels));
            let causes = is_told.then(|| self.causes(frame)).flatten();
            json!({
                "number": frame.number,
                "begin": frame.begin - start,
                "end": frame.end - start,
                "path": path,
                "causes": causes,
            })
        };
        let frames: Vec<Json> = self.frames.iter().map(frame).collect();
        json!({
            "end": end - start,
            "rows": rows,
            "flows": flows.collect::<Vec<_>>(),
            "frames": frames,
            "labels": labels.texts,
            "report": self.report().to_string(),
        })
    }

    fn row(&self, row: &Row, (start, end): (u64, u64), labels: &mut Labels) -> Json {
        let bars = row.bars.iter().map(|bar| {
            let (begin, end) = (
                bar.begin.max(start) - start,
                bar.end.clamp(start, end) - start,
            );
            let label = labels.place(self.label(bar));
            json!([begin, end, bar.depth, category(bar.kind), label])
        });
        json!({
            "name": &row.name,
            "role": format!("{:?}", row.role),
            "lost": row.lost,
            "bars": bars.collect::<Vec<_>>(),
        })
    }

    fn path(&self, frame: &Frame, start: u64, labels: &mut Labels) -> Json {
        let path = critical_path(self, frame);
        let steps = path.into_iter().map(|step| {
            let label = labels.place(step.what);
            json!([step.row, step.begin - start, step.end - start, label])
        });
        steps.collect()
    }

    fn causes(&self, frame: &Frame) -> Option<Json> {
        let account = self.why_idle(frame.number)?;
        let causes = account.causes.iter();
        let pair = |(cause, time): &(super::Cause, std::time::Duration)| {
            json!([cause.to_string(), time.as_nanos() as u64])
        };
        Some(causes.map(pair).collect())
    }

    /// The time at which the last thing ends that ends.
    fn end(&self, start: u64) -> u64 {
        let bars = self.rows.iter().flat_map(|row| &row.bars);
        let ends = bars.flat_map(|bar| [bar.begin, bar.end]);
        ends.filter(|end| *end != u64::MAX)
            .max()
            .unwrap_or(start)
            .max(start)
    }
}
