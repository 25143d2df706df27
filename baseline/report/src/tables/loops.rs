//! Loops over slices.

use super::{CPU, Metric, PEAK, Per, Shape, Source, TIME, Table, Threads, itself};

const ITERATION: Source = Source {
    title: "forte: the iteration benchmark of bevy_tasks",
    about: "Published for 100 to 10 million items of about a nanosecond: bevy_tasks 3.06 µs to 101 ms, rayon 2.03 µs \
            to 468 µs, forte 389 ns to 1.23 ms, serially 84.8 ns to 7.64 ms (13 cores); then the same with 10 ns an item.",
};

const AN_ITEM: Metric = Metric {
    per: Some(Per {
        label: "an item",
        count: itself,
    }),
    ..TIME
};

const SLICE: Table = Table {
    name: "slice-1ns",
    source: &ITERATION,
    about: "Each item of a slice goes through about a nanosecond of arithmetic.",
    workload: "slice-1ns",
    size: "items",
    quick: &[100, 10_000, 1_000_000],
    full: &[100, 1000, 10_000, 100_000, 1_000_000, 10_000_000],
    threads: Threads::All,
    metrics: &[AN_ITEM, CPU, PEAK],
    by_size: &[],
    has_spread: false,
    shape: Shape::Lines,
    who: &["serial", "ours", "rayon", "chili", "forte", "bevy_tasks"],
    most: &[],
    answer: itself,
    known: "At 100 items the whole loop takes 0.1 µs, and what is above that is the call \
            into the pool. From 100,000 on two threads take about half of one's time in every \
            pool that shares at once; stock's own loop over slices does so only from a \
            million on. 0.53 times its time is had where the engine iterates entities \
            (below), for there stock splits otherwise. At 10,000 and 100,000 rayon is ahead, \
            by 1.01 to 1.22: presumably its second thread, which stays awake between two \
            such loops, has half of it at once. \
            Ten million items are 80 MB, and on this machine a loop through them upwards \
            takes 4.3 ns an item on one thread, downwards 1.6: chili runs the second half of \
            a join first and so goes downwards, forte presumably too, all others upwards. At \
            a million there is no such difference.",
};

/// Those here.
pub const TABLES: &[Table] = &[
    SLICE,
    Table {
        name: "slice-10ns",
        about: "The same with about ten nanoseconds an item.",
        workload: "slice-10ns",
        known: "At 100 items what is above the serial loop is the call into the pool. From 100,000 on half of one thread's time is \
                the least that two can take.",
        ..SLICE
    },
];
