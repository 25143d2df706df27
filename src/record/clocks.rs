//! What the system says of a thread: for how long it ran, and for how long it had no core.

use super::flow::Flow;
use super::row::Row;

/// What the system says of a thread at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clocks {
    pub(crate) time: u64,
    /// None for a thread that has slept since the last reading to the recording's end: that is known
    /// as it wakes.
    pub(crate) ran: Option<u64>,
    /// For how long it has slept so far.
    pub(crate) slept: u64,
    /// For how long it had no core: what was known last.
    pub(crate) delayed: Delayed,
    /// Whether events are gone since the reading before: then nothing is known of the time between.
    pub(crate) is_after_gap: bool,
}

/// For how long a thread had no core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delayed {
    /// When the system said so.
    pub(crate) time: u64,
    pub(crate) ns: u64,
    /// For how long it was being woken so far.
    pub(crate) woken: u64,
}

impl Row {
    /// For how long of the time that it ran between these it had no core, and was blocked, as far
    /// as the system has told. What it says between two readings is of the time awake.
    pub(crate) fn without_core(&self, begin: u64, end: u64) -> (u64, u64) {
        let (mut no_core, mut blocked) = (0, 0);
        let first = self.clocks.partition_point(|clocks| clocks.time <= begin);
        let pairs = self.clocks[first.saturating_sub(1)..].windows(2);
        for pair in pairs.take_while(|pair| pair[0].time < end) {
            let [a, b] = [pair[0], pair[1]];
            let (from, to) = (a.time.max(begin), b.time.min(end));
            if from >= to || b.is_after_gap {
                continue;
            }
            // Where the begin of a sleep is lost, its end may be as well.
            let awake = (b.time - a.time).saturating_sub(b.slept - a.slept);
            let awake_here = (to - from).saturating_sub(self.slept(from, to));
            if awake_here == 0 || awake == 0 {
                continue;
            }
            let part =
                |time: u64| (u128::from(time) * u128::from(awake_here) / u128::from(awake)) as u64;
            let ran = a.ran.zip(b.ran).map(|(a, b)| b.saturating_sub(a));
            // It may have waited for a core while it was being woken, too: one wake-up lies between
            // what it says before a sleep and what it says before the next, as one stretch awake
            // does between what it says of its running after these sleeps.
            let (a, b) = (a.delayed, b.delayed);
            let delayed = b.ns.saturating_sub(a.ns);
            let delayed = delayed.saturating_sub(b.woken - a.woken);
            let missing = ran.map_or(delayed.min(awake), |ran| awake.saturating_sub(ran));
            let delayed = delayed.min(missing);
            let running = self.running(from, to);
            let without = part(delayed).min(running);
            no_core += without;
            blocked += part(missing - delayed).min(running - without);
        }
        (no_core, blocked)
    }

    /// Tells for how long the thread was being woken, of wake-ups by their ends.
    pub(crate) fn note_wake_ups<'a>(&mut self, wake_ups: impl Iterator<Item = &'a Flow>) {
        let mut wake_ups = wake_ups.peekable();
        let mut woken = 0;
        for clocks in &mut self.clocks {
            let delayed = &mut clocks.delayed;
            while let Some(flow) = wake_ups.next_if(|flow| flow.came <= delayed.time) {
                woken += flow.came - flow.left;
            }
            delayed.woken = woken;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::flow::Way;
    use crate::record::row::tests::thread;
    use heartbeat_pool::Lane;
    use heartbeat_pool::record::{Role, What, Work};

    #[test]
    fn what_is_known_from_sleep_to_sleep_is_of_the_time_awake() {
        let (job, lane, work) = (1, Lane::Frame, Work::Scoped);
        let (parker, timed, woken) = (7, true, false);
        let events = [
            (100, What::Delayed { ns: 20 }),
            (100, What::Parked { parker, timed }),
            (400, What::Awake { woken }),
            (400, What::Ran { ns: 50 }),
            (500, What::Begun { job, lane, work }),
            (900, What::Ended { job }),
            (1000, What::Delayed { ns: 170 }),
            (1000, What::Parked { parker, timed }),
            (1100, What::Awake { woken }),
            (1100, What::Ran { ns: 350 }),
        ];
        let mut row = Row::new(&thread(1, Role::Frame, &events));
        // Awake for 600 of which it ran for 300.
        assert_eq!(row.without_core(0, 2000), (150, 150));
        // Two thirds of that time.
        assert_eq!(row.without_core(600, 1000), (100, 100));
        assert_eq!(row.without_core(100, 400), (0, 0));
        // Part of what it waited was before it woke.
        let flow = Flow {
            from: 0,
            left: 310,
            to: 0,
            came: 400,
            way: Way::Woken,
            lane: None,
        };
        row.note_wake_ups([flow].iter());
        assert_eq!(row.without_core(0, 2000), (60, 240));
        // More than was missing.
        row.clocks[1].delayed.ns = 900;
        assert_eq!(row.without_core(0, 2000), (300, 0));
        // Of the time about lost events nothing is known, how many there are.
        let mut lossy = thread(1, Role::Frame, &events);
        for gaps in [vec![5], vec![5, 5]] {
            lossy.gaps = gaps;
            let row = Row::new(&lossy);
            assert_eq!(row.without_core(0, 2000), (0, 0));
            assert!(row.clocks[1].is_after_gap && !row.clocks[0].is_after_gap);
        }
        // Still asleep: for how long it ran is not known yet.
        let row = Row::new(&thread(1, Role::Frame, &events[..8]));
        assert_eq!(row.without_core(0, 2000), (150, 0));
    }
}
