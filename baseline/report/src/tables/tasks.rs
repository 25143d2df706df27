//! Programs that spawn and await.

use super::{CPU, Metric, PEAK, Per, Shape, Source, TIME, Table, Threads, Unit, itself};

const ASYNC: Source = Source {
    title: "forte: the async benchmark of bevy_tasks",
    about: "forte's introduction left this one open, as a thing to do. async-executor is what smol runs on, here without the rest of it; timers \
            are tokio's own there and async-io's everywhere else.",
};

const WORKERS: Source = Source {
    title: "Ruby: threads, processes and fibers",
    about: "Published for 1 to 1,000 workers of each kind, over Ruby's versions: a master writes to a worker, which \
            reads, answers and waits for more. Processes were ahead until there were too many of them, fibers \
            ahead of threads.",
};

const POOLS: &[&str] = &[
    "ours",
    "bevy_tasks",
    "async-executor",
    "smol",
    "tokio",
    "forte",
];

/// Those, a pool of C++ with a channel, and two languages that have their own.
const CHANNELS: &[&str] = &[
    "ours",
    "bevy_tasks",
    "async-executor",
    "smol",
    "tokio",
    "forte",
    "TooManyCooks",
    "Go",
    "Java",
];

/// The pools, and two languages whose tasks wait for sockets by themselves.
const LANGUAGES: &[&str] = &[
    "ours",
    "bevy_tasks",
    "async-executor",
    "smol",
    "tokio",
    "forte",
    "Go",
    "Java",
];

const A_TASK: Metric = Metric {
    per: Some(Per {
        label: "a task",
        count: itself,
    }),
    ..TIME
};

const A_MESSAGE: Metric = Metric {
    per: Some(Per {
        label: "a message",
        count: itself,
    }),
    ..TIME
};

const A_WAY: Metric = Metric {
    per: Some(Per {
        label: "a message there and back",
        count: itself,
    }),
    ..TIME
};

const AN_ANSWER: Metric = Metric {
    per: Some(Per {
        label: "a message and its answer",
        count: messages_to_workers,
    }),
    ..TIME
};

const A_WORKER: Metric = Metric {
    per: Some(Per {
        label: "a worker",
        count: itself,
    }),
    ..PEAK
};

const fn latency(name: &'static str) -> Metric {
    Metric {
        name,
        label: name,
        unit: Unit::Time,
        per: None,
    }
}

/// Each worker is sent so many messages a round.
fn messages_to_workers(workers: u64) -> f64 {
    (workers * crate::contend::MESSAGES) as f64
}

fn both_ways(messages: u64) -> f64 {
    2.0 * messages as f64
}

const TASKS: Table = Table {
    name: "spawn-outside",
    source: &ASYNC,
    about: "Tasks that are ready at once are spawned from outside of the pool and awaited there. forte is in the next table \
            alone: its callers enter the pool first.",
    workload: "spawn-outside",
    size: "tasks",
    quick: &[1, 100, 10_000],
    full: &[1, 10, 100, 1000, 10_000, 100_000],
    threads: Threads::All,
    metrics: &[A_TASK, CPU, PEAK],
    by_size: &[],
    has_spread: false,
    shape: Shape::Lines,
    who: &["ours", "bevy_tasks", "async-executor", "smol", "tokio"],
    most: &[],
    answer: itself,
    known: "",
};

/// Those here.
pub const TABLES: &[Table] = &[
    TASKS,
    Table {
        name: "spawn-inside",
        about: "The same from a task of the pool.",
        workload: "spawn-inside",
        who: POOLS,
        known: "forte is ahead where both threads take tasks; here nearly all stay with the one that spawns, as the time of \
                processors tells. A task costs about as much of that time in both.",
        ..TASKS
    },
    Table {
        name: "nested",
        about: "A tree of tasks: each spawns two and awaits them.",
        workload: "nested",
        who: POOLS,
        known: "Tasks run the oldest first here, so of such a tree a whole level waits at a time, as the peak memory tells; forte's \
                newest run first, branch by branch, and what waits stays in the cache. And nearly all of it runs on one thread \
                here, for jobs as short as these are not come for.",
        ..TASKS
    },
    Table {
        name: "yields",
        about: "One task that yields so often.",
        workload: "yields",
        size: "yields",
        quick: &[10, 1000],
        full: &[10, 1000, 100_000],
        who: POOLS,
        known: "Ten yields are mostly the task's begin and its end, of which the main thread waits for the latter; of a hundred \
                thousand this pool's cost least.",
        ..TASKS
    },
    Table {
        name: "ping-pong",
        about: "Two tasks that send each other so many messages, each an answer to the one before.",
        workload: "ping-pong",
        size: "messages",
        quick: &[10, 1000],
        full: &[10, 1000, 100_000],
        metrics: &[A_WAY, CPU, PEAK],
        who: POOLS,
        answer: both_ways,
        ..TASKS
    },
    Table {
        name: "channel",
        about: "Four senders and four receivers share one channel of a hundred places. Java's tasks are virtual \
                threads from 21 on, and threads of the system before. Of the pools of C++ only TooManyCooks has a \
                channel that tasks wait for: it has no bound, so nobody who sends ever waits.",
        workload: "channel",
        size: "messages",
        quick: &[100, 10_000],
        full: &[100, 10_000, 1_000_000],
        metrics: &[A_MESSAGE, CPU, PEAK],
        who: CHANNELS,
        known: "All in Rust share one channel, async-channel's. Go's is its runtime's own, which hands a message from task to \
                task without a waker.",
        ..TASKS
    },
    Table {
        name: "tcp",
        about: "Two tasks that send each other so many messages over one connection of the loopback. The pools of C++ \
                leave sockets to another library, Asio.",
        workload: "tcp",
        size: "messages",
        quick: &[10, 1000],
        full: &[10, 1000, 100_000],
        metrics: &[A_WAY, CPU, PEAK],
        who: LANGUAGES,
        known: "The threads of tokio, smol, Go and Java wait for sockets themselves. All others here use async-io, whose own thread \
                waits and wakes theirs: two more hand-overs between threads a message.",
        ..TASKS
    },
    Table {
        name: "timers",
        about: "Tasks that all sleep for a millisecond.",
        workload: "timers",
        quick: &[1, 100, 10_000],
        metrics: &[TIME, CPU, PEAK],
        who: POOLS,
        known: "Nearly all is async-io's, which all but tokio share.",
        ..TASKS
    },
    Table {
        name: "latency",
        about: "From a spawn to the task's first step, where so many are spawned from outside at once.",
        workload: "latency",
        quick: &[1, 100, 10_000],
        metrics: &[
            latency("p99"),
            latency("p50"),
            latency("p99.9"),
            A_TASK,
            CPU,
        ],
        by_size: &["p50", "p99.9", "time"],
        who: POOLS,
        known: "Who spawns slowly has no queue: the time a task stands beside the percentiles. tokio's tasks wait less \
                than the others' while all of them together take longer. Of a hundred tasks half begin \
                within 2.4 µs here; helpers that have found a pool's jobs shorter than a hand-over stay away for \
                some beats, and then the last ones begin when who spawns waits for them. From a thousand on the queue is long for \
                as long as somebody spawns, though all of them end sooner than with any rival.",
        ..TASKS
    },
    Table {
        name: "workers",
        source: &WORKERS,
        about: "A master sends each worker ten messages, one after the other, and reads an answer to each: tasks and \
                threads by channels, processes and all of Ruby's by pipes.",
        workload: "workers",
        size: "workers",
        quick: &[1, 10, 100],
        full: &[1, 10, 100, 1000],
        metrics: &[AN_ANSWER, CPU, A_WORKER],
        who: &[
            "ours",
            "bevy_tasks",
            "async-executor",
            "smol",
            "tokio",
            "forte",
            "threads",
            "processes",
            "Ruby threads",
            "Ruby processes",
            "Ruby fibers",
        ],
        answer: messages_to_workers,
        known: "The pools that are ahead at a thousand workers, by up to a third, have 1.7 to 1.9 processors run where this one has \
                1.2: an answer that comes to a thread that is awake needs no other one.",
        ..TASKS
    },
];
