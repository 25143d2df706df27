//! One thread's events as bars to draw, and as the states that it was in, one after the other.

use super::clocks::{Clocks, Delayed};
use heartbeat_pool::Lane;
use heartbeat_pool::record::{Name, Role, ThreadEvents, Wait, What, Work};
use std::iter;
use std::mem;

// Spans of an app's own have any name and any value, so no such name may be one of these by chance.

/// The name of a frame's span.
pub(crate) const FRAME: &str = "bevy_heartbeat frame";
/// Where in the value of a frame's span the app's number begins; below it is the frame's.
const APP: u32 = 48;

/// The value of the span of an app's frame of that number.
pub(crate) fn frame_value(app: u64, number: u64) -> u64 {
    app << APP | number
}

/// What a schedule's span's name begins with.
pub(crate) const SCHEDULE: &str = "bevy_heartbeat schedule ";
/// What a system's span's name begins with.
pub(crate) const SYSTEM: &str = "bevy_heartbeat system ";

/// The name of what says of a loop that it is parallel: a span around it, or a mark where it
/// begins.
pub(crate) const LOOP: &str = "bevy_heartbeat parallel loop";

/// What a bar is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A frame, by its app and its number there.
    Frame(u64, u64),
    Schedule,
    /// A system, by its number.
    System(u64),
    /// A span of the app's own.
    Span,
    Job(Work, Lane),
    Wait(Wait),
    Sleep,
}

/// Something that a thread did without a pause, or slept.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// How many bars it lies in.
    pub(crate) depth: usize,
    pub(crate) kind: Kind,
    pub(crate) name: Option<Name>,
    /// The system that a job is part of, if it was offered in one.
    pub(crate) part_of: Option<u64>,
}

/// What a thread does, as far as time is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It works.
    Running,
    /// It waits for others, asleep or not.
    Waiting,
    /// It is awake and has nothing to do.
    Searching,
    /// It sleeps, and has nothing to do.
    Asleep,
    /// It does what nothing is known of: a thread that is no pool's.
    Elsewhere,
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) thread: u32,
    pub(crate) name: String,
    pub(crate) role: Role,
    /// By their begins.
    pub(crate) bars: Vec<Bar>,
    /// Each with the time from which on it lasts.
    pub(crate) states: Vec<(u64, State)>,
    pub(crate) clocks: Vec<Clocks>,
    /// The begins and ends of loops that say themselves that they are parallel; no end where
    /// nothing says it.
    pub(crate) loops: Vec<(u64, u64)>,
    /// The places where it sleeps.
    pub(crate) parkers: Vec<u64>,
    pub(crate) lost: u64,
}

impl Kind {
    fn of_span(name: Name, value: u64) -> Self {
        match name.text() {
            FRAME => Self::Frame(value >> APP, value & ((1 << APP) - 1)),
            text if text.starts_with(SCHEDULE) => Self::Schedule,
            text if text.starts_with(SYSTEM) => Self::System(value),
            _ => Self::Span,
        }
    }
}

/// A row in the making.
struct Builder {
    row: Row,
    /// The bars that have not ended, by their places in the row.
    open: Vec<usize>,
    /// For how long it has slept so far.
    slept: u64,
    /// For how long it had no core, once that is known.
    delayed: Option<Delayed>,
    /// Whether events are gone since its clocks were last noted.
    is_interrupted: bool,
}

impl Row {
    pub(crate) fn new(thread: &ThreadEvents) -> Self {
        let row = Self {
            thread: thread.thread,
            name: thread.name.clone(),
            role: thread.role,
            bars: Vec::new(),
            states: Vec::new(),
            clocks: Vec::new(),
            loops: Vec::new(),
            parkers: Vec::new(),
            lost: thread.lost,
        };
        let mut builder = Builder {
            row,
            open: Vec::new(),
            slept: 0,
            delayed: None,
            is_interrupted: false,
        };
        let mut last = 0;
        let mut gaps = thread.gaps.iter().peekable();
        for (place, event) in thread.events.iter().enumerate() {
            // Several, where nothing came between what is gone.
            let is_gap = iter::from_fn(|| gaps.next_if(|gap| **gap <= place)).count() > 0;
            if is_gap && place > 0 {
                builder.interrupt(last);
            }
            last = event.time;
            builder.add(event.time, event.what);
        }
        if gaps.next().is_some() {
            builder.interrupt(last);
        }
        builder.end(last)
    }

    /// The state at `time`.
    pub(crate) fn state(&self, time: u64) -> State {
        let after = self.states.partition_point(|(begin, _)| *begin <= time);
        match after.checked_sub(1) {
            Some(place) => self.states[place].1,
            None => self.rest(),
        }
    }

    /// The state of a thread that nothing is known of.
    fn rest(&self) -> State {
        match self.role {
            Role::Outside => State::Elsewhere,
            Role::Frame | Role::Lower => State::Asleep,
        }
    }

    /// The bars that lie around `time`, the innermost first.
    fn all_around(&self, time: u64) -> impl Iterator<Item = &Bar> {
        let after = self.bars.partition_point(|bar| bar.begin <= time);
        let mut is_last = false;
        let recent = self.bars[..after].iter().rev();
        // What came before one that lies in none was over when that began.
        let recent = recent.take_while(move |bar| !mem::replace(&mut is_last, bar.depth == 0));
        recent.filter(move |bar| bar.end > time)
    }

    /// The innermost of the bars that lie around `time` and are named or are jobs.
    pub(crate) fn around(&self, time: u64) -> Option<&Bar> {
        self.all_around(time)
            .find(|bar| !matches!(bar.kind, Kind::Sleep))
    }

    /// The system that `time` belongs to: one that runs then, or whose part does.
    pub(crate) fn system(&self, time: u64) -> Option<u64> {
        self.system_since(time, 0)
    }

    /// The same, of those that have begun at `since` or later.
    pub(crate) fn system_since(&self, time: u64, since: u64) -> Option<u64> {
        let around = self.all_around(time);
        let mut around = around.take_while(|bar| bar.begin >= since);
        around.find_map(|bar| match bar.kind {
            Kind::System(number) => Some(number),
            _ => bar.part_of,
        })
    }

    /// For how long it ran between two times, with a core or without.
    pub(crate) fn running(&self, begin: u64, end: u64) -> u64 {
        let after = self.states.partition_point(|(time, _)| *time <= begin);
        let (mut since, mut state) = (begin, self.state(begin));
        let mut sum = 0;
        let mut add = |state: State, time: u64| {
            sum += if state == State::Running { time } else { 0 };
        };
        for (time, next) in self.states[after..]
            .iter()
            .take_while(|(time, _)| *time < end)
        {
            add(state, time - since);
            (since, state) = (*time, *next);
        }
        add(state, end.saturating_sub(since));
        sum
    }

    /// For how long it slept between the two times.
    pub(super) fn slept(&self, begin: u64, end: u64) -> u64 {
        let after = self.bars.partition_point(|bar| bar.begin < end);
        let recent = self.bars[..after].iter().rev();
        // What came before one that lies in none was over when that began.
        let recent = recent.take_while(|bar| bar.end > begin || bar.depth > 0);
        let sleeps = recent.filter(|bar| bar.kind == Kind::Sleep && bar.end > begin);
        sleeps
            .map(|bar| bar.end.min(end) - bar.begin.max(begin))
            .sum()
    }
}

impl Builder {
    fn add(&mut self, time: u64, what: What) {
        match what {
            What::SpanBegun { name, .. } | What::Mark { name, .. } if name.text() == LOOP => {
                return self.row.loops.push((time, u64::MAX));
            }
            What::SpanEnded { name } if name.text() == LOOP => return self.end_loop(time),
            What::Begun { work, lane, .. } => self.open(time, Kind::Job(work, lane), None),
            What::WaitBegun { wait } => self.open(time, Kind::Wait(wait), None),
            What::Parked { parker, .. } => {
                if !self.row.parkers.contains(&parker) {
                    self.row.parkers.push(parker);
                }
                self.open(time, Kind::Sleep, None);
            }
            What::SpanBegun { name, value } => {
                self.open(time, Kind::of_span(name, value), Some(name));
            }
            What::Ended { .. } => self.close(time, |kind, _| matches!(kind, Kind::Job(..))),
            What::WaitEnded => self.close(time, |kind, _| matches!(kind, Kind::Wait(_))),
            What::Awake { .. } => self.close(time, |kind, _| kind == Kind::Sleep),
            What::SpanEnded { name } => self.close(time, |_, other| other == Some(name)),
            What::Delayed { ns } => {
                let woken = 0;
                self.delayed = Some(Delayed { time, ns, woken });
            }
            What::Ran { ns } => self.note_clocks(time, Some(ns)),
            _ => return,
        }
        self.note_state(time);
    }

    fn note_clocks(&mut self, time: u64, ran: Option<u64>) {
        if let Some(delayed) = self.delayed {
            self.row.clocks.push(Clocks {
                time,
                ran,
                slept: self.slept,
                delayed,
                is_after_gap: mem::take(&mut self.is_interrupted),
            });
        }
    }

    fn open(&mut self, begin: u64, kind: Kind, name: Option<Name>) {
        let depth = self.open.len();
        self.open.push(self.row.bars.len());
        self.row.bars.push(Bar {
            begin,
            end: u64::MAX,
            depth,
            kind,
            name,
            part_of: None,
        });
    }

    /// Ends the innermost bar like that, and those in it. The begin of one may be lost; then it is
    /// none.
    fn close(&mut self, end: u64, is: impl Fn(Kind, Option<Name>) -> bool) {
        let bars = &self.row.bars;
        let like = |place: &usize| is(bars[*place].kind, bars[*place].name);
        let Some(first) = self.open.iter().rposition(like) else {
            return;
        };
        self.close_from(first, end);
    }

    /// Ends the open bars but for the outermost ones, so many.
    fn close_from(&mut self, first: usize, end: u64) {
        for place in self.open.drain(first..) {
            let bar = &mut self.row.bars[place];
            bar.end = end;
            self.slept += u64::from(bar.kind == Kind::Sleep) * (end - bar.begin);
        }
    }

    /// Events are gone after `last`: of what went on then, nothing later is known, and up to the
    /// next event the thread counts as asleep.
    fn interrupt(&mut self, last: u64) {
        self.close_from(0, last);
        let ends = self.row.loops.iter_mut().rev().map(|(_, end)| end);
        let open = ends.take_while(|end| **end == u64::MAX);
        open.for_each(|end| *end = last);
        self.row.states.push((last, self.row.rest()));
        self.delayed = None;
        self.is_interrupted = true;
    }

    /// Ends the innermost loop.
    fn end_loop(&mut self, end: u64) {
        let mut loops = self.row.loops.iter_mut().rev();
        if let Some(open) = loops.find(|(_, end)| *end == u64::MAX) {
            open.1 = end;
        }
    }

    fn note_state(&mut self, time: u64) {
        let bars = &self.row.bars;
        let mut kinds = self.open.iter().rev().map(|place| bars[*place].kind);
        let asleep = self
            .open
            .last()
            .is_some_and(|place| bars[*place].kind == Kind::Sleep);
        let state = match kinds.find(|kind| *kind != Kind::Sleep) {
            Some(Kind::Wait(_)) => State::Waiting,
            // A sleep in the midst of work, for example in a lock of the pool's.
            Some(_) if asleep => State::Waiting,
            Some(_) => State::Running,
            None if self.row.role == Role::Outside => State::Elsewhere,
            None if asleep => State::Asleep,
            None => State::Searching,
        };
        if self
            .row
            .states
            .last()
            .is_none_or(|(_, last)| *last != state)
        {
            self.row.states.push((time, state));
        }
    }

    fn end(mut self, last: u64) -> Row {
        let newer = |delayed: &Delayed| {
            let clocks = self.row.clocks.last();
            clocks.is_some_and(|clocks| clocks.time < delayed.time)
        };
        if let Some(delayed) = self.delayed.filter(newer) {
            self.note_clocks(delayed.time, None);
        }
        for place in self.open {
            // Sleepers sleep on; of the others nothing later is known.
            let bar = &mut self.row.bars[place];
            bar.end = if bar.kind == Kind::Sleep {
                u64::MAX
            } else {
                last.max(bar.begin)
            };
        }
        self.row
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::made::{self, Chance};
    use super::*;
    use heartbeat_pool::record::{Event, Recorder};

    /// The events of a thread, for tests.
    pub(crate) fn thread(number: u32, role: Role, events: &[(u64, What)]) -> ThreadEvents {
        let mut thread = ThreadEvents::default();
        thread.thread = number;
        thread.name = format!("thread {number}");
        thread.role = role;
        let event = |&(time, what): &(u64, What)| Event { time, what };
        thread.events = events.iter().map(event).collect();
        thread
    }

    #[test]
    fn what_lies_around_a_time_is_what_a_look_at_all_bars_finds() {
        let mut chance = Chance::new(3);
        for _ in 0..200 {
            for row in made::trace(&mut chance).rows {
                for time in 0..200 {
                    let is_around = |bar: &&Bar| bar.begin <= time && bar.end > time;
                    let all = row.bars.iter().rev().filter(is_around);
                    let places = |bar: &Bar| (bar.begin, bar.end, bar.depth);
                    let found = row.all_around(time).map(places);
                    assert_eq!(
                        found.collect::<Vec<_>>(),
                        all.map(places).collect::<Vec<_>>()
                    );
                }
            }
        }
    }

    #[test]
    fn bars_lie_in_each_other_and_states_follow() {
        let name = Recorder::name(&format!("{SYSTEM}row::system"));
        let job = What::Begun {
            job: 1,
            lane: Lane::Frame,
            work: Work::Scoped,
        };
        let value = 1 << 32;
        let events = [
            (10, What::Awake { woken: true }),
            (20, job),
            (30, What::SpanBegun { name, value }),
            (40, What::WaitBegun { wait: Wait::Join }),
            (
                45,
                What::Parked {
                    parker: 7,
                    timed: false,
                },
            ),
            (50, What::Awake { woken: true }),
            (55, What::WaitEnded),
            (60, What::SpanEnded { name }),
            (70, What::Ended { job: 1 }),
            (
                80,
                What::Parked {
                    parker: 7,
                    timed: true,
                },
            ),
        ];
        let row = Row::new(&thread(1, Role::Frame, &events));
        let states = [
            (10, State::Searching),
            (20, State::Running),
            (40, State::Waiting),
            (55, State::Running),
            (70, State::Searching),
            (80, State::Asleep),
        ];
        assert_eq!(row.states, states);
        let bars: Vec<_> = row
            .bars
            .iter()
            .map(|bar| (bar.begin, bar.end, bar.depth))
            .collect();
        let expected = [
            (20, 70, 0),
            (30, 60, 1),
            (40, 55, 2),
            (45, 50, 3),
            (80, u64::MAX, 0),
        ];
        assert_eq!(bars, expected);
        let around = |time| row.around(time).map(|bar| bar.kind);
        assert_eq!(around(35), Some(Kind::System(value)));
        assert_eq!(around(47), Some(Kind::Wait(Wait::Join)));
        assert_eq!((around(75), row.state(5)), (None, State::Asleep));
        assert_eq!(row.parkers, [7]);
    }

    #[test]
    fn nothing_goes_on_over_lost_events() {
        let (lane, work) = (Lane::Frame, Work::Scoped);
        let begun = |job| What::Begun { job, lane, work };
        let mut events = thread(
            1,
            Role::Frame,
            &[
                (10, begun(1)),
                (20, What::WaitBegun { wait: Wait::Join }),
                (90, What::Ended { job: 2 }),
                (95, begun(3)),
                (99, What::Ended { job: 3 }),
            ],
        );
        (events.lost, events.gaps) = (100, vec![2]);
        let row = Row::new(&events);
        let bars = row.bars.iter().map(|bar| (bar.begin, bar.end, bar.depth));
        assert_eq!(
            bars.collect::<Vec<_>>(),
            [(10, 20, 0), (20, 20, 1), (95, 99, 0)]
        );
        assert_eq!(
            (row.state(50), row.state(96)),
            (State::Asleep, State::Running)
        );
    }
}
