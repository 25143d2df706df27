//! The report in plain text.

use super::conflict;
use super::path::{Step, critical_path};
use super::trace::{Frame, Trace};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

/// Lines of a list.
const LINES: usize = 10;
/// Frames that are told of one by one: the longest.
const FRAMES: usize = 10;

struct Report<'a>(&'a Trace);

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn nanos(time: u64) -> f64 {
    time as f64 / 1e6
}

impl Trace {
    /// What there is to say in plain text: by frame, the longest first, where the threads' time
    /// went, the ten longest systems, and what the frame waited for.
    #[must_use]
    pub fn report(&self) -> impl Display {
        Report(self)
    }

    /// The frames, the longest first.
    fn longest(&self) -> Vec<&Frame> {
        let mut frames: Vec<&Frame> = self.frames.iter().collect();
        frames.sort_by_key(|frame| Reverse(frame.end - frame.begin));
        frames
    }
}

impl Display for Report<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let trace = self.0;
        writeln!(
            f,
            "{} frames, {} threads",
            trace.frames.len(),
            trace.rows.len()
        )?;
        if trace.lost > 0 {
            writeln!(
                f,
                "{} events are missing: there was no place for them",
                trace.lost
            )?;
        }
        let longest = trace.longest();
        for frame in longest.iter().take(FRAMES) {
            self.frame(f, frame)?;
        }
        if let Some(frame) = longest.first() {
            self.forecast(f, frame)?;
        }
        Ok(())
    }
}

impl Report<'_> {
    fn frame(&self, f: &mut Formatter<'_>, frame: &Frame) -> fmt::Result {
        let length = nanos(frame.end - frame.begin);
        writeln!(f, "\nframe {}: {length:.3} ms", frame.number)?;
        if let Some(account) = self.0.why_idle(frame.number) {
            let all = account.time * u32::try_from(account.threads).unwrap_or(u32::MAX);
            writeln!(
                f,
                "  where {} threads' time went ({:.3} ms):",
                account.threads,
                millis(all)
            )?;
            for (cause, time) in account.causes.iter().take(LINES) {
                let share = time.as_secs_f64() / all.as_secs_f64() * 100.0;
                writeln!(f, "    {:9.3} ms {share:5.1} %  {cause}", millis(*time))?;
            }
            let rest = account.causes.iter().skip(LINES).map(|(_, time)| *time);
            let rest: Duration = rest.sum();
            if rest > Duration::ZERO {
                writeln!(f, "    {:9.3} ms          other causes", millis(rest))?;
            }
        }
        self.systems(f, frame)?;
        self.path(f, &critical_path(self.0, frame))
    }

    fn systems(&self, f: &mut Formatter<'_>, frame: &Frame) -> fmt::Result {
        let mut runs = conflict::runs(self.0, frame);
        runs.sort_by_key(|run| Reverse(run.end - run.begin));
        if !runs.is_empty() {
            writeln!(f, "  the longest systems:")?;
        }
        for run in runs.iter().take(LINES) {
            let name = self.0.system_name(run.system);
            let row = &self.0.rows[run.row].name;
            writeln!(
                f,
                "    {:9.3} ms  {name}  on {row}",
                nanos(run.end - run.begin)
            )?;
        }
        Ok(())
    }

    /// What the frame waited for, longest first: the path has its steps in the order of time.
    fn path(&self, f: &mut Formatter<'_>, path: &[Step]) -> fmt::Result {
        let mut sums: HashMap<(usize, &str), u64> = HashMap::new();
        for step in path {
            *sums.entry((step.row, step.what.as_str())).or_default() += step.end - step.begin;
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by_key(|(key, time)| (Reverse(*time), *key));
        writeln!(f, "  what it waited for (its critical path):")?;
        for ((row, what), time) in sums.iter().take(LINES) {
            let what = if what.is_empty() {
                "something without a name"
            } else {
                what
            };
            let row = &self.0.rows[*row].name;
            writeln!(f, "    {:9.3} ms  {what}  on {row}", nanos(*time))?;
        }
        Ok(())
    }

    fn forecast(&self, f: &mut Formatter<'_>, frame: &Frame) -> fmt::Result {
        let Some(forecast) = self.0.forecast(frame.number) else {
            return Ok(());
        };
        writeln!(
            f,
            "\nframe {} on other numbers of threads, on paper:",
            frame.number
        )?;
        let [work, span, main] = [forecast.work, forecast.span, forecast.main_thread].map(millis);
        writeln!(
            f,
            "  work {work:.3} ms, span {span:.3} ms, main thread alone {main:.3} ms"
        )?;
        for (threads, time, limit) in &forecast.times {
            writeln!(
                f,
                "    {threads:3} threads {:9.3} ms  {limit}",
                millis(*time)
            )?;
        }
        for gain in &forecast.gains {
            let (system, less) = (&gain.system, millis(gain.gain));
            match &gain.without_conflict {
                None => writeln!(f, "  {less:.3} ms less if {system} were split")?,
                Some(other) => {
                    writeln!(
                        f,
                        "  {less:.3} ms less if {system} and {other} had no conflict"
                    )?;
                }
            }
        }
        Ok(())
    }
}

impl Display for super::Limit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Work => "the work, divided by the threads",
            Self::CriticalPath => "the critical path",
            Self::MainThread => "the main thread alone",
        })
    }
}
