//! What [`Record::Always`](super::Record::Always) keeps: the newest events of all threads.

use heartbeat_pool::record::{Cursor, Recorder, Snapshot, ThreadEvents};
use std::collections::{HashMap, VecDeque};
use std::mem;

/// Events that are kept: 128 MiB of them. The oldest are forgotten then.
const MOST_EVENTS: usize = 1 << 22;

/// Events of some frames in a row, or of all.
#[derive(Clone, Default)]
struct Part {
    threads: Vec<ThreadEvents>,
    /// The place of each thread among them, by its number.
    places: HashMap<u32, usize>,
    /// How many events they have together.
    count: usize,
}

impl Part {
    /// Adds what comes after what is there.
    fn add(&mut self, new: ThreadEvents) {
        self.count += new.events.len();
        if let Some(place) = self.places.get(&new.thread) {
            let old = &mut self.threads[*place];
            let first = old.events.len();
            old.gaps.extend(new.gaps.iter().map(|gap| first + gap));
            old.events.extend(new.events);
            old.lost += new.lost;
        } else {
            self.places.insert(new.thread, self.threads.len());
            self.threads.push(new);
        }
    }

    /// Gives back what it doesn't need, once nothing more is added.
    fn shrink(&mut self) {
        let events = self.threads.iter_mut().map(|thread| &mut thread.events);
        events.for_each(Vec::shrink_to_fit);
        self.places = HashMap::new();
    }
}

#[derive(Clone)]
pub(super) struct Kept {
    most: usize,
    cursor: Cursor,
    /// The oldest first. Each is forgotten as a whole, and has a thousandth of all or the end of one
    /// frame beyond that: so no frame has much to do.
    parts: VecDeque<Part>,
    /// How many events they have together.
    count: usize,
    /// How many events of each thread are forgotten.
    forgotten: HashMap<u32, u64>,
    lost: u64,
}

impl Kept {
    /// Of what is recorded from now on.
    pub(super) fn new() -> Self {
        let mut kept = Self::of_most(MOST_EVENTS);
        _ = Recorder::snapshot_after(&mut kept.cursor);
        kept
    }

    /// All that is kept, of which nothing is left here.
    pub(super) fn take_all(&mut self) -> Self {
        mem::replace(self, Self::of_most(self.most))
    }

    fn of_most(most: usize) -> Self {
        Self {
            most,
            cursor: Cursor::default(),
            parts: VecDeque::new(),
            count: 0,
            forgotten: HashMap::new(),
            lost: 0,
        }
    }

    /// Takes what was recorded since the last time.
    pub(super) fn take(&mut self) {
        let new = Recorder::snapshot_after(&mut self.cursor);
        self.put(new);
    }

    fn put(&mut self, new: Snapshot) {
        self.lost += new.lost;
        let is_full = |last: &Part| last.count >= self.most / 1024;
        if self.parts.back().is_none_or(is_full) {
            self.parts.back_mut().into_iter().for_each(Part::shrink);
            self.parts.push_back(Part::default());
        }
        let has_news = |thread: &ThreadEvents| thread.lost > 0 || !thread.events.is_empty();
        if let Some(last) = self.parts.back_mut() {
            for mut thread in new.threads.into_iter().filter(has_news) {
                self.count += thread.events.len();
                // Unless these are the first.
                thread.gaps.extend((thread.lost > 0).then_some(0));
                last.add(thread);
            }
        }
        while self.count > self.most && self.parts.len() > 1 {
            self.forget();
        }
    }

    /// Forgets the oldest part.
    fn forget(&mut self) {
        let Some(part) = self.parts.pop_front() else {
            return;
        };
        self.count -= part.count;
        for thread in part.threads {
            let forgotten = self.forgotten.entry(thread.thread).or_default();
            *forgotten += thread.lost + thread.events.len() as u64;
        }
    }

    pub(super) fn into_snapshot(mut self) -> Snapshot {
        let mut all = Part::default();
        for part in self.parts {
            part.threads.into_iter().for_each(|thread| all.add(thread));
        }
        for thread in &mut all.threads {
            thread.lost += self.forgotten.remove(&thread.thread).unwrap_or(0);
        }
        let mut snapshot = Snapshot::default();
        snapshot.threads = all.threads;
        // Of threads of which nothing else is left.
        snapshot.lost = self.lost + self.forgotten.values().sum::<u64>();
        snapshot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heartbeat_pool::record::{Event, What};

    /// As if a thread had noted so many events from `time` on.
    fn noted(thread: u32, times: impl Iterator<Item = u64>) -> ThreadEvents {
        let what = What::Beat;
        let mut events = ThreadEvents::default();
        events.thread = thread;
        events.events = times.map(|time| Event { time, what }).collect();
        events
    }

    #[test]
    fn the_newest_are_kept_and_the_others_counted() {
        let most = 4096;
        let mut kept = Kept::of_most(most);
        let frames = 2000;
        for frame in 0..frames {
            let mut new = Snapshot::default();
            new.lost = 1;
            new.threads.push(noted(1, 10 * frame..10 * frame + 10));
            // One that ends, and one that comes late.
            let other = if frame < 100 { 2 } else { 3 };
            let mut other = noted(other, frame..frame + 1);
            other.lost = 1;
            new.threads.push(other);
            kept.put(new);
            assert!(kept.count <= most, "{frame}");
        }
        let snapshot = kept.into_snapshot();
        let [first, late] = &snapshot.threads[..] else {
            panic!("{}", snapshot.threads.len());
        };
        assert_eq!((first.thread, late.thread), (1, 3));
        let count = first.events.len() + late.events.len();
        assert!(count > most - most / 100, "{count}");
        let times = first.events.iter().map(|event| event.time);
        assert!(times.eq(first.lost..10 * frames), "in order, without a gap");
        let of_late = 2 * (frames - 100);
        assert_eq!(late.lost + late.events.len() as u64, of_late);
        assert_eq!(snapshot.lost, frames + 2 * 100);
    }

    #[test]
    fn where_events_are_lost_is_known() {
        // Of all that is noted, and of some of which the older are forgotten.
        for most in [1 << 16, 1 << 15] {
            let mut kept = Kept::of_most(most);
            let is_lost_before = |frame: u64| frame % 97 == 50;
            let frames = (most / 8) as u64;
            for frame in 0..frames {
                let mut new = Snapshot::default();
                let mut events = noted(1, 20 * frame..20 * frame + 10);
                events.lost = 10 * u64::from(is_lost_before(frame));
                new.threads.push(events);
                kept.put(new);
            }
            let a_part = most as u64 / 1024 / 10;
            assert!(a_part > 2, "several frames");
            let thread = &kept.into_snapshot().threads[0];
            let first = thread.events[0].time / 20;
            assert!(first > 0, "some are forgotten");
            let after = (first..frames).filter(|frame| is_lost_before(*frame));
            let places = after.map(|frame| 10 * (frame - first) as usize);
            assert!(thread.gaps.iter().copied().eq(places));
        }
    }

    #[test]
    fn one_frame_may_have_more_than_is_kept() {
        let mut kept = Kept::of_most(10);
        let mut new = Snapshot::default();
        new.threads.push(noted(1, 0..100));
        kept.put(new);
        assert_eq!(kept.clone().into_snapshot().threads[0].events.len(), 100);
        let mut new = Snapshot::default();
        new.threads.push(noted(1, 100..101));
        kept.put(new);
        let left = &kept.into_snapshot().threads[0];
        assert_eq!((left.events.len(), left.lost), (1, 100));
    }
}
