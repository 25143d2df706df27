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

const A_YIELD: Metric = Metric {
    per: Some(Per {
        label: "a yield",
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
    about: "Tasks that are ready at once are spawned from outside of the pool and awaited there. \
            forte is in the next table alone: a loop that awaits what it spawns from outside of \
            its pool hangs now and then (in 3 of 24 runs, 1.0.0-beta.2).",
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
    known: "async-executor's threads take half of all that is queued, up to 512, into queues \
            of their own; here each task is taken alone from the queue that its spawner \
            still fills. And its static executor never ends, so that no task counts it, \
            where each one here holds a count of its pool. In the middle it takes 1.4 to 2.0 \
            times as long as this pool from a hundred tasks on; on another machine, an AMD \
            EPYC, it was ahead from ten thousand on, by 1.15 and 1.40 in the middle of \
            rounds that went both ways. bevy_tasks and smol, which take from the same queues \
            but list each task under a lock, take 2.4 to 3.3 times as long as this pool \
            there.",
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
        known: "A thread's own tasks run the oldest first here, so of such a tree a whole level \
                waits at a time, as the peak memory tells. forte's run the oldest first too, but \
                every ten microseconds it puts what is queued aside in up to sixteen parts and \
                goes on with one of them: branch by branch, so that what waits is little and \
                stays in the cache. And nearly all of it runs on one thread here, for jobs as \
                short as these are not come for. Oldest first is the order of Bevy's own \
                executor, and it is fair to background jobs: none waits for what was queued after \
                it. A pool built with `Order::NewestFirst` has the other one, which is not \
                measured here.",
        ..TASKS
    },
    Table {
        name: "yields",
        about: "One task that yields so often.",
        workload: "yields",
        size: "yields",
        quick: &[10, 1000],
        full: &[10, 1000, 100_000],
        metrics: &[A_YIELD, CPU, PEAK],
        who: POOLS,
        known: "Ten yields are mostly the task's begin and its end, of which the main thread \
                waits for the latter, and the rounds go both ways (0.41 to 1.83); of a thousand \
                and more this pool's cost least.",
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
        known: "A message wakes a task on the thread that sends it. Here the task goes through a \
                queue that others may steal from, by atomic operations (docs/mechanisms.md: \
                without such a way a yield takes a sixth less); tokio keeps the task woken last \
                in a slot of the thread's own, forte its tasks in a queue that no other thread \
                sees until its next beat. That is presumably what a thousand messages and more \
                show beside tokio, 1.20 and 1.13 in the middle; forte is behind there, by 0.91 \
                and 0.84. At ten, where the two tasks' begin and end count, forte is ahead in \
                every round, by 1.61 to 1.98.",
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
        known: "All in Rust share one channel, async-channel's, and with it take 0.8 to 1.3 \
                times as long as here at ten thousand and more. Its queue has two ends that \
                eight tasks on two cores write, so a message costs what it costs the machine to \
                have a line go from core to core: on another machine, an AMD EPYC, one took 0.07 \
                to 0.12 µs, not 0.4. Go's is its runtime's own, which hands a message from task \
                to task without a waker, and there was ahead by 1.2 to 3.4.",
        ..TASKS
    },
    Table {
        name: "tcp",
        about: "Two tasks that send each other so many messages over one connection of the \
                loopback. The pools of C++ leave sockets to another library, Asio, and are not \
                here.",
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
        known: "All but tokio have async-io's timers, whose thread wakes tasks from outside of \
                the pool (smol's own threads wait for timers as well). From ten thousand on \
                async-executor is ahead in every round, by 1.05 to 1.40, and forte by 1.01 to \
                1.38: here a task that waits is listed under a lock until it ends, so that a \
                pool that ends can cancel it; forte's pools and the static executor never end, \
                and list none. smol lists its tasks too and takes as long as this pool, what \
                part of the difference this is was not measured. With one task and with ten \
                forte's caller is a thread of its pool and can run the task that was woken \
                itself, where all others' callers have to be woken once more; why one task takes \
                0.05 to 0.09 ms longer here than on bevy_tasks and async-executor is not known.",
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
        known: "Where a spawn takes s and a task takes its helpers t, the queue after n spawns \
                is n (1 - s / t) tasks long, and the last one waits n (t - s): a pool that \
                spawns more slowly than it runs tasks has no queue, so the percentiles are to be \
                read beside the time a task, by which this pool is ahead from a hundred tasks \
                on. At a hundred thousand forte takes 397 ns a task and tokio 727, and of theirs \
                99 in 100 begin within 0.2 and 0.3 ms; here t is 237 ns and the last wait for \
                1.1 ms, so s is about 226. async-executor has 320 ns a task and waits for as \
                long (spawn-outside says what it does otherwise); bevy_tasks and smol have 660 \
                and 710, and wait three times as long. Of a hundred tasks half begin within 5 µs \
                here: helpers that have found a pool's jobs shorter than a hand-over stay away \
                for some beats, and then the last ones begin when the thread that spawns waits \
                for them. Of ten and of one the 99th percentile is whether a thread had to be \
                woken.",
        ..TASKS
    },
    Table {
        name: "workers",
        source: &WORKERS,
        about: "A master sends each worker ten messages, one after the other, and reads an answer to each: tasks and \
                threads by channels, processes and all of Ruby's by pipes. The CPU of `processes` \
                and `Ruby processes` is the master's alone, the peak memory that of all.",
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
        known: "The pools that are ahead at a thousand workers, by 1.2 to 1.4, have 1.8 \
                processors run where this one has 1.2: an answer that comes to a thread that is \
                awake needs no other one. One worker and its master are a ping-pong, and what is \
                said there holds: tokio is ahead in every round, by 1.09 to 1.16. At a hundred \
                the rounds go both ways (0.90 to 1.08).",
        ..TASKS
    },
];
