//! How an event lies in three words; the lowest byte of the first says which one it is.

use crate::event::{Event, Place, Wait, What, Work};
use crate::lane::Lane;
use crate::names::Name;
use crate::ring::Words;

const fn pair(high: u64, low: u64) -> u64 {
    high << 8 | low
}

impl What {
    fn parts(self) -> (u64, u64, u64) {
        match self {
            Self::Queued { job, lane, place } => (0, job, pair(lane.index() as u64, place.code())),
            Self::Begun { job, lane, work } => (1, job, pair(lane.index() as u64, work.code())),
            Self::Ended { job } => (2, job, 0),
            Self::Forked { job } => (3, job, 0),
            Self::Promoted { job } => (4, job, 0),
            Self::Parked { parker, timed } => (5, parker, timed.into()),
            Self::Awake { woken } => (6, woken.into(), 0),
            Self::Ran { ns } => (7, ns, 0),
            Self::Delayed { ns } => (8, ns, 0),
            Self::Woke { parker } => (9, parker, 0),
            Self::WaitBegun { wait } => (10, wait.code(), 0),
            Self::WaitEnded => (11, 0, 0),
            Self::Beat => (12, 0, 0),
            Self::SpanBegun { name, value } => (13, name.number(), value),
            Self::SpanEnded { name } => (14, name.number(), 0),
            Self::Mark { name, value } => (15, name.number(), value),
        }
    }

    fn of(tag: u64, a: u64, b: u64) -> Option<Self> {
        let lane = || Lane::ALL.get((b >> 8) as usize).copied();
        let (job, parker, ns, name, value) = (a, a, a, Name::of(a), b);
        let (place, work) = (Place::of(b & 0xff), Work::of(b & 0xff));
        Some(match tag {
            0 => {
                let (lane, place) = (lane()?, place?);
                Self::Queued { job, lane, place }
            }
            1 => {
                let (lane, work) = (lane()?, work?);
                Self::Begun { job, lane, work }
            }
            2 => Self::Ended { job },
            3 => Self::Forked { job },
            4 => Self::Promoted { job },
            5 => {
                let timed = b != 0;
                Self::Parked { parker, timed }
            }
            6 => Self::Awake { woken: a != 0 },
            7 => Self::Ran { ns },
            8 => Self::Delayed { ns },
            9 => Self::Woke { parker },
            10 => Self::WaitBegun { wait: Wait::of(a)? },
            11 => Self::WaitEnded,
            12 => Self::Beat,
            13 => Self::SpanBegun { name, value },
            14 => Self::SpanEnded { name },
            15 => Self::Mark { name, value },
            _ => return None,
        })
    }
}

impl Event {
    pub(crate) fn words(self) -> Words {
        let (tag, a, b) = self.what.parts();
        [self.time << 8 | tag, a, b]
    }

    /// None if these are the words of no event.
    pub(crate) fn of([head, a, b]: Words) -> Option<Self> {
        let what = What::of(head & 0xff, a, b)?;
        Some(Self {
            time: head >> 8,
            what,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_comes_back_from_its_words() {
        let name = Name::of(7);
        let (job, lane) = (0xdead_beef_0000, Lane::Io);
        let mut all = vec![
            What::Ended { job },
            What::Forked { job },
            What::Promoted { job },
            What::Parked {
                parker: job,
                timed: true,
            },
            What::Awake { woken: false },
            What::Ran { ns: 1 },
            What::Delayed { ns: 2 },
            What::Woke { parker: job },
            What::WaitEnded,
            What::Beat,
            What::SpanBegun { name, value: 3 },
            What::SpanEnded { name },
            What::Mark { name, value: 4 },
        ];
        all.extend(
            Place::ALL
                .iter()
                .map(|&place| What::Queued { job, lane, place }),
        );
        all.extend(
            Work::ALL
                .iter()
                .map(|&work| What::Begun { job, lane, work }),
        );
        all.extend(Wait::ALL.iter().map(|&wait| What::WaitBegun { wait }));
        for (time, what) in (1_000..).zip(all) {
            let event = Event { time, what };
            assert_eq!(Event::of(event.words()), Some(event));
        }
        assert_eq!(Event::of([255, 0, 0]), None);
        assert_eq!(Event::of([10, 99, 0]), None);
    }
}
