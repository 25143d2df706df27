//! How often cache lines go from thread to thread, on pools of 2 to 64 threads.

use super::{Metric, Shape, Source, Table, Threads, Unit, itself};

const SCALING: Source = Source {
    title: "Scaling without many cores",
    about: "Of this project's own: contention between many threads is a matter of who writes and reads which cache \
            line, and in which order, so it can be counted where there are few cores. Built with `--cfg \
            heartbeat_transfers`, the pool notes the thread of each atomic operation, lock and signal at the line that \
            it touches. Threads give up their core after each job, so that their operations alternate. Counts of \
            references and the atomics of other crates (the deques and injectors themselves) are not seen. \
            `-v` of the program, the example `transfers` of `heartbeat_pool`, names the sites.",
};

const WRITES: Metric = Metric {
    name: "writes",
    label: "writes of a line that another thread wrote last, an operation",
    unit: Unit::Number,
    per: None,
};

const READS: Metric = Metric {
    name: "reads",
    label: "first reads of what another thread wrote, an operation",
    unit: Unit::Number,
    per: None,
};

const TOOK_PART: Metric = Metric {
    name: "threads",
    label: "threads that took part",
    unit: Unit::Number,
    per: None,
};

const CHANGES: Table = Table {
    name: "transfers",
    source: &SCALING,
    about: "How often a line changes its writer, for a thousand forks, a stolen half of a join, a join \
            that is timed as rayon's are, a job of a scope, a spawn from inside and from outside, a wake-up of a task by another one, and a job of a scope that starts \
            the next one, as an engine's systems do.",
    workload: "transfers",
    size: "threads",
    quick: &[2, 8, 64],
    full: &[2, 4, 8, 16, 32, 64],
    threads: Threads::BySize,
    metrics: &[WRITES, TOOK_PART],
    by_size: &[],
    has_spread: false,
    shape: Shape::Lines,
    who: &[
        "thousand forks",
        "steal",
        "measured join",
        "scoped job",
        "spawn",
        "spawn from outside",
        "wake",
        "system",
    ],
    most: &[],
    answer: itself,
    known: "From eight threads on a thousand forks, a steal, a timed join and a spawn from inside \
            take no more. The others take 1.2 to 1.7 times as many, for more of what they write \
            was another thread's before: a scope's job its latch, which each writes once; a job \
            that starts the next one the latch and the owner's count; a spawn from outside 0.03 \
            in place of 0.02. Forks are shared by the beat, so what a thousand of them come to \
            rests on how long they take. What was mended, and what was measured and left, is in \
            docs/mechanisms.md under Scaling.",
};

/// Those here.
pub const TABLES: &[Table] = &[
    CHANGES,
    Table {
        name: "transfers-read",
        about: "The same runs' reads: a look at all queues takes from each seat what has changed there since the last \
                one.",
        metrics: &[READS, TOOK_PART],
        known: "A thread that comes to sleep or wakes up looks at every seat, and so these grow with the threads, by \
                one look's part of each job between two sleeps: a hundred jobs a thread here.",
        ..CHANGES
    },
];
