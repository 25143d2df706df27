//! Recordings made by hand and by chance, for tests.

use super::row::{FRAME, SCHEDULE, SYSTEM, tests::thread};
use super::trace::{Origin, Trace};
use heartbeat_pool::Lane;
use heartbeat_pool::record::{Place, Recorder, Role, Snapshot, Wait, What, Work};

/// Numbers that look like chance and are the same each time.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// One below `limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        let step = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = step.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// The trace of a thread from outside and of one of the pool.
pub(super) fn of(main: &[(u64, What)], other: &[(u64, What)]) -> Trace {
    let mut snapshot = Snapshot::default();
    snapshot.threads.push(thread(1, Role::Outside, main));
    snapshot.threads.push(thread(2, Role::Frame, other));
    Trace::new(snapshot, Origin::default(), 2)
}

/// A thread's events in the making.
#[derive(Default)]
struct Thread {
    time: u64,
    events: Vec<(u64, What)>,
    /// What ends what has begun, the innermost last.
    open: Vec<What>,
}

impl Thread {
    fn note(&mut self, what: What) {
        self.events.push((self.time, what));
    }

    fn begin(&mut self, begin: What, end: What) {
        self.note(begin);
        self.open.push(end);
    }

    /// Ends what has begun, as far as more than so much is open.
    fn end_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            let end = self.open.pop();
            self.events.extend(end.map(|end| (self.time, end)));
        }
    }

    /// Does something, in what lies around it.
    fn act(&mut self, chance: &mut Chance, parker: u64, around: usize) {
        self.time += chance.below(60) * chance.below(2);
        let job = chance.below(12);
        let lane = Lane::ALL[chance.below(3) as usize];
        let work = [Work::Scoped, Work::Spawned, Work::Joined][chance.below(3) as usize];
        let place = [Place::Scope, Place::Own][chance.below(2) as usize];
        let woken = chance.below(2) == 0;
        let timed = !woken;
        match chance.below(14) {
            0 | 1 => self.begin(What::Begun { job, lane, work }, What::Ended { job }),
            2 => self.begin(What::WaitBegun { wait: Wait::Scope }, What::WaitEnded),
            3 => {
                self.begin(What::Parked { parker, timed }, What::Awake { woken });
                self.time += chance.below(200);
                let depth = self.open.len() - 1;
                self.end_to(depth);
            }
            4 => {
                let name = Recorder::name(&format!("{SYSTEM}made::system"));
                let value = (1 << 32) + chance.below(4);
                self.begin(What::SpanBegun { name, value }, What::SpanEnded { name });
            }
            5 => self.note(What::Queued { job, lane, place }),
            6 => self.note(What::Forked { job }),
            7 => self.note(What::Promoted { job }),
            8 => self.note(What::Woke {
                parker: chance.below(3),
            }),
            9 => self.note(What::Beat),
            10 => self.note(What::Ran { ns: self.time / 2 }),
            11 => self.note(What::Delayed { ns: self.time / 3 }),
            _ if self.open.len() > around => self.end_to(self.open.len() - 1),
            _ => {}
        }
    }
}

/// Three threads, of which the first runs four frames and the last may be caught asleep.
pub(super) fn trace(chance: &mut Chance) -> Trace {
    let mut snapshot = Snapshot::default();
    let mut main = Thread::default();
    for value in 1..=4 {
        (0..chance.below(4)).for_each(|_| main.act(chance, 0, 0));
        main.end_to(0);
        main.time += 1;
        let frame = Recorder::name(FRAME);
        let schedule = Recorder::name(&format!("{SCHEDULE}Update"));
        for (name, value) in [(frame, value), (schedule, 0)] {
            main.begin(What::SpanBegun { name, value }, What::SpanEnded { name });
        }
        (0..chance.below(20)).for_each(|_| main.act(chance, 0, 2));
        main.time += 1;
        main.end_to(0);
    }
    snapshot
        .threads
        .push(thread(1, Role::Outside, &main.events));
    for (place, role) in [(1, Role::Frame), (2, Role::Lower)] {
        let mut other = Thread::default();
        (0..chance.below(90)).for_each(|_| other.act(chance, place, 0));
        if chance.below(2) == 0 {
            other.note(What::Parked {
                parker: place,
                timed: false,
            });
        }
        let number = u32::try_from(place).unwrap() + 1;
        snapshot.threads.push(thread(number, role, &other.events));
    }
    Trace::new(snapshot, Origin::default(), 2)
}
