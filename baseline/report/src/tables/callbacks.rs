//! Callbacks that are asynchronous.

use super::{Metric, Per, Shape, Source, TIME, Table, Threads, Unit, itself};

const POINTERS: Source = Source {
    title: "Async function pointers",
    about: "Published for 250 million calls: a function pointer 429 ms, an async function 408 ms, a boxed one 4.99 s, \
            a generic one that is boxed at the edge 318 ms, an enum 527 ms. What to take as a library's author: be \
            generic, and box once at the edge, where callbacks are kept; an enum where all are known; room on the \
            stack or a reused box where a call must not allocate and the type must be erased; a new box a call \
            otherwise, for its cost is small beside what most callbacks do.",
};

const A_CALL: Metric = Metric {
    per: Some(Per {
        label: "a call",
        count: itself,
    }),
    ..TIME
};

const ALLOCATIONS: Metric = Metric {
    name: "allocations",
    label: "allocations a call",
    unit: Unit::Number,
    per: None,
};

const CALLS: Table = Table {
    name: "callback-ours",
    source: &POINTERS,
    about: "Calls that are awaited in place, one after the other, in a task of this project's pool.",
    workload: "callback-ours",
    size: "calls",
    quick: &[10, 10_000],
    full: &[10, 1_000_000],
    threads: Threads::All,
    metrics: &[A_CALL, ALLOCATIONS],
    by_size: &[],
    has_spread: true,
    shape: Shape::Bars,
    who: &[
        "plain function",
        "generic",
        "boxed",
        "enum",
        "on the stack",
        "reused box",
    ],
    most: &[],
    answer: itself,
    known: "",
};

/// Those here.
pub const TABLES: &[Table] = &[
    CALLS,
    Table {
        name: "callback-tokio",
        about: "The same in a task of tokio's.",
        workload: "callback-tokio",
        ..CALLS
    },
    Table {
        name: "callback-spawned-ours",
        about: "Calls that are spawned as tasks of their own on this project's pool, and awaited one after the other.",
        workload: "callback-spawned-ours",
        full: &[10, 10_000],
        who: &["generic", "boxed", "enum", "on the stack"],
        ..CALLS
    },
    Table {
        name: "callback-spawned-tokio",
        about: "The same on tokio.",
        workload: "callback-spawned-tokio",
        full: &[10, 10_000],
        who: &["generic", "boxed", "enum", "on the stack"],
        ..CALLS
    },
];
