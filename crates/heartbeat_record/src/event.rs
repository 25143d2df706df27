//! What can happen.

use crate::lane::Lane;
use crate::names::Name;

/// Something that happened on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When: nanoseconds since the process first looked at the recorder's clock.
    pub time: u64,
    /// What.
    pub what: What,
}

/// What happened. A `job` is a number that tells pieces of work apart for as long as they live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum What {
    /// Work was queued where others may take it. Several of one scope have the scope's number, and
    /// are taken in the order of their queueing.
    Queued {
        /// Which.
        job: u64,
        /// Of which lane.
        lane: Lane,
        /// Where it lies.
        place: Place,
    },
    /// The thread runs a piece of work from now on.
    Begun {
        /// Which.
        job: u64,
        /// Of which lane.
        lane: Lane,
        /// Of what kind.
        work: Work,
    },
    /// It is through with what it has begun last.
    Ended {
        /// Which.
        job: u64,
    },
    /// The second half of a join was put where others may take it at once.
    Forked {
        /// Which.
        job: u64,
    },
    /// After a beat the private half of a join was put where others may take it.
    Promoted {
        /// Which.
        job: u64,
    },
    /// The thread is about to sleep.
    Parked {
        /// A number of the place where it sleeps, which [`Woke`](Self::Woke) names.
        parker: u64,
        /// Whether it wakes by itself after a while.
        timed: bool,
    },
    /// The thread no longer sleeps.
    Awake {
        /// Whether somebody woke it.
        woken: bool,
    },
    /// The system says for how long the thread has run since it began.
    Ran {
        /// Nanoseconds.
        ns: u64,
    },
    /// The system says for how long the thread could have run since it began, but had no core.
    Delayed {
        /// Nanoseconds.
        ns: u64,
    },
    /// The thread woke one that sleeps.
    Woke {
        /// Where that one sleeps.
        parker: u64,
    },
    /// The thread waits from now on.
    WaitBegun {
        /// For what.
        wait: Wait,
    },
    /// It no longer does.
    WaitEnded,
    /// The thread raised the others' beats.
    Beat,
    /// The program began something that has a name.
    SpanBegun {
        /// Its name.
        name: Name,
        /// Whatever the program says of it.
        value: u64,
    },
    /// It ended.
    SpanEnded {
        /// Its name.
        name: Name,
    },
    /// Something that has a name happened.
    Mark {
        /// Its name.
        name: Name,
        /// Whatever the program says of it.
        value: u64,
    },
}

macro_rules! codes {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$of])* $variant,)*
        }
        impl $name {
            pub(crate) const ALL: &[Self] = &[$(Self::$variant),*];

            pub(crate) const fn code(self) -> u64 {
                self as u64
            }

            pub(crate) fn of(code: u64) -> Option<Self> {
                Self::ALL.get(code as usize).copied()
            }
        }
    };
}

/// What a thread is in its pool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// It is none of a pool's own.
    #[default]
    Outside,
    /// It runs frame work, and what else there is room for.
    Frame,
    /// It runs io and background work only, at a lower priority.
    Lower,
}

codes! {
    /// Where queued work lies.
    Place {
        /// In the deque of the thread that queued it.
        Own,
        /// In the queue of its lane.
        Injector,
        /// In its scope.
        Scope,
        /// With the calls that block.
        Blocking,
        /// With one given thread.
        Pinned,
        /// In a thread's mailbox.
        Mailbox,
    }
}

codes! {
    /// What kind of work a thread runs.
    Work {
        /// A spawned closure, or one run of a spawned future.
        Spawned,
        /// A scope's closure, or one run of its future.
        Scoped,
        /// Half of a join, on the thread that took it.
        Joined,
        /// Work for one thread.
        Pinned,
        /// Work of `spawn_blocking`.
        Blocking,
        /// Work of a mailbox.
        Mailbox,
    }
}

codes! {
    /// What a thread waits for.
    Wait {
        /// The half of a join that another thread took.
        Join,
        /// The work of a scope.
        Scope,
        /// A future.
        Future,
    }
}
