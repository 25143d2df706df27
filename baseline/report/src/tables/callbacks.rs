//! Callbacks that are asynchronous.

use super::{Metric, Per, Shape, Source, TIME, Table, Threads, Unit, itself};

const POINTERS: Source = Source {
    title: "Async function pointers",
    about: "Published for 250 million calls: a function pointer 429 ms, an async function \
            408 ms, a boxed one 4.99 s, a generic one that is boxed at the edge 318 ms, an \
            enum 527 ms. Here, a call of a million in place, on this project's pool and on \
            tokio: generic 1.1 ns on both, an enum 1.9 and 1.6, a reused box 3.2 and 3.3, \
            room on the stack 8.0 and 13.6, a new box 14.5 and 13.9. What to take as a \
            library's author: be generic, and box once at the edge, where callbacks are \
            kept; an enum where all are known. Where the type must be erased and a call must \
            not allocate, take a reused box for calls that come one after the other: room on \
            the stack costs 2.5 to 4.1 times as much, so it is for calls that are under way \
            at once. Else a new box a call, for its 14 ns are small beside what most \
            callbacks do. Spawned as tasks, the ways are 16 ns apart at most on this pool \
            and 31 on tokio, of 210 and 249: spawn whatever is at hand.",
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
        about: "Calls that are spawned as tasks of their own on this project's pool, and awaited \
                one after the other. A plain function has nothing to await, and a reused box \
                can't be spawned, for it is lent to one call at a time where a task owns its \
                future.",
        workload: "callback-spawned-ours",
        full: &[10, 10_000],
        who: &["generic", "boxed", "enum", "on the stack"],
        ..CALLS
    },
    Table {
        name: "callback-spawned-tokio",
        about: "The same on tokio, without these two.",
        workload: "callback-spawned-tokio",
        full: &[10, 10_000],
        who: &["generic", "boxed", "enum", "on the stack"],
        ..CALLS
    },
];
