//! What led to what: work to the thread that ran it, a wake-up to the one that woke.

use heartbeat_pool::Lane;
use heartbeat_pool::record::{Event, Place, Snapshot, ThreadEvents, What, Work};
use std::collections::{HashMap, VecDeque};

/// How something came from one thread to another, or to a later time of the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It was queued.
    Queued,
    /// It was the half of a join.
    Forked,
    /// It was the half of a join that a beat had promoted.
    Promoted,
    /// It was woken.
    Woken,
    /// It was called to a scope.
    Called,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    /// The rows, by their places in the trace.
    pub(crate) from: usize,
    pub(crate) left: u64,
    pub(crate) to: usize,
    pub(crate) came: u64,
    pub(crate) way: Way,
    /// For a piece of work, whose it was.
    pub(crate) lane: Option<Lane>,
}

/// Who left something for others, when, and in what way.
type Left = (usize, u64, Way);

/// The flows in the making.
#[derive(Default)]
struct Builder {
    flows: Vec<Flow>,
    /// Single pieces of work.
    single: HashMap<u64, Left>,
    /// Those of scopes, in their order.
    scoped: HashMap<u64, VecDeque<Left>>,
    /// Those who were woken, by where they sleep.
    woken: HashMap<u64, Left>,
    /// Where each row sleeps now.
    asleep: HashMap<usize, u64>,
}

/// All flows of `snapshot`, whose threads are rows in this order, by the time of their end.
pub(crate) fn flows(snapshot: &Snapshot) -> Vec<Flow> {
    let threads = snapshot.threads.iter().enumerate();
    let events = threads.flat_map(|(row, thread)| thread.events.iter().map(move |e| (row, e)));
    let mut events: Vec<(usize, &Event)> = events.collect();
    events.sort_by_key(|(_, event)| event.time);
    let mut gaps: Vec<u64> = snapshot.threads.iter().flat_map(ends_of_gaps).collect();
    gaps.sort_unstable();
    let mut gaps = gaps.into_iter().peekable();
    let mut builder = Builder::default();
    for (row, event) in events {
        while gaps.next_if(|end| *end <= event.time).is_some() {
            builder.forget_scoped();
        }
        builder.add(row, event.time, event.what);
    }
    builder.flows
}

/// When there are events again after some are gone.
fn ends_of_gaps(thread: &ThreadEvents) -> impl Iterator<Item = u64> {
    // What a single snapshot has lost came before its first event.
    let first = (thread.lost > 0 && thread.gaps.is_empty()).then_some(0);
    let gaps = first.into_iter().chain(thread.gaps.iter().copied());
    gaps.filter_map(|gap| thread.events.get(gap))
        .map(|event| event.time)
}

impl Way {
    /// Whether it is that of a piece of work.
    pub(crate) fn is_work(self) -> bool {
        !matches!(self, Self::Woken | Self::Called)
    }
}

impl Builder {
    fn add(&mut self, row: usize, time: u64, what: What) {
        match what {
            What::Queued {
                job,
                place: Place::Scope,
                ..
            } => {
                let left = (row, time, Way::Queued);
                self.scoped.entry(job).or_default().push_back(left);
            }
            What::Queued { job, .. } => {
                self.single.insert(job, (row, time, Way::Queued));
            }
            What::Forked { job } => {
                self.single.insert(job, (row, time, Way::Forked));
            }
            What::Promoted { job } => {
                self.single.insert(job, (row, time, Way::Promoted));
            }
            What::Begun {
                job,
                work: Work::Scoped,
                lane,
            } => {
                let left = self.scoped.get_mut(&job).and_then(VecDeque::pop_front);
                self.arrive(row, time, left, Some(lane));
            }
            What::Begun { job, lane, .. } => {
                let left = self.single.remove(&job);
                // Its scope's jobs have flows of their own.
                let is_ticket = self.scoped.contains_key(&job);
                let way = |way| if is_ticket { Way::Called } else { way };
                let left = left.map(|(from, left, w)| (from, left, way(w)));
                self.arrive(row, time, left, Some(lane));
            }
            What::Parked { parker, .. } => {
                self.woken.remove(&parker);
                self.asleep.insert(row, parker);
            }
            What::Woke { parker } => {
                self.woken.insert(parker, (row, time, Way::Woken));
            }
            What::Awake { woken } => {
                let parker = self.asleep.remove(&row);
                let left = parker.and_then(|parker| self.woken.remove(&parker));
                self.arrive(row, time, left.filter(|_| woken), None);
            }
            _ => {}
        }
    }

    /// Jobs of scopes may have been begun unseen, and a scope's number comes again: what is begun
    /// later is never told from what was queued before.
    fn forget_scoped(&mut self) {
        self.scoped.values_mut().for_each(VecDeque::clear);
    }

    fn arrive(&mut self, to: usize, came: u64, left: Option<Left>, lane: Option<Lane>) {
        self.flows.extend(left.map(|(from, left, way)| Flow {
            from,
            left,
            to,
            came,
            way,
            lane,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::thread;
    use super::*;
    use heartbeat_pool::Lane;
    use heartbeat_pool::record::Role;

    #[test]
    fn work_and_wake_ups_lead_from_thread_to_thread() {
        let lane = Lane::Frame;
        let queued = |job, place| What::Queued { job, lane, place };
        let begun = |job, work| What::Begun { job, lane, work };
        let mut snapshot = Snapshot::default();
        let first = [
            (10, queued(5, Place::Scope)),
            (11, queued(5, Place::Scope)),
            (12, queued(5, Place::Own)),
            (13, What::Woke { parker: 9 }),
            (20, begun(5, Work::Scoped)),
            (30, What::Promoted { job: 6 }),
        ];
        let second = [
            (
                1,
                What::Parked {
                    parker: 9,
                    timed: false,
                },
            ),
            (15, What::Awake { woken: true }),
            (16, begun(5, Work::Spawned)),
            (21, begun(5, Work::Scoped)),
            (40, begun(6, Work::Joined)),
        ];
        snapshot.threads.push(thread(1, Role::Outside, &first));
        snapshot.threads.push(thread(2, Role::Frame, &second));
        let flows = flows(&snapshot);
        let short = |flow: &Flow| (flow.from, flow.left, flow.to, flow.came, flow.way);
        let expected = [
            (0, 13, 1, 15, Way::Woken),
            (0, 12, 1, 16, Way::Called),
            (0, 10, 0, 20, Way::Queued),
            (0, 11, 1, 21, Way::Queued),
            (0, 30, 1, 40, Way::Promoted),
        ];
        assert_eq!(flows.iter().map(short).collect::<Vec<_>>(), expected);
    }
    #[test]
    fn a_scope_of_which_a_begin_is_lost_has_its_own_flows_later() {
        let (lane, place) = (Lane::Frame, Place::Scope);
        let queued = What::Queued {
            job: 5,
            lane,
            place,
        };
        let begun = What::Begun {
            job: 5,
            lane,
            work: Work::Scoped,
        };
        let mut snapshot = Snapshot::default();
        let first = [(10, queued), (1000, queued)];
        let first = thread(1, Role::Outside, &first);
        let mut second = thread(2, Role::Frame, &[(5, begun), (900, begun), (1010, begun)]);
        second.gaps = vec![1];
        // Of a single snapshot.
        let mut third = thread(2, Role::Frame, &[(900, begun), (1010, begun)]);
        third.lost = 1;
        for second in [second, third] {
            snapshot.threads = vec![first.clone(), second];
            let flows = flows(&snapshot);
            let times = flows.iter().map(|flow| (flow.left, flow.came));
            assert_eq!(times.collect::<Vec<_>>(), [(1000, 1010)]);
        }
    }
}
