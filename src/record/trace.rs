//! A recording, ready to be asked and written.

use super::costs::Costs;
use super::flow::{Flow, Way, flows};
use super::order::Order;
use super::row::{Bar, Kind, Row, SCHEDULE, SYSTEM, State};
use heartbeat_pool::record::{Name, Role, Snapshot, ThreadEvents, What};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// A frame, as far as the main schedule ran in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) number: u64,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// The row of the thread that ran it.
    pub(crate) row: usize,
}

/// The app that a trace is of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// A number that no other app has which is recorded at the same time.
    pub(crate) app: u64,
    pub(crate) order: Arc<Order>,
    /// The numbers of its world's schedules; empty where they are not known.
    pub(crate) schedules: Arc<HashSet<u64>>,
}

impl Origin {
    /// Whether the system of that number is one of the app's.
    pub(crate) fn has(&self, system: u64) -> bool {
        self.schedules.is_empty() || self.schedules.contains(&(system >> 32))
    }
}

#[cfg(test)]
impl From<Order> for Origin {
    fn from(order: Order) -> Self {
        Self {
            order: Arc::new(order),
            ..Self::default()
        }
    }
}

/// What was recorded of some frames: names, times and counts, and nothing of what the app's data
/// hold.
///
/// ```
/// use bevy_app::App;
/// use bevy_heartbeat::{HeartbeatPlugin, record::{FlightRecorder, Record}};
///
/// let mut app = App::new();
/// app.add_plugins(HeartbeatPlugin {
///     record: Record::LateFrames { over: std::time::Duration::from_secs(1), keep: 8 },
///     ..Default::default()
/// });
/// (0..3).for_each(|_| app.update());
/// let trace = app.world().resource::<FlightRecorder>().trace();
/// assert!(trace.frames().count() >= 2);
/// println!("{}", trace.report());
/// ```
#[derive(Clone, Debug)]
pub struct Trace {
    pub(crate) rows: Vec<Row>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) origin: Origin,
    /// The names that systems have in the recording, whatever world they are of.
    systems: HashMap<u64, Name>,
    /// When a beat was raised, and when a private fork was promoted, by time.
    pub(crate) beats: Vec<u64>,
    pub(crate) promoted: Vec<(usize, u64)>,
    /// How many threads were to run at once.
    pub(crate) threads: usize,
    /// What it costs to hand work over.
    pub(crate) costs: Costs,
    pub(crate) lost: u64,
    /// Before this time it was cut off; zero where it was not.
    since: u64,
}

impl Trace {
    /// What `snapshot` says, of a pool of so many threads, and of the frames of that app.
    pub(crate) fn new(mut snapshot: Snapshot, origin: Origin, threads: usize) -> Self {
        snapshot.threads.sort_by_cached_key(place);
        let mut rows: Vec<_> = snapshot.threads.iter().map(Row::new).collect();
        let flows = flows(&snapshot);
        name_parts(&mut rows, &flows);
        for (place, row) in rows.iter_mut().enumerate() {
            let is_own = |flow: &&Flow| flow.way == Way::Woken && flow.to == place;
            row.note_wake_ups(flows.iter().filter(is_own));
        }
        let mut frames = Vec::new();
        for (row, of) in rows.iter().enumerate() {
            frames.extend(of.bars.iter().filter_map(|bar| frame(origin.app, row, bar)));
        }
        frames.sort_by_key(|frame| frame.begin);
        let mut trace = Self {
            costs: Costs::of(&snapshot, &rows, &flows),
            flows,
            rows,
            frames,
            origin,
            systems: HashMap::new(),
            beats: Vec::new(),
            promoted: Vec::new(),
            threads: threads.max(1),
            lost: snapshot.all_lost(),
            since: 0,
        };
        let bars = trace.rows.iter().flat_map(|row| &row.bars);
        let named = bars.filter_map(|bar| match bar.kind {
            Kind::System(number) => Some((number, bar.name?)),
            _ => None,
        });
        trace.systems = named.collect();
        for (row, thread) in snapshot.threads.iter().enumerate() {
            for event in &thread.events {
                match event.what {
                    What::Beat => trace.beats.push(event.time),
                    What::Promoted { .. } => trace.promoted.push((row, event.time)),
                    _ => {}
                }
            }
        }
        trace.beats.sort_unstable();
        trace
    }

    /// Forgets what was over before `since`. What is told of the frames that begin later stays as
    /// it was: of what was going on then, the begin lies before `since`.
    pub(crate) fn cut(&mut self, since: u64) {
        self.since = since;
        for row in &mut self.rows {
            // All that is left of it came after what was lost.
            if row.states.first().is_some_and(|(time, _)| *time <= since) {
                self.lost -= std::mem::take(&mut row.lost);
            }
            row.cut(since);
        }
        self.flows.retain(|flow| flow.came >= since);
        self.frames.retain(|frame| frame.begin >= since);
        self.promoted.retain(|(_, time)| *time >= since);
        // The last one before may have asked for the first promotion.
        let before = self.beats.partition_point(|beat| *beat < since);
        self.beats.drain(..before.saturating_sub(1));
    }

    /// The time that outputs count from: that of the first thing in it, or at which it was cut
    /// off. What went on then has begun before it.
    pub(crate) fn start(&self) -> u64 {
        let bars = self.rows.iter().flat_map(|row| &row.bars);
        // One that sleeps may have begun long before all else.
        let bars = bars
            .filter(|bar| bar.kind != Kind::Sleep)
            .map(|bar| bar.begin);
        let flows = self.flows.iter().map(|flow| flow.left);
        bars.chain(flows).min().unwrap_or(0).max(self.since)
    }

    /// The time at which the last thing begins or ends.
    pub(crate) fn end(&self) -> u64 {
        let bars = self.rows.iter().flat_map(|row| &row.bars);
        let ends = bars.flat_map(|bar| [bar.begin, bar.end]);
        let ends = ends.filter(|end| *end != u64::MAX);
        let flows = self.flows.iter().map(|flow| flow.came);
        ends.chain(flows).max().unwrap_or(0).max(self.start())
    }

    /// The numbers of the frames whose begin is in it, and what each took; of one that was under
    /// way, as far as it had come.
    pub fn frames(&self) -> impl Iterator<Item = (u64, Duration)> {
        let time = |frame: &Frame| Duration::from_nanos(frame.end - frame.begin);
        self.frames
            .iter()
            .map(move |frame| (frame.number, time(frame)))
    }

    /// How many events are missing, because there was no place for them.
    #[must_use]
    pub fn lost_events(&self) -> u64 {
        self.lost
    }

    pub(crate) fn frame(&self, number: u64) -> Option<&Frame> {
        self.frames.iter().find(|frame| frame.number == number)
    }

    /// The rows of the threads that might run a frame's work: the one that it began on, and the
    /// pool's own for it, spare ones only where they ran.
    pub(crate) fn rows_of(&self, frame: &Frame) -> Vec<usize> {
        let own = self.threads;
        let mut members = 0;
        let of = self.rows.iter().enumerate();
        let is_of = |(place, row): (usize, &Row)| {
            if place == frame.row {
                return Some(place);
            }
            if row.role != Role::Frame {
                return None;
            }
            members += 1;
            (members <= own || row.runs_between(frame.begin, frame.end)).then_some(place)
        };
        of.filter_map(is_of).collect()
    }

    /// The name of the system of `number`.
    pub(crate) fn system_name(&self, number: u64) -> &str {
        let own = self.systems.get(&number);
        let own = own.and_then(|name| name.text().strip_prefix(SYSTEM));
        let of_order = || Some(self.origin.order.systems().get(&number)?.name.as_str());
        own.or_else(of_order).unwrap_or("a system")
    }

    /// The name of a bar.
    pub(crate) fn label(&self, bar: &Bar) -> String {
        match (bar.kind, bar.name) {
            (Kind::Frame(app, number), _) if app == self.origin.app => format!("frame {number}"),
            (Kind::Frame(app, number), _) => format!("frame {number} of app {}", app + 1),
            (Kind::System(number), _) => self.system_name(number).to_owned(),
            (Kind::Schedule, Some(name)) => {
                let label = name.text().strip_prefix(SCHEDULE).unwrap_or_default();
                format!("schedule {label}")
            }
            (_, Some(name)) if !name.text().is_empty() => name.text().to_owned(),
            (Kind::Job(..), _) if bar.part_of.is_some() => {
                let system = bar.part_of.map(|system| self.system_name(system));
                format!("part of {}", system.unwrap_or_default())
            }
            (Kind::Job(work, lane), _) => format!("{work:?} job ({lane:?})").to_lowercase(),
            (Kind::Wait(wait), _) => format!("waits for a {wait:?}").to_lowercase(),
            (Kind::Sleep, _) => "sleeps".to_owned(),
            (Kind::Schedule | Kind::Span, _) => "span".to_owned(),
        }
    }
}

/// Where a thread's row is: those from outside first, for the main thread is one of them.
fn place(thread: &ThreadEvents) -> (u8, usize, String) {
    let role = match thread.role {
        Role::Outside => 0,
        Role::Frame => 1,
        Role::Lower => 2,
    };
    (role, thread.name.len(), thread.name.clone())
}

/// Tells the systems' parts that ran on other threads whose they are.
fn name_parts(rows: &mut [Row], flows: &[Flow]) {
    // By their begins, so that a part's own parts know already.
    for flow in flows.iter().filter(|flow| flow.way.is_work()) {
        let Some(system) = rows[flow.from].system(flow.left) else {
            continue;
        };
        let bars = &mut rows[flow.to].bars;
        let place = bars.partition_point(|bar| bar.begin < flow.came);
        if let Some(bar) = bars.get_mut(place)
            && bar.begin == flow.came
        {
            bar.part_of = Some(system);
        }
    }
}

impl Row {
    /// Forgets what was over before `since`.
    fn cut(&mut self, since: u64) {
        // What the clocks say of a stretch around that time they say of it as a whole.
        let read = self.clocks.partition_point(|clocks| clocks.time <= since);
        self.clocks.drain(..read.saturating_sub(1));
        self.bars.retain(|bar| bar.end > since);
        let before = self.states.partition_point(|(time, _)| *time <= since);
        self.states.drain(..before.saturating_sub(1));
    }

    /// Whether it does anything between these times.
    pub(crate) fn runs_between(&self, begin: u64, end: u64) -> bool {
        let after = self.states.partition_point(|(time, _)| *time <= begin);
        let within = self.states[after..]
            .iter()
            .take_while(|(time, _)| *time < end);
        self.state(begin) == State::Running
            || within
                .into_iter()
                .any(|(_, state)| *state == State::Running)
    }
}

/// The frame that a bar of `app` is.
fn frame(app: u64, row: usize, bar: &Bar) -> Option<Frame> {
    match bar.kind {
        Kind::Frame(of, number) if of == app && bar.end != u64::MAX => Some(Frame {
            number,
            begin: bar.begin,
            end: bar.end,
            row,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{self, Chance};
    use super::super::path::critical_path;
    use super::super::row::{FRAME, frame_value, tests::thread};
    use super::*;
    use heartbeat_pool::Lane;
    use heartbeat_pool::record::{Place, Recorder, Work};

    #[test]
    fn what_is_told_of_a_frame_is_the_same_once_all_before_it_is_cut_off() {
        let mut chance = Chance::new(7);
        for _ in 0..300 {
            let trace = made::trace(&mut chance);
            for frame in &trace.frames {
                let mut cut = trace.clone();
                cut.cut(frame.begin);
                assert_eq!(trace.why_idle(frame.number), cut.why_idle(frame.number));
                assert_eq!(critical_path(&trace, frame), critical_path(&cut, frame));
                let ends = [cut.start(), cut.end()];
                assert!(ends[0] >= frame.begin && ends[1] >= frame.end, "{ends:?}");
            }
        }
    }

    #[test]
    fn what_is_on_its_way_at_the_cut_stays() {
        let (lane, place, work) = (Lane::Frame, Place::Own, Work::Spawned);
        let main = [
            (5, What::Woke { parker: 9 }),
            (
                10,
                What::Queued {
                    job: 1,
                    lane,
                    place,
                },
            ),
            (
                11,
                What::Queued {
                    job: 2,
                    lane,
                    place,
                },
            ),
        ];
        let job = |job| What::Begun { job, lane, work };
        let other = [
            (15, job(1)),
            (18, What::Ended { job: 1 }),
            (30, job(2)),
            (40, What::Ended { job: 2 }),
        ];
        let mut trace = made::of(&main, &other);
        assert_eq!(trace.flows.len(), 2);
        trace.cut(20);
        let times = |flow: &Flow| (flow.left, flow.came);
        let flows: Vec<_> = trace.flows.iter().map(times).collect();
        assert_eq!(flows, [(11, 30)]);
        assert_eq!((trace.start(), trace.end()), (20, 40));
    }

    #[test]
    fn a_span_of_the_apps_own_is_one_whatever_its_name_and_value() {
        let names = ["frame", "schedule", "schedule of lessons", "system", ""];
        let mut main = Vec::new();
        for (time, text) in (1..).zip(names) {
            let name = Recorder::name(text);
            // An entity's bits, for example.
            let value = u64::MAX - time;
            main.push((time * 10, What::SpanBegun { name, value }));
            main.push((time * 10 + 5, What::SpanEnded { name }));
        }
        let trace = made::of(&main, &[(1, What::Beat)]);
        assert!(trace.frames.is_empty());
        let bars = &trace.rows[0].bars;
        assert!(bars.iter().all(|bar| bar.kind == Kind::Span));
        let labels: Vec<_> = bars.iter().map(|bar| trace.label(bar)).collect();
        assert_eq!(labels[..4], names[..4]);
        assert_eq!(labels[4], "span");
    }

    #[test]
    fn frames_of_another_app_are_not_the_traces_own() {
        let name = Recorder::name(FRAME);
        let mut main = Vec::new();
        for (app, begin) in [(0, 10), (1, 30)] {
            let value = frame_value(app, 7);
            main.push((begin, What::SpanBegun { name, value }));
            main.push((begin + 5, What::SpanEnded { name }));
        }
        let trace = made::of(&main, &[(1, What::Beat)]);
        let times: Vec<_> = trace.frames.iter().map(|frame| frame.begin).collect();
        assert_eq!(times, [10]);
        let labels: Vec<_> = trace.rows[0]
            .bars
            .iter()
            .map(|bar| trace.label(bar))
            .collect();
        assert_eq!(labels, ["frame 7", "frame 7 of app 2"]);
    }

    #[test]
    fn what_was_lost_before_the_cut_is_not_missing() {
        let mut snapshot = Snapshot::default();
        let woken = What::Awake { woken: true };
        for (number, time) in [(1, 10), (2, 30)] {
            let mut thread = thread(number, Role::Frame, &[(time, woken), (50, What::Beat)]);
            thread.lost = u64::from(number) * 100;
            snapshot.threads.push(thread);
        }
        snapshot.lost = 1_000;
        let mut trace = Trace::new(snapshot, Origin::default(), 2);
        assert_eq!(trace.lost_events(), 1_300);
        trace.cut(20);
        let rows: Vec<_> = trace.rows.iter().map(|row| row.lost).collect();
        assert_eq!((trace.lost_events(), rows), (1_200, vec![0, 200]));
    }
}
