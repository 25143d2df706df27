//! One page with the timeline in it, for any browser and without a network.

use super::chrome::category;
use super::json::{Json, json};
use super::path::critical_path;
use super::row::Row;
use super::trace::{Frame, Trace};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io::{self, Write};

/// The page, without its data and its script.
const PAGE: &str = include_str!("page/page.html");
/// Where they go.
const DATA: &str = "\"HEARTBEAT-DATA\"";
const SCRIPT: &str = "\"HEARTBEAT-SCRIPT\";";
/// What draws the rows, and what answers to a reader.
const SCRIPTS: [&str; 2] = [include_str!("page/draw.js"), include_str!("page/ask.js")];
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

/// How long after `start` a time is; below zero for what has begun before.
fn after(start: u64, time: u64) -> i64 {
    time as i64 - start as i64
}

impl Trace {
    /// Writes it as a page, which opens at the longest frame, or with `#frame=7` at the end of its
    /// address at that one.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_page(&self, mut out: impl Write) -> io::Result<()> {
        let (before, rest) = PAGE.split_once(DATA).unwrap_or((PAGE, ""));
        let (between, after) = rest.split_once(SCRIPT).unwrap_or((rest, ""));
        // No text may end the script that it lies in, or, as `<!--<script>` does, keep it from its
        // end. JSON has no such character but in texts.
        let data = self.data().to_string().replace('<', "\\u003c");
        let parts = [&[before, &data, between][..], &SCRIPTS, &[after]];
        for part in parts.into_iter().flatten() {
            out.write_all(part.as_bytes())?;
        }
        out.flush()
    }

    fn data(&self) -> Json {
        let start = self.start();
        let end = self.end();
        let mut labels = Labels::default();
        let rows: Vec<Json> = self
            .rows
            .iter()
            .map(|row| self.row(row, (start, end), &mut labels))
            .collect();
        let flows = self.flows.iter().map(|flow| {
            json!([
                flow.from,
                after(start, flow.left),
                flow.to,
                after(start, flow.came),
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
        let bars = row.bars.iter().filter(|bar| bar.end >= start);
        let bars = bars.map(|bar| {
            let (begin, end) = (after(start, bar.begin), after(start, bar.end.min(end)));
            let label = labels.place(self.label(bar));
            let kind = bar.part_of.map_or(category(bar.kind), |_| "part");
            json!([begin, end, bar.depth, kind, label])
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
}

#[cfg(test)]
mod tests {
    use super::super::made::{self, Chance};
    use super::super::row::SYSTEM;
    use super::*;
    use heartbeat_pool::record::Recorder;
    use serde_json::Value;

    fn data(trace: &Trace) -> Value {
        serde_json::from_str(&trace.data().to_string()).unwrap()
    }

    #[test]
    fn the_page_has_its_data_and_its_script_and_neither_mark() {
        let trace = made::trace(&mut Chance::new(1));
        let mut page = Vec::new();
        trace.write_page(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(!page.contains("HEARTBEAT-"));
        assert!(SCRIPTS.iter().all(|script| page.contains(script)));
        assert!(page.contains("thread 3") && page.trim_end().ends_with("</html>"));
    }

    #[test]
    fn no_name_ends_the_script_or_keeps_it_from_its_end() {
        use heartbeat_pool::Lane;
        use heartbeat_pool::record::{What, Work};
        let name = Recorder::name("</script><!--<script>\"\\\u{2028}ß");
        let (lane, work) = (Lane::Frame, Work::Spawned);
        let main = [
            (1, What::SpanBegun { name, value: 0 }),
            (2, What::SpanEnded { name }),
        ];
        let other = [
            (1, What::Begun { job: 1, lane, work }),
            (2, What::Ended { job: 1 }),
        ];
        let trace = made::of(&main, &other);
        let mut page = Vec::new();
        trace.write_page(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let (_, rest) = page.split_once("const data = ").unwrap();
        let (data, _) = rest.split_once(";\n</script>").unwrap();
        assert!(!data.contains('<'), "{data}");
        let data: Value = serde_json::from_str(data).unwrap();
        assert_eq!(data["labels"][0], name.text());
    }

    #[test]
    fn a_part_of_a_system_is_told_from_other_jobs() {
        use heartbeat_pool::Lane;
        use heartbeat_pool::record::{Place, What, Work};
        let name = Recorder::name(&format!("{SYSTEM}page::system"));
        let (value, lane) = (1 << 32, Lane::Frame);
        let (work, place) = (Work::Spawned, Place::Own);
        let queued = |job| What::Queued { job, lane, place };
        let begun = |job| What::Begun { job, lane, work };
        let main = [
            (1, queued(1)),
            (2, What::SpanBegun { name, value }),
            (3, queued(2)),
            (4, What::SpanEnded { name }),
        ];
        let other = [
            (10, begun(1)),
            (11, What::Ended { job: 1 }),
            (12, begun(2)),
            (13, What::Ended { job: 2 }),
        ];
        let data = data(&made::of(&main, &other));
        let bars = data["rows"][1]["bars"].as_array().unwrap();
        let kinds: Vec<_> = bars.iter().map(|bar| bar[3].as_str().unwrap()).collect();
        assert_eq!(kinds, ["job", "part"]);
    }

    #[test]
    fn wherever_it_is_cut_nothing_ends_before_it_begins() {
        let mut chance = Chance::new(5);
        let mut from_before = 0;
        for _ in 0..200 {
            let mut trace = made::trace(&mut chance);
            trace.cut(chance.below(2_000));
            let data = data(&trace);
            let list = |list: &Value| list.as_array().unwrap().clone();
            let number = |value: &Value| value.as_i64().unwrap();
            for flow in list(&data["flows"]) {
                assert!(number(&flow[1]) <= number(&flow[3]), "{flow}");
                assert!((0..=number(&data["end"])).contains(&number(&flow[3])));
                from_before += usize::from(number(&flow[1]) < 0);
            }
            for bar in list(&data["rows"])
                .iter()
                .flat_map(|row| list(&row["bars"]))
            {
                assert!(number(&bar[0]) <= number(&bar[1]), "{bar}");
                assert!(number(&bar[1]) >= 0, "{bar}");
            }
            for frame in list(&data["frames"]) {
                assert!(0 <= number(&frame["begin"]), "{frame}");
                let steps = list(&frame["path"]);
                assert!(steps.iter().all(|step| number(&step[1]) >= 0), "{frame}");
            }
        }
        assert!(from_before > 20, "{from_before}");
    }
}
