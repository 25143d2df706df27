//! A late frame that has more events than a ring holds: its begin is lost, but known.

use super::row::{Bar, Kind, Row, State};
use super::trace::{Frame, Trace};

/// A frame whose begin may be lost, for which a trace is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Late {
    pub(crate) number: u64,
    pub(crate) begin: u64,
    pub(crate) end: u64,
    /// The number of the thread that ran it.
    pub(crate) thread: u32,
}

impl Trace {
    /// Puts in `late`, if its begin is lost: the thread was in it from then on.
    pub(crate) fn restore(&mut self, late: &Late) {
        let place = self.rows.iter().position(|row| row.thread == late.thread);
        // Another app may have had the same number.
        let is_late = |frame: &Frame| frame.number == late.number && frame.begin >= late.begin;
        let is_there = self.frames.iter().any(is_late);
        let Some(row) = place.filter(|_| !is_there) else {
            return;
        };
        let frame = Frame {
            number: late.number,
            begin: late.begin,
            end: late.end,
            row,
        };
        self.rows[row].put_around(&frame, Kind::Frame(self.origin.app, late.number));
        self.frames.push(frame);
        self.frames.sort_by_key(|frame| frame.begin);
    }
}

impl Row {
    /// Puts a bar around what it has done in `frame`.
    fn put_around(&mut self, frame: &Frame, kind: Kind) {
        let place = self.bars.partition_point(|bar| bar.begin < frame.begin);
        let within = self.bars[place..].iter_mut();
        within
            .take_while(|bar| bar.begin < frame.end)
            .for_each(|bar| bar.depth += 1);
        let bar = Bar {
            begin: frame.begin,
            end: frame.end,
            depth: 0,
            kind,
            name: None,
            part_of: None,
        };
        self.bars.insert(place, bar);
        let first = self.states.partition_point(|(time, _)| *time < frame.begin);
        let last = self.states.partition_point(|(time, _)| *time < frame.end);
        let within = self.states[first..last].iter_mut();
        within
            .filter(|(_, state)| *state == State::Elsewhere)
            .for_each(|(_, state)| *state = State::Running);
        self.states.insert(last, (frame.end, State::Elsewhere));
        self.states.insert(first, (frame.begin, State::Running));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cause;
    use super::super::made;
    use super::super::row::{FRAME, SYSTEM};
    use super::*;
    use heartbeat_pool::record::{Recorder, What};
    use std::time::Duration;

    #[test]
    fn a_frame_whose_begin_is_lost_is_there_when_its_trace_is_made() {
        let name = Recorder::name(FRAME);
        let system = Recorder::name(&format!("{SYSTEM}trace::system"));
        let value = 1 << 32;
        let main = [
            (
                60,
                What::SpanBegun {
                    name: system,
                    value,
                },
            ),
            (70, What::SpanEnded { name: system }),
            (90, What::SpanEnded { name }),
        ];
        let mut trace = made::of(&main, &[(1, What::Beat)]);
        assert_eq!(trace.frames, []);
        // One of the same number, of an app that is gone.
        trace.frames.push(Frame {
            number: 4,
            begin: 1,
            end: 2,
            row: 0,
        });
        let late = Late {
            number: 4,
            begin: 10,
            end: 90,
            thread: 1,
        };
        // The second time it is there.
        (0..2).for_each(|_| trace.restore(&late));
        trace.cut(5);
        assert_eq!(
            trace.frames().collect::<Vec<_>>(),
            [(4, Duration::from_nanos(80))]
        );
        let bars = trace.rows[0].bars.iter();
        let bars: Vec<_> = bars.map(|bar| (trace.label(bar), bar.depth)).collect();
        let expected = [("frame 4".to_owned(), 0), ("trace::system".to_owned(), 1)];
        assert_eq!(bars, expected);
        let account = trace.why_idle(4).unwrap();
        let all: Duration = account.causes.iter().map(|(_, time)| *time).sum();
        assert_eq!(all, Duration::from_nanos(160));
        assert_eq!(
            account.causes[0],
            (Cause::Running, Duration::from_nanos(80))
        );
    }
}
